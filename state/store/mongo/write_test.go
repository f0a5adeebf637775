package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

// counter is a command monitor that counts, and can hold commands until so many have begun.
type counter struct {
	mu      sync.Mutex
	names   []string
	expect  int
	arrived chan struct{}
}

func (c *counter) begin(expect int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names, c.expect, c.arrived = nil, expect, make(chan struct{})
}

func (c *counter) started(ctx context.Context, e *event.CommandStartedEvent) {
	c.mu.Lock()
	c.names = append(c.names, e.CommandName)
	arrived := c.arrived
	if len(c.names) == c.expect {
		close(arrived)
	}
	c.mu.Unlock()
	if arrived == nil {
		return
	}
	select {
	case <-arrived:
	case <-ctx.Done():
	}
}

// A Write is one round trip, whatever is in it: all its commands are on their way before any reply came.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	var c counter
	db := database(t, mongotest.Shared(t), options.Client().SetMonitor(&event.CommandMonitor{Started: c.started}))
	s := open(t, mongo.Config{Database: db})
	write(t, s, doc(state.Affairs, "a", 0, "x"), doc(state.Affairs, "b", 0, "x"), doc(state.Sessions, "s", 0, "x"), doc(state.Open, "o", 0, "x"))
	tests := []struct {
		name     string
		docs     []store.Doc
		commands []string
	}{
		{"one insert", []store.Doc{doc(state.Steps, "1", 0, "x")}, []string{"insert"}},
		{"one replacement", []store.Doc{doc(state.Affairs, "a", 1, "x")}, []string{"update"}},
		{"five documents in four collections", []store.Doc{
			doc(state.Steps, "2", 0, "x"), doc(state.Affairs, "a", 2, "x"), doc(state.Messages, "m1", 0, "x"),
			doc(state.Messages, "m2", 0, "x"), {Collection: state.Open, ID: "o", Rev: 1},
		}, []string{"insert", "insert", "update", "delete"}},
		{"a hundred inserts", hundred(), []string{"insert"}},
		{"two replacements in a collection", []store.Doc{doc(state.Affairs, "a", 3, "x"), doc(state.Affairs, "b", 1, "x")}, []string{"update", "update"}},
	}
	for _, tt := range tests {
		c.begin(len(tt.commands))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		if err := s.Write(ctx, tt.docs...); err != nil {
			t.Errorf("%s: Write: %v; its commands do not run at the same time", tt.name, err)
		}
		cancel()
		got := map[string]int{}
		for _, name := range c.names {
			got[name]++
		}
		want := map[string]int{}
		for _, name := range tt.commands {
			want[name]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: commands (-want +got):\n%s", tt.name, diff)
		}
		t.Logf("%s: %d documents, %d commands, sequential depth 1", tt.name, len(tt.docs), len(c.names))
	}
}

func hundred() (docs []store.Doc) {
	for i := range 100 {
		docs = append(docs, doc(state.Records, fmt.Sprintf("r%03d", i), 0, "x"))
	}
	return docs
}

// Of sixteen who raise one document, at every revision one wins.
func TestRevisionRace(t *testing.T) {
	t.Parallel()
	const goroutines, each = 16, 500
	s := open(t, mongo.Config{URI: mongotest.Shared(t), Timeout: time.Minute})
	write(t, s, doc(state.Affairs, "n", 0, "0"))
	var won, other atomic.Int64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				d, err := s.Get(t.Context(), state.Affairs, "n")
				if err == nil {
					err = s.Write(t.Context(), doc(state.Affairs, "n", d.Rev, "same for all"))
				}
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, state.ErrConflict):
					other.Add(1)
					t.Errorf("%v", err)
				}
			}
		})
	}
	wg.Wait()
	if _, rev := text(t, s, "n"); rev != won.Load()+1 || other.Load() > 0 {
		t.Errorf("revision %d after %d winners, %d other errors", rev, won.Load(), other.Load())
	}
	t.Logf("%d of %d tries won", won.Load(), goroutines*each)
}

// Of sixteen who insert the same documents, each has one winner, also when they come several at a time.
func TestInsertRace(t *testing.T) {
	t.Parallel()
	const goroutines, rounds = 16, 500
	s := open(t, mongo.Config{URI: mongotest.Shared(t), Timeout: time.Minute})
	var won atomic.Int64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := range rounds {
				switch err := s.Write(t.Context(), doc(state.Steps, fmt.Sprint("step/", i), 0, "same for all")); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, state.ErrConflict):
					t.Errorf("%v", err)
				}
			}
		})
	}
	wg.Wait()
	if won.Load() != rounds {
		t.Errorf("%d winners of %d documents", won.Load(), rounds)
	}
}

