package words

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCloseness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, b string
		want       float64
	}{
		{"a letter missing", "wiper", "wipper", 1 - 1./6},
		{"a letter replaced", "jerevan", "yerevan", 1 - 1./7},
		{"letters swapped", "invoice", "invocie", 1 - 1./7},
		{"letters swapped at the end", "order1x", "orderx1", 1 - 1./7},
		{"a letter more at the end", "dentis", "dentist", 1 - 1./7},
		{"an ending more", "objedna", "objednavka", 0.7},
		{"another ending", "objednavk", "objednat", 7. / 9},
		{"a short beginning", "kontakt", "kontext", 0},
		{"a short share", "program", "programovani", 0},
		{"short words", "book", "look", 0},
		{"short words with one beginning", "cars", "cars", 1},
		{"two edits", "wiper", "vipers", 0},
		{"Cyrillic", "заказ", "заказа", 1 - 1./6},
		{"nothing in common", "train", "doctor", 0},
		{"empty", "", "doctor", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, got := range []float64{closeness(c.a, c.b), closeness(c.b, c.a)} {
				if math.Abs(got-c.want) > 1e-9 {
					t.Errorf("closeness(%s, %s) = %v, want %v", c.a, c.b, got, c.want)
				}
			}
		})
	}
}

// TestNearbyMeet checks that no nearby word is missed because the two never meet under a key.
func TestNearbyMeet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-cšж]{5,9}`).Draw(t, "word")
		r := []rune(word)
		at := rapid.IntRange(0, len(r)-1).Draw(t, "at")
		other := string(slices.Concat(r[:at], []rune{'z'}, r[at+rapid.IntRange(0, 1).Draw(t, "replaced"):]))
		if rapid.Bool().Draw(t, "missing") {
			other = string(slices.Concat(r[:at], r[at+1:]))
		}
		x := New()
		x.t.list(other)
		x.t.lists[0].ownDF = 1
		found := x.t.lookups(word)
		if near := closeness(word, other) > 0; near != (len(found) == 1) && word != other {
			t.Errorf("%s and %s: close %t, found %v", word, other, near, found)
		}
	})
}

func TestLookups(t *testing.T) {
	t.Parallel()
	x := New()
	for i, word := range []string{"order", "orders", "orderly", "ordered", "border", "07-14", "07-15", "gone"} {
		x.Put(Doc{ID: fmt.Sprint(i)})
		n := x.t.list(word)
		x.t.lists[n].ownDF = 1
	}
	x.t.lists[x.t.words["gone"]].ownDF = 0
	for word, want := range map[string][]string{
		"order":   {"order"},                      // what is found is not widened
		"orderz":  {"order", "orders", "ordered"}, // nearest first, equals by spelling, three at most
		"07-16":   nil,                            // another number is another thing
		"gone":    nil,                            // nothing has it any more
		"gonee":   nil,
		"unheard": nil,
	} {
		var got []string
		for _, l := range x.t.lookups(word) {
			got = append(got, x.t.lists[l.list].word)
			if exact := l.weight == 1; exact != (len(want) == 1) || !exact && (l.weight > nearWeight || l.weight*1024 != math.Trunc(l.weight*1024)) {
				t.Errorf("%s leads to %s with weight %v", word, got[len(got)-1], l.weight)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s leads to %v, want %v", word, got, want)
		}
	}
}
