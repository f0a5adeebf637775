package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// What a user has one of at a time (his address, work, doctor, how long answers are to be) is a slot, told by what the text says,
// whoever writes it: a tool, a command, extraction. A new value ends all records of the slot (takePlaces), and the same value is
// said again.
//
// What a model has stored for an affair of the same message, and which says the value that ended, ends with it. Recall as of a time
// puts behind a message the records made of it that held then: a record's few words may be none of the question's.

// judge compares every planned record with those that may be about the same.
func (w *writing) judge(ctx context.Context) error {
	d, err := w.m.desk.Mind(ctx, w.scope)
	if err != nil {
		return err
	}
	defer d.Unlock()
	w.step, w.own = desk.DraftsOf(ctx, w.scope), desk.NewDrafts()
	for i := range w.plans {
		p := &w.plans[i]
		p.record.Affair = d.Joined.Of(p.record.Affair)
		if err := w.belongs(d, p.record); err != nil {
			return err
		}
		if !p.said {
			w.compare(ctx, d, i)
		} else if p.is.Kind == same.Replaces {
			w.endRepeated(ctx, d, i)
		}
		p.over = append(p.over, w.besides(ctx, d, p)...)
		for _, r := range p.over {
			r.ValidTo = &p.record.RecordedAt
			w.own.Put(r)
		}
		if p.is.Kind == same.Same || p.record.ValidTo != nil {
			continue
		}
		if p.is.Kind == same.Refines || p.is.Kind == same.Replaces {
			closed := p.old
			closed.ValidTo = &p.record.RecordedAt
			w.own.Put(closed)
		}
		if i+1 < len(w.plans) {
			w.own.Put(p.record)
		}
	}
	return nil
}

// editAffairs decides what the plans change in their records' affairs, once it is known what each record is. What is history is no fact of its affair.
func (w *writing) editAffairs(ctx context.Context) error {
	d, err := w.m.desk.Mind(ctx, w.scope)
	if err != nil {
		return err
	}
	defer d.Unlock()
	for i := range w.plans {
		p := &w.plans[i]
		if p.is.Kind == same.Same || p.record.ValidTo != nil {
			continue
		}
		if p.edit, err = newFacts(ctx, d, *p, w.m.c.Now().UTC(), w.m.desk.Sums(ctx, w.scope.Agent)); err != nil {
			return err
		}
	}
	return nil
}

// compare judges the i-th planned record against the candidates, the likeliest first; the first that it is not another
// thing than is what it is.
func (w *writing) compare(ctx context.Context, d *mind.Mind, i int) {
	p := &w.plans[i]
	if old, ok := w.saidAnew(d, p.record); ok {
		p.is, p.old, p.stands = same.Verdict{Kind: same.Refines, Similarity: 1, Reason: "it says what the user asked to be remembered"}, old, true
		return
	}
	if id, ok := d.Known(p.record); ok && !w.closed(id) {
		p.is, p.old, p.stands = same.Verdict{Kind: same.Same, Similarity: 1}, state.Record{ID: id, Kind: p.record.Kind}, true
		if old, err := ledger.Get[state.Record](ctx, d.Docs, state.Records, w.scope.Key(id)); err == nil {
			p.old.Agent = old.Agent
		}
		return
	}
	for c, v := range w.verdicts(ctx, d, i) {
		v = ranked(v, p.record, c.record)
		if (v.Kind == same.Replaces || v.Kind == same.Refines) && w.origin.Before(c.record) {
			p.outlive(c.record)
			return
		}
		better := v.Kind != same.Other && (p.is.Kind == "" || p.is.Kind == same.Other || p.is.Kind == same.Unsure && v.Kind != same.Unsure)
		if better {
			p.is, p.old, p.stands = v, c.record, c.stored
		}
		if p.is.Kind != "" && p.is.Kind != same.Unsure {
			return
		}
	}
}

