package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

func TestParkingBySmallModel(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has order number 07-14244-53150")
	small := scripted.Background(map[string]any{
		"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": "University", "confidence": 0.9},
		"park": map[string]any{
			"summary": "The part is on its way.", "key_facts": map[string]any{"seller": "the garage"}, "pending_actions": []string{"watch the parcel"},
		},
	}, nil)
	got := w.turn(t, m, in("s1"), small, "The university sent an email")
	a := named(t, m, in("s2"), "Car part")
	if a.Status != state.Parked || a.Session != "" || a.Summary != "The part is on its way." {
		t.Errorf("parked: got %s in %q, summary %q", a.Status, a.Session, a.Summary)
	}
	if v, _ := a.KeyFacts.Get("seller"); v != "the garage" || len(a.KeyFacts) != 1 || len(a.PastFacts) != 1 || a.PastFacts[0].Value != "07-14244-53150" {
		t.Errorf("the model's facts are not the whole list, with what it leaves out in the history: %v, %v", a.KeyFacts, a.PastFacts)
	}
	same(t, "pending actions", []string{"watch the parcel"}, a.PendingActions)
	if s := got.view.Session; !s.LastSwitchAt.Equal(w.clock()) || s.Active == a.ID {
		t.Errorf("session: %+v", s)
	}
}

func TestParkingWithoutASmallModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		small *scripted.Small
		note  string
	}{
		{"none answers", opens("University"), ""},
		{"it fails", scripted.Background(map[string]any{
			"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": "University", "confidence": 0.9},
		}, []string{"park"}), `park "Car part": summary extracted`},
		{"it talks nonsense", scripted.Background(map[string]any{
			"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": "University", "confidence": 0.9}, "park": "no JSON here",
		}, nil), `park "Car part": summary extracted`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has order number 07-14244-53150")
			got := w.turn(t, m, in("s1"), c.small, "The university sent an email")
			a := named(t, m, in("s1"), "Car part")
			if a.Status != state.Parked || !strings.Contains(a.Summary, "07-14244-53150") {
				t.Errorf("want an extracted summary with the number, got %s %q", a.Status, a.Summary)
			}
			if notes := strings.Join(got.notes, "\n"); !strings.Contains(notes, c.note) || (c.note == "") != (notes == "") {
				t.Errorf("want a note with %q, got %q", c.note, notes)
			}
		})
	}
}

func TestFlushLearns(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "I need a part for the car")
	w.turn(t, m, in("s1"), opens("University"), "The university sent an email")
	w.turn(t, m, in("s1"), judges(state.AdHoc, "Car part", "", 0.9), "By the way, the part has order number 07-14244-53150")
	w.turn(t, m, in("s1"), judges(state.AdHoc, "", "", 0.9), "The weather station shows number 1234567")

	for _, c := range []struct {
		title    string
		status   state.Status
		messages int
		fact     string
	}{
		{"Car part", state.Parked, 4, "07-14244-53150"},
		{"University", state.Active, 2, ""},
	} {
		t.Run(c.title, func(t *testing.T) {
			t.Parallel()
			a := named(t, m, in("s1"), c.title)
			facts := fmt.Sprint(a.KeyFacts)
			if a.Status != c.status || a.Messages != c.messages || !strings.Contains(facts, c.fact) || strings.Contains(facts, "1234567") {
				t.Errorf("want %s with %d messages and fact %q, got %s, %d, %v", c.status, c.messages, c.fact, a.Status, a.Messages, facts)
			}
		})
	}
	s, err := m.Sessions().Get(t.Context(), in("s1"))
	if err != nil || s.Language != "en" || s.Messages != 8 || !s.LastAt.Equal(w.clock()) {
		t.Errorf("session: %+v, %v", s, err)
	}
}

// closes runs a turn whose message was judged to settle what it belongs to.
func closes(t *testing.T, w *world, m *memory.Memory, v state.View, d state.Decision) state.View {
	t.Helper()
	s := w.begin(t.Context(), m, nil)
	d.Closes = v.Target
	v, err := m.Turn().Flush(s.ctx, v, d)
	must(t, err)
	must(t, s.commit())
	return v
}

