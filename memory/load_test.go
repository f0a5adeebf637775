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
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

func TestMessagesAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for i := range 3 {
		w.turn(t, m, in("s1"), nil, fmt.Sprintf("message %d", i))
	}
	w.turn(t, m, in("s2"), nil, "another session")
	kept, err := m.Messages(t.Context(), in("s1"))
	must(t, err)
	var got []string
	for _, msg := range kept {
		got = append(got, fmt.Sprintf("%d %s %s %s", msg.Seq, msg.ID, msg.Role, msg.Text))
	}
	want := []string{
		"1 m1 user message 0", "2 m2 assistant Noted.", "3 m3 user message 1", "4 m4 assistant Noted.",
		"5 m5 user message 2", "6 m6 assistant Noted.",
	}
	same(t, "messages", want, got)
	if s, err := m.Sessions().Get(t.Context(), in("s1")); err != nil || s.Messages != 6 || s.Part != 1 || !s.StartedAt.Equal(w.clock()) {
		t.Errorf("session: got %+v, %v", s, err)
	}
	if s, err := m.Sessions().Get(t.Context(), in("never")); err != nil || !cmp.Equal(s, state.Session{}) {
		t.Errorf("a session never used: got %+v, %v", s, err)
	}
}

func TestAnAffairIsParkedForOtherSessions(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "A part for the car")
	w.turn(t, m, in("s2"), opens("University"), "The university wrote")
	for _, c := range []struct {
		session string
		active  string
		parked  []string
	}{
		{"s1", "Car part", []string{"University PARKED"}},
		{"s2", "University", []string{"Car part PARKED"}},
		{"s3", "", []string{"University PARKED", "Car part PARKED"}},
	} {
		t.Run(c.session, func(t *testing.T) {
			t.Parallel()
			v, err := m.Turn().Load(t.Context(), state.Input{Scope: in(c.session), Seq: 1})
			must(t, err)
			active := ""
			if a := v.Active(); a != nil {
				active = a.Title
			}
			got := titles(v.Parked())
			slices.Sort(got)
			slices.Sort(c.parked)
			if active != c.active || !slices.Equal(got, c.parked) {
				t.Errorf("want active %q and %v, got %q and %v", c.active, c.parked, active, got)
			}
		})
	}
}

// window are the texts of a session's window before message number seq.
func window(t *testing.T, m *memory.Memory, scope state.Scope, seq int64) []string {
	t.Helper()
	v, err := m.Turn().Load(t.Context(), state.Input{Scope: scope, Seq: seq})
	must(t, err)
	return said(v.Window)
}

// said are the texts of the user's messages.
func said(window []state.Message) []string {
	out := []string{}
	for _, msg := range window {
		if msg.Role == state.RoleUser {
			out = append(out, msg.Text)
		}
	}
	return out
}

func TestTheWindowShowsTheActiveAffairAndSmallTalk(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	s1 := in("s1")
	w.turn(t, m, s1, nil, "Hello")
	w.turn(t, m, s1, opens("Car part"), "about the car")
	w.turn(t, m, s1, opens("University"), "about the university")
	w.turn(t, m, s1, judges(state.AdHoc, "Car part", "", 0.9), "aside about the car")
	w.turn(t, m, s1, judges(state.AdHoc, "", "", 0.9), "aside about nothing")
	w.turn(t, m, s1, judges(state.Continue, "", "", 0.9), "more of the university")

	want := []string{"Hello", "about the university", "aside about nothing", "more of the university"}
	same(t, "under University", want, window(t, m, s1, 13))
	got := w.turn(t, m, s1, judges(state.Switch, "Car part", "", 0.9), "back to the car")
	same(t, "on the way to Car part", []string{"Hello", "about the car", "aside about the car", "aside about nothing"}, said(got.view.Window))
	want = []string{"Hello", "about the car", "aside about the car", "aside about nothing", "back to the car"}
	same(t, "under Car part", want, window(t, m, s1, 15))
	if _, err := m.Affairs().Move(t.Context(), s1, "Car part", state.Parked, ""); err != nil {
		t.Fatal(err)
	}
	same(t, "under none", []string{"Hello", "aside about nothing", "back to the car"}, window(t, m, s1, 15))
}

