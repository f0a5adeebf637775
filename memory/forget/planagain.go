package forget

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// This file plans an order of the ledger outside anew, in a store from before it.

// planAgain plans an order of the ledger in a store from before it, and fills it in.
func (r *Room) planAgain(ctx context.Context, user state.Scope, o *state.Order) (*erasure, error) {
	kept, err := r.readKept(ctx, user)
	if err != nil {
		return nil, err
	}
	p := newErasure(r, user, kept, o.What, o.Name)
	p.pinned, p.again, p.order = o.Pinned, true, o.ID
	p.read = readTexts(kept)
	if p.meanAgain(*o); !p.whole {
		p.close()
	}
	turns := o.Turns
	o.Erase, o.Cut, o.Threads, o.Turns, o.Spared, o.Held, o.Whole = nil, nil, nil, nil, nil, nil, false
	if err := p.fill(ctx, o); err != nil {
		return nil, err
	}
	o.Turns = joinTurns(o.Turns, turns)
	return p, nil
}

// joinTurns adds turns that are not named yet: their steps may be there without their messages.
func joinTurns(to, more []state.OrderTurns) []state.OrderTurns {
	for _, t := range more {
		i := slices.IndexFunc(to, func(o state.OrderTurns) bool { return o.Thread == t.Thread })
		if i < 0 {
			to = append(to, t)
			continue
		}
		for _, id := range t.Turns {
			if !slices.Contains(to[i].Turns, id) {
				to[i].Turns = append(slices.Clip(to[i].Turns), id)
			}
		}
	}
	return to
}

// meanAgain takes in what an order of the ledger names, as far as it is there and is what it was. In a store that has gone on since only that; else
// also what the order's own kind means, for an older store has what was gone by then.
func (p *erasure) meanAgain(o state.Order) {
	older := func(at time.Time) bool { return !at.After(o.At) }
	gone, onlyOlder := map[string]bool{}, true
	for _, name := range o.Spared {
		p.spared[parseRef(name).ID] = true
	}
	for _, name := range o.Held {
		p.held[parseRef(name).ID] = find(p.kept.records, parseRef(name).ID) != nil
	}
	for _, name := range o.Erase {
		gone[name] = true
	}
	sets := map[state.Collection]map[string]bool{}
	for _, of := range p.named() {
		sets[of.collection] = of.keys
	}
	p.kept.each(func(c state.Collection, key string, at time.Time) {
		onlyOlder = onlyOlder && older(at)
		if older(at) && (o.Whole || gone[string(c)+"/"+key]) && !(c == state.Records && (p.spared[key] || p.held[key])) {
			sets[c][key] = true
		}
	})
	p.cutAgain(o, older)

	// A whole memory goes as such where nothing was said since.
	p.whole = o.Whole && onlyOlder
	if p.whole || !onlyOlder {
		return
	}
	for _, id := range o.Threads {
		p.threads = append(p.threads, strings.TrimPrefix(id, p.scope.User+"/"))
	}
	switch o.What {
	case "record":
		p.meanRecord(o.Name)
	case "affair":
		p.takeAffair(o.Name)
	case "session", "clear session":
		p.meanSession(o.Name, o.What == "session")
	case "clear global":
		p.meanGlobal()
	}
}

// cutAgain takes in the sentences that an order of the ledger names. What a message says never changes; of what may have been another text then the
// places mean nothing: a record goes whole, and an affair and a session lose their texts, which are made again of what stays.
func (p *erasure) cutAgain(o state.Order, older func(time.Time) bool) {
	for _, c := range o.Cut {
		ref := parseRef(c.Ref)
		switch rev := p.kept.rev(ref); {
		case rev == 0:
		case ref.Collection == state.Messages:
			if msg := find(p.kept.messages, ref.ID); older(msg.v.At) && !p.messages[ref.ID] {
				p.cuts[c.Ref] = c.Gone
			}
		case rev == c.Rev:
			p.cuts[c.Ref] = c.Gone
		case ref.Collection == state.Records:
			if r := find(p.kept.records, ref.ID); older(r.v.RecordedAt) {
				p.records[ref.ID] = true
			}
		default:
			p.cuts[c.Ref] = []int{everyPlace}
		}
	}
}
