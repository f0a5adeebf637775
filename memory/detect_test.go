package memory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// desk is a session with "University" active and "Car part" parked.
func desk(t *testing.T) (*world, *memory.Memory) {
	t.Helper()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has order number 07-14244-53150")
	w.turn(t, m, in("s1"), opens("University"), "The university sent an email")
	return w, m
}

func TestTheSmallModelDecides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		small  *scripted.Small
		kind   state.Kind
		target string // title of the affair the decision names
		active string
		filed  string // title of the affair the message is filed under
	}{
		{"going on", judges(state.Continue, "", "", 0.9), state.Continue, "University", "University", "University"},
		{"going on at no confidence", judges(state.Continue, "", "", 0.1), state.Continue, "University", "University", "University"},
		{"switch by title", judges(state.Switch, "car PART", "", 0.9), state.Switch, "Car part", "Car part", "Car part"},
		{"switch at the threshold", judges(state.Switch, "Car part", "", 0.7), state.Switch, "Car part", "Car part", "Car part"},
		{"switch below the threshold", judges(state.Switch, "Car part", "", 0.69), state.Continue, "University", "University", "University"},
		{"new below the threshold", judges(state.NewAffair, "", "Garden", 0.5), state.Continue, "University", "University", "University"},
		{"aside below the threshold", judges(state.AdHoc, "Car part", "", 0.5), state.Continue, "University", "University", "University"},
		{"switch to where it is", judges(state.Switch, "University", "", 0.9), state.Continue, "University", "University", "University"},
		{"aside about where it is", judges(state.AdHoc, "University", "", 0.9), state.Continue, "University", "University", "University"},
		{"aside", judges(state.AdHoc, "Car part", "", 0.9), state.AdHoc, "Car part", "University", "Car part"},
		{"aside about none", judges(state.AdHoc, "", "", 0.9), state.AdHoc, "", "University", ""},
		{"aside about what is not there", judges(state.AdHoc, "Spaceship", "", 0.9), state.AdHoc, "", "University", ""},
		{"new", judges(state.NewAffair, "", "Garden", 0.9), state.NewAffair, "Garden", "Garden", "Garden"},
		{"new, but there is one of that title", judges(state.NewAffair, "", "car part", 0.9), state.Switch, "Car part", "Car part", "Car part"},
		{"new, but it is the active one", judges(state.NewAffair, "", "university", 0.9), state.Continue, "University", "University", "University"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := desk(t)
			got := w.turn(t, m, in("s1"), c.small, "and now this")
			active, filed := "", ""
			if a := got.view.Active(); a != nil {
				active = a.Title
			}
			if a, ok := got.view.Affair(got.view.Target); ok {
				filed = a.Title
			}
			d := got.decision
			if d.Kind != c.kind || d.Title != c.target || active != c.active || filed != c.filed || d.By != "model" || !got.paid {
				t.Errorf("want %s %q, active %q, filed %q; got %s %q by %s (paid %v), active %q, filed %q",
					c.kind, c.target, c.active, c.filed, d.Kind, d.Title, d.By, got.paid, active, filed)
			}
			after, err := w.memory(t, nil).Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 100})
			must(t, err)
			if a := after.Active(); a == nil || a.Title != c.active {
				t.Errorf("stored: want %q active, got %v", c.active, titles(after.Affairs))
			}
			kept, err := m.Messages(t.Context(), in("s1"))
			must(t, err)
			if last := kept[len(kept)-2]; last.Affair != got.view.Target || !strings.Contains(last.Why, "scripted") {
				t.Errorf("the message is to be filed under %q with the reasoning, got %+v", got.view.Target, last)
			}
		})
	}
}

