package settings_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// world is a store, and processes that look into it by one clock.
type world struct {
	store store.Store
	clock func() time.Time
	pass  func(time.Duration)
}

func newWorld() *world {
	c := &statetest.Clock{At: time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)}
	return &world{store: ram.New(), clock: c.Now, pass: c.Pass}
}

// process is one that looks, with what its operator has fixed.
func (w *world) process(change func(*settings.Config)) *settings.Documents {
	c := settings.Config{Store: w.store, Now: w.clock}
	if change != nil {
		change(&c)
	}
	return settings.New(c)
}

func anna() state.Scope { return state.Scope{Client: "c1", User: "anna", Session: "s1"} }

func set(t *testing.T, d *settings.Documents, level settings.Level, pairs ...string) settings.Change {
	t.Helper()
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	c, err := d.Change(t.Context(), level, anna(), settings.Edit{Set: values, By: "olga"})
	must(t, err)
	return c
}

func in(t *testing.T, d *settings.Documents, scope state.Scope) *settings.Set {
	t.Helper()
	s, err := d.In(t.Context(), scope)
	must(t, err)
	return s
}

func TestTheNearestCounts(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := w.process(nil)
	check := func(step, value, origin string) {
		t.Helper()
		w.pass(time.Second)
		s := in(t, d, anna())
		if got := s.Get("max_tokens"); got != value || s.Origin("max_tokens") != origin || len(s.Notes) > 0 {
			t.Errorf("%s: %s by %s, notes %q; want %s by %s", step, got, s.Origin("max_tokens"), s.Notes, value, origin)
		}
	}
	check("nothing set", "8000", "default")
	set(t, d, settings.ForAll, "max_tokens", "7000")
	check("for all", "7000", "global")
	set(t, d, settings.ForClient, "max_tokens", "6000")
	check("for the client", "6000", "client")
	set(t, d, settings.ForUser, "max_tokens", "5000")
	check("for the user", "5000", "user")
	if s := in(t, d, state.Scope{Client: "c1", User: "bob"}); s.MaxTokens != 6000 {
		t.Errorf("another user has %d", s.MaxTokens)
	}
	if s := in(t, d, state.Scope{Client: "c2", User: "anna"}); s.MaxTokens != 7000 {
		t.Errorf("another client's user has %d", s.MaxTokens)
	}
	if _, err := d.Change(t.Context(), settings.ForUser, anna(), settings.Edit{Unset: []string{"max_tokens"}, By: "olga"}); err != nil {
		t.Fatal(err)
	}
	check("the user's gone", "6000", "client")
	fixed := w.process(func(c *settings.Config) { c.Fixed = map[string]string{"max_tokens": "flag"} })
	if s := in(t, fixed, anna()); s.MaxTokens != 8000 || s.Origin("max_tokens") != "flag" {
		t.Errorf("fixed by flag: %d by %s", s.MaxTokens, s.Origin("max_tokens"))
	}
	host := w.process(func(c *settings.Config) { c.Operator = state.DefaultSettings(); c.Operator.MaxTokens = 9000 })
	if s := in(t, host, anna()); s.MaxTokens != 9000 || s.Origin("max_tokens") != settings.Operator {
		t.Errorf("by the host's Config: %d by %s", s.MaxTokens, s.Origin("max_tokens"))
	}
}

// A process sees what another one changes half a second later, and reads one document to find that out.
func TestAChangeIsSeenWithinASecond(t *testing.T) {
	t.Parallel()
	w := newWorld()
	counting := &store.Counting{Store: w.store}
	one, two := w.process(nil), w.process(func(c *settings.Config) { c.Store = counting })
	in(t, two, anna())
	set(t, one, settings.ForUser, "max_tokens", "5000")
	before := counting.Counts()
	if s := in(t, two, anna()); s.MaxTokens != 8000 || counting.Counts() != before {
		t.Errorf("at once: %d, read %+v", s.MaxTokens, counting.Counts().Minus(before))
	}
	w.pass(600 * time.Millisecond)
	if s := in(t, two, anna()); s.MaxTokens != 5000 {
		t.Errorf("after 600 ms: %d", s.MaxTokens)
	}
	w.pass(time.Minute)
	before = counting.Counts()
	in(t, two, anna())
	if got := counting.Counts().Minus(before); got.Gets+got.Scans != 1 {
		t.Errorf("with nothing changed it read %+v, want one document", got)
	}
}

