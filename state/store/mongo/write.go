package mongo

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// atOnce bounds the commands of one Write that are on their way at the same time.
const atOnce = 16

// change is one document of a Write on its way to an end.
type change struct {
	store.Doc
	head bson.Raw // what is written; nil for a deletion
	set  string   // names its pieces, "" = none
	cut  [][]byte // what they hold

	old   string // names the pieces of what it replaces or deletes, "" = none
	end   end
	doubt error // a try of it had no answer
	err   error // why its last try was not its end; with failed and inDoubt: why
}

// end is what became of a change.
type end int

const (
	open    end = iota
	done        // made
	lost        // somebody else was first
	failed      // not made
	inDoubt     // nobody knows
)

// Write makes the changes at the same time, each atomic of its own: one round trip, however many there are.
// Inserts into one collection share a command; each replacement and deletion is a command, because the
// reply to several says only how many met their revision, not which.
//
// Somebody else's win, a body that comes in pieces, and a connection that breaks cost more. After a lost
// reply the document is read back: if it stands as it was to be written, the change was made; if it stands as
// before, it is tried again; otherwise, or when the time is up, the error is state.ErrUnavailable and says
// that the outcome is unknown. So of two who write the same bytes at the same revision, both may be told
// that they did it when a reply is lost; whoever uses a document as a lock writes a name into it.
func (s *Store) Write(ctx context.Context, docs ...store.Doc) error {
	ctx, leave, err := s.admit(ctx, store.ValidateWrite(docs))
	if err != nil {
		return err
	}
	defer leave()
	if len(docs) == 0 {
		return nil
	}

	changes, err := s.changes(docs)
	if err != nil {
		return err
	}

	// Pieces go before the documents that name them.
	if err := s.putPieces(ctx, changes); err != nil {
		for _, c := range changes {
			c.end = failed
		}
		s.tidy(ctx, changes)
		return err
	}

	// Every change has an end now; what is left of others' bodies and of our own is removed.
	s.settle(ctx, changes)
	s.tidy(ctx, changes)
	return verdict(changes)
}

func (s *Store) changes(docs []store.Doc) ([]*change, error) {
	for _, d := range docs {
		if len(d.Body) > s.cfg.MaxDocBytes {
			return nil, state.Errorf(state.Invalid, "write "+string(d.Collection)+" "+d.ID,
				"its body has %d bytes, at most %d are allowed; split it, or raise MaxDocBytes", len(d.Body), s.cfg.MaxDocBytes)
		}
	}

	changes := make([]*change, 0, len(docs))
	for _, d := range docs {
		c := &change{Doc: d}
		changes = append(changes, c)
		if d.Body == nil {
			continue
		}
		var err error
		if c.head, c.set, c.cut, err = s.codec.encode(d, s.cfg.NewID); err != nil {
			return nil, state.Errorf(state.Internal, c.op(), "its body cannot be kept: %w", err)
		}
	}
	return changes, nil
}

func (c *change) op() string { return "write " + string(c.Collection) + " " + c.ID }

// settle sends the changes, and looks at those that have no end by that, until all have one.
func (s *Store) settle(ctx context.Context, changes []*change) {
	rest := changes
	for try := 0; ; try++ {
		s.send(ctx, rest)
		if rest = unsettled(rest); len(rest) == 0 {
			return

		}
		s.look(ctx, rest)
		if rest = unsettled(rest); len(rest) == 0 {
			return
		}

		if try > s.cfg.Retries || broken(rest) && !s.pause(ctx, try) {
			giveUp(ctx, rest)
			return
		}
	}
}

func unsettled(changes []*change) (rest []*change) {
	for _, c := range changes {
		if c.end == open {
			rest = append(rest, c)
		}
	}
	return rest
}

// broken says that the last try of some change met a broken connection, and not just another revision.
func broken(changes []*change) bool {
	for _, c := range changes {
		if c.err != nil {
			return true
		}
	}
	return false
}

// giveUp ends what cannot be settled in time.
func giveUp(ctx context.Context, changes []*change) {
	for _, c := range changes {
		switch {
		case c.doubt != nil:
			c.end, c.err = inDoubt, unknown(c.op(), c.doubt)
		case c.err != nil:
			c.end, c.err = failed, explain(c.op(), c.err)
		case ctx.Err() != nil:
			c.end, c.err = failed, store.Cancelled(ctx)
		default:
			c.end, c.err = failed, state.Errorf(state.Unavailable, c.op(), "others change it all the time; try again")
		}
	}
}

// send makes one try of each change, all at the same time.
func (s *Store) send(ctx context.Context, changes []*change) {
	inserts := map[state.Collection][]*change{}
	var calls []func()
	for _, c := range changes {
		c.err = nil
		switch {
		case c.Body == nil:
			calls = append(calls, func() { s.remove(ctx, c) })
		case c.Rev > 0:
			calls = append(calls, func() { s.replace(ctx, c) })
		default:
			inserts[c.Collection] = append(inserts[c.Collection], c)
		}
	}

	for collection, group := range inserts {
		calls = append(calls, func() { s.insert(ctx, collection, group) })
	}
	together(calls)
}

