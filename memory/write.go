package memory

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/facts"
	"github.com/mneme-graph/mneme/memory/text"
	"github.com/mneme-graph/mneme/state"
)

// Change is a requested edit of memory: one thing to be remembered.
type Change struct {
	Kind    state.RecordKind // default fact
	Subject string           // what it is about, a few words
	Content string           // required: what is to be kept
	Affair  string           // id of the affair it belongs to; default: the one of the turn, none outside a turn
	Trust   state.Trust      // default agent
	Author  string
}

// Origin is where a write inside a turn comes from. Call identifies the tool call across attempts of the
// turn, so that a repeated call writes nothing twice.
type Origin struct {
	Scope   state.Scope
	Affair  string
	Turn    string
	Message string
	Seq     int64 // of the user's message
	Tool    string
	Call    string
}

type originKey struct{}

// ContextWithOrigin says where writes under the context come from.
func ContextWithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginFrom returns where the call comes from, and whether it is inside a turn.
func OriginFrom(ctx context.Context) (Origin, bool) {
	o, ok := ctx.Value(originKey{}).(Origin)
	return o, ok
}

// Write is the one door for records. Inside a turn they become durable with the turn's next step, outside
// before it returns; every recall sees them at once either way. The same thing said again is not written
// twice: its receipt names the record there is. Autonomy 0 refuses with state.ErrDenied.
func (m *Memory) Write(ctx context.Context, scope state.Scope, changes ...Change) ([]state.Receipt, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if m.c.Settings.Autonomy == 0 {
		return nil, state.Errorf(state.Denied, "memory of "+scope.UserPrefix(), "is read-only (autonomy 0); raise the setting autonomy")
	}
	d, err := m.mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	origin, _ := OriginFrom(ctx)
	effects, receipts, err := m.decisions(ctx, d, scope, origin, changes)
	d.mu.Unlock()
	if err != nil || len(effects) == 0 {
		return receipts, err
	}
	durable, err := m.decide(ctx, effects...)
	if err != nil {
		return nil, err
	}
	for i := range receipts {
		receipts[i].Durable = receipts[i].Durable || durable
	}
	return receipts, nil
}

// decisions turns changes into effects, and says for each what it comes to.
func (m *Memory) decisions(
	ctx context.Context, d *mind, scope state.Scope, origin Origin, changes []Change,
) ([]state.Effect, []state.Receipt, error) {
	known := waiting(ctx)
	var effects []state.Effect
	receipts := make([]state.Receipt, 0, len(changes))
	for i, c := range changes {
		r, err := m.record(scope, origin, c, i)
		if err != nil {
			return nil, nil, err
		}
		id, durable := d.known[sameness(r)]
		if !durable {
			id = known[sameness(r)]
		}
		if id != "" {
			receipts = append(receipts, state.Receipt{ID: id, Kind: string(r.Kind), Durable: durable, Visible: true, Indexed: true})
			continue
		}
		if _, ok := d.affairs[r.Affair]; r.Affair != "" && !ok && r.Affair != origin.Affair {
			return nil, nil, state.Errorf(state.NotFound, "affair "+r.Affair, "there is no such affair; list_affairs shows their ids")
		}
		effects = append(effects, state.Effect{Scope: scope, Record: &r})
		if edit := d.note(r, m.c.Now().UTC()); edit != nil {
			effects = append(effects, state.Effect{Scope: scope, Affair: edit})
		}
		known[sameness(r)] = r.ID
		receipts = append(receipts, state.Receipt{ID: r.ID, Kind: string(r.Kind), Visible: true, Indexed: true})
	}
	return effects, receipts, nil
}

// waiting are the records that the running step has decided and not committed, by what they say.
func waiting(ctx context.Context) map[string]string {
	known := map[string]string{}
	for _, r := range decided(ctx) {
		known[sameness(r)] = r.ID
	}
	return known
}

// decided are the records that the running step has decided and not committed.
func decided(ctx context.Context) []state.Record {
	var records []state.Record
	if sink := state.EffectsFrom(ctx); sink != nil {
		for _, e := range sink.List() {
			if e.Record != nil {
				records = append(records, *e.Record)
			}
		}
	}
	return records
}

// record makes the record a change asks for.
func (m *Memory) record(scope state.Scope, o Origin, c Change, n int) (state.Record, error) {
	if strings.TrimSpace(c.Content) == "" {
		return state.Record{}, state.Errorf(state.Invalid, "memory write", "content is empty; say what is to be kept")
	}
	if !utf8.ValidString(c.Subject) || !utf8.ValidString(c.Content) {
		return state.Record{}, state.Errorf(state.Invalid, "memory write", "is not valid UTF-8; send it as UTF-8 text")
	}
	if c.Kind == "" {
		c.Kind = state.FactRecord
	}
	if c.Trust == "" {
		c.Trust = state.TrustAgent
	}
	if c.Affair == "" {
		c.Affair = o.Affair
	}
	id := m.c.NewID()
	if o.Call != "" {
		sum := sha256.Sum256([]byte(o.Turn + "\x00" + o.Call + "\x00" + itoa(int64(n))))
		id = fmt.Sprintf("%012x%x", m.c.Now().UnixMilli(), sum[:6]) // in the order of time, as stores like it
	}
	c.Subject, _ = m.masker.Secrets(c.Subject)
	c.Content, _ = m.masker.Secrets(c.Content)
	now := m.c.Now()
	return state.Record{
		ID: id, Client: scope.Client, User: scope.User, Project: scope.Project, Agent: scope.Agent, Session: scope.Session,
		Affair: c.Affair, Kind: c.Kind, Subject: strings.TrimSpace(c.Subject), Content: strings.TrimSpace(c.Content),
		Source: state.Source{Turn: o.Turn, Message: o.Message, Tool: o.Tool, Author: c.Author}, Trust: c.Trust,
		Importance: 5, RecordedAt: now, ValidFrom: now,
	}, nil
}

// novel keeps the facts whose value the affair does not have yet.
func novel(a state.Affair, found state.Facts) state.Facts {
	var out state.Facts
	for _, f := range found {
		if !slices.ContainsFunc(a.KeyFacts, func(k state.Fact) bool { return text.Fold(k.Value) == text.Fold(f.Value) }) {
			out = append(out, f)
		}
	}
	return out
}

// extracted is what a text states, as key facts.
func extracted(s, lang string) state.Facts {
	var out state.Facts
	for _, f := range facts.Extract(s, lang) {
		out = out.With(f.Label, f.Value)
	}
	return out
}
