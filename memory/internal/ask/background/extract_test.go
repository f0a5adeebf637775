package background

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

// said is a part of a session: what the user says and what he is answered, in turn.
func said(texts ...string) []state.Message {
	var out []state.Message
	for i, s := range texts {
		role := state.RoleUser
		if i%2 == 1 {
			role = state.RoleAssistant
		}
		out = append(out, state.Message{Seq: int64(i + 1), Role: role, Text: s})
	}
	return out
}

func TestSpellings(t *testing.T) {
	t.Parallel()
	if _, err := readSpellings(files); err != nil {
		t.Error(err)
	}
}

// Every form of an answer says the same.
func TestExtractForms(t *testing.T) {
	t.Parallel()
	want := ExtractAnswer{
		Facts:   []ExtractedFact{{Label: Core, Text: "bydlí v Brně", Importance: 8}, {Label: Preference, Text: "pije zelený čaj", Importance: 6}},
		Summary: "Řešili čaj.",
	}
	messages := said("Bydlím v Brně a piju zelený čaj.", "Dobře.")
	for name, answer := range map[string]string{
		"json":            `{"facts":[{"category":"CORE","text":"bydlí v Brně"},{"category":"PREFERENCE","text":"pije zelený čaj"}],"summary":"Řešili čaj."}`,
		"sloppy json":     "Sure!\n```json\n{'facts': [{type: 'core', fact: 'bydlí v Brně', importance: '8/10'}, {label: '[preference]', text: 'pije zelený čaj'},], 'session_summary': 'Řešili čaj.'",
		"lines in json":   `{"facts":["[CORE] bydlí v Brně","PREFERENCE: pije zelený čaj"],"summary":"Řešili čaj."}`,
		"by label":        `{"facts":{"CORE":["bydlí v Brně"],"PREFERENCE":[{"text":"pije zelený čaj"}]},"summary":"Řešili čaj."}`,
		"polish":          "## Fakty\n- [CORE] bydlí v Brně\n- [PREFERENCE] pije zelený čaj\n\n## Streszczenie sesji\nŘešili čaj.\n",
		"english":         "# Extracted facts (2)\n1. **CORE**: bydlí v Brně\n2. **PREFERENCE**: pije zelený čaj\n\n# Session summary\nŘešili čaj.",
		"czech":           "**Fakta**\n• (core) bydlí v Brně\n• (preference) pije zelený čaj\n**Shrnutí:** Řešili čaj.",
		"russian":         "## Факты\n* Core – bydlí v Brně\n* [Предпочтение] pije zelený čaj\n## Краткое содержание\nŘešili čaj.",
		"summary first":   "Podsumowanie: Řešili čaj.\nFakty:\n- [CORE]: bydlí v Brně\n- **[PREFERENCE]** pije zelený čaj",
		"under headings":  "## CORE\n- bydlí v Brně\n## PREFERENCE\n- pije zelený čaj\n## Summary\nŘešili čaj.",
		"with stars":      "Facts:\n- [CORE] ★★★★ bydlí v Brně\n- [PREFERENCE] pije zelený čaj (★★★)\nSummary: Řešili čaj.",
		"of the user":     `{"facts":[{"category":"CORE","text":"bydlí v Brně","subject":"user"},{"category":"PREFERENCE","text":"pije zelený čaj","subject":"Uživatel"}],"summary":"Řešili čaj."}`,
		"with more":       "## Facts\n- [CORE] bydlí v Brně\n- [MOOD] tired\n- [SKIP] it rains\n- pije\n- [PREFERENCE] pije zelený čaj\n## Summary\nŘešili čaj.",
		"after a thought": "<think>## Fakty\n- [CORE] nic</think>\n```\n## Fakty\n- [CORE] bydlí v Brně\n- [PREFERENCE] pije zelený čaj\n## Shrnutí\nŘešili čaj.\n```",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tasks(answer).Extract(context.Background(), ExtractInput{Messages: messages})
			must(t, err)
			for i := range got.Facts {
				got.Facts[i].Text = strings.TrimSuffix(got.Facts[i].Text, " (★★★)")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
	list := `[{"text":"bydlí v Brně","memory_type":"user_fact","importance":8},{"text":"pije zelený čaj","memory_type":"preference","importance":6}]`
	got, err := tasks(list).Extract(context.Background(), ExtractInput{Messages: messages})
	if diff := cmp.Diff(ExtractAnswer{Facts: want.Facts}, got); err != nil || diff != "" {
		t.Errorf("a list: %v, answer (-want +got):\n%s", err, diff)
	}
}

func TestExtractInvalid(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"I cannot do that.", "## Fakty\n- [MOOD] tired", `{"facts":[],"summary":null}`, "[]", `{"facts":[{"text":"no label"}]}`, "Core values matter.", "[1, 2]",
	} {
		if got, err := tasks(answer).Extract(context.Background(), ExtractInput{}); !mention(err, "task extract", "no fact and no summary") {
			t.Errorf("%q: got %+v, %v", answer, got, err)
		}
	}
	if got, err := tasks("- [SKIP] it rains").Extract(context.Background(), ExtractInput{}); err != nil || len(got.Facts) > 0 {
		t.Errorf("only what is to be skipped: got %+v, %v", got, err)
	}
}

func TestExtractOld(t *testing.T) {
	t.Parallel()
	in := ExtractInput{
		Brain:    []string{"Works at Acme", "Lives in Brno", "Has a dog called Rex"},
		Messages: said("I moved to Prague last week, and please forget my dog.", "Done.", "I quit Acme, now it is Globex.", "Good luck!"),
	}
	for answer, want := range map[string]ExtractedFact{
		`{"facts":[{"category":"UPDATE","text":"Lives in Prague","old":"lives in Brno"}]}`: {Label: Update, Text: "Lives in Prague", Importance: 9, Old: "Lives in Brno"},
		`- [UPDATE] Works at Acme → Works at Globex`:                                       {Label: Update, Text: "Works at Globex", Importance: 9, Old: "Works at Acme"},
		`- [DELETE] the dog called Rex`:                                                    {Label: Delete, Text: "the dog called Rex", Importance: 9, Old: "Has a dog called Rex"},
		`{"facts":[{"category":"DELETE","text":"","old":"Has a dog called Rex"}]}`:         {Label: Delete, Text: "Has a dog called Rex", Importance: 9, Old: "Has a dog called Rex"},
		`- [UPDATE] moved to Prague last week`:                                             {Label: Update, Text: "moved to Prague last week", Importance: 9},
	} {
		got, err := tasks(answer).Extract(context.Background(), in)
		if diff := cmp.Diff([]ExtractedFact{want}, got.Facts); err != nil || diff != "" {
			t.Errorf("%s: %v, facts (-want +got):\n%s", answer, err, diff)
		}
	}
	for _, answer := range []string{`- [DELETE] works at a bank`, `- [UPDATE] Lives in Vienna`} {
		if got, err := tasks(answer).Extract(context.Background(), in); err != nil || len(got.Facts) > 0 {
			t.Errorf("%s: got %+v, %v; the user said no such thing", answer, got.Facts, err)
		}
	}
}

func TestExtractLessons(t *testing.T) {
	t.Parallel()
	want := []Lesson{{"A reminder helped", true}, {"The long mail was not read", false}}
	for _, answer := range []string{
		`{"summary":"s","lessons":[{"text":"A reminder helped","worked":true},{"lesson":"The long mail was not read","outcome":"failed"}]}`,
		`{"summary":"s","lessons":["worked: A reminder helped","[FAILED] The long mail was not read"]}`,
		"## Summary\ns\n## Lessons\n- ✓ A reminder helped\n- ✗ The long mail was not read",
	} {
		got, err := tasks(answer).Extract(context.Background(), ExtractInput{})
		if diff := cmp.Diff(want, got.Lessons); err != nil || diff != "" {
			t.Errorf("%s: %v, lessons (-want +got):\n%s", answer, err, diff)
		}
	}
}

func TestImportance(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{
		"7": 7, "0": 1, "99": 10, "4/5": 8, "80%": 8, "0.8": 8, "★★★★": 8, "★★★★★★": 10, "": 6, "high": 6, "-3": 1, "1/0": 6,
	} {
		if got := importance(said, Preference); got != want {
			t.Errorf("importance %q = %d, want %d", said, got, want)
		}
	}
}

// What the assistant recalled and the user only hears is never the user's, in a part of fifty turns.
func TestExtractLeavesWhatWasRecalled(t *testing.T) {
	t.Parallel()
	recalled := []string{
		"You are allergic to peanuts", "Bydlíte v Brně na Kounicově 12", "Twój pies nazywa się Rex", "Ваш врач - доктор Соколова", "Your order is 07-14244-53150",
	}
	asks := []string{
		"What can I cook today?", "Jak se tam dostanu tramvají?", "Co mu kupić?", "Когда приём?", "When does it come?", "> You are allergic to peanuts\nAre you sure of that?",
		"You wrote \"your order is 07-14244-53150 and it comes soon\". Hm.", "Yes.", "Thanks, go on.", "```\nTwój pies nazywa się Rex\n```\nCo to?",
	}
	var turns []string
	var facts []string
	for i := range 50 {
		turns = append(turns, asks[i%len(asks)], fmt.Sprintf("As I remember: %s. Shall I go on?", recalled[i%len(recalled)]))
		facts = append(facts, fmt.Sprintf(`{"category":"CORE","text":%q,"importance":%d}`, recalled[i%len(recalled)], 1+i%10))
	}
	in := ExtractInput{Messages: said(turns...), Brain: recalled}
	got, err := tasks(`{"facts":[`+strings.Join(facts, ",")+`],"summary":"s"}`).Extract(context.Background(), in)
	if err != nil || len(got.Facts) != 0 {
		t.Errorf("%d facts, want 0: %+v, %v", len(got.Facts), got.Facts, err)
	}
}

func TestGrounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, fact string
		turns      []string
		want       bool
	}{
		{"in his words", "User is allergic to peanuts", []string{"By the way, I'm allergic to peanuts."}, true},
		{"inflected", "Uživatel se přestěhoval do Prahy", []string{"Minulý týden jsem se přestěhovala do Prahy."}, true},
		{"a value behind a label", "pies: Rex", []string{"Mam psa, wabi się Rex."}, true},
		{"an answer to a question", "User works at Siemens", []string{"Hi", "Where do you work?", "Siemens"}, true},
		{"a yes to a question", "User lives in Brno", []string{"Hi", "Do you live in Brno?", "Yes, go on"}, false},
		{"an assistant's word", "User lives in Brno", []string{"What is the weather?", "You live in Brno, so it rains.", "Fine"}, false},
		{"quoted", "User is vegetarian and hates fish", []string{"He said “I am vegetarian and hate fish since 2020” then"}, false},
		{"a short quotation is a name", "User reads \"War and Peace\"", []string{"I read \"War and Peace\" every year"}, true},
		{"nothing that tells", "User", []string{"I am a user"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := groundsOf(said(c.turns...)).hold(ExtractedFact{Label: Core, Text: c.fact}); got != c.want {
				t.Errorf("hold(%q) = %v, want %v", c.fact, got, c.want)
			}
		})
	}
}

