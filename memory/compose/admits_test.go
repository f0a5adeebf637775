package compose

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

// What Admits lets in Compose composes, and what it refuses Compose refuses with the same words.
func TestAdmitsIsTheRuleOfCompose(t *testing.T) {
	t.Parallel()
	counter := token.New()
	rapid.Check(t, func(t *rapid.T) {
		s := tight(rapid.SampledFrom([]int{20, 60, 200, 1500}).Draw(t, "window"))
		s.MaxContextChars = rapid.SampledFrom([]int{0, 0, 100, 2000}).Draw(t, "max_context_chars")
		c := New(Config{Tokens: counter, Settings: s})
		in := inputs().Draw(t, "input")
		in.ToolTokens = 0 // they are not known yet when a message is admitted
		if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
			in.Question.Text = rapid.SampledFrom([]string{"", " \n", "\xff"}).Draw(t, "odd")
		}
		if rapid.IntRange(0, 5).Draw(t, "picture") == 0 {
			in.Question.Parts = []state.Part{{Type: "image_url", URL: "https://example.com/a.png"}}
		}
		_, want := c.Compose(in)
		got := c.Admits(in.Question, in.System)
		if (got == nil) != (want == nil) || got != nil && (got.Error() != want.Error() || !errors.Is(got, state.ErrInvalid)) {
			t.Fatalf("Admits = %v, Compose = %v", got, want)
		}
	})
}

func TestAdmits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, system, want string }{
		{"a short message", "Hello.", "", ""},
		{"blank", " \n\t", "", "the question is empty; give it a text"},
		{"the most bytes that are taken, in long words", strings.Repeat("a", state.DefaultSettings().MaxMessageBytes), "", ""},
		{"more bytes than tokens", strings.Repeat("slovo ", 2000), "", ""},
		{"no room beside the host's rules", strings.Repeat("slovo ", 2000), strings.Repeat("Rule. ", 25000), "shorten it or the system prompt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := New(Config{}).Admits(state.Message{Role: state.RoleUser, Text: tt.text}, tt.system)
			if (err == nil) != (tt.want == "") || err != nil && (!errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Admits = %v, want %q", err, tt.want)
			}
		})
	}
}

// A message that fits by its bytes is let in without a look at its tokens: this Composer has nothing to count with.
func TestAdmitsCountsNoTokensOfAShortMessage(t *testing.T) {
	t.Parallel()
	c := &Composer{settings: state.DefaultSettings()}
	if err := c.Admits(state.Message{Role: state.RoleUser, Text: "When does it arrive?"}, "You help."); err != nil {
		t.Errorf("Admits = %v", err)
	}
}
