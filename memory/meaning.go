package memory

import (
	"context"
	"errors"
	"strings"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/vectors"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// What is written is found by its words at once, by every recall, whatever its priority. The priority says how soon it has its
// vector; an affair that was parked or resolved is CRITICAL. Vectors are made behind the turn and mended by comparing, see package
// vectors. Without them, and while they are away, recall goes by words and says so.

// documents reads what is to be found by meaning: messages, records and affairs of one user, as they are now. IDs are
// those of the feed ("messages/session/number"); nil means all.
func (m *Memory) documents(ctx context.Context, o index.Owner, ids []string) ([]vectors.Doc, error) {
	user := state.Scope{Client: o.Client, User: o.User}
	if ids == nil {
		return m.allDocuments(ctx, user)
	}

	var out []vectors.Doc
	for _, id := range ids {
		collection, key, _ := strings.Cut(id, "/")
		ref := ledger.Ref{Collection: state.Collection(collection), ID: user.UserPrefix() + key}
		doc, err := m.c.Store.Get(ctx, ref.Collection, ref.ID)
		if errors.Is(err, state.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, meaning(user, doc))
	}
	return out, nil
}

func (m *Memory) allDocuments(ctx context.Context, user state.Scope) ([]vectors.Doc, error) {
	var out []vectors.Doc
	for _, c := range []state.Collection{state.Affairs, state.Records, state.Messages} {
		for docs, err := range store.Pages(ctx, m.c.Store.Scan, store.Query{Collection: c, Prefix: user.UserPrefix(), Limit: desk.TextsAtOnce}) {
			if err != nil {
				return nil, err
			}
			for _, doc := range docs {
				out = append(out, meaning(user, doc))
			}
		}
	}
	return out, nil
}

// heard reports whether a message is part of what was said, and may be remembered.
func heard(msg state.Message) bool {
	return msg.Role != state.RoleTool && !msg.Undone && !msg.Unstored() && desk.Said(msg) != ""
}

// meaning returns a document as it is embedded: a message by the name of its speaker, where people talk, and its beginning. What stands
// around it the words know better. What is damaged has none.
func meaning(user state.Scope, doc store.Doc) (d vectors.Doc) {
	d.ID = string(doc.Collection) + "/" + strings.TrimPrefix(doc.ID, user.UserPrefix())

	// Each kind of document has its text, and what is filtered by: kind, session, time.
	switch doc.Collection {
	case state.Messages:
		msg, err := ledger.Decode[state.Message](doc)
		if err != nil || !heard(msg) {
			return d
		}
		session, _, _ := strings.Cut(strings.TrimPrefix(doc.ID, user.UserPrefix()), "/")
		d.Kind, d.Session, d.At = string(state.MessageRecord), session, msg.At
		d.Text = vectors.Beginning(desk.Said(msg))
		if msg.Speaker != "" {
			d.Text = msg.Speaker + ": " + d.Text
		}
	case state.Records:
		r, err := ledger.Decode[state.Record](doc)
		if err != nil {
			return d
		}
		d.Kind, d.Session, d.At = string(r.Kind), r.Session, r.RecordedAt
		d.Text = strings.TrimPrefix(r.Subject+": "+r.Content, ": ")
	case state.Affairs:
		a, err := ledger.Decode[state.Affair](doc)
		if err != nil {
			return d
		}
		d.Kind, d.Session, d.At = mind.AffairKind, a.Session, a.CreatedAt
		d.Text = strings.TrimSpace(a.Title + "\n" + vectors.Beginning(a.Summary))
	}
	return d
}

// urgency returns how soon a document of a commit must have its vector, by kind: how an affair that was set aside stands is asked
// for by the next turn, what was said is found by its words meanwhile. What needs no new vector is not ok: a record that
// was only said again has the words it had.
func urgency(doc store.Doc) (p state.Priority, ok bool) {
	switch doc.Collection {
	case state.Affairs:
		if a, err := ledger.Decode[state.Affair](doc); err == nil && setAside(a.Status) {
			return state.Critical, true
		}
		return state.High, true
	case state.Records:
		r, err := ledger.Decode[state.Record](doc)
		if err == nil && r.Priority.Valid() {
			p = r.Priority
		}
		return p, err != nil || r.Times < 2 || doc.Rev == 0
	case state.Messages:
		return state.Normal, true
	}
	return p, false
}

// learnt tells the vector index about documents that were written.
func (m *Memory) learnt(_ context.Context, _ []state.Effect, docs []store.Doc) {
	if m.desk.Vectors == nil {
		return
	}
	for _, doc := range docs {
		if p, ok := urgency(doc); ok {
			client, rest, _ := strings.Cut(doc.ID, "/")
			user, key, _ := strings.Cut(rest, "/")
			m.desk.Vectors.Learn(index.Owner{Client: client, User: user}, p, string(doc.Collection)+"/"+key)
		}
	}
}

// setAside reports whether a status is that of an affair which somebody left, with a summary of how it stands.
func setAside(s state.Status) bool { return s == state.Parked || s == state.Resolved }

// Settle returns once everything of the user has its vector, or with state.ErrUnavailable when it cannot have.
// Without an Embedder it returns at once.
func (v Vectors) Settle(ctx context.Context, scope state.Scope) error {
	scope = scope.Default()
	if err := scope.Validate(); err != nil || v.m.desk.Vectors == nil {
		return err
	}
	return v.m.desk.Vectors.Settle(ctx, index.Of(scope))
}
