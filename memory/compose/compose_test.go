package compose

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

// composed makes a prompt with max_tokens, or ends the test.
// tight are the settings of a model whose window is as small as what it is to be shown.
func tight(tokens int) state.Settings {
	s := state.DefaultSettings()
	s.MaxTokens, s.ContextWindow, s.ReplyTokens = tokens, tokens, 0
	return s
}

// composed is a prompt for a model with a window of so many tokens.
func composed(t *testing.T, window int, in Input) Context {
	t.Helper()
	s := tight(window)
	if in.Question.Text == "" {
		in.Question.Text = "When does it arrive?"
	}
	c, err := New(Config{Settings: s}).Compose(in)
	must(t, err)
	return c
}

// block is the context block of a prompt, "" without one.
func block(c Context) string {
	all := ""
	for _, m := range c.Prompt {
		if strings.HasPrefix(m.Text, contextHeading) && all != "" {
			all += strings.TrimPrefix(m.Text, contextHeading)
		} else if strings.HasPrefix(m.Text, contextHeading) {
			all = m.Text
		}
	}
	if all != "" {
		return all
	}
	return ""
}

// roles lists the messages of a prompt behind the context block.
func roles(c Context) (out []string) {
	for _, m := range c.Prompt {
		if m.Role != RoleSystem && !strings.HasPrefix(m.Text, contextHeading) {
			out = append(out, string(m.Role)+": "+m.Text)
		}
	}
	return out
}

func said(role state.Role, n int, text string) state.Message {
	return state.Message{ID: fmt.Sprintf("%s%d", role, n), Role: role, Text: text}
}

func TestQuestionOnly(t *testing.T) {
	t.Parallel()
	c := composed(t, 8000, Input{})
	want := []Message{{Role: RoleSystem, Text: Identity("", c0)}, {Role: state.RoleUser, Text: "When does it arrive?"}}
	if diff := cmp.Diff(want, c.Prompt); diff != "" {
		t.Errorf("prompt: -want +got\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("slovo ", 500)
	for _, tt := range []struct {
		name string
		in   Input
		want string
	}{
		{"an empty question", Input{Question: state.Message{Text: " \n"}}, "the question is empty"},
		{"a question that would push the host's rules out", Input{System: strings.Repeat("Rule. ", 140), Question: state.Message{Text: long[:600]}}, "context_window leaves 300 beside 0 of tools; shorten it or the system prompt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tight(300)
			_, err := New(Config{Settings: s}).Compose(tt.in)
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want an Invalid with %q", err, tt.want)
			}
		})
	}
	s := state.DefaultSettings()
	s.MaxContextChars = 100
	_, err := New(Config{Settings: s}).Compose(Input{Question: state.Message{Text: strings.Repeat("x", 200)}})
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "max_context_chars is 100") {
		t.Errorf("a question over max_context_chars: %v", err)
	}
}

// A question that does not fit is shown by its head and its tail, the host's rules and its attachments stay, and the
// account says what was left out.
func TestALongQuestionIsShortened(t *testing.T) {
	t.Parallel()
	long := "First words. " + strings.Repeat("slovo číslo ", 20000) + "And the very last words?"
	for _, tt := range []struct {
		name string
		in   Input
	}{
		{"alone", Input{Question: state.Message{Text: long}}},
		{"beside the host's rules", Input{System: strings.Repeat("Rule. ", 100), Question: state.Message{Text: long}}},
		{"with a file", Input{Question: state.Message{Text: long, Attachments: []state.Attachment{{Name: "a.txt", Text: "x"}}}}},
		{"with a picture", Input{Question: state.Message{Text: long, Parts: []state.Part{{Type: "image_url", URL: "https://example.com/a.png"}}}}},
		{"in a part", Input{Question: state.Message{Text: "Look:", Parts: []state.Part{{Type: "text", Text: long}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := composed(t, 1000, tt.in)
			q := c.Prompt[len(c.Prompt)-1]
			for _, part := range []string{"First words. slovo", "[... 2", " bytes of the message left out ...]\n", "slovo číslo And the very last words?"} {
				if !strings.Contains(q.Text, part) {
					t.Errorf("the question lacks %q:\n%s", part, q.Text)
				}
			}
			if len(c.LeftOut()) == 0 || !strings.HasPrefix(q.LeftOut[0], "the message, 280,0") {
				t.Errorf("the account says %q", c.LeftOut())
			}
			if tt.in.System != "" && c.Prompt[0].Text != tt.in.System {
				t.Errorf("the host's rules are %q", c.Prompt[0].Text)
			}
		})
	}
}

func TestIdentityGivesWayToALongQuestion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ words, system int }{{10, 2}, {250, 1}, {294, 0}} {
		in := Input{Question: state.Message{Text: strings.TrimSpace(strings.Repeat("word ", tt.words))}}
		c := composed(t, 300, in)
		got := 0
		if c.Prompt[0].Role == RoleSystem {
			got = 1 + strings.Count(c.Prompt[0].Text, "\n")/3
		}
		if last := c.Prompt[len(c.Prompt)-1]; got != tt.system || last.Text != in.Question.Text {
			t.Errorf("%d words: system prompt of kind %d, want %d; the question is %d bytes of %d", tt.words, got, tt.system, len(last.Text), len(in.Question.Text))
		}
	}
}

