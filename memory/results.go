package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/mneme-graph/mneme/state"
)

// results keeps what recalls answered. The number of the user's feed is part of the key, so that any write to a user's
// memory, by whichever process, makes what was kept before it unreachable.
type results struct {
	kept *otter.Cache[string, answered]
	ttl  time.Duration
}

type answered struct {
	hits []Hit
	at   time.Time
}

// newResults makes a cache of at most so many bytes.
func newResults(bytes int64, ttl time.Duration) (*results, error) {
	kept, err := otter.New(&otter.Options[string, answered]{
		MaximumWeight: uint64(bytes),
		Weigher:       func(key string, a answered) uint32 { return uint32(len(key)) + a.bytes() },
		Executor:      func(do func()) { do() }, // no goroutine of its own
	})
	if err != nil {
		return nil, state.Errorf(state.Internal, "cache of recalls", "%w", err)
	}
	return &results{kept, ttl}, nil
}

// bytes is about what an answer takes.
func (a answered) bytes() uint32 {
	n := 128
	for _, h := range a.hits {
		n += 1024 + 2*len(h.Text)
	}
	return uint32(n)
}

func (r *results) get(key string, now time.Time) ([]Hit, bool) {
	a, ok := r.kept.GetIfPresent(key)
	if !ok || now.Sub(a.at) >= r.ttl || now.Before(a.at) {
		return nil, false
	}
	return slices.Clone(a.hits), true
}

func (r *results) put(key string, hits []Hit, now time.Time) {
	if r.ttl > 0 {
		r.kept.Set(key, answered{slices.Clone(hits), now})
	}
}

// key names everything that an answer depends on.
func (v *vista) key() string {
	q, changes := v.q, uint64(0)
	if v.m.vectors != nil {
		changes = v.m.vectors.Changes()
	}
	scope := q.Scope.UserPrefix()
	if q.Before > 0 {
		scope = q.Scope.SessionKey()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\x00%d\x00%d\x00%s\x00%s\x00%d\x00%d\x00%v\x00%d\x00%d\x00%d\x00%d\x00%s",
		scope, v.seq, changes, q.In, q.Affair, q.Limit, q.Tokens, q.Kinds, q.From.UnixNano(), q.To.UnixNano(), q.AsOf.UnixNano(), q.Before, q.Text)
	return b.String()
}
