package compose

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// marked is what memory may offer for a turn, with a word in every text that somebody wrote.
func marked(r *rapid.T, word string) (Input, state.View) {
	text := func(name string) string {
		n := rapid.IntRange(0, 60).Draw(r, name)
		return strings.TrimSpace(strings.Repeat("about the "+word+" and more\n", n%7) + strings.Repeat(word+" 4711 ", n/7))
	}
	a := state.Affair{ID: "a1", Title: word + " one", Summary: text("summary"), PendingActions: []string{"call " + word}}
	for i := range rapid.IntRange(0, 5).Draw(r, "facts") {
		a.KeyFacts = append(a.KeyFacts, state.Fact{Label: fmt.Sprint(word, i), Value: text("fact")})
	}
	b := state.Affair{ID: "b2", Title: word + " two", Status: state.Parked, PendingActions: []string{text("pending")}}
	known := []Known{{Label: word, Text: text("known"), Of: "record r1"}, {Text: text("other"), Of: "session s/preferences:" + word}}
	in := Input{
		Brain: BrainParts{User: known}, ActiveContext: text("context"), Preferences: known, Project: known, Session: "s", Summary: text("session"),
		Active: &a, Parked: []*state.Affair{&b, &b, &b, &b, &b, &b, &b}, User: known, Extra: []Known{{Label: "note", Text: text("note"), Of: "message s/9/extra.0"}},
		Question: state.Message{ID: "q", Seq: 9, Role: state.RoleUser, Text: word + text("question")},
	}
	for i := range rapid.IntRange(0, 30).Draw(r, "evidence") {
		in.Evidence = append(in.Evidence, Evidence{Text: fmt.Sprint(i, text("piece")), Source: word, Of: "record r2", Score: 1.5})
	}
	in.Associations = in.Evidence
	in.Question.Attachments = []state.Attachment{{Name: word + ".txt", Text: text("file")}, {Name: word + ".bin", Data: []byte(word)}}
	for i := range rapid.IntRange(0, 20).Draw(r, "messages") {
		m := state.Message{ID: fmt.Sprint("m", i), Seq: int64(i + 1), Role: state.RoleUser, Text: text("message"), Attachments: in.Question.Attachments}
		switch i % 4 {
		case 1:
			m.Role, m.ToolCalls = state.RoleAssistant, []state.ToolCall{{ID: word, Name: word, Arguments: text("arguments")}}
		case 2:
			m.Role, m.ToolCallID, m.ToolName = state.RoleTool, word, word
		case 3:
			m.Role = state.Role(word)
		}
		in.History = append(in.History, m)
	}
	in.ActiveMessages, in.Turn = in.History, in.History[:min(len(in.History), 3)]
	return in, state.View{Session: state.Session{ID: "s", Summary: in.Summary, Preferences: map[string]string{word: word}}, Affairs: []*state.Affair{&a, &b}}
}

// Whatever was said, nothing of it stands in the account that a turn keeps, and each line is there or counted.
func TestKeptHasNoTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		const word = "zebra"
		in, view := marked(r, word)
		s := state.DefaultSettings()
		s.MaxTokens = rapid.IntRange(400, 4000).Draw(r, "max_tokens") // no 4711 of its own
		c, err := New(Config{Settings: s}).Compose(in)
		if err != nil {
			r.Skip(err)
		}
		kept := c.Kept(view)
		page := account.Page{Prompts: []account.Prompt{kept}}.String()
		for _, part := range []string{word, "4711", "about the"} {
			if strings.Contains(page, part) {
				r.Fatalf("it has %q:\n%s", part, page)
			}
		}
		lines := kept.More
		for i, section := range kept.Sections {
			if section.Tokens != c.Sections[i].Tokens || section.Name != c.Sections[i].Name {
				r.Fatalf("section %+v, want %+v", section, c.Sections[i])
			}
			lines += len(section.Lines)
		}
		if lines > len(c.Lines) || len(kept.Sections) != len(c.Sections) {
			r.Fatalf("%d lines of %d in %d sections", lines, len(c.Lines), len(kept.Sections))
		}
	})
}

// An origin is found again by what is kept of it.
func TestKeptOriginIsReadBack(t *testing.T) {
	t.Parallel()
	a := state.Affair{ID: "a1", Title: "Roof", KeyFacts: state.Facts{{Label: "roofer", Value: "Novak"}, {Label: "price / m", Value: "38"}}}
	view := state.View{Affairs: []*state.Affair{&a}, Session: state.Session{ID: "s", Preferences: map[string]string{"tone": "short"}}}
	for of, want := range map[string]string{
		"affair a1/facts:roofer": "roofer: Novak", "affair a1/facts:price / m": "price / m: 38", "affair a1": "Roof", "session s/preferences:tone": "tone: short",
	} {
		o, _ := ParseOrigin(of)
		kept := o.Kept("s")
		back, ok := ParseKept(kept, "s")
		got, found := back.Find(view)
		if got != want || !ok || !found || strings.Contains(kept, "roofer") || strings.Contains(kept, "tone") {
			t.Errorf("%s is kept as %s and finds %q, want %q", of, kept, got, want)
		}
	}
	for _, of := range []string{"message s/7", "message other/7/1", "record r1"} {
		o, _ := ParseOrigin(of)
		if back, ok := ParseKept(o.Kept("s"), "s"); !ok || back != o {
			t.Errorf("%s is kept as %s and read back as %+v", of, o.Kept("s"), back)
		}
	}
}
