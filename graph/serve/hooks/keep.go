package hooks

import (
	"context"
	"maps"
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

// eachMessage visits messages that are kept, a page at a time.
func (h *Hooks) eachMessage(ctx context.Context, prefix string, visit func(map[string]message) error) error {
	for docs, err := range store.Pages(ctx, h.c.Store.Scan, store.Query{Collection: state.Deliveries, Prefix: prefix, Limit: messagePage}) {
		if err != nil {
			return err
		}
		some := map[string]message{}
		for _, doc := range docs {
			m := message{rev: doc.Rev}
			_ = bson.Unmarshal(doc.Body, &m) // a damaged one is of no address, and written anew
			some[doc.ID] = m
		}
		if err := visit(some); err != nil {
			return err
		}
	}
	return nil
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

// drop deletes messages. What somebody else has changed is looked at another time.
func (h *Hooks) drop(ctx context.Context, some map[string]message) error {
	var gone []store.Doc
	for key, m := range some {
		gone = append(gone, store.Doc{Collection: state.Deliveries, ID: key, Rev: m.rev})
	}
	for part := range slices.Chunk(gone, messagePage) {
		if err := unlessConflict(h.c.Store.Write(ctx, part...)); err != nil {
			return err
		}
	}
	return nil
}

// dropOthers deletes messages of addresses that are told no more and of users who are gone, and how such addresses stood.
func (h *Hooks) dropOthers(ctx context.Context, users []state.Scope, standing map[string]Standing) error {
	told, there := map[string]bool{}, map[string]bool{}
	for _, t := range h.c.Targets.list {
		told[t.id] = true
	}
	for _, user := range users {
		there[user.UserPrefix()] = true
	}
	for id, s := range standing {
		if !told[id] {
			if err := unlessConflict(h.c.Store.Write(ctx, store.Doc{Collection: state.Meta, ID: standingPrefix + id, Rev: s.rev})); err != nil {
				return err
			}
		}
	}
	return h.eachMessage(ctx, "", func(some map[string]message) error {
		maps.DeleteFunc(some, func(key string, m message) bool {
			return told[m.Target] && there[key[:strings.LastIndexByte(key, '/')+1]]
		})
		return h.drop(ctx, some)
	})
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
