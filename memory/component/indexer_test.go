package component_test

import (
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/indexer"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component"
	"github.com/mneme-graph/mneme/state"
)

func TestNewIndexerRefuses(t *testing.T) {
	t.Parallel()
	m := setup(t)
	for _, c := range []struct {
		name   string
		config component.IndexerConfig
		says   string
	}{
		{"no memory", component.IndexerConfig{}, "needs Memory"},
		{"an unknown kind", component.IndexerConfig{Memory: m, Kind: "rumour"}, "rumour"},
		{"an unknown priority", component.IndexerConfig{Memory: m, Priority: "SOON"}, "SOON"},
		{"a user of no client", component.IndexerConfig{Memory: m, Scope: state.Scope{User: "alice"}}, "within a client"},
		{"a session that reaches other keys", component.IndexerConfig{Memory: m, Scope: state.Scope{Session: "$"}}, "session id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x, err := component.NewIndexer(c.config)
			code(t, err, state.Invalid)
			if x != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("want an error with %q, got %v, %v", c.says, x, err)
			}
		})
	}
}

func TestStoreKeepsWhatIsNew(t *testing.T) {
	t.Parallel()
	m := setup(t)
	x := newIndexer(t, component.IndexerConfig{Memory: m, Scope: alice(), Kind: state.OrderRecord, Priority: state.High})
	first := keep(t.Context(), t, x, about("kettle", "order 4471, enamel"), said("the stove has four plates"))
	again := keep(t.Context(), t, x, said("the stove has four plates"), said("roses are cut in March"), said("roses are cut in March"), about("kettle", "order 4471, enamel"))
	if len(first) != 2 || len(again) != 4 || again[0] != first[1] || again[3] != first[0] || again[1] != again[2] || again[1] == first[0] {
		t.Errorf("want the ids of what was there for what is repeated, got %v then %v", first, again)
	}
	records, err := m.Records(t.Context(), alice())
	must(t, err)
	got := map[string]string{}
	for _, r := range records {
		got[r.ID] = r.Subject + "|" + r.Content
		if r.Kind != state.OrderRecord || r.Priority != state.High || r.Source.Author != "main" || r.Session != "s1" {
			t.Errorf("want an order of high priority by main in s1, got %+v", r)
		}
	}
	want := map[string]string{first[0]: "kettle|order 4471, enamel", first[1]: "|the stove has four plates", again[1]: "|roses are cut in March"}
	same(t, "records", want, got)
}

func TestStoreRefuses(t *testing.T) {
	t.Parallel()
	good := said("the stove has four plates")
	for _, c := range []struct {
		name   string
		affair string
		docs   []*schema.Document
		opts   []indexer.Option
		want   state.Code
		says   string
	}{
		{"an embedder", "", []*schema.Document{good}, []indexer.Option{indexer.WithEmbedding(stranger{})}, state.Invalid, "WithEmbedding"},
		{"an index", "", []*schema.Document{good}, []indexer.Option{indexer.WithIndex("x")}, state.Invalid, "WithIndex"},
		{"sub-indexes", "", []*schema.Document{good}, []indexer.Option{indexer.WithSubIndexes([]string{"x"})}, state.Invalid, "WithSubIndexes"},
		{"sub-indexes of a document", "", []*schema.Document{good, said("x").WithSubIndexes([]string{"x"})}, nil, state.Invalid, "document 2 of the indexer: asks for sub-indexes"},
		{"no document", "", []*schema.Document{good, nil}, nil, state.Invalid, "document 2 of the indexer: is nil"},
		{"no content", "", []*schema.Document{good, said(" \n")}, nil, state.Invalid, "document 2 of the indexer: has no content"},
		{"a subject that is no text", "", []*schema.Document{{Content: "x", MetaData: map[string]any{"subject": 7}}}, nil, state.Invalid, "has a int"},
		{"no UTF-8", "", []*schema.Document{good, said("\xff")}, nil, state.Invalid, "UTF-8"},
		{"an affair that is not there", "a9", []*schema.Document{good}, nil, state.NotFound, "a9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := setup(t)
			x := newIndexer(t, component.IndexerConfig{Memory: m, Scope: alice(), Affair: c.affair})
			ids, err := x.Store(t.Context(), c.docs, c.opts...)
			code(t, err, c.want)
			if ids != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("want an error with %q, got %v, %v", c.says, ids, err)
			}
			if records, err := m.Records(t.Context(), alice()); err != nil || len(records) > 0 {
				t.Errorf("want nothing kept of a refused batch, got %v, %v", records, err)
			}
		})
	}
}

func TestStoreOfNothing(t *testing.T) {
	t.Parallel()
	m := setup(t)
	if ids := keep(t.Context(), t, newIndexer(t, component.IndexerConfig{Memory: m, Scope: alice()})); len(ids) != 0 {
		t.Errorf("want no ids, got %v", ids)
	}
}

func TestStoreIntoReadOnlyMemory(t *testing.T) {
	t.Parallel()
	m, err := open(func(c *memory.Config) { c.Settings.Autonomy = 0 })
	must(t, err)
	_, err = newIndexer(t, component.IndexerConfig{Memory: m, Scope: alice()}).Store(t.Context(), []*schema.Document{said("x")})
	code(t, err, state.Denied)
}
