package mongo

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Delete removes what begins with prefix and returns how many documents that were: three commands, one after
// the other. The pieces of large bodies go with their documents, and so does what interrupted writes have left
// behind longer than ten minutes ago. After an error it may have been done in part; calling it again is safe.
func (s *Store) Delete(ctx context.Context, c state.Collection, prefix string) (int, error) {
	ctx, leave, err := s.admit(ctx, store.ValidatePrefix(c, prefix))
	if err != nil {
		return 0, err
	}
	defer leave()

	// The names of the pieces are read first: they go with the documents.
	op := "delete from " + string(c) + " " + prefix
	which := between(idField, prefix, above(prefix))
	sets, err := s.setsIn(ctx, op, c, which)
	if err != nil {
		return 0, err
	}

	result, err := s.collection(string(c)).DeleteMany(ctx, which)
	switch {
	case err != nil && doubtful(err):
		return 0, unknown(op, err)
	case err != nil:
		return 0, explain(op, err)
	}

	if err := s.removePieces(ctx, c, prefix, sets); err != nil {
		return 0, explain(op+": its documents are deleted, pieces of large ones are not", err)
	}
	return int(result.DeletedCount), nil
}

// setsIn names the pieces of the documents that a filter selects.
func (s *Store) setsIn(ctx context.Context, op string, c state.Collection, which bson.D) ([]string, error) {
	large := append(which[:len(which):len(which)], bson.E{Key: setField, Value: bson.D{{Key: "$exists", Value: true}}})
	sets := []string{}
	err := s.retry(ctx, func() error {
		sets = sets[:0]
		raws, err := all(ctx, s.collection(string(c)), large,
			options.Find().SetProjection(bson.D{{Key: setField, Value: 1}}).SetBatchSize(batch))
		for _, raw := range raws {
			set, _ := raw.Lookup(setField).StringValueOK()
			sets = append(sets, set)
		}
		return err
	})
	return sets, explain(op, err)
}

// removePieces removes these sets, and what is older than any write that still runs. The others may belong to
// a document that is about to be inserted.
func (s *Store) removePieces(ctx context.Context, c state.Collection, prefix string, sets []string) error {
	low := string(c) + "/" + prefix
	old := s.cfg.Now().Add(-orphanAge).UTC()
	which := append(between(idField, low, above(low)), between("of", low, above(low))...)
	which = append(which, bson.E{Key: "$or", Value: bson.A{
		bson.D{{Key: "set", Value: bson.D{{Key: "$in", Value: sets}}}},
		bson.D{{Key: "at", Value: bson.D{{Key: "$lt", Value: old}}}},
	}})
	return s.retry(ctx, func() error {
		_, err := s.collection(piecesName).DeleteMany(ctx, which)
		return err
	})
}
