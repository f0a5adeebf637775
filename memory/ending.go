package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/extract"
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is what a finished part of a session leaves: a digest, which is the active context of the agent's next session, and what it
// says of the user. It is made behind the reply, when somebody ends the session, or when the memory is closed, in the commit that writes
// the part's document.
//
// What was going on last is the digest of the last part of a session with the same agent (Span.Digest). It names affairs and how
// they stand, and none of their facts.
//
// A part of a session ends when somebody ends or clears it, or after session_idle_minutes: with the user's next message in the
// session that does not go on with what was active, with his next message in any other session, or when the memory is closed. Who
// comes back and goes on, having done nothing else, is still in the same part; a changed topic parks whatever the clock says. The
// part's record then says what it covers (state.Span). It is written behind the reply; until then the session lists the part
// (Session.Ending), so that a turn that is cut off loses none.
//
// A part is read once. Who comes second, another process that ends it at the same time, finds it read, and what he learnt from it is
// dropped when it is merged (state.Effect.Part). So what two models say of one part is never mixed.
//
// What a finished part says of the user is extracted in the commit that writes the part's document: by one question to the small
// model, else by rules. While the model does not answer, the part waits (Span.Waits) and is tried again when another one ends, the
// oldest first and three at most; a turn that got no answer asks about no further part. The trace says how many wait. Only what the
// user said is taken, and it goes through the same judging as any other write.

// digestPart names the digest of a record in an origin.
const digestPart = "digest"

// learnPart takes out of a part that is over what is to be kept of it: its digest, and what it says of the user. The small model is asked
// once; while it does not answer the part waits for the next one that ends. Where parts are asked about in batches it waits for one of those,
// see Waiting. Without a model the rules read it.
func (e *edits) learnPart(ctx context.Context, r *state.Record) error {
	if r.Span.Digest != "" && !r.Span.Waits {
		return nil
	}
	said, err := e.partMessages(ctx, *r)
	if err != nil || len(said) == 0 {
		r.Span.Waits = false
		return err
	}
	answer, asked := e.askExtract(ctx, *r, said)
	r.Span.Waits = !asked
	return e.takeAnswer(ctx, r, said, answer)
}

// takeAnswer keeps what was found in a part, and its digest.
func (e *edits) takeAnswer(ctx context.Context, r *state.Record, said []state.Message, answer background.ExtractAnswer) error {
	r.Span.Digest = cmp.Or(e.m.c.Tokens.Cut(e.m.desk.Mask(answer.Summary), parts.DigestTokens), r.Span.Digest, e.digest(*r, said))
	if r.Span.Waits || !e.m.desk.Set(ctx).ExtractionEnabled || e.m.desk.Autonomy(ctx, state.Scope{Agent: r.Agent}) == desk.ReadOnlyLevel {
		return nil
	}
	return e.keepFound(ctx, *r, said, answer)
}

// extractInput is what a model is asked about a part.
func (e *edits) extractInput(ctx context.Context, r state.Record, said []state.Message) background.ExtractInput {
	in := background.ExtractInput{Agent: r.Agent, Messages: said, Language: e.View.Session.Language}
	own, err := e.m.ownRecords(ctx, e.Scope)
	if err == nil {
		b := e.m.brain(ctx, own)
		for _, known := range slices.Concat(b.User, b.Preferences, b.Decisions, b.Current) {
			in.Brain = append(in.Brain, mind.RecordText(known))
		}
	}
	return in
}

// askExtract is what the small model finds in a part, or the rules where there is none. It reports false when the model did not answer, and
// when the part is to wait for a batch.
func (e *edits) askExtract(ctx context.Context, r state.Record, said []state.Message) (background.ExtractAnswer, bool) {
	if e.m.desk.Set(ctx).Batched() {
		return background.ExtractAnswer{}, false
	}

	in := e.extractInput(ctx, r, said)
	if small := e.m.desk.Small(ctx, r.Agent); small != nil {
		if e.Silent {
			return background.ExtractAnswer{}, false
		}
		answer, err := small.Extract(ctx, in)
		if !errors.Is(err, state.ErrNotFound) {
			if err != nil {
				e.Silent = true
				state.TraceFrom(ctx).Note("session %s: what it says of the user is extracted later, the small model did not answer: %v", r.Session, err)
			}
			return answer, err == nil
		}
	}

	return e.extractByRules(ctx, said), true
}

// extractByRules is what the rules find in a part.
func (e *edits) extractByRules(ctx context.Context, said []state.Message) (out background.ExtractAnswer) {
	var texts []string
	var known []extract.Known
	if own, err := e.m.ownRecords(ctx, e.Scope); err == nil { // else less is told to have ended
		for _, r := range own {
			if r.Due == nil {
				known = append(known, extract.Known{Subject: r.Subject, Text: mind.RecordText(r)})
			}
		}
	}

	spoken := affair.FromUser(said)
	for _, msg := range spoken {
		texts = append(texts, whose.Own(msg.Said()))
	}
	lang := cmp.Or(e.View.Session.Language, text.Language(strings.Join(texts, "\n"), "en")) // a chat that was imported has none

	for _, f := range extract.Facts(texts, lang, known...) {
		if f.Label == extract.Delete && e.m.spoken(spoken[f.Message]).Action != "" {
			continue // carried out when it was said
		}
		out.Facts = append(out.Facts, background.ExtractedFact{Label: string(f.Label), Subject: f.Subject, Text: f.Content, Importance: f.Importance, One: f.One, Old: f.Old})
	}
	return out
}

