package memory_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// level opens a memory of a level of autonomy over the world's store.
func (w *world) level(t *testing.T, autonomy int) *memory.Memory {
	t.Helper()
	return w.memory(t, func(c *memory.Config) {
		c.Settings.Autonomy = autonomy
		c.MayShare = func(state.Scope) bool { return true }
	})
}

// known is a world in which something is remembered: records, two affairs, something shared, and a turn with a record of its own.
type known struct {
	*world
	record, shared string
	boat, roof     string
	turn           string
	change         int64
}

func newKnown(t *testing.T, w *world) *known {
	t.Helper()
	m, k := w.level(t, 2), &known{world: w}
	ctx, scope := t.Context(), in("s1")
	k.record = write(t, m, scope, memory.Change{Subject: "cat", Content: "The cat is called Micka", About: state.AboutUser}).ID
	k.change = head(t, m)
	shared, err := m.Share(ctx, scope, memory.Change{Subject: "opening hours", Content: "The office opens at nine"})
	must(t, err)
	k.shared = shared[0].ID
	for _, title := range []string{"Boat", "Roof"} {
		a, err := m.Affairs().Create(ctx, scope, title, memory.AffairChange{})
		must(t, err)
		k.boat, k.roof = k.roof, a.ID
	}
	k.turn = w.turn(t, m, in("s2"), nil, "I live in Gdynia.").view.Turn[0].Turn
	return k
}

// attempt is a way by which memory is edited.
type attempt struct {
	name  string
	do    func(t *testing.T, k *known, m *memory.Memory) error
	tries int  // how many edits it asks for
	turn  bool // it is part of a turn: what detection does to affairs goes on
	quiet bool // it is no request: where nothing may be written nothing is tried, and there is no error
}

