package transfer

import (
	"context"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// sealedField is how package sealed marks a body. Read through that package, no body has it.
const sealedField = "_sealed"

func isSealed(d *store.Doc) bool {
	_, err := d.Body.LookupErr(sealedField)
	return err == nil
}

func errSealed(d *store.Doc) error {
	return state.Errorf(state.Invalid, op, "%s %s is sealed, and its copy could not be opened; open source and target with their keys",
		d.Collection, d.ID)
}

// refuseSealed looks at the first document of each collection, so that a sealed source is refused before
// anything is written.
func refuseSealed(ctx context.Context, s store.Store) error {
	for _, collection := range store.Collections() {
		docs, err := s.Scan(ctx, store.Query{Collection: collection, Limit: 1})
		if err != nil {
			return err
		}
		if len(docs) > 0 && isSealed(&docs[0]) {
			return errSealed(&docs[0])
		}
	}
	return nil
}
