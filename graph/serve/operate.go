package serve

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/graph/serve/openai"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// How often what nobody waits for is done, and how long a replica that does it holds the others off.
const (
	operateEvery = time.Minute
	operateLease = 3 * time.Minute
)

// The documents of the leases among those of state.Meta.
const (
	operateLock = "operate"
	hooksLock   = "operate hooks"
)

// Operate does what nobody waits for, until its context ends: it goes on with turns that a process left which died, with what was to be forgotten, deletes what is over
// its time, and tells webhooks what waits. Of several replicas one does each at a time, by leases in the store.
func (s *Server) Operate(ctx context.Context) {
	var beside sync.WaitGroup
	defer beside.Wait()
	if s.hooks != nil {
		beside.Go(func() {
			s.hooks.Run(ctx)
			s.resign(ctx, hooksLock)
		})
	}
	defer s.resign(ctx, operateLock)
	for {
		if s.leads(ctx, operateLock) {
			swept, err := s.c.Graph.Sweep(ctx, "", true)
			switch {
			case ctx.Err() != nil:
			case err != nil:
				s.c.Logger.WarnContext(ctx, "sweep", "error", err)
			case len(swept.Finished) > 0:
				s.c.Logger.InfoContext(ctx, "sweep", "finished", len(swept.Finished), "wait", len(swept.Waits))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-s.c.After(operateEvery):
		}
	}
}

// addHooks has webhooks told, where there are any, by one replica at a time.
func (s *Server) addHooks() (err error) {
	if s.c.Hooks.Empty() {
		return nil
	}
	s.hooks, err = hooks.New(hooks.Config{
		Targets: s.c.Hooks, Graph: s.c.Graph, Store: s.c.Store, Meter: s.c.Meter, Logger: s.c.Logger, Version: s.c.Version, Now: s.c.Now, After: s.c.After,
		Leads: func(ctx context.Context) bool { return s.leads(ctx, hooksLock) }, Skip: openai.AsksClient,
	})
	return err
}

// nudgeHooks has webhooks told at once what waits since a turn or a write. Where another replica tells them, it finds that within a minute.
func (s *Server) nudgeHooks() {
	if s.hooks != nil {
		s.hooks.Nudge()
	}
}

// lease says which replica does it, until when.
type lease struct {
	Holder string    `bson:"holder"`
	Until  time.Time `bson:"until"`
}

// leads takes a lease or renews it; false where another replica has it.
func (s *Server) leads(ctx context.Context, lock string) bool {
	doc, held, err := s.readLease(ctx, lock)
	switch {
	case err != nil:
		s.noteFailure(ctx, "the lease of who does: "+lock, err)
		return false
	case held.Holder != "" && held.Holder != s.me && s.c.Now().Before(held.Until):
		return false
	}
	return s.writeLease(ctx, doc, lease{s.me, s.c.Now().UTC().Add(operateLease)}) == nil // a conflict: another was first
}

// resign gives a lease back, so that nobody has to wait for its end. One that cannot be given back ends by itself.
func (s *Server) resign(ctx context.Context, lock string) {
	const within = 2 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if doc, held, err := s.readLease(ctx, lock); err == nil && held.Holder == s.me {
		_ = s.writeLease(ctx, doc, lease{s.me, s.c.Now().UTC()})
	}
}

// readLease reads who has a lease; a damaged one nobody has.
func (s *Server) readLease(ctx context.Context, lock string) (doc store.Doc, held lease, err error) {
	doc, err = s.c.Store.Get(ctx, state.Meta, lock)
	if errors.Is(err, state.ErrNotFound) {
		return store.Doc{Collection: state.Meta, ID: lock}, held, nil
	}
	if err == nil && bson.Unmarshal(doc.Body, &held) != nil {
		held = lease{}
	}
	return doc, held, err
}

func (s *Server) writeLease(ctx context.Context, doc store.Doc, l lease) (err error) {
	if doc.Body, err = bson.Marshal(l); err != nil {
		return err
	}
	return s.c.Store.Write(ctx, doc)
}
