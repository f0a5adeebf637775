package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
)

// keep writes what was found in a part, through the one door, if nobody else has read the part by then.
func (m *Memory) keep(ctx context.Context, by *desk.Edits, r state.Record, said []state.Message, found background.ExtractAnswer) error {
	e := &edits{m, by}

	// The edits are gathered apart, so that they can be marked as this part's.
	all := state.EffectsFrom(ctx)
	if all == nil {
		all = &e.Learnt
	}
	own := all.Child()
	ctx = state.ContextWithEffects(ctx, own)
	known, err := e.m.desk.Own(ctx, e.Scope)
	if err != nil {
		return err
	}

	// Facts: only what the user has said himself, with the message that says it as its source.
	scope := e.Scope
	scope.Agent, scope.Session = r.Agent, r.Session
	for _, f := range found.Facts {
		if !saidThemselves(said, f.Text) {
			state.TraceFrom(ctx).Note("session %s: a thing that was extracted is left out: the user has not said it", r.Session)
			continue
		}
		from := saidBy(said, f.Text)
		over, err := e.m.endedSince(ctx, scope, from, f.Text)
		if err != nil {
			return err
		}
		if over {
			state.TraceFrom(ctx).Note("session %s: a thing that was extracted is left out: it was corrected or forgotten since it was said", r.Session)
			continue
		}
		if again, err := e.m.suggestedBefore(ctx, scope, from, f.Text); again || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		origin := desk.Call{Origin: desk.Origin{Scope: scope, Turn: from.Turn, Message: from.ID, Seq: from.Seq, Call: r.ID, Path: cmp.Or(e.Path, desk.EndPath)}, ByRules: true, At: r.Span.StartedAt, Said: from.At}
		if err := e.keepFact(ctx, scope, origin, f, known); err != nil {
			return err
		}
	}

	// Lessons: what came of the affairs of the part.
	for _, c := range e.outcomes(r, found.Lessons) {
		if err := e.writeFound(ctx, scope, desk.Call{Origin: desk.Origin{Scope: scope, Call: r.ID, Path: cmp.Or(e.Path, desk.EndPath)}, ByRules: true, At: r.Span.StartedAt}, c); err != nil {
			return err
		}
	}

	// An effect of a part does not count when somebody else has read the part by then.
	for _, effect := range own.Take() {
		effect.Part = r.ID
		all.Add(effect)
	}
	return nil
}

// endedSince reports whether a record says what was extracted of a message, and holds no longer: it was stored from the message, or was replaced after that was
// said. What was corrected or forgotten does not come back with the message.
func (m *Memory) endedSince(ctx context.Context, scope state.Scope, from state.Message, found string) (bool, error) {
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return false, err
	}
	stored := slices.Clone(d.Stated(scope.Session, from.ID))
	d.Unlock()
	return slices.ContainsFunc(append(stored, d.ReplacedSince(from.At, found)...), func(r state.Record) bool {
		tells := shareOf(r, found) == 1 || shareOf(state.Record{Content: found}, r.Content) == 1
		return r.ValidTo != nil && tells
	}), nil
}

// suggestedBefore reports whether what was extracted of a message was suggested when it was said, whatever the user has answered since: where the agent
// may only suggest, it does so once.
func (m *Memory) suggestedBefore(ctx context.Context, scope state.Scope, from state.Message, found string) (bool, error) {
	if m.desk.Allows(ctx, scope) {
		return false, nil
	}
	all, err := m.suggestions.AskedFrom(ctx, scope, from.ID)
	return slices.ContainsFunc(all, func(request bson.Raw) bool {
		content, ok := request.Lookup("write", "change", "content").StringValueOK()
		return ok && (shareOf(state.Record{Content: content}, found) == 1 || shareOf(state.Record{Content: found}, content) == 1)
	}), err
}