// together makes calls at the same time, a bounded number of them, and waits for all.
func together(calls []func()) {
	if len(calls) == 1 {
		calls[0]()
		return
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, call := range calls {
		slots <- struct{}{}
		wg.Go(func() {
			call()
			<-slots
		})
	}
	wg.Wait()
}

func (s *Store) insert(ctx context.Context, collection state.Collection, group []*change) {
	inserts := make([]mongo.WriteModel, 0, len(group))
	for _, c := range group {
		inserts = append(inserts, mongo.NewInsertOneModel().SetDocument(c.head))
	}
	// Its result has the server's count, which that of InsertMany lacks.
	result, err := s.collection(string(collection)).BulkWrite(ctx, inserts, options.BulkWrite().SetOrdered(false))
	var bulk mongo.BulkWriteException
	if err == nil && int(result.InsertedCount) != len(group) {
		err = errForeignReply
	}
	if err != nil && !errors.As(err, &bulk) {
		for _, c := range group {
			c.missed(err)
		}
		return
	}
	refused := map[int]mongo.WriteError{}
	for _, e := range bulk.WriteErrors {
		refused[e.Index] = e.WriteError
	}
	for i, c := range group {
		switch e, is := refused[i]; {
		case is && e.Code == codeDuplicate && c.doubt == nil:
			c.end = lost
		case is && e.Code == codeDuplicate: // its own earlier try, or somebody else: look
		case is:
			c.missed(mongo.WriteException{WriteErrors: mongo.WriteErrors{e}})
		case bulk.WriteConcernError != nil:
			c.missed(mongo.WriteException{WriteConcernError: bulk.WriteConcernError})
		default:
			c.end = done
		}
	}
}

func (s *Store) replace(ctx context.Context, c *change) {
	result, err := s.collection(string(c.Collection)).ReplaceOne(ctx, c.standing(), c.head)
	switch {
	case err != nil:
		c.missed(err)
	case result.MatchedCount > 0:
		c.end = done
	}
}

func (s *Store) remove(ctx context.Context, c *change) {
	result, err := s.collection(string(c.Collection)).DeleteOne(ctx, c.standing())
	switch {
	case err != nil:
		c.missed(err)
	case result.DeletedCount > 0:
		c.end = done
	}
}

// standing selects the document at the revision demanded, with the pieces it is known to have. That is how a
// change never leaves pieces behind without a read: a document that has some is not met by the first try.
func (c *change) standing() bson.D {
	var pieces any = c.old
	if c.old == "" {
		pieces = bson.D{{Key: "$exists", Value: false}}
	}
	return bson.D{{Key: idField, Value: c.ID}, {Key: revField, Value: c.Rev}, {Key: setField, Value: pieces}}
}

// missed notes a try that failed: for good, without having been sent, or nobody knows how.
func (c *change) missed(err error) {
	c.err = err
	switch {
	case doubtful(err):
		c.doubt = err
	case !transient(err):
		c.end, c.err = failed, explain(c.op(), err)
		if c.doubt != nil {
			c.end, c.err = inDoubt, unknown(c.op(), c.doubt)
		}
	}
}

// look reads back what has no end yet, and decides by what stands there.
func (s *Store) look(ctx context.Context, changes []*change) {
	groups := map[state.Collection][]*change{}
	for _, c := range changes {
		groups[c.Collection] = append(groups[c.Collection], c)
	}
	var calls []func()
	for collection, group := range groups {
		calls = append(calls, func() { s.lookAt(ctx, collection, group) })
	}
	together(calls)
}

func (s *Store) lookAt(ctx context.Context, collection state.Collection, group []*change) {
	ids := make([]string, 0, len(group))
	for _, c := range group {
		ids = append(ids, c.ID)
	}
	heads, err := s.heads(ctx, "read back "+string(collection), collection,
		bson.D{{Key: idField, Value: bson.D{{Key: "$in", Value: ids}}}}, options.Find())

	found := map[string]head{}
	for _, h := range heads {
		found[h.id] = h
	}

	for _, c := range group {
		switch {
		case err == nil:
			c.judge(found[c.ID])
		case c.doubt != nil:
			c.end, c.err = inDoubt, unknown(c.op(), c.doubt)
		case c.err != nil:
			c.end, c.err = failed, explain(c.op(), c.err)
		default:
			c.end, c.err = failed, err
		}
	}
}

// judge compares what stands there (rev 0 = nothing) with what was to be. A change of which no try is in doubt
// has not been made, so another revision means that somebody else was first.
func (c *change) judge(h head) {
	doubt := c.doubt != nil
	switch {
	case h.rev == c.Rev:
		c.old = h.set // as it was to be before: try again
	case !doubt:
		c.end = lost
	case c.Body != nil && h.rev == c.Rev+1 && bytes.Equal(h.raw, c.head):
		c.end, c.err = done, nil
	case c.Body != nil && h.rev == c.Rev+1, c.Body == nil && h.rev > c.Rev:
		c.end = lost
	default:
		c.end, c.err = inDoubt, unknown(c.op(), c.doubt)
	}
}

// verdict returns the error of a Write: the first change that lost, or else the first that has no good end.
func verdict(changes []*change) error {
	var first error
	for _, c := range changes {
		switch c.end {
		case lost:
			return &store.ConflictError{Collection: c.Collection, ID: c.ID}
		case failed, inDoubt:
			if first == nil {
				first = c.err
			}
		}
	}
	return first
}
