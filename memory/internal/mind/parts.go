package mind

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Parts are the summaries that no L1 or L2 names yet, and the last part of a session of each agent that is over. An L1 says what it is
// of, and nothing else does: so the two cannot differ.
type Parts struct {
	Open []Part          // oldest first
	Late []Part          // those that the small model has not read yet, oldest first
	Last map[string]Part // by agent

	in   map[string]bool // ids of those that an L1 or L2 names
	made map[[2]int]bool // level and number of each L1 and L2
}

// Part names the summary of a part of a session that is over, or an L1 or L2.
type Part struct {
	ID      string
	Session string
	Level   int
	EndedAt time.Time
}

func newParts() Parts {
	return Parts{Last: map[string]Part{}, in: map[string]bool{}, made: map[[2]int]bool{}}
}

// Clone returns a copy to be changed.
func (p Parts) Clone() Parts {
	return Parts{slices.Clone(p.Open), slices.Clone(p.Late), maps.Clone(p.Last), maps.Clone(p.in), maps.Clone(p.made)}
}

// Take takes in what a record says of a part.
func (p *Parts) Take(r state.Record) {
	if r.Span == nil || !r.Span.Ended() {
		return
	}
	part := Part{ID: r.ID, Session: r.Session, Level: r.Span.Level, EndedAt: r.Span.EndedAt}
	for _, id := range r.Span.Of {
		p.in[id] = true
		p.Open = listed(p.Open, Part{ID: id}, false)
	}
	if part.Level > 0 {
		p.made[[2]int{part.Level, r.Span.Part}] = true
	}

	p.Open = listed(p.Open, part, r.ValidTo == nil && !p.in[r.ID])
	p.Late = listed(p.Late, part, r.ValidTo == nil && r.Span.Waits)
	if part.Level == 0 && r.ValidTo == nil && part.EndedAt.After(p.Last[r.Agent].EndedAt) {
		p.Last[r.Agent] = part
	}
}

// Drop forgets a summary that is gone.
func (p *Parts) Drop(id string) {
	p.Open, p.Late = listed(p.Open, Part{ID: id}, false), listed(p.Late, Part{ID: id}, false)
	maps.DeleteFunc(p.Last, func(_ string, part Part) bool { return part.ID == id })
}

// listed returns a list of parts, oldest first, with a part or without it.
func listed(list []Part, part Part, in bool) []Part {
	at := slices.IndexFunc(list, func(p Part) bool { return p.ID == part.ID })
	switch {
	case at < 0 && in:
		at, _ = slices.BinarySearchFunc(list, part, func(a, b Part) int {
			return cmp.Or(a.EndedAt.Compare(b.EndedAt), strings.Compare(a.ID, b.ID))
		})
		return slices.Insert(list, at, part)
	case at >= 0 && !in:
		return slices.Delete(list, at, at+1)
	}
	return list
}

// Level returns the open parts of a level, oldest first.
func (p Parts) Level(level int) (out []Part) {
	for _, part := range p.Open {
		if part.Level == level {
			out = append(out, part)
		}
	}
	return out
}

// Next returns the number of the next L1 or L2. There is no gap in the numbers. So who makes one knows of all parts that are in another: if he
// missed one, that has his number, and of two of one number the first stays.
func (p Parts) Next(level int) int {
	n := 1
	for p.made[[2]int{level, n}] {
		n++
	}
	return n
}
