package storetest

import (
	"context"
	"sync"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Faulty passes calls on to the store it wraps, and has a test do something around each: count it, fail it, hold it up,
// let another process be first. The zero value needs only its Store.
type Faulty struct {
	store.Store
	mu     sync.Mutex
	calls  int
	around Around
}

// Around stands in for a call: it makes the call with do, or does not, and its error is what the caller gets. It may
// change c.Docs before. Calls at the same time are around at the same time.
type Around func(ctx context.Context, c *Call, do func(context.Context) error) error

// Call is one call of a Faulty store.
type Call struct {
	N          int              // which one it is, from 1, over all verbs since the last Set
	Verb       string           // get, scan, write or delete
	Collection state.Collection // of a Write, that of its first document
	ID         string           // or prefix
	Docs       []store.Doc      // of a Write; of a Scan, once it is made, what it found
	half       Fault            // what a Delete does half of
}

// Wrap returns a Faulty over s.
func Wrap(s store.Store, around Around) *Faulty { return &Faulty{Store: s, around: around} }

// Set changes what is done around calls from now on, and counts them anew; nil passes them on.
func (f *Faulty) Set(around Around) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.around = 0, around
}

// Calls returns how many there were since the last Set.
func (f *Faulty) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func (f *Faulty) call(ctx context.Context, c *Call, do func(context.Context) error) error {
	f.mu.Lock()
	f.calls++
	c.N = f.calls
	around := f.around
	f.mu.Unlock()
	if around == nil {
		return do(ctx)
	}
	return around(ctx, c, do)
}

// Moment counts something else than a call of the store with them, and has done around it what is around those.
func (f *Faulty) Moment(ctx context.Context) error {
	return f.call(ctx, &Call{Verb: "moment"}, func(context.Context) error { return nil })
}

// Get passes on.
func (f *Faulty) Get(ctx context.Context, c state.Collection, id string) (d store.Doc, err error) {
	err = f.call(ctx, &Call{Verb: "get", Collection: c, ID: id}, func(ctx context.Context) (err error) {
		d, err = f.Store.Get(ctx, c, id)
		return err
	})
	return d, err
}

// Scan passes on.
func (f *Faulty) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	c := &Call{Verb: "scan", Collection: q.Collection, ID: q.Prefix}
	err := f.call(ctx, c, func(ctx context.Context) (err error) {
		c.Docs, err = f.Store.Scan(ctx, q)
		return err
	})
	return c.Docs, err
}

// Write passes on. An empty one is no call.
func (f *Faulty) Write(ctx context.Context, docs ...store.Doc) error {
	if len(docs) == 0 {
		return nil
	}
	c := &Call{Verb: "write", Collection: docs[0].Collection, ID: docs[0].ID, Docs: docs}
	return f.call(ctx, c, func(ctx context.Context) error { return f.Store.Write(ctx, c.Docs...) })
}

// Delete passes on.
func (f *Faulty) Delete(ctx context.Context, collection state.Collection, prefix string) (n int, err error) {
	c := &Call{Verb: "delete", Collection: collection, ID: prefix}
	err = f.call(ctx, c, func(ctx context.Context) (err error) {
		if c.half != None {
			return f.deleteHalf(ctx, c)
		}
		n, err = f.Store.Delete(ctx, collection, prefix)
		return err
	})
	return n, err
}

func (f *Faulty) deleteHalf(ctx context.Context, c *Call) error {
	docs, err := f.Store.Scan(ctx, store.Query{Collection: c.Collection, Prefix: c.ID})
	if err != nil {
		return err
	}
	for i := range docs {
		docs[i].Body = nil
	}
	return f.Store.Write(ctx, halve(docs, c.half)...)
}

func halve(docs []store.Doc, kind Fault) []store.Doc {
	if kind == Front {
		return docs[:(len(docs)+1)/2]
	}
	return docs[len(docs)/2:]
}

// Fault says how a call ends.
type Fault string

// The ways a call ends.
const (
	None    Fault = ""
	Refused Fault = "the call fails, and nothing is done"
	Lost    Fault = "the call is done, but its answer is lost"
	Front   Fault = "the first half of a Write or Delete is done, then it fails"
	Back    Fault = "the second half of a Write or Delete is done, then it fails"
)

// Failing has each call end as fault says.
func Failing(fault func(c *Call) Fault) Around {
	return func(ctx context.Context, c *Call, do func(context.Context) error) error {
		kind := fault(c)
		switch kind {
		case None:
			return do(ctx)
		case Refused:
			return broken(kind)
		case Front, Back:
			c.Docs, c.half = halve(c.Docs, kind), kind
		}
		_ = do(ctx) // whatever its answer, it is lost
		return broken(kind)
	}
}

func broken(kind Fault) error { return state.Errorf(state.Unavailable, "store call", "%s", kind) }

// Writes fails each Write.
func Writes(kind Fault) Around {
	return Failing(func(c *Call) Fault {
		if c.Verb == "write" {
			return kind
		}
		return None
	})
}

// On runs before ahead of each call of a verb. An error of it stands for the call.
func On(verb string, before func(c *Call) error) Around {
	return func(ctx context.Context, c *Call, do func(context.Context) error) error {
		if c.Verb == verb {
			if err := before(c); err != nil {
				return err
			}
		}
		return do(ctx)
	}
}

// At fails the n-th call, and no other.
func At(n int, kind Fault) Around {
	return Failing(func(c *Call) Fault {
		if c.N == n {
			return kind
		}
		return None
	})
}

// Before runs strike just before the n-th call.
func Before(n int, strike func()) Around {
	return func(ctx context.Context, c *Call, do func(context.Context) error) error {
		if c.N == n {
			strike()
		}
		return do(ctx)
	}
}

// From fails the n-th call, and refuses all after it: the process dies there.
func From(n int, kind Fault) Around {
	return Failing(func(c *Call) Fault {
		switch {
		case c.N < n:
			return None
		case c.N == n:
			return kind
		}
		return Refused
	})
}
