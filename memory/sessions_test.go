package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// edit changes a session or fails the test.
func edit(t *testing.T, m *memory.Memory, scope state.Scope, c sessions.Change) state.Session {
	t.Helper()
	s, err := m.Sessions().Edit(t.Context(), scope, c)
	must(t, err)
	return s
}

func TestSessionsAreBegunNamedListedAndEnded(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	begun := edit(t, m, state.Scope{Client: "c1", User: "u1"}, sessions.Change{New: true, Title: "Trip\n to Lisbon"})
	if begun.ID == "" || begun.Title != "Trip to Lisbon" || begun.Part != 1 || begun.Ended() {
		t.Errorf("begun: %+v", begun)
	}
	w.pass(time.Minute)
	w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
	w.pass(time.Minute)
	edit(t, m, in("s1"), sessions.Change{Title: "Car"})
	ended := edit(t, m, in("s1"), sessions.Change{End: true})
	if !ended.Ended() || ended.Active != "" || ended.Part != 2 {
		t.Errorf("ended: %+v", ended)
	}
	if a := named(t, m, in("s1"), "Car part"); a.Status != state.Parked || a.Summary == "" {
		t.Errorf("what was active is to be parked with a summary: %+v", a)
	}
	again := edit(t, m, in("s1"), sessions.Change{End: true})
	if diff := cmp.Diff(ended, again); diff != "" {
		t.Errorf("ended twice (-once +twice):\n%s", diff)
	}
	list, err := m.Sessions().List(t.Context(), in("s9"))
	if err != nil || len(list) != 2 || list[0].ID != "s1" || list[0].Title != "Car" || list[1].ID != begun.ID {
		t.Errorf("want s1 and the one before it, got %+v, %v", list, err)
	}
	got := w.turn(t, w.memory(t, nil), in("s1"), judges(state.Switch, "Car part", "", 0.9), "back to the car part")
	if s := got.view.Session; s.Part != 2 || s.PartFrom != 3 || s.Title != "Car" || s.Ended() {
		t.Errorf("used again: %+v", s)
	}
}

func TestAPartThatEndedKeepsADocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		ends func(t *testing.T, w *world, m *memory.Memory)
		at   time.Duration // of its end, since it began
	}{
		{"explicitly", func(t *testing.T, w *world, m *memory.Memory) { edit(t, m, in("s1"), sessions.Change{End: true}) }, 2 * time.Minute},
		{"after a pause", func(t *testing.T, w *world, m *memory.Memory) {
			w.pass(31 * time.Minute)
			w.turn(t, m, in("s1"), opens("Roof"), "Something else: the roof leaks")
		}, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			began := w.clock()
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "My locker at the station is number 18-4-31")
			w.pass(time.Minute)
			w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
			car := named(t, m, in("s1"), "Car part")
			if c.at > time.Minute {
				w.pass(time.Minute)
			}
			c.ends(t, w, m)
			got := summaries(t, w.memory(t, nil), in("s1"))
			if len(got) != 1 {
				t.Fatalf("want one document, got %+v", got)
			}
			r := got[0]
			if r.Kind != state.SummaryRecord || r.Session != "s1" || !strings.Contains(r.Content, "18-4-31") || strings.Contains(r.Content, "07-14244-53150") {
				t.Errorf("record: %+v", r)
			}
			want := state.Span{Part: 1, First: 1, Last: 4, Covered: 4, Messages: 2, Version: 1, Affairs: []string{car.ID}, StartedAt: began, EndedAt: began.Add(c.at),
				Digest: "Car part (parked)\nMy locker at the station is number 18-4-31"}
			span := *r.Span
			if len(span.KeyFacts) == 0 || len(span.Topics) == 0 || span.UpdatedAt.IsZero() {
				t.Errorf("key facts %v, topics %v, updated %s", span.KeyFacts, span.Topics, span.UpdatedAt)
			}
			span.KeyFacts, span.Topics, span.UpdatedAt = nil, nil, time.Time{}
			same(t, "what it covers", want, span)
			s, err := m.Sessions().Get(t.Context(), in("s1"))
			if err != nil || s.Part != 2 || s.PartFrom != 5 || len(s.Ending) > 0 {
				t.Errorf("session: %+v, %v", s, err)
			}
		})
	}
}

// A turn that was cut off behind the decision has not written the part's document: the next one does.
func TestAnUnwrittenPartIsWrittenByTheNextTurn(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "My locker at the station is number 18-4-31")
	w.pass(time.Hour)
	s := w.begin(t.Context(), m, nil)
	msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "Hello, the roof leaks", Turn: "t9"})
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	v, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
	must(t, err)
	if _, _, _, err = decide(s.ctx, m, v, false); err == nil {
		err = s.commit()
	}
	must(t, err)
	if got := summaries(t, m, in("s1")); len(got) > 0 {
		t.Fatalf("too early: %+v", got)
	}
	w.turn(t, w.memory(t, nil), in("s1"), nil, "Are you there?")
	got := summaries(t, m, in("s1"))
	if len(got) != 1 || got[0].Span.Last != 2 || got[0].Span.EndedAt.IsZero() || !strings.Contains(got[0].Content, "18-4-31") {
		t.Errorf("want the document of the part before, got %+v", got)
	}
}

