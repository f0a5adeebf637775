package memory_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// userSaid is what the user has said in a session that is kept.
func userSaid(t *testing.T, m *memory.Memory, session string) (texts []string) {
	t.Helper()
	messages, err := m.Messages(t.Context(), in(session))
	must(t, err)
	for _, msg := range messages {
		if msg.Role == state.RoleUser {
			texts = append(texts, msg.Text)
		}
	}
	return texts
}

// An affair that is forgotten takes no statement with it that was made in another one too, nor a record of it there.
func TestForgetAffairLeavesWhatWasSaidElsewhere(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"en": "The plumber Quillfeather has the number 603-555-666.", "cs": "Instalatér Quillfeather má číslo 603-555-666.",
		"pl": "Hydraulik Quillfeather ma numer 603-555-666.", "ru": "У сантехника Quillfeather номер 603-555-666.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			roof := w.turn(t, m, in("s1"), opens("Roof of the cottage"), said)
			boat := w.turn(t, m, in("s2"), opens("Boat in the harbour"), said)
			write(t, m, in("s1"), memory.Change{Subject: "plumber", Content: said, Affair: roof.view.Target})
			kept := write(t, m, in("s2"), memory.Change{Subject: "plumber of the boat", Content: said, Affair: boat.view.Target})
			if _, err := m.Forget().Erase(t.Context(), in("s1"), forget.What{Affair: roof.view.Target}); err != nil {
				t.Fatal(err)
			}
			if got := userSaid(t, m, "s1"); len(got) != 0 {
				t.Errorf("of the affair that was forgotten: %q", got)
			}
			if got := userSaid(t, m, "s2"); !slices.Equal(got, []string{said}) {
				t.Errorf("of the other affair: %q", got)
			}
			records, err := m.Records(t.Context(), in("s2"))
			if err != nil || !slices.ContainsFunc(records, func(r state.Record) bool { return r.ID == kept.ID && r.ValidTo == nil }) {
				t.Errorf("records: %+v, %v", records, err)
			}
		})
	}
}

