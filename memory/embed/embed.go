package embed

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/cloudwego/eino/components/embedding"
	"github.com/maypok86/otter/v2"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/token"
	"github.com/mneme-graph/mneme/state"
)

// Version is that of the way from a text to its vector: windows and pooling. Vectors of two versions do not compare.
const Version = 1

// Config says what an Embedder works with.
type Config struct {
	Model      embedding.Embedder // required; it must be safe for concurrent use, as those of eino-ext are
	Name       string             // required: names the space, "openai:text-embedding-3-small"
	Dim        int                // what the model must answer with; 0 = what its first answer has
	Tokens     *token.Counter     // default: a counter of its own
	Window     int                // tokens of a text that the model sees at once; 0 = 512
	Batch      int                // texts per call of the model; 0 = 64
	Parallel   int                // calls of the model at a time; 0 = 2
	CacheBytes int64              // of vectors kept for texts seen again; 0 = 32 MiB, negative = none
}

// Embedder makes vectors of texts. It is safe for concurrent use.
type Embedder struct {
	c     Config
	seats chan struct{}
	cache *otter.Cache[[32]byte, []float32] // nil = none

	mu  sync.Mutex
	dim int // 0 until the first answer
}

// New makes an Embedder; it asks the model nothing yet.
func New(c Config) (*Embedder, error) {
	if c.Model == nil || c.Name == "" {
		return nil, state.Errorf(state.Invalid, "embedder", "Config needs Model and Name")
	}
	if c.Tokens == nil {
		c.Tokens = token.New()
	}
	for _, n := range []struct {
		value    *int
		fallback int
	}{{&c.Window, 512}, {&c.Batch, 64}, {&c.Parallel, 2}} {
		if *n.value <= 0 {
			*n.value = n.fallback
		}
	}
	if c.CacheBytes == 0 {
		c.CacheBytes = 32 << 20
	}
	e := &Embedder{c: c, seats: make(chan struct{}, c.Parallel), dim: c.Dim}
	if c.CacheBytes < 0 {
		return e, nil
	}
	var err error
	e.cache, err = otter.New(&otter.Options[[32]byte, []float32]{
		MaximumWeight: uint64(c.CacheBytes),
		Weigher:       func(_ [32]byte, v []float32) uint32 { return uint32(4*len(v) + 128) },
		Executor:      func(do func()) { do() }, // no goroutine of its own
	})
	if err != nil {
		return nil, state.Errorf(state.Internal, "embedder cache", "%w", err)
	}
	return e, nil
}

// Name is the model's name.
func (e *Embedder) Name() string { return e.c.Name }

// Space is what its vectors can be compared in. When the dimension is not known yet the model is asked for a word.
func (e *Embedder) Space(ctx context.Context) (index.Space, error) {
	e.mu.Lock()
	dim := e.dim
	e.mu.Unlock()
	if dim == 0 {
		v, err := e.Embed(ctx, "dimension")
		if err != nil {
			return index.Space{}, err
		}
		dim = len(v[0])
	}
	return index.Space{Model: e.c.Name, Dim: dim, Version: Version}, nil
}

// Embed returns one vector a text, in their order, each of unit length and not to be changed. An empty text is
// state.ErrInvalid; a model that does not answer, or not what was asked for, is state.ErrUnavailable.
func (e *Embedder) Embed(ctx context.Context, texts ...string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var windows []string
	var missing []pooled
	for i, s := range texts {
		if strings.TrimSpace(s) == "" {
			return nil, state.Errorf(state.Invalid, "embedder "+e.c.Name, "was given an empty text")
		}
		key := sha256.Sum256([]byte(s))
		if v, ok := e.known(key); ok {
			out[i] = v
			continue
		}
		parts := e.windows(s)
		missing = append(missing, pooled{i, key, len(windows), len(windows) + len(parts)})
		windows = append(windows, parts...)
	}
	if len(missing) == 0 {
		return out, nil
	}
	vectors, err := e.ask(ctx, windows)
	if err != nil {
		return nil, err
	}
	for _, p := range missing {
		v, ok := pool(vectors[p.from:p.to], windows[p.from:p.to])
		if !ok {
			return nil, state.Errorf(state.Unavailable, "embedder "+e.c.Name, "answered with vectors that cancel out")
		}
		out[p.text] = v
		if e.cache != nil {
			e.cache.Set(p.key, v)
		}
	}
	return out, nil
}

