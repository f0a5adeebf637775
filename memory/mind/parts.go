package mind

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Parts are the summaries that no L1 or L2 was made of yet, and the last part of a session of each agent that is over. Its values
// do not change.
type Parts struct {
	Open []Part          // oldest first
	Late []Part          // those that the small model has not read yet, oldest first
	Last map[string]Part // by agent
}

// Part names the summary of a part of a session that is over, or an L1 or L2.
type Part struct {
	ID      string
	Session string
	Level   int
	EndedAt time.Time
}

// With takes in what a record says of a part.
func (p Parts) With(r state.Record) Parts {
	if r.Span == nil || !r.Span.Ended() {
		return p
	}
	part := Part{ID: r.ID, Session: r.Session, Level: r.Span.Level, EndedAt: r.Span.EndedAt}
	p.Open = listed(p.Open, part, r.ValidTo == nil && r.Span.In == "")
	p.Late = listed(p.Late, part, r.ValidTo == nil && r.Span.Waits)
	if last := p.Last[r.Agent]; part.Level == 0 && r.ValidTo == nil && part.EndedAt.After(last.EndedAt) {
		p.Last = maps.Clone(p.Last)
		if p.Last == nil {
			p.Last = map[string]Part{}
		}
		p.Last[r.Agent] = part
	}
	return p
}

// listed is a list of parts, oldest first, with a part or without it.
func listed(list []Part, part Part, in bool) []Part {
	at := slices.IndexFunc(list, func(p Part) bool { return p.ID == part.ID })
	switch {
	case at < 0 && in:
		at, _ = slices.BinarySearchFunc(list, part, func(a, b Part) int {
			return cmp.Or(a.EndedAt.Compare(b.EndedAt), strings.Compare(a.ID, b.ID))
		})
		return slices.Insert(slices.Clone(list), at, part)
	case at >= 0 && !in:
		return slices.Delete(slices.Clone(list), at, at+1)
	}
	return list
}

// Level are the open parts of a level, oldest first.
func (p Parts) Level(level int) (out []Part) {
	for _, part := range p.Open {
		if part.Level == level {
			out = append(out, part)
		}
	}
	return out
}