func TestWithoutAnAffair(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	got := w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "Hello")
	if d := got.decision; d.Kind != state.Continue || d.AffairID != "" || got.view.Active() != nil {
		t.Errorf("small talk needs no affair, got %+v", d)
	}
	got = w.turn(t, m, in("s1"), judges(state.Switch, "Spaceship", "", 0.9), "Hello")
	if d := got.decision; d.By != "rules" || len(got.notes) != 1 || !strings.Contains(got.notes[0], "does not exist") {
		t.Errorf("a switch to nothing is no answer: got %+v, notes %q", d, got.notes)
	}
}

func TestRulesDecideWithoutASmallModel(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	got := w.turn(t, m, in("s1"), nil, "Hi!")
	if d := got.decision; d.Kind != state.Continue || d.By != "rules" || got.paid {
		t.Errorf("a greeting: got %+v, paid %v", d, got.paid)
	}
	got = w.turn(t, m, in("s1"), nil, "I ordered brake pads for my Jeep on eBay, order number 07-14244-53150.")
	d := got.decision
	if d.Kind != state.NewAffair || d.By != "rules" || d.Title == "" || d.AffairID == "" || d.AffairID != got.view.Session.Active {
		t.Errorf("the first matter: got %+v, active %q", d, got.view.Session.Active)
	}
	if a := got.view.Active(); a == nil || a.Title != d.Title || a.Messages != 2 || len(a.Topics) == 0 {
		t.Errorf("the new affair: got %+v", a)
	}
}

// broken gives every task the same answer or error.
type broken struct {
	says string
	err  error
}

func (b broken) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	if b.err != nil {
		return nil, b.err
	}
	return schema.AssistantMessage(b.says, nil), nil
}

func (b broken) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, b.err
}

func TestAPoorSmallModelLeavesTheRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		small model.BaseChatModel
		note  string
		paid  bool
	}{
		{"an error", scripted.Background(nil, []string{"detect"}), "fails by script", true},
		{"a timeout", broken{err: context.DeadlineExceeded}, "deadline exceeded", true},
		{"nonsense", broken{says: "I would rather talk about cats."}, "small model, task detect", true},
		{"an unknown type", broken{says: `{"type":"DANCE","confidence":1}`}, "none of CONTINUE", true},
		{"nothing", broken{says: ""}, "the answer is empty", true},
		{"no answer in the script", scripted.Background(nil, nil), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			s := w.begin(t.Context(), m, nil)
			ctx := memory.ContextWithSmall(s.ctx, c.small)
			msg, err := m.Turn().Admit(ctx, in("s1"), state.Message{Text: "Hi!"})
			must(t, err)
			must(t, s.commit())
			view, err := m.Turn().Load(ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
			must(t, err)
			_, d, paid, err := decide(ctx, m, view, true)
			must(t, err)
			notes := strings.Join(s.trace.Notes(), "\n")
			if d.By != "rules" || d.Kind != state.Continue || paid != c.paid || !strings.Contains(notes, c.note) || (c.note == "") != (notes == "") {
				t.Errorf("got %+v, paid %v, notes %q", d, paid, notes)
			}
		})
	}
}

func TestWhenTheSmallModelIsAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		detect string
		ask    bool
		want   []string
	}{
		{"rules", false, nil},
		{"rules", true, []string{"detect"}},
		{"model", false, []string{"detect"}},
		{"hybrid", false, nil}, // a greeting is clear
		{"hybrid", true, []string{"detect"}},
	} {
		name := c.detect
		if c.ask {
			name += ", asked for"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small := judges(state.Continue, "", "", 0.9)
			w := newWorld()
			m := w.memory(t, func(cfg *memory.Config) { cfg.Settings.Detect, cfg.Small = c.detect, small })
			ctx, view := arrives(t, w, m, nil, "Hello!")
			if _, _, _, err := decide(ctx, m, view, c.ask); err != nil {
				t.Fatal(err)
			}
			same(t, "tasks asked", c.want, small.Asked())
		})
	}
}