// The conflict names the first document that lost, and only such a one.
func TestConflictNames(t *testing.T) {
	t.Parallel()
	s := open(t, mongo.Config{URI: mongotest.Shared(t)})
	write(t, s, doc(state.Affairs, "a", 0, "x"), doc(state.Affairs, "b", 0, "x"), doc(state.Affairs, "c", 0, "x"), doc(state.Affairs, "d", 0, "x"))
	gone := func(id string, rev int64) store.Doc { return store.Doc{Collection: state.Affairs, ID: id, Rev: rev} }
	for name, tt := range map[string]struct {
		docs []store.Doc
		want string
	}{
		"the second of two deletions":   {[]store.Doc{gone("a", 1), gone("absent", 1)}, "absent"},
		"the second of three inserts":   {[]store.Doc{doc(state.Affairs, "e", 0, ""), doc(state.Affairs, "b", 0, ""), doc(state.Affairs, "d", 0, "")}, "b"},
		"a replacement behind a delete": {[]store.Doc{gone("c", 1), doc(state.Affairs, "b", 7, "")}, "b"},
	} {
		var conflict *store.ConflictError
		if err := s.Write(t.Context(), tt.docs...); !errors.As(err, &conflict) || conflict.ID != tt.want {
			t.Errorf("%s: Write = %v, want a conflict over %s", name, err, tt.want)
		}
	}
}

// large is a document of n incompressible bytes, which differ by seed.
func large(id string, rev int64, n int, seed uint64) store.Doc {
	data := make([]byte, n)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	body, err := bson.Marshal(bson.D{{Key: "data", Value: data}})
	if err != nil {
		panic(err) // the tests' own documents
	}
	return store.Doc{Collection: state.Affairs, ID: id, Rev: rev, Body: body}
}

func pieces(t testing.TB, db *driver.Database) int64 {
	t.Helper()
	n, err := db.Collection("chunks").CountDocuments(t.Context(), bson.D{})
	must(t, err)
	return n
}

// The pieces of a large body live as long as their document.
func TestPieces(t *testing.T) {
	t.Parallel()
	uri := mongotest.Shared(t)
	db := database(t, uri)
	s := open(t, mongo.Config{URI: uri, MaxDocBytes: 20 << 20, Timeout: time.Minute})
	want := func(when string, n int64) {
		t.Helper()
		if got := pieces(t, db); got != n {
			t.Errorf("%s: %d pieces, want %d", when, got, n)
		}
	}
	write(t, s, large("a", 0, 18<<20, 1), large("b", 0, 1<<20, 2))
	want("inserted", 6)
	if d, err := s.Get(t.Context(), state.Affairs, "a"); err != nil || !bytes.Equal(d.Body, large("a", 0, 18<<20, 1).Body) {
		t.Errorf("18 MB came back as %d bytes, %v", len(d.Body), err)
	}
	write(t, s, large("a", 1, 5<<20, 3))
	want("replaced by less", 3)
	for _, d := range []store.Doc{large("a", 0, 1<<20, 4), large("a", 1, 1<<20, 4), large("x", 3, 1<<20, 4)} {
		if err := s.Write(t.Context(), d); !errors.Is(err, state.ErrConflict) {
			t.Errorf("Write %s at %d = %v, want a conflict", d.ID, d.Rev, err)
		}
	}
	want("races lost", 3)
	write(t, s, doc(state.Affairs, "a", 2, "small"))
	want("replaced by a small one", 1)
	write(t, s, store.Doc{Collection: state.Affairs, ID: "b", Rev: 1})
	want("deleted", 0)
	write(t, s, large("p/1", 0, 1<<20, 5), large("p/2", 0, 1<<20, 6), large("q", 0, 1<<20, 7))
	if n, err := s.Delete(t.Context(), state.Affairs, "p/"); n != 2 || err != nil {
		t.Errorf("Delete = %d, %v, want 2", n, err)
	}
	want("a prefix deleted", 1)
	if err := s.Write(t.Context(), large("z", 0, 21<<20, 8)); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "MaxDocBytes") {
		t.Errorf("Write of 21 MB = %v, want an Invalid error that names MaxDocBytes", err)
	}
	want("refused", 1)
}

