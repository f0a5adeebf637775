package milvus_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/milvus-io/milvus-proto/go-api/v2/commonpb"
	"github.com/milvus-io/milvus-proto/go-api/v2/milvuspb"
	"github.com/milvus-io/milvus-proto/go-api/v2/schemapb"
	"google.golang.org/protobuf/proto"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/state"
)

// TestRequests looks at what the server is asked: every expression begins with the owner, every search says its metric, and
// only what must be fresh waits for it.
func TestRequests(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	_, v := f.open(t)
	ctx, o := t.Context(), index.Owner{Client: `a" or "b`, User: "u"}
	at := time.Date(2025, 1, 2, 3, 4, 5, 6_000_001, time.UTC)
	for _, q := range []index.Query{
		{Fresh: true}, {}, {Kinds: []string{"b", "a", "b"}, Session: `s"`, From: at, To: at.Add(time.Second)}, {IDs: []string{"x", "y", "x"}},
	} {
		q.Vector, q.Limit = []float32{1, 0}, 3
		if _, err := v.Search(ctx, o, q); err != nil {
			t.Fatal(err)
		}
	}
	_, listed := v.List(ctx, o)
	must(t, errors.Join(listed, v.Delete(ctx, o, "x")))
	const owner = `client == "a%22%20or%20%22b" and user == "u"`
	key := func(id string) string { return milvus.RowKey(o, id) }
	both := []string{key("x"), key("y")}
	slices.Sort(both)
	var got []string
	for _, r := range requests[*milvuspb.SearchRequest](f, "Search") {
		got = append(got, fmt.Sprintf("search %s %s", r.GetConsistencyLevel(), r.GetDsl()))
		if params := fmt.Sprint(r.GetSearchParams()); !strings.Contains(params, "COSINE") || !strings.Contains(params, "ef") {
			t.Errorf("a search without metric or ef: %s", params)
		}
		if r.GetUseDefaultConsistency() {
			t.Error("a search with the collection's consistency")
		}
	}
	for _, r := range requests[*milvuspb.QueryRequest](f, "Query") {
		got = append(got, fmt.Sprintf("query %s %s", r.GetConsistencyLevel(), r.GetExpr()))
	}
	for _, r := range requests[*milvuspb.DeleteRequest](f, "Delete") {
		got = append(got, fmt.Sprintf("delete %s %s", r.GetConsistencyLevel(), r.GetExpr()))
	}
	want := []string{
		"search Strong " + owner,
		"search Bounded " + owner,
		"search Bounded " + owner + ` and kind in ["a", "b"] and session == "s%22" and at >= 1735787045007 and at < 1735787046007`,
		"search Bounded " + owner + fmt.Sprintf(" and pk in [%q, %q]", both[0], both[1]),
		"query Strong " + owner,
		"delete Strong " + owner + fmt.Sprintf(" and pk in [%q]", key("x")),
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if got := milvus.EmptyFilter(); got == nil {
		t.Error("an empty filter was turned into an expression")
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	_, v := f.open(t)
	var entries []index.Entry
	var ids []string
	for i := range 1234 {
		ids = append(ids, fmt.Sprint(i))
		entries = append(entries, anEntry(ids[i]))
	}
	put(t, v, anOwner(), append(entries, entries[:50]...)...)
	for i := range 1000 {
		ids = append(ids, fmt.Sprint("more", i))
	}
	must(t, v.Delete(t.Context(), anOwner(), append(ids, ids...)...))
	var rows, deleted []int
	for _, r := range requests[*milvuspb.UpsertRequest](f, "Upsert") {
		rows = append(rows, int(r.GetNumRows()))
	}
	for _, r := range requests[*milvuspb.DeleteRequest](f, "Delete") {
		deleted = append(deleted, strings.Count(r.GetExpr(), ",")+1)
	}
	if !slices.Equal(rows, []int{500, 500, 234}) || !slices.Equal(deleted, []int{1000, 1000, 234}) {
		t.Errorf("put %v rows and deleted %v, want 500, 500, 234 and 1000, 1000, 234", rows, deleted)
	}
}

func TestLargeVectors(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	shelf, _ := f.open(t)
	v := openSpace(t, shelf, index.Space{Model: "test:large", Dim: 32768})
	vector := make([]float32, 32768)
	vector[0] = 1
	var entries []index.Entry
	for i := range 40 {
		entries = append(entries, index.Entry{ID: fmt.Sprint(i), Vector: vector})
	}
	put(t, v, anOwner(), entries...)
	for _, r := range requests[*milvuspb.UpsertRequest](f, "Upsert") {
		if size := proto.Size(r); size > 5<<20 {
			t.Errorf("a request of %d bytes, want at most 5 MB", size)
		}
	}
}

// TestRefusedHere says what is not even sent.
func TestRefusedHere(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	_, v := f.open(t)
	ctx, o := t.Context(), anOwner()
	kinds := make([]string, 1001)
	for i := range kinds {
		kinds[i] = fmt.Sprint(i)
	}
	wide := []float32{1, 0, 0}
	long := anEntry(strings.Repeat("ž", 600))
	_, dimension := v.Search(ctx, o, index.Query{Vector: wide, Limit: 5})
	_, many := v.Search(ctx, o, index.Query{Vector: []float32{1, 0}, Limit: 5, Kinds: kinds})
	_, nobody := v.List(ctx, index.Owner{Client: "c"})
	for name, err := range map[string]error{
		"a vector of another dimension": v.Put(ctx, o, anEntry("a"), index.Entry{ID: "b", Vector: wide}), "a query of another dimension": dimension,
		"too many kinds": many, "an id too long": v.Put(ctx, o, long), "nobody's list": nobody, "no ids": v.Delete(ctx, o),
		"nobody's deletion": v.Delete(ctx, index.Owner{}, "a"),
	} {
		if !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%s = %v, want state.ErrInvalid", name, err)
		}
	}
	if none, err := v.Search(ctx, o, index.Query{Vector: []float32{1, 0}, Limit: 5, IDs: []string{}}); err != nil || len(none) > 0 {
		t.Errorf("Search among no ids = %v, %v, want none", none, err)
	}
	for _, method := range []string{"Upsert", "Search", "Query", "Delete"} {
		if n := f.counts[method]; n > 0 {
			t.Errorf("%d requests of %s were sent", n, method)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		change      func(*milvus.Config)
		token, base string
	}{
		{"nobody", func(*milvus.Config) {}, "", ""},
		{"user and password", func(c *milvus.Config) { c.Username, c.Password = "jan", "hunter2" }, "jan:hunter2", ""},
		{"API key", func(c *milvus.Config) { c.APIKey = "key" }, "key", ""},
		{"database", func(c *milvus.Config) { c.Database = "other" }, "", "other"},
		{"database in the address", func(c *milvus.Config) { c.Address += "/another" }, "", "another"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			cfg := f.config()
			tt.change(&cfg)
			shelf, err := milvus.Open(t.Context(), cfg)
			must(t, err)
			t.Cleanup(func() { _ = shelf.Close() })
			put(t, openSpace(t, shelf, plane()), anOwner(), anEntry("a"))
			for _, c := range f.seen {
				token := strings.Join(c.header.Get("authorization"), " ")
				if want := base64.StdEncoding.EncodeToString([]byte(tt.token)); token != want {
					t.Errorf("%s with authorization %q, want %q", c.method, token, want)
				}
				if got := strings.Join(c.header.Get("dbname"), " "); got != tt.base {
					t.Errorf("%s with database %q, want %q", c.method, got, tt.base)
				}
			}
		})
	}
}

// TestOneWriter lets many write to one collection, opened twice: they do so one after another.
func TestOneWriter(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	shelf, first := f.open(t)
	second := openSpace(t, shelf, plane())
	var now, most atomic.Int64
	inside := func(int) (proto.Message, error) {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		for range 1000 {
			runtime.Gosched() // lets others in, if there are any
		}
		return nil, nil
	}
	f.answer("Upsert", inside)
	f.answer("Delete", inside)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			v := []index.Vectors{first, second}[i%2]
			for range 20 {
				if err := errors.Join(v.Put(t.Context(), anOwner(), anEntry("a")), v.Delete(t.Context(), anOwner(), "a")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := most.Load(); got != 1 {
		t.Errorf("%d wrote at once, want one", got)
	}
}

// TestSettle has the server's cosines lie: they are too near each other to tell, so the vectors decide.
func TestSettle(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	_, v := f.open(t)
	o := anOwner()
	f.answer("Search", func(int) (proto.Message, error) {
		return hits(o, []string{"far", "b", "a", "best", "gone"}, -2, .8, .8000001, .7999999, .8000002), nil
	})
	f.answer("Query", func(int) (proto.Message, error) {
		s := float32(math.Sqrt(1 - .64))
		return &milvuspb.QueryResults{Status: &commonpb.Status{}, FieldsData: []*schemapb.FieldData{
			textField("pk", milvus.RowKey(o, "best"), milvus.RowKey(o, "b"), milvus.RowKey(o, "a")), vectorField(.8000006, s, .8, s, .8, s),
		}}, nil
	})
	got, err := v.Search(t.Context(), o, index.Query{Vector: []float32{2, 0}, Limit: 4})
	want := []index.Hit{{ID: "best", Cosine: .8000006}, {ID: "gone", Cosine: .8000002}, {ID: "a", Cosine: .8}, {ID: "b", Cosine: .8}}
	if diff := gocmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Search: %v (-want +got):\n%s", err, diff)
	}
	query := requests[*milvuspb.QueryRequest](f, "Query")
	if len(query) != 1 || !strings.HasPrefix(query[0].GetExpr(), `client == "c" and user == "u" and pk in [`) {
		t.Errorf("asked for vectors with %v", query)
	}
}

// TestTiesBeyondTheLimit has more equal rows than were asked for: the driver asks again, for more.
func TestTiesBeyondTheLimit(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	_, v := f.open(t)
	const n = 400
	f.answer("Search", func(try int) (proto.Message, error) {
		asked := min([]int{34, 136, 544}[try-1], n)
		ids, scores := make([]string, asked), make([]float32, asked)
		for i := range ids { // in the wrong order
			ids[i], scores[i] = fmt.Sprintf("e%03d", n-1-i), .5
		}
		return hits(anOwner(), ids, scores...), nil
	})
	got, err := v.Search(t.Context(), anOwner(), index.Query{Vector: []float32{2, 0}, Limit: 2})
	if err != nil || len(got) != 2 || got[0].ID != "e000" || got[1].ID != "e001" {
		t.Errorf("Search = %v, %v, want e000, e001", got, err)
	}
	var asked []string
	for _, r := range requests[*milvuspb.SearchRequest](f, "Search") {
		for _, p := range r.GetSearchParams() {
			if p.GetKey() == "topk" {
				asked = append(asked, p.GetValue())
			}
		}
	}
	if !slices.Equal(asked, []string{"34", "136", "544"}) {
		t.Errorf("asked for %v, want 34, 136, 544", asked)
	}
}

// TestBadAnswers meets servers that return what was not asked for.
func TestBadAnswers(t *testing.T) {
	t.Parallel()
	o, other := anOwner(), index.Owner{Client: "c", User: "another"}
	list := func(o index.Owner, drop string, id string) proto.Message {
		var fields []*schemapb.FieldData
		for _, field := range []*schemapb.FieldData{
			textField("pk", milvus.RowKey(o, "a")), textField("id", id), textField("hash", "h"), textField("kind", "k"), textField("session", "s"), numberField("at", 7),
		} {
			if field.GetFieldName() != drop {
				fields = append(fields, field)
			}
		}
		return &milvuspb.QueryResults{Status: &commonpb.Status{}, FieldsData: fields}
	}
	short := hits(o, []string{"a"}, .5)
	short.Results.FieldsData = nil
	for _, tt := range []struct {
		name   string
		search proto.Message
		list   proto.Message
		fails  bool
	}{
		{"good ones", hits(o, []string{"a"}, .5), list(o, "", "a"), false},
		{"a row of another owner", hits(other, []string{"a"}, .5), list(other, "", "a"), true},
		{"a field is missing", short, list(o, "kind", "a"), true},
		{"what nobody wrote", hits(o, []string{"%zz"}, .5), list(o, "", "%zz"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			_, v := f.open(t)
			f.answer("Search", func(int) (proto.Message, error) { return tt.search, nil })
			f.answer("Query", func(int) (proto.Message, error) { return tt.list, nil })
			found, searched := v.Search(t.Context(), o, index.Query{Vector: []float32{1, 0}, Limit: 5})
			all, listed := v.List(t.Context(), o)
			for what, err := range map[string]error{"Search": searched, "List": listed} {
				if errors.Is(err, state.ErrInternal) != tt.fails || (err != nil) != tt.fails {
					t.Errorf("%s = %v, want an error: %t", what, err, tt.fails)
				}
			}
			if tt.fails && len(found)+len(all) > 0 {
				t.Errorf("found %v and listed %v with an error", found, all)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"", "a", `"`, `\`, "%", "%41", "a b", "\x00", "\xff", "\U00024E2D", "č", "a/b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		written := milvus.Plain(s)
		if strings.ContainsFunc(written, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'\\`{}[]()", r) }) {
			t.Errorf("%q is written %q, which an expression may misread", s, written)
		}
		if back, err := milvus.Spoken(written); err != nil || back != s {
			t.Errorf("%q is written %q and read as %q, %v", s, written, back, err)
		}
	})
}
