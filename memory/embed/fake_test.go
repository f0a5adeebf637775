package embed_test

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cloudwego/eino/components/embedding"

	"github.com/mneme-graph/mneme/memory/embed"
)

// fake is a model that notes what it is asked. Its vector of a text is {length in bytes, first byte, 1}.
type fake struct {
	answer func(ctx context.Context, texts []string) ([][]float64, error) // nil = the vectors above

	mu      sync.Mutex
	batches [][]string
	inside  atomic.Int32
	most    atomic.Int32
}

var _ embedding.Embedder = (*fake)(nil)

func (f *fake) EmbedStrings(ctx context.Context, texts []string, _ ...embedding.Option) ([][]float64, error) {
	now := f.inside.Add(1)
	defer f.inside.Add(-1)
	for {
		most := f.most.Load()
		if now <= most || f.most.CompareAndSwap(most, now) {
			break
		}
	}
	f.mu.Lock()
	f.batches = append(f.batches, texts)
	f.mu.Unlock()
	if f.answer != nil {
		return f.answer(ctx, texts)
	}
	return lengths(texts), nil
}

// asked returns all texts so far, in order.
func (f *fake) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, b := range f.batches {
		all = append(all, b...)
	}
	return all
}

func lengths(texts []string) [][]float64 {
	out := make([][]float64, len(texts))
	for i, s := range texts {
		out[i] = []float64{float64(len(s)), float64(s[0]), 1}
	}
	return out
}

// constant answers every text with v.
func constant(v ...float64) func(context.Context, []string) ([][]float64, error) {
	return func(_ context.Context, texts []string) ([][]float64, error) {
		out := make([][]float64, len(texts))
		for i := range out {
			out[i] = v
		}
		return out, nil
	}
}

func setup(t testing.TB, f *fake, change func(*embed.Config)) *embed.Embedder {
	t.Helper()
	c := embed.Config{Model: f, Name: "test:fake"}
	if change != nil {
		change(&c)
	}
	e, err := embed.New(c)
	must(t, err)
	return e
}

// unit is v at unit length.
func unit(v ...float64) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x / math.Sqrt(sum))
	}
	return out
}

// near reports whether two vectors are equal up to rounding.
func near(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > 1e-5 {
			return false
		}
	}
	return true
}