func attempts() []attempt {
	ctx := func(t *testing.T) context.Context { return t.Context() }
	amend := func(a memory.Amendment) func(*testing.T, *known, *memory.Memory) error {
		return func(t *testing.T, k *known, m *memory.Memory) error {
			if a.ID == "" && a.Match == "" {
				a.ID = k.record
			}
			_, err := m.Amend(ctx(t), in("s1"), a)
			return err
		}
	}
	turn := func(text string, msg func(*state.Message)) func(*testing.T, *known, *memory.Memory) error {
		return func(t *testing.T, k *known, m *memory.Memory) error {
			_, err := k.say(t.Context(), m, in("s3"), text, msg)
			return err
		}
	}
	return []attempt{
		{"write", func(t *testing.T, _ *known, m *memory.Memory) error {
			_, err := m.Write(ctx(t), in("s1"), memory.Change{Content: "The dog is called Rex"}, memory.Change{Content: "The horse is called Bella"})
			return err
		}, 2, false, false},
		{"said again", func(t *testing.T, _ *known, m *memory.Memory) error {
			_, err := m.Write(ctx(t), in("s1"), memory.Change{Subject: "cat", Content: "The cat is called Micka", About: state.AboutUser, Pinned: true})
			return err
		}, 1, false, false},
		{"forget", amend(memory.Amendment{Action: memory.ForgetRecord}), 1, false, false},
		{"forget by words", amend(memory.Amendment{Action: memory.ForgetRecord, Match: "cat"}), 1, false, false},
		{"correct", amend(memory.Amendment{Action: memory.CorrectRecord, Content: "The cat is called Mourek"}), 1, false, false},
		{"pin", amend(memory.Amendment{Action: memory.PinRecord}), 1, false, false},
		{"unpin", amend(memory.Amendment{Action: memory.UnpinRecord}), 1, false, false},
		{"create affair", func(t *testing.T, _ *known, m *memory.Memory) error {
			_, err := m.Affairs().Create(ctx(t), in("s1"), "Garden", memory.AffairChange{Facts: state.Facts{{Label: "price", Value: "9"}}})
			return err
		}, 1, false, false},
		{"edit affair", func(t *testing.T, k *known, m *memory.Memory) error {
			_, err := m.Affairs().Edit(ctx(t), in("s1"), k.boat, memory.AffairChange{Title: "Ship", Facts: state.Facts{{Label: "price", Value: "9"}}})
			return err
		}, 1, false, false},
		{"merge affairs", func(t *testing.T, k *known, m *memory.Memory) error {
			_, err := m.Affairs().Merge(ctx(t), in("s1"), k.boat, k.roof)
			return err
		}, 1, false, false},
		{"move affair", func(t *testing.T, k *known, m *memory.Memory) error {
			_, err := m.Affairs().Move(ctx(t), in("s1"), k.boat, state.Resolved, "Sold.")
			return err
		}, 1, false, false},
		{"share", func(t *testing.T, _ *known, m *memory.Memory) error {
			_, err := m.Share(ctx(t), in("s1"), memory.Change{Content: "The office closes at five"})
			return err
		}, 1, false, false},
		{"withdraw", func(t *testing.T, k *known, m *memory.Memory) error {
			_, err := m.Amend(ctx(t), in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: k.shared, Shared: true})
			return err
		}, 1, false, false},
		{"withhold", func(t *testing.T, _ *known, m *memory.Memory) error {
			_, err := m.Turn().Withhold(memory.ContextWithOrigin(ctx(t), memory.Origin{Scope: in("s2"), Turn: "t9", Seq: 3, Tool: "memory_update", Call: "1/a"}), in("s2"), true)
			return err
		}, 1, false, false},
		{"undo a change", func(t *testing.T, k *known, m *memory.Memory) error {
			return m.History().UndoChange(ctx(t), in("s1"), k.change)
		}, 1, false, false},
		{"undo a turn", func(t *testing.T, k *known, m *memory.Memory) error {
			return m.History().UndoTurn(ctx(t), in("s2"), k.turn)
		}, 1, false, false},
		{"what the user says of himself", turn("I live in Leeds. My phone is 603 555 666.", nil), 2, true, true},
		{"a preference for all sessions", turn("Hello", func(msg *state.Message) {
			msg.Preferences = &state.Preferences{Tone: "concise", Scope: state.GlobalPreference}
		}), 1, true, false},
		{"extra context", turn("See these.", func(msg *state.Message) {
			yes := true
			msg.StoreKnowledge, msg.Extra = &yes, &state.ExtraContext{Notes: []string{"The keel is cracked"}, Links: []string{"https://example.org/keel"}}
		}), 2, true, true},
		{"what a finished session says", func(t *testing.T, k *known, m *memory.Memory) error {
			// The fact is not one of those that are heard at once, and what it takes away is known.
			if _, err := k.say(t.Context(), m, in("s4"), "Always answer with metric units, please.", nil); err != nil {
				return err
			}
			_, err := m.Sessions().Edit(ctx(t), in("s4"), sessions.Change{End: true})
			return err
		}, 1, true, true},
	}
}

// say runs a turn of a message that brings something.
func (w *world) say(ctx context.Context, m *memory.Memory, scope state.Scope, text string, change func(*state.Message)) (state.View, error) {
	if _, err := m.Turn().Commits().Look(ctx, scope.Thread()); err != nil {
		return state.View{}, err
	}
	s := w.begin(ctx, m, nil)
	msg := state.Message{Text: text, Turn: w.newID()}
	if change != nil {
		change(&msg)
	}
	msg, err := m.Turn().Admit(s.ctx, scope, msg)
	if err != nil {
		return state.View{}, err
	}
	if err := s.commit(); err != nil {
		return state.View{}, err
	}
	view, err := m.Turn().Load(s.ctx, state.Input{Scope: scope, Seq: msg.Seq})
	if err != nil {
		return view, err
	}
	view, d, _, err := decide(s.ctx, m, view, false)
	if err != nil {
		return view, err
	}
	answer := state.Message{ID: "m2", Seq: msg.Seq + 1, Turn: msg.Turn, Role: state.RoleAssistant, Text: "Noted.", At: w.clock()}
	_ = memory.Say(s.ctx, scope, answer)
	if err := s.commit(); err != nil {
		return view, err
	}
	view.Turn = append(slices.Clone(view.Turn), answer)
	if view, err = m.Turn().Flush(s.ctx, view, d); err != nil {
		return view, err
	}
	return view, s.commit()
}

