package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// takeRecord takes a record in, unless it is pinned and stays. What is made of others is no pin's: an L1 and an L2 are pinned by nobody.
func (p *erasure) takeRecord(r keptDoc[state.Record]) bool {
	if r.v.Pinned && !p.pinned && r.v.Span == nil {
		return false
	}
	p.records[r.key] = true
	return true
}

func (p *erasure) meanRecord(what What) error {
	for _, r := range p.kept.records {
		if r.key != what.Record {
			continue
		}
		if !p.takeRecord(r) {
			return state.Errorf(state.Conflict, "forget record "+what.Record, "it is pinned; unpin it, or say that pinned ones go too")
		}
		for _, msg := range p.kept.messages {
			said := r.v.Source.Message != "" && msg.v.ID == r.v.Source.Message || r.v.Source.Turn != "" && msg.v.Turn == r.v.Source.Turn
			if said && sessionOf(msg.key) == r.v.Session && msg.v.Role == state.RoleUser {
				p.messages[msg.key] = true
			}
		}
		return nil
	}
	return nil
}

// meanTopic takes in what has all telling words of a topic.
func (p *erasure) meanTopic(topic string) {
	// A topic without telling words means nothing.
	asked := text.Sought(topic)
	if len(asked) == 0 {
		return
	}
	about := func(s string) bool {
		has := text.Terms(s)
		return !slices.ContainsFunc(asked, func(a string) bool {
			return !slices.ContainsFunc(has, func(h string) bool { return text.Akin(a, h, 3) })
		})
	}

	// Whatever is about it goes; a summary does not, it is made again from what stays.
	for _, r := range p.kept.records {
		if r.v.Span == nil && about(mind.RecordText(r.v)) {
			p.takeRecord(r)
		}
	}
	for _, a := range p.kept.affairs {
		if about(a.v.Title + "\n" + strings.Join(a.v.Topics, "\n")) {
			p.takeAffair(a.v.ID)
		}
	}
	for _, msg := range p.kept.messages {
		if about(messageWords(msg.v)) {
			p.messages[msg.key] = true
		}
	}
	for _, s := range p.kept.suggestions {
		if about(s.v.Text) {
			p.suggestions[s.key] = true
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
	a, err := p.m.named(ctx, p.scope, name)
	if err != nil {
		return err
	}
	p.takeAffair(a.ID)
	return nil
}

// takeAffair takes an affair in, with those that were merged into it or which it was merged into, and all that is filed under it.
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