// A turn keeps what it began with, and what is called in it has the same; the next one has what was set meanwhile.
func TestATurnKeepsItsSet(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := w.process(nil)
	turn, wait := d.Begin(t.Context(), anna())
	defer wait()
	before := settings.From(turn)
	set(t, d, settings.ForAll, "max_tokens", "5000", "switch_threshold", "0.5")
	w.pass(time.Minute)
	again, err := d.In(turn, anna())
	if err != nil || again != before || before.MaxTokens != 8000 {
		t.Errorf("within the turn: %+v, %v", again, err)
	}
	next, wait := d.Begin(turn, anna())
	defer wait()
	if s := settings.From(next); s.MaxTokens != 5000 || s.SwitchThreshold != .5 {
		t.Errorf("the next turn: %+v", s)
	}
	if _, err := d.Change(turn, settings.ForAll, anna(), settings.Edit{Set: map[string]string{"autonomy": "3"}, By: "a model"}); !errors.Is(err, state.ErrDenied) {
		t.Errorf("a change within a turn: %v", err)
	}
}

func TestAutonomyOnlyGetsLess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                                  string
		operator, global, client, user, fixed string
		want                                  int
		origin                                string
	}{
		{name: "nobody says anything", want: 2, origin: "default"},
		{name: "the user wants more", user: "3", want: 2, origin: "default"},
		{name: "the client wants more", client: "3", want: 2, origin: "default"},
		{name: "for all it is more", global: "3", want: 3, origin: "global"},
		{name: "for all it is more, the user wants less", global: "3", user: "1", want: 1, origin: "user"},
		{name: "the client has less than the user wants", client: "1", user: "2", want: 1, origin: "client"},
		{name: "the operator has less", operator: "1", global: "3", user: "2", want: 1, origin: settings.Operator},
		{name: "the operator has more", operator: "3", global: "1", want: 1, origin: "global"},
		{name: "fixed at the default", fixed: "flag", global: "3", want: 2, origin: "flag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			d := w.process(func(x *settings.Config) {
				x.Operator = state.DefaultSettings()
				if c.operator != "" {
					_ = x.Operator.Set("autonomy", c.operator)
				}
				if c.fixed != "" {
					x.Fixed = map[string]string{"autonomy": c.fixed}
				}
			})
			for level, value := range map[settings.Level]string{settings.ForAll: c.global, settings.ForClient: c.client, settings.ForUser: c.user} {
				if value != "" {
					set(t, d, level, "autonomy", value)
				}
			}
			if s := in(t, d, anna()); s.Autonomy != c.want || s.Origin("autonomy") != c.origin {
				t.Errorf("autonomy %d by %s, want %d by %s", s.Autonomy, s.Origin("autonomy"), c.want, c.origin)
			}
		})
	}
}

func TestChangeRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := w.process(nil)
	set(t, d, settings.ForClient, "context_window", "4000", "max_tokens", "3000")
	for _, c := range []struct {
		name  string
		level settings.Level
		edit  settings.Edit
		code  state.Code
		says  string
	}{
		{"an unknown name", settings.ForAll, settings.Edit{Set: map[string]string{"max_tokes": "1"}, By: "olga"}, state.Invalid, `"max_tokens"`},
		{"a bad value", settings.ForAll, settings.Edit{Set: map[string]string{"max_tokens": "many"}, By: "olga"}, state.Invalid, "whole number"},
		{"a process's for a user", settings.ForUser, settings.Edit{Set: map[string]string{"hot_budget_mb": "5"}, By: "olga"}, state.Invalid, "level global"},
		{"a process's for a client", settings.ForClient, settings.Edit{Set: map[string]string{"embedding_model": "x"}, By: "olga"}, state.Invalid, "level global"},
		{"what does not fit the client's", settings.ForUser, settings.Edit{Set: map[string]string{"max_tokens": "5000"}, By: "olga"}, state.Invalid, "context_window (4000)"},
		{"nobody", settings.ForAll, settings.Edit{Set: map[string]string{"max_tokens": "5000"}, By: " "}, state.Invalid, "who"},
		{"nothing", settings.ForAll, settings.Edit{By: "olga"}, state.Invalid, "nothing"},
		{"a level there is not", "team", settings.Edit{Set: map[string]string{"max_tokens": "5000"}, By: "olga"}, state.Invalid, "global, client or user"},
		{"another revision", settings.ForClient, settings.Edit{Set: map[string]string{"max_tokens": "2000"}, By: "olga", Rev: 7}, state.Conflict, "read them again"},
		{"to unset what is not set", settings.ForUser, settings.Edit{Unset: []string{"max_tokens"}, By: "olga"}, state.NotFound, "max_tokens"},
		{"a text that is too long", settings.ForAll, settings.Edit{Set: map[string]string{"memory_extraction_model": strings.Repeat("x", 300)}, By: "olga"}, state.Invalid, "300 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := d.Change(t.Context(), c.level, anna(), c.edit)
			if state.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s with %q", err, c.code, c.says)
			}
		})
	}
}

