package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
)

func TestGraphDrawing(t *testing.T) {
	t.Parallel()
	got := mneme(t, "", nil, "graph")
	for _, part := range []string{"flowchart TD", `n1["intake"]`, "start --> n1", "n5 --> n6", "n6 --> end_"} {
		if got.code != 0 || !strings.Contains(got.out, part) {
			t.Errorf("exit status %d, stderr %q, output lacks %q:\n%s", got.code, got.err, part, got.out)
		}
	}
	got = mneme(t, "", nil, "graph", "--json")
	var d flow.Drawing
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || got.code != 0 || len(d.Nodes) != 6 || len(d.Edges) != 7 {
		t.Errorf("exit status %d, %v: %s", got.code, err, got.out)
	}
}