// What an interrupted write left behind goes with its prefix, once no write can still be at it.
func TestOrphans(t *testing.T) {
	t.Parallel()
	uri := mongotest.Shared(t)
	db := database(t, uri)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := open(t, mongo.Config{URI: uri, Now: func() time.Time { return now }})
	for id, at := range map[string]time.Time{"affairs/a/1\x00s/0": now.Add(-time.Hour), "affairs/a/2\x00s/0": now, "affairs/b\x00s/0": now.Add(-time.Hour)} {
		of, _, _ := strings.Cut(id, "\x00")
		if _, err := db.Collection("chunks").InsertOne(t.Context(), bson.D{{Key: "_id", Value: id}, {Key: "of", Value: of}, {Key: "set", Value: "s"}, {Key: "at", Value: at}}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Delete(t.Context(), state.Affairs, "a/"); n != 0 || err != nil {
		t.Errorf("Delete = %d, %v, want 0", n, err)
	}
	if n := pieces(t, db); n != 2 {
		t.Errorf("%d pieces are left, want the young one and the neighbour's", n)
	}
}

// Readers of a large document that changes all the time see one of its versions, whole.
func TestReadWhileReplaced(t *testing.T) {
	t.Parallel()
	s := open(t, mongo.Config{URI: mongotest.Shared(t), Timeout: time.Minute})
	write(t, s, large("a", 0, 600<<10, 0))
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !stop.Load() {
				docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs, Limit: 1})
				if err != nil || len(docs) != 1 || !bytes.Equal(docs[0].Body, large("a", 0, 600<<10, uint64(docs[0].Rev-1)).Body) {
					t.Errorf("Scan = %d documents, %v; want one version, whole", len(docs), err)
					return
				}
			}
		})
	}
	for i := range 40 {
		write(t, s, large("a", int64(i+1), 600<<10, uint64(i+1)))
	}
	stop.Store(true)
	wg.Wait()
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(*driver.Database) error{
		"a piece is gone": func(db *driver.Database) error {
			_, err := db.Collection("chunks").DeleteOne(t.Context(), bson.D{})
			return err
		},
		"a piece has changed": func(db *driver.Database) error {
			_, err := db.Collection("chunks").UpdateOne(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "data", Value: []byte{1}}}}})
			return err
		},
		"its head makes no sense": func(db *driver.Database) error {
			_, err := db.Collection("affairs").UpdateOne(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "_z", Value: 7}}}})
			return err
		},
		"it lost its revision": func(db *driver.Database) error {
			_, err := db.Collection("affairs").UpdateOne(t.Context(), bson.D{}, bson.D{{Key: "$unset", Value: bson.D{{Key: "_rev", Value: 1}}}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uri := mongotest.Shared(t)
			s := open(t, mongo.Config{URI: uri})
			write(t, s, large("broken", 0, 5<<20, 1))
			must(t, harm(database(t, uri)))
			_, getErr := s.Get(t.Context(), state.Affairs, "broken")
			_, scanErr := s.Scan(t.Context(), store.Query{Collection: state.Affairs})
			for _, err := range []error{getErr, scanErr} {
				if !errors.Is(err, state.ErrInternal) || !strings.Contains(err.Error(), "broken") {
					t.Errorf("read = %v, want an Internal error that names the document", err)
				}
			}
		})
	}
}

// People find fields as they wrote them, and the dates that the TTL index needs.
func TestLayout(t *testing.T) {
	t.Parallel()
	uri := mongotest.Shared(t)
	db := database(t, uri)
	s := open(t, mongo.Config{URI: uri})
	at := time.UnixMilli(1_900_000_000_000)
	body := func(d bson.D) bson.Raw {
		b, err := bson.Marshal(append(d, bson.E{Key: "expires_at", Value: at}))
		must(t, err)
		return b
	}
	write(t, s,
		store.Doc{Collection: state.Affairs, ID: "plain", Body: body(bson.D{{Key: "title", Value: "car part"}, {Key: "n", Value: int64(2)}})},
		store.Doc{Collection: state.Affairs, ID: "boxed", Body: body(bson.D{{Key: "_id", Value: "its own"}})},
	)
	var got bson.D
	must(t, db.Collection("affairs").FindOne(t.Context(), bson.D{{Key: "_id", Value: "plain"}}).Decode(&got))
	want := bson.D{
		{Key: "_id", Value: "plain"}, {Key: "_rev", Value: int64(1)}, {Key: "title", Value: "car part"}, {Key: "n", Value: int64(2)},
		{Key: "expires_at", Value: bson.NewDateTimeFromTime(at)},
	}
	same(t, "a document", want, got)
	if n, err := db.Collection("affairs").CountDocuments(t.Context(), bson.D{{Key: "expires_at", Value: at}}); n != 2 || err != nil {
		t.Errorf("%d documents have the date they expire at, %v; want both", n, err)
	}
}

func TestByteOrder(t *testing.T) {
	t.Parallel()
	s := open(t, mongo.Config{URI: mongotest.Shared(t)})
	ids := []string{"\x00", "\x01", " ", "A", "B", "Z", "_", "a", "a\x00", "a ", "a!", "a/", "a/\x7f", "aa", "z", "\u0080", "é", "ž", "Ёлка", "注", "\ud7ff", "🚗", "\U0010FFFF"}
	docs := make([]store.Doc, 0, len(ids))
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(ids)) {
		docs = append(docs, doc(state.Records, ids[i], 0, "x"))
	}
	write(t, s, docs...)
	got, err := s.Scan(t.Context(), store.Query{Collection: state.Records})
	must(t, err)
	var order []string
	for _, d := range got {
		order = append(order, d.ID)
	}
	same(t, "order", ids, order)
}
