package checkpoint

import (
	"context"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// hold is a turn's hold on its thread in this process. When the turn is over it may go on tidying up: the
// next turn waits for that, but not for a turn that runs.
type hold struct {
	tail chan struct{} // nil while the turn runs; closed when all is tidy
}

// enter takes the thread for a turn of this process. It waits for a finished turn to be tidied up.
func (l *Log) enter(ctx context.Context, thread state.Thread) (*hold, error) {
	key := thread.Key()
	for {
		l.mu.Lock()
		h := l.live[key]
		if h == nil {
			h = &hold{}
			l.live[key] = h
			l.mu.Unlock()
			return h, nil
		}

		// A thread that is being tidied up is waited for, one with a turn is refused.
		tail := h.tail
		l.mu.Unlock()
		if tail == nil {
			return nil, l.busyError(thread, time.Time{}, "wait for its reply and send again")
		}
		select {
		case <-tail:
		case <-ctx.Done():
			return nil, store.Cancelled(ctx)
		}
	}
}

// busyError is ErrBusy on a thread that may be free at a time, or a moment later, and says why.
func (l *Log) busyError(thread state.Thread, until time.Time, why string) error {
	const moment = 50 * time.Millisecond
	err := state.Errorf(state.Conflict, "thread "+thread.Key(), "%w: %s", ErrBusy, why)
	err.RetryAfter = max(until.Sub(l.c.Now()), moment)
	return err
}

// unfinishedError is ErrUnfinished, about the turn of a step.
func unfinishedError(thread state.Thread, head Step) error {
	return state.Errorf(state.Conflict, "thread "+thread.Key(), "%w, %s: resume it, or cancel it to give it up", ErrUnfinished, head.Turn)
}

func (l *Log) leave(thread state.Thread) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.live, thread.Key())
}

// leaveAfter runs what tidies up behind a turn that is released, and leaves the thread then.
func (l *Log) leaveAfter(thread state.Thread, h *hold, tidy func()) {
	tail := make(chan struct{})
	l.mu.Lock()
	h.tail = tail
	l.mu.Unlock()
	l.tails.Go(func() {
		defer close(tail)
		tidy()
		l.leave(thread)
	})
}

// readIdleSign reads the signpost of a thread that no other process may be at work on.
func (l *Log) readIdleSign(ctx context.Context, thread state.Thread) (*signpost, error) {
	s, err := l.readSign(ctx, thread)
	if err == nil && l.isHeldElsewhere(s) {
		err = l.elsewhereError(s)
	}
	return s, err
}

func (l *Log) elsewhereError(s *signpost) error {
	return l.busyError(s.thread, s.doc.Until, "it runs elsewhere until "+s.doc.Until.Format(time.RFC3339)+" at least")
}

// isHeldElsewhere reports whether another process is at work on the thread, as far as its lease says, and the machine where it
// is this one.
func (l *Log) isHeldElsewhere(s *signpost) bool {
	d := s.doc
	return l.can.Shared && s.rev > 0 && d.Holder != l.holder && !d.Waits && d.Until.After(l.c.Now()) && !l.machine.hasEnded(d.Process)
}

// mayRunElsewhere reports whether the turn of a step may be at work elsewhere although its signpost does not say so. Without transactions
// the signpost is written beside the step and may not stand yet, and a turn that lost the race may have replaced it.
func (l *Log) mayRunElsewhere(head Step, sign *signpost) bool {
	return l.can.Shared && sign.doc.Attempt != head.Attempt && head.At.Add(l.c.Lease).After(l.c.Now())
}
