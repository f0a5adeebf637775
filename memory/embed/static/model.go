package static

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/cloudwego/eino/components/embedding"

	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/disk"
)

// Files of a model's folder.
const (
	tensorsName   = "model.safetensors"
	tokenizerName = "tokenizer.json"
	configName    = "config.json"
)

// Model embeds texts with the vectors of a folder. It is never changed, and safe for concurrent use.
type Model struct {
	name      string
	tokenizer *tokenizer
	table     *table
	mapping   []int32   // row of each token; nil = the token's number is its row
	weights   []float32 // of each token; nil = 1
	normalize bool
	window    int
	unknown   *hashed.Model // for texts of which no token is known
}

var _ embedding.Embedder = (*Model)(nil)

// Open reads a model's folder. A folder or file that is not there is state.ErrNotFound; one that cannot be understood is
// state.ErrInvalid and says which file and why.
func Open(dir string) (*Model, error) {
	m := &Model{}
	sum := sha256.New()

	// Configuration, tokenizer and tables. What decides over vectors goes into the sum.
	if err := m.readConfig(filepath.Join(dir, configName)); err != nil {
		return nil, blamed(dir, configName, err)
	}
	raw, err := readFile(filepath.Join(dir, tokenizerName))
	if err != nil {
		return nil, blamed(dir, tokenizerName, err)
	}
	if m.tokenizer, err = parseTokenizer(raw); err != nil {
		return nil, blamed(dir, tokenizerName, err)
	}
	sum.Write(raw)
	if err := m.readTensors(filepath.Join(dir, tensorsName)); err != nil {
		return nil, blamed(dir, tensorsName, err)
	}
	sum.Write(m.table.raw)
	for _, w := range m.weights {
		fmt.Fprint(sum, w, ",")
	}
	fmt.Fprint(sum, m.mapping)

	// Words that the model does not know get a vector of their letters.
	if m.unknown, err = hashed.New(hashed.Config{Dim: m.table.dim}); err != nil {
		return nil, err
	}

	// The name tells models apart: vectors of two of them are not compared.
	full, err := filepath.Abs(dir)
	if err != nil {
		full = dir
	}
	m.name = "static:" + filepath.Base(full) + "@" + hex.EncodeToString(sum.Sum(nil)[:4])
	return m, nil
}

// blamed makes the error of a file typed.
func blamed(dir, name string, err error) error {
	op := "model folder " + dir
	if errors.Is(err, state.ErrNotFound) {
		return state.Errorf(state.NotFound, op, "has no %s; it should hold %s and %s", name, tensorsName, tokenizerName)
	}
	return state.Errorf(state.Invalid, op, "%s %w", name, err)
}

// readFile reads a file as a whole.
func readFile(path string) ([]byte, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(f)
	return raw, errors.Join(err, f.Close())
}

// readConfig reads what config.json says, if it is there.
func (m *Model) readConfig(path string) error {
	raw, err := readFile(path)
	if errors.Is(err, state.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var c struct {
		Normalize bool    `json:"normalize"`
		SeqLength float64 `json:"seq_length"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	m.normalize = c.Normalize
	if c.SeqLength >= 1 && c.SeqLength <= math.MaxInt32 {
		m.window = int(c.SeqLength)
	}
	return nil
}

// readTensors reads the table, the mapping and the weights, and checks that they fit the vocabulary.
func (m *Model) readTensors(path string) (err error) {
	f, err := openTensors(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.file.Close()) }()

	// The table has one of two names, by the tool that wrote the model.
	x, ok := f.tensors["embeddings"]
	if !ok {
		if x, ok = f.tensors["embedding.weight"]; !ok {
			return errors.New(`has no tensor "embeddings"; is it a model of static vectors?`)
		}
	}
	if m.table, err = readTensor(f, x, newTable); err != nil {
		return fmt.Errorf("embeddings: %w", err)
	}

	// Mapping and weights are there in models whose vocabulary was made smaller.
	if x, ok := f.tensors["mapping"]; ok {
		if m.mapping, err = readTensor(f, x, integers); err != nil {
			return fmt.Errorf("mapping: %w", err)
		}
	}
	if x, ok := f.tensors["weights"]; ok {
		if m.weights, err = readTensor(f, x, numbers); err != nil {
			return fmt.Errorf("weights: %w", err)
		}
	}
	return m.fits()
}

// readTensor reads a tensor's bytes and makes something of them.
func readTensor[T any](f *tensorFile, x tensor, parse func(tensor, []byte) (T, error)) (T, error) {
	raw, err := f.read(x)
	if err != nil {
		var none T
		return none, err
	}
	return parse(x, raw)
}

// fits refuses a vocabulary that leads behind the table, the mapping or the weights.
func (m *Model) fits() error {
	tokens := m.tokenizer.tokens()
	switch {
	case m.mapping == nil && tokens > m.table.rows:
		return fmt.Errorf("has %d vectors for the %d tokens of %s", m.table.rows, tokens, tokenizerName)
	case m.mapping != nil && tokens > len(m.mapping):
		return fmt.Errorf("maps %d of the %d tokens of %s", len(m.mapping), tokens, tokenizerName)
	case m.weights != nil && tokens > len(m.weights):
		return fmt.Errorf("weighs %d of the %d tokens of %s", len(m.weights), tokens, tokenizerName)
	}
	for token, row := range m.mapping {
		if int(row) >= m.table.rows {
			return fmt.Errorf("maps token %d to row %d of %d", token, row, m.table.rows)
		}
	}
	return nil
}

// Name returns what the model's space is called: the folder's name and a short hash of the content, so that another model in a
// folder of the same name is not taken for this one, and the same in another place is.
func (m *Model) Name() string { return m.name }

// Dim is how many numbers its vectors have.
func (m *Model) Dim() int { return m.table.dim }

// Window is how many tokens of a text the model was made for; 0 = it does not say.
func (m *Model) Window() int { return m.window }

// EmbedStrings returns a vector a text, in their order: the mean of its tokens' vectors, of unit length if the model's
// config says so. Tokens that are not in the vocabulary are left out; a text of which nothing is left gets a direction
// made of its characters, an empty one a zero vector. Options are not looked at. The error is that of ctx.
func (m *Model) EmbedStrings(ctx context.Context, texts []string, _ ...embedding.Option) ([][]float64, error) {
	out := make([][]float64, len(texts))
	ids := make([]int32, 0, 64)
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, state.Errorf(state.Unavailable, "embedder "+m.name, "given up by the caller: %w", err)
		}
		ids = m.tokenizer.encode(ids[:0], s)
		v := m.mean(ids)
		if zero(v) {
			other, err := m.unknown.EmbedStrings(ctx, []string{s})
			if err != nil {
				return nil, err
			}
			v = other[0]
		}
		out[i] = v
	}
	return out, nil
}

// mean returns that of the tokens' vectors, each times its weight; zero without tokens.
func (m *Model) mean(ids []int32) []float64 {
	v := make([]float64, m.table.dim)
	for _, id := range ids {
		row, weight := int(id), 1.0
		if m.mapping != nil {
			row = int(m.mapping[id])
		}
		if m.weights != nil {
			weight = float64(m.weights[id])
		}
		m.table.add(v, row, weight)
	}
	length := 0.0
	for i := range v {
		v[i] /= max(float64(len(ids)), 1)
		length += v[i] * v[i]
	}
	if length = math.Sqrt(length); m.normalize && length > 0 {
		for i := range v {
			v[i] /= length
		}
	}
	return v
}

func zero(v []float64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}
