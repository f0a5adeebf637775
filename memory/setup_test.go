package memory_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// world is a store with a clock and ids of its own. Several memories over one world are several processes.
type world struct {
	store store.Store
	log   *steps // of a store that is not Atomic, else nil
	name  string // of the process

	clock func() time.Time
	pass  func(time.Duration)
	newID func() string
}

func newWorld() *world {
	return worldOf(ram.New(), &statetest.Clock{At: time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)})
}

func worldOf(s store.Store, c *statetest.Clock) *world {
	return &world{store: s, clock: c.Now, pass: c.Pass, newID: c.NewID}
}

// newServer is a world whose store promises as little as a server without transactions.
func newServer() *world {
	w := newWorld()
	w.store, w.log = ram.NewLoose(), &steps{threads: map[string]*thread{}}
	return w
}

// process is the world as one of its processes has it, with its own way to the store.
func (w *world) process(s store.Store) *world {
	p := worldOf(s, &statetest.Clock{At: w.clock(), IDs: 1000})
	p.log, p.name = w.log, w.newID()
	return p
}

// memory opens a memory over the world's store; change, when not nil, edits its Config first.
func (w *world) memory(t *testing.T, change func(*memory.Config)) *memory.Memory {
	t.Helper()
	c := memory.Config{Store: w.store, Now: w.clock, NewID: w.newID, Settings: state.DefaultSettings()}
	if change != nil {
		change(&c)
	}
	m, err := memory.New(c)
	must(t, err)
	return m
}

// setup is a fresh world with one memory.
func setup(t *testing.T) (*world, *memory.Memory) {
	t.Helper()
	w := newWorld()
	return w, w.memory(t, nil)
}

// in is the usual scope in another session.
func in(session string) state.Scope {
	return state.Scope{Client: "c1", User: "u1", Session: session, Agent: "main"}
}

// step is one step of a turn: what is decided under ctx becomes durable with commit.
type step struct {
	w       *world
	m       *memory.Memory
	ctx     context.Context
	trace   *state.Trace
	effects *state.Effects
	thread  string // of the turn's steps, in a store that is not Atomic
}

// begin starts a step. A small model, when not nil, is the turn's.
func (w *world) begin(ctx context.Context, m *memory.Memory, small *scripted.Small) *step {
	s := &step{w: w, m: m, trace: &state.Trace{}, effects: &state.Effects{}}
	s.ctx = state.ContextWithTrace(state.ContextWithEffects(ctx, s.effects), s.trace)
	if small != nil {
		s.ctx = memory.ContextWithSmall(s.ctx, small)
	}
	return s
}

// commit makes what was decided durable, as the log does: merged again when another writer was first.
func (s *step) commit() error {
	effects := s.effects.Take()
	if s.w.log != nil {
		if len(effects) > 0 {
			s.thread = s.w.insert(effects[0].Scope.Thread().Key(), effects)
			return s.w.carryOut(s.ctx, s.m, s.thread, false)
		}
		return nil
	}
	return checkpointtest.Append(s.ctx, s.w.store, s.m.Turn().Commits(), effects...)
}

// turn is what a turn came to.
type turn struct {
	view     state.View
	decision state.Decision
	paid     bool
	notes    []string
}

// turn runs a whole turn as the graph does, answered with "Noted.". With a small model it is asked to judge.
func (w *world) turn(t *testing.T, m *memory.Memory, scope state.Scope, small *scripted.Small, text string) turn {
	t.Helper()
	got, err := w.try(t.Context(), m, scope, small, text)
	if err != nil {
		t.Fatalf("turn %q: %v", text, err)
	}
	return got
}

