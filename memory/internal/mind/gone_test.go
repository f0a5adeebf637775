package mind

import (
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// TestStrikeLeavesATitle: what is left of a title leads nowhere, and keeps the function words that something comes behind.
func TestStrikeLeavesATitle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ title, gone, want string }{
		{"Lunch at the Fox", "Fox", "Lunch"},
		{"Lunch at Fox with Eva", "Fox", "Lunch with Eva"},
		{"The Fox trip", "Fox", "The trip"},
		{"Nocleg w Hostelu Mundo", "Hostelu Mundo", "Nocleg"},
		{"Oběd u Procházků v sobotu", "Procházků", "Oběd v sobotu"},
		{"Ремонт у Ильдара", "Ильдара", "Ремонт"},
		{"Lunch at noon", "Fox", "Lunch at noon"},
	} {
		if got := GoneOf(state.Record{ID: "r", Content: c.gone}).Strike(c.title); got != c.want {
			t.Errorf("%q without %q: %q, want %q", c.title, c.gone, got, c.want)
		}
	}
}
