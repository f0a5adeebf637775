package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
)

// Turn is a running turn of a thread: the only writer of its log. It belongs to one run and is not safe
// for concurrent use; Release ends it.
type Turn struct {
	log     *Log
	thread  state.Thread
	hold    *hold
	id      string
	named   bool // its end is kept under its id
	attempt string
	seq     int64 // last committed step of the thread
	base    int64 // 0 until the first commit of a turn that Begin prepared
	items   int64 // the step whose chunk of items the state ends with
	prev    Step  // the head that Begin found
	graph   string
	sign    *signpost
	seen    int64          // of memory: see state.Effect
	first   int64          // the turn's first step, 0 when it is not known
	bodies  []bson.Raw     // the turn's steps so far without their effects, to be folded
	owed    []state.Effect // durable in steps, and perhaps not in documents
	tidy    bool           // something is to be done after the end
	over    error          // why nothing can be committed any more
	last    Step           // the step committed last
}

// Commit is what a step adds.
type Commit struct {
	Source  Source // default: SourceInput for a turn's first commit, SourceLoop after it
	Graph   string // first commit: fingerprint of the graph
	Parts   []Part
	Asked   []Ask // the turn waits for answers to these
	Answers []Answer
	Effects []state.Effect // decided edits of memory, made durable with the step
	Whole   bool           // the parts hold the whole state, nothing before counts
	Chunk   bson.Raw       // first commit, Whole: the growing fields' items since the chunk before, by field; the parts lack them
	Parent  int64          // SourceFork: the step gone on from
	From    string         // SourceFork: the key of its thread, when it is another
	Turn    string         // SourceFork: the turn that goes on, when it is another
	Named   bool           // SourceFork: the caller chose that one's id
	Done    bool           // the turn is finished
}

// grace is how long a commit may take whose context is already cancelled, and how long reading back may
// take when the outcome of a write is not known.
const grace = 5 * time.Second

// ID returns the turn's id.
func (t *Turn) ID() string { return t.id }

// Attempt is unique to this run of the turn; tokens carry it, so that a repeat can be told apart.
func (t *Turn) Attempt() string { return t.attempt }

// Prev is the last step before the turn (Seq 0 = the thread is new).
func (t *Turn) Prev() Step { return t.prev }

// Last returns the step that was committed last, of Seq 0 before the first.
func (t *Turn) Last() Step { return t.last }

// Past is what the state that the turn before left is rebuilt from; it has steps only where Prev is a step.
func (t *Turn) Past(ctx context.Context) (Past, error) { return t.log.readPast(ctx, t.thread, t.prev) }

// Lost is closed when another attempt has taken the turn over: what goes on here would be thrown away.
func (t *Turn) Lost() <-chan struct{} { return t.sign.lost }

// Release ends the run's hold on the thread in this process; a second Release does nothing. A turn that
// is not Done can be taken again.
func (t *Turn) Release() {
	l := t.log
	if l == nil {
		return
	}
	t.log = nil
	t.sign.halt()
	l.noteLast(t.thread, t.seq)

	switch {
	case l.can.Shared && t.base > 0 && !t.last.Done && !errors.Is(t.over, state.ErrConflict):
		l.leaveAfter(t.thread, t.hold, func() { t.sign.free(t.attempt) })
	case t.tidy:
		l.leaveAfter(t.thread, t.hold, func() { l.tidyUp(t) })
	default:
		l.leave(t.thread)
	}
}

// resume takes over what an unfinished turn has in the log: its steps, to be folded at its end, and what it owes.
func (t *Turn) resume(past Past) error {
	ended := true
	for _, s := range past.Steps {
		if ended || s.Source == SourceFork {
			t.first, t.bodies = 0, nil
		}
		if ended = s.Done; s.Turn != t.id {
			continue
		}
		if s.Seq > t.sign.doc.Applied {
			t.owed = append(t.owed, markEffects(t.thread, s.Seq, s.Effects, true)...)
		}

		if s.Effects = nil; t.first == 0 {
			t.first = s.Seq
		}

		body, err := s.encode()
		if err != nil {
			return err
		}
		t.bodies = append(t.bodies, body)
	}
	return nil
}

