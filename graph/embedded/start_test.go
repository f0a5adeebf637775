package embedded_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
)

// What is set for all and counts from the start of a process on counts for a host too, unless it says otherwise; an embedder that it does not open
// is told of.
func TestWhatIsSetForAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func(c graph.Config) *embedded.Graph {
		t.Helper()
		g, err := embedded.OpenConfig(t.Context(), dir, c)
		must(t, err)
		return g
	}
	hot := func(g *embedded.Graph) string {
		t.Helper()
		set, err := g.Memory().Settings().In(t.Context(), state.Scope{})
		must(t, err)
		must(t, g.Close())
		return set.Get("hot_affairs_max") + " " + set.Origin("hot_affairs_max")
	}
	g := open(graph.Config{})
	_, err := g.Memory().Settings().Change(t.Context(), settings.ForAll, state.Scope{}, settings.Edit{Set: map[string]string{"hot_affairs_max": "7", "embedding_model": "some"}, By: "olga"})
	must(t, err)
	if got := hot(g); got == "7 global" {
		t.Errorf("a process that runs already: %s", got)
	}
	var log bytes.Buffer
	if got := hot(open(graph.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})); got != "7 global" {
		t.Errorf("a process that starts: %s", got)
	}
	if !strings.Contains(log.String(), "embedding_model") {
		t.Errorf("the host is not told: %s", log.String())
	}
	set := state.DefaultSettings()
	set.HotAffairsMax = 9
	if got := hot(open(graph.Config{Settings: set})); got != "9 operator" {
		t.Errorf("a host that says otherwise: %s", got)
	}
}