func TestClosingWordsResolve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		small   *scripted.Small
		settled string
		other   string
		status  state.Status
	}{
		{"the active affair", judges(state.Continue, "", "", 0.9), "University", "Car part", state.Parked},
		{"the affair asked about", judges(state.AdHoc, "Car part", "", 0.9), "Car part", "University", state.Active},
		{"nothing", judges(state.AdHoc, "", "", 0.9), "", "University", state.Active},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := desk(t)
			got := w.turn(t, m, in("s1"), c.small, "That is settled now")
			view := closes(t, w, m, got.view, got.decision)
			if c.settled != "" {
				if a := named(t, m, in("s1"), c.settled); a.Status != state.Resolved || a.Session != "" {
					t.Errorf("%s: want RESOLVED, got %s in %q", c.settled, a.Status, a.Session)
				}
			}
			if a := named(t, m, in("s1"), c.other); a.Status != c.status {
				t.Errorf("%s: want %s, got %s", c.other, c.status, a.Status)
			}
			if s, err := m.Sessions().Get(t.Context(), in("s1")); err != nil || (s.Active == "") != (c.settled == "University") || s.Active != view.Session.Active {
				t.Errorf("session points at %q, view at %q, %v", s.Active, view.Session.Active, err)
			}
		})
	}
}

func TestRulesFindClosingWords(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"That's settled, thank you.", "Vyřízeno, díky."} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has order number 07-14244-53150")
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), words)
			if a := named(t, m, in("s1"), "Car part"); a.Status != state.Resolved {
				t.Errorf("want RESOLVED, got %s", a.Status)
			}
		})
	}
}

func TestTheSessionSummaryCoversWhatIsFiledUnderNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		strategy string
		small    *scripted.Small
		want     string // "" = extracted
		note     string
	}{
		{"by the small model", "llm_with_fallback", scripted.Background(map[string]any{"summary": "They talked of the weather."}, nil), "They talked of the weather.", ""},
		{"extracted", "llm_with_fallback", nil, "", ""},
		{"extracted, for the model fails", "llm_with_fallback", scripted.Background(nil, []string{"summary"}), "", "summary: extracted"},
		{"extracted, for it is set so", "heuristic_only", scripted.Background(map[string]any{"summary": "never"}, nil), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := w.memory(t, func(cfg *memory.Config) {
				cfg.Settings.HistoryLimit, cfg.Settings.SummaryWindow, cfg.Settings.Detect = 2, 4, "rules"
				cfg.Settings.SummaryStrategy = c.strategy
				if c.small != nil {
					cfg.Small = c.small
				}
			})
			continues := judges(state.Continue, "", "", 0.9)
			w.turn(t, m, in("s1"), continues, "The zebra is striped")
			w.turn(t, m, in("s1"), opens("Car part"), "The walrus order has number 07-14244-53150")
			if _, err := m.Affairs().Move(t.Context(), in("s1"), "Car part", state.Parked, ""); err != nil {
				t.Fatal(err)
			}
			var notes []string
			for i := range 3 {
				s := w.begin(t.Context(), m, nil)
				got := w.turn(t, m, in("s1"), nil, fmt.Sprintf("Hello %d", i))
				notes = slices.Concat(notes, got.notes, s.trace.Notes())
			}
			s, err := m.Sessions().Get(t.Context(), in("s1"))
			must(t, err)
			s.Summary = summaries(t, m, in("s1"))[0].Content
			if c.want != "" && s.Summary != c.want || c.want == "" && !strings.Contains(s.Summary, "zebra") || strings.Contains(s.Summary, "walrus") {
				t.Errorf("summary: want %q, got %q", c.want, s.Summary)
			}
			if s.Summarised < 4 || s.Summarised > s.Messages-2 {
				t.Errorf("summed up to %d of %d", s.Summarised, s.Messages)
			}
			if all := strings.Join(notes, "\n"); !strings.Contains(all, c.note) || (c.note == "") != (all == "") {
				t.Errorf("want a note with %q, got %q", c.note, all)
			}
		})
	}
}

