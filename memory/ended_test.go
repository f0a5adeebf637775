package memory_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// eachLine reads the lines of testdata/DIR/LANG.jsonl, which a hand has written that had seen no rule.
func eachLine[T any](t *testing.T, dir, lang string) (out []T) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + dir + "/" + lang + ".jsonl")
	must(t, err)
	for line := range strings.Lines(string(raw)) {
		var one T
		must(t, json.Unmarshal([]byte(line), &one))
		out = append(out, one)
	}
	return out
}

// share is a part of so many.
type share struct{ n, of int }

func (s *share) count(is bool) {
	s.of++
	if is {
		s.n++
	}
}

func (s share) String() string { return fmt.Sprintf("%d of %d", s.n, s.of) }

// TestWhatIsOverEnds measures how far rules carry a correction through an affair: what says the old value ends, the rest stays. A look-alike, which denies
// something else, ends nothing.
func TestWhatIsOverEnds(t *testing.T) {
	t.Parallel()
	type line struct {
		Old, New, Class, Summary string
		Facts                    []state.Fact `json:"affair_facts"`
		Ends                     []string     `json:"must_end"`
		Stay                     []string     `json:"must_stay"`
		Gone, Kept               []string     // words of the summary
	}
	type figures struct{ ended, lost, gone, cut share }
	all := map[string]*figures{"denial": {}, "change": {}, "lookalike": {}}
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for _, l := range eachLine[line](t, "ended", lang) {
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Matter"), "Hello.")
			a := named(t, m, in("s1"), "Matter")
			if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Summary: &l.Summary, Facts: l.Facts}); err != nil {
				t.Fatal(err)
			}
			told := write(t, m, in("s1"), memory.Change{Content: l.Old, Affair: a.ID})
			if l.Class == "lookalike" {
				write(t, m, in("s1"), memory.Change{Content: l.New, Affair: a.ID})
			} else if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: told.ID, Content: l.New}); err != nil {
				t.Fatal(err)
			}

			a = named(t, m, in("s1"), "Matter")
			stands := func(label string) bool {
				was, _ := state.Facts(l.Facts).Get(label)
				is, _ := a.KeyFacts.Get(label)
				return is == was
			}
			f := all[l.Class]
			for _, label := range l.Ends {
				f.ended.count(!stands(label))
			}
			for _, label := range l.Stay {
				f.lost.count(!stands(label))
			}
			for _, words := range l.Gone {
				f.gone.count(!strings.Contains(a.Summary, words))
			}
			for _, words := range l.Kept {
				f.cut.count(!strings.Contains(a.Summary, words))
			}
		}
	}
	for class, f := range all {
		t.Logf("%s: facts ended %v, facts lost %v; sentences gone %v, lost %v", class, f.ended, f.lost, f.gone, f.cut)
	}
	for class, least := range map[string]struct{ ended, gone int }{"denial": {33, 41}, "change": {31, 26}, "lookalike": {}} {
		if f := all[class]; f.ended.n < least.ended || f.gone.n < least.gone || f.lost.n > 2 || f.cut.n > 1 {
			t.Errorf("%s: %+v, want %+v, 2 facts and 1 sentence lost at most", class, *f, least)
		}
	}
}

// TestOrdersThatAreLeft measures which orders rules carry out where a model answers: one plain order, and none that has a limit, another order or something to
// keep beside it.
func TestOrdersThatAreLeft(t *testing.T) {
	t.Parallel()
	carried, shown := map[string]*share{}, map[string]*share{}
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for _, l := range eachLine[struct{ Text, Class string }](t, "led", lang) {
			_, m := setup(t)
			asked, err := m.Turn().Asks(t.Context(), in("s1"), state.Message{Role: state.RoleUser, Text: l.Text, Seq: 1, ID: "m1"}, true)
			must(t, err)
			if carried[l.Class] == nil {
				carried[l.Class], shown[l.Class] = &share{}, &share{}
			}
			carried[l.Class].count(len(asked) > 0 && asked[0].Action != memory.Unclear)
			shown[l.Class].count(len(asked) > 0 && asked[0].Action == memory.Unclear)
		}
	}
	t.Logf("carried out by rules: %v; shown to the model: %v", carried, shown)
	if one, several, none := carried["one"].n, carried["several"].n, carried["none"].n+shown["none"].n; one < 27 || several > 2 || none > 1 {
		t.Errorf("of 40 plain orders %d are carried out, of 60 with more beside %d, of 60 that are none %d are taken", one, several, none)
	}
}

// What a correction says again stays, though it denies something else.
func TestWhatIsSaidAgainStays(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Claim"), "Hello.")
	a := named(t, m, in("s1"), "Claim")
	const old = "Claim with Larkfield, claim no. LK-90274, excess £250; Desmond Pratt reversed into the Fiesta and said straight out it was his fault; it is at Cobb's garage, back hopefully on 4 December"
	summary := "He said straight out it was his fault. The claim is with Larkfield (LK-90274, excess £250)."
	pending := []string{"get the car back, hopefully on 4 December 2026"}
	facts := state.Facts{{Label: "claim number (Larkfield)", Value: "LK-90274"}, {Label: "excess", Value: "£250"}, {Label: "admission of fault", Value: "said straight out it was his fault"}}
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Summary: &summary, Facts: facts, Pending: &pending}); err != nil {
		t.Fatal(err)
	}
	told := write(t, m, in("s1"), memory.Change{Content: old, Affair: a.ID})
	anew := "Claim with Larkfield, claim no. LK-90274, excess £250. Desmond Pratt never said it was his fault, he only said sorry about the noise; it is at Cobb's garage, back hopefully on 4 December"
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: told.ID, Content: anew}); err != nil {
		t.Fatal(err)
	}
	a = named(t, m, in("s1"), "Claim")
	for _, f := range facts[:2] {
		if v, _ := a.KeyFacts.Get(f.Label); v != f.Value {
			t.Errorf("%s is %q, want %q", f.Label, v, f.Value)
		}
	}
	if a.Summary != "The claim is with Larkfield (LK-90274, excess £250)." || len(a.PendingActions) != 1 || a.PendingActions[0] != pending[0] {
		t.Errorf("summary %q, pending %q", a.Summary, a.PendingActions)
	}
	t.Log(a.KeyFacts)
}
