package serve

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// How often what nobody waits for is done, and how long a replica that does it holds the others off.
const (
	operateEvery = time.Minute
	operateLease = 3 * time.Minute
)

// operateLock is the document of the lease among those of state.Meta.
const operateLock = "operate"

// Operate does what nobody waits for, until its context ends: it goes on with turns that a process left which died, with what was to be forgotten, and
// deletes what is over its time. Of several replicas one does it at a time, by a lease in the store.
func (s *Server) Operate(ctx context.Context) {
	me := s.c.NewID()
	for {
		if s.leads(ctx, me) {
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

// lease says which replica operates, until when.
type lease struct {
	Holder string    `bson:"holder"`
	Until  time.Time `bson:"until"`
}

// leads takes the lease or renews it; false where another replica has it.
func (s *Server) leads(ctx context.Context, me string) bool {
	doc, err := s.c.Store.Get(ctx, state.Meta, operateLock)
	var held lease
	switch {
	case errors.Is(err, state.ErrNotFound):
		doc = store.Doc{Collection: state.Meta, ID: operateLock}
	case err != nil:
		s.noteFailure(ctx, "the lease of who operates", err)
		return false
	case bson.Unmarshal(doc.Body, &held) == nil && held.Holder != me && s.c.Now().Before(held.Until):
		return false
	}
	if doc.Body, err = bson.Marshal(lease{me, s.c.Now().UTC().Add(operateLease)}); err != nil {
		return false
	}
	return s.c.Store.Write(ctx, doc) == nil // a conflict: another was first
}
