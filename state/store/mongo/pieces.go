package mongo

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state"
)

const (
	piecesName = "chunks" // the collection of the pieces of large bodies
	pieceBytes = 4 << 20
	maxPieces  = maxDocLimit/pieceBytes + 1

	// orphanAge is the age from which a piece without a document is known to be a leftover: every write has
	// ended long before.
	orphanAge = 2 * maxTimeout
	// later keeps pieces a while longer than the document they belong to, whichever the server expires first.
	later = time.Hour
)

// piece is one part of a large body.
type piece struct {
	ID      string     `bson:"_id"` // pieceID
	Of      string     `bson:"of"`  // collection/id of the document
	Set     string     `bson:"set"`
	At      time.Time  `bson:"at"` // when it was written
	Data    []byte     `bson:"data"`
	Expires *time.Time `bson:"expires_at,omitempty"`
}

// pieces reads what the pieces of documents hold, by id of the document. One of which a piece is missing is
// not in it.
func (s *Store) pieces(ctx context.Context, op string, c state.Collection, heads []head) (map[string][]byte, error) {
	// Every piece that a document names is asked for by its id.
	var ids []string
	boxes := map[string]*box{}
	for _, h := range heads {
		if h.set == "" {
			continue
		}
		x, err := h.box()
		if err != nil {
			return nil, damaged(c, h.id, err.Error())
		}
		boxes[h.id] = x
		if x == nil {
			return nil, damaged(c, h.id, "it names pieces but has no "+boxField)
		}
		for n := range x.Pieces {
			ids = append(ids, pieceID(c, h.id, h.set, n))
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}

	// All pieces come in one round trip.
	found := map[string][]byte{}
	err := s.retry(ctx, func() error {
		raws, err := all(ctx, s.collection(piecesName), bson.D{{Key: idField, Value: bson.D{{Key: "$in", Value: ids}}}}, options.Find())
		for _, raw := range raws {
			id, _ := raw.Lookup(idField).StringValueOK()
			_, found[id], _ = raw.Lookup("data").BinaryOK()
		}
		return err
	})
	if err != nil {
		return nil, explain(op, err)
	}
	return join(c, heads, boxes, found), nil
}

func join(c state.Collection, heads []head, boxes map[string]*box, found map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for _, h := range heads {
		x := boxes[h.id]
		if x == nil {
			continue
		}

		kept := make([]byte, 0, min(x.Kept, x.Pieces*pieceBytes))
		whole := true
		for n := range x.Pieces {
			data, ok := found[pieceID(c, h.id, h.set, n)]
			kept, whole = append(kept, data...), whole && ok
		}

		if whole {
			out[h.id] = kept
		}
	}
	return out
}

// putPieces writes the pieces of all changes, before any document names them. Doing it again is harmless:
// their ids are this write's alone.
func (s *Store) putPieces(ctx context.Context, changes []*change) error {
	var rest []any

	for _, c := range changes {
		p := piece{Of: string(c.Collection) + "/" + c.ID, Set: c.set, At: s.cfg.Now().UTC()}
		if at, ok := c.Body.Lookup(expiresField).TimeOK(); ok {
			at = at.Add(later)
			p.Expires = &at
		}
		for n, data := range c.cut {
			p.ID, p.Data = pieceID(c.Collection, c.ID, c.set, n), data
			rest = append(rest, p)
		}
	}

	if len(rest) == 0 {
		return nil
	}

	err := s.retry(ctx, func() error {
		_, err := s.collection(piecesName).InsertMany(ctx, rest, options.InsertMany().SetOrdered(false))
		if onlyDuplicates(err) {
			return nil // from a try whose reply was lost
		}
		return err
	})
	return explain("write pieces of large documents", err)
}

func onlyDuplicates(err error) bool {
	var bulk mongo.BulkWriteException
	if !errors.As(err, &bulk) || bulk.WriteConcernError != nil {
		return false
	}
	for _, e := range bulk.WriteErrors {
		if e.Code != codeDuplicate {
			return false
		}
	}
	return true
}

// tidy removes the pieces that no document names any more: those of what was replaced or deleted, and those of
// changes that were not made. What it cannot remove stays behind unused, until the document's prefix is deleted.
func (s *Store) tidy(ctx context.Context, changes []*change) {
	// Of a change that was made the old pieces go, of one that was not its own.
	var ids bson.A
	for _, c := range changes {
		set := ""
		switch c.end {
		case done:
			set = c.old
		case lost, failed:
			set = c.set
		}
		if set != "" {
			key := pieceKey(c.Collection, c.ID, set)
			ids = append(ids, between(idField, key, above(key)))
		}
	}

	if len(ids) == 0 {
		return
	}

	err := s.retry(ctx, func() error {
		_, err := s.collection(piecesName).DeleteMany(ctx, bson.D{{Key: "$or", Value: ids}})
		return err
	})
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "pieces of large documents stay behind unused", "sets", len(ids), "error", err)
	}
}
