package sealed_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
)

// wantRefused fails the test unless err is a RefusedError that names the document and nothing it holds.
func wantRefused(t testing.TB, what string, err error, id string) {
	t.Helper()
	var refused *sealed.RefusedError
	if !errors.As(err, &refused) || !errors.Is(err, state.ErrInternal) || state.CodeOf(err) != state.Internal {
		t.Errorf("%s = %v, want a *RefusedError that is ErrInternal", what, err)
		return
	}
	if refused.ID != id || !strings.Contains(err.Error(), id) {
		t.Errorf("%s: %v, want it to name %s", what, err, id)
	}
	for _, content := range []string{"secret", "car part", "07-14244-53150", "title", "facts"} {
		if strings.Contains(err.Error(), content) {
			t.Errorf("%s: the error %v tells %q", what, err, content)
		}
	}
}

// field returns one element of a stored body.
func field(t testing.TB, raw bson.Raw, name string) bson.RawElement {
	t.Helper()
	elements, _ := raw.Elements()
	for _, e := range elements {
		if e.Key() == name {
			return e
		}
	}
	t.Fatalf("%s has no field %s", raw, name)
	return nil
}

// rebuild makes a body of elements.
func rebuild(elements ...bson.RawElement) bson.Raw {
	raw := bson.Raw(slices.Concat([]byte{0, 0, 0, 0}, slices.Concat(elements...), []byte{0}))
	raw[0], raw[1] = byte(len(raw)), byte(len(raw)>>8)
	return raw
}

// edit changes the elements of a stored body.
func edit(t testing.TB, raw bson.Raw, change func([]bson.RawElement) []bson.RawElement) bson.Raw {
	t.Helper()
	elements, err := raw.Elements()
	must(t, err)
	return rebuild(change(slices.Clone(elements))...)
}

// swap puts e in the place of the element of its name.
func swap(t testing.TB, raw bson.Raw, e bson.RawElement) bson.Raw {
	return edit(t, raw, func(all []bson.RawElement) []bson.RawElement {
		for i := range all {
			if all[i].Key() == e.Key() {
				all[i] = e
			}
		}
		return all
	})
}

// history is what somebody with access to the store below may have collected: two affairs of thread a, one of
// them at two revisions and from an earlier life of its id, one of another client, one as a record.
type history struct{ earlier, old, now, sibling, foreign, record store.Doc }

func collect(t testing.TB, below, s store.Store) (h history) {
	d := affair(t, "c1/a/1", "car part")
	write(t, s, d)
	h.earlier = get(t, below, d.ID)
	if _, err := s.Delete(t.Context(), d.Collection, d.ID); err != nil {
		t.Fatal(err)
	}
	write(t, s, d)
	h.old = get(t, below, d.ID)
	next := affair(t, d.ID, "secret")
	next.Rev = 1
	write(t, s, next, affair(t, "c1/a/2", "x"), affair(t, "c2/a/1", "x"))
	h.now, h.sibling, h.foreign = get(t, below, d.ID), get(t, below, "c1/a/2"), get(t, below, "c2/a/1")
	d.Collection = state.Records
	write(t, s, d)
	var err error
	if h.record, err = below.Get(t.Context(), state.Records, d.ID); err != nil {
		t.Fatal(err)
	}
	return h
}

// forgery is a body that somebody with access to the store below could make of what it holds, and the place
// in the affairs where he puts it.
type forgery struct {
	name  string
	forge func(t *testing.T, h history) bson.Raw
	at    string
	rev   int64
}

