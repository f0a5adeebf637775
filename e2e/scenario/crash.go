package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// Crash is the place at which the process dies. Call is "" (the node itself), "model" or "tool"; with "model" it is
// at the Nth call of a model in the node (of the chat model in respond, of the small model elsewhere), with "tool" at
// the Nth call of Tool, both counted over the turn.
type Crash struct {
	After bool
	Node  string
	Call  string
	Tool  string
	Nth   int
}

// Place names the place as package crash does.
func (c Crash) Place() string {
	place := "before " + c.Node
	if c.After {
		place = "after " + c.Node
	}
	switch c.Call {
	case "model":
		return fmt.Sprintf("%s/model#%d", place, c.Nth)
	case "tool":
		return fmt.Sprintf("%s/tool:%s#%d", place, c.Tool, c.Nth)
	}
	return place
}

// nodeNames lists the nodes of the pipeline in their order.
func nodeNames() []string {
	return []string{nodes.IntakeName, nodes.MemoryLoadName, nodes.ContextDetectName, nodes.RespondName, nodes.MemoryFlushName, nodes.FinalizeName}
}

// thinking lists the nodes that call a model.
func thinking() []string {
	return []string{nodes.ContextDetectName, nodes.RespondName, nodes.MemoryFlushName}
}

// toolNames lists the tools of memory.
func toolNames() []string {
	return []string{
		tools.MemoryStore, tools.MemoryRecall, tools.ListAffairs, tools.RecallAffair, tools.ResolveAffair, tools.ReadBlock,
		tools.MemoryUpdate, tools.ScheduleTask,
	}
}

// crash reads "after respond/tool:memory_store#2".
func (r *reader) crash(n ast.Node) *Crash {
	text := r.Text("crash", n)
	m := regexp.MustCompile(`^(before|after) ([^/#\s]+)(?:/(?:(model)|(tool):([^#\s]+))(?:#([1-9][0-9]{0,3}))?)?$`).
		FindStringSubmatch(strings.Join(strings.Fields(text), " "))
	if m == nil {
		r.Fail(n, "crash does not accept %q; write before or after and one of %s, then /model or /tool:NAME#2 if wanted",
			text, strings.Join(nodeNames(), ", "))
		return nil
	}

	c := &Crash{After: m[1] == "after", Node: m[2], Call: m[3] + m[4], Tool: m[5]}
	if c.Call != "" {
		c.Nth = 1
	}
	if m[6] != "" {
		c.Nth, _ = strconv.Atoi(m[6]) // the expression admits numbers only
	}

	if wrong := c.unknown(); wrong != "" {
		r.Fail(n, "crash does not accept %q; %s", text, wrong)
	}
	return c
}

// unknown says which of the names nobody has, "" when all are known.
func (c *Crash) unknown() string {
	switch {
	case !slices.Contains(nodeNames(), c.Node):
		return fmt.Sprintf("there is no node %q, did you mean %q? It takes %s",
			c.Node, state.Nearest(c.Node, nodeNames()), strings.Join(nodeNames(), ", "))
	case c.Call == "model" && !slices.Contains(thinking(), c.Node):
		return fmt.Sprintf("%s calls no model; %s do", c.Node, strings.Join(thinking(), ", "))
	case c.Call == "tool" && c.Node != nodes.RespondName:
		return fmt.Sprintf("%s calls no tools; %s does", c.Node, nodes.RespondName)
	}
	return ""
}

// unknownTool says that the crash is at the call of a tool which neither memory nor the host's own are, "" when it is known.
func (c *Crash) unknownTool(own []string) string {
	names := append(toolNames(), own...)
	if c.Call != "tool" || slices.Contains(names, tools.Canonical(c.Tool)) || slices.Contains(own, c.Tool) {
		return ""
	}
	return fmt.Sprintf("crash at tool:%s: there is no such tool, did you mean %q? It takes %s", c.Tool, state.Nearest(c.Tool, names), strings.Join(names, ", "))
}