// A model that is silent is given up when detect_timeout is over, and the rules decide.
func TestASilentJudgeIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		m := w.memory(t, func(c *memory.Config) {
			c.Small, c.Settings.Detect, c.Settings.DetectTimeout = silent{}, "model", 3*time.Second
		})
		began := time.Now()
		got := w.turn(t, m, in("s1"), nil, "Well, there is something about the thing from the other day.")
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("the turn took %s, want detect_timeout and nothing else", took)
		}
		if d := got.decision; d.By != "rules" || len(got.notes) != 1 || !strings.Contains(got.notes[0], "gave no answer within 3s") {
			t.Errorf("got %+v, notes %q; want the rules to decide and a note", d, got.notes)
		}
	})
}

// silent never answers detect; other tasks have no answer in it.
type silent struct{}

func (silent) Generate(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	if scripted.TaskOf(in) != "detect" {
		return nil, state.Errorf(state.NotFound, "silent", "has no answer")
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s silent) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, state.Errorf(state.NotFound, "silent", "is not streamed")
}

// What the rules take for new is judged by the model when the user may have it already, and by it alone.
func TestADoubtfulDuplicateIsJudgedOnce(t *testing.T) {
	t.Parallel()
	const said = "Something else now: I have to order brake pads for the Jeep Cherokee."
	for _, c := range []struct {
		name  string
		small *scripted.Small
		kind  state.Kind
		asked []string
	}{
		{"nobody can tell", nil, state.NewAffair, nil},
		{"it is there", judges(state.Switch, "Jeep brake pads", "", 0.9), state.Switch, []string{"detect"}},
		{"it is new", opens("Pads for the Cherokee"), state.NewAffair, []string{"detect"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Jeep brake pads"), "About the brake pads")
			w.turn(t, m, in("s1"), opens("University"), "The university sent an email")
			s := w.begin(t.Context(), m, c.small)
			msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: said})
			if err == nil {
				err = s.commit()
			}
			must(t, err)
			view, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
			must(t, err)
			d, err := m.Turn().Detect(s.ctx, view, msg, false)
			must(t, err)
			var asked []string
			if c.small != nil {
				asked = c.small.Asked()
			}
			if diff := cmp.Diff(c.asked, asked); d.Kind != c.kind || diff != "" {
				t.Errorf("want %s, got %+v; asked (-want +got):\n%s", c.kind, d, diff)
			}
		})
	}
}

// Of a long message the beginning is read for what it is about, and that is said.
func TestALongMessageIsReadInPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		text string
		note string
	}{
		{"short", "Hello!", ""},
		{"long", strings.Repeat("the roof ", 5000), "detect: of a message of 45000 bytes the first 16384 were read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			s := w.begin(t.Context(), m, nil)
			msg := state.Message{Seq: 1, Text: c.text}
			if _, err := m.Turn().Detect(s.ctx, state.View{Session: state.Session{Client: "c1", User: "u1", ID: "s1"}}, msg, false); err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(s.trace.Notes(), "\n")
			if !strings.Contains(notes, c.note) || (c.note == "") != (notes == "") {
				t.Errorf("notes %q, want one with %q", notes, c.note)
			}
		})
	}
}

func TestTheDuplicateGuard(t *testing.T) {
	t.Parallel()
	const near = "Order of brake pads, Jeep Cherokee" // one word more: perhaps the same
	for _, c := range []struct {
		name  string
		small *scripted.Small
		kind  state.Kind
		title string
	}{
		{"surely the same", opens("order of brake pads, JEEP"), state.Switch, "Order of brake pads Jeep"},
		{"surely another", opens("Holiday in Norway"), state.NewAffair, "Holiday in Norway"},
		{"perhaps, and the small model saw the other", opens(near), state.NewAffair, near},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Order of brake pads Jeep"), "About the garage")
			w.turn(t, m, in("s1"), opens("University"), "The university sent an email")
			got := w.turn(t, m, in("s1"), c.small, "and now this")
			if d := got.decision; d.Kind != c.kind || d.Title != c.title {
				t.Errorf("want %s %q, got %s %q (%s), asked %v", c.kind, c.title, d.Kind, d.Title, d.Reasoning, c.small.Asked())
			}
		})
	}
}

