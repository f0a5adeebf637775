package limits_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

// open opens a graph whose model takes the longest message there is.
func open(t *testing.T) *embedded.Graph {
	t.Helper()
	settings := state.DefaultSettings()
	settings.MaxTokens, settings.ContextWindow = 900_000, 1_000_000
	return openWith(t, settings)
}

func openWith(t *testing.T, settings state.Settings) *embedded.Graph {
	t.Helper()
	g, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{Settings: settings})
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	return g
}

// of repeats a text up to so many bytes.
func of(part string) func(int) string {
	return func(n int) string { return strings.Repeat(part, n/len(part)) }
}

// each repeats a text with a number in it.
func each(form string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n-64; i++ {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
}

// random makes a text of the letters.
func random(letters string) func(int) string {
	return func(n int) string {
		r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same text every time
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
}

const latin = "abcdefghijklmnopqrstuvwxyz"

// hostile are texts that were slow, or are made to be.
func hostile() map[string]func(n int) string {
	return map[string]func(n int) string{
		"one letter":                    of("a"),
		"ligatures of eighteen letters": func(n int) string { return of("\ufdfa")(n / 8) },
		"letters without spaces":        random(latin),
		"words":                         random(latin + "     "),
		"a a a":                         of("a "),
		"digits":                        of("7"),
		"commas":                        of(","),
		"marks on one letter":           func(n int) string { return "a" + of("\u0301")(n-1) },
		"emoji":                         of("😀"),
		"quotation marks":               of(`"`),
		"initials":                      of("a."),
		"identifiers that join":         func(n int) string { return of("a")(n/2) + of("-1-A")(n/2) },
		"at signs":                      of("a@"),
		"underscores":                   of("a_"),
		"numbers in groups":             of("1 000 "),
		"questions":                     of("what? "),
		"line breaks":                   of("a\n"),
		"fences":                        of("```"),
		"names":                         of("Ab "),
		"ideographs":                    of("漢"),
		"addresses":                     of("http://a "),
		"fields":                        of("key: value\n"),
		"beginnings of keys":            of("-----BEGIN "),
		"things to do":                  each("I need to call Bob%d. "),
		"orders":                        each("order 12-%06d. "),
		"prices":                        each("The price of the door is $%d. "),
	}
}

// TestTimeOfATurnIsLinearInItsText sends a text as message, and a plain message behind it.
func TestTimeOfATurnIsLinearInItsText(t *testing.T) {
	const (
		size    = 256 << 10
		ceiling = 20 * time.Second // of a machine with much else to do
		ratio   = 8                // for four times the text
		least   = 20 * time.Millisecond
		tries   = 5
	)
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			small, large := time.Hour, time.Hour
			for range tries { // the shortest of some: the machine may be busy
				small, large = max(min(small, took(t, text(size/4))), least), min(large, took(t, text(size)))
				t.Logf("two turns took %v, with a quarter of the text %v", large, small)
				if large <= ceiling && large <= ratio*small {
					return
				}
			}
			t.Errorf("two turns took %v, with a quarter of the text %v", large, small)
		})
	}
}

// took is the time of a turn with the text and of the next one.
func took(t *testing.T, text string) time.Duration {
	t.Helper()
	g := open(t)
	say := func(text string) error {
		_, err := g.Invoke(t.Context(), graph.Request{Scope: state.Scope{Session: "s"}, Text: text})
		return err
	}
	must(t, say("I ordered brake pads."))
	start := time.Now()
	must(t, say(text))
	must(t, say("When do the brake pads arrive?"))
	return time.Since(start)
}

// TestTimeOfARecallHasABound asks for a megabyte.
func TestTimeOfARecallHasABound(t *testing.T) {
	const size, ceiling, tries = 1 << 20, 10 * time.Second, 3
	g := open(t)
	if _, err := g.Invoke(t.Context(), graph.Request{Text: "I ordered brake pads."}); err != nil {
		t.Fatal(err)
	}
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			q := memory.Query{Scope: state.Scope{}.Default(), Text: text(size)}
			var took time.Duration
			for range tries {
				start := time.Now()
				if _, err := g.Memory().Recall(t.Context(), q); err != nil {
					t.Fatal(err)
				}
				if took = time.Since(start); took <= ceiling {
					return
				}
			}
			t.Errorf("a recall took %v", took)
		})
	}
}

var must = statetest.Must
