package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	client := new(driver.Client)
	tests := []struct {
		name string
		cfg  mongo.Config
		says string
	}{
		{"nothing", mongo.Config{}, "URI, Client and Database"},
		{"two sources", mongo.Config{URI: "mongodb://h", Client: client}, "names 2"},
		{"a database and a name", mongo.Config{Database: new(driver.Database), Name: "x"}, "leave Name empty"},
		{"too long a timeout", mongo.Config{URI: "mongodb://h", Timeout: time.Hour}, "Timeout"},
		{"a negative size", mongo.Config{URI: "mongodb://h", MaxDocBytes: -1}, "MaxDocBytes"},
		{"a name with a slash", mongo.Config{URI: "mongodb://h", Name: "a/b"}, `"a/b"`},
		{"not a URI", mongo.Config{URI: "localhost:27017"}, "connection string"},
		{"a bad port", mongo.Config{URI: "mongodb://user:pass-w0rd@host:port/"}, "connection string"},
		{"an unescaped password", mongo.Config{URI: "mongodb://user:pass-w0rd@/@host/"}, "connection string"},
		{"a bad option", mongo.Config{URI: "mongodb://user:pass-w0rd@host/?readConcernLevel=&w=-3"}, "connection string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := mongo.Open(t.Context(), tt.cfg)
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Open = %v, want an Invalid error that says %q", err, tt.says)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if strings.Contains(e.Error(), "pass-w0rd") {
					t.Errorf("the error shows the password: %v", e)
				}
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mongo.Open(ctx, mongo.Config{URI: "mongodb://h"}); !errors.Is(err, context.Canceled) || state.CodeOf(err) != state.Unavailable {
		t.Errorf("Open = %v, want context.Canceled as an Unavailable error", err)
	}
}

// address is one that nobody listens on.
func address(t *testing.T) string {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func TestOpenUnavailable(t *testing.T) {
	t.Parallel()
	hole, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // takes connections and never answers
	must(t, err)
	t.Cleanup(func() { _ = hole.Close() })
	for name, host := range map[string]string{"nobody listens": address(t), "nobody answers": hole.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit = 500 * time.Millisecond
			begin := time.Now()
			_, err := mongo.Open(t.Context(), mongo.Config{URI: "mongodb://user:pass-w0rd@" + host + "/x", Timeout: limit})
			if state.CodeOf(err) != state.Unavailable || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), host) {
				t.Errorf("Open = %v, want an Unavailable error after the deadline that names %s", err, host)
			}
			if err != nil && strings.Contains(err.Error(), "pass-w0rd") {
				t.Errorf("the error shows the password: %v", err)
			}
			if took := time.Since(begin); took > limit+5*time.Second {
				t.Errorf("Open took %s, its deadline was %s", took, limit)
			}
		})
	}
}

