package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// A person edits the brain as Markdown (package vault): every line through Write and Amend, by the user, by the way "vault"
// (Origin.Who). A digest is edited in place: Amend with the id of the part's summary. L1 and L2 made of it before stay as they are.

// Amend returns the one door for edits of records that somebody asked for. An ID may name the summary of a part of a session that is over, outside
// a turn: what is corrected or forgotten is its digest then. What is forgotten is out of every prompt and recall at once, with
// the messages that say it and the key facts made of it, whatever time is asked about. Inside a turn
// the edits become durable with the turn's next step, outside before it returns. Nothing that matches is state.ErrNotFound; autonomy 0 and a request
// that stores nothing are state.ErrDenied.
func (m *Memory) Amend(ctx context.Context, scope state.Scope, a Amendment) ([]Amended, error) {
	scope = scope.Default()
	ctx = m.desk.Under(ctx, scope)

	// What all users of the client know has rules of its own.
	if err := m.amendable(ctx, scope, a); err != nil {
		return nil, err
	}
	if a.Shared {
		return m.amendShared(ctx, scope, a)
	}

	// The records meant, and whether the turn may change them.
	ctx = m.desk.Knowing(ctx, scope)
	found, err := m.meant(ctx, scope, a)
	origin := desk.CallFrom(ctx)
	if err == nil {
		err = mayAmend(origin, a, found)
	}
	if a.everything() { // nobody means that without seeing how much it is
		origin.Scope, origin.Suggests = cmp.Or(origin.Scope, scope), true
		ctx = origin.In(ctx)
	}
	if err != nil {
		return nil, err
	}

	// Another content is a change of its own kind. A model that names a record by words may not know what else it says.
	if err := a.checkKeep(found); err != nil {
		return nil, err
	}
	if a.Action == CorrectRecord && a.ID == "" && found[0].Span == nil {
		a.Content = spoken.Corrected(a.Content) // the wrong value has told which record is meant
		a.Content = cmp.Or(putRight(found[0].Content, a.Content), a.Content)
	}
	if origin.ByModel() && a.ID == "" && !a.Topic {
		if err := a.checkWhole(found); err != nil {
			return nil, err
		}
	}
	switch {
	case found[0].Span != nil:
		return m.redigest(ctx, scope, found[0].ID, a.Content)
	case a.Action == CorrectRecord:
		return m.correct(ctx, scope, found[0], a)
	}

	// What only marks records is made here, by one writer at a time.
	if a.Action == ForgetRecord && a.ID != "" {
		also, err := m.twins(ctx, scope, found[0], a.Keep)
		if err != nil {
			return nil, err
		}
		found = append(found, also...)
	}
	if err := m.suggestions.Gate(ctx, scope, wishToAmend(a, found, false)); err != nil {
		return nil, err
	}
	out, err := m.mark(ctx, scope, a, found)
	if err != nil || a.Keep == "" {
		return out, err
	}
	kept, err := m.keepRest(ctx, scope, found[0], a.Keep)
	return append(out, kept), err
}

