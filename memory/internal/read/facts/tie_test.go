package facts_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// TestTieKeepsBoth has two known facts that a new price fits as well: neither is overwritten.
func TestTieKeepsBoth(t *testing.T) {
	t.Parallel()
	known := state.Facts{
		{Label: "price", Value: "the roof repair costs 505 euros"}, {Label: "price 2", Value: "the roof repair costs 501 euros"},
		{Label: "a", Value: "40 euros for lunch"}, {Label: "b", Value: "30 euros for taxi"},
		{Label: "c", Value: "20 euros for paint"}, {Label: "d", Value: "10 euros for nails"},
	}
	r := facts.Read("The roof repair costs 550 euros now.", "en")
	renewal := r.Renewal(known)
	for _, f := range r.Told() {
		if renewed, _ := renewal.Take(f); len(renewed) > 0 {
			t.Errorf("%v renewed %v, want both prices kept", f, renewed)
		}
	}
}