// moved are what was sound at another place or another time.
func moved() []forgery {
	return []forgery{
		{"a document of thread a in thread b", func(_ *testing.T, h history) bson.Raw { return h.old.Body }, "c1/b/1", 1},
		{"a document of another client", func(_ *testing.T, h history) bson.Raw { return h.foreign.Body }, "c1/a/1", 1},
		{"a document of another collection", func(_ *testing.T, h history) bson.Raw { return h.record.Body }, "c1/a/1", 1},
		{"an old body under a new revision", func(_ *testing.T, h history) bson.Raw { return h.old.Body }, "c1/a/1", 2},
		{"a new body under an old revision", func(_ *testing.T, h history) bson.Raw { return h.now.Body }, "c1/a/1", 1},
		{"a field of its older revision", func(t *testing.T, h history) bson.Raw {
			return swap(t, h.now.Body, field(t, h.old.Body, "title"))
		}, "c1/a/1", 2},
		{"a field of its earlier life", func(t *testing.T, h history) bson.Raw {
			return swap(t, h.old.Body, field(t, h.earlier.Body, "title"))
		}, "c1/a/1", 1},
		{"a field of another document", func(t *testing.T, h history) bson.Raw {
			return swap(t, h.old.Body, field(t, h.sibling.Body, "facts"))
		}, "c1/a/1", 1},
		{"the manifest of its earlier life", func(t *testing.T, h history) bson.Raw {
			return swap(t, h.old.Body, field(t, h.earlier.Body, "_sealed"))
		}, "c1/a/1", 1},
	}
}

// edited are what is put together anew.
func edited() []forgery {
	type elements = []bson.RawElement
	return []forgery{
		{"two values swapped", func(t *testing.T, h history) bson.Raw {
			return edit(t, h.old.Body, func(all elements) elements {
				a, b := all[1], all[4] // title, pinned
				all[1] = slices.Concat(a[:len("?title?")], b[len("?pinned?"):])
				all[4] = slices.Concat(b[:len("?pinned?")], a[len("?title?"):])
				return all
			})
		}, "c1/a/1", 1},
		{"two fields in another order", func(t *testing.T, h history) bson.Raw {
			return edit(t, h.old.Body, func(all elements) elements { all[3], all[4] = all[4], all[3]; return all })
		}, "c1/a/1", 1},
		{"a field dropped", func(t *testing.T, h history) bson.Raw {
			return edit(t, h.old.Body, func(all elements) elements { return all[:4] })
		}, "c1/a/1", 1},
		{"the readable field dropped", func(t *testing.T, h history) bson.Raw {
			return edit(t, h.old.Body, func(all elements) elements { return slices.Delete(all, 2, 3) })
		}, "c1/a/1", 1},
		{"a field twice", func(t *testing.T, h history) bson.Raw {
			return edit(t, h.old.Body, func(all elements) elements { return append(all, all[4]) })
		}, "c1/a/1", 1},
		{"a field renamed", func(t *testing.T, h history) bson.Raw {
			return bson.Raw(bytes.Replace(h.old.Body, []byte("pinned"), []byte("pinnee"), 1))
		}, "c1/a/1", 1},
		{"a plain field added", func(t *testing.T, h history) bson.Raw {
			return edit(t, h.old.Body, func(all elements) elements {
				return append(all, field(t, body(t, bson.D{{Key: "admin", Value: true}}), "admin"))
			})
		}, "c1/a/1", 1},
		{"a plain value in place of a sealed one", func(t *testing.T, h history) bson.Raw {
			return swap(t, h.old.Body, field(t, body(t, bson.D{{Key: "title", Value: "x"}}), "title"))
		}, "c1/a/1", 1},
		{"another time in the readable field", func(t *testing.T, h history) bson.Raw {
			return swap(t, h.old.Body, field(t, body(t, bson.D{{Key: "expires_at", Value: time.Unix(1, 0)}}), "expires_at"))
		}, "c1/a/1", 1},
		{"a plaintext document", func(t *testing.T, _ history) bson.Raw { return affair(t, "", "secret").Body }, "c1/a/1", 1},
		{"an empty document", func(t *testing.T, _ history) bson.Raw { return body(t, bson.D{}) }, "c1/a/1", 1},
		{"the manifest not first", func(t *testing.T, h history) bson.Raw {
			return edit(t, h.old.Body, func(all elements) elements { all[0], all[1] = all[1], all[0]; return all })
		}, "c1/a/1", 1},
		{"a manifest that is text", func(t *testing.T, _ history) bson.Raw { return body(t, bson.D{{Key: "_sealed", Value: "k1"}}) }, "c1/a/1", 1},
		{"nothing but a manifest", func(t *testing.T, h history) bson.Raw {
			return edit(t, h.old.Body, func(all elements) elements { return all[:1] })
		}, "c1/a/1", 1},
		{"a manifest that says the same in other bytes", func(t *testing.T, h history) bson.Raw {
			_, data := h.old.Body.Lookup("_sealed").Binary()
			data = slices.Concat(data[:4], []byte{0x81, 0x00}, data[5:]) // one readable field
			other := body(t, bson.D{{Key: "_sealed", Value: bson.Binary{Subtype: 0x80, Data: data}}})
			return swap(t, h.old.Body, field(t, other, "_sealed"))
		}, "c1/a/1", 1},
	}
}

