package indextest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// Suite is what Run runs, with its sizes. Open is required; 0 is the default of the rest, and `go test -short` makes
// them smaller.
type Suite struct {
	// Open returns an empty shelf, another one at each call, and closes it with t.Cleanup.
	Open func(t *testing.T) index.Shelf
	// Crowd is how many nearer entries of others stand before a user's only one; 3000.
	Crowd int
	// Sequences is how many random sequences are compared with a map; 40. Each has up to 20 calls.
	Sequences int
}

// Run runs the suite in its default sizes on what open returns: an empty shelf, another one at each call, closed with
// t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) index.Shelf) {
	t.Helper()
	Suite{Open: open}.Run(t)
}

// Run runs the suite. A driver that answers slowly gives smaller sizes.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	s.Crowd = cmp.Or(s.Crowd, 3000)
	s.Sequences = cmp.Or(s.Sequences, 40)
	if testing.Short() {
		s.Crowd, s.Sequences = min(s.Crowd, 300), min(s.Sequences, 10)
	}
	for _, g := range []group{
		{"put", putCases()}, {"search", searchCases()}, {"filter", filterCases()}, {"refuse", refuseCases()},
		{"delete", deleteCases()}, {"list", listCases()}, {"names", nameCases()}, {"owners", s.ownerCases()},
		{"context", contextCases()}, {"many", manyCases()}, {"model", s.modelCases()},
	} {
		t.Run(g.name, func(t *testing.T) {
			d := newDesk(t, s.Open(t))
			for _, c := range g.cases {
				t.Run(c.name, func(t *testing.T) { c.run(t, d.owner(c.name)) })
			}
		})
	}
	t.Run("shelf", func(t *testing.T) {
		for _, c := range shelfCases() {
			t.Run(c.name, func(t *testing.T) { c.run(t, s.Open(t)) })
		}
	})
}

// check is one case; who is an owner that no other case has.
type check struct {
	name string
	run  func(t *testing.T, who owner)
}

type group struct {
	name  string
	cases []check
}

// desk is a shelf with a space opened on it.
type desk struct {
	shelf   index.Shelf
	space   index.Space
	vectors index.Vectors
}

// owner is one owner's view of a desk: the calls of index.Vectors that must succeed.
type owner struct {
	*desk
	name index.Owner
}

const dim = 8

func newDesk(t *testing.T, shelf index.Shelf) *desk {
	t.Helper()
	space := index.Space{Model: "test:eight", Dim: dim, Version: 1}
	return &desk{shelf, space, mustOpen(t, shelf, space)}
}

func mustOpen(t *testing.T, shelf index.Shelf, space index.Space) index.Vectors {
	t.Helper()
	v, err := shelf.Open(t.Context(), space)
	if err != nil {
		t.Fatalf("Open %s: %v", space, err)
	}
	return v
}

func (d *desk) owner(user string) owner { return owner{d, index.Owner{Client: "client", User: user}} }

// as returns the same desk seen by somebody else.
func (o owner) as(client, user string) owner {
	return owner{o.desk, index.Owner{Client: client, User: user}}
}

func (o owner) put(t *testing.T, entries ...index.Entry) {
	t.Helper()
	if err := o.vectors.Put(t.Context(), o.name, entries...); err != nil {
		t.Fatalf("Put of %d entries of %v: %v", len(entries), o.name, err)
	}
}

func (o owner) delete(t *testing.T, ids ...string) {
	t.Helper()
	if err := o.vectors.Delete(t.Context(), o.name, ids...); err != nil {
		t.Fatalf("Delete %q of %v: %v", ids, o.name, err)
	}
}

func (o owner) search(t *testing.T, q index.Query) []index.Hit {
	t.Helper()
	q.Fresh = true
	hits, err := o.vectors.Search(t.Context(), o.name, q)
	if err != nil {
		t.Fatalf("Search of %v: %v", o.name, err)
	}
	return hits
}

// ids returns what a search finds, in its order.
func (o owner) ids(t *testing.T, q index.Query) []string {
	t.Helper()
	found := []string{}
	for _, h := range o.search(t, q) {
		found = append(found, h.ID)
	}
	return found
}

// want fails the test unless the search finds these ids in this order.
func (o owner) want(t *testing.T, q index.Query, ids ...string) {
	t.Helper()
	if diff := gocmp.Diff(append([]string{}, ids...), o.ids(t, q)); diff != "" {
		t.Errorf("Search of %v (-want +got):\n%s", o.name, diff)
	}
}

func (o owner) list(t *testing.T) []index.Entry {
	t.Helper()
	entries, err := o.vectors.List(t.Context(), o.name)
	if err != nil {
		t.Fatalf("List of %v: %v", o.name, err)
	}
	return entries
}

// holds fails the test unless List returns these entries, whose vectors and fractions of milliseconds do not count.
func (o owner) holds(t *testing.T, entries ...index.Entry) {
	t.Helper()
	want := slices.Clone(entries)
	slices.SortFunc(want, func(a, b index.Entry) int { return cmp.Compare(a.ID, b.ID) })
	if diff := gocmp.Diff(plain(want), plain(o.list(t))); diff != "" {
		t.Errorf("List of %v (-want +got):\n%s", o.name, diff)
	}
}

// row is an entry as it can be compared.
type row struct {
	ID, Hash, Kind, Session string
	At                      int64
}

func plain(entries []index.Entry) []row {
	rows := make([]row, len(entries))
	for i, e := range entries {
		rows[i] = row{e.ID, e.Hash, e.Kind, e.Session, e.At.UnixMilli()}
	}
	return rows
}

// invalid fails the test unless err is what a caller's mistake gives.
func invalid(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, state.ErrInvalid) {
		t.Errorf("%s = %v, want an error that is state.ErrInvalid", what, err)
	}
}

// noon returns the time entries are made at; later ones add to it.
func noon() time.Time { return time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC) }

// entry is an entry with an id and a direction, and all else filled in.
func entry(id string, vector []float32) index.Entry {
	return index.Entry{ID: id, Hash: "h-" + id, Kind: "message", Session: "s1", At: noon(), Vector: vector}
}

// axis returns the direction of one coordinate, which may be negative: -1 is against axis 0, -2 against axis 1.
func axis(i int) []float32 {
	v := make([]float32, dim)
	if i < 0 {
		v[-i-1] = -1
	} else {
		v[i] = 1
	}
	return v
}

// four returns a direction with four coordinates of equal size: the cosine to their axes is 1/2.
func four(a, b, c, d int) []float32 {
	v := make([]float32, dim)
	v[a], v[b], v[c], v[d] = 1, 1, 1, 1
	return v
}

// times returns v at another length.
func times(v []float32, by float32) []float32 {
	out := slices.Clone(v)
	for i := range out {
		out[i] *= by
	}
	return out
}

// cosine returns the exact one, to which drivers are compared.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i, x := range a {
		y := float64(b[i])
		dot, aa, bb = dot+float64(x)*y, aa+float64(x)*float64(x), bb+y*y
	}
	return dot / math.Sqrt(aa) / math.Sqrt(bb)
}

// near says whether a driver's cosine is the exact one, as far as single precision goes.
func near(got float32, want float64) bool { return math.Abs(float64(got)-want) <= 1e-5 }

// gone is a context that was cancelled before the call.
func gone(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