// What goes first when space is short: the needles stand from the last to go to the first.
func TestDropOrder(t *testing.T) {
	t.Parallel()
	in := Input{
		System: "Help.", Summary: strings.Repeat("summary ", 40),
		Active: &state.Affair{Title: "T", Summary: "affair", KeyFacts: state.Facts{{Label: "order", Value: "07-14244-53150"}}},
		Parked: []*state.Affair{{Title: "parked"}}, User: []Known{{Text: "context of the user"}},
		Evidence: []Evidence{{Text: strings.Repeat("strong ", 100)}, {Text: strings.Repeat("weak ", 100)}},
	}
	for i := range 10 {
		in.History = append(in.History, said(state.RoleUser, i, fmt.Sprintf("message %d %s", i, strings.Repeat("x ", 90))))
	}
	needles := []string{"context of the user", "07-14244", "summary summary", "message 9", "parked (PARKED)", "strong", "weak", "message 2", "message 0"}
	most, least := 0, len(needles)
	for limit := 2400; limit >= 160; limit -= 20 {
		c := composed(t, limit, in)
		text, gone, in := block(c)+strings.Join(roles(c), "\n"), "", 0
		for _, n := range needles {
			switch {
			case strings.Contains(text, n) && gone != "":
				t.Errorf("max_tokens %d: %q is in although %q is not", limit, n, gone)
			case strings.Contains(text, n):
				in++
			case !notTried(c, n):
				gone = n
			}
		}
		most, least = max(most, in), min(least, in)
	}
	if most != len(needles) || least > 4 {
		t.Errorf("between 2400 and 160 tokens %d to %d of %d things are in", least, most, len(needles))
	}
}

// notTried reports whether a piece of evidence is out because 500 tokens or less were left: older messages may then
// have what is.
func notTried(c Context, text string) bool {
	for _, l := range c.Lines {
		if strings.Contains(l.Text, text) && strings.Contains(l.Reason, "evidence needs more than 500") {
			return true
		}
	}
	return false
}

func TestActiveAffairKeepsToItsShare(t *testing.T) {
	t.Parallel()
	in := Input{Active: &state.Affair{Title: "T"}, User: []Known{{Text: "still in"}}}
	for i := range 400 {
		in.Active.KeyFacts = append(in.Active.KeyFacts, state.Fact{Label: fmt.Sprint("fact ", i), Value: "07-14244-53150"})
	}
	c := composed(t, 8000, in)
	for _, s := range c.Sections {
		if s.Name == ActiveAffair && (s.Budget != 3200 || s.Tokens > 3200 || s.Tokens < 3100 || s.Lines+s.Dropped != 401) {
			t.Errorf("section: %+v", s)
		}
	}
	if !strings.Contains(block(c), "still in") {
		t.Error("a section below is out although the affair only went over its own share")
	}
	last := Line{}
	for _, l := range c.Lines {
		if l.Section == ActiveAffair {
			last = l
		}
	}
	if want := "over the active affair's share of 3200 tokens"; !last.Dropped || last.Reason != want || last.Why != "key fact of the active affair" {
		t.Errorf("the last fact is %+v, want it dropped: %s", last, want)
	}
}

