package mongo

import (
	"bytes"
	"context"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// batch is how many documents a reply holds at most, when a scan has no limit.
const batch = 1000

// Get returns one document: one round trip, two if its body is in pieces.
func (s *Store) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	ctx, leave, err := s.admit(ctx, store.ValidateKey(c, id))
	if err != nil {
		return store.Doc{}, err
	}
	defer leave()
	op := "get " + string(c) + " " + id
	docs, err := s.read(ctx, op, c, byID(id), options.Find().SetLimit(1))
	switch {
	case err != nil:
		return store.Doc{}, err
	case len(docs) == 0:
		return store.Doc{}, store.NotFound(c, id)
	}
	return docs[0], nil
}

// Scan returns what the query selects, each document as it stood at some moment of the call.
func (s *Store) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	ctx, leave, err := s.admit(ctx, q.Validate())
	if err != nil {
		return nil, err
	}
	defer leave()

	low, high := bounds(q)
	if high != "" && low >= high {
		return []store.Doc{}, nil
	}

	direction, size := 1, batch
	if q.Reverse {
		direction = -1
	}
	if q.Limit > 0 {
		size = min(size, q.Limit+1) // one more than asked, so that the server need not keep a cursor
	}
	o := options.Find().SetSort(bson.D{{Key: idField, Value: direction}}).SetLimit(int64(q.Limit)).SetBatchSize(int32(size))
	return s.read(ctx, "scan "+string(q.Collection)+" "+q.Prefix, q.Collection, between(idField, low, high), o)
}

// bounds returns the range of a query with a high end that is valid UTF-8, as strings in BSON are to be.
func bounds(q store.Query) (low, high string) {
	low, high = q.Range()
	if !utf8.ValidString(high) {
		high = above(q.Prefix)
	}
	return low, high
}

// above returns the smallest valid string greater than every valid one that begins with prefix; "" if there is none.
func above(prefix string) string {
	const surrogates, behindThem = 0xD800, 0xE000
	for prefix != "" {
		r, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch r {
		case utf8.MaxRune:
			continue
		case surrogates - 1:
			return prefix + string(rune(behindThem))
		}
		return prefix + string(r+1)
	}
	return ""
}

func byID(id string) bson.D { return bson.D{{Key: idField, Value: id}} }

// between selects low <= field, and field < high unless high is "".
func between(field, low, high string) bson.D {
	bounds := bson.D{{Key: "$gte", Value: low}}
	if high != "" {
		bounds = append(bounds, bson.E{Key: "$lt", Value: high})
	}
	return bson.D{{Key: field, Value: bounds}}
}

// read finds documents and puts their bodies together. A body whose pieces are gone was replaced or deleted
// meanwhile: then it looks again. If nothing has changed, they are lost.
func (s *Store) read(ctx context.Context, op string, c state.Collection, filter bson.D, o *options.FindOptionsBuilder) ([]store.Doc, error) {
	// What was missing in the last round; it may be missing once.
	var before map[string]bool
	for {
		heads, err := s.heads(ctx, op, c, filter, o)
		if err != nil {
			return nil, err
		}
		pieces, err := s.pieces(ctx, op, c, heads)
		if err != nil {
			return nil, err
		}

		// Bodies that are whole are taken; a document without all its pieces is looked at again.
		docs := make([]store.Doc, 0, len(heads))
		gone := map[string]bool{}
		for _, h := range heads {
			kept, whole := pieces[h.id]
			if h.set != "" && !whole {
				if before[h.set] {
					return nil, damaged(c, h.id, "pieces of its body are missing")
				}
				gone[h.set] = true
				continue
			}
			body, err := s.codec.body(h, kept)
			if err != nil {
				return nil, damaged(c, h.id, err.Error())
			}
			docs = append(docs, store.Doc{Collection: c, ID: h.id, Rev: h.rev, Body: body})
		}

		if len(gone) == 0 {
			return docs, nil
		}
		before = gone
	}
}

func damaged(c state.Collection, id, detail string) error {
	return state.Errorf(state.Internal, "read "+string(c)+" "+id, "is damaged: %s; restore it from a backup, or delete it", detail)
}

// heads finds documents as they stand in their collection.
func (s *Store) heads(ctx context.Context, op string, c state.Collection, filter bson.D, o *options.FindOptionsBuilder) ([]head, error) {
	var raws []bson.Raw
	err := s.retry(ctx, func() (err error) {
		raws, err = all(ctx, s.collection(string(c)), filter, o)
		return err
	})
	if err != nil {
		return nil, explain(op, err)
	}

	heads := make([]head, 0, len(raws))
	for _, raw := range raws {
		h, err := readHead(raw)
		if err != nil {
			return nil, err
		}
		heads = append(heads, h)
	}
	return heads, nil
}

// all reads whatever a filter finds. It begins anew after a failure, as a cursor does not outlive its
// connection.
func all(ctx context.Context, c *mongo.Collection, filter bson.D, o *options.FindOptionsBuilder) ([]bson.Raw, error) {
	cursor, err := c.Find(ctx, filter, o)
	if err != nil {
		return nil, err
	}
	return drain(ctx, cursor)
}

func drain(ctx context.Context, cursor *mongo.Cursor) (raws []bson.Raw, err error) {
	defer func() { _ = cursor.Close(ctx) }() // read to its end, or its connection is gone
	for cursor.Next(ctx) {
		raws = append(raws, bytes.Clone(cursor.Current))
	}
	return raws, cursor.Err()
}
