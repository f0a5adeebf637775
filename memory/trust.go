package memory

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// This file is whose words a model's call has, and what others' words may not do.
//
// The door knows whose words a model's call has: it compares them with what the user says and with what the prompt showed of others
// (Ground): results of tools, documents, what is pasted in a message (package whose), answers, summaries. What only others say is a
// fact of the affair with trust tool or document, marked in prompts; it is in no brain, and ends or raises nothing that the user
// said. A rule, a preference, an identity, a task, or the end of a record that he has not asked for is state.ErrDenied, and the
// error says to ask him; a question that he says yes to is his word. What a person approves or writes, in Go too, is not questioned.
//
// That holds where nobody has said it too. How his words are looked for is told in said.go. A fact of the affair that a model concludes is
// trust agent, and one that stands in an answer is so too, unless what that answer was made of is found.

// weigh says what trust a change deserves. What a model takes from the result of a tool or from a document is kept as that, as a fact of
// the affair; what would bind from then on, or be the user's, is state.ErrDenied unless he has said it.
func (m *Memory) weigh(ctx context.Context, scope state.Scope, o desk.Call, c Change) (Change, error) {
	if !o.ByModel() {
		if _, brought := whose.Split(c.Content); o.BySpoken() && len(brought) > len(c.Content)/2 {
			return c.of(state.TrustDocument, o), nil // "remember this", said of a letter
		}
		return c, nil
	}

	// In the window it is looked for first. What is said there, and a fact that binds nobody, needs no further look.
	b, says := readGround(o.Ground), whose.Read(c.Subject, withoutExamples(c.Content))
	f, binds := b.find(says), b.binds(c)
	if c.corrects != nil && !c.Due.IsZero() && text.Fold(c.Subject) == text.Fold(c.corrects.Subject) && !b.tainted() {
		return c, nil // a task that is moved was the user's before
	}
	switch {
	case f.whole():
		return c, nil
	case !binds && f.taken():
		return c.of(f.level(), o), nil
	case !binds && !f.hearsay():
		return c.lowered(f), nil
	}

	// Then wherever it may have been said.
	m.widen(ctx, scope, o.Ground, b, says)
	switch f = b.find(says); {
	case b.grants(c, f), b.toldOnce(c, f), !binds && !f.taken() && !f.hearsay():
		return c.lowered(f), nil
	case c.rules():
		return c, errNotSaid("memory write", c.Content, f)
	}
	return c.of(f.level(), o), nil // it may be found, and is not the user's
}

// withoutExamples returns a text without what stands in brackets as an example: that is a model's own.
func withoutExamples(s string) string {
	for at := 0; ; {
		open := strings.Index(s[at:], "(")
		if open < 0 {
			return s
		}
		at += open
		end := strings.Index(s[at:], ")")
		if end < 0 {
			return s
		}
		inner := text.Fold(s[at+1 : at+end])
		if !slices.ContainsFunc([]string{"napr", "e.g", "for example", "np.", "например", "напр."}, func(p string) bool { return strings.HasPrefix(inner, p) }) {
			at++
			continue
		}
		s = s[:at] + s[at+end+1:]
	}
}

// binds reports whether the user must have said a change. A plan of the affair is made in talk: where nobody else has spoken it is enough that
// he goes along with it.
func (b *basis) binds(c Change) bool {
	if c.Kind == state.DecisionRecord && c.About != state.AboutUser && !c.standing() && !b.tainted() {
		return !b.states() && !whose.Does(b.now, whose.Agree)
	}
	return c.binds()
}

// binds reports whether a change says how it is to be from now on, or what is the user's.
func (c Change) binds() bool { return c.rules() || c.About == state.AboutUser }

// rules reports whether a change is a rule, a preference, a task or says who the user is, whatever it calls itself.
func (c Change) rules() bool { return c.Kind == state.DecisionRecord || c.standing() }

// standing reports the same of a change that is no decision, or is more than that.
func (c Change) standing() bool {
	return c.Kind == state.PreferenceRecord || c.Kind == state.ProcedureRecord || !c.Due.IsZero() || c.slot != "" ||
		whose.Rules(c.Content) || whose.Rules(c.Subject) || personal.Of(state.FactRecord, c.Subject, c.Content)
}

// of returns the change as a fact of the turn's affair that somebody else has told.
func (c Change) of(t state.Trust, o desk.Call) Change {
	if c.About != state.AboutProject {
		c.Affair, c.About = o.Affair, ""
		if c.Affair != "" {
			c.About = state.AboutAffair
		}
	}
	if c.Kind == state.PreferenceRecord || c.Kind == state.DecisionRecord || c.Kind == state.ProcedureRecord {
		c.Kind = state.FactRecord
	}
	c.Trust, c.slot, c.Pinned, c.Importance = t, "", false, min(c.Importance, taughtImportance)
	if c.Priority == state.Critical {
		c.Priority = state.High
	}
	return c
}

// taughtImportance is the highest of what others have told.
const taughtImportance = 5

// lowered returns a change whose claim to be the user's word holds only if half of it is.
func (c Change) lowered(f found) Change {
	if c.Trust == state.TrustUser && f.share() < .5 {
		c.Trust = state.TrustAgent
	}
	return c
}

