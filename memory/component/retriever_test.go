package component_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/retriever"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component"
	"github.com/mneme-graph/mneme/state"
)

// kettles is a memory with three records of two kinds, the first of which matches best.
func kettles(t *testing.T) *memory.Memory {
	t.Helper()
	m := setup(t)
	write(t, m, alice(),
		memory.Change{Subject: "kettle", Content: "the red enamel kettle whistles"},
		memory.Change{Subject: "stove", Content: "the kettle fits on the left plate", Kind: state.PreferenceRecord},
		memory.Change{Subject: "garden", Content: "the red roses bloom in June"})
	return m
}

const question = "red enamel kettle"

func TestNewRetrieverRefuses(t *testing.T) {
	t.Parallel()
	m := setup(t)
	for _, c := range []struct {
		name   string
		config component.RetrieverConfig
		says   string
	}{
		{"no memory", component.RetrieverConfig{}, "needs Memory"},
		{"an unknown place", component.RetrieverConfig{Memory: m, In: "everywhere"}, "use current, session, all or kb_only"},
		{"an unknown kind", component.RetrieverConfig{Memory: m, Kinds: []state.RecordKind{"rumour"}}, "rumour"},
		{"an affair that is not looked through", component.RetrieverConfig{Memory: m, Affair: "a1"}, "current"},
		{"tokens below none", component.RetrieverConfig{Memory: m, Tokens: -1}, "Tokens is -1"},
		{"documents below none", component.RetrieverConfig{Memory: m, TopK: -1}, "TopK -1"},
		{"a user of no client", component.RetrieverConfig{Memory: m, Scope: state.Scope{User: "alice"}}, "within a client"},
		{"a client that reaches other keys", component.RetrieverConfig{Memory: m, Scope: state.Scope{Client: "c1/alice"}}, "client id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := component.NewRetriever(c.config)
			code(t, err, state.Invalid)
			if r != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("want an error with %q, got %v, %v", c.says, r, err)
			}
		})
	}
}

func TestRetrieve(t *testing.T) {
	t.Parallel()
	const red, left, roses = "kettle: the red enamel kettle whistles", "stove: the kettle fits on the left plate", "garden: the red roses bloom in June"
	later := map[string]any{"from": time.Date(2026, 2, 16, 0, 0, 0, 0, time.UTC)}
	for _, c := range []struct {
		name   string
		config component.RetrieverConfig
		query  string
		opts   []retriever.Option
		want   []string
	}{
		{"everything, best first", component.RetrieverConfig{}, question, nil, []string{red, left, roses}},
		{"a blank query", component.RetrieverConfig{}, " ", nil, []string{}},
		{"only some kinds", component.RetrieverConfig{Kinds: []state.RecordKind{state.PreferenceRecord}}, question, nil, []string{left}},
		{"few by the config", component.RetrieverConfig{TopK: 1}, question, nil, []string{red}},
		{"few by the option", component.RetrieverConfig{TopK: 3}, question, []retriever.Option{retriever.WithTopK(1)}, []string{red}},
		{"few tokens", component.RetrieverConfig{Tokens: 8}, question, nil, []string{red}},
		{"the best alone", component.RetrieverConfig{}, question, []retriever.Option{retriever.WithScoreThreshold(1)}, []string{red}},
		{"no threshold to speak of", component.RetrieverConfig{}, question, []retriever.Option{retriever.WithScoreThreshold(0)}, []string{red, left, roses}},
		{"a kind by the filter", component.RetrieverConfig{}, question,
			[]retriever.Option{retriever.WithDSLInfo(map[string]any{"kinds": []any{"preference"}})}, []string{left}},
		{"later by the filter", component.RetrieverConfig{}, question, []retriever.Option{retriever.WithDSLInfo(later)}, []string{}},
		{"earlier by the filter", component.RetrieverConfig{}, question,
			[]retriever.Option{retriever.WithDSLInfo(map[string]any{"to": "2026-02-16T00:00:00+01:00"})}, []string{red, left, roses}},
		{"as it was known before", component.RetrieverConfig{}, question,
			[]retriever.Option{retriever.WithDSLInfo(map[string]any{"as_of": "2026-02-14T00:00:00Z"})}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.config.Memory, c.config.Scope = kettles(t), alice()
			got := contents(retrieve(t.Context(), t, newRetriever(t, c.config), c.query, c.opts...))
			same(t, "found", c.want, got)
		})
	}
}

func TestADocumentSaysWhereItIsFrom(t *testing.T) {
	t.Parallel()
	m := kettles(t)
	docs := retrieve(t.Context(), t, newRetriever(t, component.RetrieverConfig{Memory: m, Scope: alice()}), question)
	hits, err := m.Recall(t.Context(), memory.Query{Scope: alice(), Text: question})
	if err != nil || len(hits) != len(docs) {
		t.Fatalf("want a document for each of %d hits, got %d, %v", len(hits), len(docs), err)
	}
	for i, d := range docs {
		var why memory.Why
		must(t, json.Unmarshal([]byte(d.MetaData[component.MetaWhy].(string)), &why))
		if diff := cmp.Diff(hits[i].Why, why); diff != "" {
			t.Errorf("why (-recall +document):\n%s", diff)
		}
		if d.ID != hits[i].ID || d.Score() != hits[i].Score || d.MetaData[component.MetaShare] != hits[i].Score/hits[0].Score {
			t.Errorf("want id %s and score %v, got %+v", hits[i].ID, hits[i].Score, d)
		}
		delete(d.MetaData, component.MetaWhy)
		delete(d.MetaData, component.MetaShare)
		delete(d.MetaData, "_score")
	}
	want := map[string]any{"source": "record fact, 2026-02-15", "kind": "fact", "recorded": "2026-02-15T21:00:00Z"}
	same(t, "metadata", want, docs[0].MetaData)
}