func (w *world) try(ctx context.Context, m *memory.Memory, scope state.Scope, small *scripted.Small, text string) (turn, error) {
	s := w.begin(ctx, m, small)
	if _, err := m.Turn().Commits().Look(ctx, scope.Thread()); err != nil {
		return turn{}, err
	}
	msg, err := m.Turn().Admit(s.ctx, scope, state.Message{Text: text, Turn: w.newID()})
	if err != nil {
		return turn{}, err
	}
	if err := s.commit(); err != nil {
		return turn{}, err
	}
	view, err := m.Turn().Load(s.ctx, state.Input{Scope: scope, Seq: msg.Seq})
	if err != nil {
		return turn{}, err
	}
	view, d, paid, err := decide(s.ctx, m, view, small != nil)
	if err != nil {
		return turn{}, err
	}
	answer := state.Message{
		ID: fmt.Sprintf("m%d", msg.Seq+1), Seq: msg.Seq + 1, Turn: msg.Turn, Role: state.RoleAssistant,
		Text: "Noted.", Affair: view.Target, At: w.clock(),
	}
	_ = memory.Say(s.ctx, scope, answer)
	if err := s.commit(); err != nil {
		return turn{}, err
	}
	view.Turn = append(slices.Clone(view.Turn), answer)
	if view, err = m.Turn().Flush(s.ctx, view, d); err != nil {
		return turn{}, err
	}
	return turn{view, d, paid, s.trace.Notes()}, s.commit()
}

// judges is a small model that gives one answer to detect.
func judges(kind state.Kind, target, title string, confidence float64) *scripted.Small {
	return scripted.Background(map[string]any{"detect": map[string]any{
		"type": kind, "target_affair": target, "new_affair_title": title, "confidence": confidence, "reasoning": "scripted",
	}}, nil)
}

// opens is a small model that says the message opens an affair.
func opens(title string) *scripted.Small { return judges(state.NewAffair, "", title, 0.95) }

// named finds an affair of the user by title or fails the test.
func named(t *testing.T, m *memory.Memory, scope state.Scope, title string) state.Affair {
	t.Helper()
	a, err := m.Affairs().Get(t.Context(), scope, title)
	must(t, err)
	return a
}

// write writes one change or fails the test.
func write(t *testing.T, m *memory.Memory, scope state.Scope, c memory.Change) state.Receipt {
	t.Helper()
	receipts, err := m.Write(t.Context(), scope, c)
	must(t, err)
	return receipts[0]
}

// texts are what a recall found, best first.
func texts(t *testing.T, m *memory.Memory, q memory.Query) []string {
	t.Helper()
	hits, err := m.Recall(t.Context(), q)
	must(t, err)
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

// titles are the titles of affairs, with their status.
func titles(affairs []*state.Affair) []string {
	out := []string{}
	for _, a := range affairs {
		out = append(out, a.Title+" "+string(a.Status))
	}
	return out
}

// code fails the test when err has another code; it returns the error's text.
func code(t *testing.T, err error, want state.Code) string {
	t.Helper()
	if got := state.CodeOf(err); got != want {
		t.Fatalf("error code: want %q, got %q (%v)", want, got, err)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// failing is a store whose writes fail while broken.
type failing struct {
	store.Store
	broken bool
}

func (f *failing) Write(ctx context.Context, docs ...store.Doc) error {
	if f.broken {
		return state.Errorf(state.Unavailable, "store", "is broken for a test")
	}
	return f.Store.Write(ctx, docs...)
}

// decide is both halves of context_detect.
func decide(ctx context.Context, m *memory.Memory, v state.View, ask bool) (state.View, state.Decision, bool, error) {
	d, judged, err := m.Turn().Judge(ctx, v, ask)
	if err != nil {
		return v, d, judged, err
	}
	v, d, err = m.Turn().CarryOut(ctx, v, d)
	return v, d, judged, err
}

// summaries are the user's records of parts of sessions, in the order of their ids.
func summaries(t *testing.T, m *memory.Memory, scope state.Scope) []state.Record {
	t.Helper()
	records, err := m.Records(t.Context(), scope)
	must(t, err)
	return slices.DeleteFunc(records, func(r state.Record) bool { return r.Span == nil })
}

var must, same = statetest.Must, statetest.Same