func TestALongAffairIsSummedUp(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.Settings.SummaryWindow = 2 })
	w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has order number 07-14244-53150")
	if a := named(t, m, in("s1"), "Car part"); a.Summary != "" {
		t.Errorf("two messages need no summary, got %q", a.Summary)
	}
	small := scripted.Background(map[string]any{
		"detect": map[string]any{"type": "CONTINUE", "confidence": 0.9}, "summary": `{"summary":"Ordered, paid."}`,
	}, nil)
	w.turn(t, m, in("s1"), small, "I have paid it")
	if a := named(t, m, in("s1"), "Car part"); a.Summary != "Ordered, paid." || a.Status != state.Active {
		t.Errorf("four messages with a window of two: got %q, %s", a.Summary, a.Status)
	}
}

func TestFlushTakesOverWhatToolsDid(t *testing.T) {
	t.Parallel()
	w, m := desk(t)
	s := w.begin(t.Context(), m, nil)
	msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "The university is done", Turn: "t9"})
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	v, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
	must(t, err)
	v, d, _, err := decide(memory.ContextWithSmall(s.ctx, judges(state.Continue, "", "", 0.9)), m, v, true)
	must(t, err)
	call := state.Message{Seq: msg.Seq + 1, Role: state.RoleAssistant, ToolCalls: []state.ToolCall{{ID: "c", Name: "resolve_affair"}}}
	_ = memory.Say(s.ctx, in("s1"), call)
	must(t, s.commit())
	if _, err := m.Affairs().Move(s.ctx, in("s1"), "University", state.Resolved, ""); err != nil {
		t.Fatal(err)
	}
	must(t, s.commit())
	v.Turn = append(slices.Clone(v.Turn), call)
	v, err = m.Turn().Flush(s.ctx, v, d)
	must(t, err)
	if a, _ := v.Affair(d.AffairID); a.Status != state.Resolved || v.Active() != nil || v.Session.Active != "" {
		t.Errorf("after the tool: affair %s, session points at %q", a.Status, v.Session.Active)
	}
}

// A model that fails ends the turn before anything but the message was committed: the switch is decided only.
func TestFlushAfterAFailedAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		small *scripted.Small
		want  string
	}{
		{"a switch", judges(state.Switch, "Car part", "", 0.9), "Car part"},
		{"a new affair", opens("Garden"), "Garden"},
		{"going on", judges(state.Continue, "", "", 0.9), "University"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := desk(t)
			w.pass(time.Minute)
			s := w.begin(t.Context(), m, c.small)
			msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "and now this"})
			if err == nil {
				err = s.commit()
			}
			must(t, err)
			v, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
			must(t, err)
			v, d, _, err := decide(s.ctx, m, v, true)
			must(t, err)
			flush := w.begin(t.Context(), m, nil) // the graph gives each node effects of its own
			if v, err = m.Turn().Flush(flush.ctx, v, d); err != nil {
				t.Fatal(err)
			}
			s.effects.Add(flush.effects.Take()...)
			must(t, s.commit())
			after, err := w.memory(t, nil).Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: msg.Seq + 1})
			must(t, err)
			for name, a := range map[string]*state.Affair{"view": v.Active(), "store": after.Active()} {
				if a == nil || a.Title != c.want {
					t.Errorf("%s: want %q active, got %v", name, c.want, a)
				}
			}
			stored, seen := titles(after.Affairs), titles(v.Affairs)
			slices.Sort(stored)
			slices.Sort(seen)
			if diff := cmp.Diff(stored, seen); diff != "" {
				t.Errorf("the turn's view is not what is stored (-stored +view):\n%s", diff)
			}
		})
	}
}