func TestWhoTitlesANewAffair(t *testing.T) {
	t.Parallel()
	detect := map[string]any{"type": "NEW_AFFAIR", "confidence": 0.95}
	const said = "I want to plan a holiday in Norway with my sister."
	for _, c := range []struct {
		name  string
		small *scripted.Small
		want  string // "" = some title by rule
		note  string
	}{
		{"detect", judges(state.NewAffair, "", "Norway", 0.9), "Norway", ""},
		{"the rules, for want of an answer", scripted.Background(map[string]any{"detect": detect}, nil), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			got := w.turn(t, m, in("s1"), c.small, said)
			title := got.decision.Title
			if got.decision.Kind != state.NewAffair || title == "" || c.want != "" && title != c.want {
				t.Errorf("want %q, got %+v", c.want, got.decision)
			}
			if notes := strings.Join(got.notes, "\n"); !strings.Contains(notes, c.note) || (c.note == "") != (notes == "") {
				t.Errorf("want a note with %q, got %q", c.note, notes)
			}
			if a := named(t, m, in("s1"), title); a.Title != title || a.Status != state.Active || a.Session != "s1" {
				t.Errorf("stored: %+v", a)
			}
		})
	}
}

// prompted keeps what it is asked and says that all goes on.
type prompted struct{ last *string }

func (p prompted) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	*p.last = in[0].Content
	return schema.AssistantMessage(`{"type":"CONTINUE","confidence":0.9}`, nil), nil
}

func (p prompted) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, state.Errorf(state.NotFound, "prompted", "is not streamed")
}

// The judge sees what was said in each affair last, in whatever session, and of many affairs those the rules think of.
func TestTheJudgeSeesWhatTheMemoryKnows(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s0"), opens("Roof repair"), "The roof leaks above the stairs, Mr Kowal comes on Friday")
	w.pass(50 * time.Hour)
	for i := range 20 {
		w.turn(t, m, in("s1"), opens(fmt.Sprintf("Matter %d", i)), fmt.Sprintf("Thing %d has to be done", i))
	}
	w.pass(time.Minute)
	w.turn(t, m, in("s1"), judges(state.AdHoc, "Matter 3", "", 0.9), "How long did thing 3 take?")
	shown := w.shownOf(t, m, in("s1"), "Kowal wants to see the stairs")
	for _, want := range []string{
		`2 days ago, title "Roof repair"`, `user said "The roof leaks above the stairs, Mr Kowal comes on Friday"`,
		`- user (aside) (on "id`, `"How long did thing 3 take?"`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the prompt lacks %s:\n%s", want, shown)
		}
	}
	if n := strings.Count(shown, "\n- id "); n != 16 {
		t.Errorf("the prompt shows %d affairs, want the current one and fifteen", n)
	}
}

// arrives is a message of session s1 that is admitted and not judged yet.
func arrives(t *testing.T, w *world, m *memory.Memory, small *scripted.Small, text string) (context.Context, state.View) {
	t.Helper()
	s := w.begin(t.Context(), m, small)
	msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: text})
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	view, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
	must(t, err)
	return s.ctx, view
}