// What cannot be read, or what this release refuses, costs itself only, and is told in every turn.
func TestWhatIsDamagedIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		body     any
		says     []string
		autonomy int
		tokens   int
	}{
		{"no document of settings", bson.M{"values": 7}, []string{"level user", "autonomy is 0"}, 0, 8000},
		{"an unknown name", bson.M{"values": bson.M{"of_tomorrow": "1", "max_tokens": "5000"}}, []string{"of_tomorrow"}, 2, 5000},
		{"a bad value", bson.M{"values": bson.M{"detect": "guess", "max_tokens": "5000"}}, []string{"detect", "left out"}, 2, 5000},
		{"a bad autonomy", bson.M{"values": bson.M{"autonomy": "9", "max_tokens": "5000"}}, []string{"autonomy", "counts as 0"}, 0, 5000},
		{"a process's", bson.M{"values": bson.M{"hot_budget_mb": "5", "max_tokens": "5000"}}, []string{"hot_budget_mb"}, 2, 5000},
		{"what does not fit together", bson.M{"values": bson.M{"context_window": "1000", "max_tokens": "5000"}}, []string{"context_window 1000 is left out"}, 2, 5000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			d := w.process(nil)
			body, err := bson.Marshal(c.body)
			must(t, err)
			must(t, w.store.Write(t.Context(), store.Doc{Collection: state.Overrides, ID: "c1/anna/settings", Body: body}))
			s := in(t, d, anna())
			if s.Autonomy != c.autonomy || s.MaxTokens != c.tokens || len(s.Notes) != 1 {
				t.Errorf("autonomy %d, %d tokens, notes %q", s.Autonomy, s.MaxTokens, s.Notes)
			}
			trace := &state.Trace{}
			ctx, wait := d.Begin(state.ContextWithTrace(t.Context(), trace), anna())
			wait()
			if settings.From(ctx) == nil || len(trace.Notes()) != 1 {
				t.Errorf("the turn notes %q", trace.Notes())
			}
			for _, part := range c.says {
				if !strings.Contains(strings.Join(s.Notes, "\n"), part) {
					t.Errorf("%q does not say %q", s.Notes, part)
				}
			}
			set(t, d, settings.ForUser, "detect", "rules", "autonomy", "1", "context_window", "48000")
			w.pass(time.Second)
			if s := in(t, d, anna()); s.Detect != "rules" || s.Autonomy != 1 {
				t.Errorf("mended: %+v", s)
			}
		})
	}
}

// failing is a store that cannot be read for a while.
type failing struct {
	store.Store
	down bool
}

func (f *failing) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	if f.down {
		return store.Doc{}, state.Errorf(state.Unavailable, "store", "is down, for a test")
	}
	return f.Store.Get(ctx, c, id)
}

func TestTheStoreIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld()
	f := &failing{Store: w.store, down: true}
	d := w.process(func(c *settings.Config) { c.Store = f })
	if _, err := d.In(t.Context(), anna()); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("with nothing known: %v", err)
	}
	f.down = false
	set(t, d, settings.ForUser, "max_tokens", "5000")
	in(t, d, anna())
	f.down = true
	w.pass(time.Minute)
	trace := &state.Trace{}
	s, err := d.In(state.ContextWithTrace(t.Context(), trace), anna())
	if err != nil || s.MaxTokens != 5000 || len(trace.Notes()) != 1 {
		t.Errorf("what is known: %+v, %v, notes %q", s, err, trace.Notes())
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	for _, atomic := range []bool{true, false} {
		t.Run(fmt.Sprint("atomic ", atomic), func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			if !atomic {
				w.store = loose{w.store}
			}
			d := w.process(nil)
			const changes = 140
			for i := range changes {
				w.pass(time.Minute)
				set(t, d, settings.ForUser, "max_tokens", fmt.Sprint(1000+i))
			}
			if c := set(t, d, settings.ForUser, "max_tokens", fmt.Sprint(1000+changes-1)); c.Number != 0 {
				t.Errorf("what changes nothing is change %d", c.Number)
			}
			all, err := d.History(t.Context(), settings.ForUser, anna())
			if err != nil || len(all) != changes {
				t.Fatalf("%d changes, %v", len(all), err)
			}
			for i, c := range all {
				n := changes - i
				want := settings.Changed{Name: "max_tokens", After: text(fmt.Sprint(999 + n))}
				if n > 1 {
					want.Before = text(fmt.Sprint(998 + n))
				}
				if diff := cmp.Diff([]settings.Changed{want}, c.Values); diff != "" || c.Number != int64(n) || c.By != "olga" {
					t.Fatalf("change %d by %s (-want +got):\n%s", c.Number, c.By, diff)
				}
			}
			docs, err := w.store.Scan(t.Context(), store.Query{Collection: state.Overrides, Prefix: "c1/anna/"})
			if err != nil || len(docs) != 4 {
				t.Errorf("%d documents, %v; want the one in use and three of its history", len(docs), err)
			}
		})
	}
}