// mark makes the edits that need no content.
func (m *Memory) mark(ctx context.Context, scope state.Scope, a Amendment, found []state.Record) ([]Amended, error) {
	leave, err := m.desk.Alone(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer leave()
	out, effects, err := m.amended(ctx, scope, a, found)
	if err != nil {
		return nil, err
	}
	return out, m.desk.Decide(ctx, effects...)
}

// wishToAmend returns what is asked for of records, who approves of which has seen them.
func wishToAmend(a Amendment, found []state.Record, shared bool) desk.Wish {
	w := desk.Wish{Kind: "amend", Asks: string(a.Action)}
	var says []string
	for _, r := range found {
		w.Of, w.Target = append(w.Of, r.ID), r.Agent
		says = append(says, mind.RecordText(r))
	}
	if w.Says = strings.Join(says, "; "); a.everything() {
		w.Says = fmt.Sprintf("%s (%d)", state.Everything, len(found))
	}
	w.Request = amendWish{Action: a.Action, IDs: w.Of, Match: a.Match, Keep: a.Keep, Shared: shared}
	return w
}

// amended are records as they are after an action that needs no content, and the edits that make them so.
func (m *Memory) amended(ctx context.Context, scope state.Scope, a Amendment, found []state.Record) (out []Amended, effects []state.Effect, err error) {
	origin := desk.CallFrom(ctx)
	for _, r := range found {
		if err := m.desk.MayChange(ctx, scope, r.Agent, "record "+r.ID); err != nil {
			return nil, nil, err
		}
		outcome := amend(&r, a.Action, m.c.Now(), origin.Turn)
		r.Gone = a.gone(r)

		// The record, and what is told of it.
		effects = append(effects, state.Effect{Scope: scope, Record: &r})
		done := Amended{m.receipt(r), r}
		done.Outcome, done.Durable = outcome, state.EffectsFrom(ctx) == nil
		out = append(out, done)

		// What is forgotten also leaves the affairs that it was told in.
		if r.EndedIn != "" {
			edits, err := m.leaveAffairs(ctx, scope, r, found, a.Keep, effects)
			if err != nil {
				return nil, nil, err
			}
			effects = append(effects, edits...)
		}
	}
	return out, effects, nil
}

// amendable refuses what cannot be carried out; nothing has been read by then.
func (m *Memory) amendable(ctx context.Context, scope state.Scope, a Amendment) error {
	const op = "amend memory"
	if err := m.writable(ctx, scope); err != nil {
		return err
	}

	origin := desk.CallFrom(ctx)
	switch {
	case origin.Unstored && a.Action != ForgetRecord:
		return errUnstored(op)
	case !slices.Contains([]Action{ForgetRecord, CorrectRecord, PinRecord, UnpinRecord, EndRecord}, a.Action):
		return state.Errorf(state.Invalid, op, "action %.40q is unknown; use forget, correct, pin or unpin", a.Action)
	case a.Keep != "" && (a.Action != ForgetRecord || a.Shared):
		return state.Errorf(state.Invalid, op, "what is kept is the rest of a record of the user's that is forgotten; leave it out")
	case a.Action == CorrectRecord && strings.TrimSpace(a.Content) == "":
		return state.Errorf(state.Invalid, op, "content is empty; say what holds instead")
	case a.Topic && !a.everything() && len(text.Sought(a.Match)) == 0:
		return state.Errorf(state.Invalid, op, "the topic %.40q has no telling word; name what it is about", a.Match)
	}
	return nil
}

// writable refuses a scope that is none, or whose memory is read-only.
func (m *Memory) writable(ctx context.Context, scope state.Scope) error {
	denied := m.desk.ReadOnly(ctx, scope, "memory of "+scope.Default().UserPrefix(), "")
	return cmp.Or(scope.Default().Validate(), denied)
}

// correct writes what holds in place of a record.
func (m *Memory) correct(ctx context.Context, scope state.Scope, old state.Record, a Amendment) ([]Amended, error) {
	origin := desk.CallFrom(ctx)
	if old.Affair == "" {
		origin.Affair = ""
	}
	change := correction(old, a)
	receipts, err := m.write(ctx, scope, origin, []Change{change})
	if err != nil {
		return nil, err
	}
	old.ID, old.Kind, old.Subject, old.Content = receipts[0].ID, change.Kind, change.Subject, a.Content
	old.Held, old.HeldAt = nil, time.Time{} // the old one is, and stays so
	return []Amended{{receipts[0], old}}, nil
}

// correction returns the change that puts what an amendment says in the place of a record.
func correction(old state.Record, a Amendment) Change {
	subject := subjectOf(old, a.Content)
	if a.Subject != nil {
		subject = *a.Subject
	}
	c := Change{
		Kind: cmp.Or(a.Kind, old.Kind), Subject: subject, Content: a.Content, Affair: old.Affair, About: old.About, Trust: state.TrustUser,
		Author: string(state.RoleUser), Importance: max(old.Importance, spokenImportance), Pinned: old.Pinned, corrects: &old,
	}
	if old.Due != nil {
		c.Due = *old.Due
	}
	return c
}

// subjectOf returns the subject of a record whose place another content takes: a value that has changed is the new one in it. "" where it is not plain which
// that is.
func subjectOf(old state.Record, content string) string {
	over := replacedIn(splitParts(old.Content), newParts(content))
	if !slices.ContainsFunc(splitParts(old.Subject), func(p part) bool { return len(over[p.is]) > 0 }) {
		return old.Subject
	}
	return corrected(old.Subject, over)
}

// Told returns the change that keeps what the user asks to be remembered, in his words and as his own.
func Told(content string) Change {
	lang := text.Language(content, "en")
	c := Change{
		Kind: facts.Category(facts.Extract(content, lang), content, lang), Content: content, About: state.AboutUser,
		Trust: state.TrustUser, Author: string(state.RoleUser), Importance: spokenImportance,
	}
	wish := slices.ContainsFunc(text.Words(content), func(w string) bool { return slices.Contains(strings.Fields(answering), w) })
	if c.Kind == state.FactRecord && wish { // how he is to be answered stands in every prompt
		c.Kind = state.PreferenceRecord
	}
	if found := personal.Find(content); len(found) == 1 {
		c.Subject, c.slot = found[0].Label, slotOf(found[0].Label, found[0].One)
	}
	return c
}

// answering are words with which somebody says how he is to be answered.
const answering = "answer reply respond write odpovidej odpovidejte odpovez pis piste odpowiadaj odpowiedz pisz отвечай отвечайте пиши пишите antworte schreib"

// spokenImportance is that of what the user asks to be remembered.
const spokenImportance = 10

// Own returns what holds now of the user himself, whatever affair he has said it in, and behind that what the turn's affair knows, each the oldest first; of
// these only records that have all telling words of about, if it has any. Elsewhere is how many such records other affairs keep.
func (m *Memory) Own(ctx context.Context, scope state.Scope, about string) (own []state.Record, elsewhere int, err error) {
	scope = scope.Default()
	valid, err := m.validRecords(ctx, scope)
	if err != nil {
		return nil, 0, err
	}
	all, here := len(text.Sought(about)) == 0, desk.CallFrom(ctx).Affair
	var ofAffair []state.Record
	for _, r := range valid {
		switch {
		case r.ArchivedAt != nil, !all && shareOf(r, about) < 1:
		case r.Affair == "", r.About == state.AboutUser, r.Due != nil: // a task is the user's
			own = append(own, r)
		case r.Affair == here:
			ofAffair = append(ofAffair, r)
		default:
			elsewhere++
		}
	}
	return append(own, ofAffair...), elsewhere, nil
}

// Nearest returns the user's records that hold now, at most so many: first those in another language to whose values a text gives others, then those with words
// most like its own, then the latest.
func (m *Memory) Nearest(ctx context.Context, scope state.Scope, to string, most int) ([]state.Record, error) {
	near, err := m.validRecords(ctx, scope.Default())
	if err != nil {
		return nil, err
	}
	like := map[string]int{}
	near = slices.DeleteFunc(near, func(r state.Record) bool {
		like[r.ID] = likeness(text.Sought(to), text.Terms(mind.RecordText(r)))
		if same.Abroad(r.Content, to) && same.Corrects(r.Content, to) {
			like[r.ID] += correctedLikeness
		}
		return r.ArchivedAt != nil
	})
	slices.Reverse(near)
	slices.SortStableFunc(near, func(a, b state.Record) int { return like[b.ID] - like[a.ID] })
	if len(near) > 0 && like[near[0].ID] > 0 { // what shares nothing is shown only where nothing shares anything
		near = slices.DeleteFunc(near, func(r state.Record) bool { return like[r.ID] == 0 })
	}
	return near[:min(most, len(near))], nil
}

// correctedLikeness is more than all words of an order or a correction weigh.
const correctedLikeness = 1 << 20

// likeness returns how many of the words asked for some word resembles: each counts by the percentage of its parts that the likest word has. One that has
// fewer than two in five does not count.
func likeness(asked, has []string) (sum int) {
	const least = 40
	for _, a := range asked {
		best := 0
		for _, h := range has {
			best = max(best, 100*text.SharedParts(a, h)/utf8.RuneCountInString(a))
		}
		if best >= least {
			sum += best
		}
	}
	return sum
}
