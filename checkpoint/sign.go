package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// openDoc is what the open collection keeps of a thread that a Sweep has to look at: it has an unfinished turn,
// or effects to be carried out, or a day on which it goes. What happened stands in the steps alone.
type openDoc struct {
	Client  string    `bson:"client"`
	Thread  string    `bson:"thread"`
	Turn    string    `bson:"turn,omitempty"`    // "" = none is open
	Attempt string    `bson:"attempt,omitempty"` //
	Graph   string    `bson:"graph,omitempty"`   // fingerprint of the graph that runs it
	Holder  string    `bson:"holder,omitempty"`  // the process that runs it
	Process *process  `bson:"process,omitempty"` // the same, to those of its machine
	Until   time.Time `bson:"until,omitempty"`   // its lease
	At      time.Time `bson:"at"`
	Waits   bool      `bson:"waits,omitempty"`   // for an answer
	Applied int64     `bson:"applied,omitempty"` // effects of steps up to it are carried out
	Goes    time.Time `bson:"goes,omitempty"`    // when the thread may be deleted
}

// signpost is a turn's hold on the thread's open document, whose lease it renews.
type signpost struct {
	log    *Log
	thread state.Thread

	mu   sync.Mutex
	rev  int64 // 0 = there is none
	doc  openDoc
	lost chan struct{} // closed when another attempt has taken the thread over
	stop chan struct{} // nil = nothing is renewed
	done chan struct{}
}

func (l *Log) newSign(thread state.Thread) *signpost {
	return &signpost{log: l, thread: thread, lost: make(chan struct{})}
}

// readSign reads the thread's open document.
func (l *Log) readSign(ctx context.Context, thread state.Thread) (*signpost, error) {
	s := l.newSign(thread)
	return s, s.read(ctx)
}

// read takes the document as it stands. The caller holds s.mu, or has s alone.
func (s *signpost) read(ctx context.Context) error {
	doc, err := s.log.get(ctx, state.Open, s.thread.Key())
	if state.CodeOf(err) == state.NotFound {
		s.rev, s.doc = 0, openDoc{}
		return nil
	}
	if err != nil {
		return err
	}
	return s.take(doc)
}

func (s *signpost) take(doc store.Doc) error {
	s.doc = openDoc{}
	if err := bson.Unmarshal(doc.Body, &s.doc); err != nil {
		return state.Errorf(state.Internal, "open turn of "+s.thread.Key(), "is damaged: %w", err)
	}
	s.rev = doc.Rev
	return nil
}

// runningDoc returns the document of a turn that runs here.
func (s *signpost) runningDoc(t *Turn) openDoc {
	l, now := s.log, s.log.c.Now()
	d := openDoc{
		Client: s.thread.Client, Thread: s.thread.ID, Turn: t.id, Attempt: t.attempt, Graph: cmp.Or(t.graph, s.doc.Graph),
		Holder: l.holder, Until: now.Add(l.c.Lease), At: now, Applied: s.doc.Applied,
	}
	if l.can.Shared {
		d.Process = l.machine.self()
	}
	return d
}

// makeChange returns the write that makes the document d.
func (s *signpost) makeChange(d openDoc) (store.Doc, error) {
	body, err := marshal("open turn of "+s.thread.Key(), d)
	return store.Doc{Collection: state.Open, ID: s.thread.Key(), Rev: s.rev, Body: body}, err
}

// put writes the document as a change of its own, over whatever stands there.
func (s *signpost) put(ctx context.Context, d openDoc) error {
	for {
		doc, err := s.makeChange(d)
		if err == nil {
			err = s.log.c.Store.Write(ctx, doc)
		}
		switch {
		case err == nil:
			s.doc, s.rev = d, s.rev+1
			return nil
		case !errors.Is(err, state.ErrConflict):
			return err
		}
		if err := s.read(ctx); err != nil {
			return err
		}
	}
}

// drop deletes the document if it is still that of an attempt.
func (s *signpost) drop(ctx context.Context, attempt string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replace(ctx, attempt, nil)
}

// replace writes the document, nil = deletes it, if it is still that of an attempt. The caller holds s.mu.
func (s *signpost) replace(ctx context.Context, attempt string, d *openDoc) error {
	for s.rev > 0 && s.doc.Attempt == attempt {
		doc := store.Doc{Collection: state.Open, ID: s.thread.Key(), Rev: s.rev}
		if d != nil {
			var err error
			if doc, err = s.makeChange(*d); err != nil {
				return err
			}
		}

		// A conflict means that somebody has changed it: it is read again, and may be another attempt's now.
		err := s.log.c.Store.Write(ctx, doc)
		switch {
		case err == nil && d == nil:
			s.rev, s.doc = 0, openDoc{}
			return nil
		case err == nil:
			s.rev, s.doc = s.rev+1, *d
			return nil
		case !errors.Is(err, state.ErrConflict):
			return err
		}
		if err := s.read(ctx); err != nil {
			return err
		}
	}
	return nil
}

// endTurn returns what becomes of the document of a turn that is over and owes nothing: it goes, or says when the thread does.
func (s *signpost) endTurn(ctx context.Context, attempt string) error {
	if s.log.c.Keep == 0 {
		return s.drop(ctx, attempt)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.log.c.Now()
	return s.replace(ctx, attempt, &openDoc{Client: s.thread.Client, Thread: s.thread.ID, At: now, Goes: now.Add(s.log.c.Keep)})
}

// renew keeps the lease of a turn in a shared store until halt.
func (s *signpost) renew(attempt string) {
	if !s.log.can.Shared || s.stop != nil {
		return
	}
	s.stop, s.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(s.done)
		for {
			select {
			case <-s.stop:
				return
			case <-s.log.c.After(s.log.c.Lease / 3):
			}
			if !s.extend(attempt) {
				return
			}
		}
	}()
}

// extend moves the end of the lease. False = the thread is another attempt's now. A store that does not answer is
// tried again at the next time: until the lease is over nobody takes the turn.
func (s *signpost) extend(attempt string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), s.log.c.Lease/3)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rev == 0 {
		return true // not begun
	}

	// A later end of the lease, where the document is still ours.
	d := s.doc
	d.Until = s.log.c.Now().Add(s.log.c.Lease)
	doc, err := s.makeChange(d)
	if err == nil {
		err = s.log.c.Store.Write(ctx, doc)
	}
	if err == nil {
		s.doc, s.rev = d, s.rev+1
		return true
	}

	// Another process has written it: is the thread still ours?
	if !errors.Is(err, state.ErrConflict) || s.read(ctx) != nil || s.doc.Attempt == attempt {
		return true
	}
	if s.rev == 0 { // another process took it for that of a turn of its own and took it down
		_ = s.put(ctx, d)
		return true
	}
	close(s.lost)
	return false
}

// halt ends the renewal.
func (s *signpost) halt() {
	if s.stop != nil {
		close(s.stop)
		<-s.done
		s.stop = nil
	}
}

// free ends the lease of an attempt that gave up: others may go on with the turn at once.
func (s *signpost) free(attempt string) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.doc
	d.Until = s.log.c.Now()
	_ = s.replace(ctx, attempt, &d) // else the lease runs out by itself
}
