package tools

import (
	"context"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

type recallArgs struct {
	Query string `json:"query"`
	Scope string `json:"scope"`
}

// recallTool is memory_recall: look something up.
func recallTool(m *memory.Memory) *bound {
	where := textParam("Where to look: current = the current affair, session = all that was said in this conversation, all = everything, kb_only = stored records only. Default all", false)
	where.Enum = []string{string(memory.InCurrent), string(memory.InSession), string(memory.InAll), string(memory.InKB)}
	return bind(describeTool(MemoryRecall, "Look something up in memory: the current affair, parked ones, earlier messages and stored records. "+
		"Returns the best matches with their sources.", map[string]*schema.ParameterInfo{
		"query": textParam("What to look for", true),
		"scope": where,
	}),
		func(ctx context.Context, scope state.Scope, args recallArgs) (string, error) {
			if err := requireText(MemoryRecall, "query", args.Query); err != nil {
				return "", err
			}

			origin, _ := memory.OriginFrom(ctx)
			hits, err := m.Recall(ctx, memory.Query{
				Scope: scope, Text: args.Query, In: memory.Where(args.Scope), Affair: origin.Affair, Before: origin.Seq,
			})
			if err != nil {
				return "", err
			}
			return listHits(ctx, hits), nil
		})
}

// listHits writes hits one a line, in the form of the context's evidence.
func listHits(ctx context.Context, hits []memory.Hit) string {
	if len(hits) == 0 {
		return "nothing found"
	}
	lines := make([]string, len(hits))
	for i, h := range hits {
		noteHit(ctx, h)
		source := quote.Line(h.Source)
		if h.Block != "" {
			source += ", " + ReadBlock + " " + h.Block
		}
		if name := h.Name(); name != "" {
			source += ", id " + name
		}
		lines[i] = "- " + quote.Item(h.Text) + " (" + source + ")"
	}
	return quote.Memory(lines...)
}
