package field_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/statetest"
)

type sum int

func (s sum) Plus(t sum) sum { return s + t }

// all is a state with one field of each kind.
type all struct {
	last     field.Last[string]
	list     field.Append[int]
	total    field.Reduce[sum]
	volatile field.Volatile[string]
}

func (a *all) fields() []field.Field {
	return []field.Field{&a.last, &a.list, &a.total, &a.volatile}
}

type seen struct {
	Last     string
	IsSet    bool
	List     []int
	Len      int
	Total    sum
	Volatile string
}

func (a *all) seen() seen {
	return seen{a.last.Get(), a.last.IsSet(), a.list.Items(), a.list.Len(), a.total.Get(), a.volatile.Get()}
}

// change does something to a copy of the state, as a node would.
func change(r *rapid.T, a *all) {
	for _, what := range rapid.SliceOfN(rapid.SampledFrom([]string{"last", "list", "total", "volatile"}), 0, 5).Draw(r, "changes") {
		n := rapid.IntRange(-9, 9).Draw(r, "n")
		switch what {
		case "last":
			a.last.Set(fmt.Sprint(n))
		case "list":
			a.list.Add(n, n+1)
		case "total":
			a.total.Add(sum(n))
		case "volatile":
			a.volatile.Set(fmt.Sprint(n))
		}
	}
}

// merge is what the committer does: deltas first, then the state.
func merge(r *rapid.T, into, from, log *all) {
	for i, f := range from.fields() {
		if !f.Changed() {
			continue
		}
		delta, err := f.Delta()
		must(r, err)
		if delta.Type != 0 {
			must(r, log.fields()[i].Apply(delta))
		}
		must(r, into.fields()[i].Merge(f))
	}
}

// Whatever copies change, and in whatever order they are merged: a state rebuilt from the deltas is the
// live one, nothing a copy does is seen by others, and merged changes are not merged again.
func TestDeltasRebuildTheState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var live, log all
		want := seen{List: []int{}}
		for range rapid.IntRange(0, 8).Draw(r, "rounds") {
			a, b := live, live // two nodes at the same time
			before := live.seen()
			change(r, &a)
			mine := a.seen()
			change(r, &b)
			if diff := cmp.Diff(mine, a.seen()); diff != "" {
				r.Fatalf("b changed a (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(before, live.seen()); diff != "" {
				r.Fatalf("copies changed the state (-before +after):\n%s", diff)
			}
			list := want.List
			want = plus(plus(want, &b), &a)
			if rapid.Bool().Draw(r, "a's items go in front of b's") {
				want.List = append(append(append([]int{}, list...), added(a, before)...), added(b, before)...)
				a.list.Before(len(added(b, before)))
			}
			for _, copied := range []*all{&b, &a} {
				merge(r, &live, copied, &log)
			}
			for _, f := range live.fields() {
				if f.Changed() {
					r.Fatalf("%T counts as changed after the merge", f)
				}
			}
			if diff := cmp.Diff(want, live.seen()); diff != "" {
				r.Fatalf("live (-want +got):\n%s", diff)
			}
		}
		want.Volatile = ""
		if diff := cmp.Diff(want, log.seen()); diff != "" {
			r.Fatalf("rebuilt (-want +got):\n%s", diff)
		}
	})
}

// added is what a copy adds to the list.
func added(a all, before seen) []int { return a.list.Items()[before.Len:] }

// plus is the state after a copy's changes by the plain meaning of the fields.
func plus(want seen, from *all) seen {
	if from.last.Changed() {
		want.Last, want.IsSet = from.last.Get(), true
	}
	if from.volatile.Changed() {
		want.Volatile = from.volatile.Get()
	}
	if from.list.Changed() {
		delta, _ := from.list.Delta()
		var added []int
		_ = delta.Unmarshal(&added)
		want.List = append(want.List, added...)
		want.Len = len(want.List)
	}
	if from.total.Changed() {
		delta, _ := from.total.Delta()
		var added sum
		_ = delta.Unmarshal(&added)
		want.Total += added
	}
	return want
}

// value is what stores tend to get wrong.
type value struct {
	Text  string
	Bytes []byte
	Big   int64
	Float float64
	At    time.Time
	Map   map[string]string
	Empty map[string]string
	Next  *value
}