// pooled is a text and which of the windows asked for are its own.
type pooled struct {
	text     int
	key      [32]byte
	from, to int
}

func (e *Embedder) known(key [32]byte) ([]float32, bool) {
	if e.cache == nil {
		return nil, false
	}
	return e.cache.GetIfPresent(key)
}

// ask has the model embed windows, batch by batch.
func (e *Embedder) ask(ctx context.Context, windows []string) ([][]float32, error) {
	out := make([][]float32, 0, len(windows))
	for from := 0; from < len(windows); from += e.c.Batch {
		part := windows[from:min(from+e.c.Batch, len(windows))]
		answer, err := e.call(ctx, part)
		if err != nil {
			return nil, err
		}
		vectors, err := e.checked(answer, len(part))
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	return out, nil
}

// call asks the model once a seat is free.
func (e *Embedder) call(ctx context.Context, texts []string) ([][]float64, error) {
	select {
	case e.seats <- struct{}{}:
		defer func() { <-e.seats }()
	case <-ctx.Done():
		return nil, state.Errorf(state.Unavailable, "embedder "+e.c.Name, "did not get to it in time: %w", ctx.Err())
	}
	answer, err := e.c.Model.EmbedStrings(ctx, texts)
	if err != nil {
		code := state.CodeOf(err)
		if code == "" || code == state.Internal {
			code = state.Unavailable
		}
		return nil, state.Errorf(code, "embedder "+e.c.Name, "did not answer: %w", err)
	}
	return answer, nil
}

// checked turns an answer into unit vectors, or says what is wrong with it.
func (e *Embedder) checked(answer [][]float64, texts int) ([][]float32, error) {
	op := "embedder " + e.c.Name
	if len(answer) != texts {
		return nil, state.Errorf(state.Unavailable, op, "answered with %d vectors for %d texts", len(answer), texts)
	}
	out := make([][]float32, len(answer))
	for i, v := range answer {
		if err := e.settle(len(v)); err != nil {
			return nil, err
		}
		unit, ok := normalised(v)
		if !ok {
			return nil, state.Errorf(state.Unavailable, op, "answered with a vector that is zero, or holds NaN or infinity")
		}
		out[i] = unit
	}
	return out, nil
}

// settle takes the dimension of the first vector, and refuses any other.
func (e *Embedder) settle(dim int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dim == 0 {
		e.dim = dim
	}
	if dim == 0 || dim != e.dim {
		return state.Errorf(state.Invalid, "embedder "+e.c.Name, "answered with %d dimensions instead of %d; if the model was changed, "+
			"give it another name and run `mneme reindex`", dim, e.dim)
	}
	return nil
}

// pool is the mean of the windows' vectors, weighted by their length and brought to unit length.
func pool(vectors [][]float32, windows []string) ([]float32, bool) {
	if len(vectors) == 1 {
		return vectors[0], true
	}
	sum := make([]float64, len(vectors[0]))
	for i, v := range vectors {
		weight := float64(len(windows[i]))
		for j, x := range v {
			sum[j] += weight * float64(x)
		}
	}
	return normalised(sum)
}

// normalised is v at unit length; ok is false if it has no direction.
func normalised(v []float64) (unit []float32, ok bool) {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, false
	}
	unit = make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(x / math.Sqrt(sum))
	}
	return unit, true
}

// String is the embedder in a line.
func (e *Embedder) String() string {
	return fmt.Sprintf("%s, windows of %d tokens", e.c.Name, e.c.Window)
}
