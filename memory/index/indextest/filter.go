package indextest

import (
	"fmt"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
)

// filterCase is a search among the nine entries of filterEntries, which lie from near to far in the order of their ids.
type filterCase struct {
	name string
	q    index.Query
	want []string
}

func filterCases() []check {
	return []check{
		{"table", filterEach},
		{"a limit counts what the filter lets through", filterLimit},
		{"as many ids as there may be", filterMostIDs},
		{"times before 1970 and no time at all", filterOldTimes},
		{"fractions of a millisecond are cut off", filterFractions},
	}
}

func filterEach(t *testing.T, o owner) {
	o.put(t, filterEntries()...)
	for _, c := range filterTable() {
		t.Run(c.name, func(t *testing.T) {
			c.q.Vector, c.q.Limit = axis(0), 20
			o.want(t, c.q, c.want...)
		})
	}
}

func filterEntries() []index.Entry {
	var entries []index.Entry
	for i := range 9 {
		v := []float32{9, float32(i), 0, 0, 0, 0, 0, 0}
		e := index.Entry{
			ID: fmt.Sprint(i + 1), Hash: "h", Kind: []string{"message", "fact", ""}[i%3], Session: []string{"s1", "s2", ""}[i/3],
			At: noon().Add(time.Duration(i) * time.Millisecond), Vector: v,
		}
		entries = append(entries, e)
	}
	return entries
}

func filterTable() []filterCase {
	// Each filter alone first, then those that work together. The ids are those of the entries put before.
	at := func(ms int) time.Time { return noon().Add(time.Duration(ms) * time.Millisecond) }
	all := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}
	return []filterCase{
		{"none", index.Query{}, all},
		{"one kind", index.Query{Kinds: []string{"fact"}}, []string{"2", "5", "8"}},
		{"two kinds", index.Query{Kinds: []string{"fact", "message"}}, []string{"1", "2", "4", "5", "7", "8"}},
		{"the kind without a name", index.Query{Kinds: []string{""}}, []string{"3", "6", "9"}},
		{"a kind that is not there", index.Query{Kinds: []string{"note"}}, nil},
		{"one kind that is there and one that is not", index.Query{Kinds: []string{"note", "fact"}}, []string{"2", "5", "8"}},
		{"one kind twice", index.Query{Kinds: []string{"fact", "fact"}}, []string{"2", "5", "8"}},
		{"a kind in other letters", index.Query{Kinds: []string{"Fact"}}, nil},
		{"a session", index.Query{Session: "s2"}, []string{"4", "5", "6"}},
		{"a session that is not there", index.Query{Session: "s"}, nil},
		{"from a time on, that moment too", index.Query{From: at(6)}, []string{"7", "8", "9"}},
		{"before a time, not at it", index.Query{To: at(2)}, []string{"1", "2"}},
		{"between two times", index.Query{From: at(2), To: at(5)}, []string{"3", "4", "5"}},
		{"between a time and itself", index.Query{From: at(2), To: at(2)}, nil},
		{"between times in the wrong order", index.Query{From: at(5), To: at(2)}, nil},
		{"from behind the last", index.Query{From: at(9)}, nil},
		{"a time of another zone", index.Query{From: at(7).In(time.FixedZone("east", 5*3600))}, []string{"8", "9"}},
		{"one id", index.Query{IDs: []string{"5"}}, []string{"5"}},
		{"some ids, in any order", index.Query{IDs: []string{"9", "2", "5"}}, []string{"2", "5", "9"}},
		{"one id twice", index.Query{IDs: []string{"5", "5"}}, []string{"5"}},
		{"an id that is not there", index.Query{IDs: []string{"55"}}, nil},
		{"ids that are there and one that is not", index.Query{IDs: []string{"55", "5", "1"}}, []string{"1", "5"}},
		{"nil ids are any", index.Query{IDs: nil}, all},
		{"no ids are none", index.Query{IDs: []string{}}, nil},
		{"kind and session", index.Query{Kinds: []string{"fact"}, Session: "s2"}, []string{"5"}},
		{"kind and ids", index.Query{Kinds: []string{"fact"}, IDs: []string{"1", "2", "8"}}, []string{"2", "8"}},
		{"session and time", index.Query{Session: "s2", From: at(4)}, []string{"5", "6"}},
		{"ids and no ids of that kind", index.Query{Kinds: []string{"fact"}, IDs: []string{"1", "3"}}, nil},
		{
			"everything together", index.Query{Kinds: []string{"fact", "message"}, Session: "s2", From: at(3), To: at(5), IDs: []string{"4", "5", "6", "1"}},
			[]string{"4", "5"},
		},
	}
}

func filterLimit(t *testing.T, o owner) {
	o.put(t, filterEntries()...)
	o.want(t, index.Query{Vector: axis(0), Limit: 2, Kinds: []string{""}}, "3", "6")
	o.want(t, index.Query{Vector: axis(0), Limit: 1, Session: "s2"}, "4")
	o.want(t, index.Query{Vector: axis(0), Limit: 1, IDs: []string{"9", "8"}}, "8")
}

func filterMostIDs(t *testing.T, o owner) {
	o.put(t, filterEntries()...)
	ids := []string{"3", "7"}
	for i := len(ids); i < index.MaxIDs; i++ {
		ids = append(ids, fmt.Sprintf("absent-%d", i))
	}
	o.want(t, index.Query{Vector: axis(0), Limit: 20, IDs: ids}, "3", "7")
}

func filterOldTimes(t *testing.T, o owner) {
	old, never := entry("old", axis(0)), entry("never", axis(0))
	old.At, never.At = time.Date(1931, 5, 4, 3, 2, 1, 0, time.UTC), time.Time{}
	o.put(t, old, never, entry("now", axis(0)))
	o.holds(t, old, never, entry("now", nil))
	o.want(t, index.Query{Vector: axis(0), Limit: 5, To: time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC)}, "never", "old")
	o.want(t, index.Query{Vector: axis(0), Limit: 5, From: time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)}, "now", "old")
	o.want(t, index.Query{Vector: axis(0), Limit: 5, From: time.Unix(0, 0)}, "now")
}

func filterFractions(t *testing.T, o owner) {
	e := entry("a", axis(0))
	e.At = noon().Add(1999 * time.Microsecond)
	o.put(t, e)
	o.want(t, index.Query{Vector: axis(0), Limit: 5, From: noon().Add(time.Millisecond), To: noon().Add(2 * time.Millisecond)}, "a")
	if at := o.list(t)[0].At; !at.Equal(noon().Add(time.Millisecond)) {
		t.Errorf("At = %v, want %v", at, noon().Add(time.Millisecond))
	}
}
