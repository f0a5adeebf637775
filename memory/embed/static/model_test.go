package static_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mneme-graph/mneme/memory/embed/static"
	"github.com/mneme-graph/mneme/state"
)

// rows are the vectors of: [UNK] invoice ##s paid horse !
func rows() [][]float32 {
	return [][]float32{{50, 50}, {2, 0}, {0, 1}, {4, 2}, {-3, 0.5}, {0, -8}}
}

func smallTokens() []string { return []string{"[UNK]", "invoice", "##s", "paid", "horse", "!"} }

// The mean by hand, whatever the table's type; unknown words do not count.
func TestMeans(t *testing.T) {
	t.Parallel()
	texts := []string{"invoice", "Invoices paid!", "PÁID zebra", "horse, horse"}
	exact := [][]float64{{2, 0}, {6.0 / 4, -5.0 / 4}, {4, 2}, {-3, 0.5}}
	for _, kind := range []string{"F32", "F16", "BF16"} {
		for _, name := range []string{"embeddings", "embedding.weight"} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				m := open(t, wordPiece(smallTokens()...), "", safetensors(matrix(name, kind, rows()...)))
				same(t, "got", exact, embed(t, m, texts...))
				if m.Dim() != 2 || m.Window() != 0 || m.Bytes() != 12*len(number(kind, 0)) {
					t.Errorf("%d dimensions, window %d, %d bytes", m.Dim(), m.Window(), m.Bytes())
				}
			})
		}
	}
	whole := [][]float32{{50, 50}, {2, 0}, {0, 1}, {4, 2}, {-3, 127}, {0, -128}}
	m := open(t, wordPiece(smallTokens()...), `{}`, safetensors(matrix("embeddings", "I8", whole...)))
	same(t, "I8", [][]float64{{2, 0}, {1.5, -125.0 / 4}}, embed(t, m, texts[:2]...))
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	m := open(t, wordPiece(smallTokens()...), `{"model_type":"model2vec","normalize":true,"seq_length":256,"hidden_dim":2}`,
		safetensors(matrix("embeddings", "F32", rows()...)))
	got := embed(t, m, "paid", "invoice paid")
	want := [][]float64{{2 / math.Sqrt(5), 1 / math.Sqrt(5)}, {3 / math.Sqrt(10), 1 / math.Sqrt(10)}}
	same(t, "got", want, got, cmpopts.EquateApprox(0, 1e-12))
	if m.Window() != 256 {
		t.Errorf("window is %d", m.Window())
	}
}

// Weights belong to tokens, rows to what the mapping says, and the mean divides by the number of tokens.
func TestMappingAndWeights(t *testing.T) {
	t.Parallel()
	table := matrix("embeddings", "F32", []float32{1, 0}, []float32{0, 1})
	for _, ints := range []string{"I64", "I32"} {
		for _, kind := range []string{"F64", "F32", "F16", "BF16"} {
			m := open(t, wordPiece(smallTokens()...), "", safetensors(table, vector("mapping", ints, 0, 1, 0, 1, 0, 0),
				vector("weights", kind, 9, 2, 0.5, 4, 1, 0.25)))
			got := embed(t, m, "invoices paid", "invoice horse !")
			want := [][]float64{{0.5 / 3, 6.0 / 3}, {1.25 / 3, 2.0 / 3}}
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", ints, kind, diff)
			}
		}
	}
}

// Scores are -1 for every token but "▁in" and "voice" (-4 each): "▁invoice" wins over its parts, "voices" is "voice" and
// "s", what is unknown is left out.
func TestUnigramByHand(t *testing.T) {
	t.Parallel()
	tokenizer := `{"normalizer":{"type":"Sequence","normalizers":[{"type":"Precompiled","precompiled_charsmap":"AAAA"},{"type":"Lowercase"}]},
		"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"},
		"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0],["▁in",-4.0],["voice",-4],["▁invoice",-1],["s",-1],["▁",-1],["▁paid",-1]]}}`
	m := open(t, tokenizer, "", safetensors(matrix("embeddings", "F32",
		[]float32{99, 99}, []float32{1, 0}, []float32{2, 0}, []float32{3, 0}, []float32{0, 1}, []float32{0, 2}, []float32{0, 3})))
	tests := []struct {
		give string
		want []float64
	}{
		{"invoice", []float64{3, 0}},
		{"Invoices", []float64{1.5, 0.5}},                  // ▁invoice s
		{"voices", []float64{2.0 / 3, 1}},                  // ▁ voice s
		{"paid\u00a0invoice\u200b", []float64{1, 5.0 / 3}}, // ▁paid ▁invoice ▁
		{"paid ж invoice", []float64{1, 5.0 / 3}},          // ▁paid ▁ ▁invoice
		{"ｉｎvoice", []float64{3, 0}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff([][]float64{tt.want}, embed(t, m, tt.give), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.give, diff)
		}
	}
}

