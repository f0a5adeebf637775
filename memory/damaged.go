package memory

import (
	"context"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Found is what Examine finds in a store.
type Found struct {
	Damaged  []error // documents that cannot be read, each with what is wrong with it
	Records  int     // that hold and are in the archive
	Affairs  int     // that are archived
	Sessions int     // that there are
}

// Examine looks at the documents of all users that are in a store. Nothing that is asked of a Memory needs those that are damaged: each is left out,
// and gives way when it is written anew. It reads every text and writes nothing.
func Examine(ctx context.Context, s store.Store) (found Found, err error) {
	for _, c := range []state.Collection{state.Sessions, state.Affairs, state.Records, state.Suggestions, state.Messages} {
		for docs, err := range store.Pages(ctx, s.Scan, store.Query{Collection: c, Limit: desk.TextsAtOnce}) {
			if err != nil {
				return found, err
			}
			for _, doc := range docs {
				if err := found.take(doc); err != nil {
					found.Damaged = append(found.Damaged, err)
				}
			}
		}
	}
	return found, nil
}

// take counts a document; the error is that of reading it.
func (f *Found) take(doc store.Doc) (err error) {
	switch doc.Collection {
	case state.Sessions:
		f.Sessions++
		_, err = ledger.Decode[state.Session](doc)
	case state.Affairs:
		var a state.Affair
		if a, err = ledger.Decode[state.Affair](doc); a.Status == state.Archived {
			f.Affairs++
		}
	case state.Records:
		var r state.Record
		if r, err = ledger.Decode[state.Record](doc); r.ArchivedAt != nil && r.ValidTo == nil {
			f.Records++
		}
	case state.Suggestions:
		_, err = ledger.Decode[state.Suggestion](doc)
	case state.Messages:
		_, err = ledger.Decode[state.Message](doc)
	}
	return err
}
