package compose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// large fills a prompt of 8000 tokens from a window of a session of n messages.
func large(n int) Input {
	in := conversation("cs")
	said := "Objednal jsem díl na auto, číslo objednávky je 07-14244-53150 a dorazí 20. 2. "
	for i := range n {
		in.History = append(in.History, state.Message{ID: fmt.Sprint("h", i), Role: state.RoleUser, Text: strings.Repeat(said, 3) + fmt.Sprint(i)})
	}
	for i := range 120 {
		in.Evidence = append(in.Evidence, Evidence{Text: fmt.Sprint(said, "důkaz ", i), Source: fmt.Sprintf("message %d, user, 2026-02-15", i), Score: 3})
		in.Active.KeyFacts = append(in.Active.KeyFacts, state.Fact{Label: fmt.Sprint("údaj ", i), Value: said})
	}
	return in
}

func BenchmarkCompose(b *testing.B) {
	for _, n := range []int{100, 10000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			c, in := New(Config{Tokens: token.New()}), large(n)
			got, err := c.Compose(in)
			must(b, err)
			for b.Loop() {
				if _, err := c.Compose(in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(got.Tokens), "tokens")
			b.ReportMetric(float64(len(got.Lines)), "lines")
		})
	}
}

func BenchmarkKept(b *testing.B) {
	in := large(100)
	got, err := New(Config{}).Compose(in)
	must(b, err)
	v := state.View{Affairs: []*state.Affair{in.Active}}
	bytes := 0
	for b.Loop() {
		bytes = len(account.Page{Prompts: []account.Prompt{got.Kept(v)}}.String())
	}
	b.ReportMetric(float64(bytes), "bytes")
}

// Not parallel: it counts allocations, which tell on any machine whether the work grows with the session.
func TestComposeDoesNotReadTheWholeSession(t *testing.T) {
	c := New(Config{})
	allocs := func(n int) float64 {
		in := large(n)
		return testing.AllocsPerRun(5, func() {
			if _, err := c.Compose(in); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(100), allocs(10000); many > few*1.1 {
		t.Errorf("composing allocates %.0f times with 100 messages, %.0f with 10000", few, many)
	}
}
