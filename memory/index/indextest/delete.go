package indextest

import (
	"fmt"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
)

func deleteCases() []check {
	return []check{
		{"what is deleted is found no more", deleteFound},
		{"an id that is not there is passed over", deleteMissing},
		{"an id twice", deleteTwice},
		{"deleting again", deleteAgain},
		{"everything one by one", deleteEach},
		{"1500 at once", deleteBatch},
		{"an id that begins like another", deletePrefix},
	}
}

func deleteFound(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(0)), entry("c", axis(1)))
	o.delete(t, "a")
	o.want(t, index.Query{Vector: axis(0), Limit: 1}, "b")
	o.want(t, index.Query{Vector: axis(0), Limit: 5, IDs: []string{"a", "c"}}, "c")
	o.holds(t, entry("b", nil), entry("c", nil))
}

func deleteMissing(t *testing.T, o owner) {
	o.delete(t, "x")
	o.put(t, entry("a", axis(0)), entry("b", axis(0)))
	o.delete(t, "x")
	o.delete(t, "y", "a", "z")
	o.holds(t, entry("b", nil))
}

func deleteTwice(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(0)))
	o.delete(t, "a", "a")
	o.holds(t, entry("b", nil))
}

func deleteAgain(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(0)))
	o.delete(t, "a")
	o.delete(t, "a")
	o.holds(t, entry("b", nil))
}

func deleteEach(t *testing.T, o owner) {
	for i := range 8 {
		o.put(t, entry(fmt.Sprint(i), axis(i)))
	}
	for i := range 8 {
		o.delete(t, fmt.Sprint(i))
		if got := len(o.search(t, index.Query{Vector: axis(0), Limit: 9})); got != 7-i {
			t.Errorf("after %d deletions %d of 8 are found", i+1, got)
		}
	}
	o.holds(t)
}

func deleteBatch(t *testing.T, o owner) {
	var entries []index.Entry
	var ids []string
	for i := range 1600 {
		entries, ids = append(entries, entry(fmt.Sprintf("e%04d", i), axis(i%dim))), append(ids, fmt.Sprintf("e%04d", i))
	}
	o.put(t, entries...)
	o.delete(t, ids[:1500]...)
	o.holds(t, entries[1500:]...)
	o.want(t, index.Query{Vector: axis(0), Limit: 2}, "e1504", "e1512")
}

func deletePrefix(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("a1", axis(0)), entry("a/1", axis(0)), entry("A", axis(0)))
	o.delete(t, "a")
	o.holds(t, entry("A", nil), entry("a/1", nil), entry("a1", nil))
}

func listCases() []check {
	return []check{
		{"an owner without entries", listEmpty},
		{"by id, as bytes", listOrder},
		{"every field but the vector", listFields},
		{"changing what was listed changes nothing", listOwnMemory},
	}
}

func listEmpty(t *testing.T, o owner) {
	if got := o.list(t); len(got) != 0 {
		t.Errorf("List = %v, want none", got)
	}
}

func listOrder(t *testing.T, o owner) {
	for _, id := range []string{"b", "ä", "a10", "a2", "Z", "10", "9", "z", "_"} {
		o.put(t, entry(id, axis(0)))
	}
	var got string
	for _, e := range o.list(t) {
		got += e.ID + " "
	}
	if want := "10 9 Z _ a10 a2 b z ä "; got != want {
		t.Errorf("List = %s, want %s", got, want)
	}
}

func listFields(t *testing.T, o owner) {
	bare := index.Entry{ID: "bare", Vector: axis(1)}
	full := entry("full", axis(0))
	full.Hash, full.Kind, full.Session, full.At = "0f3c", "fact", "s/2 \"x\"", noon().Add(1234567*time.Nanosecond)
	o.put(t, full, bare)
	o.holds(t, bare, full)
	for _, e := range o.list(t) {
		if e.Vector != nil {
			t.Errorf("%s is listed with its vector", e.ID)
		}
	}
}

func listOwnMemory(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(0)))
	entries := o.list(t)
	entries[0], entries[1].Hash = index.Entry{}, "changed"
	o.holds(t, entry("a", nil), entry("b", nil))
}
