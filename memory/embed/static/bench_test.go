package static_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mneme-graph/mneme/memory/embed/static"
)

// made-up models of the size of small published ones: 30,000 tokens of WordPiece, 200,000 of Unigram, 256 numbers each.
func benchWordPiece(b *testing.B, kind string) *static.Model {
	tokens := []string{"[UNK]", ",", ".", "?"}
	for i := range 30_000 {
		tokens = append(tokens, fmt.Sprintf("%s%c%c%c%d", []string{"", "##"}[i%2], 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, i))
	}
	for r := 'a'; r <= 'z'; r++ {
		tokens = append(tokens, string(r), "##"+string(r))
	}
	tokens = append(tokens, "when", "does", "the", "order", "of", "car", "part", "arriv", "##es", "and", "who", "paid", "invoice")
	return open(b, wordPiece(tokens...), `{"normalize":true}`, safetensors(ramp(kind, len(tokens))))
}

func benchUnigram(b *testing.B) *static.Model {
	vocab := [][2]any{{"<unk>", 0}}
	for i := range 200_000 {
		vocab = append(vocab, [2]any{fmt.Sprintf("▁%c%c%c%d", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, i), -12.5})
	}
	for r := 'a'; r <= 'z'; r++ {
		vocab = append(vocab, [2]any{string(r), -9}, [2]any{"▁" + string(r), -9})
	}
	for _, w := range []string{"▁when", "▁does", "▁the", "▁order", "▁of", "▁car", "▁part", "▁arriv", "es", "▁and", "▁who", "▁paid", "▁invoice"} {
		vocab = append(vocab, [2]any{w, -5})
	}
	raw, err := json.Marshal(vocab)
	must(b, err)
	return open(b, `{"normalizer":{"type":"Precompiled"},"pre_tokenizer":{"type":"Metaspace","prepend_scheme":"always","replacement":"▁"},
		"model":{"type":"Unigram","unk_id":0,"vocab":`+string(raw)+`}}`, `{"normalize":true}`, safetensors(ramp("F16", len(vocab))))
}

// ramp is a table with some numbers in it.
func ramp(kind string, rows int) entry {
	e := entry{name: "embeddings", kind: kind, shape: []int{rows, 256}}
	var row []byte
	for i := range 256 {
		row = append(row, number(kind, float32(1+i%7))...)
	}
	e.raw = bytes.Repeat(row, rows)
	return e
}

func BenchmarkEmbed(b *testing.B) {
	texts := []string{"When does the order of the car part arrive, and who paid the invoice?"}
	for _, model := range []struct {
		name string
		open func(*testing.B) *static.Model
	}{
		{"wordpiece F32", func(b *testing.B) *static.Model { return benchWordPiece(b, "F32") }},
		{"wordpiece F16", func(b *testing.B) *static.Model { return benchWordPiece(b, "F16") }},
		{"wordpiece I8", func(b *testing.B) *static.Model { return benchWordPiece(b, "I8") }},
		{"unigram F16", benchUnigram},
	} {
		b.Run(model.name, func(b *testing.B) {
			m := model.open(b)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				embed(b, m, texts...)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}

// Opening, and what stays in memory beside the table.
func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "kept")
	must(b, os.MkdirAll(dir, 0o755))
	tokens := []string{"[UNK]"}
	for i := range 30_000 {
		tokens = append(tokens, fmt.Sprintf("token%d", i))
	}
	for name, content := range map[string][]byte{"tokenizer.json": []byte(wordPiece(tokens...)), "model.safetensors": safetensors(ramp("F32", len(tokens)))} {
		must(b, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var m *static.Model
	for b.Loop() {
		var err error
		if m, err = static.Open(dir); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc-uint64(m.Bytes()))/(1<<20), "MB-beside-table")
	runtime.KeepAlive(m)
}
