package ledger

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"golang.org/x/sync/errgroup"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Reader is where documents are read from: the store, or what RAM has of it.
type Reader interface {
	// Get returns one document, or an error that is state.ErrNotFound.
	Get(ctx context.Context, c state.Collection, id string) (store.Doc, error)
	// Scan returns the documents a query selects, in its order.
	Scan(ctx context.Context, q store.Query) ([]store.Doc, error)
}

// Billed reads from a store and puts each reading on the turn's bill.
func Billed(s store.Store) Reader { return billed{s} }

type billed struct{ store store.Store }

// Get reads one document.
func (b billed) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	state.TraceFrom(ctx).Charge(state.Bill{Reads: 1})
	return b.store.Get(ctx, c, id)
}

// Scan reads what the query selects.
func (b billed) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	state.TraceFrom(ctx).Charge(state.Bill{Reads: 1})
	return b.store.Scan(ctx, q)
}

// Get reads one document as T. Absent is state.ErrNotFound, and so is damaged, which the turn's trace says.
func Get[T any](ctx context.Context, r Reader, c state.Collection, id string) (v T, err error) {
	doc, err := r.Get(ctx, c, id)
	if err != nil {
		return v, err
	}
	if v, err = Decode[T](doc); err != nil {
		NoteDamage(ctx, c, err)
		return v, &state.Error{Code: state.NotFound, Op: "read", Err: err}
	}
	return v, nil
}

// Scan reads the documents a query selects as T, in its order. What is damaged is left out, which the turn's trace says.
func Scan[T any](ctx context.Context, r Reader, q store.Query) ([]T, error) {
	docs, err := r.Scan(ctx, q)
	if err != nil {
		return nil, err
	}
	values := make([]T, 0, len(docs))
	for _, d := range docs {
		v, err := Decode[T](d)
		if err != nil {
			NoteDamage(ctx, q.Collection, err)
			continue
		}
		values = append(values, v)
	}
	return values, nil
}

// Decode reads a document as T. What its slices and maps hold may be shared with other readers: nobody changes them in place.
func Decode[T any](d store.Doc) (v T, err error) {
	if held, ok := d.Value.(*T); ok {
		return *held, nil
	}
	if err := bson.Unmarshal(d.Body, &v); err != nil {
		return v, state.Errorf(state.Internal, string(d.Collection)+" "+d.ID, "is damaged: %w", err)
	}
	return v, nil
}

// NoteDamage says aloud that a document of a collection cannot be read and is left out.
func NoteDamage(ctx context.Context, of state.Collection, err error) {
	state.TraceFrom(ctx).Note("one of the %s is left out, it cannot be read, and mneme doctor names it: %v", of, err)
}

// readersAtOnce bounds how many documents are asked for at a time.
const readersAtOnce = 16

// Fetch reads documents, several at a time, in the order of refs. One that is absent has no Body.
func Fetch(ctx context.Context, from Reader, refs ...Ref) ([]store.Doc, error) {
	docs := make([]store.Doc, len(refs))
	var g errgroup.Group
	g.SetLimit(readersAtOnce)
	for i, ref := range refs {
		g.Go(func() (err error) {
			docs[i], err = from.Get(ctx, ref.Collection, ref.ID)
			if errors.Is(err, state.ErrNotFound) {
				return nil
			}
			return err
		})
	}
	return docs, g.Wait()
}

// Readings are documents that were read together. What is not among them is read when it is asked for.
type Readings struct {
	Reader
	docs map[Ref]store.Doc // without a Body: there is none
}

// ReadAhead reads documents, several at a time.
func ReadAhead(ctx context.Context, from Reader, refs ...Ref) (Readings, error) {
	docs, err := Fetch(ctx, from, refs...)
	r := Readings{from, make(map[Ref]store.Doc, len(refs))}
	for i, doc := range docs {
		r.docs[refs[i]] = doc
	}
	return r, err
}

// Get returns one document.
func (r Readings) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	doc, ok := r.docs[Ref{c, id}]
	switch {
	case !ok:
		return r.Reader.Get(ctx, c, id)
	case doc.Body == nil:
		return doc, store.NotFound(c, id)
	}
	return doc, nil
}
