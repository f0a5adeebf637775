package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func aliasCases() []check {
	return []check{
		{"changing a body after its write", changeWritten},
		{"changing what Get returned", changeGot},
		{"changing what Scan returned", changeScanned},
		{"appending to what Get returned", appendGot},
	}
}

func changeWritten(t *testing.T, s store.Store) {
	d := doc("a", 0, 7)
	write(t, s, d)
	spoil(d.Body)
	want(t, s, doc("a", 1, 7))
}

func changeGot(t *testing.T, s store.Store) {
	fill(t, s, "a")
	d, err := s.Get(t.Context(), state.Affairs, "a")
	if err != nil {
		t.Fatal(err)
	}
	spoil(d.Body)
	want(t, s, doc("a", 1, 0))
}

func changeScanned(t *testing.T, s store.Store) {
	fill(t, s, "a", "b")
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		spoil(d.Body)
	}
	want(t, s, doc("a", 1, 0))
	want(t, s, doc("b", 1, 1))
}

func appendGot(t *testing.T, s store.Store) {
	fill(t, s, "a", "b")
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs})
	if err != nil {
		t.Fatal(err)
	}
	_ = append(docs[0].Body, bytes.Repeat([]byte{0xEE}, 64)...)
	if diff := bytes.Compare(docs[1].Body, doc("b", 0, 1).Body); diff != 0 {
		t.Error("appending to one body of a scan changed the next")
	}
	want(t, s, doc("b", 1, 1))
}

func spoil(b []byte) {
	for i := range b {
		b[i] ^= 0xFF
	}
}

func bodyCases() []check {
	cases := []check{
		{"an empty document", emptyDocument},
		{"every type of value, byte for byte", everyType},
		{"large and small take turns", largeAndSmall},
		{"large documents in one scan", largeScan},
	}

	for _, size := range []struct {
		name  string
		bytes int
	}{{"255 KB", 255 << 10}, {"256 KB", 256 << 10}, {"257 KB", 257 << 10}, {"5 MB", 5 << 20}} {
		for _, random := range []bool{true, false} {
			name := map[bool]string{true: "incompressible", false: "compressible"}[random]
			cases = append(cases, check{size.name + " " + name, func(t *testing.T, s store.Store) {
				largeBody(t, s, size.bytes, random)
			}})
		}
	}
	return cases
}

func emptyDocument(t *testing.T, s store.Store) {
	d := store.Doc{Collection: state.Affairs, ID: "a", Body: body(bson.D{})}
	write(t, s, d)
	d.Rev = 1
	want(t, s, d)
}

func everyType(t *testing.T, s store.Store) {
	d := store.Doc{Collection: state.Affairs, ID: "a", Body: body(bson.D{
		{Key: "text", Value: "nul \x00, quotes \", díl 🚗"}, {Key: "empty", Value: ""},
		{Key: "a.b", Value: int32(1)}, {Key: "$set", Value: bson.D{{Key: "x", Value: nil}}},
		{Key: "big", Value: int64(1)<<53 + 1}, {Key: "least", Value: int64(math.MinInt64)},
		{Key: "nan", Value: math.NaN()}, {Key: "zero", Value: math.Copysign(0, -1)}, {Key: "inf", Value: math.Inf(1)},
		{Key: "bytes", Value: bson.Binary{Subtype: 0x80, Data: []byte{0, 1, 255}}},
		{Key: "time", Value: time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)},
		{Key: "list", Value: bson.A{true, "x", bson.A{}, bson.D{}}}, {Key: "id", Value: bson.ObjectID{1, 2, 3}},
	})}
	write(t, s, d)
	d.Rev = 1
	want(t, s, d)
}

// large returns a document of about size bytes that holds n; random makes it incompressible.
func large(id string, rev int64, n, size int, random bool) store.Doc {
	data := bytes.Repeat([]byte("memory "), size/7+1)[:size]
	if random {
		rng := rand.New(rand.NewPCG(uint64(n), uint64(size)))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
	}
	return store.Doc{Collection: state.Affairs, ID: id, Rev: rev, Body: body(bson.D{{Key: "n", Value: n}, {Key: "data", Value: data}})}
}

func largeBody(t *testing.T, s store.Store, size int, random bool) {
	write(t, s, large("a", 0, 1, size, random), doc("b", 0, 1))
	want(t, s, large("a", 1, 1, size, random))
	write(t, s, large("a", 1, 2, size, random))
	want(t, s, large("a", 2, 2, size, random))
	write(t, s, doc("a", 2, 3))
	want(t, s, doc("a", 3, 3))
	write(t, s, large("a", 3, 4, size, random))
	write(t, s, gone("a", 4))
	wantAbsent(t, s, "a")
	want(t, s, doc("b", 1, 1))
}

func largeAndSmall(t *testing.T, s store.Store) {
	for i := range 4 {
		write(t, s, large("a", int64(2*i), i, 300<<10, true))
		write(t, s, doc("a", int64(2*i+1), i))
	}
	want(t, s, doc("a", 8, 3))
	wantDeleted(t, s, "a", 1)
	wantAbsent(t, s, "a")
}

func largeScan(t *testing.T, s store.Store) {
	for i := range 3 {
		write(t, s, large(fmt.Sprintf("a/%d", i), 0, i, 600<<10, i != 1))
	}
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs, Prefix: "a/"})
	if err != nil || len(docs) != 3 {
		t.Fatalf("Scan = %d documents, %v, want 3", len(docs), err)
	}
	for i, d := range docs {
		if !bytes.Equal(d.Body, large("", 0, i, 600<<10, i != 1).Body) {
			t.Errorf("%s came back changed", d.ID)
		}
	}
	wantDeleted(t, s, "a/", 3)
}

func contextCases() []check {
	return []check{
		{"a call with a cancelled context changes nothing", cancelled},
	}
}

func cancelled(t *testing.T, s store.Store) {
	fill(t, s, "a")
	ctx := done(t)
	_, getErr := s.Get(ctx, state.Affairs, "a")
	_, scanErr := s.Scan(ctx, store.Query{Collection: state.Affairs})
	_, deleteErr := s.Delete(ctx, state.Affairs, "a")
	for call, err := range map[string]error{
		"Get": getErr, "Scan": scanErr, "Delete": deleteErr, "Write": s.Write(ctx, doc("b", 0, 1)), "empty Write": s.Write(ctx),
	} {
		if !errors.Is(err, ctx.Err()) || state.CodeOf(err) != state.Unavailable {
			t.Errorf("%s = %v, want context.Canceled as an Unavailable error", call, err)
		}
	}
	wantIDs(t, s, store.Query{}, "a")
}
