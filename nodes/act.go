package nodes

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// act runs calls of one answer side by side and makes their results messages of the turn, each at its call's place. What
// goes wrong with a call is a short text for the model; the turn goes on. What was over when others were still at work
// is committed by then. Calls about which a person has to be asked end it with state.ErrWaits when the others are over.
func (r *responder) act(ctx context.Context, t *state.Turn, asked state.Message, calls []*call) error {
	p := &round{responder: r, turn: t, asked: asked, over: make(chan *call, len(calls))}
	defer p.busy.Wait()

	work, done := state.Stoppable(ctx)
	defer done()

	p.admit(ctx, work, calls)
	for first := true; ; first = false {
		if err := p.begin(ctx, work, first); err != nil {
			return err
		}
		if p.open == 0 {
			break
		}
		select {
		case c := <-p.over:
			p.end(ctx, c)
		case <-p.due:
			if err := p.commit(ctx); err != nil {
				return err
			}
		}
	}
	if err := p.close(ctx); err != nil {
		return err
	}
	p.sayReply(ctx, p.turn, calls)
	return nil
}

// round is the calls of one answer at work.
type round struct {
	*responder
	turn  *state.Turn
	asked state.Message

	queue []*call // not begun
	waits []*call // for a person
	open  int     // begun and not over
	hosts int     // tools of the host among queue and open
	inner bool    // a memory tool is at work
	over  chan *call
	busy  sync.WaitGroup

	fresh []*call          // over since the last commit
	due   <-chan time.Time // when they are committed; nil = when no tool of the host is at work any more
}

// groupWithin is how long a result waits for others, to share a commit with them.
const groupWithin = time.Millisecond

// errCut is what a call comes to that was not over when the turn was stopped.
var errCut = errors.New("the turn was cut short before this call was over")

// admit sorts the calls: those that may run, those that wait for a person, and those that are refused or were begun too
// often. When the turn is stopped already nobody is asked.
func (p *round) admit(ctx, work context.Context, calls []*call) {
	for _, c := range calls {
		if work.Err() == nil {
			c.err = p.approve(p.originContext(ctx, p.turn, p.asked, c), p.asked, c)
		}
		if n := countBegun(p.turn.Journal.Items(), c.seq); c.err == nil && p.resumed && n >= p.set.ToolAttempts {
			c.err = state.Errorf(state.Unavailable, "tool "+c.Name, "was begun %d times and never came to a result; it is not begun again", n)
			p.warn(ctx, c, c.err)
		}

		switch {
		case c.err == nil:
			p.queue = append(p.queue, c)
			if !c.memory {
				p.hosts++
			}
		case errors.Is(c.err, state.ErrWaits):
			p.wait(c, !p.resumed)
		default:
			p.announce(ctx, c)
			p.file(ctx, c)
		}
	}
}

// begin starts calls as long as there is room, in their order; of the memory tools, which see each other's writes, one at a
// time. In an attempt after the first the journal notes it: for the calls that are begun at once before they are.
func (p *round) begin(ctx, work context.Context, first bool) error {
	// Which may begin now.
	var chosen []*call
	for i := 0; i < len(p.queue) && p.open < p.set.ParallelTools && work.Err() == nil; {
		c := p.queue[i]
		if c.memory && p.inner {
			i++
			continue
		}
		p.queue = slices.Delete(p.queue, i, i+1)
		p.inner = p.inner || c.memory
		p.open++
		chosen = append(chosen, c)
		if p.resumed {
			p.turn.Journal.Add(state.Entry{Kind: entryAgain, Seq: c.seq})
		}
	}

	// The journal says so first.
	if p.resumed && first && len(chosen) > 0 {
		if err := p.commit(ctx); err != nil {
			return err
		}
	}

	// They run side by side.
	for _, c := range chosen {
		p.announce(ctx, c)
		c.effects = state.EffectsFrom(ctx).Child()
		inside := state.ContextWithEffects(p.originContext(work, p.turn, p.asked, c), c.effects)
		p.busy.Go(func() {
			c.result, c.err = p.perform(inside, c)
			p.over <- c
		})
	}
	return nil
}

// end takes the result of a call. One that was given up because the context ended has none, and is run again.
func (p *round) end(ctx context.Context, c *call) {
	p.open--
	if c.memory {
		p.inner = false
	} else {
		p.hosts--
	}

	switch {
	case c.err != nil && ctx.Err() != nil:
	case errors.Is(c.err, state.ErrWaits):
		p.wait(c, true)
	default:
		p.file(ctx, c)
		if p.due == nil && p.hosts > 0 {
			p.due = p.Calls.after(groupWithin)
		}
	}
}

