package forget

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// This file makes documents again from what is left when something is erased. It goes by the rules alone, so that whoever goes on with an order
// makes the same, with a model or without one.
//
// What was made of what goes is made again by the rules alone: whoever goes on with an order that was cut short makes the same. A
// turn goes as a whole when what the user said in it goes. Numbers of steps, of the feed and ids of turns stay taken.

// remade returns a document as it is without what goes, nil when nothing of it is left. Those that it is made of come before it.
func (p *erasure) remade(ref ledger.Ref) (any, error) {
	// The affair and the record that are made again are put back: later documents are made of them.
	switch ref.Collection {
	case state.Affairs:
		if a := find(p.kept.affairs, ref.ID); a != nil {
			a.v = p.remadeAffair(a.v)
			return a.v, nil
		}
	case state.Sessions:
		if s := find(p.kept.sessions, ref.ID); s != nil {
			return p.remadeSession(s.v), nil
		}
	case state.Messages:
		if msg := find(p.kept.messages, ref.ID); msg != nil {
			left := msg.v
			left.Why = ""
			return left, nil
		}
	case state.Records:
		if r := find(p.kept.records, ref.ID); r != nil && r.v.Span != nil {
			if r.v.Span.Level > 0 {
				r.v = p.remadeLevel(r.v)
			} else {
				r.v = p.remadePart(r.v)
			}
			return r.v, nil
		}
	}
	return nil, state.Errorf(state.Internal, "make "+string(ref.Collection)+" "+ref.ID+" again", "nothing is known of it")
}

func find[T any](list []keptDoc[T], key string) *keptDoc[T] {
	if at := slices.IndexFunc(list, func(d keptDoc[T]) bool { return d.key == key }); at >= 0 {
		return &list[at]
	}
	return nil
}

// said returns the user's and the assistant's messages that are filed under affairs, what goes of them and what stays, the oldest first.
func (p *erasure) said(of func(msg keptDoc[state.Message]) bool) (gone, left []state.Message) {
	for _, msg := range p.kept.messages {
		switch {
		case !of(msg) || msg.v.Role == state.RoleTool || msg.v.Undone || msg.v.Unstored():
		case p.messages[msg.key]:
			gone = append(gone, msg.v)
		default:
			goes, stays := p.halves(msg)
			if left = append(left, stays); goes.Text != "" {
				gone = append(gone, goes)
			}
		}
	}
	oldest := func(a, b state.Message) int { return a.At.Compare(b.At) }
	slices.SortStableFunc(gone, oldest)
	slices.SortStableFunc(left, oldest)
	return gone, left
}

// remadeAffair returns an affair without what goes. What the rules cannot have learnt from it stays, such as what somebody wrote himself.
func (p *erasure) remadeAffair(a state.Affair) state.Affair {
	own := func(msg keptDoc[state.Message]) bool {
		return msg.v.Affair == a.ID || slices.Contains(a.Absorbed, msg.v.Affair)
	}
	gone, left := p.said(own)
	a = at(p.cuts[string(state.Affairs)+"/"+a.ID]).affair(a)
	for _, r := range p.kept.records {
		if p.records[r.key] && r.v.Affair == a.ID {
			gone = append(gone, state.Message{Role: state.RoleUser, Text: mind.RecordText(r.v)})
		}
	}
	lang := text.Language(affair.Text(slices.Concat(left, gone)), "en")
	was, is := affair.Values(gone, lang), affair.Values(left, lang)
	repeats := func(string) bool { return false }
	if p.bySentence() { // a sentence alone may be read in another way than in its message
		repeats = repeatsOnly(affair.Text(gone), affair.Text(left)+p.recordsOf(a.ID))
	}
	goes := func(s string) bool { return p.f.in(s) || was[text.Fold(s)] && !is[text.Fold(s)] || repeats(s) }

	a.KeyFacts = slices.DeleteFunc(slices.Clone(a.KeyFacts), func(f state.Fact) bool { return goes(f.Value) || p.f.in(f.Label) })
	a.PastFacts = slices.DeleteFunc(slices.Clone(a.PastFacts), func(f state.Past) bool { return goes(f.Value) || p.f.in(f.Label) })
	a.Topics = slices.DeleteFunc(slices.Clone(a.Topics), goes)
	a.PendingActions = slices.DeleteFunc(slices.Clone(a.PendingActions), goes)
	a.Related = slices.DeleteFunc(slices.Clone(a.Related), func(id string) bool { return p.affairs[id] })
	a.Absorbed = slices.DeleteFunc(slices.Clone(a.Absorbed), func(id string) bool { return p.affairs[id] })
	for _, msg := range p.kept.messages {
		if own(msg) && p.messages[msg.key] && msg.v.Role != state.RoleTool && !msg.v.Undone && !msg.v.Unstored() {
			a.Messages = max(0, a.Messages-1)
		}
	}
	anew := slices.Contains(p.cuts[string(state.Affairs)+"/"+a.ID], everyPlace)
	if anew || a.Summary != "" && (len(gone) > 0 || p.f.in(a.Summary)) {
		a.Summary = p.f.without(affair.Summarise("", affair.FromUser(left), p.m.desk.Documents.Known(p.scope).SummaryMaxTokens, p.m.desk.Tokens.Count))
	}
	if a.Title == "" || p.f.in(a.Title) || a.TitleBy != state.AuthorUser && affair.Names(a.Title, gone, left) {
		a.Title, a.TitleBy = p.title(affair.FromUser(left), lang), state.AuthorRules
	}
	if a.Session != "" && p.sessions[a.Session] { // it was active there
		a.Session = ""
		if a.Status == state.Active {
			a.Status = state.Parked
		}
	}
	return a
}

