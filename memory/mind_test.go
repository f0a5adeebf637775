package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// More users than RAM holds minds for: whoever was dropped is read again.
func TestManyUsers(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	user := func(i int) state.Scope { return state.Scope{Client: "c1", User: fmt.Sprintf("u%d", i), Session: "s1"} }
	const users = 150
	for i := range users {
		write(t, m, user(i), memory.Change{Content: fmt.Sprintf("gadget of user%d", i)})
	}
	for i := range users {
		want := []string{fmt.Sprintf("gadget of user%d", i)}
		if got := texts(t, m, memory.Query{Scope: user(i), Text: "gadget"}); !slices.Equal(got, want) {
			t.Fatalf("want %q, got %q", want, got)
		}
	}
}

// Documents that are gone from the store, as after an erasure by another process, are gone once the feed tells of it.
func TestWhatIsGoneIsNotFound(t *testing.T) {
	t.Parallel()
	w, m := desk(t)
	r := write(t, m, in("s1"), memory.Change{Content: "a zebra crossing"})
	id := named(t, m, in("s1"), "Car part").ID
	for _, ref := range []struct {
		collection state.Collection
		key        string
	}{{state.Records, in("s1").Key(r.ID)}, {state.Affairs, in("s1").Key(id)}} {
		if n, err := w.store.Delete(t.Context(), ref.collection, ref.key); n != 1 || err != nil {
			t.Fatalf("deleted %d, %v", n, err)
		}
	}
	body, err := bson.Marshal(bson.M{"seq": int64(1000), "changed": bson.A{
		"records/" + r.ID, "affairs/" + id,
	}})
	if err == nil {
		err = w.store.Write(t.Context(), store.Doc{Collection: state.Feed, ID: in("s1").FeedKey(1000), Body: body})
	}
	must(t, err)
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "zebra crossing"}); len(got) != 0 {
		t.Errorf("found %q", got)
	}
	if list, err := m.Affairs().List(t.Context(), in("s1"), true); err != nil || len(list) != 1 {
		t.Errorf("affairs: %v, %v", titles(list), err)
	}
}

// What is damaged is left out and said aloud; all else goes on, and what is written in its place is read again.
func TestDamageIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []state.Collection{state.Sessions, state.Affairs, state.Records, state.Messages} {
		t.Run(string(c), func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			write(t, m, in("s0"), memory.Change{Subject: "boiler", Content: "The boiler was serviced by Hartmann"})
			w.turn(t, m, in("s0"), nil, "hello, the lighthouse is white")
			key := in("s1").Key("s1")
			if c == state.Messages {
				key = in("s1").MessageKey(1)
			}
			body, err := bson.Marshal(bson.M{"id": bson.A{1, 2}})
			if err == nil {
				err = w.store.Write(t.Context(), store.Doc{Collection: c, ID: key, Body: body})
			}
			must(t, err)

			m, trace := w.memory(t, nil), &state.Trace{}
			if list, err := m.Affairs().List(t.Context(), in("s1"), true); err != nil {
				t.Errorf("affairs %v, %v; want no error", titles(list), err)
			}
			_, err = m.Turn().Load(state.ContextWithTrace(t.Context(), trace), state.Input{Scope: in("s9"), Seq: 1})
			if notes := strings.Join(trace.Notes(), "\n"); err != nil || !strings.Contains(notes, string(c)+" "+key+": is damaged") {
				t.Errorf("a turn: %v, notes %q; want no error and the document named", err, notes)
			}
			for _, kept := range []string{"Hartmann", "lighthouse"} {
				if got := texts(t, m, memory.Query{Scope: in("s0"), Text: kept}); len(got) == 0 {
					t.Errorf("%s is lost with what is damaged", kept)
				}
			}
			w.turn(t, m, in("s1"), nil, "hello, the harbour is full")
			if got := texts(t, w.memory(t, nil), memory.Query{Scope: in("s1"), Text: "harbour"}); len(got) == 0 {
				t.Error("what was said since is lost")
			}
		})
	}
}

func TestMergeRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	err := merged(t.Context(), m, w.store.Write, state.Effect{Scope: in("s1")})
	code(t, err, state.Internal)
	err = merged(t.Context(), m, w.store.Write, state.Effect{Scope: in("s1"), Affair: &state.AffairEdit{ID: "a9", Summary: "x"}, By: &state.By{Who: state.ByUser, Path: "api"}})
	if text := code(t, err, state.NotFound); !strings.Contains(text, "affair a9: is gone") {
		t.Errorf("got %q", text)
	}
	if err := merged(t.Context(), m, nil); err != nil {
		t.Errorf("no effects: %v", err)
	}
}