// WordLevel, and a "Replace" by an expression whose white space is Unicode's.
func TestWordLevel(t *testing.T) {
	t.Parallel()
	tokenizer := `{"normalizer":{"type":"Replace","pattern":{"Regex":"[\\s-]+"},"content":" "},"pre_tokenizer":{"type":"WhitespaceSplit"},
		"model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"a":1,"b":2}}}`
	m := open(t, tokenizer, "", safetensors(matrix("embeddings", "F32", []float32{9}, []float32{1}, []float32{2})))
	same(t, "got", [][]float64{{1.5}, {4.0 / 3}}, embed(t, m, "a\u3000b c", "a-b ? a"), cmpopts.EquateApprox(0, 1e-12))
}

// A text without a known token gets a direction of its own, the same each time; white space has none.
func TestNothingKnown(t *testing.T) {
	t.Parallel()
	table := make([][]float32, 6)
	for i := range table {
		table[i] = make([]float32, 64)
		table[i][i] = 1
	}
	m := open(t, wordPiece(smallTokens()...), "", safetensors(matrix("embeddings", "F32", table...)))
	got := embed(t, m, "👍", "👍", "🐎", "zebra", " ")
	cos := func(a, b []float64) float64 {
		ab, aa, bb := 0.0, 0.0, 0.0
		for i := range a {
			ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
		}
		return ab / math.Sqrt(aa*bb)
	}
	if c := cos(got[0], got[1]); math.Abs(c-1) > 1e-9 {
		t.Errorf("the same sign twice: cosine %g", c)
	}
	if c := cos(got[0], got[2]); math.Abs(c) > 0.6 {
		t.Errorf("two signs: cosine %g", c)
	}
	if cos(got[3], got[3]) != 1 || got[4][0] != 0 || !math.IsNaN(cos(got[4], got[4])) {
		t.Errorf("unknown word %v, white space %v", got[3], got[4])
	}
}

// The name tells models apart that lie in folders of one name, and is the same in another place.
func TestName(t *testing.T) {
	t.Parallel()
	tensors := safetensors(matrix("embeddings", "F32", rows()...))
	a := open(t, wordPiece(smallTokens()...), "", tensors)
	b := open(t, wordPiece(smallTokens()...), "", tensors)
	tensors[len(tensors)-1] ^= 1
	c := open(t, wordPiece(smallTokens()...), "", tensors)
	if a.Name() != b.Name() || a.Name() == c.Name() || !strings.HasPrefix(a.Name(), "static:small@") || len(a.Name()) != len("static:small@01234567") {
		t.Errorf("names are %s, %s, %s", a.Name(), b.Name(), c.Name())
	}
}

