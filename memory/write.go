package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/read/extract"
	"github.com/mneme-graph/mneme/memory/internal/read/link"
	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// A write is judged before it is made (package same): said again, said better, a new value, another thing. Nothing is overwritten:
// what is refined or replaced is closed and kept, and names what took its place. When unsure, both stay. Said again is an edit
// (Effect.Repeat): when it was seen last, how many turns said it, the highest importance. Its words are the same, so it needs no new
// vector. Outside turns, calls of Write to one user's memory wait for each other in a process, from judging to writing; two turns at
// once may both write.

// Change is a requested edit of memory: one thing to be remembered.
type Change struct {
	Kind       state.RecordKind // default fact
	Subject    string           // what it is about, a few words
	Content    string           // required: what is to be kept
	Affair     string           // id of the affair it belongs to; default: the one of the turn, none outside a turn
	About      state.About      // whose it is; default: the affair's if Affair is given, else as package personal tells
	Trust      state.Trust      // default agent
	Author     string
	Priority   state.Priority // how soon it must have its vector; default Normal
	Importance int            // 1 to 10; default 5
	Pinned     bool           // never evicted
	ValidFrom  time.Time      // default zero: valid from the beginning, whatever the clocks say
	Due        time.Time      // of a task: when it is to be done; zero = it is none
	Agent      string         // whose memory it is, where that is another agent's than the scope's

	corrects *state.Record // it takes the place of this one, whatever the two say
	slot     string        // what of the user it is the value of, where that has one at a time: what was known of it is over
}

// Origin is where a write inside a turn comes from.
type Origin = desk.Origin

// Ground is what a model had before it when it made a call. By it the door tells whose words a change has.
type Ground = desk.Ground

// ContextWithOrigin says where writes under the context come from.
func ContextWithOrigin(ctx context.Context, o Origin) context.Context {
	return desk.Call{Origin: o}.In(ctx)
}

// OriginFrom returns where the call comes from, and whether it is inside a turn.
func OriginFrom(ctx context.Context) (Origin, bool) {
	c := desk.CallFrom(ctx)
	return c.Origin, c.Inside
}

// Write is the one door for records. Inside a turn they become durable with the turn's next step, outside
// before it returns; every recall sees them at once either way. What is said again is not written twice: its receipt
// names the record there is, which is seen again and as important as anybody called it. A change whose value differs from that of a record about the same thing ends that record's
// validity and keeps it as history. Outside a turn a Critical change has its vector too when Write returns, unless the
// receipt says otherwise. Autonomy 0 refuses with state.ErrDenied; at 1 each change waits for the user: *suggest.WaitsError.
func (m *Memory) Write(ctx context.Context, scope state.Scope, changes ...Change) ([]state.Receipt, error) {
	if err := m.writable(ctx, scope); err != nil {
		return nil, err
	}
	scope = scope.Default()
	if err := state.CheckCount("memory write: changes", len(changes), state.MaxChanges, "write them in several calls"); err != nil {
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

// receipt is what is said of a record that was decided just now.
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

// mostPersonal bounds the bytes of what the rules take for the user's: a longer text is a document.
const mostPersonal = 400

// complete checks a change and fills in its defaults; nothing has been written by then.
func (c Change) complete(o desk.Call) (Change, error) {
	// What the change is about, unless it says so: short things that fit are the user's, the rest is the affair's.
	c.Kind, c.Importance, c.Trust = cmp.Or(c.Kind, state.FactRecord), cmp.Or(c.Importance, 5), cmp.Or(c.Trust, state.TrustAgent)
	if len(c.Content) <= mostPersonal && !o.Shared {
		if c.slot == "" && (c.About == "" && c.Affair == "" || c.About == state.AboutUser) {
			c.slot = extract.Slot(c.Subject, c.Content)
		}
		if c.About == "" && c.Affair == "" && (c.slot != "" || personal.Of(c.Kind, c.Subject, c.Content)) {
			c.About = state.AboutUser
		}
	}
	switch c.Affair = cmp.Or(c.Affair, o.Affair); {
	case !c.Due.IsZero(): // a task is the user's, and of the affair that it was set in
	case c.About == state.AboutUser, c.About == state.AboutProject:
		c.Affair = ""
	case c.About == "" && c.Affair != "":
		c.About = state.AboutAffair
	}

	// Each error names what is wrong and what would do.
	const op = "memory write"
	switch {
	case strings.TrimSpace(c.Content) == "":
		return c, state.Errorf(state.Invalid, op, "content is empty; say what is to be kept")
	case !utf8.ValidString(c.Subject + c.Content + c.Author):
		return c, state.Errorf(state.Invalid, op, "is not valid UTF-8; send it as UTF-8 text")
	case !c.Kind.Known():
		return c, state.Errorf(state.Invalid, op, "kind %.40q is unknown; use one of %v", c.Kind, state.Categories())
	case !slices.Contains(state.Trusts(), c.Trust):
		return c, state.Errorf(state.Invalid, op, "trust %.40q is unknown; use one of %v", c.Trust, state.Trusts())
	case c.Priority != "" && !c.Priority.Valid():
		return c, state.Errorf(state.Invalid, op, "priority %.40q is unknown; use one of %v", c.Priority, state.Priorities())
	case !c.About.Known():
		return c, state.Errorf(state.Invalid, op, "about %.40q is unknown; use user, affair or project", c.About)
	case c.Importance < 1 || c.Importance > 10:
		return c, state.Errorf(state.Invalid, op, "importance is %d; it runs from 1 to 10", c.Importance)
	}
	return c, cmp.Or(
		state.CheckSize(op+": content", len(c.Content), state.MaxContentBytes, "send it in pieces, or as an attachment of a message"),
		state.CheckSize(op+": subject", len(c.Subject), state.MaxSubjectBytes, "a few words are enough, the rest belongs into the content"),
		state.CheckSize(op+": author", len(c.Author), state.MaxNameBytes, "give a name"),
		checkID(op+": agent", c.Agent),
		checkID(op+": affair", c.Affair),
	)
}

// checkID refuses a name or an id that nothing can have; none is fine.
func checkID(name, id string) error {
	if id == "" {
		return nil
	}
	return state.ValidateID(name, id)
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
