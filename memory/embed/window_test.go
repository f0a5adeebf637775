package embed

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cloudwego/eino/components/embedding"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

// mute is a model that is not asked.
type mute struct{}

func (mute) EmbedStrings(context.Context, []string, ...embedding.Option) ([][]float64, error) {
	return nil, nil
}

func cutter(t interface{ Fatal(...any) }, window int, tokens *token.Counter) *Embedder {
	e, err := New(Config{Model: mute{}, Name: "x", Window: window, CacheBytes: -1, Tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestWindows(t *testing.T) {
	t.Parallel()
	numbers := strings.TrimSpace(strings.Repeat("one two three four five six seven eight nine ten ", 20))
	tests := []struct {
		name   string
		window int
		give   string
		least  int // windows
		most   int
	}{
		{"short", 512, "Hello there.", 1, 1},
		{"short, as it is", 512, "  Hello  ", 1, 1},
		{"200 words", 64, numbers, 4, 12},
		{"one very long word", 64, strings.Repeat("x1Zq", 500), 10, 80},
		{"Czech", 64, strings.Repeat("Příliš žluťoučký kůň úpěl ďábelské ódy. ", 30), 4, 30},
		{"no spaces", 64, strings.Repeat("東京都は日本の首都です。", 40), 4, 40},
		{"flags and families", 64, strings.Repeat("👩‍👩‍👧🇨🇿", 60), 4, 80},
		{"white space for pages", 64, "begin" + strings.Repeat(" \n", 5000) + "end", 1, 3},
		{"white space before", 64, strings.Repeat("\n", 5000) + "end", 1, 1},
		{"a window of one", 1, "ab cd", 2, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := cutter(t, tt.window, token.New())
			got := e.windows(tt.give)
			if len(got) < tt.least || len(got) > tt.most {
				t.Errorf("%d windows, want %d to %d: %.200q", len(got), tt.least, tt.most, got)
			}
			checkWindows(t, e, tt.give)
		})
	}
	if got := cutter(t, 512, token.New()).windows("  Hello  "); got[0] != "  Hello  " {
		t.Errorf("a short text was changed: %q", got)
	}
}

// Neighbours have words in common, at most an eighth.
func TestWindowsOverlap(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 300 {
		words = append(words, strings.Repeat(string(rune('a'+i%26)), 1+i%3)+"1")
	}
	e := cutter(t, 120, token.New())
	got := e.windows(strings.Join(words, " "))
	for i := 1; i < len(got); i++ {
		before, now := strings.Fields(got[i-1]), strings.Fields(got[i])
		shared := 0
		for n := 1; n < len(before) && n < len(now); n++ {
			if strings.Join(before[len(before)-n:], " ") == strings.Join(now[:n], " ") {
				shared = n
			}
		}
		if shared == 0 || shared > len(before)/4 {
			t.Errorf("windows %d and %d share %d of %d words", i-1, i, shared, len(before))
		}
	}
}

// Whatever the text: no window is empty or larger than the model's, each is a part of the text, all are in
// order, and nothing but white space lies between two of them.
func TestWindowsProperty(t *testing.T) {
	t.Parallel()
	tokens := token.New()
	word := rapid.OneOf(rapid.StringMatching(`[a-z]{1,12}`), rapid.StringMatching(`[а-яěščřž]{1,20}`), rapid.String(),
		rapid.StringMatching(`[A-Za-z0-9+/]{100,400}`), rapid.SampledFrom([]string{"  \n", "\t\t\t\t\t\t", "東京都", "👩‍👧", "07-14244-53150"}))
	rapid.Check(t, func(t *rapid.T) {
		e := cutter(t, rapid.SampledFrom([]int{16, 33, 64, 256}).Draw(t, "window"), tokens)
		s := strings.Join(rapid.SliceOfN(word, 1, 60).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "between"))
		if strings.TrimSpace(s) == "" {
			return
		}
		checkWindows(t, e, s)
	})
}

// checkWindows fails unless the windows of s are as promised.
func checkWindows(t interface{ Fatalf(string, ...any) }, e *Embedder, s string) {
	windows := e.windows(s)
	if len(windows) == 1 && windows[0] == s {
		return
	}
	limit := max(e.c.Window*3/4, 1)
	all := e.pieces(strings.TrimSpace(s), limit)
	if strings.Join(all, "") != strings.TrimSpace(s) {
		t.Fatalf("pieces of %q are %q", s, all)
	}
	for i, w := range windows {
		if w == "" || w != strings.TrimSpace(w) || utf8.ValidString(s) && !utf8.ValidString(w) || !strings.Contains(s, w) {
			t.Fatalf("window %d is %q", i, w)
		}
		if n := e.c.Tokens.Count(w); e.c.Window > 8 && n > e.c.Window {
			t.Fatalf("window %d has %d tokens, want at most %d", i, n, e.c.Window)
		}
	}
}

// Every word is in a range; ranges overlap by an eighth at most, all bring something new, and none is too large.
func TestRangesProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 40), 1, 80).Draw(t, "sizes")
		limit := rapid.IntRange(1, 120).Draw(t, "limit")
		before := words{}
		for _, r := range ranges(sizes, limit) {
			size, shared := 0, 0
			for i := r.from; i < r.to; i++ {
				size += sizes[i]
				if i < before.to {
					shared += sizes[i]
				}
			}
			if r.from > before.to || r.to <= before.to || before.to > 0 && r.from <= before.from ||
				size > limit && r.to-r.from > 1 || shared > limit/overlap {
				t.Fatalf("range %v of size %d behind %v", r, size, before)
			}
			before = r
		}
		if before.to != len(sizes) {
			t.Fatalf("the last range is %v of %d words", before, len(sizes))
		}
	})
}

func TestHalves(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "short", strings.Repeat(" ", 100), strings.Repeat("x", 100), strings.Repeat("ž", 100), strings.Repeat("a b ", 30)} {
		a, b, ok := halves(s)
		if ok && (a == "" || b == "" || !utf8.ValidString(a) || len(a) > len(s)*2/3 || strings.ReplaceAll(a+b, " ", "") != strings.ReplaceAll(s, " ", "")) {
			t.Errorf("%q: halves are %q and %q", s, a, b)
		}
		if want := len(strings.TrimSpace(s)) >= 64; ok != want {
			t.Errorf("%q: ok is %v, want %v", s, ok, want)
		}
	}
}

func TestPool(t *testing.T) {
	t.Parallel()
	e := cutter(t, 512, nil)
	got, err := e.pool([][]float32{{1, 0}, {0, 1}}, []string{"xxx", "x"})
	if want := float32(3 / math.Sqrt(10)); err != nil || math.Abs(float64(got[0]-want)) > 1e-6 || math.Abs(float64(got[1]-want/3)) > 1e-6 {
		t.Errorf("got %v, %v; want three parts of the first and one of the second", got, err)
	}
	if _, err := e.pool([][]float32{{1, 0}, {-1, 0}}, []string{"x", "y"}); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("vectors that cancel out: %v", err)
	}
}