// TestTheWindowShowsTheLastExchange: whatever that is filed under, a message that moves to no other affair may go on from it.
func TestTheWindowShowsTheLastExchange(t *testing.T) {
	t.Parallel()
	const about, car, aside, again = "about the university", "about the car", "When does the car part arrive?", "And what did it cost?"
	const on = "And the other one?"
	asks, stays := judges(state.AdHoc, "Car part", "", 0.9), judges(state.Continue, "", "", 0.9)
	asked := func(t *testing.T, w *world, m *memory.Memory) { w.turn(t, m, in("s1"), asks, aside) }
	for _, c := range []struct {
		name   string
		before func(t *testing.T, w *world, m *memory.Memory)
		small  *scripted.Small
		says   string
		want   []string
	}{
		{"a question aside has what stands before it", nil, asks, on, []string{about}},
		{"what answers the aside", asked, stays, "Yes.", []string{about, aside}},
		{"what asks on", asked, stays, on, []string{about, aside}},
		{"what asks on and names the affair", asked, stays, "Is that before the university begins?", []string{about, aside}},
		{"what is about the affair by itself", asked, stays, "When does the university begin?", []string{about}},
		{"what is about it in another word", asked, stays, "What does the school want next?", []string{about}},
		{"an aside behind an aside", func(t *testing.T, w *world, m *memory.Memory) {
			w.turn(t, m, in("s1"), asks, aside)
			w.turn(t, m, in("s1"), asks, again)
		}, asks, on, []string{about, again}},
		{"a turn later", func(t *testing.T, w *world, m *memory.Memory) {
			w.turn(t, m, in("s1"), asks, aside)
			w.turn(t, m, in("s1"), stays, "yes")
		}, stays, on, []string{about, "yes"}},
		{"who leaves takes nothing along", nil, opens("Garden"), on, []string{}},
		{"who goes back takes no aside along", func(t *testing.T, w *world, m *memory.Memory) {
			w.turn(t, m, in("s1"), opens("Garden"), "the garden")
			w.turn(t, m, in("s1"), judges(state.AdHoc, "University", "", .9), "And the exam?")
		}, judges(state.Switch, "Car part", "", 0.9), on, []string{car}},
		{"what was cleared stays so", func(t *testing.T, w *world, m *memory.Memory) {
			w.turn(t, m, in("s1"), asks, aside)
			if _, err := m.Sessions().Edit(t.Context(), in("s1"), sessions.Change{Clear: true}); err != nil {
				t.Fatal(err)
			}
		}, stays, on, []string{}},
		{"a part that is over is", func(t *testing.T, w *world, m *memory.Memory) {
			w.turn(t, m, in("s1"), asks, aside)
			w.pass(time.Hour)
		}, judges(state.AdHoc, "Car part", "", 0.9), on, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Car part"), car)
			w.turn(t, m, in("s1"), opens("University"), about)
			if c.before != nil {
				c.before(t, w, m)
			}
			got := w.turn(t, m, in("s1"), c.small, c.says)
			same(t, "window", c.want, said(got.view.Window))
			again, err := m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: got.view.Turn[0].Seq}, got.decision)
			must(t, err)
			same(t, "window of a second attempt", c.want, said(again.Window))
		})
	}
}

func TestTheWindowIsLimited(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.Settings.HistoryLimit = 4 })
	for i := range 5 {
		w.turn(t, m, in("s1"), nil, fmt.Sprintf("hello %d", i))
	}
	same(t, "window", []string{"hello 3", "hello 4"}, window(t, m, in("s1"), 11))
	same(t, "before the second message", []string{"hello 0"}, window(t, m, in("s1"), 3))
}

func TestLoadShowsTheTurnSoFar(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), nil, "Hello")
	s := w.begin(t.Context(), m, nil)
	msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "How are you?"})
	must(t, err)
	_ = memory.Say(s.ctx, in("s1"), state.Message{Seq: 4, Role: state.RoleAssistant, ToolCalls: []state.ToolCall{{ID: "c", Name: "x"}}})
	must(t, s.commit())
	v, err := w.memory(t, nil).Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: msg.Seq})
	if err != nil || len(v.Turn) != 2 || v.Turn[0].Text != "How are you?" || len(v.Turn[1].ToolCalls) != 1 || len(v.Window) != 2 {
		t.Errorf("want two messages of the turn and two before it, got %+v and %+v, %v", v.Turn, v.Window, err)
	}
}

