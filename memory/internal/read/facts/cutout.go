package facts

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Cut stands in a known fact for what held once.
const Cut = "…"

// without is the known value without what stands in the spans (start and end, in bytes), which holds no longer. The clause around a span goes with
// it: "The plumber comes on Thursday, the boiler is in the loft" says nothing of a plumber any more. A clause that states another quantity is only
// cut where the span stands. It is "" if nothing is left that says anything.
func (h *held) without(spans ...[2]int) string {
	var cuts [][2]int
	for _, span := range spans {
		clause := h.clause(span)
		others := slices.ContainsFunc(h.marks, func(m Mark) bool {
			inside := clause[0] <= m.Start && m.End <= clause[1]
			return inside && !slices.ContainsFunc(spans, func(s [2]int) bool { return s[0] <= m.Start && m.End <= s[1] })
		})
		if others {
			clause = span
		}
		if !slices.Contains(cuts, clause) {
			cuts = append(cuts, clause)
		}
	}

	// The last cut first, so that the places of the others stay right.
	slices.SortFunc(cuts, func(a, b [2]int) int { return b[0] - a[0] })
	value := h.value
	for _, c := range cuts {
		value = value[:c[0]] + Cut + value[c[1]:]
	}
	if len(text.Terms(value)) == 0 {
		return ""
	}
	return value
}

// clause is the part of the value around a span that commas, semicolons or dashes set apart.
func (h *held) clause(span [2]int) [2]int {
	out := [2]int{0, len(h.value)}
	for _, sign := range []string{", ", "; ", " – ", " - ", ": "} {
		if i := strings.LastIndex(h.value[:span[0]], sign); i >= 0 {
			out[0] = max(out[0], i+len(sign))
		}
		if i := strings.Index(h.value[span[1]:], sign); i >= 0 {
			out[1] = min(out[1], span[1]+i)
		}
	}
	return out
}