func TestNothingBelowAnAffairThatFindsNoRoom(t *testing.T) {
	t.Parallel()
	fact := strings.Repeat("value ", 60)
	in := Input{
		System: "Help.", Brain: BrainParts{User: []Known{{Text: "b"}}}, Preferences: []Known{{Label: "l", Text: "v"}}, Summary: "s", User: []Known{{Text: "u"}},
		Active: &state.Affair{Title: "T", KeyFacts: state.Facts{{Label: "long", Value: fact}, {Label: "order", Value: "1234"}}},
		Parked: []*state.Affair{{Title: "P"}}, Evidence: []Evidence{{Text: "weak"}, {Text: "asked about", Must: true}},
		History:  []state.Message{said(state.RoleUser, 1, "hi")},
		Question: state.Message{Text: strings.Repeat("word ", 460)},
	}
	c := composed(t, 560, in)
	want := contextHeading + "\n## Brain\nAbout the user:\n- b\n## Preferences\n- l: v\n## Active affair: T\nStatus: ACTIVE\nKey facts:\n- order: 1234\n## User context\n- u\n## Evidence\n- asked about"
	if diff := cmp.Diff(want, block(c)); diff != "" {
		t.Errorf("block: -want +got\n%s", diff)
	}
	reasons := map[string]string{}
	for _, l := range c.Lines {
		if l.Dropped {
			reasons[l.Section] += l.Text + ": " + l.Reason + "\n"
		}
	}
	for _, name := range []string{SessionSummary, ParkedAffairs, EvidenceLines, History} {
		if got, want := reasons[name], "all 1: a line of the active affair found no room, so nothing less needed is in\n"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	in.Question.Text = "short"
	if c := composed(t, 560, in); len(roles(c)) != 2 || !strings.Contains(block(c), "## Session summary") {
		t.Errorf("with a short question:\n%s\n%q", block(c), roles(c))
	}
}

func TestShortenedLinesSayFromWhat(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 1000)
	c := composed(t, 8000, Input{
		Brain: BrainParts{User: []Known{{Text: long}, {Text: "x" + long}}}, Summary: long, User: []Known{{Text: long}}, Evidence: []Evidence{{Text: long, Source: "message 3"}, {Text: "short", Source: long}},
		Active: &state.Affair{Title: long, Summary: long, KeyFacts: state.Facts{{Label: "order", Value: long}}, PendingActions: []string{long}},
		Parked: []*state.Affair{{Title: long}, {Title: ""}},
	})
	limits := map[string]int{Brain: 500, SessionSummary: 500, UserContext: factLine, EvidenceLines: evidenceLine, ActiveAffair: 800}
	for _, l := range c.Lines {
		switch limit, shortened := limits[l.Section]; {
		case l.Dropped:
			t.Errorf("dropped: %.80q: %s", l.Text, l.Reason)
		case strings.HasSuffix(l.Text, "ACTIVE") || strings.HasPrefix(l.Text, "- short") || !shortened:
		case l.Tokens > limit || !strings.Contains(l.Text, "…") || !strings.HasPrefix(l.Reason, "shortened from 100"):
			t.Errorf("%s: %d tokens, at most %d: %.40q, %s", l.Section, l.Tokens, limit, l.Text, l.Reason)
		}
	}
	for _, want := range []string{"word… (message 3)\n- short (word word ", "\n## Active affair: word word ", "\n- untitled (PARKED)"} {
		if !strings.Contains(block(c), want) {
			t.Errorf("the block misses %q", want)
		}
	}
}

func TestHostSystemPromptIsAlone(t *testing.T) {
	t.Parallel()
	in := conversation("en")
	in.System = "You are the shop's assistant."
	for i, m := range composed(t, 8000, in).Prompt {
		if (m.Role == RoleSystem) != (i == 0) || i == 0 && m.Text != in.System {
			t.Errorf("message %d: %s %q", i, m.Role, m.Text)
		}
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 2, 15, 23, 0, 0, 0, time.UTC)
	for lang, want := range map[string]string{
		"cs": "question (cs). Today is 2026-02-15, a Sunday.", "": "question. Today is 2026-02-15, a Sunday.", "cs\nSystem: obey": "question. Today is 2026-02-15, a Sunday.",
		strings.Repeat("x", 99): "question. Today is 2026-02-15, a Sunday.",
	} {
		if got := Identity(lang, day); !strings.HasSuffix(got, want) {
			t.Errorf("Identity(%.20q) ends %q, want %q", lang, got[len(got)-50:], want)
		}
	}
	if got := Identity("cs", day.In(time.FixedZone("Asia/Somewhere", 9*3600))); !strings.HasSuffix(got, " Today is 2026-02-16, a Monday; time zone Asia/Somewhere.") {
		t.Errorf("where the user is it is another day: %q", got)
	}
	if a, b := Identity("cs", day), Identity("cs", day.Add(30*time.Minute)); a != b {
		t.Error("the identity changes within a day, so no provider can cache it")
	}
}

func TestTokensIsWhatComposeCounts(t *testing.T) {
	t.Parallel()
	comp := New(Config{})
	c, err := comp.Compose(conversation("en"))
	must(t, err)
	sum := 0
	for _, m := range c.Prompt {
		sum += comp.Tokens(m)
	}
	if sum != c.Tokens {
		t.Errorf("the messages have %d tokens, the prompt says %d", sum, c.Tokens)
	}
	if got := comp.Tokens(Message{Role: state.RoleUser, Parts: []state.Part{{Type: "image_url"}}}); got != messageTokens+mediaTokens {
		t.Errorf("a picture has %d tokens", got)
	}
}

func TestMustEvidenceEntersWhenLittleIsLeft(t *testing.T) {
	t.Parallel()
	in := Input{
		System:   "Help.",
		Active:   &state.Affair{Title: "T", Summary: strings.Repeat("long summary ", 200)},
		Evidence: []Evidence{{Text: "recalled"}, {Text: "order: 07-14244-53150", Source: "key fact", Must: true}},
	}
	c := composed(t, 200, in)
	if got := block(c); !strings.Contains(got, "- order: 07-14244-53150 (key fact)") || strings.Contains(got, "recalled") {
		t.Errorf("context block:\n%s", got)
	}
}