// remembered is what the store has of memory: records and affairs, but no suggestions, no summaries and no affairs that turns move.
func remembered(t *testing.T, w *world, turn bool) map[string]string {
	t.Helper()
	out := map[string]string{}
	for key, text := range contents(t, w) {
		bookkeeping := strings.HasPrefix(key, string(state.Suggestions)) || strings.Contains(text, `"kind":"summary"`) || turn && strings.HasPrefix(key, string(state.Affairs))
		if !bookkeeping {
			out[key] = text
		}
	}
	return out
}

func suggestions(t *testing.T, m *memory.Memory, answered bool) []state.Suggestion {
	t.Helper()
	list, err := m.Suggestions().List(t.Context(), in("s1"), answered)
	must(t, err)
	return list
}

// With autonomy 0 and 1 nothing is edited by any way. At 1 each attempt leaves a suggestion, and the audit has each; at 2 each of them is carried out.
func TestAutonomyOverAllWays(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *world{"transactions": newWorld, "none": newServer} {
		for _, a := range attempts() {
			t.Run(name+"/"+a.name, func(t *testing.T) {
				t.Parallel()
				k := newKnown(t, open())
				before := remembered(t, k.world, a.turn)

				// Read-only.
				m := k.level(t, 0)
				if err := a.do(t, k, m); err == nil && !a.quiet || err != nil && !errors.Is(err, state.ErrDenied) {
					t.Fatalf("at 0: %v", err)
				}
				if diff := cmp.Diff(before, remembered(t, k.world, a.turn)); diff != "" {
					t.Errorf("at 0 it changed (-before +after):\n%s", diff)
				}
				if n := len(suggestions(t, m, false)); n != 0 {
					t.Errorf("at 0 it left %d suggestions", n)
				}

				// WaitsError.
				m = k.level(t, 1)
				var waits *suggest.WaitsError
				err := a.do(t, k, m)
				if asked := errors.As(err, &waits); err != nil && !asked {
					t.Fatalf("at 1: %v", err)
				}
				if waits != nil && (len(waits.Suggestions) != a.tries || !errors.Is(err, state.ErrDenied) || state.CodeOf(err) != state.Denied) {
					t.Errorf("at 1: %v", err)
				}
				if diff := cmp.Diff(before, remembered(t, k.world, a.turn)); diff != "" {
					t.Errorf("at 1 it changed (-before +after):\n%s", diff)
				}
				left := suggestions(t, m, false)
				if len(left) != a.tries {
					t.Fatalf("at 1 it left %d suggestions, want %d: %+v", len(left), a.tries, left)
				}
				for _, s := range left {
					made, err := m.History().Audit(t.Context(), in("s1"), history.Query{ID: s.ID})
					if err != nil || len(made) != 1 || made[0].What != "made" || made[0].By.Path == "" || s.Text == "" || s.Asks == "" {
						t.Errorf("the audit of %+v: %+v, %v", s, made, err)
					}
				}

				// Approved of, each once.
				for _, s := range left {
					got, err := m.Suggestions().Answer(t.Context(), in("s1"), s.ID, state.Answer{Choice: state.Approve})
					if err != nil || got.Status != state.Approved {
						t.Fatalf("approve %s %q: %+v, %v", s.Asks, s.Text, got, err)
					}
				}
				after := remembered(t, k.world, a.turn)
				if a.name != "unpin" && cmp.Equal(before, after) && len(sharedTexts(t, m)) == 1 {
					t.Errorf("approved of, nothing changed")
				}
				for _, s := range left {
					if _, err := k.level(t, 1).Suggestions().Answer(t.Context(), in("s1"), s.ID, state.Answer{Choice: state.Approve}); err != nil {
						t.Errorf("approve again: %v", err)
					}
				}
				if diff := cmp.Diff(after, remembered(t, k.world, a.turn)); diff != "" {
					t.Errorf("approved of twice (-once +twice):\n%s", diff)
				}
				if n := len(suggestions(t, m, false)); n != 0 {
					t.Errorf("%d suggestions wait on", n)
				}
			})
		}
	}
}

