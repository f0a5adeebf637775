package mongotest

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Copy is Shared with every document of another database as it lies there, revisions included. Nobody may be writing to that one.
func Copy(tb testing.TB, from string) (uri string) {
	tb.Helper()
	to := Shared(tb)
	source, target := database(tb, from), database(tb, to)
	names, err := source.ListCollectionNames(tb.Context(), bson.D{})
	if err != nil {
		tb.Fatal(err)
	}

	for _, name := range names {
		var docs []bson.Raw
		cursor, err := source.Collection(name).Find(tb.Context(), bson.D{})
		if err == nil {
			err = cursor.All(tb.Context(), &docs)
		}
		if err == nil && len(docs) > 0 {
			_, err = target.Collection(name).InsertMany(tb.Context(), docs)
		}
		if err != nil {
			tb.Fatalf("copy of %s: %v", name, err)
		}
	}
	return to
}

// database returns the one that a URI names, until the test ends.
func database(tb testing.TB, uri string) *mongo.Database {
	tb.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(tb.Context())) })
	u, err := url.Parse(uri)
	if err != nil {
		tb.Fatal(err)
	}
	return client.Database(strings.TrimPrefix(u.Path, "/"))
}
