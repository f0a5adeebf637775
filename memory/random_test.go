package memory_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// running is a turn between two of its commits.
type running struct {
	*step
	scope state.Scope
	view  state.View
	msg   state.Message
	d     state.Decision
	done  int
}

// next does one commit's worth of the turn; it reports whether the turn is over.
func (r *running) next() (over bool, err error) {
	switch r.done++; r.done {
	case 1:
		if _, err := r.m.Turn().Commits().Look(r.ctx, r.scope.Thread()); err != nil {
			return false, err
		}
		r.msg, err = r.m.Turn().Admit(r.ctx, r.scope, state.Message{Text: "The parcel has number 07-14244-53150", Turn: r.w.newID()})
	case 2:
		if r.view, err = r.m.Turn().Load(r.ctx, state.Input{Scope: r.scope, Seq: r.msg.Seq}); err != nil {
			return false, err
		}
		if r.view, r.d, _, err = decide(r.ctx, r.m, r.view, true); err != nil {
			return false, err
		}
		answer := state.Message{Seq: r.msg.Seq + 1, Turn: r.msg.Turn, Role: state.RoleAssistant, Text: "Noted.", Affair: r.view.Target, At: r.w.clock()}
		_ = memory.Say(r.ctx, r.scope, answer)
		r.view.Turn = append(slices.Clone(r.view.Turn), answer)
	case 3:
		if r.msg.Seq%7 == 0 {
			r.d.Closes = r.view.Target
		}
		r.view, err = r.m.Turn().Flush(r.ctx, r.view, r.d)
	}
	if err != nil {
		return false, err
	}
	return r.done == 3, r.commit()
}

// machine is two processes that serve three sessions of one user.
type machine struct {
	w        *world
	t        *testing.T
	memories [2]*memory.Memory
	observer *memory.Memory // a third process, which only looks
	turns    map[string]*running
	said     map[string]int64
}

func (x *machine) sessions() []string { return []string{"s1", "s2", "s3"} }

func (x *machine) titles() []string { return []string{"Garden", "Boat", "Taxes", "University"} }

// small is a small model with a random opinion.
func (x *machine) small(rt *rapid.T) *scripted.Small {
	kind := rapid.SampledFrom([]state.Kind{state.Continue, state.Switch, state.AdHoc, state.NewAffair}).Draw(rt, "kind")
	title := rapid.SampledFrom(x.titles()).Draw(rt, "title")
	return judges(kind, title, title, rapid.SampledFrom([]float64{0.5, 0.9}).Draw(rt, "confidence"))
}

// do takes one random step and reports what should not have failed.
func (x *machine) do(ctx context.Context, rt *rapid.T) error {
	session := rapid.SampledFrom(x.sessions()).Draw(rt, "session")
	m := x.memories[rapid.IntRange(0, 1).Draw(rt, "process")]
	title := rapid.SampledFrom(x.titles()).Draw(rt, "affair")
	switch op := rapid.SampledFrom([]string{"turn", "turn", "turn", "turn", "park", "resume", "resolve", "archive", "clear", "write", "wait", "restart"}).Draw(rt, "op"); op {
	case "turn":
		r := x.turns[session]
		if r == nil {
			r = &running{step: x.w.begin(ctx, m, x.small(rt)), scope: in(session)}
			x.turns[session] = r
		}
		over, err := r.next()
		if over {
			delete(x.turns, session)
			x.said[session] += 2
		}
		return err
	case "write":
		_, err := m.Write(ctx, in(session), memory.Change{Content: "note on " + title})
		return err
	case "clear":
		_, err := m.Sessions().Edit(ctx, in(session), sessions.Change{Clear: true})
		return err
	case "wait":
		x.w.pass(time.Duration(rapid.IntRange(1, 40).Draw(rt, "minutes")) * time.Minute)
	case "restart":
		x.memories[rapid.IntRange(0, 1).Draw(rt, "which")] = x.w.memory(x.t, nil)
	default:
		to := map[string]state.Status{"park": state.Parked, "resume": state.Active, "resolve": state.Resolved, "archive": state.Archived}[op]
		_, err := m.Affairs().Move(ctx, in(session), title, to, "")
		if c := state.CodeOf(err); c != state.NotFound && c != state.Invalid && c != state.Conflict {
			return err
		}
	}
	return nil
}

// check looks at the store through the eyes of another process.
func (x *machine) check(ctx context.Context, fresh *memory.Memory) error {
	if err := pointers(ctx, fresh, x.sessions()...); err != nil {
		return err
	}
	for _, session := range x.sessions() {
		if x.turns[session] != nil {
			continue
		}
		kept, err := fresh.Messages(ctx, in(session))
		if err != nil {
			return err
		}
		for i, msg := range kept {
			if msg.Seq != int64(i+1) {
				return fmt.Errorf("session %s: message %d has number %d", session, i+1, msg.Seq)
			}
		}
		if got := int64(len(kept)); got != x.said[session] {
			return fmt.Errorf("session %s: %d messages of %d are kept", session, got, x.said[session])
		}
	}
	if x.w.log != nil && len(x.turns) > 0 {
		return nil // only its own process sees what a running turn decided
	}
	for _, m := range x.memories {
		if err := sameView(ctx, m, fresh); err != nil {
			return err
		}
	}
	return nil
}

// sameView compares what a process that ran all along shows with what a new one reads.
func sameView(ctx context.Context, old, fresh *memory.Memory) error {
	have, err := old.Affairs().List(ctx, in("s1"), true)
	if err != nil {
		return err
	}
	want, err := fresh.Affairs().List(ctx, in("s1"), true)
	if err != nil {
		return err
	}
	sorted := func(list []*state.Affair) []string {
		out := titles(list)
		slices.Sort(out)
		return out
	}
	if !slices.Equal(sorted(have), sorted(want)) {
		return fmt.Errorf("a running process shows %v, the store has %v", sorted(have), sorted(want))
	}
	return nil
}

// Whatever turns, moves and restarts of two processes come across each other: at most one affair is active in a
// session, the session points at it, and no message is lost.
func TestRandomStepsKeepSessionsWhole(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func() *world{"own store": newWorld, "server": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) { randomSteps(t, rt, world()) })
		})
	}
}

func randomSteps(t *testing.T, rt *rapid.T, w *world) {
	t.Helper()
	const steps = 60 // in each of rapid's runs, 100 by default
	x := &machine{w: w, t: t, turns: map[string]*running{}, said: map[string]int64{}}
	x.memories, x.observer = [2]*memory.Memory{w.memory(t, nil), w.memory(t, nil)}, w.memory(t, nil)
	for range steps {
		if err := x.do(t.Context(), rt); err != nil {
			rt.Fatalf("step: %v", err)
		}
		must(rt, x.check(t.Context(), x.observer))
	}
	if err := x.check(t.Context(), w.memory(t, nil)); err != nil {
		rt.Fatalf("as a new process reads it: %v", err)
	}
}
