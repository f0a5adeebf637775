package transfer

import (
	"bytes"
	"context"
	"slices"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

const (
	pageBytes = 4 << 20 // about what a page of documents may hold
	firstPage = 16      // documents of a collection that are read before their size is known
)

// pair is one id: what the source has under it, and the target; nil = nothing. One of them is something.
type pair struct{ from, to *store.Doc }

// difference returns the error for a pair that is not equal, if it matters.
func (p pair) difference(phase Phase, matters bool) error {
	var kind Kind
	switch {
	case !matters:
		return nil
	case p.from == nil:
		return &DifferenceError{p.to.Collection, p.to.ID, Extra, phase}
	case p.to == nil:
		kind = Missing
	case bytes.Equal(p.from.Body, p.to.Body):
		return nil
	default:
		kind = Differs
	}
	return &DifferenceError{p.from.Collection, p.from.ID, kind, phase}
}

// walk visits the ids of both stores behind the cursor, merged, in the order of collections and ids.
func (r *run) walk(ctx context.Context, phase Phase, behind cursor, visit func(pair) error) error {
	// The walk begins in the cursor's collection, and there behind its id.
	at := Progress{Phase: phase, Documents: behind.Documents, Bytes: behind.Bytes}
	collections, after := store.Collections(), behind.ID
	if !behind.atBegin() {
		collections = collections[slices.Index(collections, behind.Collection):]
	}

	// Each collection is read from both stores at once, page by page.
	for _, collection := range collections {
		at.Collection = collection
		from := &stream{store: r.From, query: store.Query{Collection: collection, After: after}, most: r.Page, read: func() { r.tell(at) }}
		to := &stream{store: r.To, query: store.Query{Collection: collection, After: after}, most: r.Page}
		after = ""
		for {
			p, err := next(ctx, from, to)
			if err != nil {
				return err
			}
			if p == (pair{}) {
				break
			}

			if p.from != nil {
				at.Documents++
				at.Bytes += int64(len(p.from.Body))
			}
			if err := visit(p); err != nil {
				return err
			}
		}
		r.tell(at)
	}
	return nil
}

func (r *run) tell(p Progress) {
	if r.Progress != nil {
		r.Progress(p)
	}
}

// next takes the lowest id of both streams; none is left when the pair is empty. The cursor is no document.
func next(ctx context.Context, from, to *stream) (pair, error) {
	// The cursor stands in the target while it is copied to; it is passed over.
	f, err := from.peek(ctx)
	if err != nil {
		return pair{}, err
	}
	t, err := to.peek(ctx)
	if err == nil && t != nil && t.Collection == state.Meta && t.ID == cursorID {
		to.take()
		t, err = to.peek(ctx)
	}
	if err != nil {
		return pair{}, err
	}

	// The lower id of the two is alone; equal ids are a pair.
	p := pair{f, t}
	switch {
	case f == nil || t == nil || f.ID == t.ID:
	case f.ID < t.ID:
		p.to = nil
	default:
		p.from = nil
	}

	// Only what is handed out is taken from its stream.
	if p.from != nil {
		from.take()
	}
	if p.to != nil {
		to.take()
	}
	return p, nil
}

// stream reads one collection of one store, page by page. Its next page is read only when the last document
// of this one was taken: so what is written at an id that was passed is never met.
type stream struct {
	store store.Store
	query store.Query // Limit is that of the last page
	most  int         // documents of a page
	read  func()      // told before each page but the first; nil = nobody
	docs  []store.Doc // not taken yet
	ended bool
}

// peek returns the next document, nil at the end.
func (s *stream) peek(ctx context.Context) (*store.Doc, error) {
	if len(s.docs) == 0 && !s.ended {
		if err := s.page(ctx); err != nil {
			return nil, err
		}
	}
	if len(s.docs) == 0 {
		return nil, nil
	}
	return &s.docs[0], nil
}

func (s *stream) take() { s.docs = s.docs[1:] }

// page reads on. A page has about pageBytes, judged by the one before.
func (s *stream) page(ctx context.Context) error {
	if s.query.Limit == 0 {
		s.query.Limit = min(firstPage, s.most)
	} else if s.read != nil {
		s.read()
	}
	docs, err := s.store.Scan(ctx, s.query)
	if err != nil {
		return err
	}
	s.docs, s.ended = docs, len(docs) < s.query.Limit

	if s.ended {
		return nil
	}

	size := 1
	for _, d := range docs {
		size += len(d.Body)
	}
	s.query.After = docs[len(docs)-1].ID
	s.query.Limit = max(1, min(s.most, 4*len(docs), len(docs)*pageBytes/size))
	return nil
}
