package memory_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// shelf is a user with an active and a parked affair, a record of each and of none, and a message in each.
func shelf(t *testing.T) (*world, *memory.Memory) {
	t.Helper()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Brake pads"), "The ceramic parcel of the garage")
	pads := named(t, m, in("s1"), "Brake pads")
	w.turn(t, m, in("s1"), opens("Kitchen tiles"), "The ceramic parcel of the kitchen")
	tiles := named(t, m, in("s1"), "Kitchen tiles")
	write(t, m, in("s1"), memory.Change{Content: "ceramic parcel weighs nine kilos", Affair: pads.ID})
	write(t, m, in("s1"), memory.Change{Content: "ceramic parcel is green", Affair: tiles.ID})
	write(t, m, in("s1"), memory.Change{Content: "ceramic parcel insurance in general"})
	return w, m
}

func TestRecallLooksWhereItIsTold(t *testing.T) {
	t.Parallel()
	const (
		padsSaid, padsKnown   = "The ceramic parcel of the garage", "ceramic parcel weighs nine kilos"
		tilesSaid, tilesKnown = "The ceramic parcel of the kitchen", "ceramic parcel is green"
		general               = "ceramic parcel insurance in general"
	)
	for _, c := range []struct {
		name   string
		in     memory.Where
		affair string
		want   []string
	}{
		{"all", memory.InAll, "", []string{padsSaid, padsKnown, tilesSaid, tilesKnown, general}},
		{"all is the default", "", "", []string{padsSaid, padsKnown, tilesSaid, tilesKnown, general}},
		{"the current affair", memory.InCurrent, "Brake pads", []string{padsSaid, padsKnown}},
		{"no current affair", memory.InCurrent, "", []string{general}},
		{"records only", memory.InKB, "", []string{padsKnown, tilesKnown, general}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, m := shelf(t)
			q := memory.Query{Scope: in("s1"), Text: "ceramic parcel", In: c.in, Limit: 50}
			if c.affair != "" {
				q.Affair = named(t, m, in("s1"), c.affair).ID
			}
			got := slices.DeleteFunc(texts(t, m, q), func(s string) bool {
				return s == "Noted." || strings.HasPrefix(s, "Brake pads") || strings.HasPrefix(s, "Kitchen tiles") // affair documents, replies
			})
			slices.Sort(got)
			slices.Sort(c.want)
			same(t, "found", c.want, got)
		})
	}
}

func TestRecallRefuses(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	for _, c := range []struct {
		name string
		q    memory.Query
		says string
	}{
		{"an unknown scope", memory.Query{Scope: in("s1"), Text: "x", In: "everywhere"}, "use current, session, all or kb_only"},
		{"a user that reaches another key", memory.Query{Scope: state.Scope{User: "a/b"}, Text: "x"}, "user id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := m.Recall(t.Context(), c.q)
			if text := code(t, err, state.Invalid); !strings.Contains(text, c.says) {
				t.Errorf("want an error with %q, got %q", c.says, text)
			}
		})
	}
}

func TestRecallLimitAndOrder(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	for _, content := range []string{"kettle", "kettle red", "kettle red enamel", "nothing alike"} {
		write(t, m, in("s1"), memory.Change{Content: content})
	}
	hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "kettle red enamel", Limit: 2})
	must(t, err)
	if len(hits) != 2 || hits[0].Text != "kettle red enamel" || hits[0].Score < hits[1].Score {
		t.Errorf("want the best two, best first, got %+v", hits)
	}
	if h := hits[0]; h.Record == nil || h.Message != nil || h.Doc != nil || h.Source != "record fact, 2026-02-15" {
		t.Errorf("want a record with its source, got %+v", h)
	}
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "  "}); len(got) != 0 {
		t.Errorf("an empty query finds %q", got)
	}
}

func TestRecallAsOf(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	before := w.clock()
	w.pass(20 * time.Minute)
	w.turn(t, m, in("s1"), opens("Parcel from Norway"), "The parcel from Norway has number 4711-0815")
	write(t, m, in("s1"), memory.Change{Subject: "parcel", Content: "from Norway"})
	between := w.clock()
	w.pass(20 * time.Minute)
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "The parcel from Norway costs 120 EUR")

	for _, c := range []struct {
		name string
		asOf time.Time
		has  []string
		not  []string
	}{
		{"now", time.Time{}, []string{"4711-0815", "120 EUR", "parcel: from Norway"}, nil},
		{"in between", between, []string{"4711-0815", "parcel: from Norway"}, []string{"120"}},
		{"before anything", before, nil, []string{"4711", "120", "Norway"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all := strings.Join(texts(t, m, memory.Query{Scope: in("s1"), Text: "parcel from Norway number costs", AsOf: c.asOf, Limit: 10}), "\n")
			for _, s := range c.has {
				if !strings.Contains(all, s) {
					t.Errorf("%q is missing in:\n%s", s, all)
				}
			}
			for _, s := range c.not {
				if strings.Contains(all, s) {
					t.Errorf("%q was not known then:\n%s", s, all)
				}
			}
		})
	}
}

