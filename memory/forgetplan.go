package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// A suggestion goes with the record or affair that it is of, the turn that it was made in, or the words that it has; answered ones
// too.

// erasure is what is to be erased, as it is found out. Keys are without the user's part.
type erasure struct {
	m     *Memory
	scope state.Scope
	kept  keptDocs

	pinned                               bool // pinned records go too
	whole                                bool // everything goes
	messages, records, affairs, sessions map[string]bool
	suggestions                          map[string]bool
	remake                               map[string]bool // "collection/key"
	threads                              []string
	f                                    forgotten
}

func newErasure(m *Memory, scope state.Scope, kept keptDocs) *erasure {
	return &erasure{
		m: m, scope: scope, kept: kept, messages: map[string]bool{}, records: map[string]bool{}, affairs: map[string]bool{},
		sessions: map[string]bool{}, suggestions: map[string]bool{}, remake: map[string]bool{},
	}
}

// named are the documents that go, by collection, in the order in which they are counted.
func (p *erasure) named() []ofCollection {
	return []ofCollection{
		{state.Messages, p.messages}, {state.Records, p.records}, {state.Affairs, p.affairs}, {state.Sessions, p.sessions}, {state.Suggestions, p.suggestions},
	}
}

// ofCollection are keys of documents of a collection.
type ofCollection struct {
	collection state.Collection
	keys       map[string]bool
}

// planErasure finds out what is meant and everything that is derived from it.
func (m *Memory) planErasure(ctx context.Context, scope state.Scope, kind string, what What) (*erasure, error) {
	kept, err := m.readKept(ctx, scope)
	if err != nil {
		return nil, err
	}

	// What is meant; a whole memory needs no more.
	p := newErasure(m, scope, kept)
	p.pinned = what.Pinned
	switch kind {
	case "user", "client":
		p.whole = true
		return p, nil
	case "record":
		err = p.meanRecord(what)
	case "topic":
		p.meanTopic(what.Topic)
	case "affair":
		err = p.meanAffair(ctx, what.Affair)
	case "session", "clear session":
		p.meanSession(what.Session, kind == "session")
	case "clear global":
		p.meanGlobal()
	}
	if err != nil {
		return nil, err
	}

	// A plan for nothing is an error, not a success.
	if !slices.ContainsFunc(p.named(), func(of ofCollection) bool { return len(of.keys) > 0 }) {
		return nil, orNotFound(kind, what)
	}

	// What is derived from it is found last.
	p.close()
	return p, nil
}

// close takes in all that is derived from what is meant, and notes what is to be made again.
func (p *erasure) close() {
	for range closeRounds {
		before := len(p.messages) + len(p.records) + len(p.affairs)
		p.takeTurns()
		p.takeDerived()
		p.learn()
		p.takeSaying()
		p.dropEmptyAffairs()
		if len(p.messages)+len(p.records)+len(p.affairs) == before {
			break
		}
	}
	p.learn()
	p.takeSuggestions()
	p.noteRemakes()
}

// closeRounds bounds how often what was found leads to more.
const closeRounds = 8

func sessionOf(key string) string {
	session, _, _ := strings.Cut(key, "/")
	return session
}

func turnKey(msg keptDoc[state.Message]) string { return sessionOf(msg.key) + "/" + msg.v.Turn }

// takeTurns takes in the rest of each turn: all of it if what the user said goes, else what was answered.
func (p *erasure) takeTurns() {
	asked, answered := map[string]bool{}, map[string]bool{}
	for _, msg := range p.kept.messages {
		if p.messages[msg.key] && msg.v.Turn != "" {
			asked[turnKey(msg)] = asked[turnKey(msg)] || msg.v.Role == state.RoleUser
			answered[turnKey(msg)] = true
		}
	}
	for _, msg := range p.kept.messages {
		if asked[turnKey(msg)] || answered[turnKey(msg)] && msg.v.Role != state.RoleUser {
			p.messages[msg.key] = true
		}
	}
}

// takeDerived takes in records that were made of messages which go, where whole conversations go.
func (p *erasure) takeDerived() {
	if len(p.affairs) == 0 && len(p.threads) == 0 {
		return
	}
	said, turns := map[string]bool{}, map[string]bool{}
	for _, msg := range p.kept.messages {
		if p.messages[msg.key] && p.affairs[msg.v.Affair] {
			said[sessionOf(msg.key)+"/"+msg.v.ID], turns[turnKey(msg)] = true, msg.v.Turn != ""
		}
	}
	for _, r := range p.kept.records {
		if r.v.Span == nil && (said[r.v.Session+"/"+r.v.Source.Message] || turns[r.v.Session+"/"+r.v.Source.Turn]) {
			p.takeRecord(r)
		}
	}
}