// Messages and affairs are found too, with the turn they are of and the affair they belong to.
func TestDocumentsOfMessagesAndAffairs(t *testing.T) {
	t.Parallel()
	m, s := durable(t)
	at := time.Date(2026, 2, 15, 20, 0, 0, 0, time.UTC)
	sink := &state.Effects{}
	sink.Add(
		state.Effect{Scope: alice(), Affair: &state.AffairEdit{ID: "a1", At: at, Create: &state.Affair{
			ID: "a1", Client: "c1", User: "alice", Title: "Kettle repair", Status: state.Parked, CreatedAt: at, UpdatedAt: at,
		}}},
		state.Effect{Scope: alice(), Message: &state.Message{ID: "m1", Seq: 1, Turn: "t1", Role: state.RoleUser, Text: "the kettle leaks", Affair: "a1", At: at}})
	commit(t, m, s, sink)
	docs := retrieve(t.Context(), t, newRetriever(t, component.RetrieverConfig{Memory: m, Scope: alice()}), "kettle")
	got := map[string]map[string]any{}
	for _, d := range docs {
		got[d.ID] = map[string]any{}
		for _, key := range []string{component.MetaKind, component.MetaAffair, component.MetaTurn, component.MetaRecorded, component.MetaSource} {
			if v, ok := d.MetaData[key]; ok {
				got[d.ID][key] = v
			}
		}
	}
	want := map[string]map[string]any{
		"m1": {"kind": "message", "affair": "a1", "turn": "t1", "recorded": "2026-02-15T20:00:00Z", "source": "message 1, user, 2026-02-15"},
		"a1": {"kind": "affair", "affair": "a1", "recorded": "2026-02-15T20:00:00Z", "source": `affair "Kettle repair", PARKED`},
	}
	same(t, "metadata", want, got)
}

func TestRetrieveRefuses(t *testing.T) {
	t.Parallel()
	facts := component.RetrieverConfig{Kinds: []state.RecordKind{state.FactRecord}}
	filter := func(key string, value any) retriever.Option {
		return retriever.WithDSLInfo(map[string]any{key: value})
	}
	for _, c := range []struct {
		name   string
		config component.RetrieverConfig
		opt    retriever.Option
		want   state.Code
		says   string
	}{
		{"an embedder", component.RetrieverConfig{}, retriever.WithEmbedding(stranger{}), state.Invalid, "WithEmbedding"},
		{"an index", component.RetrieverConfig{}, retriever.WithIndex("x"), state.Invalid, "WithIndex"},
		{"a sub-index", component.RetrieverConfig{}, retriever.WithSubIndex("x"), state.Invalid, "WithSubIndex"},
		{"nothing at most", component.RetrieverConfig{}, retriever.WithTopK(0), state.Invalid, "WithTopK is 0"},
		{"a score for a threshold", component.RetrieverConfig{}, retriever.WithScoreThreshold(1.5), state.Invalid, "from 0 to 1"},
		{"a threshold below none", component.RetrieverConfig{}, retriever.WithScoreThreshold(-.1), state.Invalid, "from 0 to 1"},
		{"no number for a threshold", component.RetrieverConfig{}, retriever.WithScoreThreshold(math.NaN()), state.Invalid, "from 0 to 1"},
		{"an unknown filter", component.RetrieverConfig{}, filter("user", "bob"), state.Invalid, "filter user"},
		{"a wider filter", facts, filter("kinds", []string{"fact", "order"}), state.Denied, `"order"`},
		{"an unknown kind", component.RetrieverConfig{}, filter("kinds", []state.RecordKind{"rumour"}), state.Invalid, "rumour"},
		{"no kinds", component.RetrieverConfig{}, filter("kinds", []string{}), state.Invalid, "is empty"},
		{"a kind that is no list", component.RetrieverConfig{}, filter("kinds", "fact"), state.Invalid, "list of strings"},
		{"a kind that is no string", component.RetrieverConfig{}, filter("kinds", []any{1}), state.Invalid, "holds a int"},
		{"a time in words", component.RetrieverConfig{}, filter("from", "yesterday"), state.Invalid, "2026-03-01T12:00:00Z"},
		{"a time that is a number", component.RetrieverConfig{}, filter("as_of", 5), state.Invalid, "is a int"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.config.Memory, c.config.Scope = kettles(t), alice()
			docs, err := newRetriever(t, c.config).Retrieve(t.Context(), question, c.opt)
			code(t, err, c.want)
			if docs != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("want an error with %q, got %v, %v", c.says, docs, err)
			}
		})
	}
}