func text(s string) *string { return &s }

// loose is a store without transactions.
type loose struct{ store.Store }

func (l loose) Features() store.Features { return store.Features{Shared: true} }

// Many change different settings at once: each change stands.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	names := []string{"max_tokens", "session_history_limit", "sliding_summary_window", "memory_retrieve_limit", "context_parked_max", "max_tool_rounds"}
	var g sync.WaitGroup
	for _, name := range names {
		g.Go(func() {
			_, err := w.process(nil).Change(context.Background(), settings.ForUser, anna(), settings.Edit{Set: map[string]string{name: "300"}, By: name})
			if name == "max_tool_rounds" { // takes 100 at most
				if !errors.Is(err, state.ErrInvalid) {
					t.Errorf("%s: %v", name, err)
				}
				return
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	g.Wait()
	values, rev, err := w.process(nil).Read(t.Context(), settings.ForUser, anna())
	if err != nil || len(values) != len(names)-1 || rev != int64(len(names)-1) {
		t.Errorf("%v at revision %d, %v", values, rev, err)
	}
}

// What is of a process is taken when it starts.
func TestAtStart(t *testing.T) {
	t.Parallel()
	w := newWorld()
	running := w.process(nil)
	in(t, running, anna())
	set(t, running, settings.ForAll, "hot_budget_mb", "7", "max_tokens", "5000")
	w.pass(time.Second)
	if s := in(t, running, anna()); s.HotBudgetMB != 100 || s.MaxTokens != 5000 {
		t.Errorf("a process that runs has %d MB and %d tokens", s.HotBudgetMB, s.MaxTokens)
	}
	s, fixed, err := running.AtStart(t.Context())
	if err != nil || s.HotBudgetMB != 7 || s.MaxTokens != 8000 || fixed["hot_budget_mb"] != "global" || len(fixed) != 1 {
		t.Errorf("one that starts has %d MB and %d tokens, fixed %v, %v", s.HotBudgetMB, s.MaxTokens, fixed, err)
	}
	next := w.process(func(c *settings.Config) { c.Operator, c.Fixed = s, fixed })
	if s := in(t, next, anna()); s.HotBudgetMB != 7 || s.MaxTokens != 5000 || s.Origin("hot_budget_mb") != "global" || s.Origin("max_tokens") != "global" {
		t.Errorf("then: %+v by %s", s, s.Origin("hot_budget_mb"))
	}
}

// FuzzDocument: whatever stands in a document, there is a set that is valid, and never more autonomy than the default.
func FuzzDocument(f *testing.F) {
	f.Add("max_tokens", "5000", "context_window", "1000")
	f.Add("autonomy", "3", "detect", "guess")
	f.Add("", "", "context_window_size", "NaN")
	f.Fuzz(func(t *testing.T, a, x, b, y string) {
		w := newWorld()
		body, err := bson.Marshal(bson.M{"values": bson.M{a: x, b: y}})
		if err != nil {
			t.Skip()
		}
		if err := w.store.Write(t.Context(), store.Doc{Collection: state.Overrides, ID: "c1/anna/settings", Body: body}); err != nil {
			t.Skip()
		}
		s := in(t, w.process(nil), anna())
		if err := s.Validate(); err != nil || s.Autonomy > 2 {
			t.Errorf("autonomy %d, %v", s.Autonomy, err)
		}
	})
}

var must = statetest.Must
