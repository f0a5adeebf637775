package checkpoint

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Open is a thread whose last turn is not finished.
type Open struct {
	Thread state.Thread
	Turn   string
	Graph  string // fingerprint of the graph it runs on
	Since  time.Time
	Waits  bool      // for an answer: Resume alone will not finish it
	Runs   bool      // it runs, here or under another's lease: Take would refuse
	Until  time.Time // of the lease
}

// Unfinished lists the threads that have an unfinished turn, running or not, by their keys: of the client of within those whose ids begin with its ID; without a client all of
// them. What is damaged is left out, and told in the error.
func (l *Log) Unfinished(ctx context.Context, within state.Thread) ([]Open, error) {
	var open []Open
	err := l.eachOf(ctx, within, func(s *signpost) error {
		if s.doc.Turn != "" {
			open = append(open, l.describe(s))
		}
		return nil
	})
	return open, err
}

// OpenTurn returns a thread's unfinished turn. A thread without one is state.ErrNotFound.
func (l *Log) OpenTurn(ctx context.Context, thread state.Thread) (Open, error) {
	sign, err := l.readSign(ctx, thread)
	if err != nil {
		return Open{}, err
	}
	if sign.doc.Turn == "" {
		return Open{}, state.Errorf(state.NotFound, "thread "+thread.Key(), "has no unfinished turn")
	}
	return l.describe(sign), nil
}

// Sweep works off what the open collection tells: effects that a process which died has left owing are carried out,
// threads whose time is over are deleted, and what is left is returned: the unfinished turns. The error joins those of single threads; the others are swept.
func (l *Log) Sweep(ctx context.Context, client string) ([]Open, error) {
	var open []Open
	var errs []error
	err := l.eachOf(ctx, state.Thread{Client: client}, func(s *signpost) error {
		left, err := l.sweep(ctx, s)
		if left {
			open = append(open, l.describe(s))
		}
		errs = append(errs, err)
		return nil
	})
	return open, errors.Join(append(errs, err)...)
}

// sweep looks at one thread; left means that its turn is not finished. A thread that is busy is left alone.
func (l *Log) sweep(ctx context.Context, s *signpost) (left bool, err error) {
	if d := l.describe(s); d.Runs {
		return s.doc.Turn != "", nil
	}

	if _, err := l.enter(ctx, s.thread); errors.Is(err, ErrBusy) {
		return false, nil // it runs
	} else if err != nil {
		return false, err
	}
	defer l.leave(s.thread)

	if err := s.read(ctx); err != nil || s.rev == 0 {
		return false, err
	}

	head, err := l.Head(ctx, s.thread)
	switch {
	case err != nil:
		return false, err
	case l.isGone(s, head):
		return false, l.erase(ctx, s)
	case s.doc.Turn == "":
		return false, nil
	case head.Seq == 0: // its first step never came
		return false, s.drop(ctx, s.doc.Attempt)
	case !head.Done:
		return true, nil
	}
	return false, l.repair(ctx, s.thread, head, s)
}

// describe says what a signpost tells.
func (l *Log) describe(s *signpost) Open {
	d := s.doc
	l.mu.Lock()
	h := l.live[s.thread.Key()]
	l.mu.Unlock()
	runs := h != nil && !d.Waits || l.isHeldElsewhere(s)
	return Open{Thread: s.thread, Turn: d.Turn, Graph: d.Graph, Since: d.At, Waits: d.Waits, Runs: runs, Until: d.Until}
}

// sweepPage is how many signposts are read at a time.
const sweepPage = 256

// eachOf visits the signposts of a client's threads whose ids begin with that of within, or all.
func (l *Log) eachOf(ctx context.Context, within state.Thread, visit func(*signpost) error) error {
	if within == (state.Thread{}) {
		return l.eachSign(ctx, "", visit)
	}
	if err := state.ValidateID("client", within.Client); err != nil {
		return err
	}
	return l.eachSign(ctx, within.Key(), visit)
}

// eachSign visits the signposts whose keys begin with prefix. One that is damaged is passed over and told at the end.
func (l *Log) eachSign(ctx context.Context, prefix string, visit func(*signpost) error) error {
	var damaged []error
	q := store.Query{Collection: state.Open, Prefix: prefix, Limit: sweepPage}
	for docs, err := range store.Pages(ctx, l.scan, q) {
		if err != nil {
			return errors.Join(append(damaged, err)...)
		}

		for _, d := range docs {
			client, id, _ := strings.Cut(d.ID, "/")
			s := l.newSign(state.Thread{Client: client, ID: id})
			if err := s.take(d); err != nil {
				damaged = append(damaged, err)
				continue
			}
			if err := visit(s); err != nil {
				return err
			}
		}
	}
	return errors.Join(damaged...)
}

// Delete removes a thread with everything in its log. A turn that runs is ErrBusy, and one that is unfinished is
// ErrUnfinished: what memory holds of it would be left half done. What the thread's turns wrote to memory stays, but their ids
// may be used again. A thread that does not exist is no error.
func (l *Log) Delete(ctx context.Context, thread state.Thread) error {
	s, head, err := l.claim(ctx, thread)
	if err != nil {
		return err
	}
	defer l.leave(thread)
	if head.Seq > 0 && !head.Done {
		return unfinishedError(thread, head)
	}
	return l.erase(ctx, s)
}

// claim keeps turns of this process off a thread that none runs on, here or elsewhere, until the caller leaves it. What its last
// turn decided is carried out then.
func (l *Log) claim(ctx context.Context, thread state.Thread) (s *signpost, head Step, err error) {
	if err := thread.Validate(); err != nil {
		return nil, head, err
	}
	if _, err := l.enter(ctx, thread); err != nil {
		return nil, head, err
	}

	if s, err = l.readIdleSign(ctx, thread); err == nil {
		head, err = l.Head(ctx, thread)
	}
	if err == nil && l.isGone(s, head) {
		head, err = Step{}, l.erase(ctx, s)
	}
	if err == nil {
		err = l.repair(ctx, thread, head, s)
	}
	if err != nil {
		l.leave(thread)
	}
	return s, head, err
}

// erase deletes a thread's log. The signpost says first that the thread goes: were it cut short, the next turn or sweep would
// end it.
func (l *Log) erase(ctx context.Context, s *signpost) error {
	if err := s.put(ctx, openDoc{Client: s.thread.Client, Thread: s.thread.ID, At: l.c.Now(), Goes: longAgo()}); err != nil {
		return err
	}
	for _, c := range []state.Collection{state.Turns, state.Steps} { // an id must not outlive its turn
		if _, err := l.c.Store.Delete(ctx, c, s.thread.StepPrefix()); err != nil {
			return err
		}
	}
	return s.drop(ctx, s.doc.Attempt)
}

// longAgo returns when a thread's time was over that is being deleted: to all clocks, however they differ.
func longAgo() time.Time { return time.UnixMilli(0) }

// isGone reports whether the thread is being deleted, or its time is over; it never is while a turn is unfinished.
func (l *Log) isGone(s *signpost, head Step) bool {
	d := s.doc
	over := head.Seq == 0 || head.Done || d.Goes.Equal(longAgo())
	return over && d.Turn == "" && !d.Goes.IsZero() && !d.Goes.After(l.c.Now())
}