func TestNothingCrossesTheWall(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	mine := in("s1")
	w.turn(t, m, mine, opens("Secret garden"), "The secret garden opens at noon")
	write(t, m, mine, memory.Change{Content: "secret garden key"})
	for _, c := range []struct {
		name  string
		scope state.Scope
		found bool
	}{
		{"the same", mine, true},
		{"another session", in("s2"), true},
		{"another agent", state.Scope{Client: "c1", User: "u1", Session: "s1", Agent: "other"}, true},
		{"another user", state.Scope{Client: "c1", User: "u2", Session: "s1"}, false},
		{"another client", state.Scope{Client: "c2", User: "u1", Session: "s1"}, false},
		{"a user whose name begins alike", state.Scope{Client: "c1", User: "u", Session: "s1"}, false},
		{"a client whose name begins alike", state.Scope{Client: "c", User: "u1", Session: "s1"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := texts(t, m, memory.Query{Scope: c.scope, Text: "secret garden opens key"}); (len(got) > 0) != c.found {
				t.Errorf("recall: want found=%v, got %q", c.found, got)
			}
			affairs, err := m.Affairs().List(t.Context(), c.scope, true)
			if err != nil || (len(affairs) > 0) != c.found {
				t.Errorf("affairs: want found=%v, got %v, %v", c.found, titles(affairs), err)
			}
			records, err := m.Records(t.Context(), c.scope)
			if err != nil || (len(records) > 0) != c.found {
				t.Errorf("records: want found=%v, got %v, %v", c.found, records, err)
			}
		})
	}
}

// A scope that no one validated must not reach another's keys, whichever call it comes through.
func TestEveryCallChecksItsScope(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, state.Scope{Client: "c1", User: "u1", Session: "s1"}, opens("Secret garden"), "The secret garden opens at noon")
	bad := state.Scope{Client: "c1/u1", User: "s1", Session: "x"}
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"Affairs":     func() error { _, err := m.Affairs().List(ctx, bad, true); return err },
		"Affair":      func() error { _, err := m.Affairs().Get(ctx, bad, "x"); return err },
		"Messages":    func() error { _, err := m.Messages(ctx, bad); return err },
		"Records":     func() error { _, err := m.Records(ctx, bad); return err },
		"Session":     func() error { _, err := m.Sessions().Get(ctx, bad); return err },
		"Load":        func() error { _, err := m.Turn().Load(ctx, state.Input{Scope: bad, Seq: 1}); return err },
		"EditSession": func() error { _, err := m.Sessions().Edit(ctx, bad, sessions.Change{Clear: true}); return err },
		"MoveAffair":  func() error { _, err := m.Affairs().Move(ctx, bad, "x", state.Parked, ""); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code(t, call(), state.Invalid)
		})
	}
}

func TestAWriteIsRecalledAtOnceAndOnce(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	q := memory.Query{Scope: in("s1"), Text: "delivery on 20 February"}
	s := w.begin(t.Context(), m, nil)
	if _, err := m.Write(s.ctx, in("s1"), memory.Change{Subject: "delivery", Content: "20 February"}); err != nil {
		t.Fatal(err)
	}
	inside := func() []string {
		hits, err := m.Recall(s.ctx, q)
		must(t, err)
		var out []string
		for _, h := range hits {
			out = append(out, h.Text)
		}
		return out
	}
	want := []string{"delivery: 20 February"}
	same(t, "in the step, before any commit", want, inside())
	if got := texts(t, m, q); len(got) != 0 {
		t.Errorf("outside the step it is found before its commit: %q", got)
	}
	must(t, s.commit())
	for name, got := range map[string][]string{
		"in the step":        inside(),
		"outside":            texts(t, m, q),
		"in another session": texts(t, m, memory.Query{Scope: in("s2"), Text: q.Text}),
		"in another process": texts(t, w.memory(t, nil), q),
		"records only":       texts(t, m, memory.Query{Scope: in("s1"), Text: q.Text, In: memory.InKB}),
	} {
		same(t, name+", after the commit", want, got)
	}
}

