package erasures

import (
	"context"
	"encoding/json"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Stored is a ledger in another store than the one that it is of.
type Stored struct {
	store store.Store
	where string
}

var _ forget.Ledger = (*Stored)(nil)

// prefix is what the ids of its lines begin with, among the documents of state.Meta.
const prefix = "erasure/"

// In returns the ledger in a store. Where names the store, as it may be printed. Whoever opened the store closes it.
func In(s store.Store, where string) *Stored { return &Stored{s, where} }

// Where returns the name of the store.
func (s *Stored) Where() string { return s.where }

// Lines reads all lines.
func (s *Stored) Lines(ctx context.Context) (lines []forget.Line, err error) {
	for docs, err := range store.Pages(ctx, s.store.Scan, store.Query{Collection: state.Meta, Prefix: prefix, Limit: 1000}) {
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			l, err := s.decode(doc)
			if err != nil {
				return nil, err
			}
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// decode reads a line out of a document.
func (s *Stored) decode(doc store.Doc) (l forget.Line, err error) {
	text, ok := doc.Body.Lookup("line").StringValueOK()
	if !ok {
		return l, damaged(s.where, doc.ID, errors.New("it has no line"))
	}
	if l, err = parse([]byte(text + "\n")); err != nil {
		return l, damaged(s.where, doc.ID, err)
	}
	return l, nil
}

// Append adds a line. Where another process is first with its number, it takes the next.
func (s *Stored) Append(ctx context.Context, l forget.Line) (forget.Line, error) {
	for {
		var last forget.Line
		docs, err := s.store.Scan(ctx, store.Query{Collection: state.Meta, Prefix: prefix, Limit: 1, Reverse: true})
		if err == nil && len(docs) > 0 {
			last, err = s.decode(docs[0])
		}
		if err != nil {
			return l, err
		}
		if l, err = l.Behind(last); err != nil {
			return l, err
		}
		text, err := json.Marshal(l)
		if err != nil {
			return l, state.Errorf(state.Internal, "erasure ledger "+s.where, "a line cannot be written: %w", err)
		}
		body, err := bson.Marshal(bson.D{{Key: "line", Value: string(text)}})
		if err != nil {
			return l, state.Errorf(state.Internal, "erasure ledger "+s.where, "a line cannot be written: %w", err)
		}
		err = s.store.Write(ctx, store.Doc{Collection: state.Meta, ID: prefix + state.SeqKey(l.Seq), Body: body})
		if !errors.Is(err, state.ErrConflict) {
			return l, err
		}
	}
}
