package quick_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/internal/quick"
)

func TestTheLeastRecentlyUsedGoesFirst(t *testing.T) {
	t.Parallel()
	a := quick.New(quick.Budgets{quick.Warm: 100})
	for _, key := range []string{"a", "b", "c"} {
		if gone := a.Hold(quick.Warm, key, 30); gone != nil {
			t.Errorf("%v had to go", gone)
		}
	}
	a.Hold(quick.Warm, "a", 35)
	if gone := a.Hold(quick.Warm, "d", 60); !slices.Equal(gone, []string{"b", "c"}) {
		t.Errorf("%v had to go, want b and c", gone)
	}
	a.Release(quick.Warm, "a")
	a.Release(quick.Warm, "unknown")
	if u := a.Usage()[quick.Warm]; u != (quick.Usage{Layer: "warm", Bytes: 60, Things: 1, Budget: 100, Gone: 2}) {
		t.Errorf("usage %+v", u)
	}
	if gone := a.Hold(quick.Warm, "huge", 1000); !slices.Equal(gone, []string{"d"}) {
		t.Errorf("%v had to go, want all but the one in use", gone)
	}
}

// TestNoLayerIsAboveItsBudget holds and releases at random and compares with a map.
func TestNoLayerIsAboveItsBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		budgets := quick.Budgets{200, 100, 300, 50}
		a := quick.New(budgets)
		held := [4]map[string]int64{{}, {}, {}, {}}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			l := quick.Layer(rapid.IntRange(0, 3).Draw(t, "layer"))
			key := fmt.Sprint(rapid.IntRange(0, 8).Draw(t, "key"))
			if rapid.IntRange(0, 4).Draw(t, "do") == 0 {
				a.Release(l, key)
				delete(held[l], key)
				continue
			}
			bytes := int64(rapid.IntRange(0, int(budgets[l])).Draw(t, "bytes"))
			held[l][key] = bytes
			for _, gone := range a.Hold(l, key, bytes) {
				if _, ok := held[l][gone]; !ok || gone == key {
					t.Fatalf("%s was told to go", gone)
				}
				delete(held[l], gone)
			}
		}
		for i, u := range a.Usage() {
			sum := int64(0)
			for _, bytes := range held[i] {
				sum += bytes
			}
			if u.Bytes != sum || u.Things != len(held[i]) || u.Bytes > u.Budget {
				t.Fatalf("%s: %+v, want %d bytes of %d things", u.Layer, u, sum, len(held[i]))
			}
		}
	})
}
