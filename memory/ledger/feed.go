package ledger

import (
	"context"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Entry is one entry of a user's feed: which documents a commit changed, without the user's part of their keys.
type Entry struct {
	Seq     int64         `bson:"seq"`
	At      bson.DateTime `bson:"at"`
	Changed []Ref         `bson:"changed"`
	Applied []mark        `bson:"applied,omitempty"` // the steps it carries out, where that is not the step's own commit
	Changes []Change      `bson:"changes,omitempty"` // of the records and affairs among them
}

// Ref names a document. In the feed it is stored as "collection/id".
type Ref struct {
	Collection state.Collection
	ID         string // key in the collection
}

// In is the document of a user that an entry of the user's feed names.
func (r Ref) In(user state.Scope) Ref { return Ref{r.Collection, user.UserPrefix() + r.ID} }

// MarshalBSONValue implements bson.ValueMarshaler.
func (r Ref) MarshalBSONValue() (byte, []byte, error) {
	kind, data, err := bson.MarshalValue(string(r.Collection) + "/" + r.ID)
	return byte(kind), data, err
}

// UnmarshalBSONValue implements bson.ValueUnmarshaler.
func (r *Ref) UnmarshalBSONValue(kind byte, data []byte) error {
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

// Head is the number of the user's last feed entry, 0 for none. It stands in the entry's key.
func Head(ctx context.Context, from Reader, scope state.Scope) (int64, error) {
	docs, err := from.Scan(ctx, store.Query{Collection: state.Feed, Prefix: scope.UserPrefix(), Limit: 1, Reverse: true})
	if err != nil || len(docs) == 0 {
		return 0, err
	}
	seq, err := strconv.ParseInt(strings.TrimPrefix(docs[0].ID, scope.UserPrefix()), 10, 64)
	if err != nil {
		return 0, state.Errorf(state.Internal, "feed "+docs[0].ID, "has no number: %w", err)
	}
	return seq, nil
}

// After returns the user's feed entries behind number seq, in order.
func After(ctx context.Context, from Reader, scope state.Scope, seq int64) ([]Entry, error) {
	q := store.Query{Collection: state.Feed, Prefix: scope.UserPrefix()}
	if seq > 0 {
		q.After = scope.FeedKey(seq)
	}
	return Scan[Entry](ctx, from, q)
}
