package tree

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// What a parser would choke on is refused at once, with file and line, and costs next to nothing.
func TestTooMuch(t *testing.T) {
	indented := func(depth int) string {
		var b strings.Builder
		for i := range depth {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "key%d: 1\n", i)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, text, says string }{
		{"brackets", "a: " + strings.Repeat("[", 80_000) + strings.Repeat("]", 80_000), "f.yaml:1: is nested more than 64 deep"},
		{"brackets over lines", "a:\n b: " + strings.Repeat("[\n", 80_000), "f.yaml:64: is nested"},
		{"brackets never closed", strings.Repeat("[", 1_000_000), "f.yaml:1: is nested"},
		{"braces", strings.Repeat("{a: ", 40_000), "f.yaml:1: is nested"},
		{"dashes", strings.Repeat("- ", 80_000), "f.yaml:1: is nested"},
		{"dashes and brackets", "- - - " + strings.Repeat("[", 62), "f.yaml:1: is nested"},
		{"indentation", indented(1000), "f.yaml:65: is nested"},
		{"keys", keys(100_000), "f.yaml:1001: an object has more than 1000 keys"},
		{"keys in braces", "{" + strings.ReplaceAll(keys(2000), "\n", ",") + "}", "f.yaml:1: an object has more than 1000 keys"},
		{"aliases", "a: &a x\nb: [" + strings.Repeat("*a,", 100_000) + "]", "f.yaml:2: has more than 1000 aliases"},
		{"size", strings.Repeat("# a comment\n", 1_000_000), "f.yaml: has 12000000 bytes, at most 4194304 are read"},
		{"no YAML", "a: [1", "f.yaml: is not YAML"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			_, err := Parse("f.yaml", []byte(tt.text))
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, state.ErrInvalid) || !strings.HasPrefix(err.Error(), tt.says) {
				t.Errorf("error %.200v, want invalid: %s", err, tt.says)
			}
			if took > 2*time.Second { // a few milliseconds; minutes when it is not stopped
				t.Errorf("took %v", took)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 32 {
				t.Errorf("took %d MB of memory, want at most 32", used)
			}
		})
	}
}

func TestEnough(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"deep":             "a: " + strings.Repeat("[", 60) + strings.Repeat("]", 60),
		"a long list":      strings.Repeat("- {a: 1, b: [x, y]}\n", 20_000),
		"lists of lists":   strings.Repeat("-\n  - a: 1\n    b:\n      - c\n", 5_000),
		"list under a key": strings.Repeat("---\na:\n- b: 1\n  c: 2\n- b: 1\nd: 3\n", 5_000),
		"brackets in text": strings.Repeat("- \"[[[[\"\n- 'a {{{'\n- smile :[ and :{\n- |\n  [[[[\n# [[[[\n", 1_000),
		"documents":        strings.Repeat("a: {b: c}\n---\n", 5_000) + "a: 1",
	} {
		if _, err := Parse("f.yaml", []byte(text)); err != nil {
			t.Errorf("%s: %.300v, want no error", name, err)
		}
	}
}