// recordsOf returns what the records say that are filed under an affair and stay.
func (p *erasure) recordsOf(affair string) string {
	var b strings.Builder
	for _, r := range p.kept.records {
		if r.v.Affair == affair && r.v.Span == nil && !p.records[r.key] {
			b.WriteString(mind.RecordText(at(p.cuts[recordRef(r.key)]).record(r.v)) + "\n")
		}
	}
	return b.String()
}

// title returns one for what is left.
func (p *erasure) title(left []state.Message, lang string) string {
	for _, msg := range left {
		if title := facts.Title(desk.Said(msg), lang); title != "" && !p.f.in(title) {
			return title
		}
	}
	return "…"
}

// remadePart returns the summary of a part of a session, made again by rule from the messages that are left.
func (p *erasure) remadePart(r state.Record) state.Record {
	span := *r.Span
	gone, left := p.said(func(msg keptDoc[state.Message]) bool {
		return sessionOf(msg.key) == r.Session && msg.v.Seq >= span.First && msg.v.Seq <= max(span.Last, span.Covered)
	})

	// What was summed up, made anew of the messages that are left.
	folded := parts.Unfiled(left, span.First-1, span.Covered)
	span.Messages, span.KeyFacts, span.Topics = len(folded), nil, nil
	parts.Learn(&span, folded, text.Language(affair.Text(left), "en"))
	span.KeyFacts = slices.DeleteFunc(span.KeyFacts, func(f state.Fact) bool { return p.f.in(f.Label + ": " + f.Value) })
	span.Topics = slices.DeleteFunc(span.Topics, p.f.in)

	r.Subject, r.Content = p.f.without(r.Subject), ""
	if len(folded) > 0 {
		r.Content = p.f.without(affair.Summarise("", affair.FromUser(folded), parts.Tokens(p.m.desk.Documents.Known(p.scope).Settings, span, p.m.desk.Tokens.Count), p.m.desk.Tokens.Count))
	}

	// The digest says more than the summary: it is made anew when any of its messages goes.
	span.Earlier = p.earlier(r.Session, span)
	if span.Digest != "" && (len(gone) > 0 || p.f.in(span.Digest)) {
		span.Digest = p.f.without(affair.Summarise("", affair.FromUser(left), parts.DigestTokens, p.m.desk.Tokens.Count))
	}
	span.Affairs = slices.DeleteFunc(slices.Clone(span.Affairs), func(id string) bool { return p.affairs[id] })

	span.Version++
	span.UpdatedAt = p.m.desk.Now()
	r.Span = &span
	return r
}

// earlier returns what the session's parts before one come to, from their summaries as they are by now.
func (p *erasure) earlier(session string, of state.Span) string {
	if of.Earlier == "" {
		return ""
	}
	var before state.Record
	for _, r := range p.kept.records {
		part := r.v.Span
		if part != nil && part.Level == 0 && r.v.Session == session && !p.records[r.key] && part.First < of.First && (before.Span == nil || part.First > before.Span.First) {
			before = r.v
		}
	}
	if before.Span == nil {
		return ""
	}
	return p.f.without(affair.Summarise(before.Span.Earlier+"\n"+before.Content, nil, p.m.desk.Documents.Known(p.scope).SummaryMaxTokens/parts.EarlierShare, p.m.desk.Tokens.Count))
}

// remadeLevel returns an L1 or L2, made again by rule from the summaries that are left.
func (p *erasure) remadeLevel(r state.Record) state.Record {
	span := *r.Span
	span.Of = slices.DeleteFunc(slices.Clone(span.Of), func(id string) bool { return p.records[id] })
	span.Affairs = slices.DeleteFunc(slices.Clone(span.Affairs), func(id string) bool { return p.affairs[id] })

	var texts []string
	for _, id := range span.Of {
		if of := find(p.kept.records, id); of != nil && of.v.Span != nil {
			texts = append(texts, p.f.without(strings.TrimSpace(of.v.Span.Digest+"\n"+of.v.Content)))
		}
	}
	r.Content = parts.Shares(texts, p.m.desk.Tokens.Count)

	span.KeyFacts = slices.DeleteFunc(slices.Clone(span.KeyFacts), func(f state.Fact) bool { return p.f.in(f.Label + ": " + f.Value) })
	span.Topics = slices.DeleteFunc(slices.Clone(span.Topics), p.f.in)
	span.Version++
	span.UpdatedAt = p.m.desk.Now()
	r.Span = &span
	return r
}

// remadeSession returns a session without what goes.
func (p *erasure) remadeSession(s state.Session) state.Session {
	if p.f.in(s.Title) || p.cuts[string(state.Sessions)+"/"+s.ID] != nil {
		s.Title = ""
	}
	s.Summary = p.f.without(s.Summary)
	if p.records[s.SummaryID] {
		s.SummaryID = ""
	}
	if p.affairs[s.Active] {
		s.Active = ""
	}
	gone := func(id string) bool { return p.affairs[id] }
	s.Touched, s.TouchedLast = slices.DeleteFunc(slices.Clone(s.Touched), gone), slices.DeleteFunc(slices.Clone(s.TouchedLast), gone)

	var left []state.Message
	for _, msg := range p.kept.messages {
		if sessionOf(msg.key) == s.ID && !p.messages[msg.key] && !msg.v.Undone {
			left = append(left, msg.v)
		}
	}
	if len(s.Preferences) > 0 {
		s.Preferences = parts.Preferred(left, cmp.Or(s.PartFrom, 1))
	}
	return s
}
