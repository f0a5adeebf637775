package static_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/mneme-graph/mneme/memory/embed/static"
	"github.com/mneme-graph/mneme/state/statetest"
)

// entry is a tensor to write.
type entry struct {
	name, kind string
	shape      []int
	raw        []byte
}

// safetensors writes tensors in their order.
func safetensors(entries ...entry) []byte {
	var header, data bytes.Buffer
	header.WriteString(`{"__metadata__":{"format":"np"}`)
	for _, e := range entries {
		shape, _ := json.Marshal(e.shape)
		fmt.Fprintf(&header, `,%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, e.name, e.kind, shape, data.Len(), data.Len()+len(e.raw))
		data.Write(e.raw)
	}
	header.WriteString("}")
	for header.Len()%8 != 0 {
		header.WriteByte(' ')
	}
	return framed(header.String(), data.Bytes())
}

// framed puts the length before a header.
func framed(header string, data []byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data...)
}

// matrix is a table of a kind; its numbers must be exact in it.
func matrix(name, kind string, rows ...[]float32) entry {
	e := entry{name: name, kind: kind, shape: []int{len(rows), len(rows[0])}}
	for _, row := range rows {
		for _, x := range row {
			e.raw = append(e.raw, number(kind, x)...)
		}
	}
	return e
}

func vector(name, kind string, numbers ...float32) entry {
	e := matrix(name, kind, numbers)
	e.shape = []int{len(numbers)}
	return e
}

func number(kind string, x float32) []byte {
	bits := math.Float32bits(x)
	le := binary.LittleEndian
	switch kind {
	case "F64":
		return le.AppendUint64(nil, math.Float64bits(float64(x)))
	case "F16": // normal numbers and zero
		h := uint16(bits >> 16 & 0x8000)
		if x != 0 {
			h |= uint16(int(bits>>23&0xff)-112)<<10 | uint16(bits>>13&0x3ff)
		}
		return le.AppendUint16(nil, h)
	case "BF16":
		return le.AppendUint16(nil, uint16(bits>>16))
	case "I8":
		return []byte{byte(int8(x))}
	case "I64":
		return le.AppendUint64(nil, uint64(int64(x)))
	case "I32":
		return le.AppendUint32(nil, uint32(int32(x)))
	}
	return le.AppendUint32(nil, bits)
}

// wordPiece is the tokenizer.json of a small uncased BERT. The numbers are those of the list.
func wordPiece(tokens ...string) string {
	vocab := map[string]int{}
	for i, t := range tokens {
		vocab[t] = i
	}
	raw, _ := json.Marshal(vocab)
	return `{"version":"1.0","normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
		"pre_tokenizer":{"type":"BertPreTokenizer"},
		"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":` + string(raw) + `}}`
}

// folder writes files of a model; nil content writes none.
func folder(t testing.TB, tokenizer, config string, tensors []byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small")
	must(t, os.Mkdir(dir, 0o755))
	for name, content := range map[string][]byte{"tokenizer.json": []byte(tokenizer), "config.json": []byte(config), "model.safetensors": tensors} {
		if len(content) == 0 {
			continue
		}
		must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	return dir
}

func open(t testing.TB, tokenizer, config string, tensors []byte) *static.Model {
	t.Helper()
	m, err := static.Open(folder(t, tokenizer, config, tensors))
	must(t, err)
	return m
}

func embed(t testing.TB, m *static.Model, texts ...string) [][]float64 {
	t.Helper()
	v, err := m.EmbedStrings(t.Context(), texts)
	must(t, err)
	return v
}

var must, same = statetest.Must, statetest.Same
