package memory

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// kept are the collections a mind knows, in the order it learns them.
func kept() []state.Collection {
	return []state.Collection{state.Sessions, state.Affairs, state.Records, state.Messages}
}

// byKey orders documents as a mind learns them.
func byKey(a, b feedRef) int {
	if a.Collection != b.Collection {
		return slices.Index(kept(), a.Collection) - slices.Index(kept(), b.Collection)
	}
	return strings.Compare(a.ID, b.ID)
}

// fetch reads documents from the store at a time, in the order of refs; one that is absent has no Body.
func (m *Memory) fetch(ctx context.Context, refs []feedRef) ([]store.Doc, error) {
	docs := make([]store.Doc, len(refs))
	err := atOnce(len(refs), func(i int) (err error) {
		docs[i], err = m.base.Get(ctx, refs[i].Collection, refs[i].ID)
		if state.CodeOf(err) == state.NotFound {
			return nil
		}
		return err
	})
	return docs, err
}

// readersAtOnce bounds how many documents are asked for at a time.
const readersAtOnce = 16

// atOnce does n things at a time and returns the first error in their order.
func atOnce(n int, do func(i int) error) error {
	errs := make([]error, n)
	seats := make(chan struct{}, readersAtOnce)
	var wg sync.WaitGroup
	for i := range n {
		seats <- struct{}{}
		wg.Go(func() {
			errs[i] = do(i)
			<-seats
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