func TestValuesSurvive(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		v    value
	}{
		{"zero", value{}},
		{"text of many scripts", value{Text: "příliš żółty кот \x00 🦉"}},
		{"invalid UTF-8", value{Text: "a\xff\xfe"}},
		{"bytes", value{Bytes: []byte{0, 1, 255}}},
		{"beyond a float's integers", value{Big: 1<<53 + 1}},
		{"least and most", value{Big: math.MinInt64, Float: math.MaxFloat64}},
		{"minus zero", value{Float: math.Copysign(0, -1)}},
		{"infinity", value{Float: math.Inf(-1)}},
		{"keys with dots and dollars", value{Map: map[string]string{"a.b": "1", "$ne": "2", "": "3"}}},
		{"empty is not nil", value{Empty: map[string]string{}, Bytes: []byte{}}},
		{"depth", value{Next: &value{Next: &value{Text: "down here"}}}},
		{"a time to the millisecond", value{At: time.Date(2026, 2, 15, 21, 0, 0, 123e6, time.UTC)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := field.Of(tt.v)
			delta, err := f.Delta()
			must(t, err)
			var got field.Last[value]
			must(t, got.Apply(delta))
			same(t, "got", tt.v, got.Get())
			if got.Changed() || !got.IsSet() {
				t.Errorf("applied: changed %v, set %v", got.Changed(), got.IsSet())
			}
			if math.Signbit(got.Get().Float) != math.Signbit(tt.v.Float) {
				t.Errorf("sign of %v is lost", tt.v.Float)
			}
		})
	}
}

func TestNaNSurvives(t *testing.T) {
	t.Parallel()
	f := field.Of(math.NaN())
	delta, err := f.Delta()
	must(t, err)
	var got field.Last[float64]
	if err := got.Apply(delta); err != nil || !math.IsNaN(got.Get()) {
		t.Errorf("got %v, %v", got.Get(), err)
	}
}

func TestNilPointer(t *testing.T) {
	t.Parallel()
	f := field.Of[*value](nil)
	delta, err := f.Delta()
	must(t, err)
	got := field.Of(&value{})
	if err := got.Apply(delta); err != nil || got.Get() != nil || !got.IsSet() {
		t.Errorf("got %v, set %v, %v", got.Get(), got.IsSet(), err)
	}
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	text, number := field.Of("x"), field.Of(1)
	delta, err := text.Delta()
	must(t, err)
	var list field.Append[int]
	var total field.Reduce[sum]
	var volatile field.Volatile[string]
	for _, f := range []field.Field{&number, &list, &total, &volatile} {
		if err := f.Merge(&text); err == nil {
			t.Errorf("%T takes over from %T", f, &text)
		}
		if _, ok := f.(*field.Volatile[string]); ok {
			continue // passes over what was stored before it became volatile
		}
		if err := f.Apply(delta); err == nil {
			t.Errorf("%T takes over a text", f)
		}
	}
	if err := volatile.Apply(delta); err != nil || volatile.IsSet() {
		t.Errorf("volatile: %v, set %v", err, volatile.IsSet())
	}
	wrong := field.Of(make(chan int))
	if _, err := wrong.Delta(); err == nil {
		t.Error("a channel can be stored")
	}
}

// Items and what a caller appends to them are the caller's own.
func TestItemsAreACopy(t *testing.T) {
	t.Parallel()
	var f field.Append[int]
	f.Add(1, 2)
	items := append(f.Items(), 3)
	items[0] = 9
	f.Add(4)
	same(t, "got", []int{1, 2, 4}, f.Items())
}

// A copy taken in the middle of a node's work goes its own way.
func TestCopiesPart(t *testing.T) {
	t.Parallel()
	var a field.Append[int]
	a.Add(1)
	a.Add(2)
	a.Add(3) // room for a fourth
	b := a
	a.Add(4)
	b.Add(5)
	same(t, "got", [][]int{{1, 2, 3, 4}, {1, 2, 3, 5}}, [][]int{a.Items(), b.Items()})
}

var must, same = statetest.Must, statetest.Same
