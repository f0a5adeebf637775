package mongotest_test

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

func connect(t *testing.T, uri string) *mongo.Collection {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetConnectTimeout(time.Second))
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client.Database("proxy").Collection("c")
}

func insert(t *testing.T, c *mongo.Collection, id string, limit time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err := c.InsertOne(ctx, bson.D{{Key: "_id", Value: id}})
	return err
}

func TestProxy(t *testing.T) {
	t.Parallel()
	uri := mongotest.Shared(t)
	u, err := url.Parse(uri)
	must(t, err)
	direct := connect(t, uri)
	t.Cleanup(func() { _ = direct.Drop(context.Background()) })
	tests := []struct {
		name   string
		mode   mongotest.Mode
		ok     bool // the client gets its reply
		stored bool
	}{
		{"pass", mongotest.Pass, true, true},
		{"delay", mongotest.Delay, true, true},
		{"reset", mongotest.Reset, false, false},
		{"cut reply", mongotest.CutReply, false, true},
		{"black hole", mongotest.BlackHole, false, false},
		{"half open", mongotest.HalfOpen, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := mongotest.StartProxy(t, u.Host)
			c := connect(t, p.URI(uri))
			must(t, insert(t, c, "first "+tt.name, time.Minute))
			p.Set(mongotest.Fault{Mode: tt.mode, Command: "insert", Times: 1, Wait: 10 * time.Millisecond})
			err := insert(t, c, tt.name, time.Second)
			if tt.ok != (err == nil) {
				t.Errorf("insert = %v, want a reply: %t", err, tt.ok)
			}
			if want := map[bool]int{true: 0, false: 1}[tt.mode == mongotest.Pass]; p.Hits() != want {
				t.Errorf("%d messages met the fault, want %d", p.Hits(), want)
			}
			n, err := direct.CountDocuments(t.Context(), bson.D{{Key: "_id", Value: tt.name}})
			if err != nil || (n == 1) != tt.stored {
				t.Errorf("%d documents, %v; want it stored: %t", n, err, tt.stored)
			}
		})
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	s := mongotest.Start(t, mongotest.Options{File: filepath.Join(t.TempDir(), "file.h2")})
	c, addr := connect(t, s.URI()), s.Addr()
	for i, end := range []func(){s.Kill, s.Stop, func() {}} {
		must(t, insert(t, c, string(rune('a'+i)), time.Minute))
		end()
		s.Restart()
		if n, err := c.CountDocuments(t.Context(), bson.D{}); n != int64(i+1) || err != nil || s.Addr() != addr {
			t.Errorf("%d documents at %s, %v; want %d at %s", n, s.Addr(), err, i+1, addr)
		}
	}
}

func TestSharedIsFresh(t *testing.T) {
	t.Parallel()
	a, b := mongotest.Shared(t), mongotest.Shared(t)
	if a == b {
		t.Errorf("two tests share %s", a)
	}
	if err := connect(t, a).Database().Client().Ping(t.Context(), nil); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

var must = statetest.Must