func TestRecallBeforeLeavesOutTheQuestionItself(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"u1", "000000000001", "000000000003"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			scope := state.Scope{Client: "c1", User: user, Session: "s1"}
			other := state.Scope{Client: "c1", User: user, Session: "s2"}
			w.turn(t, m, scope, nil, "hello, the lighthouse is white")
			w.turn(t, m, scope, nil, "where is the lighthouse")
			w.turn(t, m, other, nil, "hello, the lighthouse is far")
			got := texts(t, m, memory.Query{Scope: scope, Text: "lighthouse", Before: 3})
			slices.Sort(got)
			ofAffair := func(s string) bool { return strings.HasPrefix(s, "Lighthouse; ") } // its summary
			got = slices.DeleteFunc(got, func(s string) bool { return !strings.Contains(s, "the lighthouse") || ofAffair(s) })
			same(t, "found", []string{"hello, the lighthouse is far", "hello, the lighthouse is white"}, got)
		})
	}
}

func TestEvidenceFromAnotherSessionOfTheAffair(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Lighthouse trip"), "The lighthouse ferry leaves at seven") // m1 of s1
	w.turn(t, m, in("s2"), judges(state.Switch, "Lighthouse trip", "", 0.9), "Tell me of the lighthouse")
	got := w.turn(t, m, in("s2"), judges(state.Continue, "", "", 0.9), "When does the lighthouse ferry leave?")
	input, err := m.Turn().Gather(t.Context(), got.view, got.decision, "")
	must(t, err)
	for _, e := range input.Evidence {
		if e.Text == "The lighthouse ferry leaves at seven" {
			return
		}
	}
	t.Errorf("message m1 of the other session is missing, because the window has an m1 too; evidence: %+v", input.Evidence)
}

func TestGatherKeepsAffairsApart(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "The part of the car has order number 07-14244-53150")
	w.turn(t, m, in("s1"), opens("University"), "The university sent an email")
	for _, c := range []struct {
		name  string
		small any
		has   bool
	}{
		{"going on with the active one", nil, false},
		{"a question aside about the other", "Car part", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			small := judges(state.Continue, "", "", 0.9)
			if title, ok := c.small.(string); ok {
				small = judges(state.AdHoc, title, "", 0.9)
			}
			got := w.turn(t, m, in("s1"), small, "And the order number of the part?")
			input, err := m.Turn().Gather(t.Context(), got.view, got.decision, "")
			must(t, err)
			found, wanted := false, false
			for _, e := range input.Evidence {
				if strings.Contains(e.Text, "07-14244-53150") {
					found, wanted = true, wanted || e.Must
				}
			}
			for _, msg := range input.History {
				found = found || strings.Contains(msg.Text, "07-14244-53150")
			}
			if found != c.has || wanted != c.has {
				t.Errorf("want the other affair's number %v (as a must), got found=%v must=%v: %+v", c.has, found, wanted, input.Evidence)
			}
		})
	}
}

func TestLongQueriesAreCut(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	write(t, m, in("s1"), memory.Change{Subject: "door code", Content: "The door code is 4711."})
	s := w.begin(t.Context(), m, nil)
	hits, err := m.Recall(s.ctx, memory.Query{Scope: in("s1"), Text: "door code? " + strings.Repeat("x", 1<<20)})
	if err != nil || len(hits) != 1 || hits[0].Record.Subject != "door code" {
		t.Errorf("found %+v, %v", hits, err)
	}
	if notes := s.trace.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "1048587 bytes") {
		t.Errorf("it says %q", notes)
	}
}

// A message that a fork has from another session is found once, and as the session's own where it is asked from there. What was said twice is found twice.
func TestAForkIsNoSecondSource(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Trip"), "The train leaves at 7:52 from platform 11.")
	w.turn(t, m, in("s2"), judges(state.Continue, "", "", 0.9), "The train leaves at 7:52 from platform 11.")
	must(t, m.Sessions().Fork(t.Context(), in("s1"), 1, "fork"))
	for _, session := range []string{"s1", "fork", "s2"} {
		hits, err := m.Recall(t.Context(), memory.Query{Scope: in(session), Text: "train platform"})
		must(t, err)
		var from []string
		for _, h := range hits {
			if h.Message != nil && h.Message.Role == state.RoleUser {
				from = append(from, h.Of)
			}
		}
		slices.Sort(from)
		want := []string{"message fork/1", "message s2/1"}
		if session != "fork" {
			want = nil // one of the two, and the other session's
		}
		if len(from) != 2 || want != nil && !slices.Equal(from, want) || !slices.Contains(from, "message s2/1") {
			t.Errorf("from %s: found in %v", session, from)
		}
	}
}
