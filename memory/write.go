package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/read/link"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
)

// A write is judged before it is made (package same): said again, said better, a new value, another thing. Nothing is overwritten:
// what is refined or replaced is closed and kept, and names what took its place. When unsure, both stay. Said again is an edit
// (Effect.Repeat): when it was seen last, how many turns said it, the highest importance. Its words are the same, so it needs no new
// vector. Outside turns, calls of Write to one user's memory wait for each other in a process, from judging to writing; two turns at
// once may both write.

// Write returns the one door for records. Inside a turn they become durable with the turn's next step, outside
// before it returns; every recall sees them at once either way. What is said again is not written twice: its receipt
// names the record there is, which is seen again and as important as anybody called it. A change whose value differs from that of a record about the same thing ends that record's
// validity and keeps it as history. What of that it says nothing of stands behind its content, as "(price: 4,200 CZK)". Outside a turn a Critical change has its vector too when Write returns, unless the
// receipt says otherwise. Autonomy 0 refuses with state.ErrDenied; at 1 each change waits for the user: *suggest.WaitsError.
func (m *Memory) Write(ctx context.Context, scope state.Scope, changes ...Change) ([]state.Receipt, error) {
	if err := m.writable(ctx, scope); err != nil {
		return nil, err
	}
	scope = scope.Default()
	if err := state.CheckCount("memory write: changes", len(changes), limit.Changes, "write them in several calls"); err != nil {
		return nil, err
	}
	origin := desk.CallFrom(ctx)
	if origin.Unstored {
		return nil, errUnstored("memory write")
	}
	return m.write(ctx, scope, origin, changes)
}

// write judges changes and carries them out. They are the user's of the scope.
func (m *Memory) write(ctx context.Context, scope state.Scope, origin desk.Call, changes []Change) ([]state.Receipt, error) {
	// Each change becomes the plan of a record.
	ctx = m.desk.Under(m.desk.Knowing(ctx, scope), scope)
	w := writing{m: m, scope: scope, origin: origin}
	changes, err := m.completed(ctx, scope, origin, changes)
	if err != nil {
		return nil, err
	}
	for i, c := range changes {
		// A correction of something newer makes history and corrects nothing.
		p := planOf(m.record(scope, origin, c, i), c.corrects)
		if c.corrects != nil && origin.Before(*c.corrects) {
			p.outlive(*c.corrects)
			c.corrects = nil
		}
		if err := m.takePlaces(ctx, scope, origin, c, &p); err != nil {
			return nil, err
		}
		w.plans = append(w.plans, p)
	}

	// From judging to committing no other write comes between.
	leave, err := m.desk.Alone(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer leave()
	w.near = m.alike(ctx, scope, w.plans)
	if err := w.judge(ctx); err != nil {
		return nil, err
	}

	// What a person or a model has written is compared by the small model too.
	if !origin.ByRules {
		w.confirm(ctx)
	}
	if err := w.editAffairs(ctx); err != nil {
		return nil, err
	}
	return w.commit(ctx)
}

// completed are changes with their defaults, once the gate has let them pass.
func (m *Memory) completed(ctx context.Context, scope state.Scope, origin desk.Call, changes []Change) ([]Change, error) {
	out, asked := make([]Change, len(changes)), make([]desk.Wish, len(changes))

	for i, c := range changes {
		c, err := c.complete(origin)
		if err == nil {
			c, err = m.weigh(ctx, scope, origin, c)
		}
		if err != nil {
			return nil, err
		}
		if c.About == state.AboutProject && scope.Project == "" {
			return nil, state.Errorf(state.Invalid, "memory write", "about project, but the scope has none; set Scope.Project, or say about user or affair")
		}
		if err := m.desk.MayChange(origin.In(ctx), scope, c.Agent, "memory write"); err != nil {
			return nil, err
		}
		out[i] = c
		if origin.Shared {
			continue // Share has passed the gate
		}
		asked[i] = m.wishOf(c, false)
	}

	if origin.Shared {
		return out, nil
	}
	return out, m.suggestions.Gate(origin.In(ctx), scope, asked...)
}

// Written are receipts of the user's records that the running step has decided, as they stand once it is committed.
func (t Turn) Written(ctx context.Context, user state.Scope) []state.Receipt {
	user = user.Default()
	var out []state.Receipt
	for _, r := range desk.DraftsOf(ctx, user).All() {
		if r.ReplacedBy == "" {
			receipt := t.m.receipt(r)
			receipt.Durable = true
			out = append(out, receipt)
		}
	}
	return out
}

// receipt returns what is said of a record that was decided just now.
func (m *Memory) receipt(r state.Record) state.Receipt {
	out := state.Receipt{ID: r.ID, Kind: string(r.Kind), Outcome: state.Stored, Of: r.Replaces, Visible: true, Indexed: m.desk.Vectors == nil}
	switch {
	case r.ValidTo != nil:
		out.Outcome, out.Of = state.Forgotten, ""
	case r.Replaces != "":
		out.Outcome = state.Replaced
	}
	if bound := r.Priority.Within(); m.desk.Vectors != nil && bound > 0 {
		due := m.c.Now().Add(bound)
		out.Due = &due
	}
	return out
}

// record makes the record that a complete change asks for.
func (m *Memory) record(scope state.Scope, o desk.Call, c Change, n int) state.Record {
	id, now := m.c.NewID(), m.c.Now()
	if o.Call != "" {
		sum := sha256.Sum256([]byte(strings.Join([]string{o.Turn, o.Call, itoa(int64(n)), scope.UserPrefix(), string(c.Kind), c.Subject, c.Content}, "\x00")))
		at := now
		if !o.At.IsZero() {
			at = o.At
		}
		id = fmt.Sprintf("%012x%x", at.UnixMilli(), sum[:6]) // in the order of time, as stores like it
	}
	c.Subject, c.Content = m.desk.Mask(c.Subject, o.UserText()), m.desk.Mask(c.Content, o.UserText())
	c.Subject, c.Content = strings.TrimSpace(c.Subject), strings.TrimSpace(c.Content)
	if c.ValidFrom.IsZero() && o.Late(now) {
		c.ValidFrom = o.Said
	}
	var due *time.Time
	if !c.Due.IsZero() {
		at := c.Due.UTC()
		due = &at
	}
	return state.Record{
		ID: id, Client: scope.Client, User: scope.User, Project: scope.Project, Agent: cmp.Or(c.Agent, scope.Agent), Session: scope.Session,
		Affair: c.Affair, About: c.About, Kind: c.Kind, Subject: c.Subject, Content: c.Content,
		Source: state.Source{Turn: o.Turn, Message: o.Message, Tool: o.Tool, Author: c.Author}, Trust: c.Trust,
		Importance: c.Importance, Pinned: c.Pinned, RecordedAt: now, ValidFrom: c.ValidFrom.UTC(), Due: due, Priority: c.Priority,
		Links: link.Of(string(c.Kind), c.Subject, c.Content, nil, text.Language(c.Content, "en")),
	}
}
