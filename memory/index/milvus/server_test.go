package milvus_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/milvus-io/milvus/client/v2/milvusclient"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/indextest"
	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/memory/index/milvus/milvustest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

// TestServer runs the suite and what is special about this driver on milvus-lite, and on the server that
// MNEME_TEST_MILVUS_ADDR names.
func TestServer(t *testing.T) {
	t.Parallel()
	t.Run("milvus-lite", func(t *testing.T) {
		t.Parallel()
		onServer(t, milvustest.Start(t).Address)
	})
	if address, ok := milvustest.External(); ok {
		t.Run("external", func(t *testing.T) {
			t.Parallel()
			onServer(t, address)
		})
	}
}

func onServer(t *testing.T, address string) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, string)
	}{
		{"names", names}, {"near ties", nearTies}, {"graph", graph}, {"two shelves", twoShelves}, {"promote while searching", promoteWhileSearching},
		{"foreign collection", foreignCollection}, {"clear", clearing}, {"drop", dropping},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, address) })
	}
	t.Run("suite", func(t *testing.T) {
		indextest.Run(t, func(t *testing.T) index.Shelf { return open(t, address, milvus.Config{}) })
	})
}

// open opens a shelf with a prefix of its own, unless there is one, and drops what is in it when the test ends.
func open(t testing.TB, address string, cfg milvus.Config) *milvus.Shelf {
	t.Helper()
	cfg.Address = address
	if cfg.Prefix == "" {
		cfg.Prefix = "test_" + strings.ToLower(rand.Text()[:12])
		t.Cleanup(func() { sweep(t, cfg) })
	}
	shelf, err := milvus.Open(t.Context(), cfg)
	must(t, err)
	t.Cleanup(func() { must(t, shelf.Close()) })
	return shelf
}

// sweep removes what a test left on a server that outlives it.
func sweep(t testing.TB, cfg milvus.Config) {
	if _, external := milvustest.External(); !external {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	client, err := milvusclient.New(ctx, &milvusclient.ClientConfig{Address: cfg.Address})
	if err != nil {
		t.Logf("%s_* stays behind: %v", cfg.Prefix, err)
		return
	}
	defer func() { _ = client.Close(ctx) }()
	_ = client.DropAlias(ctx, milvusclient.NewDropAliasOption(cfg.Prefix+"_live")) // there may be none
	collections, err := client.ListCollections(ctx, milvusclient.NewListCollectionOption())
	for _, name := range collections {
		if strings.HasPrefix(name, cfg.Prefix+"_") {
			err = errors.Join(err, client.DropCollection(ctx, milvusclient.NewDropCollectionOption(name)))
		}
	}
	if err != nil {
		t.Logf("%s_* stays behind: %v", cfg.Prefix, err)
	}
}

func openSpace(t testing.TB, shelf index.Shelf, space index.Space) index.Vectors {
	t.Helper()
	v, err := shelf.Open(t.Context(), space)
	must(t, err)
	return v
}

func put(t testing.TB, v index.Vectors, o index.Owner, entries ...index.Entry) {
	t.Helper()
	must(t, v.Put(t.Context(), o, entries...))
}

// find returns the ids a search finds.
func find(t testing.TB, v index.Vectors, o index.Owner, q index.Query) []string {
	t.Helper()
	q.Fresh = true
	hits, err := v.Search(t.Context(), o, q)
	must(t, err)
	ids := []string{}
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

func plane() index.Space { return index.Space{Model: "test:plane", Dim: 2, Version: 1} }

// names puts one entry of every drawn owner, kind and session, with another of each kind of neighbour, and looks for it.
func names(t *testing.T, address string) {
	v := openSpace(t, open(t, address, milvus.Config{}), plane())
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		if run++; run > 60 {
			return
		}
		name := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("ab\"'\\%_*[](),=&|~ n\t\U00024E2D\u4e2d\u00e9"))))
		id := name.Filter(func(s string) bool { return state.ValidateID("drawn", s) == nil })
		nameCase(t.Context(), rt, v, id.Draw(rt, "client"), id.Draw(rt, "user"), name.Draw(rt, "kind"), name.Draw(rt, "session"))
	})
}

