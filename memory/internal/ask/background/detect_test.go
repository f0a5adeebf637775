package background

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		want         DetectAnswer
	}{
		{"continue", `{"type":"CONTINUE","target_affair":null,"new_affair_title":null,"confidence":0.95,"reasoning":"goes on"}`,
			DetectAnswer{Type: state.Continue, Target: "a1", Confidence: 0.95, Reasoning: "goes on"}},
		{"continue names the current one whatever is said", `{"type":"CONTINUE","target_affair":"a2"}`, DetectAnswer{Type: state.Continue, Target: "a1", Confidence: unstated}},
		{"switch by id", `{"type":"SWITCH","target_affair":"a2","confidence":0.8}`, DetectAnswer{Type: state.Switch, Target: "a2", Confidence: 0.8}},
		{"switch by title", `{"type":"SWITCH","target_affair":"objednavka DILU z ebay","confidence":"80%"}`, DetectAnswer{Type: state.Switch, Target: "a2", Confidence: 0.8}},
		{"switch to the current one is no switch", `{"type":"SWITCH","target_affair":"a1","confidence":0.8}`, DetectAnswer{Type: state.Continue, Target: "a1", Confidence: 0.8}},
		{"ad hoc about an affair", `{"type":"AD_HOC","target_affair":"eBay","confidence":9,"reasoning":"hele"}`, DetectAnswer{Type: state.AdHoc, Target: "a2", Confidence: 0.9, Reasoning: "hele"}},
		{"ad hoc about none", `{"type":"ad-hoc","target_affair":"null","confidence":0.9}`, DetectAnswer{Type: state.AdHoc, Confidence: 0.9}},
		{"ad hoc about what is not there", `{"type":"AD_HOC","target_affair":"the weather","confidence":0.9}`, DetectAnswer{Type: state.AdHoc, Confidence: 0.9}},
		{"new affair, title verbatim", `{"type":"NEW_AFFAIR","target_affair":"x","new_affair_title":"Cesta do Brna","confidence":85}`,
			DetectAnswer{Type: state.NewAffair, NewTitle: "Cesta do Brna", Confidence: 0.85}},
		{"new affair without a title", `{"type":"New affair"}`, DetectAnswer{Type: state.NewAffair, Confidence: unstated}},
		{"words after the kind", `{"type":"SWITCH (back to it)","target_affair":"a2 (Objednávka)"}`, DetectAnswer{Type: state.Switch, Target: "a2", Confidence: unstated}},
		{"a confidence beyond all scales", `{"type":"CONTINUE","confidence":1e6}`, DetectAnswer{Type: state.Continue, Target: "a1", Confidence: 1}},
		{"a negative confidence", `{"type":"CONTINUE","confidence":-3}`, DetectAnswer{Type: state.Continue, Target: "a1"}},
		{"as models wrap it", "<think>…</think>\n```json\n{'type': 'SWITCH', 'target_affair': 'a5', // the roof\n}\n```", DetectAnswer{Type: state.Switch, Target: "a5", Confidence: unstated}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := tasks(c.answer).Detect(context.Background(), detectInput())
			must(t, err)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDetectNonsense(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, answer, says string }{
		{"prose", "I think the user continues.", `"I think the user`},
		{"no type", `{"confidence":0.9}`, "type \"\" is none of"},
		{"an unknown type", `{"type":"PONDER"}`, `type "PONDER"`},
		{"the choice repeated", `{"type":"CONTINUE|SWITCH|AD_HOC|NEW_AFFAIR"}`, "is none of"},
		{"switch to nothing", `{"type":"SWITCH","target_affair":null}`, "names no affair"},
		{"switch to what is not there", `{"type":"SWITCH","target_affair":"a9"}`, `SWITCH to "a9", which does not exist`},
		{"switch to one of two", `{"type":"SWITCH","target_affair":"Dentist"}`, "could be several"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := tasks(c.answer).Detect(context.Background(), detectInput())
			if !errors.Is(err, state.ErrInvalid) || !mention(err, "task detect", c.says) || got != (DetectAnswer{}) {
				t.Errorf("got %+v, %v; want invalid saying %q", got, err, c.says)
			}
		})
	}
}

