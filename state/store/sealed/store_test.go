package sealed_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *ram.Store{"over a folder": ram.New, "over a server": ram.NewLoose} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T) store.Store { return wrap(t, open(), "k1") })
		})
	}
}

// secret is a key's text for tests: 32 times the last character of its id.
func secret(id string) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{id[len(id)-1]}, 32))
}

// keyring holds the keys of these ids, each always the same.
func keyring(t testing.TB, ids ...string) sealed.Keyring {
	t.Helper()
	var entries []string
	for _, id := range ids {
		entries = append(entries, id+":"+secret(id))
	}
	keys, err := sealed.ParseKeys(strings.Join(entries, ","))
	must(t, err)
	return keys
}

// wrap seals a store with the keys of these ids, the first being the current one.
func wrap(t testing.TB, below store.Store, ids ...string) *sealed.Store {
	t.Helper()
	s, err := sealed.New(sealed.Config{Store: below, Keys: keyring(t, ids...)})
	must(t, err)
	return s
}

func body(t testing.TB, d bson.D) bson.Raw {
	t.Helper()
	b, err := bson.Marshal(d)
	must(t, err)
	return b
}

// affair is a document with fields of several types, one of them readable.
func affair(t testing.TB, id, title string) store.Doc {
	t.Helper()
	return store.Doc{Collection: state.Affairs, ID: id, Body: body(t, bson.D{
		{Key: "title", Value: title},
		{Key: "expires_at", Value: time.Date(2027, 2, 15, 21, 0, 0, 0, time.UTC)},
		{Key: "facts", Value: bson.A{"07-14244-53150", int64(7), nil}},
		{Key: "pinned", Value: true},
	})}
}

func write(t testing.TB, s store.Store, docs ...store.Doc) {
	t.Helper()
	if err := s.Write(t.Context(), docs...); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

func get(t testing.TB, s store.Store, id string) store.Doc {
	t.Helper()
	d, err := s.Get(t.Context(), state.Affairs, id)
	if err != nil {
		t.Fatalf("Get %s: %v", id, err)
	}
	return d
}

// TestWhatLiesBelow looks at a stored document as a person with a database tool would.
func TestWhatLiesBelow(t *testing.T) {
	t.Parallel()
	below := ram.New()
	d := affair(t, "c1/u1/a1", "car part")
	write(t, wrap(t, below, "k1"), d)
	stored := get(t, below, d.ID)
	elements, err := stored.Body.Elements()
	must(t, err)
	var fields []string
	for _, e := range elements {
		fields = append(fields, e.Key()+" "+e.Value().Type.String())
	}
	want := []string{"_sealed binary", "title binary", "expires_at UTC datetime", "facts binary", "pinned binary"}
	same(t, "stored fields", want, fields)
	if !stored.Body.Lookup("expires_at").Equal(d.Body.Lookup("expires_at")) {
		t.Error("expires_at is not readable; the server's TTL index needs it")
	}
	for _, text := range []string{"car part", "07-14244-53150"} {
		if bytes.Contains(stored.Body, []byte(text)) {
			t.Errorf("%q is readable below", text)
		}
	}
}

func TestPlainFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		plain []string
		want  []string // names of the readable fields
	}{
		{"by default", nil, []string{"expires_at"}},
		{"none", []string{}, nil},
		{"others", []string{"pinned", "absent", "title"}, []string{"title", "pinned"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			below := ram.New()
			s, err := sealed.New(sealed.Config{Store: below, Keys: keyring(t, "k1"), Plain: tt.plain})
			must(t, err)
			d := affair(t, "c1/u1/a1", "car part")
			write(t, s, d)
			var readable []string
			elements, _ := get(t, below, d.ID).Body.Elements()
			for _, e := range elements {
				if e.Value().Equal(d.Body.Lookup(e.Key())) {
					readable = append(readable, e.Key())
				}
			}
			same(t, "readable fields", tt.want, readable)
			// Another list later makes no document unreadable.
			if got := get(t, wrap(t, below, "k1"), d.ID); !bytes.Equal(got.Body, d.Body) {
				t.Errorf("body = %s, want %s", got.Body, d.Body)
			}
		})
	}
}

// TestEveryWriteDiffers: equal documents and equal values are not equal below.
func TestEveryWriteDiffers(t *testing.T) {
	t.Parallel()
	below := ram.New()
	s := wrap(t, below, "k1")
	twins := body(t, bson.D{{Key: "a", Value: "same"}, {Key: "b", Value: "same"}})
	seen := map[string]bool{}
	for i := range 20 {
		d := store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Rev: int64(i), Body: twins}
		write(t, s, d)
		stored := get(t, below, d.ID).Body
		for _, name := range []string{"_sealed", "a", "b"} {
			_, data := stored.Lookup(name).Binary()
			seen[string(data)], seen[string(data[12:])] = true, true
		}
	}
	if len(seen) != 20*3*2 {
		t.Errorf("%d different binaries, want %d", len(seen), 20*3*2)
	}
}

