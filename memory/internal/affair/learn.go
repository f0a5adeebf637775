package affair

import (
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// How much an affair keeps.
const (
	maxFacts   = 100
	maxPending = 10
	maxTopics  = 12
)

// How much is read, in bytes: of one message, and of the last messages together.
const (
	mostText  = 16 << 10
	mostTexts = 32 << 10
)

// anyLanguage is given where only the kinds and values of facts are wanted, which hardly depend on the language.
const anyLanguage = "cs"

// Learn returns the affair with what one message states: exact facts become key facts, open actions pending ones and those it settles are dropped,
// salient terms become topics. lang is the session's language. A question states nothing but identifiers and addresses. The assistant's words add
// what is not known and never change what is; a tool's are not read, for what tools return was recalled or comes from outside. Of a long message the
// first 16 KB are read. a itself is not changed.
func Learn(a state.Affair, message state.Message, lang string) state.Affair {
	if message.Role == state.RoleTool || strings.TrimSpace(message.Text) == "" {
		return a
	}
	message.Text = text.Head(message.Text, mostText)
	reading := facts.Read(message.Text, lang)
	l := learner{a: &a, at: message.At, user: message.Role != state.RoleAssistant, said: message.Text, corrects: reading.Changes()}
	for _, f := range reading.Exact() {
		l.take(f)
	}
	a.PendingActions = pending(a.PendingActions, reading)
	if l.user {
		a.Topics = reading.AddTopics(a.Topics, maxTopics)
	}
	return a
}

// learner takes the facts of one message into the known ones.
type learner struct {
	a        *state.Affair
	at       time.Time // of the message
	said     string    // the message
	fresh    []string  // labels set by this message
	user     bool
	corrects bool
}

// take adds one fact under its label if that is free. A label that is taken keeps its value, unless the user says that another one holds: what a
// value belongs to cannot be told, and a wrong one is worse than none. It stands in its message.
func (l *learner) take(f facts.Fact) {
	if l.knows(f) {
		return
	}
	if old := l.replaced(f); old >= 0 {
		l.set(l.a.KeyFacts[old].Label, f.Value)
		return
	}
	if _, taken := l.a.KeyFacts.Get(f.Label); !taken && len(l.a.KeyFacts) < maxFacts {
		l.set(f.Label, f.Value)
	}
}

func (l *learner) set(label, value string) {
	l.a.Keep(state.Fact{Label: label, Value: value}, l.at)
	l.fresh = append(l.fresh, label)
}

// Unsettles reports whether a message of the user may give a fact that a model has written another value: one of its kind, where the message says that
// something has changed, or names what the fact is of. No rule tells whether it does.
func Unsettles(a state.Affair, message state.Message, lang string) bool {
	reading := facts.Read(text.Head(message.Text, mostText), lang)
	l := learner{a: &a, at: message.At}
	for _, f := range reading.Exact() {
		if !l.knows(f) && slices.ContainsFunc(a.KeyFacts, func(k state.Fact) bool {
			return k.By == state.AuthorModel && sameKind(f, k) && (reading.Changes() || namesMatter(message.Text, k.Label))
		}) {
			return true
		}
	}
	return false
}

// namesMatter reports whether a text has a word of what a labelled value is of: "labour" of "price (labour)".
func namesMatter(s, label string) bool {
	const inflected = 3
	if _, inner, ok := strings.Cut(label, " ("); ok {
		label = inner
	}
	said := text.Terms(s)
	return slices.ContainsFunc(text.Terms(label), func(of string) bool {
		return slices.ContainsFunc(said, func(t string) bool { return text.Akin(of, t, inflected) })
	})
}

// knows reports whether the value is there already, under whatever label, or has ended since the message was written. A day is there with its hour too.
func (l *learner) knows(f facts.Fact) bool {
	value := text.Packed(f.Value)
	words := func(s string) string { return " " + strings.Join(text.Words(s), " ") + " " }
	within := func(k state.Fact) bool {
		return (f.Kind == facts.Date || f.Kind == facts.Deadline) && strings.Contains(words(k.Value), words(f.Value)) && sameKind(f, k)
	}
	return slices.ContainsFunc(l.a.KeyFacts, func(k state.Fact) bool { return text.Packed(k.Value) == value || within(k) }) ||
		slices.ContainsFunc(l.a.PastFacts, func(p state.Past) bool { return !l.at.After(p.Until) && text.Packed(p.Value) == value })
}

// replaced returns the index of the fact of a rule whose value f takes the place of, where the user says that something has changed; -1 for none. It is the one
// whose value the message names, else the one of the same label, else the only one of the kind.
func (l *learner) replaced(f facts.Fact) int {
	if !l.user {
		return -1
	}
	for i, k := range l.a.KeyFacts { // "47 EUR, not 42"
		if k.By == "" && sameKind(f, k) && !slices.Contains(l.fresh, k.Label) && denied(l.said, k.Value) {
			return i
		}
	}
	if !l.corrects && f.Kind != facts.Name { // who somebody is is said anew only where it changed
		return -1
	}
	only, of := -1, 0
	for i, k := range l.a.KeyFacts {
		if slices.Contains(l.fresh, k.Label) || k.By != "" || !sameKind(f, k) {
			continue
		}
		if ofAnother(f, k) && !strings.Contains(l.said, k.Value) {
			continue
		}
		if k.Label == f.Label || !f.Lasting() && strings.Contains(l.said, k.Value) {
			return i
		}
		only, of = i, of+1
	}
	if of == 1 && !f.Named && !f.Lasting() {
		return only
	}
	return -1
}

// denied reports whether a message denies a number of a value: it stands right behind a word that does.
func denied(said, value string) bool {
	numbers, tokens := text.Tokens(value), text.Tokens(said)
	for i := 1; i < len(tokens); i++ {
		of := func(v text.Token) bool { return v.Number && v.Folded == tokens[i].Folded }
		if tokens[i].Number && text.DeniesValue(tokens[i-1].Folded) && slices.ContainsFunc(numbers, of) {
			return true
		}
	}
	return false
}

// ofAnother reports whether a day is that of another matter than a known day is: both say what they are of, and have no word of it in common.
func ofAnother(f facts.Fact, known state.Fact) bool {
	const inflected = 3
	is, was := facts.Matter(f.Label), facts.Matter(known.Label)
	return f.Moment() && len(is) > 0 && len(was) > 0 && !slices.ContainsFunc(is, func(t string) bool {
		return slices.ContainsFunc(was, func(o string) bool { return text.Akin(o, t, inflected) })
	})
}

// sameKind reports whether a known fact is of a fact's kind; days, deadlines and times are one kind.
func sameKind(f facts.Fact, known state.Fact) bool {
	found := facts.Extract(known.Label+": "+known.Value, anyLanguage)
	if of := slices.IndexFunc(found, func(f facts.Fact) bool { return f.Start > len(known.Label) }); of > 0 { // the label may name somebody
		found = found[of:]
	}
	return len(found) > 0 && (found[0].Kind == f.Kind || found[0].Moment() && f.Moment())
}

// FromUser keeps what the user said: an answer repeats what was recalled, and what was recalled is not extracted again.
func FromUser(said []state.Message) []state.Message {
	return slices.DeleteFunc(slices.Clone(said), func(msg state.Message) bool { return msg.Role != state.RoleUser })
}