// Edits of one commit are merged in order into one document each, and applying them again changes nothing.
func TestMergeMergesAndRepeats(t *testing.T) {
	t.Parallel()
	w, m := desk(t)
	a := named(t, m, in("s1"), "University")
	effects := []state.Effect{
		{Scope: in("s1"), Affair: &state.AffairEdit{ID: a.ID, Facts: state.Facts{{Label: "room", Value: "1"}}, At: w.clock()}},
		{Scope: in("s1"), Affair: &state.AffairEdit{ID: a.ID, Facts: state.Facts{{Label: "room", Value: "2"}}, Pending: []string{"go"}, SetPending: true, At: w.clock()}},
		{Scope: in("s1"), Affair: &state.AffairEdit{ID: a.ID, Status: state.Parked, At: w.clock()}},
		{Scope: state.Scope{Client: "c1", User: "u2", Session: "s1"}, Record: &state.Record{ID: "r1", Client: "c1", User: "u2", Content: "other"}},
	}
	var last []store.Doc
	for range 2 {
		err := merged(t.Context(), m, func(ctx context.Context, docs ...store.Doc) error {
			last = docs
			return w.store.Write(ctx, docs...)
		}, effects...)
		must(t, err)
	}
	var kinds []string
	for _, d := range last {
		kinds = append(kinds, string(d.Collection))
	}
	same(t, "one document each, one feed entry a user", []string{"affairs", "records", "feed", "feed"}, kinds)
	got := named(t, m, in("s1"), "University")
	if got.Status != state.Parked || !slices.Equal(got.PendingActions, []string{"go"}) || !slices.Equal(got.KeyFacts, state.Facts{{Label: "room", Value: "2", Since: got.KeyFacts[0].Since}}) {
		t.Errorf("got %+v", got)
	}
}

func TestComposeAndSettings(t *testing.T) {
	t.Parallel()
	w, m := desk(t)
	s := w.begin(t.Context(), m, nil)
	msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "What next?", Parts: []state.Part{{Type: "text", Text: "And when?"}}})
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	v, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
	must(t, err)
	v.Session.Preferences = map[string]string{"tone": "plain", "address": "Ms Novak"}
	input, err := m.Turn().Gather(s.ctx, v, state.Decision{Kind: state.Continue, AffairID: v.Session.Active}, "Be brief.")
	must(t, err)
	if diff := cmp.Diff([]compose.Known{
		{Label: "address", Text: "Ms Novak", Of: "session s1/preferences:address"}, {Label: "tone", Text: "plain", Of: "session s1/preferences:tone"},
	}, input.Preferences); diff != "" {
		t.Errorf("preferences (-want +got):\n%s", diff)
	}
	prompt, err := m.Turn().Compose(t.Context(), input)
	if err != nil || prompt.Tokens == 0 || prompt.Tokens > m.Settings().Known(state.Scope{}).MaxTokens {
		t.Fatalf("%d tokens, %v", prompt.Tokens, err)
	}
	all := fmt.Sprint(prompt.Prompt)
	for _, part := range []string{"Be brief.", "University", "Car part", "Ms Novak", "What next?", "And when?"} {
		if !strings.Contains(all, part) {
			t.Errorf("%q is missing in the prompt %s", part, all)
		}
	}
	if m.Tokens("Hello there.") != 3 {
		t.Errorf("tokens of a greeting: %d", m.Tokens("Hello there."))
	}
	again, err := m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: v.Turn[0].Seq}, state.Decision{Kind: state.AdHoc, AffairID: "a1"})
	must(t, err)
	if again.Target != "a1" || v.Target != "" {
		t.Errorf("again: target %q, before %q", again.Target, v.Target)
	}
}

// What would be inserted stands there already and always will: the commit ends at once and says which document it is.
func TestAnEffectThatCanNeverBeApplied(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), nil, "Hello")
	tries := 0
	err := merged(t.Context(), m, func(ctx context.Context, docs ...store.Doc) error {
		tries++
		return w.store.Write(ctx, docs...)
	}, state.Effect{Scope: in("s1"), Message: &state.Message{Seq: 1, Text: "another"}})
	var at *store.ConflictError
	if text := code(t, err, state.Conflict); !errors.As(err, &at) || at.ID != in("s1").MessageKey(1) || !strings.Contains(text, "cancel") {
		t.Errorf("Merge = %v, want a conflict that names the document and the way out", err)
	}
	if tries != 2 {
		t.Errorf("written %d times, want 2", tries)
	}
}

// Commits to the memory of one user queue up; others pass, and one that is given up leaves nothing locked.
func TestMergeQueues(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	of := func(users ...string) []state.Effect {
		var out []state.Effect
		for _, u := range users {
			out = append(out, state.Effect{Scope: state.Scope{Client: "c1", User: u, Session: "s1"}, Record: &state.Record{ID: "r", Content: "x"}})
		}
		return out
	}
	err := merged(t.Context(), m, func(context.Context, ...store.Doc) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if text := code(t, merged(ctx, m, w.store.Write, of("u3", "u2")...), state.Unavailable); !strings.Contains(text, "memory of c1/u2/") {
			t.Errorf("got %q", text)
		}
		return merged(t.Context(), m, w.store.Write, of("u3")...) // free again, and nobody else's
	}, of("u1", "u2", "u1")...)
	must(t, err)
	for range 2 {
		must(t, merged(t.Context(), m, w.store.Write, of("u2", "u1")...))
	}
}
