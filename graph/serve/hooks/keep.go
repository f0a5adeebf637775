package hooks

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// message is what is kept of a message.
type message struct {
	Target string    `bson:"target"`
	Body   []byte    `bson:"body,omitempty"` // until it is sent
	Sent   time.Time `bson:"sent,omitempty"`
	Tries  int       `bson:"tries,omitempty"` // in vain
	Next   time.Time `bson:"next,omitempty"`  // not before

	rev int64
}

// messagePage is how many are read or deleted at a time.
const messagePage = 500

// readMessages returns all messages that are kept, by their keys.
func (h *Hooks) readMessages(ctx context.Context) (map[string]message, error) {
	out := map[string]message{}
	for docs, err := range store.Pages(ctx, h.c.Store.Scan, store.Query{Collection: state.Deliveries, Limit: messagePage}) {
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			m := message{rev: doc.Rev}
			_ = bson.Unmarshal(doc.Body, &m) // a damaged one is written anew
			out[doc.ID] = m
		}
	}
	return out, nil
}

func (a About) key(id string) string { return state.Scope{Client: a.Client, User: a.User}.Key(id) }

// put writes a message over the one that was read.
func (h *Hooks) put(ctx context.Context, key string, m *message) error {
	body, err := bson.Marshal(m)
	if err == nil {
		err = h.c.Store.Write(ctx, store.Doc{Collection: state.Deliveries, ID: key, Rev: m.rev, Body: body})
	}
	if err == nil {
		m.rev++
	}
	return err
}

// dropOver deletes messages about what waits no more, and of addresses that are told no more; of these also how they stood.
func (h *Hooks) dropOver(ctx context.Context, things []thing, kept map[string]message, standing map[string]Standing) error {
	lives := map[string]bool{}
	for _, x := range things {
		for _, t := range h.c.Targets.list {
			lives[x.about.key(x.id(t))] = true
		}
	}
	var gone []store.Doc
	for key, m := range kept {
		if !lives[key] {
			gone = append(gone, store.Doc{Collection: state.Deliveries, ID: key, Rev: m.rev})
		}
	}
	for id, s := range standing {
		if !slices.ContainsFunc(h.c.Targets.list, func(t target) bool { return t.id == id }) {
			gone = append(gone, store.Doc{Collection: state.Meta, ID: standingPrefix + id, Rev: s.rev})
		}
	}
	for part := range slices.Chunk(gone, messagePage) {
		if err := h.c.Store.Write(ctx, part...); err != nil && !errors.Is(err, state.ErrConflict) { // what somebody else has changed is looked at next time
			return err
		}
	}
	return nil
}

// standingPrefix begins the keys of how addresses stand.
const standingPrefix = "hooks/"

// Standing is how an address stands that did not answer, or asked to be told no more.
type Standing struct {
	Host   string    `bson:"host"`
	Gone   bool      `bson:"gone,omitempty"` // it has said so (410)
	Since  time.Time `bson:"since"`
	Tries  int       `bson:"tries"` // in vain, one after the other
	Next   time.Time `bson:"next,omitempty"`
	Answer string    `bson:"answer"` // the last one, in a few words

	rev int64
}

// String says it to who operates the service.
func (s Standing) String() string {
	if s.Gone {
		return s.Host + " has answered 410 (gone) and is told nothing any more; take it out of webhooks, or start once without it to have it told again"
	}
	return s.Host + " does not take messages since " + s.Since.Format(time.RFC3339) + ": " + s.Answer
}

// Failing lists the addresses of a store that do not take messages.
func Failing(ctx context.Context, s store.Store) (out []Standing, err error) {
	all, err := readStanding(ctx, s)
	for _, x := range all {
		if x.Gone || x.Tries > 0 {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b Standing) int { return strings.Compare(a.Host, b.Host) })
	return out, err
}

// readStanding returns how addresses stand, by their ids.
func readStanding(ctx context.Context, s store.Store) (map[string]Standing, error) {
	docs, err := s.Scan(ctx, store.Query{Collection: state.Meta, Prefix: standingPrefix})
	out := map[string]Standing{}
	for _, doc := range docs {
		x := Standing{rev: doc.Rev}
		_ = bson.Unmarshal(doc.Body, &x) // a damaged one is written anew
		out[strings.TrimPrefix(doc.ID, standingPrefix)] = x
	}
	return out, err
}

// putStanding writes how an address stands.
func (h *Hooks) putStanding(ctx context.Context, id string, s *Standing) error {
	body, err := bson.Marshal(s)
	if err == nil {
		err = h.c.Store.Write(ctx, store.Doc{Collection: state.Meta, ID: standingPrefix + id, Rev: s.rev, Body: body})
	}
	if err == nil {
		s.rev++
	}
	return err
}