func TestForgeries(t *testing.T) {
	t.Parallel()
	for _, tt := range slices.Concat(moved(), edited()) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			below := ram.New()
			s := wrap(t, below, "k1")
			forged := tt.forge(t, collect(t, below, s))
			wantRefusedAt(t, s, below, tt.at, tt.rev, forged)
		})
	}
}

// wantRefusedAt puts a body into the store below and fails the test unless Get and Scan refuse it.
func wantRefusedAt(t testing.TB, s, below store.Store, id string, rev int64, raw bson.Raw) {
	t.Helper()
	if _, err := below.Delete(t.Context(), state.Affairs, id); err != nil {
		t.Fatal(err)
	}
	for at := range rev {
		write(t, below, store.Doc{Collection: state.Affairs, ID: id, Rev: at, Body: raw})
	}
	d, err := s.Get(t.Context(), state.Affairs, id)
	wantRefused(t, "Get", err, id)
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs, Prefix: id})
	wantRefused(t, "Scan", err, id)
	if d.Body != nil || docs != nil {
		t.Errorf("beside the error came %v and %v", d, docs)
	}
}

// dish gives one stored document out in any form; the keys of clients are those of the store below.
func dish(t testing.TB, below store.Store, stored store.Doc, raw bson.Raw, ids ...string) (store.Doc, error) {
	t.Helper()
	stored.Body = raw
	return wrap(t, &stubborn{Store: below, doc: stored}, ids...).Get(t.Context(), stored.Collection, stored.ID)
}

// wantKeptOut fails the test if a stored document in another form is given out. A damaged key id may read as
// that of another key.
func wantKeptOut(t testing.TB, what string, d store.Doc, err error) {
	t.Helper()
	var unknown *sealed.UnknownKeyError
	if d.Body != nil || !errors.As(err, &unknown) && !errors.Is(err, state.ErrInternal) {
		t.Errorf("%s: Get = %v, %v, want an error that is ErrInternal or an *UnknownKeyError", what, d.Body, err)
	}
}

func TestEveryBitAndEveryLength(t *testing.T) {
	t.Parallel()
	below := ram.New()
	write(t, wrap(t, below, "k1"), affair(t, "c1/a/1", "car part"))
	stored := get(t, below, "c1/a/1")
	for i := range stored.Body {
		for bit := range 8 {
			raw := bytes.Clone(stored.Body)
			raw[i] ^= 1 << bit
			d, err := dish(t, below, stored, raw, "k1")
			wantKeptOut(t, fmt.Sprintf("bit %d of byte %d", bit, i), d, err)
		}
		cut := bytes.Clone(stored.Body[:i])
		d, err := dish(t, below, stored, cut, "k1")
		wantKeptOut(t, fmt.Sprintf("the first %d bytes", i), d, err)
	}
	for _, rev := range []int64{0, 2, -1, 1 << 62} {
		moved := stored
		moved.Rev = rev
		d, err := dish(t, below, moved, stored.Body, "k1")
		wantKeptOut(t, fmt.Sprint("at revision ", rev), d, err)
	}
	if _, err := dish(t, below, stored, stored.Body, "k1"); err != nil {
		t.Errorf("the untouched document: %v", err)
	}
}

