package indextest

import (
	"fmt"
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
)

func (s Suite) ownerCases() []check {
	return []check{
		{"a put is one owner's", ownPut},
		{"a replacement is one owner's", ownReplace},
		{"a deletion is one owner's", ownDelete},
		{"a search is one owner's", ownSearch},
		{"a list is one owner's", ownList},
		{"no filter reaches over to another owner", ownFilters},
		{"one owner's name in another's", ownPrefixes},
		{"the only entry of a user behind a crowd of others", s.crowd},
	}
}

// neighbours are owners one could take for o: the same user of another client, another user of the same client, and both
// names the other way round.
func neighbours(o owner) []owner {
	c, u := o.name.Client, o.name.User
	return []owner{o.as("other", u), o.as(c, "other"), o.as(u, c)}
}

func ownPut(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	for _, n := range neighbours(o) {
		n.holds(t)
		n.want(t, index.Query{Vector: axis(0), Limit: 9})
	}
}

func ownReplace(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	for i, n := range neighbours(o) {
		e := entry("a", axis(i+1))
		e.Hash = fmt.Sprint("of neighbour ", i)
		n.put(t, e)
		defer n.delete(t, "a") //nolint:revive // few, and wanted at the end
		n.holds(t, e)
	}
	o.holds(t, entry("a", nil))
	if hits := o.search(t, index.Query{Vector: axis(0), Limit: 9}); len(hits) != 1 || !near(hits[0].Cosine, 1) {
		t.Errorf("Search = %v, want a with cosine 1", hits)
	}
}

func ownDelete(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(0)))
	for _, n := range neighbours(o) {
		n.delete(t, "a")
		n.put(t, entry("b", axis(0)))
		n.delete(t, "a", "b")
	}
	o.holds(t, entry("a", nil), entry("b", nil))
	o.want(t, index.Query{Vector: axis(0), Limit: 9}, "a", "b")
}

func ownSearch(t *testing.T, o owner) {
	o.put(t, entry("mine", four(0, 1, 2, 3)))
	for i, n := range neighbours(o) {
		id := fmt.Sprint("nearer", i)
		n.put(t, entry(id, axis(0)))
		defer n.delete(t, id) //nolint:revive // few, and wanted at the end
		n.want(t, index.Query{Vector: axis(0), Limit: 9}, id)
	}
	o.want(t, index.Query{Vector: axis(0), Limit: 1}, "mine")
	o.want(t, index.Query{Vector: axis(0), Limit: 9}, "mine")
}

func ownList(t *testing.T, o owner) {
	o.put(t, entry("m", axis(0)))
	for i, n := range neighbours(o) {
		before, behind := entry(fmt.Sprint("a", i), axis(0)), entry(fmt.Sprint("z", i), axis(0))
		n.put(t, before, behind)
		defer n.delete(t, before.ID, behind.ID) //nolint:revive // few, and wanted at the end
		n.holds(t, before, behind)
	}
	o.holds(t, entry("m", nil))
}

// ownFilters asks with each filter for what only others have.
func ownFilters(t *testing.T, o owner) {
	o.put(t, entry("mine", axis(1)))
	for i, n := range neighbours(o) {
		e := entry("theirs", axis(0))
		e.Kind, e.Session, e.At = "secret", "theirs", noon().AddDate(1, 0, i)
		n.put(t, e)
		defer n.delete(t, "theirs") //nolint:revive // few, and wanted at the end
	}
	for name, q := range map[string]index.Query{
		"ids": {IDs: []string{"theirs"}}, "kind": {Kinds: []string{"secret"}}, "session": {Session: "theirs"}, "time": {From: noon().AddDate(0, 6, 0)},
		"all": {IDs: []string{"theirs"}, Kinds: []string{"secret"}, Session: "theirs", From: noon().AddDate(0, 6, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			q.Vector, q.Limit = axis(0), 9
			o.want(t, q)
		})
	}
	o.want(t, index.Query{Vector: axis(0), Limit: 9, IDs: []string{"theirs", "mine"}, Kinds: []string{"secret", "message"}}, "mine")
}

func ownPrefixes(t *testing.T, o owner) {
	all := []owner{
		o.as("p", "u"), o.as("p", "u1"), o.as("p1", "u"), o.as("p", "uu"), o.as("pp", "u"), o.as("P", "u"), o.as("p", "U"), o.as("p.", "u"), o.as("p", "u."),
		o.as("pu", "u"), o.as("p", "pu"),
	}
	mine := func(i int) index.Entry {
		e := entry("same", axis(0))
		e.Hash = fmt.Sprint("of ", i)
		return e
	}
	for i, of := range all {
		of.put(t, mine(i))
	}
	for i, of := range all {
		of.holds(t, mine(i))
		of.want(t, index.Query{Vector: axis(0), Limit: 99}, "same")
	}
	all[0].delete(t, "same")
	for i, of := range all[1:] {
		of.holds(t, mine(i+1))
	}
}

// crowd puts the entries of many others, of the same ids and kinds and all nearer, before a user's only one.
func (s Suite) crowd(t *testing.T, o owner) {
	const each = 150
	for left := s.Crowd; left > 0; left -= each {
		var entries []index.Entry
		for i := range min(left, each) {
			entries = append(entries, entry(fmt.Sprint("same", i), axis(0)))
		}
		n := o.as("crowd", fmt.Sprint("u", left))
		if left/each%2 == 0 {
			n = o.as(fmt.Sprint("crowd", left), o.name.User)
		}
		n.put(t, entries...)
	}
	o.put(t, entry("same0", axis(-1)))
	for _, q := range []index.Query{{}, {Kinds: []string{"message"}}, {Session: "s1"}, {IDs: []string{"same0", "same1"}}, {From: noon()}} {
		for _, limit := range []int{1, 10, 1000} {
			q.Vector, q.Limit = axis(0), limit
			if hits := o.search(t, q); len(hits) != 1 || hits[0].ID != "same0" || !near(hits[0].Cosine, -1) {
				t.Errorf("Search with limit %d found %d: %v; want same0 with cosine -1", limit, len(hits), hits[:min(len(hits), 3)])
			}
		}
	}
	o.holds(t, entry("same0", nil))
}
