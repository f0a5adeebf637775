package embed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cloudwego/eino/components/embedding"
	"github.com/maypok86/otter/v2"

	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// Version is that of the way from a text to its vector: windows and pooling. Vectors of two versions do not compare.
const Version = 1

// ErrTooLong is wrapped by the error of a Model that refuses a text for its length alone. The Embedder then asks again, in
// halves, and pools them: tokens of models differ, and nobody's window need be known exactly.
var ErrTooLong = errors.New("text is too long for the model")

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
	Call       time.Duration      // the longest that one call may take; a batch that takes longer is halved, down to one text. 0 = 30 s
	Now        func() time.Time   // the clock that Pace is measured with; default time.Now
}

// Embedder makes vectors of texts. It is safe for concurrent use.
type Embedder struct {
	c     Config
	seats chan struct{}
	cache *otter.Cache[[32]byte, []float32] // nil = none

	mu   sync.Mutex
	dim  int // 0 until the first answer
	pace Pace
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
	if c.Call <= 0 {
		c.Call = 30 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	e := &Embedder{c: c, seats: make(chan struct{}, c.Parallel), dim: c.Dim, pace: Pace{Batch: c.Batch}}
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

// Space returns what its vectors can be compared in. When the dimension is not known yet the model is asked for a word.
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
// state.ErrInvalid, and so is what the model refuses; an answer of another dimension is state.ErrConflict; a model that does not answer, or
// not with a vector for each text, is state.ErrUnavailable. Many texts may take long: each call of the model has its own deadline.
func (e *Embedder) Embed(ctx context.Context, texts ...string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	keys := make([][32]byte, len(texts))
	asked := map[[32]byte]int{} // which of missing a text is
	var windows []string
	var missing []pooled
	for i, s := range texts {
		if strings.TrimSpace(s) == "" {
			return nil, state.Errorf(state.Invalid, "embedder "+e.c.Name, "was given an empty text")
		}
		keys[i] = sha256.Sum256([]byte(s))
		if _, twice := asked[keys[i]]; twice {
			continue
		}
		if v, ok := e.known(keys[i]); ok {
			out[i] = v
			continue
		}
		asked[keys[i]] = len(missing)
		parts := e.windows(s)
		missing = append(missing, pooled{from: len(windows), to: len(windows) + len(parts)})
		windows = append(windows, parts...)
	}
	if len(missing) == 0 {
		return out, nil
	}
	vectors, err := e.ask(ctx, windows)
	if err != nil {
		return nil, err
	}
	for i := range missing {
		if missing[i].vector, err = e.pool(vectors[missing[i].from:missing[i].to], windows[missing[i].from:missing[i].to]); err != nil {
			return nil, err
		}
	}
	for i, key := range keys {
		if out[i] == nil {
			out[i] = missing[asked[key]].vector
			e.keep(key, out[i])
		}
	}
	return out, nil
}

// pooled is a text that was not known: which of the windows asked for are its own, and what came of them.
type pooled struct {
	from, to int
	vector   []float32
}

func (e *Embedder) known(key [32]byte) ([]float32, bool) {
	if e.cache == nil {
		return nil, false
	}
	return e.cache.GetIfPresent(key)
}

func (e *Embedder) keep(key [32]byte, v []float32) {
	if e.cache != nil {
		e.cache.Set(key, v)
	}
}

// String returns the embedder in a line.
func (e *Embedder) String() string {
	return fmt.Sprintf("%s, windows of %d tokens", e.c.Name, e.c.Window)
}