// The most important eight stay, repeats and messages that nothing is kept of count for nothing.
func TestExtractBounds(t *testing.T) {
	t.Parallel()
	var facts []string
	var in ExtractInput
	no := false
	for i := range 30 {
		word := strings.Repeat(string(rune('a'+i%26)), 6) + fmt.Sprint(i)
		in.Messages = append(in.Messages, state.Message{Role: state.RoleUser, Text: "it is " + word + " " + strings.Repeat("m", 5000)})
		facts = append(facts, fmt.Sprintf(`{"category":"CORE","text":%q,"importance":%d}`, word, 1+i%10), fmt.Sprintf(`{"category":"CORE","text":%q}`, word))
	}
	in.Messages = append(in.Messages, state.Message{Role: state.RoleUser, Text: "secret kumquat", StoreKnowledge: &no},
		state.Message{Role: state.RoleUser, Text: "secret kumquat", Undone: true}, state.Message{Role: state.RoleTool, Text: "secret kumquat"})
	for range 60 {
		in.Brain = append(in.Brain, strings.Repeat("b", 500))
	}
	f := says(`{"facts":[{"category":"CORE","text":"secret kumquat"},` + strings.Join(facts, ",") + `]}`)
	got, err := New(Config{Model: f}).Extract(context.Background(), in)
	if err != nil || len(got.Facts) != maxExtracted || got.Facts[0].Importance != 10 || got.Facts[7].Importance < 8 {
		t.Fatalf("got %+v, %v", got.Facts, err)
	}
	if n := len(f.prompt); n > 30_000 || strings.Contains(f.prompt, "kumquat") || !strings.HasPrefix(f.prompt, "Task: extract\n") {
		t.Errorf("the prompt has %d bytes:\n%.200s", n, f.prompt)
	}
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		`{"facts":[{"category":"CORE","text":"tea","importance":"4/5"}],"summary":"s"}`, "## Fakty\n- [CORE] tea\n## Streszczenie sesji\ns", `[{"text":"tea"}]`,
		"- [UPDATE] a → tea", "**[CORE]**: tea ★★", `{"facts":{"CORE":{"CORE":"tea"}}}`, "[", "CORE:", "- [DELETE] tea", `{"lessons":["[x] y"],"summary":1}`,
	} {
		f.Add(s)
	}
	in := ExtractInput{Messages: said("I drink tea", "You live in Brno?", "> quoted\n\"tea"), Brain: []string{"drinks tea", "lives in Brno"}}
	f.Fuzz(func(t *testing.T, answer string) {
		if answer == "" {
			return
		}
		began := time.Now()
		got, err := tasks(answer).Extract(context.Background(), in)
		if err != nil && (!mention(err, "task extract") || len(got.Facts) > 0) {
			t.Errorf("%q: got %+v, %v", answer, got, err)
		}
		for _, fact := range got.Facts {
			if fact.Label == skip || label(fact.Label) != fact.Label || fact.Text == "" || fact.Importance < 1 || fact.Importance > 10 {
				t.Errorf("%q: fact %+v", answer, fact)
			}
		}
		if took := time.Since(began); len(got.Facts) > maxExtracted || took > 5*time.Second {
			t.Errorf("%q: %d facts in %s", answer, len(got.Facts), took)
		}
	})
}
