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
	Gen     int64         `bson:"gen,omitempty"`     // number of the entry of the last order to erase; 0 = there was none
	Owes    bool          `bson:"owes,omitempty"`    // that order is not carried out yet: nothing else is written
}

// Stand is where a user's feed stands: the number of its last entry, and what that says of orders to erase.
type Stand struct {
	Seq  int64
	Gen  int64
	Owes bool
}

// Stand returns where the feed stands with the entry.
func (e Entry) Stand() Stand { return Stand{e.Seq, e.Gen, e.Owes} }

// Ref names a document. In the feed it is stored as "collection/id".
type Ref struct {
	Collection state.Collection
	ID         string // key in the collection
}

// In returns the document of a user that an entry of the user's feed names.
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

// Head returns where the user's feed stands. The number stands in the last entry's key.
func Head(ctx context.Context, from Reader, scope state.Scope) (Stand, error) {
	docs, err := from.Scan(ctx, store.Query{Collection: state.Feed, Prefix: scope.UserPrefix(), Limit: 1, Reverse: true})
	if err != nil || len(docs) == 0 {
		return Stand{}, err
	}
	seq, err := strconv.ParseInt(strings.TrimPrefix(docs[0].ID, scope.UserPrefix()), 10, 64)
	if err != nil {
		return Stand{}, state.Errorf(state.Internal, "feed "+docs[0].ID, "has no number: %w", err)
	}
	stand := Stand{Seq: seq}
	if gen, ok := docs[0].Body.Lookup("gen").AsInt64OK(); ok {
		stand.Gen = gen
		stand.Owes, _ = docs[0].Body.Lookup("owes").BooleanOK()
	}
	return stand, nil
}

// After returns the user's feed entries behind number seq, in order.
func After(ctx context.Context, from Reader, scope state.Scope, seq int64) ([]Entry, error) {
	q := store.Query{Collection: state.Feed, Prefix: scope.UserPrefix()}
	if seq > 0 {
		q.After = scope.FeedKey(seq)
	}
	return Scan[Entry](ctx, from, q)
}
