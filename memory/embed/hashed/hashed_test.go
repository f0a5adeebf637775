package hashed_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

func setup(t testing.TB, dim int) *hashed.Model {
	t.Helper()
	m, err := hashed.New(hashed.Config{Dim: dim})
	must(t, err)
	return m
}

func vectors(t testing.TB, m *hashed.Model, texts ...string) [][]float64 {
	t.Helper()
	v, err := m.EmbedStrings(t.Context(), texts)
	must(t, err)
	return v
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{-1, 32769} {
		if _, err := hashed.New(hashed.Config{Dim: dim}); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%d dimensions: got %v, want Invalid", dim, err)
		}
	}
	m := setup(t, 0)
	if m.Dim() != 384 || m.Name() != "hashed-384" || len(vectors(t, m, "a")[0]) != 384 {
		t.Errorf("default is %s", m.Name())
	}
}

// What is spelled alike is nearer than what is not, in four languages; meaning is not seen.
func TestNearer(t *testing.T) {
	t.Parallel()
	m := setup(t, 0)
	tests := []struct{ name, query, near, far string }{
		{"inflection en", "the invoice is late", "late invoices", "a horse in the garden"},
		{"typo", "delivery tomorrow", "delviery tomorrow", "payment yesterday"},
		{"inflection cs", "objednávka knihy", "objednávky knih", "počasí v horách"},
		{"no accents", "příští schůzka", "pristi schuzka", "modré auto"},
		{"inflection pl", "zamówienie książki", "zamówienia książek", "pogoda w górach"},
		{"inflection ru", "заказ книги", "заказы книг", "погода в горах"},
		{"number", "invoice 4471", "4471", "4472"},
		{"emoji", "👍", "👍👍", "🐎"},
		{"function words", "to be", "be", "with"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := vectors(t, m, tt.query, tt.near, tt.far)
			if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near < far+0.15 {
				t.Errorf("%q: %.2f to %q, %.2f to %q", tt.query, near, tt.near, far, tt.far)
			}
		})
	}
	v := vectors(t, m, "bill", "invoice")
	if c := dot(v[0], v[1]); math.Abs(c) > 0.3 {
		t.Errorf("bill and invoice: %.2f; the doc says it sees no meaning", c)
	}
}

// A word said often does not drown another.
func TestDampened(t *testing.T) {
	t.Parallel()
	v := vectors(t, setup(t, 4096), strings.Repeat("invoice ", 50)+"dentist", "dentist")
	if c := dot(v[0], v[1]); c < 0.15 {
		t.Errorf("cosine is %.2f", c)
	}
}

// Any text that is not white space has a vector of unit length, the same each time; order of words does not matter.
func TestVectorProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, err := hashed.New(hashed.Config{Dim: rapid.IntRange(1, 500).Draw(t, "dim")})
		must(t, err)
		s := rapid.String().Draw(t, "text")
		v, err := m.EmbedStrings(t.Context(), []string{s, s})
		must(t, err)
		length := dot(v[0], v[0])
		if strings.TrimSpace(s) == "" && length != 0 {
			t.Fatalf("white space has length %g", length)
		}
		if strings.TrimSpace(s) != "" && math.Abs(length-1) > 1e-9 {
			t.Fatalf("%q has length %g", s, length)
		}
		if diff := cmp.Diff(v[0], v[1]); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	m := setup(t, 64)
	want := vectors(t, m, "kůň pije", "the horse drinks")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if diff := cmp.Diff(want, vectors(t, m, "kůň pije", "the horse drinks")); diff != "" {
				t.Error(diff)
			}
		})
	}
	wg.Wait()
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := setup(t, 8).EmbedStrings(ctx, []string{"a"}); !errors.Is(err, context.Canceled) || !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

func ExampleModel_EmbedStrings() {
	m, err := hashed.New(hashed.Config{Dim: 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := m.EmbedStrings(context.Background(), []string{"two invoices", "an invoice", "a bill"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(v), len(v[0]), dot(v[0], v[1]) > 2*dot(v[1], v[2]))
	// Output: 3 64 true
}

func BenchmarkEmbed(b *testing.B) {
	m := setup(b, 0)
	texts := []string{"When does the order of the car part arrive, and who paid the invoice?"}
	for b.Loop() {
		vectors(b, m, texts...)
	}
}

var must = statetest.Must