// FuzzNames is names with what a fuzzer makes up.
func FuzzNames(f *testing.F) {
	for _, s := range []string{
		"a", `x"] or client in ["y`, `\`, `\"`, `a\u0062`, "%41", "A", "%", `" or client != "`, "\U00024E2D", "\u4e2d", "\u202e", "a\u0301", "\u00e1", "é", "*", "_",
	} {
		f.Add(s, s, s, s)
		f.Add("a", s, "", s+s)
	}
	v := openSpace(f, open(f, milvustest.Start(f).Address, milvus.Config{}), plane())
	f.Fuzz(func(t *testing.T, client, user, kind, session string) {
		if (index.Owner{Client: client, User: user}).Validate() != nil || len(kind) > 1000 || len(session) > 1000 {
			t.Skip()
		}
		nameCase(t.Context(), t, v, client, user, kind, session)
	})
}

type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

func nameCase(ctx context.Context, t fatal, v index.Vectors, client, user, kind, session string) {
	t.Helper()
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	mine := index.Owner{Client: client, User: user}
	entry := index.Entry{ID: client, Hash: user, Kind: kind, Session: session, Vector: []float32{1, 0}}
	others := neighbours(mine)
	check("Put", v.Put(ctx, mine, entry, index.Entry{ID: client + "2", Kind: kind + "2", Session: session + "2", Vector: []float32{1, 0}}))
	for _, o := range others {
		check("Put", v.Put(ctx, o, index.Entry{ID: client, Hash: "foreign", Kind: kind, Session: session, Vector: []float32{1, 0}}))
	}
	hits, err := v.Search(ctx, mine, index.Query{Vector: []float32{1, 0}, Limit: 9, Kinds: []string{kind}, Session: session, Fresh: true})
	check("Search", err)
	if session != "" && (len(hits) != 1 || hits[0].ID != client) {
		t.Fatalf("Search of %q finds %v, want the entry %q", mine, hits, client)
	}
	check("Delete", v.Delete(ctx, mine, client+"2"))
	list, err := v.List(ctx, mine)
	check("List", err)
	if len(list) != 1 || list[0].ID != client || list[0].Hash != user || list[0].Kind != kind || list[0].Session != session {
		t.Fatalf("List of %q = %v, want the entry %q", mine, list, client)
	}
	check("Delete", v.Delete(ctx, mine, client))
	for _, o := range others {
		list, err := v.List(ctx, o)
		check("List", err)
		if len(list) != 1 || list[0].Hash != "foreign" {
			t.Fatalf("after the deletion of %q's entry, %q has %v, want its own", mine, o, list)
		}
		check("Delete", v.Delete(ctx, o, client))
	}
}

// neighbours are owners that a careless expression takes for this one.
func neighbours(o index.Owner) []index.Owner {
	var valid []index.Owner
	for _, n := range []index.Owner{
		{Client: o.Client, User: o.User + "x"}, {Client: o.Client + "x", User: o.User}, {Client: o.Client + "%", User: o.User}, {Client: o.User, User: o.Client},
	} {
		if n.Validate() == nil && n != o {
			valid = append(valid, n)
		}
	}
	return valid
}

// nearTies compares the order with the exact one among many vectors that are equal or nearly so.
func nearTies(t *testing.T, address string) {
	space := index.Space{Model: "test:ties", Dim: 384, Version: 1}
	v := openSpace(t, open(t, address, milvus.Config{}), space)
	o := index.Owner{Client: "c", User: "u"}
	random := mathrand.New(mathrand.NewPCG(1, 2))
	draw := func() []float32 {
		vector := make([]float32, space.Dim)
		for i := range vector {
			vector[i] = float32(random.NormFloat64())
		}
		return vector
	}
	base, query := draw(), draw()
	var entries []index.Entry
	for i := range 200 {
		vector := draw()
		if i < 120 {
			copy(vector, base)
		}
		entries = append(entries, index.Entry{ID: fmt.Sprintf("e%03d", (i*77)%200), Vector: vector})
	}
	put(t, v, o, entries...)
	hits, err := v.Search(t.Context(), o, index.Query{Vector: query, Limit: 200, Fresh: true})
	must(t, err)
	equal := map[string]bool{}
	for i, e := range entries {
		equal[e.ID] = i < 120
	}
	var same []index.Hit
	for i, h := range hits {
		if i > 0 && (h.Cosine > hits[i-1].Cosine || h.Cosine == hits[i-1].Cosine && h.ID < hits[i-1].ID) {
			t.Errorf("%v stands before %v", hits[i-1], h)
		}
		if equal[h.ID] {
			same = append(same, h)
		}
	}
	if len(hits) != 200 || len(same) != 120 || same[0].Cosine != same[119].Cosine {
		t.Errorf("%d hits, %d of them equal, from %v to %v; want 200 and 120 with one cosine", len(hits), len(same), same[0], same[len(same)-1])
	}
	for _, limit := range []int{1, 7, 50, 119} {
		got, err := v.Search(t.Context(), o, index.Query{Vector: base, Limit: limit, Fresh: true})
		if err != nil || len(got) != limit {
			t.Fatalf("Search = %d hits, %v, want %d", len(got), err, limit)
		}
		for i, h := range got {
			if h.ID != same[i].ID {
				t.Errorf("with limit %d, hit %d is %s, want %s", limit, i, h.ID, same[i].ID)
			}
		}
	}
}

