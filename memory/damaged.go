package memory

import (
	"context"

	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Damaged names the documents of all users that are in a store and cannot be read, each with what is wrong with it. Nothing that is asked of a
// Memory needs them: each is left out, and gives way when it is written anew. It reads every text and writes nothing.
func Damaged(ctx context.Context, s store.Store) ([]error, error) {
	var found []error
	for _, c := range []state.Collection{state.Sessions, state.Affairs, state.Records, state.Suggestions, state.Messages} {
		for after := ""; ; {
			docs, err := s.Scan(ctx, store.Query{Collection: c, After: after, Limit: textsAtOnce})
			if err != nil {
				return found, err
			}
			for _, doc := range docs {
				if err := readable(doc); err != nil {
					found = append(found, err)
				}
				after = doc.ID
			}
			if len(docs) < textsAtOnce {
				break
			}
		}
	}
	return found, nil
}

// readable is the error of reading a document.
func readable(doc store.Doc) (err error) {
	switch doc.Collection {
	case state.Sessions:
		_, err = ledger.Decode[state.Session](doc)
	case state.Affairs:
		_, err = ledger.Decode[state.Affair](doc)
	case state.Records:
		_, err = ledger.Decode[state.Record](doc)
	case state.Suggestions:
		_, err = ledger.Decode[state.Suggestion](doc)
	case state.Messages:
		_, err = ledger.Decode[state.Message](doc)
	}
	return err
}