// confirm asks the small model, when there is one, about every verdict that ends a record's validity, and about those the
// rules leave open. Its failure leaves the rules' answer; what is still open stays two. Within a turn the rules' answer holds
// until the reply is there: Flush asks, and what the record makes untrue in its affair waits for that.
func (w *writing) confirm(ctx context.Context) {
	small := w.m.desk.Small(ctx, w.scope.Agent)
	if small == nil {
		return
	}
	for i := range w.plans {
		p := &w.plans[i]
		if p.said || p.is.Kind != same.Refines && p.is.Kind != same.Replaces && p.is.Kind != same.Unsure {
			continue
		}

		// A turn's step cannot wait for a model: what is open is noted, and asked when the turn is over.
		if state.EffectsFrom(ctx) != nil {
			if p.is.Kind == same.Unsure {
				p.record.Like = p.old.ID
			}
			p.asked = w.origin.Ground != nil && p.record.Trust != state.TrustUser && p.record.Due == nil && w.m.desk.Allows(w.origin.In(ctx), w.scope)
			continue
		}

		answer, err := small.Same(ctx, p.old, p.record)
		switch {
		case err == nil:
			p.is.Kind, p.stays, p.is.Reason = answer.Kind, answer.Stays, "the small model: "+answer.Reasoning
		case !errors.Is(err, state.ErrNotFound):
			state.TraceFrom(ctx).Note("write: the rules judged %q, because the small model did not: %v", p.record.Subject, err)
		}
	}
}

// commit turns plans into effects, makes them durable or hands them to the step, and says what became of each.
func (w *writing) commit(ctx context.Context) ([]state.Receipt, error) {
	now := w.m.c.Now()
	ctx = w.origin.In(ctx)
	small := w.m.desk.Small(ctx, w.scope.Agent)
	var effects []state.Effect
	receipts := make([]state.Receipt, len(w.plans))
	earlier := map[string]*plan{}
	for i := range w.plans {
		p := &w.plans[i]
		if e := earlier[p.old.ID]; e != nil && e.is.Kind == same.Same { // the small model had it left out: what it repeats stands
			p.old, p.stands = e.old, e.stands
		} else if e != nil {
			p.old = e.record // with what it replaces itself
		}
		earlier[p.record.ID] = p
		if err := w.mayEnd(ctx, p); err != nil {
			return nil, err
		}
		by := desk.MadeBy(ctx)
		by.Why = strings.TrimPrefix(by.Why+"; "+p.is.Reason, "; ")
		by.Why = strings.TrimSuffix(by.Why, "; ")
		begin := len(effects)
		effects = append(effects, w.end(p, now)...)
		if p.is.Kind == same.Same {
			said := state.Repeated
			if p.old.ID == p.record.ID {
				said = state.Stored // by an earlier attempt of this very call
			} else {
				effects = append(effects, state.Effect{Scope: w.scope, Repeat: w.repeat(ctx, p)})
			}
			desk.Sign(effects[begin:], by)
			receipts[i] = state.Receipt{
				ID: p.old.ID, Kind: string(p.old.Kind), Outcome: said, Durable: p.stands, Visible: true, Indexed: w.m.indexed(w.scope, p.old.ID),
			}
			continue
		}
		outcome := state.Stored
		if p.is.Kind == same.Refines || p.is.Kind == same.Replaces {
			outcome = state.Replaced
			if p.is.Kind == same.Refines {
				outcome = state.Refined
			}
			if !p.said && !p.asked { // else it is said already, or the small model says first whether it is so
				p.record.Content = withLeft(p.old, p.record, p.stays)
			}
			p.old.ValidTo, p.old.ReplacedBy = &now, p.record.ID
			p.record.Replaces, p.record.Pinned = p.old.ID, p.record.Pinned || p.old.Pinned
			p.record.Importance = max(p.record.Importance, p.old.Importance)
			effects = append(effects, state.Effect{Scope: w.scope, Record: &p.old})
		}
		effects = append(effects, state.Effect{Scope: w.scope, Record: &p.record})
		if p.edit != nil {
			effects = append(effects, state.Effect{Scope: w.scope, Affair: p.edit})
		}
		desk.Sign(effects[begin:], by)
		receipts[i] = w.m.receipt(p.record)
		receipts[i].Outcome = outcome
		if p.is.Kind == same.Unsure && small == nil {
			receipts[i].Of = p.old.ID
		}
	}
	if len(effects) > 0 {
		if err := w.m.desk.Decide(ctx, effects...); err != nil {
			return nil, err
		}
	}
	return receipts, w.acknowledge(ctx, receipts)
}