func TestTwoProcessesEndASession(t *testing.T) {
	t.Parallel()
	for _, begin := range []func() *world{newWorld, newServer} {
		w := begin()
		first := w.memory(t, nil)
		w.turn(t, first, in("s1"), judges(state.Continue, "", "", 0.9), "My locker at the station is number 18-4-31")
		w.turn(t, first, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
		var wg sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			m := first
			if i%2 == 1 {
				m = w.memory(t, nil)
			}
			wg.Go(func() {
				_, errs[i] = m.Sessions().Edit(t.Context(), in("s1"), sessions.Change{End: true, Clear: i == 5})
			})
		}
		wg.Wait()
		must(t, errors.Join(errs...))
		fresh := w.memory(t, nil)
		s, err := fresh.Sessions().Get(t.Context(), in("s1"))
		if err != nil || s.Part != 2 || s.PartFrom != 5 || s.Active != "" || !s.Ended() {
			t.Errorf("session: %+v, %v", s, err)
		}
		if got := summaries(t, fresh, in("s1")); len(got) != 1 || got[0].Span.EndedAt.IsZero() {
			t.Errorf("want one document of the part, got %+v", got)
		}
	}
}

func TestWhatCannotBeDoneToASession(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), nil, "Hello")
	w.turn(t, m, in("trip"), nil, "Hello")
	edit(t, m, in("trip"), sessions.Change{Title: "Lisbon"})
	s := w.begin(t.Context(), m, nil)
	if _, err := m.Turn().Admit(s.ctx, in("busy"), state.Message{Text: "Hello", Turn: "t9"}); err != nil {
		t.Fatal(err)
	}
	must(t, s.commit())
	other := in("s1")
	other.User = "u2"
	for _, c := range []struct {
		name   string
		scope  state.Scope
		change sessions.Change
		want   state.Code
		says   string
	}{
		{"unknown", in("s7"), sessions.Change{End: true}, state.NotFound, "Lisbon (trip)"},
		{"another user's", other, sessions.Change{End: true}, state.NotFound, "none yet"},
		{"begun twice", in("s1"), sessions.Change{New: true}, state.Conflict, "name another"},
		{"with a turn running", in("busy"), sessions.Change{End: true}, state.Conflict, "cancel it"},
		{"to no title", in("s1"), sessions.Change{Title: " \t"}, state.Invalid, "a few words"},
		{"to nothing", in("s1"), sessions.Change{}, state.Invalid, "nothing is to be changed"},
		{"to a book", in("s1"), sessions.Change{Title: strings.Repeat("word ", 400)}, state.Invalid, "a few words"},
		{"to no text", in("s1"), sessions.Change{Title: "a\xff"}, state.Invalid, "UTF-8"},
		{"of no id", in("a/b"), sessions.Change{New: true}, state.Invalid, "session"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := m.Sessions().Edit(t.Context(), c.scope, c.change)
			if text := code(t, err, c.want); !strings.Contains(text, c.says) {
				t.Errorf("want %q in %q", c.says, text)
			}
		})
	}
	named := edit(t, m, in("s1"), sessions.Change{Title: "my key is sk-live-51HxyzABCDEFghijklmnop"})
	if strings.Contains(named.Title, "51Hxyz") || !strings.Contains(named.Title, state.MaskOpening) {
		t.Errorf("title with a secret: %q", named.Title)
	}
}

// A rename and an end that fall into a running turn are not lost when the turn ends.
func TestAChangeBesideATurnStays(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
	s := w.begin(t.Context(), m, nil)
	msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "and it is blue", Turn: "t9"})
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	v, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
	must(t, err)
	there := w.memory(t, nil)
	w.pass(time.Second)
	edit(t, there, in("s1"), sessions.Change{Title: "Car"})
	edit(t, there, in("s1"), sessions.Change{Clear: true})
	v, d, _, err := decide(s.ctx, m, v, false)
	if err == nil {
		_, err = m.Turn().Flush(s.ctx, v, d)
	}
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	after, err := w.memory(t, nil).Sessions().Get(t.Context(), in("s1"))
	if err != nil || after.Title != "Car" || after.Part != 2 || after.PartFrom != 3 || after.WindowFrom != 2 || after.Active != "" {
		t.Errorf("session: %+v, %v", after, err)
	}
}

func TestUndoAndForkHoldForASummary(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.Settings.HistoryLimit, c.Settings.SummaryWindow = 2, 4 })
	var turns []turn
	for i := range 6 {
		turns = append(turns, w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), fmt.Sprintf("Locker %d holds parcel number 70-%d0%d1.", i, i, i)))
	}
	if got := summaries(t, m, in("s1")); len(got) != 1 || !strings.Contains(got[0].Content, "70-0001") {
		t.Fatalf("summary: %+v", got)
	}
	for to, upTo := range map[string]int64{"whole": 12, "early": 4} {
		must(t, m.Sessions().Fork(t.Context(), in("s1"), upTo, to))
		got := w.turn(t, m, in(to), judges(state.Continue, "", "", 0.9), "And now?")
		ctx, err := m.Turn().Gather(t.Context(), got.view, got.decision, "")
		if err != nil || !strings.Contains(ctx.Summary, "70-0001") || upTo == 4 && strings.Contains(ctx.Summary, "70-2021") {
			t.Errorf("fork %s: summary %q, %v", to, ctx.Summary, err)
		}
	}
	must(t, m.History().UndoTurn(t.Context(), in("s1"), turns[0].view.Turn[0].Turn))
	for _, r := range summaries(t, w.memory(t, nil), in("s1")) {
		if r.Session == "s1" && (strings.Contains(r.Content+fmt.Sprint(r.Span.KeyFacts), "70-0001") || !strings.Contains(r.Content, "70-1011")) {
			t.Errorf("after the undo: %+v %+v", r, r.Span)
		}
	}
}
