package indextest

import (
	"fmt"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
)

func putCases() []check {
	return []check{
		{"an entry is found as soon as it is put", putFound},
		{"no entries are no error", putNothing},
		{"an entry of the same id is replaced", putReplaces},
		{"a replaced entry is found where it is now", putMoves},
		{"a replaced entry has its new kind, session and time", putReplacesFilters},
		{"of two with one id in a call the later stands", putTwiceInCall},
		{"the same call twice changes nothing", putAgain},
		{"an entry may come back after its deletion", putAfterDelete},
		{"old and new in one call", putMixed},
		{"changing an entry after the call changes nothing", putOwnMemory},
		{"a batch of 1500", putBatch},
	}
}

func putFound(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	o.want(t, index.Query{Vector: axis(0), Limit: 5}, "a")
	o.put(t, entry("b", axis(0)))
	o.want(t, index.Query{Vector: axis(0), Limit: 5}, "a", "b")
}

func putNothing(t *testing.T, o owner) {
	o.put(t)
	o.holds(t)
}

func putReplaces(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(1)))
	again := entry("a", axis(0))
	again.Hash = "another"
	o.put(t, again)
	o.holds(t, again, entry("b", axis(1)))
	o.want(t, index.Query{Vector: axis(0), Limit: 5}, "a", "b")
}

func putMoves(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", four(0, 1, 2, 3)))
	o.put(t, entry("a", axis(-1)))
	o.want(t, index.Query{Vector: axis(0), Limit: 5}, "b", "a")
	o.want(t, index.Query{Vector: axis(-1), Limit: 1}, "a")
}

func putReplacesFilters(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	e := entry("a", axis(0))
	e.Kind, e.Session, e.At = "fact", "s2", noon().Add(time.Hour)
	o.put(t, e)
	o.want(t, index.Query{Vector: axis(0), Limit: 5, Kinds: []string{"message"}})
	o.want(t, index.Query{Vector: axis(0), Limit: 5, Session: "s1"})
	o.want(t, index.Query{Vector: axis(0), Limit: 5, To: noon().Add(time.Minute)})
	o.want(t, index.Query{Vector: axis(0), Limit: 5, Kinds: []string{"fact"}, Session: "s2", From: noon().Add(time.Hour)}, "a")
}

func putTwiceInCall(t *testing.T, o owner) {
	first, last := entry("a", axis(0)), entry("a", axis(1))
	last.Hash = "last"
	o.put(t, first, entry("b", axis(0)), last)
	o.holds(t, last, entry("b", axis(0)))
	o.want(t, index.Query{Vector: axis(1), Limit: 5}, "a", "b")
}

func putAgain(t *testing.T, o owner) {
	for range 3 {
		o.put(t, entry("a", axis(0)), entry("b", axis(1)))
	}
	o.holds(t, entry("a", nil), entry("b", nil))
	o.want(t, index.Query{Vector: axis(1), Limit: 5}, "b", "a")
}

func putAfterDelete(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	o.delete(t, "a")
	o.put(t, entry("a", axis(1)))
	o.holds(t, entry("a", nil))
	o.want(t, index.Query{Vector: axis(1), Limit: 5}, "a")
}

func putMixed(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("c", axis(0)))
	o.put(t, entry("b", axis(0)), entry("c", axis(1)), entry("d", axis(0)))
	o.want(t, index.Query{Vector: axis(0), Limit: 9}, "a", "b", "d", "c")
}

func putOwnMemory(t *testing.T, o owner) {
	v := axis(0)
	entries := []index.Entry{entry("a", v)}
	o.put(t, entries...)
	v[0], v[3], entries[0].ID = 0, 1, "changed"
	o.want(t, index.Query{Vector: axis(0), Limit: 5, IDs: []string{"a"}}, "a")
	if hits := o.search(t, index.Query{Vector: axis(0), Limit: 5}); len(hits) != 1 || !near(hits[0].Cosine, 1) {
		t.Errorf("Search = %v, want a with cosine 1", hits)
	}
}

func putBatch(t *testing.T, o owner) {
	var entries []index.Entry
	for i := range 1500 {
		entries = append(entries, entry(fmt.Sprintf("e%04d", i), axis(i%dim)))
	}
	o.put(t, entries...)
	o.put(t, entries[:750]...)
	o.holds(t, entries...)
	if got := o.ids(t, index.Query{Vector: axis(3), Limit: 1500}); len(got) != 1500 || got[0] != "e0003" || got[1] != "e0011" {
		t.Errorf("Search found %d, the first of them %q; want 1500, beginning with e0003, e0011", len(got), got[:min(len(got), 2)])
	}
}
