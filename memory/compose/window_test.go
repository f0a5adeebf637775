package compose

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// full is an input whose memory fills its max_tokens.
func full() Input {
	in := large(12)
	in.System = "Help."
	return in
}

// What is long beside memory goes beyond max_tokens, up to the window, and memory keeps its quarter.
func TestWhatIsLongGoesBeyondMaxTokens(t *testing.T) {
	t.Parallel()
	file := func(n int) []state.Attachment {
		return []state.Attachment{{Name: "a.txt", Text: strings.Repeat("slovo ", n)}}
	}
	for _, tt := range []struct {
		name               string
		question           string
		files              []state.Attachment
		turn               []state.Message
		total, memory      int // tokens at least
		whole, withinLimit bool
	}{
		{"all fits", "When?", nil, nil, 7900, 7900, true, true},
		{"a question of three quarters", strings.Repeat("slovo ", 2900), nil, nil, 7900, 2000, true, true},
		{"a question longer than max_tokens", strings.Repeat("slovo ", 10_000), nil, nil, 21_900, 1950, true, false},
		{"a question that fills the window", strings.Repeat("slovo ", 21_500), nil, nil, 43_900, 500, true, false},
		{"a question over the window", strings.Repeat("slovo ", 40_000), nil, nil, 23_000, 1950, false, false},
		{"a long attachment", "When?", file(5000), nil, 12_000, 1950, true, false},
		{"an attachment over the window", "When?", file(50_000), nil, 43_900, 1950, true, false},
		{"a long result", "When?", nil, []state.Message{calling(1, "a"), result("a", strings.Repeat("slovo ", 5000))}, 11_950, 1950, true, false},
		{"a result and an attachment over the window", "When?", file(50_000), []state.Message{calling(1, "a"), result("a", strings.Repeat("slovo ", 50_000))}, 43_000, 1950, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := full()
			in.Question = state.Message{Text: tt.question, Attachments: tt.files}
			in.Turn = tt.turn
			c, err := New(Config{}).Compose(in)
			must(t, err)
			memory := c.Tokens
			for _, s := range c.Sections {
				if s.Name == System || s.Name == Question || s.Name == Attachments || s.Name == Turn {
					memory -= s.Tokens
				}
			}
			if c.Tokens < tt.total || memory < tt.memory || c.Tokens > 44_000 || memory > 8000 || tt.withinLimit != (c.Tokens <= 8000) {
				t.Errorf("%d tokens of %d, %d of memory; want at least %d and %d", c.Tokens, c.Limit, memory, tt.total, tt.memory)
			}
			if whole := strings.Contains(fmt.Sprint(c.Prompt), tt.question); whole != tt.whole {
				t.Errorf("the question is whole: %v, want %v", whole, tt.whole)
			}
		})
	}
}

// The descriptions of the tools and the room for the reply are the window's too.
func TestToolsAndReplyCount(t *testing.T) {
	t.Parallel()
	s := state.DefaultSettings()
	s.ContextWindow, s.ReplyTokens = 10_000, 1000
	in := Input{System: "Help.", Question: state.Message{Text: strings.Repeat("slovo ", 4400)}, ToolTokens: 3000}
	c, err := New(Config{Settings: s}).Compose(in)
	if err != nil || c.Tokens > 6000 || c.Tokens < 2800 || len(c.LeftOut()) != 1 || c.ToolTokens != 3000 {
		t.Errorf("with tools: %d tokens, %q, %v", c.Tokens, c.LeftOut(), err)
	}
	in.ToolTokens = 0
	if c, err = New(Config{Settings: s}).Compose(in); err != nil || len(c.LeftOut()) != 0 {
		t.Errorf("without: %d tokens, %q, %v", c.Tokens, c.LeftOut(), err)
	}
	in.ToolTokens = 9000
	_, err = New(Config{Settings: s}).Compose(in)
	if want := "context_window leaves 0 beside 9000 of tools"; !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), want) {
		t.Errorf("tools that fill the window: %v, want %q", err, want)
	}
}

// What is known of the user, and the brain, stay whatever the affair's tail would take; both kinds share one section's budget.
func TestTheUsersOwnStaysBeforeTheAffairsTail(t *testing.T) {
	t.Parallel()
	in := Input{System: "Help.", Brain: BrainParts{User: []Known{{Text: "brain line"}}}, Active: &state.Affair{ID: "a", Title: "T", Summary: "affair"}}
	for i := range 40 {
		in.Preferences = append(in.Preferences, Known{Label: fmt.Sprint("preference ", i), Text: "likes it"})
		in.User = append(in.User, Known{Text: fmt.Sprint("fact of the user ", i)})
		in.ActiveMessages = append(in.ActiveMessages, said(state.RoleUser, i, fmt.Sprint("tail ", i, strings.Repeat(" word", 60))))
	}
	for limit := 200; limit < 8000; limit += 200 {
		c := composed(t, limit, in)
		own, tail, dropped := 0, false, ""
		for _, l := range c.Lines {
			switch {
			case l.Section == Brain && l.Dropped:
				dropped = l.Text
			case l.Section == Preferences || l.Section == UserContext:
				if !l.Dropped {
					own += l.Tokens
				} else if !strings.HasPrefix(l.Reason, "over the ") { // its share is another matter
					dropped = l.Text
				}
			case l.Section == ActiveAffair && !l.Dropped && strings.HasPrefix(l.Why, "recent"):
				tail = true
			}
		}
		if own > limit*15/100 || tail && dropped != "" {
			t.Errorf("max_tokens %d: %d tokens of the user's, tail %v, dropped %q", limit, own, tail, dropped)
		}
	}
}

// This session's and other evidence are each sure of their budget: neither pushes the other out.
func TestEvidenceIsSureOfItsBudgets(t *testing.T) {
	t.Parallel()
	in := Input{System: "Help."}
	for i := range 20 {
		in.Evidence = append(in.Evidence, Evidence{Text: fmt.Sprint("here ", i, strings.Repeat(" word", 90)), Here: true})
	}
	in.Evidence = append(in.Evidence, Evidence{Text: "from long ago"}, Evidence{Text: "and weaker"})
	got := block(composed(t, 1400, in))
	if !strings.Contains(got, "here 0") || !strings.HasSuffix(got, "- from long ago\n- and weaker") {
		t.Errorf("block:\n%s", got)
	}
}
