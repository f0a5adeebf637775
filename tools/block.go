package tools

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

type blockArgs struct {
	Name string `json:"name"`
	From int    `json:"from_line"`
	To   int    `json:"to_line"`
}

// blockTool is read_block: what the conversation shows as a placeholder or in part.
func blockTool(m *memory.Memory) *bound {
	return bind(describeTool(ReadBlock, "Read what the conversation shows only as a placeholder or in part: code, logs, tables, attachments, long messages. "+
		"Its name stands there: m12.1 is a block of message 12, m12.a1 an attachment, m12 the whole message.", map[string]*schema.ParameterInfo{
		"name":      textParam("Name of the block, such as m12.1", true),
		"from_line": {Type: schema.Integer, Desc: "First line to read; default 1"},
		"to_line":   {Type: schema.Integer, Desc: "Last line to read; default as many as there is room for"},
	}),
		func(ctx context.Context, scope state.Scope, args blockArgs) (string, error) {
			if err := requireText(ReadBlock, "name", args.Name); err != nil {
				return "", err
			}
			hits, err := m.Recall(ctx, memory.Query{Scope: scope, Block: strings.TrimSpace(args.Name)})
			if err != nil {
				return "", err
			}

			set, err := m.Settings().In(ctx, scope)
			if err != nil {
				return "", err
			}
			return listLines(hits[0], args, set.ToolResultBytes)
		})
}

// listLines quotes the lines of a block that the arguments ask for, as many as fit into so many bytes, and says how to read on.
func listLines(h memory.Hit, args blockArgs, most int) (string, error) {
	// Which lines are meant.
	lines := strings.SplitAfter(strings.TrimSuffix(h.Text, "\n"), "\n")
	from, to := max(args.From, 1), min(args.To, len(lines))
	if to <= 0 {
		to = len(lines)
	}
	if from > to {
		return "", state.Errorf(state.Invalid, ReadBlock, "%s has lines 1 to %d; ask for some of these", h.Block, len(lines))
	}

	// As many as there is room for; of the first one what there is.
	const frame = 400 // bytes of what stands around them
	room, last := most-frame, from-1
	for bytes := 0; last < to; last++ {
		if bytes += len("> ") + len(lines[last]); bytes > room {
			break
		}
	}
	part := fmt.Sprintf("lines %d to %d of %d", from, last, len(lines))
	shown := lines[from-1 : last]
	if last < from {
		shown = []string{head(lines[from-1], room-len("> "))}
		last, part = from, fmt.Sprintf("the first %d of %d bytes of line %d of %d", len(shown[0]), len(lines[from-1]), from, len(lines))
	}
	if last < to {
		part += fmt.Sprintf("; go on with from_line %d", last+1)
	}
	return quote.Memory(h.Block+" ("+quote.Line(h.Source)+"), "+part, quote.Block(strings.Join(shown, ""))), nil
}

// head returns the beginning of s in so many bytes, without a part of a character.
func head(s string, bytes int) string {
	bytes = max(0, min(bytes, len(s)))
	for bytes > 0 && bytes < len(s) && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes]
}