func sharedTexts(t *testing.T, m *memory.Memory) (out []string) {
	t.Helper()
	all, err := m.Shared(t.Context(), in("s1"))
	must(t, err)
	for _, r := range all {
		if r.ValidTo == nil {
			out = append(out, r.Content)
		}
	}
	return out
}

// Every exported method is known to be a way by which memory is edited, bookkeeping or reading: a new one fails here until it is.
func TestEveryDoorIsKnown(t *testing.T) {
	t.Parallel()
	// attempts has each but Tasks.End, which amends, and Tasks.Schedule, which writes; what Waiting takes is what a finished session says
	edits := strings.Fields(`Write Amend Affairs.Create Affairs.Edit Affairs.Merge Affairs.Move Share Turn.Withhold History.UndoTurn History.UndoChange Turn.Flush
		Sessions.Edit Tasks.End Tasks.Schedule Sessions.Waiting`)
	ordered := strings.Fields("Affairs.PutTurn")                   // a person's own order: at 1 nobody is asked, at 0 it is denied
	answers := strings.Fields("Suggestions.Answer History.Fulfil") // carries out what was approved of
	// Transcript, moves of affairs by detection, what is derived; what is written Together, or as one of Many, has passed the gate.
	keeps := strings.Fields(`Turn.Admit Turn.CarryOut Turn.Commits Turn.Judge Turn.Ingest Sessions.EndIdle Sessions.Fork Sessions.Summarise Turn.Together Many Close Tasks.Tell Vectors.Reindex Vectors.Settle`)
	// What a person has a right to, at any level, and what an operator says of it.
	erases := strings.Fields("Forget.Adopt Forget.Bring Forget.Erase Forget.Finish Forget.Hold Forget.Owed Forget.Release Forget.Restored")
	reads := strings.Fields(`Affairs.Ahead Affairs.Get Affairs.List Turn.Asks Brain Turn.Compose Turn.Detect Affairs.Dossier Turn.Gather History.Audit Turn.Load Mask Messages
		Forget.Orders Forget.Outside Forget.Prove Nearest Own Recall Records Affairs.Related Turn.SaidBefore Sessions.Get Sessions.List Sessions.Missing Sessions.Summary Sessions.Wake Settings Shared Sources Suggestions.AskedFrom Suggestions.Gate
		Suggestions.List Tasks.List Tokens Vectors.Status Turn.Written`)
	doors := strings.Fields("Affairs Forget History Sessions Suggestions Tasks Turn Vectors")
	var got []string
	for door, room := range map[string]reflect.Type{
		"": reflect.TypeFor[*memory.Memory](), "Affairs.": reflect.TypeFor[memory.Affairs](), "Forget.": reflect.TypeFor[*forget.Room](),
		"History.": reflect.TypeFor[*history.Room](), "Sessions.": reflect.TypeFor[*sessions.Room](), "Suggestions.": reflect.TypeFor[*suggest.Room](),
		"Tasks.": reflect.TypeFor[memory.Tasks](), "Turn.": reflect.TypeFor[memory.Turn](), "Vectors.": reflect.TypeFor[memory.Vectors](),
	} {
		for method := range room.Methods() {
			got = append(got, door+method.Name)
		}
	}
	slices.Sort(got)
	got = slices.DeleteFunc(got, func(name string) bool { return name == "SaveFrom" || name == "Usage" }) // of tests
	want := slices.Sorted(slices.Values(slices.Concat(edits, ordered, answers, keeps, erases, reads, doors)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("say here whether it edits memory, and if it does let it pass the gate and add it to attempts (-known +there):\n%s", diff)
	}
}

// A suggestion that is edited is carried out with the new content; a rejected one leaves nothing, and both leave a trace.
func TestAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m, ctx, scope := w.level(t, 1), t.Context(), in("s1")
	suggest := func(content string) string {
		t.Helper()
		_, err := m.Write(ctx, scope, memory.Change{Subject: "seat", Content: content})
		var waits *suggest.WaitsError
		if !errors.As(err, &waits) {
			t.Fatal(err)
		}
		return waits.Suggestions[0].ID
	}
	first, second := suggest("The seat is 14C"), suggest("The seat is 2A")
	for _, c := range []struct {
		id     string
		answer state.Answer
		want   state.Code
	}{
		{first, state.Answer{Choice: "perhaps"}, state.Invalid},
		{first, state.Answer{Choice: state.Suggest}, state.Invalid},
		{first, state.Answer{Choice: state.Edit, Value: "no JSON"}, state.Invalid},
		{first, state.Answer{Choice: state.Edit, Value: `null`}, state.Invalid},
		{first, state.Answer{Choice: state.Edit, Value: `""`}, state.Invalid},
		{first, state.Answer{Choice: state.Edit, Value: `{}`}, state.Invalid},
		{first, state.Answer{Choice: state.Edit, Value: `{"contents":"The seat is 3B"}`}, state.Invalid},
		{first, state.Answer{Choice: state.Edit, Value: `{"content":"The seat is 3B"} {"content":"and 4C"}`}, state.Invalid},
		{first, state.Answer{Choice: state.Edit, Value: `{"title":"The seat is 3B"}`}, state.Invalid},
		{"s404", state.Answer{Choice: state.Approve}, state.NotFound},
		{"a/b", state.Answer{Choice: state.Approve}, state.Invalid},
		{first, state.Answer{Choice: state.Edit, Value: `{"content":"The seat is 3B"}`}, ""},
		{first, state.Answer{Choice: state.Reject}, state.Conflict},
		{second, state.Answer{Choice: state.Reject, Reason: "my password is hunter2secret99"}, ""},
		{second, state.Answer{Choice: state.Approve}, state.Conflict},
	} {
		if _, err := m.Suggestions().Answer(ctx, scope, c.id, c.answer); state.CodeOf(err) != c.want {
			t.Errorf("%s %+v: %v, want %q", c.id, c.answer, err, c.want)
		}
	}
	if got := texts(t, m, memory.Query{Scope: scope, Text: "seat"}); len(got) != 1 || !strings.Contains(got[0], "3B") {
		t.Errorf("remembered: %q", got)
	}
	all := suggestions(t, m, true)
	if len(all) != 2 || all[0].Status != state.Edited || all[1].Status != state.Rejected {
		t.Errorf("answered: %+v", all)
	}
	changes, err := m.History().Audit(ctx, scope, history.Query{Path: "suggestions"})
	if err != nil || len(changes) != 2 || changes[0].By.Who != state.ByUser || !touches(changes[0], "status") {
		t.Errorf("the audit of the answers: %+v, %v", changes, err)
	}
	made, err := m.History().Audit(ctx, scope, history.Query{Path: "api"})
	if err != nil || len(made) != 3 || !strings.Contains(made[0].By.Why, "approved of suggestion "+first) {
		t.Errorf("the audit of what was approved of: %+v, %v", made, err)
	}

	// Another user has none of it, and somebody else's answer reaches nothing.
	other := state.Scope{Client: "c1", User: "u2", Session: "s1"}
	if list, err := m.Suggestions().List(ctx, other, true); err != nil || len(list) != 0 {
		t.Errorf("of another user: %+v, %v", list, err)
	}
	if _, err := m.Suggestions().Answer(ctx, other, second, state.Answer{Choice: state.Approve}); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("an answer of another user: %v", err)
	}
}