// TestTruncatedValues cuts values and keeps the BSON sound.
func TestTruncatedValues(t *testing.T) {
	t.Parallel()
	below := ram.New()
	write(t, wrap(t, below, "k1"), affair(t, "c1/a/1", "car part"))
	stored := get(t, below, "c1/a/1")
	for _, name := range []string{"_sealed", "title", "facts"} {
		_, data := stored.Body.Lookup(name).Binary()
		for n := range data {
			short := body(t, bson.D{{Key: name, Value: bson.Binary{Subtype: 0x80, Data: data[:n]}}})
			d, err := dish(t, below, stored, swap(t, stored.Body, field(t, short, name)), "k1")
			wantKeptOut(t, fmt.Sprintf("%d of %d bytes of %s", n, len(data), name), d, err)
			_, err = dish(t, below, stored, short, "k1")
			wantKeptOut(t, fmt.Sprintf("only %d of %d bytes of %s", n, len(data), name), d, err)
		}
	}
}

// TestAnyDamage overwrites, cuts and inserts anywhere: unless the bytes are what they were, nothing gets out.
func TestAnyDamage(t *testing.T) {
	t.Parallel()
	below := ram.New()
	write(t, wrap(t, below, "k1"), affair(t, "c1/a/1", "car part"))
	stored := get(t, below, "c1/a/1")
	rapid.Check(t, func(rt *rapid.T) {
		from := rapid.IntRange(0, len(stored.Body)).Draw(rt, "from")
		to := rapid.IntRange(from, min(from+40, len(stored.Body))).Draw(rt, "to")
		raw := slices.Replace(bytes.Clone(stored.Body), from, to, rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(rt, "bytes")...)
		if rapid.Bool().Draw(rt, "mend length") && len(raw) >= 4 {
			raw[0], raw[1] = byte(len(raw)), byte(len(raw)>>8)
		}
		if d, err := dish(t, below, stored, raw, "k1", "k2"); err == nil && !bytes.Equal(raw, stored.Body) {
			rt.Fatalf("the damaged document came back as %s", d.Body)
		}
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	below := ram.New()
	d := affair(t, "c1/a/1", "car part")
	d.Collection = state.Orders // by a key of the keyring
	write(t, wrap(t, below, "k1"), d)
	stored, err := below.Get(t.Context(), d.Collection, d.ID)
	must(t, err)

	got, err := dish(t, below, stored, stored.Body, "k2", "k1")
	if err != nil || !bytes.Equal(got.Body, d.Body) {
		t.Errorf("with its key behind the current one: %v, %v", got.Body, err)
	}
	_, err = dish(t, below, stored, stored.Body, "k2")
	var unknown *sealed.UnknownKeyError
	if !errors.As(err, &unknown) || unknown.Key != "k1" || unknown.ID != d.ID || state.CodeOf(err) != state.Denied {
		t.Errorf("without its key: %v, want an *UnknownKeyError of k1 that is ErrDenied", err)
	}
	const text = `orders "c1/a/1" is sealed with key k1, which is not in the keyring; put that key back, behind the current one, until everything is resealed`
	if fmt.Sprint(err) != text {
		t.Errorf("text = %s\nwant   %s", err, text)
	}
	other, err := sealed.ParseKeys("k1:" + secret("other2"))
	must(t, err)
	s, err := sealed.New(sealed.Config{Store: below, Keys: other})
	must(t, err)
	_, err = s.Get(t.Context(), d.Collection, d.ID)
	wantRefused(t, "Get with another key of the same id", err, d.ID)
}
