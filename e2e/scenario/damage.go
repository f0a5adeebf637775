package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// damage makes documents of the turn's user unreadable, as an edit by hand or another program would: each of their values gives way to an
// empty document. The graph is closed meanwhile.
func (p *play) damage(ctx context.Context, scope state.Scope, t Turn) (err error) {
	if len(t.Damage) == 0 {
		return nil
	}
	if err := p.close(); err != nil {
		return err
	}

	s, err := p.place.openStore(ctx)
	if err != nil {
		return err
	}

	for _, d := range t.Damage {
		n, damaged := damageDocs(ctx, s, scope, d)
		if damaged == nil && n == 0 {
			damaged = state.Errorf(state.NotFound, fmt.Sprintf("%s:%d", p.s.File, t.Line), "damage: no document of %s holds %q", d.Collection, d.Holds)
		}
		err = errors.Join(err, damaged)
	}

	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	return p.open(ctx, nil)
}

// damageDocs damages what holds the text, and tells how much that was.
func damageDocs(ctx context.Context, s store.Store, scope state.Scope, d Damage) (n int, err error) {
	// All documents of the user are looked at; what counts is the text as it is stored.
	docs, err := s.Scan(ctx, store.Query{Collection: d.Collection, Prefix: scope.UserPrefix()})
	if err != nil {
		return 0, err
	}
	for _, doc := range docs {
		elements, err := doc.Body.Elements()
		if err != nil {
			return n, err
		}
		if !strings.Contains(string(doc.Body), d.Holds) {
			continue
		}

		// Each field stays and its value goes, so that the document is there and cannot be read.
		var body bson.D
		for _, e := range elements {
			body = append(body, bson.E{Key: e.Key(), Value: bson.D{}})
		}
		if doc.Body, err = bson.Marshal(body); err != nil {
			return n, err
		}
		if err := s.Write(ctx, doc); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