func TestOpenServers(t *testing.T) {
	t.Parallel()
	t.Run("refuses a user it does not know", func(t *testing.T) {
		t.Parallel()
		uri := strings.Replace(mongotest.Shared(t), "mongodb://", "mongodb://user:pass-w0rd@", 1)
		_, err := mongo.Open(t.Context(), mongo.Config{URI: uri})
		if !errors.Is(err, state.ErrDenied) || strings.Contains(err.Error(), "pass-w0rd") {
			t.Errorf("Open = %v, want a Denied error without the password", err)
		}
	})
	t.Run("refuses a user it does not know to all who ask at once", func(t *testing.T) {
		t.Parallel()
		uri := strings.Replace(mongotest.Shared(t), "mongodb://", "mongodb://user:pass-w0rd@", 1)
		client, err := driver.Connect(options.Client().ApplyURI(uri).SetMaxConnecting(1).SetMaxPoolSize(1))
		must(t, err)
		defer func() { _ = client.Disconnect(t.Context()) }()
		var all sync.WaitGroup
		for range 8 { // those who wait for a connection hear of the refusal from the pool
			all.Go(func() {
				if _, err := mongo.Open(t.Context(), mongo.Config{Client: client}); !errors.Is(err, state.ErrDenied) {
					t.Errorf("Open = %v, want a Denied error", err)
				}
			})
		}
		all.Wait()
	})
	t.Run("an old server", func(t *testing.T) {
		t.Parallel()
		_, err := mongo.Open(t.Context(), mongo.Config{URI: mongotest.Start(t, mongotest.Options{Wire: 12}).URI()})
		if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "too old") {
			t.Errorf("Open = %v, want an Invalid error that says the server is too old", err)
		}
	})
	t.Run("a server that knows the old handshake only", func(t *testing.T) {
		t.Parallel()
		s := open(t, mongo.Config{URI: mongotest.Start(t, mongotest.Options{NoHello: true}).URI()})
		write(t, s, doc(state.Meta, "a", 0, "x"))
	})
	t.Run("a sharded cluster", func(t *testing.T) {
		t.Parallel()
		server := mongotest.Start(t, mongotest.Options{Router: true})
		db := database(t, server.URI())
		entry := func(c state.Collection, key string) bson.D {
			return bson.D{{Key: "_id", Value: db.Name() + "." + string(c)}, {Key: "key", Value: bson.D{{Key: key, Value: "hashed"}}}}
		}
		config := db.Client().Database("config").Collection("collections")
		if _, err := config.InsertOne(t.Context(), entry(state.Steps, "_id")); err != nil {
			t.Fatal(err)
		}
		s := open(t, mongo.Config{URI: server.URI()})
		write(t, s, doc(state.Steps, "a", 0, "x"))
		if _, err := config.InsertOne(t.Context(), entry(state.Affairs, "user")); err != nil {
			t.Fatal(err)
		}
		_, err := mongo.Open(t.Context(), mongo.Config{URI: server.URI()})
		if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), ".affairs") || !strings.Contains(err.Error(), "user") {
			t.Errorf("Open = %v, want an Invalid error that names the collection and its shard key", err)
		}
	})
}

// database is the one a URI names, through a client of the test's own.
func database(t testing.TB, uri string, more ...*options.ClientOptions) *driver.Database {
	t.Helper()
	client, err := driver.Connect(append([]*options.ClientOptions{options.Client().ApplyURI(uri)}, more...)...)
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	_, rest, _ := strings.Cut(uri, "://")
	_, name, _ := strings.Cut(rest, "/")
	name, _, _ = strings.Cut(name, "?")
	return client.Database(name)
}

func doc(c state.Collection, id string, rev int64, text string) store.Doc {
	body, err := bson.Marshal(bson.D{{Key: "text", Value: text}})
	if err != nil {
		panic(err) // the tests' own documents
	}
	return store.Doc{Collection: c, ID: id, Rev: rev, Body: body}
}