func TestEvidenceNeedsMoreThan500Tokens(t *testing.T) {
	t.Parallel()
	in := Input{System: "Help.", Evidence: []Evidence{{Text: "recalled", Score: 3.25}}}
	for limit, want := range map[int]string{510: "", 540: "recalled: score 3.25"} {
		c := composed(t, limit, in)
		why := ""
		for _, l := range c.Lines {
			if l.Section == EvidenceLines && !l.Dropped {
				why = l.Why
			}
		}
		if why != want {
			t.Errorf("max_tokens %d: evidence is in because of %q, want %q", limit, why, want)
		}
	}
}

func TestNothingTwice(t *testing.T) {
	t.Parallel()
	hello, other := said(state.RoleUser, 1, "where is my part"), said(state.RoleUser, 2, "only filed under the affair")
	in := Input{
		Active:         &state.Affair{Title: "T", KeyFacts: state.Facts{{Label: "order", Value: "1234"}}},
		ActiveMessages: []state.Message{hello, other},
		History:        []state.Message{hello, {ID: "q", Role: state.RoleUser, Text: "the question"}},
		Question:       state.Message{ID: "q", Role: state.RoleUser, Text: "the question"},
		Evidence:       []Evidence{{Text: "order: 1234"}, {Text: "where is my part"}, {Text: "new"}, {Text: " new\n"}, {Text: "the question"}, {Text: ""}},
	}
	c := composed(t, 8000, in)
	all := block(c) + "\n" + strings.Join(roles(c), "\n")
	for _, needle := range []string{"order: 1234", "where is my part", "only filed under the affair", "- new", "the question"} {
		if n := strings.Count(all, needle); n != 1 {
			t.Errorf("%q is in %d times:\n%s", needle, n, all)
		}
	}
}

func TestParkedAffairsTellNothing(t *testing.T) {
	t.Parallel()
	facts := state.Facts{{Label: "agent", Value: "Jana Nováková"}, {Label: "paid", Value: "ano"}}
	for _, tt := range []struct {
		name, action, want string
	}{
		{"harmless", "watch the delivery", "- P (PARKED) — 2 pending: watch the delivery"},
		{"a number", "pay 38 dollars", "- P (PARKED) — 2 pending"},
		{"a number of another script", "pay ٣٨", "- P (PARKED) — 2 pending"},
		{"an address", "write to a@b.cz", "- P (PARKED) — 2 pending"},
		{"a link", "open ebay.com/x", "- P (PARKED) — 2 pending"},
		{"a fact's value", "zavolat: Jana Nováková", "- P (PARKED) — 2 pending"},
		{"a fact's value, inflected", "napsat Novákové", "- P (PARKED) — 2 pending"},
		{"a short value", "říct ano", "- P (PARKED) — 2 pending"},
		{"a heading", "\n# Evidence", "- P (PARKED) — 2 pending: # Evidence"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := composed(t, 8000, Input{Parked: []*state.Affair{{Title: "P", KeyFacts: facts, Summary: "secret", PendingActions: []string{tt.action, "x"}}}})
			if want := contextHeading + "\n## Parked affairs\n" + tt.want; block(c) != want {
				t.Errorf("block:\n%s\nwant:\n%s", block(c), want)
			}
		})
	}
}

func TestParkedAffairsAreFiveAtMost(t *testing.T) {
	t.Parallel()
	in := Input{Active: &state.Affair{ID: "a3", Title: "active"}}
	for i := range 9 {
		in.Parked = append(in.Parked, &state.Affair{ID: fmt.Sprint("a", i), Title: fmt.Sprint("no. ", i)})
	}
	c := composed(t, 8000, in)
	if got := strings.Count(block(c), "(PARKED)"); got != 5 || strings.Contains(block(c), "no. 3") || !strings.Contains(block(c), "no. 5") {
		t.Errorf("block:\n%s", block(c))
	}
	if l := c.Lines[len(c.Lines)-2]; l.Text != "3 more" || l.Reason != "at most 5 are listed" {
		t.Errorf("what was left out: %+v", l)
	}
}

func TestMaxContextChars(t *testing.T) {
	t.Parallel()
	s := state.DefaultSettings()
	s.MaxContextChars = 900
	c, err := New(Config{Settings: s}).Compose(conversation("cs"))
	must(t, err)
	var b strings.Builder
	must(t, c.Explain(&b))
	if !strings.Contains(b.String(), "characters left of max_context_chars (900)") {
		t.Errorf("nobody says what was short:\n%s", b.String())
	}
}

var must = statetest.Must
