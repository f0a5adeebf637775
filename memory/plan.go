package memory

import (
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// writing is one call of Write under way.
type writing struct {
	m      *Memory
	scope  state.Scope
	origin desk.Call
	plans  []plan
	near   [][]index.Hit // of each plan, what is alike by vector

	step *desk.Drafts // what the step has decided already, nil outside one
	own  *desk.Drafts // what this call has
}

// plan is a change as a record, and what it is to a record there is.
type plan struct {
	record state.Record
	is     same.Verdict
	old    state.Record // zero when it is like none
	edit   *state.AffairEdit
	stands bool           // old is in the store, or will be: durable
	said   bool           // what it is is known: nobody judges
	asked  bool           // the small model says behind the reply what it is
	stays  string         // of the old one, as the small model has it
	over   []state.Record // hold no longer either
}

// planOf returns the plan of a record, which takes the place of old if there is one.
func planOf(r state.Record, old *state.Record) plan {
	p := plan{record: r}
	if old != nil {
		p.is, p.old, p.stands, p.said = same.Verdict{Kind: same.Replaces, Similarity: 1, Reason: "the user corrects it"}, *old, true, true
	}
	return p
}

// closed reports whether the step, or this call, has ended a record: a new one does not replace it.
func (w *writing) closed(id string) bool { return w.own.Closes(id) || w.step.Closes(id) }

// belongs refuses an affair that is not there.
func (w *writing) belongs(d *mind.Mind, r state.Record) error {
	if r.Affair != "" && !d.Knows(r.Affair) && r.Affair != w.origin.Affair {
		return state.Errorf(state.NotFound, "affair "+r.Affair, "there is no such affair; list_affairs shows their ids")
	}
	return nil
}

// outlive makes a plan history: a newer record says what holds. Of several newer ones the earliest ended it.
func (p *plan) outlive(newer state.Record) {
	if at := desk.SaidAt(newer); p.record.ValidTo == nil || at.Before(*p.record.ValidTo) {
		p.record.ValidTo, p.record.ReplacedBy = &at, newer.ID
	}
	p.is, p.old, p.stands, p.said = same.Verdict{Kind: same.Other}, state.Record{}, false, true
}