// What nobody answers in time is over: it is said once, and cannot be approved of any more.
func TestSuggestionsExpire(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m, ctx, scope := w.level(t, 1), t.Context(), in("s1")
	for _, content := range []string{"The seat is 14C", "The gate is B7"} {
		_, err := m.Write(ctx, scope, memory.Change{Content: content})
		code(t, err, state.Denied)
		w.pass(20 * 24 * time.Hour)
	}
	old := suggestions(t, m, true)[0]
	if old.Status != state.Expired && old.Status != state.Waiting {
		t.Errorf("after 40 days: %+v", old)
	}
	_, err := m.Suggestions().Answer(ctx, scope, old.ID, state.Answer{Choice: state.Approve})
	code(t, err, state.Conflict)
	list := suggestions(t, m, false)
	if len(list) != 1 || list[0].Text != "The gate is B7" {
		t.Errorf("waiting after the first was said to be over: %+v", list)
	}
	gone, err := m.History().Audit(ctx, scope, history.Query{ID: old.ID, Who: state.ByPipeline, Path: "suggestions"})
	if err != nil || len(gone) != 1 || gone[0].By.Why == "" {
		t.Errorf("the audit of what is over: %+v, %v", gone, err)
	}
}

// What is only suggested is in no recall, no prompt and no brain.
func TestSuggestionsAreNotRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m, scope := w.level(t, 1), in("s1")
	_, err := m.Write(t.Context(), scope, memory.Change{Subject: "cat", Content: "The cat is called Micka", About: state.AboutUser, Pinned: true})
	code(t, err, state.Denied)
	if got := texts(t, m, memory.Query{Scope: scope, Text: "cat Micka"}); len(got) != 0 {
		t.Errorf("recalled: %q", got)
	}
	b, err := m.Brain(t.Context(), scope)
	if err != nil || len(b.User) != 0 {
		t.Errorf("brain: %+v, %v", b, err)
	}
}