// What a model that is asked by itself says is taken sooner than what a script says: a question aside about an affair at any confidence, a change from a
// half on where the rules lean to one as well.
func TestWhatAModelSaysIsTaken(t *testing.T) {
	t.Parallel()
	const plain, leaving = "It starts on Monday at nine.", "Something completely different now: I want to sell my old piano."
	for _, c := range []struct {
		name, text string
		scripted   bool
		kind       state.Kind
		target     string
		confidence float64
		want       state.Kind
	}{
		{"an aside about an affair", plain, false, state.AdHoc, "Car part", 0.2, state.AdHoc},
		{"an aside about none", plain, false, state.AdHoc, "", 0.4, state.Continue},
		{"an aside about none, likelier than not", plain, false, state.AdHoc, "", 0.55, state.AdHoc},
		{"a change that the rules see too", leaving, false, state.NewAffair, "", 0.55, state.NewAffair},
		{"a change that they do not see", plain, false, state.NewAffair, "", 0.55, state.Continue},
		{"a return that they do not see", plain, false, state.Switch, "Car part", 0.75, state.Switch},
		{"a scripted aside", plain, true, state.AdHoc, "Car part", 0.6, state.Continue},
		{"a scripted change", leaving, true, state.NewAffair, "", 0.6, state.Continue},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := w.memory(t, func(cfg *memory.Config) { cfg.Settings.Detect = "model" })
			w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has order number 07-14244-53150")
			w.turn(t, m, in("s1"), opens("University"), "The university sent an email about the course")
			ctx, view := arrives(t, w, m, judges(c.kind, c.target, "Piano", c.confidence), c.text)
			if _, d, _, err := decide(ctx, m, view, c.scripted); err != nil || d.Kind != c.want || d.By != "model" {
				t.Errorf("decided %+v, %v; want %s", d, err, c.want)
			}
		})
	}
}

// A message of which nothing is kept settles no affair, whoever decides: a chat program's own errand shows the whole talk, closing words and all.
func TestAnUnstoredMessageSettlesNothing(t *testing.T) {
	t.Parallel()
	says := scripted.Background(map[string]any{"detect": map[string]any{"type": "CONTINUE", "closes": "University", "confidence": 0.9}}, nil)
	for name, small := range map[string]*scripted.Small{"the rules": nil, "a model": says} {
		for _, stored := range []bool{true, false} {
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("University"), "The university sent an email about the course")
			s := w.begin(t.Context(), m, small)
			msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "The university is settled.", StoreKnowledge: &stored})
			must(t, err)
			must(t, s.commit())
			view, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
			must(t, err)
			d, _, err := m.Turn().Judge(s.ctx, view, small != nil)
			must(t, err)
			if (d.Closes != "") != stored {
				t.Errorf("%s, stored %v: closes %q", name, stored, d.Closes)
			}
		}
	}
}

// Closing words settle the affair they name, else the one at hand, and none where the message speaks of something else. A model says itself which.
func TestWhichAffairIsClosed(t *testing.T) {
	t.Parallel()
	says := func(closes any) *scripted.Small {
		return scripted.Background(map[string]any{"detect": map[string]any{"type": "CONTINUE", "closes": closes, "confidence": 0.9}}, nil)
	}
	for _, c := range []struct {
		text  string
		small *scripted.Small
		want  string
	}{
		{"The university is settled.", judges(state.Continue, "", "", 0.9), "University"},
		{"The car part is settled, done.", judges(state.Continue, "", "", 0.9), "Car part"},
		{"That's settled then.", judges(state.Continue, "", "", 0.9), "University"},
		{"The order has come, that's settled then.", judges(state.Continue, "", "", 0.9), ""},
		{"That's settled then.", says(nil), ""},
		{"It came and it fits.", says("Car part"), "Car part"},
		{"Close the car part affair.", judges(state.Continue, "", "", 0.9), "Car part"},
		{"Please close the car part.", judges(state.Continue, "", "", 0.9), "Car part"},
		{"Close the account at the university.", judges(state.Continue, "", "", 0.9), ""},
		{"The kitchen is painted, I paid the man 6,100, that's settled.", says(nil), ""},
		{"Malování je hotové, zaplatil jsem 6 100, tohle je vyřízené.", says(nil), ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has order number 07-14244-53150")
			w.turn(t, m, in("s1"), opens("University"), "The university sent an email about the course")
			w.turn(t, m, in("s1"), c.small, c.text)
			for _, title := range []string{"Car part", "University"} {
				if a := named(t, m, in("s1"), title); (a.Status == state.Resolved) != (title == c.want) {
					t.Errorf("%q is %s, want %q closed", title, a.Status, c.want)
				}
			}
		})
	}
}