func TestClear(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	if _, err := m.Sessions().Edit(t.Context(), in("s1"), sessions.Change{Clear: true}); err != nil {
		t.Errorf("clearing a session that was never used: %v", err)
	}
	w.turn(t, m, in("s1"), nil, "Hello")
	w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
	if _, err := m.Sessions().Edit(t.Context(), in("s1"), sessions.Change{Clear: true}); err != nil {
		t.Fatal(err)
	}
	if got := window(t, m, in("s1"), 5); len(got) != 0 {
		t.Errorf("cleared messages are still in sight: %q", got)
	}
	a := named(t, m, in("s1"), "Car part")
	if a.Status != state.Parked || a.Summary == "" {
		t.Errorf("what was active is to be parked with a summary, got %+v", a)
	}
	s, err := m.Sessions().Get(t.Context(), in("s1"))
	if err != nil || s.Active != "" || s.Part != 2 || s.WindowFrom != 4 || s.Summary != "" {
		t.Errorf("session after clear: %+v, %v", s, err)
	}
	w.turn(t, m, in("s1"), judges(state.Switch, "Car part", "", 0.9), "back to the car part")
	same(t, "window after clear", []string{"back to the car part"}, window(t, m, in("s1"), 7))
	kept, err := m.Messages(t.Context(), in("s1"))
	if err != nil || len(kept) != 6 {
		t.Errorf("nothing is deleted: want 6 messages, got %d, %v", len(kept), err)
	}
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "order number of the part"}); len(got) == 0 || !strings.Contains(strings.Join(got, ""), "07-14244-53150") {
		t.Errorf("cleared messages can still be recalled; got %q", got)
	}
}

func TestAPause(t *testing.T) {
	t.Parallel()
	const pause = 30*time.Minute + time.Second
	on, aside := judges(state.Continue, "", "", .9), judges(state.AdHoc, "", "", .9)
	for _, c := range []struct {
		name   string
		pause  time.Duration
		small  *scripted.Small
		part   int
		active string
		status state.Status
		filed  int
	}{
		{"at thirty minutes a message goes on", 30 * time.Minute, on, 1, "Car part", state.Active, 4},
		{"after thirty minutes too", pause, on, 1, "Car part", state.Active, 4},
		{"by the rules as well", pause, nil, 1, "Car part", state.Active, 4},
		{"before thirty minutes an aside moves nothing", time.Minute, aside, 1, "Car part", state.Active, 2},
		{"after them it parks", pause, aside, 2, "", state.Parked, 2},
		{"another affair parks", pause, opens("Garden"), 2, "Garden", state.Parked, 2},
		{"the clock goes back", -48 * time.Hour, on, 1, "Car part", state.Active, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
			w.pass(c.pause)
			got := w.turn(t, w.memory(t, nil), in("s1"), c.small, "and when does the part arrive?")
			active := ""
			if a := got.view.Active(); a != nil {
				active = a.Title
			}
			a := named(t, m, in("s1"), "Car part")
			if s := got.view.Session; active != c.active || s.Part != c.part || a.Status != c.status {
				t.Errorf("want active %q in part %d and status %s, got %q in %d and %s", c.active, c.part, c.status, active, s.Part, a.Status)
			}
			if a.Messages != c.filed || active == "Car part" && len(got.view.Window) == 0 {
				t.Errorf("the affair counts %d messages, want %d; the window has %d", a.Messages, c.filed, len(got.view.Window))
			}
		})
	}
}

// A question that goes on from one aside has the facts of what that was about, for one message; an answer to it has not, nor has what is about the active affair.
func TestAskingOnHasTheFacts(t *testing.T) {
	t.Parallel()
	asks, stays := judges(state.AdHoc, "Car part", "", 0.9), judges(state.Continue, "", "", 0.9)
	for says, want := range map[string]bool{
		"And how much was it?": true, "a kolik to stálo?": true, "und was hat das gekostet?": true, "Yes.": false, "When does the university begin?": false, "And it is raining.": false,
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Car part"), "The car part costs 89 EUR.")
			w.turn(t, m, in("s1"), opens("University"), "about the university")
			w.turn(t, m, in("s1"), asks, "When does the car part arrive?")
			for _, on := range []struct {
				says string
				want bool
			}{{says, want}, {"And how much was it?", false}} {
				got := w.turn(t, m, in("s1"), stays, on.says)
				shown, err := m.Turn().Gather(t.Context(), got.view, got.decision, "")
				must(t, err)
				if has := strings.Contains(fmt.Sprint(shown.Evidence), "89 EUR"); has != on.want {
					t.Errorf("%q: evidence of the car part: %v, want %v", on.says, has, on.want)
				}
			}
		})
	}
}
