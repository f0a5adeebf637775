package forget

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// A suggestion goes with the record or affair that it is of, the turn that it was made in, or the words that it has; answered ones
// too.

// erasure is what is to be erased, as it is found out. Keys are without the user's part.
type erasure struct {
	m     *Room
	scope state.Scope
	kept  keptDocs
	kind  string // state.Order.What
	of    string // state.Order.Name
	order string // id of the order that it became, "" for none
	read  readings

	pinned                               bool // pinned records go too
	again                                bool // it was erased before, of a younger store: see meanAgain
	whole                                bool // everything goes
	messages, records, affairs, sessions map[string]bool
	suggestions                          map[string]bool
	spared                               map[string]bool  // records that are meant, and pinned
	held                                 map[string]bool  // and that are held
	cuts                                 map[string][]int // by "collection/key": the sentences that go of what stays
	remake                               map[string]bool  // "collection/key"
	threads                              []string
	copies                               []string // sessions with copies of what goes
	f                                    forgotten
}

func newErasure(m *Room, scope state.Scope, kept keptDocs, kind, of string) *erasure {
	return &erasure{
		m: m, scope: scope, kept: kept, kind: kind, of: of, messages: map[string]bool{}, records: map[string]bool{}, affairs: map[string]bool{},
		sessions: map[string]bool{}, suggestions: map[string]bool{}, spared: map[string]bool{}, held: map[string]bool{}, cuts: map[string][]int{}, remake: map[string]bool{},
	}
}

// bySentence reports whether it is a statement that is to be erased, wherever it stands; else it is all that was said in one place, and the same
// statement stays where it was made elsewhere.
func (p *erasure) bySentence() bool { return p.kind == "topic" || p.kind == "record" }

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
func (r *Room) planErasure(ctx context.Context, scope state.Scope, kind string, what What) (*erasure, error) {
	kept, err := r.readKept(ctx, scope)
	if err != nil {
		return nil, err
	}

	// What is meant; a whole memory needs no more.
	p := newErasure(r, scope, kept, kind, what.Record)
	p.pinned = what.Pinned
	switch kind {
	case "user", "client":
		p.whole = true
		return p, nil
	}
	p.read = readTexts(kept)
	switch kind {
	case "record":
		p.meanRecord(what.Record)
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
	if len(p.cuts) == 0 && len(p.held) == 0 && !slices.ContainsFunc(p.named(), func(of ofCollection) bool { return len(of.keys) > 0 }) {
		return nil, orNothing(kind, what, len(p.spared))
	}

	// What is derived from it is found last.
	p.close()
	return p, nil
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

// fill writes what was found into an order, and its layers as they would be counted.
func (p *erasure) fill(ctx context.Context, o *state.Order) error {
	o.Whole = p.whole

	// Of a whole memory only the numbers are listed, and the pinned records that stay.
	if p.whole {
		for _, r := range p.kept.records {
			switch {
			case r.v.Span != nil || p.again:
			case r.v.Held != nil:
				p.held[r.key] = true
			case r.v.Pinned && !p.pinned:
				p.spared[r.key] = true
			}
		}
	}
	o.Spared, o.Held, o.Copies = refsOf(state.Records, p.spared), refsOf(state.Records, p.held), p.copies
	p.nameItems(o)
	if p.whole {
		for _, l := range []struct {
			name string
			n    int
		}{
			{"sessions", len(p.kept.sessions)}, {"messages", len(p.kept.messages)}, {"affairs", len(p.kept.affairs)},
			{"records", len(p.kept.records) - len(o.Spared) - len(o.Held)}, {"suggestions", len(p.kept.suggestions)},
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
	for _, ref := range slices.Sorted(maps.Keys(p.cuts)) {
		o.Cut = append(o.Cut, state.OrderCut{Ref: ref, Rev: p.kept.rev(parseRef(ref)), Gone: p.cuts[ref]})
	}
	if cut := cutDocuments(o.Cut); len(cut) > 0 {
		o.Plan(cutLayer, len(cut))
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
		goes := p.messages[msg.key] || p.cuts[messageRef(msg.key)] != nil
		if goes && msg.v.Turn != "" && !slices.Contains(turns[thread], msg.v.Turn) {
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
	if ctx.Err() != nil {
		return store.Cancelled(ctx)
	}
	return nil
}

// refsOf names documents as an order does.
func refsOf(c state.Collection, keys map[string]bool) (refs []string) {
	for key, is := range keys {
		if is {
			refs = append(refs, string(c)+"/"+key)
		}
	}
	slices.Sort(refs)
	return refs
}

// nameItems names what goes and what is spared, for who is asked.
func (p *erasure) nameItems(o *state.Order) {
	for _, a := range p.kept.affairs {
		if p.whole || p.affairs[a.key] {
			o.Would = append(o.Would, state.OrderItem{Kind: "affair", ID: a.v.ID, At: a.v.CreatedAt, Text: a.v.Title})
		}
	}
	for _, msg := range p.kept.messages {
		gone, _ := p.halves(msg)
		item := state.OrderItem{Kind: "message", ID: msg.v.ID, Session: sessionOf(msg.key), At: msg.v.At}
		switch item.Text = desk.Said(gone); {
		case msg.v.Role != state.RoleUser || msg.v.Undone:
			continue
		case p.whole || p.messages[msg.key]:
			item.Text = desk.Said(msg.v)
		case item.Text == "":
			continue
		default:
			item.Kind = "sentence"
		}
		o.Would = append(o.Would, item)
	}
	for _, r := range p.kept.records {
		item := state.OrderItem{Kind: "record", ID: r.v.ID, Session: r.v.Session, At: r.v.RecordedAt, Text: mind.RecordText(r.v)}
		switch {
		case r.v.Span != nil:
		case p.spared[r.key] || p.held[r.key]:
			o.Stays = append(o.Stays, item)
		case (p.whole || p.records[r.key]) && r.v.ValidTo == nil:
			o.Would = append(o.Would, item)
		}
	}
	for _, s := range p.kept.suggestions {
		if p.whole || p.suggestions[s.key] {
			o.Would = append(o.Would, state.OrderItem{Kind: "suggestion", ID: s.v.ID, Session: s.v.Session, At: s.v.At, Text: s.v.Text})
		}
	}
}