// A suggestion whose document is damaged is named and left out; the others are there.
func TestDamagedSuggestion(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m, scope := w.level(t, 1), in("s1")
	for _, content := range []string{"The seat is 14C", "The gate is B7"} {
		_, err := m.Write(t.Context(), scope, memory.Change{Content: content})
		code(t, err, state.Denied)
	}
	docs, err := w.store.Scan(t.Context(), store.Query{Collection: state.Suggestions})
	must(t, err)
	docs[0].Body = []byte{21, 0, 0, 0, 2, 'i', 'd', 0, 1, 0, 0, 0, 0, 16, 'a', 't', 0, 1, 0, 0, 0}
	docs[0].Body = append(docs[0].Body, 0)
	docs[0].Body[0] = byte(len(docs[0].Body))
	must(t, w.store.Write(t.Context(), docs[0]))
	trace := &state.Trace{}
	list, err := m.Suggestions().List(state.ContextWithTrace(t.Context(), trace), scope, false)
	if err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if notes := strings.Join(trace.Notes(), "\n"); !strings.Contains(notes, "suggestions") {
		t.Errorf("notes: %s", notes)
	}
	found, err := memory.Examine(t.Context(), w.store)
	if err != nil || len(found.Damaged) != 1 {
		t.Errorf("damaged: %v, %v", found.Damaged, err)
	}
	id := strings.TrimPrefix(docs[0].ID, scope.UserPrefix())
	if _, err := m.Suggestions().Answer(t.Context(), scope, id, state.Answer{Choice: state.Approve}); state.CodeOf(err) != state.Internal {
		t.Errorf("its answer: %v", err)
	}
}