// TestAnyDocumentComesBack draws documents with any names, doubled ones too, and any values.
func TestAnyDocumentComesBack(t *testing.T) {
	t.Parallel()
	s := wrap(t, ram.New(), "k1")
	rev := int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.OneOf(rapid.SampledFrom([]string{"", "expires_at", "a.b", "$set"}), rapid.StringMatching(`[a-zé]{1,4}`))
		value := rapid.OneOf(
			rapid.Map(rapid.String(), func(v string) any { return v }), rapid.Map(rapid.Int64(), func(v int64) any { return v }),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(v []byte) any { return bson.Binary{Subtype: 0x80, Data: v} }),
			rapid.Just[any](nil), rapid.Just[any](bson.D{}), rapid.Just[any](bson.Regex{Pattern: "a", Options: "i"}),
		)
		d := bson.D{}
		for range rapid.IntRange(0, 8).Draw(rt, "fields") {
			d = append(d, bson.E{Key: name.Draw(rt, "name"), Value: value.Draw(rt, "value")})
		}
		raw, err := bson.Marshal(d)
		must(rt, err)
		want := store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Rev: rev, Body: raw}
		must(rt, s.Write(rt.Context(), want))
		rev++
		want.Rev = rev
		got, err := s.Get(rt.Context(), want.Collection, want.ID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			rt.Fatalf("Get: %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestConfigIsRefused(t *testing.T) {
	t.Parallel()
	keys := keyring(t, "k1")
	for name, c := range map[string]sealed.Config{
		"no store": {Keys: keys}, "no keys": {Store: ram.New()}, "its own field": {Store: ram.New(), Keys: keys, Plain: []string{"_sealed"}},
	} {
		if s, err := sealed.New(c); s != nil || !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%s: New = %v, %v, want an error that is ErrInvalid", name, s, err)
		}
	}
}

func TestWriteIsRefused(t *testing.T) {
	t.Parallel()
	below := ram.New()
	own := store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Body: body(t, bson.D{{Key: "a", Value: 1}, {Key: "_sealed", Value: 2}})}
	err := wrap(t, below, "k1").Write(t.Context(), affair(t, "c1/u1/a0", "x"), own)
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(fmt.Sprint(err), own.ID) {
		t.Errorf("Write of a field _sealed = %v, want an error that is ErrInvalid and names %s", err, own.ID)
	}
	dry, err := sealed.New(sealed.Config{Store: below, Keys: keyring(t, "k1"), Random: iotest.ErrReader(errors.New("dry"))})
	must(t, err)
	if err := dry.Write(t.Context(), affair(t, "c1/u1/a1", "x")); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Write without random bytes = %v, want an error that is ErrUnavailable", err)
	}
	if docs, err := below.Scan(t.Context(), store.Query{Collection: state.Affairs}); len(docs) != 0 || err != nil {
		t.Errorf("refused writes left %v, %v", docs, err)
	}
}

// stubborn gives one answer whatever was asked, but for keys.
type stubborn struct {
	store.Store
	doc    store.Doc
	cancel context.CancelFunc
}

func (s *stubborn) Get(context.Context, state.Collection, string) (store.Doc, error) {
	return s.doc, nil
}

func (s *stubborn) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	if q.Collection == state.Meta { // clients' keys
		return s.Store.Scan(ctx, q)
	}
	if s.cancel != nil {
		s.cancel()
	}
	return []store.Doc{s.doc}, nil
}

// TestAnswersToAnotherQuestion: a sound document of another client does not get out because the store below
// gave it for one of ours.
func TestAnswersToAnotherQuestion(t *testing.T) {
	t.Parallel()
	below := ram.New()
	write(t, wrap(t, below, "k1"), affair(t, "c2/u1/a1", "secret"))
	s := wrap(t, &stubborn{Store: below, doc: get(t, below, "c2/u1/a1")}, "k1")
	_, err := s.Get(t.Context(), state.Affairs, "c1/u1/a1")
	wantRefused(t, "Get", err, "c1/u1/a1")
	for _, q := range []store.Query{
		{Collection: state.Affairs, Prefix: "c1/"}, {Collection: state.Records, Prefix: "c2/"},
		{Collection: state.Affairs, After: "c2/u1/a1"}, {Collection: state.Affairs, After: "c2/", Reverse: true},
	} {
		_, err := s.Scan(t.Context(), q)
		wantRefused(t, fmt.Sprintf("Scan %+v", q), err, "c2/u1/a1")
	}
}

func TestScanHonoursTheContext(t *testing.T) {
	t.Parallel()
	below := ram.New()
	write(t, wrap(t, below, "k1"), affair(t, "c1/u1/a1", "x"))
	ctx, cancel := context.WithCancel(t.Context())
	s := wrap(t, &stubborn{Store: below, doc: get(t, below, "c1/u1/a1"), cancel: cancel}, "k1")
	if _, err := s.Scan(ctx, store.Query{Collection: state.Affairs}); !errors.Is(err, context.Canceled) {
		t.Errorf("Scan = %v, want context.Canceled", err)
	}
}

var must, same = statetest.Must, statetest.Same