// Commit writes the next step together with its effects, all or nothing, durable before it returns. If
// another's step stands there, the answer is state.ErrFenced after the first commit and
// state.ErrConflict at the first one. After an error the turn accepts no commit any more: what is in the
// log then may be more than the caller knows, and only Take finds out. A context that is cancelled
// beforehand gives the commit a few seconds all the same, so that work that was paid for is kept.
func (t *Turn) Commit(ctx context.Context, c Commit) error {
	switch {
	case t.log == nil:
		return state.Errorf(state.Conflict, "turn "+t.id, "was released; take it again")
	case t.over != nil:
		return t.over
	}

	// What the caller left out.
	if c.Source == "" {
		c.Source = SourceLoop
		if t.base == 0 {
			c.Source = SourceInput
		}
	}

	// Work that was done is kept, though nobody waits for it.
	if ctx.Err() != nil {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		ctx = late
	}
	if err := t.commit(ctx, c); err != nil {
		t.over = err
		return err
	}
	if c.Done {
		t.over = state.Errorf(state.Conflict, "turn "+t.id, "is finished")
	}
	state.TraceFrom(ctx).Charge(state.Bill{Commits: 1})
	return nil
}

func (t *Turn) commit(ctx context.Context, c Commit) error {
	// What the step says.
	if c.Turn != "" {
		t.id, t.named = c.Turn, c.Named
	}
	if len(c.Effects) > 0 && t.log.c.Memory == nil {
		return state.Errorf(state.Invalid, "turn "+t.id, "edits memory, which the log has no Config.Memory for")
	}
	if c.Graph != "" {
		t.graph = c.Graph
	}
	c.Effects = t.date(c.Effects)
	step := t.makeStep(c)
	body, err := step.encode()
	if err != nil {
		return err
	}

	// It is written, and looked at again where its thread may be gone.
	if t.log.can.Atomic {
		err = t.writeWhole(ctx, c, step, body)
	} else {
		err = t.insert(ctx, c, step, body)
	}
	if err == nil && t.mayBeDeleted(c, step) {
		err = t.checkDeleted(ctx, step)
	}
	if err != nil {
		return err
	}

	// The turn goes on behind it.
	if t.base == 0 || c.Source == SourceFork {
		t.first, t.bodies = step.Seq, nil
	}
	if step.Effects = nil; len(c.Effects) > 0 && !t.log.can.Atomic {
		if body, err = step.encode(); err != nil {
			return err
		}
	}
	if t.first > 0 {
		t.bodies = append(t.bodies, body)
	}
	if t.base == 0 || c.Source == SourceTakeover {
		t.sign.renew(t.attempt)
	}
	t.seq, t.base, t.items, t.last = step.Seq, step.Base, step.Items, step
	if t.log.can.Atomic {
		return nil
	}
	return t.carryOut(ctx, c, step)
}

// date lets effects say what the turn knew of memory, where they do not say what was known when they were decided.
func (t *Turn) date(effects []state.Effect) []state.Effect {
	if t.seen == 0 || len(effects) == 0 {
		return effects
	}
	effects = slices.Clone(effects)
	for i, e := range effects {
		if strings.HasPrefix(t.thread.Key(), e.Scope.UserPrefix()) { // of another user it knows nothing
			effects[i].Seen = cmp.Or(e.Seen, t.seen)
		}
	}
	return effects
}

// makeStep returns the next step of the log.
func (t *Turn) makeStep(c Commit) Step {
	s := Step{
		Version: stepVersion, Seq: t.seq + 1, Base: t.base, Turn: t.id, Attempt: t.attempt, Source: c.Source, Parent: c.Parent,
		From: c.From, Graph: c.Graph, Named: t.named, Items: t.items, Parts: c.Parts, Asked: c.Asked, Answers: c.Answers, At: t.log.c.Now(), Done: c.Done,
	}

	if slices.ContainsFunc(c.Parts, func(p Part) bool { return p.Item > 0 }) {
		s.Version = itemsVersion
	}

	switch {
	case c.Whole || t.base == 0 && t.prev.Seq == 0:
		s.Base, s.Items = s.Seq, 0
		if c.Chunk != nil {
			s.Items = s.Seq
		}
	case t.base == 0:
		s.Base, s.Items = t.prev.Base, t.prev.Items
	}

	if !t.log.can.Atomic {
		s.Effects = c.Effects
	}
	return s
}
