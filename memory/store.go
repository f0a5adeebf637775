package memory

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// reader is where documents are read from: the store, or what RAM has of it.
type reader interface {
	// Get returns one document, or an error that is state.ErrNotFound.
	Get(ctx context.Context, c state.Collection, id string) (store.Doc, error)
	// Scan returns the documents a query selects, in its order.
	Scan(ctx context.Context, q store.Query) ([]store.Doc, error)
}

// billed reads from the store and puts each reading on the turn's bill.
type billed struct{ store store.Store }

// Get reads one document.
func (b billed) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	state.TraceFrom(ctx).Charge(state.Bill{Reads: 1})
	return b.store.Get(ctx, c, id)
}

// Scan reads what the query selects.
func (b billed) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	state.TraceFrom(ctx).Charge(state.Bill{Reads: 1})
	return b.store.Scan(ctx, q)
}

// reads is where the user's documents are read from: the mind, and what it does not hold the store.
func (m *Memory) reads(ctx context.Context, scope state.Scope) (reader, error) {
	d, err := m.mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	return d.docs, nil
}

// get reads one document as T. Absent is state.ErrNotFound.
func get[T any](ctx context.Context, r reader, c state.Collection, id string) (v T, err error) {
	doc, err := r.Get(ctx, c, id)
	if err != nil {
		return v, err
	}
	return decode[T](doc)
}

// scan reads the documents a query selects as T, in its order.
func scan[T any](ctx context.Context, r reader, q store.Query) ([]T, error) {
	docs, err := r.Scan(ctx, q)
	if err != nil {
		return nil, err
	}
	values := make([]T, 0, len(docs))
	for _, d := range docs {
		v, err := decode[T](d)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func decode[T any](d store.Doc) (v T, err error) {
	if err := bson.Unmarshal(d.Body, &v); err != nil {
		return v, state.Errorf(state.Internal, string(d.Collection)+" "+d.ID, "is damaged: %w", err)
	}
	return v, nil
}

// feedEntry is one entry of a user's feed: which documents a commit changed, without the user's part of their keys.
type feedEntry struct {
	Seq     int64         `bson:"seq"`
	At      bson.DateTime `bson:"at"`
	Changed []feedRef     `bson:"changed"`
	Applied []mark        `bson:"applied,omitempty"` // the steps it carries out, where that is not the step's own commit
	Edits   []Edit        `bson:"edits,omitempty"`   // what somebody asked for
}

// feedRef names a document. It is stored as "collection/id".
type feedRef struct {
	Collection state.Collection
	ID         string // key in the collection
}

// in is the document of a user that an entry of the user's feed names.
func (r feedRef) in(user state.Scope) feedRef { return feedRef{r.Collection, user.UserPrefix() + r.ID} }

// MarshalBSONValue implements bson.ValueMarshaler.
func (r feedRef) MarshalBSONValue() (byte, []byte, error) {
	kind, data, err := bson.MarshalValue(string(r.Collection) + "/" + r.ID)
	return byte(kind), data, err
}

// UnmarshalBSONValue implements bson.ValueUnmarshaler.
func (r *feedRef) UnmarshalBSONValue(kind byte, data []byte) error {
	var text string
	if err := bson.UnmarshalValue(bson.Type(kind), data, &text); err != nil {
		return err
	}
	collection, id, ok := strings.Cut(text, "/")
	if !ok {
		return state.Errorf(state.Internal, "feed", "names no document: %q", text)
	}
	r.Collection, r.ID = state.Collection(collection), id
	return nil
}

// feedHead is the number of the user's last feed entry, 0 for none. It stands in the entry's key.
func (m *Memory) feedHead(ctx context.Context, scope state.Scope) (int64, error) {
	docs, err := m.base.Scan(ctx, store.Query{Collection: state.Feed, Prefix: scope.UserPrefix(), Limit: 1, Reverse: true})
	if err != nil || len(docs) == 0 {
		return 0, err
	}
	seq, err := strconv.ParseInt(strings.TrimPrefix(docs[0].ID, scope.UserPrefix()), 10, 64)
	if err != nil {
		return 0, state.Errorf(state.Internal, "feed "+docs[0].ID, "has no number: %w", err)
	}
	return seq, nil
}

// feedAfter returns the user's feed entries behind number seq, in order.
func (m *Memory) feedAfter(ctx context.Context, scope state.Scope, seq int64) ([]feedEntry, error) {
	q := store.Query{Collection: state.Feed, Prefix: scope.UserPrefix()}
	if seq > 0 {
		q.After = scope.FeedKey(seq)
	}
	return scan[feedEntry](ctx, m.base, q)
}

// Messages returns the session's messages, oldest first.
func (m *Memory) Messages(ctx context.Context, scope state.Scope) ([]state.Message, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := settled(ctx); err != nil {
		return nil, err
	}
	return messagesAfter(ctx, m.base, scope, 0)
}

// messagesAfter returns the session's messages behind number seq, oldest first.
func messagesAfter(ctx context.Context, from reader, scope state.Scope, seq int64) ([]state.Message, error) {
	q := store.Query{Collection: state.Messages, Prefix: scope.SessionKey() + "/"}
	if seq > 0 {
		q.After = scope.MessageKey(seq)
	}
	found, err := scan[state.Message](ctx, from, q)
	return slices.DeleteFunc(found, func(msg state.Message) bool { return msg.Undone }), err
}

// page is how many messages lastMessages reads at a time.
const page = 32

// lastMessages returns up to limit messages of the session before number seq that keep accepts, oldest
// first. It looks through at most the given number of messages, newest first.
func (m *Memory) lastMessages(
	ctx context.Context, scope state.Scope, seq int64, limit, look int, keep func(state.Message) bool,
) ([]state.Message, error) {
	from, err := m.reads(ctx, scope)
	if err != nil {
		return nil, err
	}
	var kept []state.Message
	for ; look > 0 && len(kept) < limit && seq > 1; look -= page {
		read, err := scan[state.Message](ctx, from, store.Query{
			Collection: state.Messages, Prefix: scope.SessionKey() + "/", After: scope.MessageKey(seq), Limit: min(page, look), Reverse: true,
		})
		if err != nil {
			return nil, err
		}
		for _, msg := range read {
			seq = msg.Seq
			if len(kept) < limit && !msg.Undone && keep(msg) {
				kept = append(kept, msg)
			}
		}
		if len(read) < page {
			break
		}
	}
	slices.Reverse(kept)
	return kept, nil
}

// Records returns the user's records, in the order of their ids.
func (m *Memory) Records(ctx context.Context, scope state.Scope) ([]state.Record, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := settled(ctx); err != nil {
		return nil, err
	}
	return scan[state.Record](ctx, m.base, store.Query{Collection: state.Records, Prefix: scope.UserPrefix()})
}

// Session returns the session's document; a session that was never used is its zero value.
func (m *Memory) Session(ctx context.Context, scope state.Scope) (state.Session, error) {
	scope = scope.Default()
	d, err := m.attend(ctx, scope, true)
	if err != nil {
		return state.Session{}, err
	}
	defer d.mu.Unlock()
	return d.sessions[scope.Session], nil
}