func TestOpenMissing(t *testing.T) {
	t.Parallel()
	good := safetensors(matrix("embeddings", "F32", rows()...))
	for name, dir := range map[string]string{
		"folder":            filepath.Join(t.TempDir(), "nowhere"),
		"tokenizer.json":    folder(t, "", "{}", good),
		"model.safetensors": folder(t, wordPiece(smallTokens()...), "{}", nil),
	} {
		if _, err := static.Open(dir); !errors.Is(err, state.ErrNotFound) || !strings.Contains(err.Error(), dir) {
			t.Errorf("without %s: got %v, want NotFound that names the folder", name, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	good := safetensors(matrix("embeddings", "F32", rows()...))
	vocab := wordPiece(smallTokens()...)
	one := matrix("embeddings", "F32", rows()...)
	part := func(normalizer, pre, model string) string {
		return fmt.Sprintf(`{"normalizer":%s,"pre_tokenizer":%s,"model":%s}`, normalizer, pre, model)
	}
	const level = `{"type":"WordLevel","vocab":{"a":0}}`
	deep := strings.Repeat(`{"type":"Sequence","normalizers":[`, 20) + `{"type":"NFC"}` + strings.Repeat("]}", 20)
	tests := []struct {
		name, tokenizer, config string
		tensors                 []byte
		want                    string
	}{
		{"config is no JSON", vocab, "{", good, "config.json cannot be read"},
		{"config of wrong types", vocab, `{"normalize":"yes"}`, good, "config.json cannot be read"},
		{"tokenizer is no JSON", "{", "", good, "tokenizer.json cannot be read"},
		{"no model", "{}", "", good, "model: is missing"},
		{"BPE", part("null", "null", `{"type":"BPE","vocab":{},"merges":[]}`), "", good, "is BPE (byte pairs), which is not supported"},
		{"BPE of an older file", part("null", "null", `{"vocab":{},"merges":[]}`), "", good, "is BPE"},
		{"another model", part("null", "null", `{"type":"Magic"}`), "", good, `"Magic"`},
		{"byte level", part("null", `{"type":"ByteLevel"}`, level), "", good, "ByteLevel (byte pairs) is not supported"},
		{"another pre-tokenizer", part("null", `{"type":"Split"}`, level), "", good, `pre-tokenizer: "Split" is not known`},
		{"punctuation merged", part("null", `{"type":"Punctuation","behavior":"MergedWithNext"}`, level), "", good, "MergedWithNext"},
		{"prepend scheme", part("null", `{"type":"Metaspace","prepend_scheme":"often"}`, level), "", good, "often"},
		{"a sign of two", part("null", `{"type":"Metaspace","replacement":"ab"}`, level), "", good, `"ab"`},
		{"another normaliser", part(`{"type":"ByteLevel"}`, "null", level), "", good, `normalizer: "ByteLevel" is not known`},
		{"normaliser in a sequence", part(`{"type":"Sequence","normalizers":[{"type":"X"}]}`, "null", level), "", good, `"X" is not known`},
		{"nested", part(deep, "null", level), "", good, "nested more than"},
		{"an expression", part(`{"type":"Replace","pattern":{"Regex":"(?<=a)b"},"content":""}`, "null", level), "", good, "expression that is not supported"},
		{"replaces nothing", part(`{"type":"Replace","pattern":{},"content":""}`, "null", level), "", good, "replaces nothing"},
		{"no vocabulary", part("null", "null", `{"type":"WordPiece","vocab":{}}`), "", good, "has no vocabulary"},
		{"negative number", part("null", "null", `{"type":"WordPiece","vocab":{"a":-1}}`), "", good, `gives "a" the number -1`},
		{"no unknown token", part("null", "null", `{"type":"WordPiece","unk_token":"[UNK]","vocab":{"a":1}}`), "", good, `"[UNK]"`},
		{"unigram of words", part("null", "null", `{"type":"Unigram","vocab":["a"]}`), "", good, "Unigram"},
		{"unigram of triples", part("null", "null", `{"type":"Unigram","vocab":[["a",1,2]]}`), "", good, "not a pair"},
		{"unigram without vocabulary", part("null", "null", `{"type":"Unigram","vocab":[]}`), "", good, "has no vocabulary"},
		{"unknown behind the end", part("null", "null", `{"type":"Unigram","unk_id":1,"vocab":[["a",0]]}`), "", good, "token 1 of 1"},
		{"more tokens than vectors", wordPiece(append(smallTokens(), "more")...), "", good, "6 vectors for the 7 tokens"},

		{"empty", vocab, "", []byte("x"), "too short"},
		{"an ask for gigabytes", vocab, "", append([]byte{0, 0, 0, 0, 1, 0, 0, 0}, "{}"...), "downloaded whole"},
		{"cut in its header", vocab, "", good[:40], "downloaded whole"},
		{"cut in its tensors", vocab, "", good[:len(good)-1], "downloaded whole"},
		{"bytes behind", vocab, "", append(append([]byte(nil), good...), 0), "1 bytes behind its last tensor"},
		{"header is no JSON", vocab, "", framed("<html>  ", nil), "not a JSON object"},
		{"header goes on", vocab, "", framed("{} {}", nil), "goes on"},
		{"header is not closed", vocab, "", framed(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`, nil), "header"},
		{"no embeddings", vocab, "", safetensors(matrix("vectors", "F32", rows()...)), `has no tensor "embeddings"`},
		{"two of a name", vocab, "", safetensors(one, one), `two tensors "embeddings"`},
		{"overlap", vocab, "", framed(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, make([]byte, 3)), "gap or overlap"},
		{"gap", vocab, "", framed(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, make([]byte, 2)), "gap or overlap"},
		{"offsets backwards", vocab, "", framed(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[2,1]}}`, make([]byte, 2)), "lies at [2 1]"},
		{"a shape that overflows", vocab, "", framed(`{"a":{"dtype":"F64","shape":[2147483647,2147483647,2147483647],"data_offsets":[0,2]}}`, make([]byte, 2)), "has the shape"},
		{"a negative shape", vocab, "", framed(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}}`, nil), "has the shape"},
		{"a shape that does not fit", vocab, "", framed(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, make([]byte, 8)), "8 bytes for the shape [3] of F32"},
		{"an unknown type", vocab, "", framed(`{"a":{"dtype":"F7","shape":[1],"data_offsets":[0,1]}}`, make([]byte, 1)), `unknown type "F7"`},
		{"embeddings of integers", vocab, "", safetensors(matrix("embeddings", "I32", rows()...)), "embeddings: is of I32"},
		{"embeddings in a row", vocab, "", safetensors(vector("embeddings", "F32", 1, 2)), "embeddings: has the shape [2]"},
		{"no dimensions", vocab, "", safetensors(entry{"embeddings", "F32", []int{6, 0}, nil}), "embeddings: has the shape [6 0]"},
		{"NaN", vocab, "", safetensors(matrix("embeddings", "F32", rows()[0], []float32{0, float32(math.NaN())})), "NaN or infinity in row 1"},
		{"infinity in half", vocab, "", safetensors(entry{"embeddings", "F16", []int{1, 1}, []byte{0, 0x7c}}), "NaN or infinity in row 0"},
		{"infinity in brain half", vocab, "", safetensors(entry{"embeddings", "BF16", []int{1, 1}, []byte{0x80, 0x7f}}), "NaN or infinity in row 0"},
		{"mapping leads behind the table", vocab, "", safetensors(one, vector("mapping", "I64", 0, 1, 2, 3, 4, 6)), "maps token 5 to row 6 of 6"},
		{"mapping leads before it", vocab, "", safetensors(one, vector("mapping", "I32", 0, 1, 2, 3, 4, -1)), "leads token 5 to row -1"},
		{"mapping too short", vocab, "", safetensors(one, vector("mapping", "I64", 0)), "maps 1 of the 6 tokens"},
		{"mapping of floats", vocab, "", safetensors(one, vector("mapping", "F32", 0)), "mapping: is of F32"},
		{"weights too short", vocab, "", safetensors(one, vector("weights", "F32", 1)), "weighs 1 of the 6 tokens"},
		{"weights of bytes", vocab, "", safetensors(one, vector("weights", "I8", 1)), "weights: is of I8"},
		{"weights of NaN", vocab, "", safetensors(one, vector("weights", "F64", float32(math.NaN()))), "weights: holds NaN"},
		{"weights in a table", vocab, "", safetensors(one, matrix("weights", "F32", rows()...)), "weights: has the shape"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, tt.tokenizer, tt.config, tt.tensors)
			_, err := static.Open(dir)
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, want Invalid that names the folder and says %q", err, tt.want)
			}
		})
	}
}

func TestOpenFolderForFile(t *testing.T) {
	t.Parallel()
	dir := folder(t, wordPiece(smallTokens()...), "", nil)
	must(t, os.Mkdir(filepath.Join(dir, "model.safetensors"), 0o700))
	if _, err := static.Open(dir); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("got %v", err)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	m := open(t, wordPiece(smallTokens()...), "", safetensors(matrix("embeddings", "F16", rows()...)))
	want := embed(t, m, "invoices paid!", "horse 👍")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				got, err := m.EmbedStrings(t.Context(), []string{"invoices paid!", "horse 👍"})
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%v\n%s", err, diff)
					return
				}
			}
		})
	}
	wg.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.EmbedStrings(ctx, []string{"a"}); !errors.Is(err, context.Canceled) || !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}