// A fact that a park answer gives a better label is not over.
func TestParkingRenamesAFact(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has order number 07-14244-53150")
	small := scripted.Background(map[string]any{
		"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": "University", "confidence": 0.9},
		"park":   map[string]any{"summary": "The part is on its way.", "key_facts": map[string]any{"order number (car part)": "07-14244-53150"}, "pending_actions": []string{}},
	}, nil)
	w.turn(t, m, in("s1"), small, "The university sent an email")
	a := named(t, m, in("s2"), "Car part")
	if v, _ := a.KeyFacts.Get("order number (car part)"); v != "07-14244-53150" || len(a.KeyFacts) != 1 || len(a.PastFacts) != 0 {
		t.Errorf("facts %v, past %v; want the one under its new label", a.KeyFacts, a.PastFacts)
	}
}

// What is remembered of an affair that is settled and is over with it is history, a task is done; the rest stays.
func TestSettlingEndsRecords(t *testing.T) {
	t.Parallel()
	w := newWorld()
	small := scripted.Background(map[string]any{"park": map[string]any{"summary": "The part has come.", "pending_actions": []string{}, "over": []string{"r0", "r2", "r9", "x"}}}, nil)
	m := w.memory(t, func(c *memory.Config) { c.Small = small })
	w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has not come yet")
	a := named(t, m, in("s1"), "Car part")
	of := func(c memory.Change) { c.Affair, c.About = a.ID, state.AboutAffair; write(t, m, in("s1"), c) }
	of(memory.Change{Subject: "parcel", Content: "The parcel is awaited from the garage"})
	w.pass(time.Second)
	of(memory.Change{Subject: "seller", Content: "The seller is Hartmann"})
	w.pass(time.Second)
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Affair: a.ID})
	if _, err := m.Tasks().Schedule(ctx, in("s1"), memory.Task("call Hartmann", "", w.clock().Add(time.Hour)), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Affairs().Move(t.Context(), in("s1"), a.ID, state.Resolved, ""); err != nil {
		t.Fatal(err)
	}
	records, err := m.Records(t.Context(), in("s1"))
	must(t, err)
	valid := map[string]bool{}
	for _, r := range records {
		valid[r.Subject] = r.Valid(w.clock())
	}
	same(t, "valid", map[string]bool{"parcel": false, "seller": true, "call Hartmann": false}, valid)
}

// A correction of what a parked affair says is the model's to carry through there: it sums the affair up anew behind the next reply.
func TestACorrectedAffairIsSummedUpAnew(t *testing.T) {
	t.Parallel()
	w := newWorld()
	park := func(summary string) *scripted.Small {
		return scripted.Background(map[string]any{
			"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": "University", "confidence": 0.9},
			"park":   map[string]any{"summary": summary, "key_facts": map[string]any{}, "pending_actions": []string{}},
		}, nil)
	}
	m := w.memory(t, func(c *memory.Config) { c.Small = park("It is taught by Eva Mala.") })
	w.turn(t, m, in("s1"), opens("Pottery"), "The pottery course is at the club")
	a := named(t, m, in("s1"), "Pottery")
	told := write(t, m, in("s1"), memory.Change{Content: "The teacher of the pottery course is Eva", Affair: a.ID, About: state.AboutAffair})
	w.turn(t, m, in("s1"), park("It is taught by Eva Mala."), "The university sent an email")
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: told.ID, Content: "Jana leads the pottery course, Eva has left"}); err != nil {
		t.Fatal(err)
	}
	if a = named(t, m, in("s1"), "Pottery"); a.Status != state.Parked || a.Summary != "It is taught by Eva Mala." {
		t.Fatalf("%s, summary %q: want it parked, with what the rules did not find", a.Status, a.Summary)
	}
	w.turn(t, m, in("s1"), park("It is taught by Jana."), "The university wants an answer")
	if a = named(t, m, in("s1"), "Pottery"); a.Summary != "It is taught by Jana." {
		t.Errorf("summary %q", a.Summary)
	}
}

