package affair

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

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

// Learn returns the affair with what one message states: facts become key facts, open actions pending ones and those it
// settles are dropped, salient terms become topics. lang is the session's language. A question states nothing but
// identifiers and addresses. The assistant's words add what is not known and never change what is; a tool's are
// not read, for what tools return was recalled or comes from outside. Of a long message the first 16 KB are read. a itself is not changed.
func Learn(a state.Affair, message state.Message, lang string) state.Affair {
	if message.Role == state.RoleTool || strings.TrimSpace(message.Text) == "" {
		return a
	}
	message.Text = text.Head(message.Text, mostText)
	reading := facts.Read(message.Text, lang)
	said := reading.Told()
	l := learner{a: &a, at: message.At, user: message.Role != state.RoleAssistant, plains: map[string]string{}}
	if l.user && len(said) > 0 { // nobody else changes what is known
		l.corrects, l.renewal = reading.Changes(), reading.Renewal(a.KeyFacts)
	}
	for _, f := range said {
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
	fresh    []string  // labels set by this message
	user     bool
	corrects bool
	renewal  *facts.Renewal
	plains   map[string]string // of known values
}

// take adds one fact: under its own label if that is free or the value is to be replaced, under a numbered one if it is
// another thing, not at all if it is known.
func (l *learner) take(f facts.Fact) {
	if l.knows(f) {
		return
	}

	// What the user states may renew facts that are known.
	if l.user && !f.Lasting() {
		renewed, file := l.renewal.Take(f)
		for _, k := range renewed {
			l.set(k.Label, k.Value)
		}
		if !file {
			return
		}
	}
	if f.Doubtful && !l.user {
		return
	}

	// A label that is taken gets a number, for another thing; only what the user says, or identifiers, are worth one.
	label := f.Label
	if old, taken := l.a.KeyFacts.Get(label); taken && !l.replaces(f, old) {
		if !l.user && !f.Kind.IsIdentifier() {
			return
		}
		label = l.free(label)
	}

	// An affair has room for so many facts.
	if _, taken := l.a.KeyFacts.Get(label); !taken && len(l.a.KeyFacts) >= maxFacts {
		return
	}
	l.set(label, f.Value)
}

func (l *learner) set(label, value string) {
	l.a.Keep(label, value, l.at)
	l.fresh = append(l.fresh, label)
}

// knows reports whether the value is there already, or has ended since the message was written: anywhere for what names one thing or has no label
// of its own, else under the same label.
func (l *learner) knows(f facts.Fact) bool {
	anywhere := !f.Named || f.Lasting()
	value := plain(f.Value)
	same := func(label, known string) bool {
		return (anywhere || facts.BaseLabel(label) == f.Label) && l.plain(known) == value
	}
	return slices.ContainsFunc(l.a.KeyFacts, func(k state.Fact) bool { return same(k.Label, k.Value) }) ||
		slices.ContainsFunc(l.a.PastFacts, func(p state.Past) bool { return !l.at.After(p.Until) && same(p.Label, p.Value) })
}

// plain is plain of a known value, found once.
func (l *learner) plain(value string) string {
	p, ok := l.plains[value]
	if !ok {
		p = plain(value)
		l.plains[value] = p
	}
	return p
}

// replaces reports whether the fact is a new value of what is known under its label as old. A differing identifier never
// is. What the message names is, if the old value is of the same kind; under the usual word of the kind ("price") only when
// the message corrects something, and what it does not name never: it may be the price of something else.
func (l *learner) replaces(f facts.Fact, old string) bool {
	if f.Lasting() || !l.user || slices.Contains(l.fresh, f.Label) || !sameKind(f, old) {
		return false
	}
	return f.Named && (l.corrects || !usualLabel(f) && !f.Besides)
}

// usualLabel reports whether the label is the default of its kind in some language.
func usualLabel(f facts.Fact) bool {
	return slices.ContainsFunc(facts.Languages(), func(lang string) bool {
		return facts.DefaultLabel(f.Kind, lang) == f.Label
	})
}

// sameKind reports whether the old value under a fact's label is of the fact's kind; days, deadlines and times are one kind.
func sameKind(f facts.Fact, old string) bool {
	moment := func(k facts.Kind) bool { return k == facts.Date || k == facts.Deadline || k == facts.Time }
	found := facts.Extract(f.Label+": "+old, anyLanguage)
	if len(found) == 0 {
		return f.Kind == facts.Statement || f.Kind == facts.Name || f.Kind == facts.Address
	}
	return found[0].Kind == f.Kind || moment(found[0].Kind) && moment(f.Kind) || f.Kind == facts.Statement
}

// free returns the label with the first number from 2 on that is not taken.
func (l *learner) free(label string) string {
	for n := 2; ; n++ {
		numbered := fmt.Sprintf("%s %d", label, n)
		if _, taken := l.a.KeyFacts.Get(numbered); !taken {
			return numbered
		}
	}
}

// plain makes values comparable: folded and without white space.
func plain(value string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return -1
		}
		return c
	}, text.Fold(value))
}
