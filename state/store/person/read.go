package person

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// document reads the line of a document, as it is in the memory of the scope's user.
func (r Report) document(line []byte, scope state.Scope) (store.Doc, error) {
	var e entry
	var body bson.D
	if err := json.Unmarshal(line, &e); err != nil {
		return store.Doc{}, refused("has a line that is no document: %w", err)
	}
	if !slices.Contains(Collections(), e.In) {
		return store.Doc{}, refused("has a document of %q, which no person has", e.In)
	}
	if err := bson.UnmarshalExtJSON(e.Doc, true, &body); err != nil {
		return store.Doc{}, refused("has a document that cannot be read: %w", err)
	}
	for i, x := range body { // whose it is stands in some of them too
		switch {
		case x.Key == "client" && x.Value == r.Client:
			body[i].Value = scope.Client
		case x.Key == "user" && x.Value == r.User:
			body[i].Value = scope.User
		}
	}
	raw, err := bson.Marshal(body)
	doc := store.Doc{Collection: e.In, ID: scope.Key(e.Key), Body: raw}
	if err == nil {
		err = store.ValidateKey(doc.Collection, doc.ID)
	}
	if err != nil {
		return doc, refused("has a document that cannot be stored: %w", err)
	}
	return doc, nil
}

// Read reads a file into the memory of the scope's user, whatever his name was. He has to have nothing, else it is state.ErrConflict; what an earlier reading
// of the same file has written is gone on with. A file that is not as it was written is state.ErrInvalid, and changes nothing. Orders to erase that
// are there although the user has nothing stay, unless the file has them too.
func Read(ctx context.Context, c Config, from io.Reader) (Report, error) {
	scope := c.Scope.Default()
	if err := scope.Validate(); err != nil {
		return Report{}, err
	}
	r, docs, err := parse(from, scope)
	if err != nil {
		return r, err
	}
	if _, _, err := c.compare(ctx, docs); err != nil {
		return r, err
	}
	write := func(ctx context.Context) error {
		missing, other, err := c.compare(ctx, docs)
		for _, d := range other {
			d.Body = nil
			if err == nil {
				err = c.Store.Write(ctx, d)
			}
		}
		if err != nil {
			return err
		}
		for page := range slices.Chunk(missing, 200) { // the feed comes last: see Collections
			if err := c.Store.Write(ctx, page...); err != nil {
				return err
			}
			r.Written += len(page)
		}
		return nil
	}
	if c.Around != nil {
		err = c.Around(ctx, r, write)
	} else {
		err = write(ctx)
	}
	return r, err
}

// compare returns the documents that are not there yet, and the orders of which another state is there.
func (c Config) compare(ctx context.Context, docs []store.Doc) (missing, other []store.Doc, err error) {
	type key struct {
		in state.Collection
		id string
	}
	its := map[key]bson.Raw{}
	for _, d := range docs {
		its[key{d.Collection, d.ID}] = d.Body
	}
	there, err := c.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	spoken := slices.ContainsFunc(there, func(d store.Doc) bool { return d.Collection == state.Feed })
	for _, d := range there {
		k := key{d.Collection, d.ID}
		switch {
		case bytes.Equal(its[k], d.Body):
			delete(its, k)
		case d.Collection == state.Orders && its[k] == nil:
		case d.Collection == state.Orders && !spoken:
			other = append(other, d)
		default:
			return nil, nil, state.Errorf(state.Conflict, "user "+c.Scope.Default().User, "has memory here already, or had; name another one, or another store")
		}
	}
	return slices.DeleteFunc(slices.Clone(docs), func(d store.Doc) bool { return its[key{d.Collection, d.ID}] == nil }), other, nil
}
