package mind

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Known are valid records that belong to a project and to none of its affairs, the most important first. Of long ones there is the
// beginning. A value does not change: readers keep it without the mind.
type Known []state.Record

// knownBytes is how much of a record's content is kept for a prompt; recall finds the rest.
const knownBytes = 1 << 10

// OfProject reports whether a record that has a project is known to all of it: it is not the user's own and not an affair's.
func OfProject(r state.Record) bool {
	if r.About == "" {
		return r.Affair == "" && r.Kind != state.PreferenceRecord
	}
	return r.About == state.AboutProject
}

// with is k with a record as it is now.
func (k Known) with(r state.Record) Known {
	next := slices.DeleteFunc(slices.Clone(k), func(old state.Record) bool { return old.ID == r.ID })
	if r.ValidTo != nil {
		return next
	}
	r.Content = strings.Clone(text.Head(r.Content, knownBytes))
	at, _ := slices.BinarySearchFunc(next, r, moreImportant)
	return slices.Insert(next, at, r)
}

// moreImportant orders records for a prompt: pinned ones, then by importance, then those said last.
func moreImportant(a, b state.Record) int {
	if a.Pinned != b.Pinned {
		if a.Pinned {
			return -1
		}
		return 1
	}
	return cmp.Or(b.Importance-a.Importance, b.Seen().Compare(a.Seen()), strings.Compare(a.ID, b.ID))
}

// bytes returns what they take, about.
func (k Known) bytes() (n int64) {
	for _, r := range k {
		n += statedBytes + int64(len(r.Content))
	}
	return n
}