// wait puts a call off until a person has answered. If it counts as begun, that is taken back.
func (p *round) wait(c *call, counted bool) {
	p.waits = append(p.waits, c)
	if counted {
		p.turn.Journal.Add(state.Entry{Kind: entryWaits, Seq: c.seq})
	}
}

// file makes what a call came to a message of the turn. What it decided goes with it; of a call that failed nothing does.
func (p *round) file(ctx context.Context, c *call) {
	if c.err != nil {
		c.result = "error: " + c.err.Error()
	} else if sink := state.EffectsFrom(ctx); sink != nil {
		decided := c.effects.Take()
		p.turnTo(decided)
		sink.Add(decided...)
	}
	filed := p.say(ctx, p.turn, state.Message{Seq: c.seq, Role: state.RoleTool, Text: c.result, ToolCallID: c.ID, ToolName: c.Name, Answered: c.answer})
	state.Emit(ctx, state.Event{Name: state.ToolEnd, Node: RespondName, Tool: c.Name, Call: c.ID, Text: filed.Text})
	p.fresh = append(p.fresh, c)
}

// turnTo follows a call that has put the turn under another affair: what is said from now on is filed there, and the decision says so.
func (p *round) turnTo(decided []state.Effect) {
	view, kind := p.turn.View.Get(), state.Switch
	to, why := "", ""
	for _, e := range decided {
		switch {
		case e.Affair != nil && e.Affair.Create != nil:
			kind = state.NewAffair
		case e.File != nil && e.File.Seq == view.Turn[0].Seq && e.File.Affair != "":
			to, why = e.File.Affair, e.File.Why
		}
	}
	if to == "" {
		return
	}
	if to == view.Session.Active {
		kind = state.Continue
	}
	view.Target, view.Session.Active = to, to
	p.turn.View.Set(view)
	p.turn.Decision.Set(state.Decision{Kind: kind, AffairID: to, Confidence: 1, By: "tool", Reasoning: why})
	p.stale = true
}

// note adds what was over since the last commit to what the next one holds.
func (p *round) note(ctx context.Context) {
	if len(p.fresh) == 0 {
		return
	}
	slices.SortFunc(p.fresh, func(a, b *call) int { return int(a.seq - b.seq) })
	var calls []state.ToolCall
	for _, c := range p.fresh {
		calls = append(calls, c.ToolCall)
	}
	p.turn.Receipts.Add(p.Memory.Turn().Written(ctx, p.turn.Input.Get().Scope)...)
	p.turn.Journal.Add(state.Entry{Kind: entryTools, Seq: p.fresh[0].seq, Hash: hash(compose.Message{ToolCalls: calls})})
	p.fresh = nil
}

func (p *round) commit(ctx context.Context) (err error) {
	p.due = nil
	p.note(ctx)
	*p.turn, err = p.commitPaid(ctx, *p.turn)
	return err
}

// close ends the round when no call is at work any more. What was over last is committed by the caller.
func (p *round) close(ctx context.Context) error {
	switch {
	case ctx.Err() != nil: // the turn is left unfinished, with the results that there are
		err := state.Errorf(state.Unavailable, "tools", "given up: %w", ctx.Err())
		if len(p.fresh) == 0 {
			return err
		}
		return errors.Join(err, p.commit(ctx))
	case stopReason(ctx) != nil:
		for _, c := range slices.Concat(p.queue, p.waits) {
			c.err = errCut
			p.file(ctx, c)
		}
		p.waits = nil
	}

	p.note(ctx)
	var asked []error
	for _, c := range p.waits {
		asked = append(asked, c.err)
	}
	return errors.Join(asked...)
}

// countBegun counts how often a call was begun and did not end by asking a person. Of the first attempt nothing is noted:
// all its calls count.
func countBegun(journal []state.Entry, seq int64) int {
	n := 1
	for _, e := range journal {
		switch {
		case e.Seq != seq:
		case e.Kind == entryAgain:
			n++
		case e.Kind == entryWaits:
			n--
		}
	}
	return n
}

// announce tells listeners that a call comes.
func (p *round) announce(ctx context.Context, c *call) {
	state.Emit(ctx, state.Event{Name: state.ToolStart, Node: RespondName, Tool: c.Name, Call: c.ID, Text: c.Arguments})
}
