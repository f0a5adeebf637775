package forget

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// noteRemakes notes what stays and was made of what goes.
func (p *erasure) noteRemakes() {
	hit := map[string]bool{} // affairs
	for _, msg := range p.kept.messages {
		if p.touches(msg) {
			hit[msg.v.Affair] = true
		}
	}
	for _, r := range p.kept.records {
		if p.records[r.key] || p.cuts[recordRef(r.key)] != nil {
			hit[r.v.Affair] = true
		}
	}
	for _, a := range p.kept.affairs {
		into := a.v.MergedInto != "" && hit[a.v.MergedInto] || slices.ContainsFunc(a.v.Absorbed, func(id string) bool { return hit[id] })
		related := slices.ContainsFunc(a.v.Related, func(id string) bool { return p.affairs[id] })
		cut := p.cuts[string(state.Affairs)+"/"+a.key] != nil
		if !p.affairs[a.key] && (hit[a.v.ID] || into || related || cut || p.f.in(affairWords(a.v))) {
			p.remake[string(state.Affairs)+"/"+a.key] = true
		}
	}
	p.noteSummaries()
	for _, s := range p.kept.sessions {
		words := s.v.Title + "\n" + s.v.Summary
		for _, value := range s.v.Preferences {
			words += "\n" + value
		}
		told := slices.ContainsFunc(p.kept.messages, func(msg keptDoc[state.Message]) bool {
			return p.messages[msg.key] && sessionOf(msg.key) == s.key && msg.v.Preferences != nil
		})
		cut := p.cuts[string(state.Sessions)+"/"+s.key] != nil
		if !p.sessions[s.key] && (p.affairs[s.v.Active] || cut || p.records[s.v.SummaryID] || told || p.f.in(words)) {
			p.remake[string(state.Sessions)+"/"+s.key] = true
		}
	}
	for _, msg := range p.kept.messages {
		if !p.messages[msg.key] && p.f.in(msg.v.Why) {
			p.remake[string(state.Messages)+"/"+msg.key] = true
		}
	}
}

// touches reports whether a message goes, or some of it.
func (p *erasure) touches(msg keptDoc[state.Message]) bool {
	return p.messages[msg.key] || p.cuts[messageRef(msg.key)] != nil
}

// noteSummaries notes the summaries of parts of sessions that cover what goes, and those made of them; one of which nothing is left goes.
func (p *erasure) noteSummaries() {
	again := map[string]bool{}
	for level := range 3 {
		for _, r := range p.kept.records {
			if r.v.Span == nil || r.v.Span.Level != level || p.records[r.key] {
				continue
			}

			// A part of a session is made again if a message goes that it covers, and goes if none is left.
			hit, left := p.f.in(spanWords(r.v)), level > 0
			for _, msg := range p.kept.messages {
				if in := level == 0 && sessionOf(msg.key) == r.v.Session && msg.v.Seq >= r.v.Span.First && msg.v.Seq <= max(r.v.Span.Last, r.v.Span.Covered); in {
					hit, left = hit || p.touches(msg), left || !p.messages[msg.key]
				}
			}

			// A higher level follows the parts that it is made of.
			if level > 0 {
				hit = hit || slices.ContainsFunc(r.v.Span.Of, func(id string) bool { return again[id] || p.records[id] })
				left = slices.ContainsFunc(r.v.Span.Of, func(id string) bool { return !p.records[id] })
			}

			switch {
			case hit && !left:
				p.records[r.key] = true
			case hit:
				again[r.key], p.remake[string(state.Records)+"/"+r.key] = true, true
			}
		}
	}
}

// remakeOrder puts what others are made of first: affairs, then summaries of parts, L1, L2, sessions, messages.
func remakeOrder(a, b string) int {
	place := func(ref string) int {
		r := parseRef(ref)
		switch {
		case r.Collection == state.Affairs:
			return 0
		case strings.HasPrefix(r.ID, "l1."):
			return 2
		case strings.HasPrefix(r.ID, "l2."):
			return 3
		case r.Collection == state.Records:
			return 1
		}
		return 4
	}
	if d := place(a) - place(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}
