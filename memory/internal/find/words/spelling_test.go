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

func TestDice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b     string
		low, top float64
	}{
		{"pujcovn", "pujcovn", 1, 1},
		{"pujcovn", "zapujc", .3, .7},
		{"zwrot", "zwrocon", .4, .8},
		{"возврат", "вернуть", 0, .39},
		{"doctor", "kitchen", 0, .2},
	} {
		if got := sign(c.a).dice(sign(c.b)); got < c.low || got > c.top || got != sign(c.b).dice(sign(c.a)) {
			t.Errorf("dice of %s and %s = %v, want %v to %v", c.a, c.b, got, c.low, c.top)
		}
	}
}

// TestNearbyMeet checks that no nearby word is missed because the two never meet under a key, or their letter groups differ too much.
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
		found := x.t.similar(word, true)
		if near := closeness(word, other) > 0; near && word != other && (len(found) != 1 || found[0].closeness == 0) {
			t.Errorf("%s and %s are close, found %v", word, other, found)
		}
	})
}

func TestSimilar(t *testing.T) {
	t.Parallel()
	x := New()
	for i, word := range []string{"order", "orders", "orderly", "ordered", "border", "07-14", "07-15", "gone", "cars"} {
		x.Put(Doc{ID: fmt.Sprint(i)})
		n := x.t.list(word)
		x.t.lists[n].ownDF = 1
	}
	x.t.lists[x.t.words["gone"]].ownDF = 0
	for _, c := range []struct {
		word  string
		loose bool
		want  []string
	}{
		{"order", false, []string{"orders", "border", "orderly", "ordered"}},
		{"orderz", true, []string{"orders", "order", "ordered", "orderly"}},
		{"07-16", true, nil}, // another number is another thing
		{"gonee", true, nil}, // nothing has it any more
		{"card", false, nil}, // short words are alike by chance
		{"unheard", true, nil},
	} {
		var got []string
		for _, s := range x.t.similar(c.word, c.loose) {
			got = append(got, x.t.lists[s.list].word)
		}
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(c.want))) {
			t.Errorf("similar(%s, %t) = %v, want %v", c.word, c.loose, got, c.want)
		}
	}
}