func write(t testing.TB, s store.Store, docs ...store.Doc) {
	t.Helper()
	if err := s.Write(t.Context(), docs...); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

// text is what an affair says, and its revision.
func text(t testing.TB, s store.Store, id string) (string, int64) {
	t.Helper()
	d, err := s.Get(t.Context(), state.Affairs, id)
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	got, _ := d.Body.Lookup("text").StringValueOK()
	return got, d.Rev
}

// What was handed in stays open, and works with concerns of its own.
func TestHandedIn(t *testing.T) {
	t.Parallel()
	db := database(t, mongotest.Shared(t))
	for name, cfg := range map[string]mongo.Config{
		"client": {Client: db.Client(), Name: db.Name()}, "database": {Database: db},
	} {
		s, err := mongo.Open(t.Context(), cfg)
		must(t, err)
		write(t, s, doc(state.Affairs, name, 0, "x"))
		if n, err := db.Collection("affairs").CountDocuments(t.Context(), bson.D{{Key: "_id", Value: name}}); n != 1 || err != nil {
			t.Errorf("%s: %d documents in the database handed in, %v; want 1", name, n, err)
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
		if err := db.Client().Ping(t.Context(), nil); err != nil {
			t.Errorf("%s: the client was closed: %v", name, err)
		}
		_, err = s.Get(t.Context(), state.Affairs, name)
		if state.CodeOf(err) != state.Unavailable || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: Get after Close = %v, want an Unavailable error that says closed", name, err)
		}
	}
}

func TestDatabaseName(t *testing.T) {
	t.Parallel()
	uri := mongotest.Shared(t)
	db := database(t, uri)
	s := open(t, mongo.Config{URI: uri})
	write(t, s, doc(state.Affairs, "a", 0, "x"))
	if n, err := db.Collection("affairs").CountDocuments(t.Context(), bson.D{}); n != 1 || err != nil {
		t.Errorf("%d documents in the database of the URI, %v; want 1", n, err)
	}
	other := database(t, mongotest.Shared(t))
	write(t, open(t, mongo.Config{URI: uri, Name: other.Name()}), doc(state.Affairs, "a", 0, "x"))
	if n, err := other.Collection("affairs").CountDocuments(t.Context(), bson.D{}); n != 1 || err != nil {
		t.Errorf("%d documents in the database named, %v; want 1", n, err)
	}
}

// Opening again, and by several at the same time, finds the indexes as they are.
func TestIndexes(t *testing.T) {
	t.Parallel()
	uri := mongotest.Shared(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 2 {
				s, err := mongo.Open(t.Context(), mongo.Config{URI: uri})
				if err != nil {
					t.Errorf("Open: %v", err)
					return
				}
				_ = s.Close()
			}
		})
	}
	wg.Wait()
	db := database(t, uri)
	cursor, err := db.Collection("chunks").Indexes().List(t.Context())
	must(t, err)
	var indexes []bson.Raw
	if err := cursor.All(t.Context(), &indexes); err != nil || len(indexes) != 2 {
		t.Errorf("%d indexes, %v: %v; want those on _id and expires_at", len(indexes), err, indexes)
	}
}

func TestIndexConflict(t *testing.T) {
	t.Parallel()
	uri := mongotest.Shared(t)
	model := driver.IndexModel{Keys: bson.D{{Key: "expires_at", Value: 1}}, Options: options.Index().SetExpireAfterSeconds(3600)}
	if _, err := database(t, uri).Collection("records").Indexes().CreateOne(t.Context(), model); err != nil {
		t.Fatal(err)
	}
	_, err := mongo.Open(t.Context(), mongo.Config{URI: uri})
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "records") || !strings.Contains(err.Error(), "drop it") {
		t.Errorf("Open = %v, want an Invalid error that names the collection and the way out", err)
	}
}

// The log and the spans say which commands ran and how they ended, and nothing of what was in them.
func TestMonitor(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var mu sync.Mutex
	heard := map[string]int{}
	s := open(t, mongo.Config{
		URI: mongotest.Shared(t),
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Span: func(ctx context.Context, c mongo.Command) func(int) {
			if ctx == nil {
				t.Error("a span without context")
			}
			return func(code int) {
				mu.Lock()
				defer mu.Unlock()
				heard[fmt.Sprintf("%s %s %d", c.Name, c.Collection, code)]++
			}
		},
	})
	write(t, s, doc(state.Affairs, "private-id", 0, "private-text"))
	write(t, s, doc(state.Affairs, "private-id", 1, "private-text"))
	if err := s.Write(t.Context(), doc(state.Affairs, "private-id", 0, "private-text")); !errors.Is(err, state.ErrConflict) {
		t.Fatalf("Write = %v, want a conflict", err)
	}
	if _, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs, Prefix: "private"}); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	for _, want := range []string{"insert affairs 0", "update affairs 0", "insert affairs 11000", "find affairs 0"} {
		if heard[want] != 1 {
			t.Errorf("heard %q %d times, want once; all: %v", want, heard[want], heard)
		}
	}
	for _, want := range []string{"command=insert collection=affairs ms=", "code=11000"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q", want)
		}
	}
	if strings.Contains(log.String(), "private") {
		t.Errorf("the log shows what was written:\n%s", log.String())
	}
}

var must, same = statetest.Must, statetest.Same
