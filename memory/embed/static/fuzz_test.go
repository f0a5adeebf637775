package static

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Whatever a file says: an error, or tensors that lie within it.
func FuzzTensors(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}}`, `{"__metadata__":{"a":"b"}}`, `{"__metadata__":1}`, `[1]`, `{"a":1}`,
		`{"a":{"dtype":"F4","shape":[16],"data_offsets":[0,8]}}`, `{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, `{"a":{}}`,
		`{"a":{"dtype":"I64","shape":[9223372036854775807],"data_offsets":[0,8]}}`, `{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{}}`,
	} {
		f.Add([]byte(s), int64(8))
	}
	f.Fuzz(func(t *testing.T, header []byte, size int64) {
		if size < 0 {
			return
		}
		tensors, err := parseHeader(header, size)
		if err != nil {
			return
		}
		for name, x := range tensors {
			if x.from < 0 || x.from > x.to || x.to > size {
				t.Errorf("%q lies at %d to %d of %d", name, x.from, x.to, size)
			}
			if x.to-x.from > 1<<20 {
				continue
			}
			raw := make([]byte, x.to-x.from)
			if table, err := newTable(x, raw); err == nil {
				table.add(make([]float64, table.dim), table.rows-1, 1)
			}
			_, _ = integers(x, raw)
			_, _ = numbers(x, raw)
		}
	})
}

// Whatever a tokenizer.json says and whatever text it is given: an error, or tokens that are in range.
func FuzzTokenizer(f *testing.F) {
	for _, s := range []string{
		`{"model":{"type":"WordPiece","unk_token":"u","vocab":{"u":0,"a":1,"##b":2,"":3}},"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"}}`,
		`{"model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["u",0],["▁a",-1],["a",-2],["",-3],["a",-1],["<0x41>",-4]]},"pre_tokenizer":{"type":"Metaspace","split":true}}`,
		`{"model":{"type":"Unigram","vocab":[["aé",-1e308],["\u0000",1e308]]},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits"},{"type":"Metaspace","replacement":"a","prepend_scheme":"first"}]}}`,
		`{"model":{"type":"WordLevel","vocab":{"a":0}},"normalizer":{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"Regex":"[^\\S]\\d+|\\w"},"content":"a"},{"type":"Strip","strip_left":true},{"type":"Prepend","prepend":"x"},null]}}`,
		`{"model":{"vocab":{"a":0}}}`, `{"model":null}`, `{`,
	} {
		for _, text := range []string{"a ab é", "\xff\xfe", "", "▁▁ a", "12 a\u0301"} {
			f.Add([]byte(s), text)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		tok, err := parseTokenizer(raw)
		if err != nil {
			return
		}
		for _, id := range tok.encode(nil, text) {
			if id < 0 || int(id) >= tok.tokens() {
				t.Errorf("token %d of %d", id, tok.tokens())
			}
		}
	})
}

// Whatever bytes a folder holds: a model that answers, or an error.
func FuzzOpen(f *testing.F) {
	const tok = `{"model":{"type":"WordLevel","vocab":{"a":0}}}`
	header := `{"embeddings":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}`
	good := append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), 0, 0, 0x80, 0x3f)
	f.Add(good, []byte(`{"normalize":true}`))
	f.Add(good[:20], []byte(``))
	f.Add(good[8:], []byte(`{"seq_length":1e300}`))
	f.Fuzz(func(t *testing.T, tensors, config []byte) {
		dir := t.TempDir()
		for name, content := range map[string][]byte{tensorsName: tensors, tokenizerName: []byte(tok), configName: config} {
			must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
		}
		m, err := Open(dir)
		if err != nil {
			return
		}
		v, err := m.EmbedStrings(t.Context(), []string{"a"})
		if err != nil || len(v[0]) != m.Dim() || math.IsNaN(v[0][0]) {
			t.Errorf("got %v, %v", v, err)
		}
	})
}

// Unigram finds the best sum: checked against all segmentations of short pieces.
func TestUnigramIsBest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfNDistinct(rapid.StringMatching(`[abé]{1,3}`), 1, 12, rapid.ID).Draw(t, "tokens")
		vocab := make([]scored, len(tokens))
		score := map[string]float64{}
		least := 0.0
		for i, tok := range tokens {
			vocab[i] = scored{tok, -float64(rapid.IntRange(1, 50).Draw(t, "score"))}
			score[tok] = vocab[i].score
			least = min(least, vocab[i].score)
		}
		u := &unigram{unknown: -1, count: len(vocab)}
		must(t, u.index(vocab))
		piece := rapid.StringMatching(`[abé]{1,7}`).Draw(t, "piece")
		var best func(s string) float64
		best = func(s string) float64 {
			if s == "" {
				return 0
			}
			_, width := utf8.DecodeRuneInString(s)
			top := math.Inf(-1)
			if _, ok := score[s[:width]]; !ok {
				top = least - 10 + best(s[width:])
			}
			for tok, x := range score {
				if strings.HasPrefix(s, tok) {
					top = max(top, x+best(s[len(tok):]))
				}
			}
			return top
		}
		got, left := 0.0, len(piece)
		for _, id := range u.segment(nil, piece) {
			got += vocab[id].score
			left -= len(vocab[id].token)
		}
		if want := best(piece); left == 0 && got != want || got < want {
			t.Fatalf("%q scores %g with %d bytes unknown, want %g", piece, got, left, want)
		}
	})
}

// Every finite half, against arithmetic.
func TestHalf(t *testing.T) {
	t.Parallel()
	for h := range 1 << 16 {
		exponent, fraction := h>>10&31, float64(h&0x3ff)
		if exponent == 31 {
			continue
		}
		want := math.Ldexp(1024+fraction, exponent-25)
		if exponent == 0 {
			want = math.Ldexp(fraction, -24)
		}
		if h>>15 == 1 {
			want = -want
		}
		if got := half(uint16(h)); float64(got) != want {
			t.Fatalf("%#04x is %g, want %g", h, got, want)
		}
	}
}