// graph says that the other index is made and searched, too.
func graph(t *testing.T, address string) {
	v := openSpace(t, open(t, address, milvus.Config{Index: milvus.IndexHNSW}), plane())
	o := index.Owner{Client: "c", User: "u"}
	put(t, v, o, index.Entry{ID: "near", Vector: []float32{1, 0}}, index.Entry{ID: "far", Vector: []float32{0, 1}})
	if diff := gocmp.Diff([]string{"near", "far"}, find(t, v, o, index.Query{Vector: []float32{3, 1}, Limit: 5})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// twoShelves open the same space at once, as two processes do, and see one another's live space.
func twoShelves(t *testing.T, address string) {
	prefix := "test_" + strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() { sweep(t, milvus.Config{Address: address, Prefix: prefix}) })
	var shelves []*milvus.Shelf
	for range 4 {
		shelves = append(shelves, open(t, address, milvus.Config{Prefix: prefix}))
	}
	var wg sync.WaitGroup
	for _, shelf := range shelves {
		wg.Go(func() {
			if _, err := shelf.Open(t.Context(), plane()); err != nil {
				t.Error(err)
			}
			if err := shelf.Promote(t.Context(), plane()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	o := index.Owner{Client: "c", User: "u"}
	put(t, openSpace(t, shelves[0], plane()), o, index.Entry{ID: "a", Vector: []float32{1, 0}})
	for _, shelf := range shelves {
		if live, ok, err := shelf.Live(t.Context()); live != plane() || !ok || err != nil {
			t.Errorf("Live = %v, %t, %v", live, ok, err)
		}
		if got := find(t, openSpace(t, shelf, plane()), o, index.Query{Vector: []float32{1, 0}, Limit: 5}); len(got) != 1 {
			t.Errorf("another shelf finds %q, want a", got)
		}
	}
}

// promoteWhileSearching moves readers over to another space and back while eight of them search.
func promoteWhileSearching(t *testing.T, address string) {
	shelf := open(t, address, milvus.Config{})
	spaces := []index.Space{plane(), {Model: "test:other", Dim: 2, Version: 1}}
	o := index.Owner{Client: "c", User: "u"}
	for _, space := range spaces {
		put(t, openSpace(t, shelf, space), o, index.Entry{ID: space.Model, Vector: []float32{1, 0}})
	}
	must(t, shelf.Promote(t.Context(), spaces[0]))
	var done atomic.Bool
	var searches atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for !done.Load() && !t.Failed() {
				space, ok, err := shelf.Live(t.Context())
				if err != nil || !ok {
					t.Errorf("Live = %v, %t, %v", space, ok, err)
					return
				}
				v, err := shelf.Open(t.Context(), space)
				if err != nil {
					t.Error(err)
					return
				}
				hits, err := v.Search(t.Context(), o, index.Query{Vector: []float32{1, 0}, Limit: 5, Fresh: true})
				if err != nil || len(hits) != 1 || hits[0].ID != space.Model {
					t.Errorf("Search in %v = %v, %v", space, hits, err)
					return
				}
				searches.Add(1)
			}
		})
	}
	for i := range 20 {
		if err := shelf.Promote(t.Context(), spaces[(i+1)%2]); err != nil {
			t.Error(err)
		}
	}
	done.Store(true)
	wg.Wait()
	t.Logf("%d searches during 20 promotions", searches.Load())
}

// foreignCollection meets collections that somebody else made under our names.
func foreignCollection(t *testing.T, address string) {
	shelf := open(t, address, milvus.Config{})
	makeForeign(t, address, map[string]string{milvus.CollectionName(shelf, plane()): "somebody's", milvus.Prefix(shelf) + "_live": "somebody's"})
	if _, err := shelf.Open(t.Context(), plane()); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Open = %v, want state.ErrConflict", err)
	}
	if _, _, err := shelf.Live(t.Context()); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Live = %v, want state.ErrConflict", err)
	}
}

