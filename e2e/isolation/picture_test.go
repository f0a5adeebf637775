package isolation_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// picture is all that an owner sees: each part under the call it is from, as JSON.
type picture map[string]string

// picture takes it. Scores are part of it: statistics of somebody else's texts would show in them.
func (c *crowd) picture(t *testing.T, o *owner) picture {
	t.Helper()
	p, ctx := picture{}, t.Context()
	add := func(name string, answer any, err error) {
		if err != nil {
			t.Fatalf("%s of %s/%s: %v", name, o.scope.Client, o.scope.User, err)
		}
		p[name] = jsonOf(answer)
	}
	records, err := c.memory.Records(ctx, o.scope)
	add("records", records, err)
	affairs, err := c.memory.Affairs().List(ctx, o.scope, true)
	add("affairs", affairs, err)
	messages, err := c.memory.Messages(ctx, o.scope)
	add("messages", messages, err)
	session, err := c.memory.Sessions().Get(ctx, o.scope)
	add("session", session, err)
	steps, err := c.graph.History(ctx, o.scope, checkpoint.Which{})
	add("history", steps, err)
	waits := o.scope
	waits.Session = "w1"
	asks, err := c.graph.Waits(ctx, waits)
	add("waits", asks, err)
	for _, text := range []string{"brake pads", "invoice 4017", asked(o.number), "when is the invoice due"} {
		hits, err := c.memory.Recall(ctx, memory.Query{Scope: o.scope, Text: text, Limit: 40})
		add("recall "+text, hits, err)
	}
	list, err := c.vectors(t).List(ctx, index.Of(o.scope))
	add("vectors", list, err)
	if len(list) != len(records)+len(affairs)+texts(t, c, o) {
		t.Errorf("%s/%s: %d vectors of %d records, %d affairs and %d messages", o.scope.Client, o.scope.User, len(list), len(records), len(affairs), texts(t, c, o))
	}
	return p
}

// texts counts the owner's messages that have one, tools' apart, in all sessions.
func texts(t *testing.T, c *crowd, o *owner) int {
	t.Helper()
	n := 0
	for _, session := range []string{"s1", "w1", o.own("s", 0)} {
		scope := o.scope
		scope.Session = session
		messages, err := c.memory.Messages(t.Context(), scope)
		must(t, err)
		for _, msg := range messages {
			if msg.Text != "" && msg.Role != state.RoleTool {
				n++
			}
		}
	}
	return n
}

// vectors are those of the space that is used.
func (c *crowd) vectors(t *testing.T) index.Vectors {
	t.Helper()
	space, ok, err := c.shelf.Live(t.Context())
	if err == nil && !ok {
		err = errors.New("no space is live")
	}
	must(t, err)
	v, err := c.shelf.Open(t.Context(), space)
	must(t, err)
	return v
}

// sums is a hash of all documents of each owner, by the beginning of their keys; "" has what belongs to none.
func sums(ctx context.Context, s store.Store) (map[string]uint64, error) {
	all := map[string]uint64{}
	for _, collection := range store.Collections() {
		for after := ""; ; {
			docs, err := s.Scan(ctx, store.Query{Collection: collection, After: after, Limit: 2000})
			if err != nil {
				return nil, err
			}
			for _, doc := range docs {
				h := fnv.New64a()
				fmt.Fprintf(h, "%s %s %d ", doc.Collection, doc.ID, doc.Rev)
				_, _ = h.Write(doc.Body)
				all[ownerOf(doc)] = all[ownerOf(doc)]*31 + h.Sum64()
				after = doc.ID
			}
			if len(docs) < 2000 {
				break
			}
		}
	}
	return all, nil
}

// ownerOf is client and user of a document's key.
func ownerOf(doc store.Doc) string {
	slashes := 0
	for i := range len(doc.ID) {
		if doc.ID[i] == '/' {
			if slashes++; slashes == 2 {
				return doc.ID[:i+1]
			}
		}
	}
	return ""
}