func TestDetectWithoutCurrent(t *testing.T) {
	t.Parallel()
	f := says(`{"type":"CONTINUE"}`)
	got, err := New(Config{Model: f}).Detect(context.Background(), DetectInput{Message: "Ahoj!"})
	if want := (DetectAnswer{Type: state.Continue, Confidence: unstated}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if !strings.Contains(f.prompt, "## Current affair\n\nnone") {
		t.Errorf("prompt:\n%s", f.prompt)
	}
}

func TestDetectPrompt(t *testing.T) {
	t.Parallel()
	f := says(`{"type":"CONTINUE"}`)
	if _, err := New(Config{Model: f}).Detect(context.Background(), detectInput()); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(f.prompt, "\n")
	if first != "Task: detect" {
		t.Errorf("first line %q", first)
	}
	for _, s := range []string{`id "a1"`, `id "a2", PARKED`, "07-14244-53150", `- user: "Kdy je zápis?"`, `"Hele, kdy to má dorazit?"`} {
		if !strings.Contains(f.prompt, s) {
			t.Errorf("the prompt lacks %s", s)
		}
	}
	if strings.Contains(f.prompt, "tool result") || strings.Count(f.prompt, `"a1"`) != 1 {
		t.Errorf("the prompt shows a tool result, or the current affair twice:\n%s", f.prompt)
	}
}

// TestDetectBounds checks that a prompt stays small whatever there is.
func TestDetectBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("čeština ", 20_000)
	in := DetectInput{Message: long, Language: long}
	for i := range 300 {
		a := &state.Affair{ID: fmt.Sprintf("id%d", i), Title: long, Summary: long}
		for j := range 100 {
			a.KeyFacts = append(a.KeyFacts, state.Fact{Label: fmt.Sprint(j), Value: long})
			a.PendingActions = append(a.PendingActions, long)
		}
		in.Affairs = append(in.Affairs, a)
		in.Recent = append(in.Recent, state.Message{Role: state.RoleUser, Text: fmt.Sprint(i, long)})
	}
	in.Current = in.Affairs[299]
	f := says(`{"type":"SWITCH","target_affair":"id250"}`)
	got, err := New(Config{Model: f}).Detect(context.Background(), in)
	if err != nil || got.Target != "id250" {
		t.Errorf("an affair that the prompt has no room for can still be named: %+v, %v", got, err)
	}
	if n := utf8.RuneCountInString(f.prompt); n > 30_000 {
		t.Errorf("the prompt has %d runes", n)
	}
	if !strings.Contains(f.prompt, `"299čeština`) || strings.Contains(f.prompt, `"293čeština`) {
		t.Error("the prompt does not show the last six messages")
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	same := append(affairs(), &state.Affair{ID: "b1", Title: "Tax"}, &state.Affair{ID: "b2", Title: "tax"}, &state.Affair{ID: "untitled"})
	for _, c := range []struct{ named, want, problem string }{
		{"a3", "a3", ""},
		{" a3 ", "a3", ""},
		{`id "a3"`, "a3", ""},
		{"a3: Dentist appointment", "a3", ""},
		{"Dentist appointment for Anna", "a3", ""},
		{"DENTIST APPOINTMENT, FOR ANNA!", "a3", ""},
		{"the affair 'Dentist invoice'", "a4", ""},
		{"Unicorn", "a1", ""},
		{"unicorn university přihlášení", "a1", ""},
		{"objednávky dílu na eBay", "a2", ""},
		{"ремонт крыши", "a5", ""},
		{"Tax", "b1", ""},
		{"tax", "b2", ""},
		{"TAX", "", "several"},
		{"Dentist", "", "several"},
		{"untitled", "untitled", ""},
		{"a33", "", "does not exist"},
		{"xa3", "", "does not exist"},
		{"dentist in Prague for Bob's car", "", "does not exist"},
		{"", "", "names no affair"},
		{"?!", "", "does not exist"},
	} {
		id, problem := resolve(c.named, same)
		if id != c.want || c.problem == "" && problem != "" || !strings.Contains(problem, c.problem) {
			t.Errorf("resolve(%q) = %q, %q; want %q, %q", c.named, id, problem, c.want, c.problem)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"a1", "Unicorn University", "a1 a2", "", "\xff", "Tax Tax", "dentist", strings.Repeat("a", 300)} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, named, title string) {
		all := append(affairs(), &state.Affair{ID: "x", Title: title}, &state.Affair{Title: title})
		id, problem := resolve(named, all)
		if (id == "") == (problem == "") {
			t.Errorf("resolve(%q) = %q, %q: one of the two must say something", named, id, problem)
		}
		found := id == ""
		for _, a := range all {
			found = found || a.ID == id
		}
		if !found {
			t.Errorf("resolve(%q) = %q, which is no affair", named, id)
		}
		if strings.TrimSpace(title) == title && title != "" {
			if id, _ := resolve(title, all[:len(all)-1]); id == "" && len(strings.Fields(title)) > 0 && !ambiguous(title) {
				t.Errorf("an affair is not found by its own title %q", title)
			}
		}
	})
}

// ambiguous reports whether another affair of the table goes by title as well.
func ambiguous(title string) bool {
	for _, a := range affairs() {
		if a.ID == title || a.Title == title {
			return true
		}
	}
	return false
}

func FuzzDetect(f *testing.F) {
	for _, seed := range []string{`{"type":"SWITCH","target_affair":"a2"}`, `{"type":"NEW_AFFAIR","new_affair_title":"x"`, `{"type":"AD_HOC","confidence":"NaN"}`, "```", `{"type":["SWITCH"]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		in := detectInput()
		got, err := tasks(raw).Detect(context.Background(), in)
		if err != nil {
			if got != (DetectAnswer{}) || !errors.Is(err, state.ErrInvalid) {
				t.Errorf("%q: %+v with error %v", raw, got, err)
			}
			return
		}
		valid := map[state.Kind]bool{
			state.Continue:  got.Target == "a1",
			state.Switch:    got.Target != "a1" && got.Target != "",
			state.AdHoc:     true,
			state.NewAffair: got.Target == "",
		}
		if !valid[got.Type] || !(got.Confidence >= 0 && got.Confidence <= 1) || got.NewTitle != "" && got.Type != state.NewAffair {
			t.Errorf("%q: %+v", raw, got)
		}
	})
}

var must = statetest.Must
