package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Owner is whose entries are meant: the client is the wall that nothing crosses.
type Owner struct{ Client, User string }

// Of returns the owner of a scope.
func Of(s state.Scope) Owner { return Owner{s.Client, s.User} }

// Validate refuses an owner that does not name both, or names what no id may hold (state.ErrInvalid). What all users of a client know has
// state.ClientUser for its user.
func (o Owner) Validate() error {
	if err := state.ValidateID("client", o.Client); err != nil || o.User == state.ClientUser {
		return err
	}
	return state.ValidateID("user", o.User)
}

// Space is what vectors can be compared in: one embedder, one dimension, one way of making its input.
type Space struct {
	Model   string // the embedder's name: "openai:text-embedding-3-small"
	Dim     int    // numbers per vector, 1 to 32768
	Version int    // of the way from a document to the text that is embedded
}

// Compare orders spaces by model, dimension and version.
func (s Space) Compare(other Space) int {
	return cmp.Or(cmp.Compare(s.Model, other.Model), cmp.Compare(s.Dim, other.Dim), cmp.Compare(s.Version, other.Version))
}

// String returns the space in a line: "openai:text-embedding-3-small, 1536 dimensions, version 1".
func (s Space) String() string {
	return fmt.Sprintf("%s, %d dimensions, version %d", s.Model, s.Dim, s.Version)
}

// Validate refuses a space without a model or with a dimension that no driver takes (state.ErrInvalid).
func (s Space) Validate() error {
	switch {
	case strings.TrimSpace(s.Model) == "":
		return state.Errorf(state.Invalid, "vector space", "names no model")
	case s.Dim < 1 || s.Dim > 32768:
		return state.Errorf(state.Invalid, "vector space "+s.Model, "has %d dimensions; 1 to 32768 are possible", s.Dim)
	case s.Version < 0:
		return state.Errorf(state.Invalid, "vector space "+s.Model, "has version %d; versions begin at 0", s.Version)
	}
	return nil
}

// Entry is one document in the index. ID is unique within the owner.
type Entry struct {
	ID      string
	Hash    string // of the text that was embedded; memory compares it to see what is out of date
	Kind    string // as memory likes: "message", "fact", ...; "" is a kind too
	Session string
	At      time.Time // kept to the millisecond
	Vector  []float32 // of the space's dimension, of any length but zero; drivers keep it normalised
}

// Query asks for the entries nearest to Vector. The zero value of each filter lets everything of the owner through;
// several filters must all agree.
type Query struct {
	Vector  []float32 // as in Entry
	Limit   int       // 1 to 16384
	Kinds   []string
	Session string
	From    time.Time // entries at or after it
	To      time.Time // entries before it
	IDs     []string  // only these; at most MaxIDs. nil = any, empty but not nil = none

	// Fresh asks for everything that was put before the call, also by other processes. A driver on a server may
	// have to wait for that; without it, it may miss the last moments.
	Fresh bool
}

// MaxIDs bounds Query.IDs.
const MaxIDs = 1000

// Hit is an entry found, and the cosine of its angle to the query, -1 to 1.
type Hit struct {
	ID     string
	Cosine float32
}

// Vectors keeps the entries of one Space. All errors are state.Error: Invalid for what the caller got wrong, Unavailable
// when whoever keeps them does not answer. It is safe for concurrent use.
type Vectors interface {
	// Put adds entries of one owner, or replaces those of the same ID; of two with one ID the later stands. When it returns
	// they are durable, as far as the driver's store is, and found. An error may leave some of them written; putting them
	// again is harmless.
	Put(ctx context.Context, o Owner, entries ...Entry) error
	// Delete takes entries out. IDs that are not there are passed over; no ids at all is Invalid.
	Delete(ctx context.Context, o Owner, ids ...string) error
	// Search returns the nearest entries of the owner, nearest first, equal ones by ID.
	Search(ctx context.Context, o Owner, q Query) ([]Hit, error)
	// List returns all entries of the owner, without their vectors, by ID.
	List(ctx context.Context, o Owner) ([]Entry, error)
}

// Shelf keeps the vectors of several spaces, of which readers use one, the live one. It is safe for concurrent use.
type Shelf interface {
	// Live is the space that was promoted last, on this shelf, by any process; ok is false if none was.
	Live(ctx context.Context) (s Space, ok bool, err error)
	// Open returns the vectors of a space, which is made if it is not there.
	Open(ctx context.Context, s Space) (Vectors, error)
	// Promote makes an opened space the live one. Readers of the one before are not disturbed.
	Promote(ctx context.Context, s Space) error
	// Drop deletes every space but the live one and those of keep, with all that is in it, whoever opened it: what an
	// earlier change of embedder left, and what one that was cut short began. It returns those that are gone, by model,
	// dimension and version, after an error too. Nobody can tell a space that another process is filling just now from one
	// that was left behind: it goes as well, and filling it fails and is begun again. While no space is live nothing
	// is dropped: state.ErrConflict.
	Drop(ctx context.Context, keep ...Space) (dropped []Space, err error)
	// Close lets go of what Open of the driver took. Vectors of it are not used afterwards.
	Close() error
}

// Check refuses entries that no driver may take: no ID, a vector of another dimension, one that holds NaN or infinity or is
// all zero, two of one ID are fine. The error is state.ErrInvalid and names the entry.
func (s Space) Check(o Owner, entries ...Entry) error {
	if err := o.Validate(); err != nil {
		return err
	}
	for _, e := range entries {
		if e.ID == "" {
			return state.Errorf(state.Invalid, "vector", "has no id")
		}
		if err := s.checkVector(e.Vector); err != nil {
			return fmt.Errorf("vector of %s: %w", e.ID, err)
		}
	}
	return nil
}

// checkVector refuses a vector that does not belong in the space.
func (s Space) checkVector(v []float32) error {
	if len(v) != s.Dim {
		return state.Errorf(state.Invalid, "vector", "has %d dimensions, the index has %d (%s); `mneme reindex` moves to another embedder",
			len(v), s.Dim, s.Model)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) || sum == 0 {
		return state.Errorf(state.Invalid, "vector", "has no direction: it is zero, or holds NaN or infinity")
	}
	return nil
}

// Validate refuses a query that no driver may take.
func (q Query) Validate(s Space, o Owner) error {
	if err := o.Validate(); err != nil {
		return err
	}
	switch {
	case q.Limit < 1 || q.Limit > 16384:
		return state.Errorf(state.Invalid, "vector search", "asks for %d hits; 1 to 16384 are possible", q.Limit)
	case len(q.IDs) > MaxIDs:
		return state.Errorf(state.Invalid, "vector search", "names %d ids; at most %d are possible", len(q.IDs), MaxIDs)
	}
	return s.checkVector(q.Vector)
}

// Unit is v at length 1. Sums and divisions are in double precision, so that neither very long nor very short vectors lose
// their direction, and both drivers keep the same bits.
func Unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out
}

// Tally is how far an index is in step with the documents.
type Tally struct {
	Documents int  // that are to have a vector
	Made      int  // of these: have one, of their text as it is now
	More      bool // there are more, which were not counted
}