// A list of what is open names an affair in the answer to another one: with the affair that line goes, and the rest of the list stays.
func TestForgetAffairTakesItOutOfLists(t *testing.T) {
	t.Parallel()
	g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: offline.New()})
	must(t, err)
	defer g.Close()
	scope := state.Scope{}.Default()
	for _, text := range []string{
		"My landlord wants to raise the rent to 900 euros from January.", "I need to reply to him by Friday.",
		"Something else: I ordered a bike, order 55-12, it arrives on Thursday.", "What is open?",
	} {
		if _, err := g.Invoke(t.Context(), graph.Request{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Memory().Forget().Erase(t.Context(), scope, forget.What{Affair: "Rent"}); err != nil {
		t.Fatal(err)
	}
	said, err := g.Memory().Messages(t.Context(), scope)
	var all []string
	for _, msg := range said {
		all = append(all, msg.Text)
	}
	if got := strings.Join(all, "\n"); err != nil || strings.Contains(strings.ToLower(got), "landlord") || strings.Contains(got, "reply to him") || !strings.Contains(got, "ike, order") {
		t.Errorf("left: %q, %v", got, err)
	}
}

// A topic takes its sentence out of a message, a record and an affair, and leaves what stands beside it.
func TestForgetTopicTakesTheSentence(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	scope := in("s1")
	first := w.turn(t, m, scope, opens("Blue card"), "The roof costs 4,200 euros. My blue card runs out on 3 August. Dr. Wendt has the ladder.")
	if _, err := m.Affairs().Edit(t.Context(), scope, first.view.Target, memory.AffairChange{Title: "Blue card and roof"}); err != nil {
		t.Fatal(err)
	}
	mixed := write(t, m, scope, memory.Change{Content: "The roof is of slate. It was laid in 1987. The gutter is new. The blue card lies in the attic.", Affair: first.view.Target})
	if _, err := m.Forget().Erase(t.Context(), scope, forget.What{Topic: "blue card"}); err != nil {
		t.Fatal(err)
	}
	if got := userSaid(t, m, "s1"); !slices.Equal(got, []string{"The roof costs 4,200 euros. Dr. Wendt has the ladder."}) {
		t.Errorf("the message: %q", got)
	}
	records, err := m.Records(t.Context(), scope)
	if err != nil || !slices.ContainsFunc(records, func(r state.Record) bool {
		return r.ID == mixed.ID && r.Content == "The roof is of slate. It was laid in 1987. The gutter is new."
	}) {
		t.Errorf("records: %+v, %v", records, err)
	}
	for _, word := range []string{"lue card", "3 August", "attic"} {
		if at := docsWith(t, w, word); len(at) > 0 {
			t.Errorf("%q is left in %q", word, at)
		}
	}
	if a, err := m.Affairs().Get(t.Context(), scope, first.view.Target); err != nil || a.Title == "" {
		t.Errorf("the affair: %+v, %v", a, err)
	}
}

// Of an affair that was emptied by one clearing no title is left to tell of it.
func TestClearingLeavesNoTitle(t *testing.T) {
	t.Parallel()
	for _, asked := range []string{"Gdzie jestem zatrudniony i co wolę?", "Kde pracuju a co mám rád?", "Где я работаю и что люблю?", "Where am I employed and what do I prefer?"} {
		t.Run(asked, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			write(t, m, in("s1"), memory.Change{Content: "Works at Acme", About: state.AboutUser})
			w.turn(t, m, in("s1"), opens(strings.TrimSuffix(asked, "?")), asked)
			for _, clear := range []forget.Clear{forget.ClearSession, forget.ClearGlobal} {
				if _, err := m.Forget().Erase(t.Context(), in("s1"), forget.What{Clear: clear}); err != nil {
					t.Fatal(err)
				}
			}
			if left, err := m.Affairs().List(t.Context(), in("s1"), true); err != nil || len(left) > 0 {
				t.Errorf("affairs: %+v, %v", left, err)
			}
		})
	}
}

// A session that was forked keeps its copies when the one it came from is forgotten, all of them, and the receipt names it.
func TestForgetNamesForks(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for _, said := range []string{"My plumber is Quillfeather, code kx77-canary.", "The roofer Zebulon comes on Friday.", "The boat is green."} {
		w.turn(t, m, in("s1"), nil, said)
	}
	must(t, m.Sessions().Fork(t.Context(), in("s1"), 6, "b"))
	before := userSaid(t, m, "b")
	receipt, err := m.Forget().Erase(t.Context(), in("s1"), forget.What{Session: "s1"})
	if err != nil || !slices.Equal(receipt.Copies, []string{"b"}) {
		t.Errorf("the receipt names %q, %v", receipt.Copies, err)
	}
	if after := userSaid(t, m, "b"); len(before) == 0 || !slices.Equal(before, after) {
		t.Errorf("the fork: %q, before %q", after, before)
	}
}

// A person's pin is spared and named; what is all pinned is a conflict and not nothing.
func TestForgetSparesPins(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	write(t, m, in("s1"), memory.Change{Content: "The locker has number qv9902k", Pinned: true})
	_, err := m.Forget().Erase(t.Context(), in("s1"), forget.What{Topic: "locker"})
	if says := code(t, err, state.Conflict); !strings.Contains(says, "pinned (1)") {
		t.Errorf("%s", says)
	}
	w.turn(t, m, in("s1"), nil, "The locker needs oil.")
	receipt, err := m.Forget().Erase(t.Context(), in("s1"), forget.What{Topic: "locker"})
	if err != nil || len(receipt.Spared) != 1 || len(receipt.Stays) != 1 || !strings.Contains(receipt.Stays[0].Text, "qv9902k") {
		t.Errorf("spared %q, %+v, %v", receipt.Spared, receipt.Stays, err)
	}
	if _, err := m.Forget().Erase(t.Context(), in("s1"), forget.What{Topic: "locker", Pinned: true}); err != nil {
		t.Fatal(err)
	}
	if at := docsWith(t, w, "qv9902k"); len(at) > 0 {
		t.Errorf("it is left in %q", at)
	}
}

// runsOut is a store after one of whose readings the caller's time is over.
type runsOut struct {
	store.Store
	over context.CancelFunc
}

func (s runsOut) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	docs, err := s.Store.Scan(ctx, q)
	if q.Collection == state.Suggestions {
		s.over()
	}
	return docs, err
}

// Forgetting that runs out of time says so with a code, as everything else does.
func TestForgetAtADeadline(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), nil, "The locker needs oil.")
	ctx, cancel := context.WithCancel(t.Context())
	late := w.process(runsOut{w.store, cancel}).memory(t, nil)
	_, err := late.Forget().Erase(ctx, in("s1"), forget.What{Topic: "locker"})
	if code(t, err, state.Unavailable); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// To forget everything is asked about first, with the number, whatever the autonomy.
func TestForgetEverythingAsks(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	for _, said := range []string{"The locker has number qv9902k", "Emma plays the violin", "The gate is B7"} {
		write(t, m, in("s1"), memory.Change{Content: said})
	}
	_, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.ForgetRecord, Topic: true})
	code(t, err, state.Denied)
	waits := suggestions(t, m, false)
	if len(waits) != 1 || !strings.Contains(waits[0].Text, "(3)") {
		t.Fatalf("suggestions: %+v", waits)
	}
	if own, _, err := m.Own(t.Context(), in("s1"), ""); err != nil || len(own) != 3 {
		t.Errorf("before the answer: %+v, %v", own, err)
	}
	if _, err := m.Suggestions().Answer(t.Context(), in("s1"), waits[0].ID, state.Answer{Choice: state.Approve}); err != nil {
		t.Fatal(err)
	}
	if own, _, err := m.Own(t.Context(), in("s1"), ""); err != nil || len(own) != 0 {
		t.Errorf("after it: %+v, %v", own, err)
	}
}