// learn learns what the texts that go say.
func (p *erasure) learn() {
	// Texts that go and texts that stay: what both have is no sign of what goes.
	var gone, records, stays []string
	for _, r := range p.kept.records {
		switch {
		case p.records[r.key] && r.v.Span == nil:
			records = append(records, mind.RecordText(r.v))
		case r.v.Span == nil:
			stays = append(stays, mind.RecordText(r.v))
		}
	}

	for _, msg := range p.kept.messages {
		switch {
		case p.messages[msg.key] && msg.v.Role == state.RoleUser:
			gone = append(gone, messageWords(msg.v))
		case !p.messages[msg.key] && msg.v.Role == state.RoleUser:
			stays = append(stays, messageWords(msg.v))
		}
	}

	for _, s := range p.kept.suggestions {
		if p.suggestions[s.key] {
			gone = append(gone, s.v.Text)
		}
	}

	p.f = forgotten{}
	p.f.learn(gone, records, stays)
}

// takeSaying takes in messages and records that say what goes.
func (p *erasure) takeSaying() {
	for _, msg := range p.kept.messages {
		if !p.messages[msg.key] && p.f.in(messageWords(msg.v)) {
			p.messages[msg.key] = true
		}
	}
	for _, r := range p.kept.records {
		if !p.records[r.key] && r.v.Span == nil && p.f.in(mind.RecordText(r.v)) {
			p.takeRecord(r)
		}
	}
}

// takeSuggestions takes in what was suggested of what goes, in a turn that does, or in its words. One is never pinned.
func (p *erasure) takeSuggestions() {
	turns := map[string]bool{}
	for _, msg := range p.kept.messages {
		if p.messages[msg.key] && msg.v.Role == state.RoleUser && msg.v.Turn != "" {
			turns[turnKey(msg)] = true
		}
	}
	for _, s := range p.kept.suggestions {
		of := slices.ContainsFunc(s.v.Of, func(id string) bool { return p.records[id] || p.affairs[id] })
		asked := turns[s.v.Session+"/"+s.v.By.Turn] || slices.Contains(p.threads, s.v.Session) || p.affairs[affairOfSuggestion(s.v)]
		if of || asked || p.f.in(s.v.Text) || p.f.in(s.v.Reason) || p.f.in(s.v.By.Why) || p.f.inDocument(s.v.Request) {
			p.suggestions[s.key] = true
		}
	}
}

// dropEmptyAffairs takes in affairs of which all messages go, unless somebody named them himself.
func (p *erasure) dropEmptyAffairs() {
	left, had := map[string]bool{}, map[string]bool{}
	for _, msg := range p.kept.messages {
		if msg.v.Affair != "" {
			had[msg.v.Affair] = true
			left[msg.v.Affair] = left[msg.v.Affair] || !p.messages[msg.key]
		}
	}
	for _, a := range p.kept.affairs {
		if had[a.v.ID] && !left[a.v.ID] && len(a.v.Absorbed) == 0 && (a.v.TitleBy != state.TitleByUser || p.f.in(a.v.Title)) {
			p.takeAffair(a.v.ID)
		}
	}
}

// fill writes what was found into an order, and its layers as they would be counted.
func (p *erasure) fill(ctx context.Context, o *state.Order) error {
	o.Whole = p.whole

	// Of a whole memory only the numbers are listed, and the pinned records that stay.
	if p.whole {
		for _, r := range p.kept.records {
			if r.v.Pinned && r.v.Span == nil && !p.pinned {
				o.Spared = append(o.Spared, string(state.Records)+"/"+r.key)
			}
		}
		for _, l := range []struct {
			name string
			n    int
		}{
			{"sessions", len(p.kept.sessions)}, {"messages", len(p.kept.messages)}, {"affairs", len(p.kept.affairs)},
			{"records", len(p.kept.records) - len(o.Spared)}, {"suggestions", len(p.kept.suggestions)},
		} {
			o.Plan(l.name, l.n)
		}
		return nil
	}

	// The documents that go, and those that are made again, in the order in which one is made of another.
	for _, of := range p.named() {
		refs := refsOf(of.collection, of.keys)
		o.Erase = append(o.Erase, refs...)
		o.Plan(string(of.collection), len(refs))
	}
	for ref := range p.remake {
		o.Remake = append(o.Remake, ref)
	}
	slices.SortFunc(o.Remake, remakeOrder)
	o.Plan("made again", len(o.Remake))

	// In the log: turns whose messages go, each once, and whole threads.
	turns := map[string][]string{}
	for _, msg := range p.kept.messages {
		thread := p.scope.User + "/" + sessionOf(msg.key)
		if p.messages[msg.key] && msg.v.Turn != "" && !slices.Contains(turns[thread], msg.v.Turn) {
			turns[thread] = append(turns[thread], msg.v.Turn)
		}
	}
	for thread, ids := range turns {
		o.Turns = append(o.Turns, state.OrderTurns{Thread: thread, Turns: ids})
	}
	slices.SortFunc(o.Turns, func(a, b state.OrderTurns) int { return strings.Compare(a.Thread, b.Thread) })
	for _, session := range p.threads {
		o.Threads = append(o.Threads, p.scope.User+"/"+session)
	}
	return ctx.Err()
}