// keepFound writes what was found in a part, through the one door, if nobody else has read the part by then.
func (e *edits) keepFound(ctx context.Context, r state.Record, said []state.Message, found background.ExtractAnswer) error {
	// The edits are gathered apart, so that they can be marked as this part's.
	all := state.EffectsFrom(ctx)
	if all == nil {
		all = &e.Learnt
	}
	own := all.Child()
	ctx = state.ContextWithEffects(ctx, own)
	known, err := e.m.ownRecords(ctx, e.Scope)
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

// endedSince reports whether a record that was stored from a message says what was extracted of it, and holds no longer: what was corrected or forgotten
// does not come back with the message.
func (m *Memory) endedSince(ctx context.Context, scope state.Scope, from state.Message, found string) (bool, error) {
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return false, err
	}
	defer d.Unlock()
	return slices.ContainsFunc(d.Stated(scope.Session, from.ID), func(r state.Record) bool {
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
		c.Kind, c.Subject, c.corrects = old.Kind, cmp.Or(old.Subject, c.Subject), &old
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

// kindOf is the kind of record that a label of the extraction makes.
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

// correctedBy is the one of the user's records that an update or a deletion means: by the line it copies, else by the words of the line or its subject; a
// deletion names it in its text.
func correctedBy(known []state.Record, f background.ExtractedFact) (state.Record, bool) {
	for _, r := range slices.Backward(known) {
		if f.Old != "" && mind.RecordText(r) == f.Old {
			return r, true
		}
	}

	names := []string{f.Old, f.Subject}
	if f.Label == "DELETE" {
		names = append(names, f.Text)
	}

	for _, asked := range names {
		terms := text.Terms(asked)
		if len(terms) == 0 {
			continue
		}
		for _, r := range slices.Backward(known) {
			has := text.Terms(mind.RecordText(r))
			if !slices.ContainsFunc(terms, func(t string) bool { return !slices.Contains(has, t) }) {
				return r, true
			}
		}
	}
	return state.Record{}, false
}

// saidBy is the last of the user's messages that has most of the telling words of a text.
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

// outcomes are the records of what came of the part's affairs: how those that are resolved ended, and what worked or did not.
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

// partMessages are what user and assistant have said in a part, oldest first, its last foldRead messages at most. What says a thing that
// was forgotten or corrected since, or was cleared, is left out, and so is what ordered the memory to remember or to correct something: that was
// done, or there was nothing to correct. An order to forget that was not understood says nothing either.
func (e *edits) partMessages(ctx context.Context, r state.Record) ([]state.Message, error) {
	scope, span := e.Scope, *r.Span
	scope.Session = r.Session
	d, err := e.m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	from, gone := d.Docs, d.Cleared
	d.Unlock()

	after := max(span.First-1, span.Last-foldRead)
	read, err := ledger.Scan[state.Message](ctx, from, store.Query{
		Collection: state.Messages, Prefix: scope.SessionKey() + "/", After: scope.MessageKey(after), Limit: foldRead,
	})

	for i, msg := range read {
		read[i] = d.Unsay(scope.Session, msg)
	}
	commands := spoken.Turns(read)
	return slices.DeleteFunc(read, func(msg state.Message) bool {
		c := commandOf(msg)
		obeyed := commands[msg.Turn] && (c.Order || slices.Contains([]spoken.Action{spoken.Remember, spoken.Pin, spoken.Unclear}, c.Action))
		unseen := gone.Hides(scope.Session, msg.Seq) || d.Outdated(scope.Session, msg) || obeyed
		return msg.Seq > span.Last || msg.Undone || msg.Role == state.RoleTool || msg.Text == "" || msg.Unstored() || unseen
	}), err
}

// digest is what a part comes to, by rule: the affairs it spoke of and how they stand, then what was said besides, else what was
// said at all.
func (e *edits) digest(r state.Record, said []state.Message) string {
	count := e.m.c.Tokens.Count
	var lines []string
	for _, id := range r.Span.Affairs {
		if a, ok := e.View.Affair(id); ok {
			lines = append(lines, a.Title+" ("+strings.ToLower(string(a.Status))+")")
		}
	}
	spoken := strings.Join(lines, "; ")
	left := parts.DigestTokens - count(spoken)
	rest := affair.Summarise(r.Content, nil, max(left, 1), count)
	if len(lines) == 0 && rest == "" {
		rest = affair.Summarise("", affair.FromUser(said), parts.DigestTokens, count)
	}
	return e.m.c.Tokens.Cut(strings.TrimSpace(spoken+"\n"+rest), parts.DigestTokens)
}
