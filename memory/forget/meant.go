package forget

import (
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// takeRecord takes a record in, unless it is held, or a person has pinned it and it stays. What is made of others is no pin's: an L1 and an L2 are
// pinned by nobody.
func (p *erasure) takeRecord(r keptDoc[state.Record]) bool {
	if p.held[r.key] || r.v.Held != nil && r.v.Span == nil && !p.records[r.key] {
		p.held[r.key] = true
		return false
	}
	if p.spared[r.key] || r.v.Pinned && !p.pinned && r.v.Span == nil {
		p.spared[r.key] = true
		return false
	}
	p.records[r.key] = true
	delete(p.cuts, recordRef(r.key))
	return true
}

func recordRef(key string) string { return string(state.Records) + "/" + key }

func messageRef(key string) string { return string(state.Messages) + "/" + key }

// meanRecord takes in a record, and of the message that it was made of the sentences with its identifiers, or the only one. What else says it is
// found when the texts are read.
func (p *erasure) meanRecord(id string) {
	r := find(p.kept.records, id)
	if r == nil || !p.takeRecord(*r) {
		return
	}
	ids := identifiersIn(mind.RecordText(r.v))
	for _, msg := range p.kept.messages {
		from := r.v.Source.Message != "" && msg.v.ID == r.v.Source.Message || r.v.Source.Turn != "" && msg.v.Turn == r.v.Source.Turn
		if !from || msg.v.Role != state.RoleUser || sessionOf(msg.key) != r.v.Session {
			continue
		}
		alone := len(sentencesOf(msg.v.FullText())) == 1
		p.cutMessage(msg, func(s string) bool {
			return alone || slices.ContainsFunc(identifiersIn(s), func(id string) bool { return slices.Contains(ids, id) })
		})
	}
}

// meanTopic takes in what states a topic: sentences and records that have all its telling words.
func (p *erasure) meanTopic(topic string) {
	// A topic without telling words means nothing.
	asked := text.Sought(topic)
	if len(asked) == 0 {
		return
	}
	states := func(s string) bool {
		has := p.read.terms(s)
		return !slices.ContainsFunc(asked, func(t string) bool { return !has.word(t) })
	}

	// A summary does not go; it is made again from what stays. Neither does an affair: it loses what it says of the topic.
	p.takeStating(states)
	for _, a := range p.kept.affairs {
		p.cut(string(state.Affairs)+"/"+a.key, func(c *places) { c.affair(a.v) }, states)
	}
	for _, s := range p.kept.sessions {
		p.cut(string(state.Sessions)+"/"+s.key, func(c *places) { c.take(s.v.Title) }, states)
	}
	for _, s := range p.kept.suggestions {
		if slices.ContainsFunc(sentencesOf(s.v.Text), states) {
			p.suggestions[s.key] = true
		}
	}
}

// cut notes which sentences of a document go, and returns what is counted.
func (p *erasure) cut(ref string, read func(*places), states func(string) bool) *places {
	c := &places{goes: func(at int, s string) bool { return slices.Contains(p.cuts[ref], at) || states(s) }}
	if read(c); len(c.gone) > 0 {
		p.cuts[ref] = c.gone
	}
	return c
}

// takeStating takes in the sentences that state a thing, of whoever said them, and the records. What has nothing left goes, and so does a
// record half of which goes. Calls of tools and their results go together. A text none of whose sentences states it does not state it either, so
// whole texts are asked first.
func (p *erasure) takeStating(states func(string) bool) {
	called := map[string]bool{} // turns
	for _, msg := range p.kept.messages {
		switch {
		case p.messages[msg.key]:
		case isCall(msg.v):
			called[turnKey(msg)] = called[turnKey(msg)] || slices.ContainsFunc(sentencesOf(messageWords(msg.v)), states)
		default:
			p.cutMessage(msg, states)
		}
	}
	p.takeCalls(called)

	for _, r := range p.kept.records {
		if r.v.Span != nil || p.records[r.key] || p.spared[r.key] || p.held[r.key] {
			continue
		}
		about := func(s string) bool { return states(mind.RecordText(state.Record{Subject: r.v.Subject, Content: s})) }
		if !about(r.v.Content) {
			continue
		}
		c := p.cut(recordRef(r.key), func(c *places) { c.record(r.v) }, about)
		if len(c.gone) == 0 {
			continue
		}
		if 2*len(c.gone) >= len(sentencesOf(r.v.Content)) || r.v.Pinned && !p.pinned || r.v.Held != nil {
			delete(p.cuts, recordRef(r.key))
			p.takeRecord(r)
		}
	}
}

// isCall reports whether a message is a call of tools, or the result of one.
func isCall(msg state.Message) bool { return msg.Role == state.RoleTool || len(msg.ToolCalls) > 0 }

// cutMessage takes the sentences of a message in that state a thing; all of it if nothing else is left.
func (p *erasure) cutMessage(msg keptDoc[state.Message], states func(string) bool) {
	if !states(messageWords(msg.v)) {
		return
	}
	ref, left := messageRef(msg.key), state.Message{}
	p.cut(ref, func(c *places) { left = c.message(msg.v) }, states)
	if p.cuts[ref] != nil && strings.TrimSpace(left.FullText()) == "" {
		delete(p.cuts, ref)
		p.messages[msg.key] = true
	}
}

// takeCalls takes in the calls of tools, and their results, of some turns.
func (p *erasure) takeCalls(turns map[string]bool) {
	for _, msg := range p.kept.messages {
		if isCall(msg.v) && turns[turnKey(msg)] {
			p.messages[msg.key] = true
		}
	}
}

// meanGlobal takes in what is known of the user, and what was suggested to be; affairs and what was suggested about them stay.
func (p *erasure) meanGlobal() {
	for _, r := range p.kept.records {
		if r.v.Affair == "" && r.v.Span == nil {
			p.takeRecord(r)
		}
	}
	for _, s := range p.kept.suggestions {
		if _, err := s.v.Request.LookupErr("affair"); err != nil {
			p.suggestions[s.key] = true
		}
	}
}

func (p *erasure) meanAffair(ctx context.Context, name string) error {
	a, err := p.m.affair(ctx, p.scope, name)
	if err != nil {
		return err
	}
	p.of = a.ID
	p.takeAffair(a.ID)
	return nil
}

// takeAffair takes an affair in that was named, with those that were merged into it or which it was merged into, and all that is filed under it.
func (p *erasure) takeAffair(id string) {
	if p.affairs[id] {
		return
	}
	p.affairs[id] = true

	// An affair that was merged goes with the one it was merged into, and the other way round.
	for _, a := range p.kept.affairs {
		switch {
		case a.v.MergedInto == id:
			p.takeAffair(a.v.ID)
		case a.v.ID == id && a.v.MergedInto != "":
			p.takeAffair(a.v.MergedInto)
		}
	}

	for _, msg := range p.kept.messages {
		if msg.v.Affair == id {
			p.messages[msg.key] = true
		}
	}
	for _, r := range p.kept.records {
		if r.v.Affair == id && r.v.Span == nil {
			p.takeRecord(r)
		}
	}
}

// meanSession takes in what was said in a session; with learnt what was learnt from it about the user too.
func (p *erasure) meanSession(id string, learnt bool) {
	if id == "" {
		id = p.scope.Session
	}

	for _, s := range p.kept.sessions {
		p.sessions[s.key] = p.sessions[s.key] || s.key == id
	}

	for _, msg := range p.kept.messages {
		if sessionOf(msg.key) == id {
			p.messages[msg.key] = true
		}
	}

	for _, r := range p.kept.records {
		own := r.v.About == state.AboutUser || r.v.Kind == state.PreferenceRecord
		if r.v.Session == id && (r.v.Span != nil && r.v.Span.Level == 0 || learnt || !own) {
			p.takeRecord(r)
		}
	}

	p.threads = append(p.threads, id)
}
