package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// Links are keys of identifiers, names and topics, made when something is written. Recall adds what shares a key with its best hits,
// at half their score at most. Being filed under one affair is no link.

// Related is a record or an affair that shares something with another: an identifier, a name, a topic, an affair.
type Related struct {
	ID     string        `json:"id"`
	Via    []string      `json:"via"` // what it shares: "id:07-14244-53150", "name:unicorn", "affair:..."
	Weight float64       `json:"weight"`
	Record *state.Record `json:"record,omitempty"`
	Affair *state.Affair `json:"affair,omitempty"` // exactly one of the two is set
}

// Related walks from an affair or record, by its id, to what it is linked to, one or two steps, the nearest first, at most
// limit. An id that is neither is state.ErrNotFound.
func (f Affairs) Related(ctx context.Context, scope state.Scope, id string, steps, limit int) ([]Related, error) {
	scope = scope.Default()
	d, err := f.m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()

	// The id may be an affair's or a record's.
	from := mind.DocID(state.Affairs, id)
	if !d.Knows(id) {
		if from = mind.DocID(state.Records, id); !d.Index.Has(from) {
			return nil, state.Errorf(state.NotFound, "related "+id, "there is no affair or record of this id")
		}
	}

	// What is linked, each by its document as it is today.
	var out []Related
	reads := d.Docs
	for _, n := range d.Linked().Near(from, min(max(steps, 1), 2), limit) {
		r := Related{Via: n.Via, Weight: n.Weight}
		collection, key := mind.DocumentKey(scope, n.ID)
		if collection == state.Affairs {
			a, err := ledger.Get[state.Affair](ctx, reads, state.Affairs, key)
			if err != nil {
				return nil, err
			}
			r.ID, r.Affair = a.ID, &a
		} else {
			record, err := ledger.Get[state.Record](ctx, reads, state.Records, key)
			if err != nil {
				return nil, err
			}
			r.ID, r.Record = record.ID, &record
		}
		out = append(out, r)
	}
	return out, nil
}

// Bounds of what links bring into a recall.
const (
	linkedFrom  = 3  // so many of the best hits are walked from
	linkedNear  = 4  // to so many each
	linkedShare = .5 // of the hit's score, at most
)

// linked adds records and affairs that are one or two steps from the best hits and were not found themselves. Being filed
// under one affair is not enough: that is what the scope current is for.
// The caller does not hold the mind.
func (v *vista) linked(found []words.Hit) []words.Hit {
	if v.q.Limit < 2 {
		return found // what is linked comes behind what it is linked to
	}
	v.mind.Lock()
	defer v.mind.Unlock()
	var more []words.Hit
	links := v.mind.Linked()
	for _, h := range found[:min(linkedFrom, len(found))] {
		for _, n := range links.Near(h.ID, 2, linkedNear) {
			is := func(o words.Hit) bool { return o.ID == n.ID }
			onlyFiled := !slices.ContainsFunc(n.Via, func(via string) bool { return !strings.HasPrefix(via, "affair:") })
			if onlyFiled || slices.ContainsFunc(found, is) || slices.ContainsFunc(more, is) || !v.index.Kept(n.ID, v.keep) {
				continue
			}
			more = append(more, words.Hit{ID: n.ID, Share: h.Share, Score: h.Score * linkedShare * n.Weight / (1 + n.Weight)})
			v.via[n.ID] = n.Via
		}
	}
	if len(more) == 0 {
		return found
	}
	found = slices.Concat(found, more)
	slices.SortStableFunc(found, func(a, b words.Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return found
}
