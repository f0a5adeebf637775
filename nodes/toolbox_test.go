package nodes_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// Nothing fails open: what would run without an approval, or in another tool's place, is refused before a turn begins.
func TestCheckTools(t *testing.T) {
	t.Parallel()
	named := func(names ...string) (set []tool.InvokableTool) {
		for _, name := range names {
			set = append(set, handmade{name, func(context.Context, string) (string, error) { return "", nil }})
		}
		return set
	}
	memory := tools.New(setup(t, nil).memory)
	for _, c := range []struct {
		name    string
		approve []string
		sets    [][]tool.InvokableTool
		says    string // "" = it is fine
	}{
		{"all is well", []string{"pay", "memory_store"}, [][]tool.InvokableTool{memory, named("pay"), named("refund")}, ""},
		{"without the memory tools", nil, [][]tool.InvokableTool{named("affairs")}, ""},
		{"approve in another case", []string{"Pay"}, [][]tool.InvokableTool{memory, named("pay")}, `approve: names the tool "Pay", which there is not; did you mean "pay"?`},
		{"approve by an alias", []string{"MemorySave"}, [][]tool.InvokableTool{memory}, `did you mean "memory_store"?`},
		{"two of one name", nil, [][]tool.InvokableTool{named("pay", "pay")}, "tool pay: is there twice"},
		{"two of one name in two sets", nil, [][]tool.InvokableTool{named("pay"), named("pay")}, "tool pay: is there twice"},
		{"a memory tool's name", nil, [][]tool.InvokableTool{memory, named("memory_store")}, "tool memory_store: is there twice"},
		{"a memory tool's alias", nil, [][]tool.InvokableTool{memory, named("memory_search")}, "tool memory_search: is there twice, the other one is called memory_recall"},
		{"none", nil, [][]tool.InvokableTool{{nil}}, "tool: is nil"},
		{"no description", nil, [][]tool.InvokableTool{named("")}, "tool: does not describe itself: no name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := nodes.CheckTools(t.Context(), c.approve, c.sets...)
			if c.says == "" && err != nil {
				t.Errorf("got %v", err)
			}
			if c.says != "" && (state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("want invalid with %q, got %v", c.says, err)
			}
		})
	}
}