// end ends the validity of what holds no longer with a plan, but for the record it replaces.
func (w *writing) end(p *plan, now time.Time) (out []state.Effect) {
	by := p.record.ID
	if p.is.Kind == same.Same {
		by = p.old.ID
	}
	for _, r := range p.over {
		r.ValidTo, r.ReplacedBy = &now, by
		out = append(out, state.Effect{Scope: w.scope, Record: &r})
	}
	return out
}

// besides returns the records that end with the user's own ones that a plan ends: what a model has stored of the same message for an affair, and which
// says the value that ended.
func (w *writing) besides(ctx context.Context, d *mind.Mind, p *plan) (out []state.Record) {
	ends := p.over
	if p.is.Kind == same.Replaces {
		ends = append(slices.Clone(ends), p.old)
	}

	for _, own := range ends {
		if own.About != state.AboutUser || own.Source.Message == "" {
			continue
		}
		value := text.Terms(own.Content)
		for _, r := range d.Stated(own.Session, own.Source.Message) {
			says := text.Terms(r.Content)
			told := len(value) > 0 && !slices.ContainsFunc(value, func(t string) bool { return !slices.Contains(says, t) })
			if told && r.About == state.AboutAffair && r.ValidTo == nil && w.m.desk.MayChange(ctx, w.scope, r.Agent, "") == nil {
				out = append(out, r)
			}
		}
	}
	return out
}

// mayEnd refuses a plan that ends what is another agent's.
func (w *writing) mayEnd(ctx context.Context, p *plan) error {
	ends := p.over
	if p.is.Kind == same.Refines || p.is.Kind == same.Replaces {
		ends = append(slices.Clone(ends), p.old)
	}
	for _, r := range ends {
		if err := w.m.desk.MayChange(ctx, w.scope, r.Agent, "record "+r.ID); err != nil {
			return err
		}
	}
	return nil
}

// repeat returns the edit of the record that a plan says again. Of another agent's it only says that, and so does what comes from elsewhere.
func (w *writing) repeat(ctx context.Context, p *plan) *state.Repeat {
	out := &state.Repeat{ID: p.old.ID, Turn: w.origin.Turn, At: w.origin.Time(p.record.RecordedAt), Importance: p.record.Importance, Pinned: p.record.Pinned}
	if p.record.Trust.Foreign() || w.m.desk.MayChange(ctx, w.scope, p.old.Agent, "") != nil {
		out.Importance, out.Pinned = 0, false
	}
	return out
}

// acknowledge completes receipts of what is durable, and waits for the vectors of what is critical.
func (w *writing) acknowledge(ctx context.Context, receipts []state.Receipt) error {
	// Inside a turn nothing is durable yet.
	if state.EffectsFrom(ctx) != nil {
		return nil
	}
	head, err := ledger.Head(ctx, w.m.desk.Base, w.scope)
	if err != nil {
		return err
	}

	// What is critical is also to be found by its meaning when the call returns, if it does not take too long.
	var urgent []string
	for i := range receipts {
		receipts[i].Durable, receipts[i].Seq = true, head.Seq
		if w.plans[i].record.Priority == state.Critical {
			urgent = append(urgent, string(state.Records)+"/"+receipts[i].ID)
		}
	}
	if w.m.desk.Vectors == nil || len(urgent) == 0 {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, state.Critical.Within())
	defer cancel()

	// A late vector is no failure: the words find the record already.
	err = w.m.desk.Vectors.Wait(within, index.Of(w.scope), urgent...)
	if err != nil {
		state.TraceFrom(ctx).Note("write: found by words, its vector is late: %v", err)
	}
	for i := range receipts {
		if w.plans[i].record.Priority == state.Critical && err == nil {
			receipts[i].Indexed, receipts[i].Due = true, nil
		}
	}
	return nil
}

// indexed reports whether a record's vector is made, for all that this process knows.
func (m *Memory) indexed(scope state.Scope, id string) bool {
	name := mind.DocID(state.Records, id)
	return m.desk.Vectors == nil || !m.desk.Vectors.Waiting(index.Of(scope), name)[name]
}