// keepFact writes one thing that was found. An update takes the place of what it corrects, a deletion ends it.
func (e *edits) keepFact(ctx context.Context, scope state.Scope, origin desk.Call, f background.ExtractedFact, known []state.Record) error {
	c := Change{
		Kind: kindOf(f.Label), Subject: f.Subject, Content: f.Text, About: state.AboutUser, Trust: state.TrustExtracted, Author: string(state.RoleUser),
		Importance: min(max(f.Importance, 1), 10), slot: slotOf(f.Subject, f.One),
	}

	// What is over ends the record that says it.
	if f.Label == "DELETE" {
		old, ok := forgets(origin, known, f)
		if !ok {
			return nil
		}
		ctx = origin.In(ctx)
		if err := e.m.suggestions.Gate(ctx, scope, wishToAmend(Amendment{Action: ForgetRecord}, []state.Record{old}, false)); err != nil {
			return suggest.UnlessWaits(err)
		}
		now := e.m.c.Now()
		old.ValidTo = &now
		return e.m.desk.Decide(ctx, state.Effect{Scope: scope, Record: &old})
	}

	// What a record of his says in the same words is said again under its subject.
	for _, r := range known {
		if r.About == state.AboutUser && sameWords(r.Content, f.Text) {
			c.Subject = r.Subject
		}
	}

	// What corrects a record takes its place; everything else is new.
	switch old, ok := correctedBy(known, f); {
	case f.Label == "UPDATE" && ok:
		c.Kind, c.Subject, c.corrects = old.Kind, cmp.Or(subjectOf(old, f.Text), c.Subject), &old
	case f.Old != "" && ok && mind.RecordText(old) == f.Old:
		c.corrects = &old
	}
	return e.writeFound(ctx, scope, origin, c)
}

// sameWords reports whether two texts have the same telling words, in whatever form.
func sameWords(a, b string) bool {
	const inflected = 3
	in := func(terms, others []string) bool {
		return len(terms) > 0 && !slices.ContainsFunc(terms, func(t string) bool {
			return !slices.ContainsFunc(others, func(o string) bool { return text.Akin(o, t, inflected) })
		})
	}
	x, y := text.Terms(a), text.Terms(b)
	return in(x, y) && in(y, x)
}

// writeFound writes what was found in a part. What no memory can keep, such as a subject of a page, is noted and left out: the turn goes on.
func (e *edits) writeFound(ctx context.Context, scope state.Scope, origin desk.Call, c Change) error {
	_, err := e.m.write(ctx, scope, origin, []Change{c})
	if err = suggest.UnlessWaits(err); errors.Is(err, state.ErrInvalid) {
		state.TraceFrom(ctx).Note("session %s: a thing that was extracted is left out: %v", scope.Session, err)
		return nil
	}
	return err
}

// kindOf returns the kind of record that a label of the extraction makes.
func kindOf(label string) state.RecordKind {
	switch label {
	case "PREFERENCE":
		return state.PreferenceRecord
	case "DECISION":
		return state.DecisionRecord
	case "PROJECT":
		return state.InsightRecord
	}
	return state.FactRecord
}

// saidBy returns the last of the user's messages that has most of the telling words of a text.
func saidBy(said []state.Message, content string) (best state.Message) {
	most := -1
	for _, msg := range affair.FromUser(said) {
		has, n := text.Terms(msg.Said()), 0
		for _, t := range text.Terms(content) {
			if slices.Contains(has, t) {
				n++
			}
		}
		if n >= most {
			best, most = msg, n
		}
	}
	return best
}

// outcomes returns the records of what came of the part's affairs: how those that are resolved ended, and what worked or did not.
func (e *edits) outcomes(r state.Record, lessons []background.Lesson) (out []Change) {
	add := func(affair, subject, content string) {
		out = append(out, Change{Kind: state.LessonRecord, Affair: affair, About: state.AboutAffair, Subject: subject, Content: content, Trust: state.TrustExtracted, Importance: 7})
	}

	// How the affairs that are resolved ended.
	last := ""
	for _, id := range r.Span.Affairs {
		a, ok := e.View.Affair(id)
		if !ok {
			continue
		}
		last = id
		if a.Status == state.Resolved && a.Summary != "" {
			add(id, a.Title, e.m.c.Tokens.Cut(a.Summary, parts.DigestTokens))
		}
	}

	// What worked or did not, filed under the part's last affair.
	for _, l := range lessons {
		if last == "" {
			break
		}
		subject := "what did not work"
		if l.Worked {
			subject = "what worked"
		}
		add(last, subject, l.Text)
	}
	return out
}
