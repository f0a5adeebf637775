package background

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/state"
)

// record is a fact with this content.
func record(content string) state.Record {
	return state.Record{Kind: state.FactRecord, Subject: "práce", Content: content}
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		want         SameAnswer
	}{
		{"as asked", `{"about":"Petr's job","kind":"replaces","reasoning":"another firm"}`, SameAnswer{Kind: same.Replaces, Reasoning: "another firm"}},
		{"with what stays", `{"kind":"replaces","stays":"since May"}`, SameAnswer{Kind: same.Replaces, Stays: "since May"}},
		{"what stays of another", `{"kind":"other","stays":"since May"}`, SameAnswer{Kind: same.Other}},
		{"in capitals", `{"kind":"SAME"}`, SameAnswer{Kind: same.Same}},
		{"another name of the field", `{"verdict":"refinement","reason":"adds the town"}`, SameAnswer{Kind: same.Refines, Reasoning: "adds the town"}},
		{"words behind it", `{"kind":"other (another person)"}`, SameAnswer{Kind: same.Other}},
		{"as models wrap it", "<think>…</think>\n```json\n{'kind': 'different', // Jana\n}\n```", SameAnswer{Kind: same.Other}},
		{"a word alone", "Refines.", SameAnswer{Kind: same.Refines}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := tasks(c.answer).Same(context.Background(), record("Petr pracuje ve Škodovce"), record("Petr pracuje v Siemensu"))
			must(t, err)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
	for _, answer := range []string{"Perhaps.", `{"kind":"unsure"}`, `{"kind":"same, refines, replaces or other"}`, `{"kind":"same|refines"}`, `{"reasoning":"?"}`} {
		if got, err := tasks(answer).Same(context.Background(), record("a"), record("b")); !mention(err, "task same", "is none of") || got != (SameAnswer{}) {
			t.Errorf("%q: got %+v, %v", answer, got, err)
		}
	}
}

func TestSamePrompt(t *testing.T) {
	t.Parallel()
	f := says("other")
	long := strings.Repeat("čeština \"\n", 20_000)
	old := state.Record{Kind: state.RecordKind(long), Subject: long, Content: long}
	if _, err := New(Config{Model: f}).Same(context.Background(), old, record("už tam nepracuje")); err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCountInString(f.prompt); n > 7000 {
		t.Errorf("the prompt has %d runes", n)
	}
	if !strings.HasPrefix(f.prompt, "Task: same\n") || !strings.Contains(f.prompt, `subject "práce", content "už tam nepracuje"`) {
		t.Errorf("prompt:\n%s", f.prompt)
	}
}

func FuzzSame(f *testing.F) {
	f.Add(`{"kind":"same"}`)
	f.Add("replaces, since")
	f.Add("| same")
	f.Fuzz(func(t *testing.T, answer string) {
		if answer == "" {
			return
		}
		got, err := tasks(answer).Same(context.Background(), record("a"), record("b"))
		switch got.Kind {
		case same.Same, same.Refines, same.Replaces, same.Other:
		default:
			if err == nil || got != (SameAnswer{}) {
				t.Errorf("%q: got %+v, %v", answer, got, err)
			}
		}
	})
}
