package hashed

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/cloudwego/eino/components/embedding"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// DefaultDim is the dimension of vectors unless Config says another.
const DefaultDim = 384

// Shares of a word's weight.
const (
	stemShare = 1.0
	gramShare = 1.0 // of all grams of a word together
)

// Config says what a Model makes. The zero value is the default.
type Config struct {
	Dim int // numbers per vector, up to 32768; 0 = DefaultDim
}

// Model is an eino embedder that needs no model. It is never changed, and safe for concurrent use.
type Model struct{ dim int }

var _ embedding.Embedder = (*Model)(nil)

// New makes a Model. The error is state.ErrInvalid when Config.Dim is out of range.
func New(c Config) (*Model, error) {
	if c.Dim == 0 {
		c.Dim = DefaultDim
	}
	if c.Dim < 1 || c.Dim > 32768 {
		return nil, state.Errorf(state.Invalid, "hashed embedder", "has %d dimensions; 1 to 32768 are possible", c.Dim)
	}
	return &Model{dim: c.Dim}, nil
}

// Dim returns how many numbers its vectors have.
func (m *Model) Dim() int { return m.dim }

// Name is what its space is called: "hashed-384".
func (m *Model) Name() string { return fmt.Sprintf("hashed-%d", m.dim) }

// EmbedStrings returns a vector of unit length a text, in their order; that of an empty text, or one of white space
// alone, is zero. Options are not looked at. The error is that of ctx.
func (m *Model) EmbedStrings(ctx context.Context, texts []string, _ ...embedding.Option) ([][]float64, error) {
	out := make([][]float64, len(texts))
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, state.Errorf(state.Unavailable, "hashed embedder", "given up by the caller: %w", err)
		}
		out[i] = m.vector(s)
	}
	return out, nil
}

// vector returns that of one text.
func (m *Model) vector(s string) []float64 {
	v := make([]float64, m.dim)
	if strings.TrimSpace(s) == "" {
		return v
	}
	words := map[string]wordCount{}
	for _, t := range text.Tokens(s) {
		w := words[t.Folded]
		w.stem, w.stop = t.Stem, t.Stop
		w.n++
		words[t.Folded] = w
	}
	// In a fixed order: sums of floats depend on it.
	folded := make([]string, 0, len(words))
	for f := range words {
		folded = append(folded, f)
	}
	slices.Sort(folded)
	stems := map[string]float64{}
	var order []string
	for _, f := range folded {
		w := words[f]
		if w.stop {
			continue
		}
		if stems[w.stem] == 0 {
			order = append(order, w.stem)
		}
		stems[w.stem] += w.n
		m.addGrams(v, f, gramShare*dampened(w.n))
	}
	for _, stem := range order {
		m.add(v, "="+stem, stemShare*dampened(stems[stem]))
	}
	if len(order) == 0 {
		m.addCharacters(v, s, folded)
	}
	if zero(v) { // all cancelled out
		v[0] = 1
	}
	normalise(v)
	return v
}

// wordCount is how often a spelling occurs.
type wordCount struct {
	stem string
	stop bool
	n    float64
}

// dampened returns the weight of what occurs n times.
func dampened(n float64) float64 { return 1 + math.Log(n) }

// addGrams adds the 3- to 5-grams of a word with its borders; together they weigh weight.
func (m *Model) addGrams(v []float64, word string, weight float64) {
	runes := []rune("^" + word + "$")
	var grams []string
	for n := 3; n <= 5; n++ {
		for i := 0; i+n <= len(runes); i++ {
			grams = append(grams, string(runes[i:i+n]))
		}
	}
	if len(grams) == 0 {
		return
	}
	each := weight / math.Sqrt(float64(len(grams))) // lengths of what is orthogonal add up as squares
	for _, g := range grams {
		m.add(v, g, each)
	}
}

// addCharacters stands in for a text without a content word: its function words, else its characters.
func (m *Model) addCharacters(v []float64, s string, functionWords []string) {
	for _, w := range functionWords {
		m.add(v, "="+w, 1)
	}
	if len(functionWords) > 0 {
		return
	}
	m.add(v, "~"+strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " "), 1)
	for _, r := range s {
		if !unicode.IsSpace(r) {
			m.add(v, string(r), 1)
		}
	}
}

// add adds a feature to its bucket.
func (m *Model) add(v []float64, feature string, weight float64) {
	h := hash(feature)
	if h>>63 == 1 {
		weight = -weight
	}
	v[h%uint64(m.dim)] += weight
}

// hash returns 64-bit FNV-1a with the finisher of MurmurHash3, which spreads the low bits.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func zero(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x != 0 })
}

// normalise brings v, which is not zero, to unit length.
func normalise(v []float64) {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(sum)
	}
}
