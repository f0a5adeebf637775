package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

// showRecords lists what is remembered of the user, or what of it speaks of a text, with counts, and says how much lies in affairs that are not at hand.
func showRecords(ctx context.Context, m *memory.Memory, scope state.Scope, about string) (string, error) {
	own, elsewhere, err := m.Own(ctx, scope, about)
	if err != nil {
		return "", err
	}
	rest := tellElsewhere(elsewhere)
	switch {
	case len(own) == 0 && strings.TrimSpace(about) == "":
		return "nothing is remembered" + rest, nil
	case len(own) == 0:
		return "nothing is remembered of " + quote.Line(about) + rest, nil
	}

	set, err := m.Settings().In(ctx, scope)
	if err != nil {
		return "", err
	}

	// As many as there is room for, and how many more there are.
	room, lines := set.ToolResultBytes/2, []string{}
	for i, r := range own {
		line := RecordLine(r)
		if room -= len(line); room < 0 {
			lines = append(lines, fmt.Sprintf("- and %s more; ask about one topic", count(len(own)-i)))
			break
		}
		noteRecord(ctx, r, "")
		lines = append(lines, line)
	}
	return "remembered: " + count(len(own)) + kindCounts(own) + rest + "\n" + quote.Memory(lines...), nil
}

// tellElsewhere says how many records are kept in affairs that are not at hand.
func tellElsewhere(n int) string {
	if n == 0 {
		return ""
	}
	return "; besides, other affairs keep " + count(n) + " (" + ListAffairs + " names them, " + MemoryRecall + " finds what they say)"
}

// RecordLine returns a record in a list, as a model reads it.
func RecordLine(r state.Record) string {
	said := quote.Item(r.Content)
	if r.Subject != "" && !strings.HasPrefix(r.Content, r.Subject) {
		said = quote.Item(r.Subject) + ": " + quote.Line(r.Content)
	}
	line := "- " + said + " (record " + string(r.Kind) + ", " + r.RecordedAt.Format("2006-01-02") + ", id " + r.ID
	if r.Pinned {
		line += ", pinned"
	}
	return line + ")"
}

func count(n int) string {
	if n == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", n)
}

// kindCounts says how many records there are of each kind, when there are several kinds.
func kindCounts(records []state.Record) string {
	counts := map[state.RecordKind]int{}
	var kinds []state.RecordKind
	for _, r := range records {
		if counts[r.Kind]++; counts[r.Kind] == 1 {
			kinds = append(kinds, r.Kind)
		}
	}

	if len(kinds) < 2 {
		return ""
	}
	slices.SortStableFunc(kinds, func(a, b state.RecordKind) int { return cmp.Compare(counts[b], counts[a]) })

	parts := make([]string, len(kinds))
	for i, k := range kinds {
		parts[i] = fmt.Sprintf("%d %s", counts[k], k)
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