// saidThemselves reports whether what a model has read out of a conversation may be the user's: not when most of it stands only in answers and
// in what he has pasted.
func saidThemselves(said []state.Message, content string) bool {
	var own, others []string
	for _, msg := range said {
		if msg.Role != state.RoleUser {
			others = append(others, msg.Text)
			continue
		}
		his, brought := whose.Split(msg.Said())
		own, others = append(own, his), append(others, brought)
	}
	says := whose.Read(content)
	lacks := whose.Read(own...).Lacks(says)
	return 2*len(lacks) <= len(says.Terms) || 2*whose.Read(others...).Holds(lacks) < len(says.Terms)
}

// mayAmend refuses edits of records for which the user has not asked, when the model was shown words of others.
func mayAmend(o desk.Call, a Amendment, targets []state.Record) error {
	if !o.ByModel() {
		return nil
	}
	b := readGround(o.Ground)

	var texts []string
	for _, r := range targets {
		texts = append(texts, r.Subject, r.Content)
	}
	target, now := whose.Read(texts...), whose.Read(b.now, b.asked)

	named := len(target.Terms) - len(now.Lacks(target))
	orders := whose.Does(b.now, whose.Amend)
	asked := named > 0 && (orders || b.states())
	if b.tainted() && !(a.Action == ForgetRecord && orders) { // what he orders to forget may be in others' words: it is kept as history
		asked = asked && named >= b.theirs().Holds(target.Terms)
	}
	if asked && a.Action == CorrectRecord && b.tainted() {
		asked = b.grants(Change{Content: a.Content}, b.find(whose.Read(a.Content)))
	}

	if says := whose.Read(a.Content); a.Action == CorrectRecord && b.changesAsSaid(target, says, now, orders && a.ID != "") {
		others := slices.DeleteFunc(target.Lacks(says), b.saysYear)
		if !b.tainted() || named > 0 && b.theirs().Holds(others) == 0 { // what is new is in nobody else's words
			return nil
		}
	}
	forgets := a.Action == EndRecord || a.Action == ForgetRecord && (orders || spoken.Find(b.now).Forgets()) // in other words than the record's, as "where I live" is
	if asked || !b.tainted() && (named > 0 || forgets || !b.hearsay()) {
		return nil
	}
	return state.Errorf(state.Denied, "amend memory", "the user has not asked to %s %q; ask him whether it is to be done", a.Action, text.Head(targets[0].Content, 60))
}

// changesAsSaid reports whether what a correction says and the record does not is the user's: all of it said now, as "no, at 4" says it, for who corrects in so
// few words names nothing of the record; or some of it now, and most of the rest, with each number, before; or, for who orders it of one record, all its numbers.
// A full hour may be written out, a date and a large number with blanks or without, and a date with the year in which it is said or the next.
func (b *basis) changesAsSaid(record, content, now whose.Said, ordered bool) bool {
	const most = 3 // one word in so many may be the model's own
	numbers := text.Numbers(b.now)
	has := func(says whose.Said, term string) bool {
		return says.Has(term) || says.Has(strings.TrimSuffix(term, ":00"))
	}
	fresh, saidNow, years, unsaid := record.Lacks(content), 0, 0, 0
	for _, term := range fresh {
		switch {
		case has(now, term), slices.Contains(numbers, term):
			saidNow++
		case b.saysYear(term):
			years++
		case has(b.said.read(), term):
		case text.Digits(term) > 0:
			return false
		default:
			unsaid++
		}
	}
	return saidNow > 0 && (ordered || saidNow+years == len(fresh) || saidNow > 1 && most*unsaid <= len(fresh))
}

// saysYear reports whether a term is the year in which the message is said, or the next: of a date without a year it is one of these.
func (b *basis) saysYear(term string) bool {
	return !b.at.IsZero() && (term == strconv.Itoa(b.at.Year()) || term == strconv.Itoa(b.at.Year()+1))
}

// mayMove refuses to settle an affair that the user does not call settled, when the model was shown words of others.
func mayMove(o desk.Call, a state.Affair) error {
	if !o.ByModel() {
		return nil
	}
	b := readGround(o.Ground)
	if !b.tainted() || whose.Does(b.now+" "+b.asked, whose.Settle) {
		return nil
	}
	return state.Errorf(state.Denied, "affair "+a.ID, "the user has not said that %q is over; ask him", text.Head(a.Title, 60))
}

// mayWithhold refuses to let go of what the user says when he does not ask for it.
func mayWithhold(o desk.Call) error {
	if !o.ByModel() {
		return nil
	}
	if b := readGround(o.Ground); b.tainted() && !whose.Does(b.now, whose.Amend) {
		return state.Errorf(state.Denied, "amend memory", "the user has not asked that nothing is remembered; ask him")
	}
	return nil
}

// errNotSaid returns the error of a write that only the user may ask for.
func errNotSaid(op, content string, f found) error {
	return state.Errorf(state.Denied, op, "%q %s, and the user has not said it: it is kept neither as his nor as a rule. Ask him whether it holds; "+
		"what it tells of the affair may be stored as kind fact about the affair", text.Head(content, 60), f.stands())
}

// ranked returns a verdict on a new record and an old one as far as the trust of the two lets it stand: what others have told ends nothing that
// the user or the model has said, and what he says is no repetition of theirs.
func ranked(v same.Verdict, next, old state.Record) same.Verdict {
	lower := next.Trust.Foreign() && (!old.Trust.Foreign() || old.Trust == state.TrustTool && next.Trust == state.TrustDocument)
	switch {
	case lower && v.Kind != same.Same:
		v.Kind = same.Other
	case old.Trust.Foreign() && !next.Trust.Foreign() && v.Kind == same.Same:
		v.Kind, v.Reason = same.Refines, "the user says it too"
	}
	return v
}