// TestRestart lets the server end, in order and by a crash, while the shelf stays.
func TestRestart(t *testing.T) {
	t.Parallel()
	server := milvustest.Start(t)
	v := openSpace(t, open(t, server.Address, milvus.Config{}), plane())
	lone, crowd := index.Owner{Client: "c", User: "lone"}, index.Owner{Client: "c", User: "crowd"}
	put(t, v, lone, index.Entry{ID: "mine", Vector: []float32{-1, 0.1}})
	var entries []index.Entry
	for i := range 10_500 {
		angle := float64(i) / 10_500
		entries = append(entries, index.Entry{ID: fmt.Sprintf("e%05d", i), Vector: []float32{float32(math.Cos(angle)), float32(math.Sin(angle))}})
	}
	put(t, v, crowd, entries...)
	check := func(when string) {
		t.Helper()
		if got := find(t, v, lone, index.Query{Vector: []float32{1, 0}, Limit: 5}); len(got) != 1 {
			t.Errorf("%s, an owner's only entry behind 10,500 nearer ones: found %q", when, got)
		}
		if got := find(t, v, crowd, index.Query{Vector: []float32{1, 0}, Limit: 2}); !gocmp.Equal(got, []string{"e00000", "e00001"}) {
			t.Errorf("%s, the nearest are %q, want e00000, e00001", when, got)
		}
		list, err := v.List(t.Context(), crowd)
		if err != nil || len(list) != len(entries) {
			t.Errorf("%s, List has %d entries, %v, want %d", when, len(list), err, len(entries))
		}
	}
	check("before")
	server.Restart()
	check("after a restart")
	server.Restart()
	if err := v.Delete(t.Context(), crowd, "e00000"); err != nil {
		t.Errorf("Delete after a restart: %v", err)
	}
	server.Stop()
	if _, err := v.Search(t.Context(), lone, index.Query{Vector: []float32{1, 0}, Limit: 5}); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Search without a server = %v, want state.ErrUnavailable", err)
	}
	server.Restart()
	put(t, v, crowd, entries[0])
	check("after a deletion, a restart and a put")
}

// TestKill kills the server while four write. What was acknowledged is there afterwards.
func TestKill(t *testing.T) {
	t.Parallel()
	server := milvustest.Start(t)
	shelf := open(t, server.Address, milvus.Config{Retries: -1})
	v := openSpace(t, shelf, index.Space{Model: "test:kill", Dim: 64, Version: 1})
	owner := func(w int) index.Owner { return index.Owner{Client: fmt.Sprint("c", w), User: "u"} }
	acked := [4][]string{}
	var total atomic.Int64
	enough := make(chan struct{})
	var wg sync.WaitGroup
	for w := range acked {
		wg.Go(func() {
			for batch := 0; ; batch++ {
				var entries []index.Entry
				for i := range 5 {
					vector := make([]float32, 64)
					vector[(batch+i)%64] = 1
					entries = append(entries, index.Entry{ID: fmt.Sprintf("%d-%d", batch, i), Vector: vector})
				}
				if err := v.Put(t.Context(), owner(w), entries...); err != nil {
					if !errors.Is(err, state.ErrUnavailable) {
						t.Errorf("Put to a server that was killed = %v, want state.ErrUnavailable", err)
					}
					return
				}
				for _, e := range entries {
					acked[w] = append(acked[w], e.ID)
				}
				if total.Add(1) == 200 {
					close(enough)
				}
			}
		})
	}
	<-enough
	server.Kill()
	wg.Wait()
	server.Restart()
	v = openSpace(t, open(t, server.Address, milvus.Config{Prefix: milvus.Prefix(shelf)}), index.Space{Model: "test:kill", Dim: 64, Version: 1})
	lost, kept := 0, 0
	for w, ids := range acked {
		list, err := v.List(t.Context(), owner(w))
		must(t, err)
		there := map[string]bool{}
		for _, e := range list {
			there[e.ID] = true
		}
		for _, id := range ids {
			if there[id] {
				kept++
			} else {
				lost++
			}
		}
	}
	t.Logf("%d acknowledged entries kept", kept)
	if lost > 0 {
		t.Errorf("%d of %d acknowledged entries are lost", lost, lost+kept)
	}
}

var must = statetest.Must