// A record that states another value of a kind that the affair knows has the model sum that up anew; one that repeats it, or states something else, has not.
func TestAnotherValueIsSummedUp(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		says string
		sums bool
	}{
		"cs, another price":    {"Oprava kotle bude nakonec stát 1 240 Kč (řekl Dvořák telefonicky)", true},
		"en, another price":    {"Mr Dvorak says that the price of the boiler will be 1 240 Kč", true},
		"cs, the same price":   {"Dvořák znovu potvrdil cenu 1 180 Kč", false},
		"cs, nothing of those": {"Dvořák přijede s učněm", false},
		"cs, another kind":     {"Dvořák má telefon 777 123 456", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := w.memory(t, func(c *memory.Config) { c.Small = scripted.Background(nil, nil) })
			w.turn(t, m, in("s1"), opens("Kotel"), "Oprava kotle.")
			a := named(t, m, in("s1"), "Kotel")
			_, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Facts: state.Facts{{Label: "cena", Value: "1 180 Kč"}, {Label: "price", Value: "1 180 Kč"}}})
			must(t, err)
			write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: of.says, Affair: a.ID})
			a = named(t, m, in("s1"), "Kotel")
			if sums := a.SumUp != ""; sums != of.sums {
				t.Errorf("summed up anew: %t, want %t; facts %v", sums, of.sums, a.KeyFacts)
			}
		})
	}
}

// A message that may give a fact of a model another value has the model sum up anew behind the reply: rules leave the fact, and put no other beside it unseen. One
// that says no change and does not name what the fact is of is another thing's.
func TestWhatAModelKeepsIsSummedUpWhenItChanges(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		label, value, said string
		sums               bool
	}{
		"pl, a day, by a word of change":        {"początek (ekipa pana Zbyszka)", "7 stycznia", "Pan Zbyszek jednak zaczyna 14 stycznia.", true},
		"cs, a day under the same label":        {"datum (spuštění)", "15. prosince", "A spuštění se posouvá na 20. ledna.", true},
		"pl, a price, by what it is of":         {"cena (robocizna)", "18 500 zł", "Robocizna będzie 19 200 zł, bo doszła wymiana rur.", true},
		"en, a price, by what it is of":         {"price (labour)", "1850 euros", "The labour comes to 1920 euros.", true},
		"de, the day that a tool has put right": {"Termin", "11. Dezember um 10:15", "Der Zahnarzttermin ist jetzt am 11. Dezember.", false},
		"en, the same price":                    {"price (labour)", "1850 euros", "The labour is 1850 euros now.", false},
		"en, another thing's price":             {"price (labour)", "1850 euros", "The tiles cost 64 euros.", false},
		"en, another kind":                      {"price (labour)", "1850 euros", "The labour starts on 14 January now.", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			park := func(fact state.Fact, to string) *scripted.Small {
				return scripted.Background(map[string]any{
					"detect": map[string]any{"type": to, "new_affair_title": "University", "confidence": .9},
					"park":   map[string]any{"summary": "It goes on.", "key_facts": map[string]any{fact.Label: fact.Value}, "pending_actions": []string{}},
				}, nil)
			}
			m := w.memory(t, func(c *memory.Config) { c.Small, c.Settings.SummaryWindow = scripted.Background(nil, nil), 2 })
			w.turn(t, m, in("s1"), opens("Flat"), "The flat is to be renewed.")
			w.turn(t, m, in("s1"), park(state.Fact{Label: of.label, Value: of.value}, "NEW_AFFAIR"), "The university sent an email")
			a := named(t, m, in("s1"), "Flat")
			if v, _ := a.KeyFacts.Get(of.label); v != of.value || a.KeyFacts[0].By != state.AuthorModel {
				t.Fatalf("%v", a.KeyFacts)
			}
			w.pass(time.Minute)
			_, err := m.Affairs().Move(t.Context(), in("s1"), a.ID, state.Active, "")
			must(t, err)

			small := park(state.Fact{Label: of.label, Value: "new"}, "CONTINUE")
			w.turn(t, m, in("s1"), small, of.said)
			asked := slices.Contains(small.Asked(), "park")
			if v, _ := named(t, m, in("s1"), "Flat").KeyFacts.Get(of.label); asked != of.sums || v == "new" != of.sums {
				t.Errorf("asked %v, fact %q, want it asked %v", asked, v, of.sums)
			}
			if slices.Contains(small.Asked(), "summary") == of.sums { // which is due by the number of messages too, and is not told twice
				t.Errorf("asked for %v", small.Asked())
			}
		})
	}
}
