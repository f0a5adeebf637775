package extract

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// merger holds the facts of a session as far as it was read.
type merger struct{ held []found }

// with returns what is known before a message: what was known before the first, and what the messages said since.
func (m *merger) with(known []Known) []Known {
	out := slices.Clip(known)
	for _, h := range m.held {
		if !h.gone && h.Label != Delete {
			out = append(out, Known{h.Subject, h.Content})
		}
	}
	return out
}

// add takes up a fact: what it repeats is held once, what it contradicts, corrects or wants forgotten goes.
func (m *merger) add(f found) {
	switch f.Label {
	case Update:
		if f.Old == "" && !m.correct(&f) {
			return
		}
	case Delete:
		m.forget(f)
	default:
		if m.repeats(&f) {
			return
		}
	}
	m.replace(&f)
	m.held = append(m.held, f)
	if len(m.held) > mostHeld {
		m.held = slices.Delete(m.held, 0, 1)
	}
}

// replace removes what was held and is over with a fact; that fact ends what the other ended.
func (m *merger) replace(f *found) {
	for i := range m.held {
		h := &m.held[i]
		if f.Old != "" && !h.gone && h.Content == f.Old {
			h.gone, f.Old = true, h.Old
			return
		}
	}
}

// repeats reports whether a fact is held already and lets it stand for what it contradicts.
func (m *merger) repeats(f *found) bool {
	terms := termsOf(f.Content)
	for i := range m.held {
		h := &m.held[i]
		if h.gone || h.Label == Update || h.Label == Delete {
			continue
		}
		same := slices.Equal(termsOf(h.Content), terms)
		switch {
		case same && h.Subject == f.Subject:
			h.Importance = max(h.Importance, ofRepetition, f.Importance)
			return true
		case same, f.One && h.Subject == f.Subject, opposite(f, h, terms):
			h.gone = true
		}
	}
	return false
}

// opposite reports whether one of two facts says that something is liked and the other that it is not.
func opposite(f, h *found, terms []string) bool {
	if len(f.side) == 0 || len(h.side) == 0 || f.side == h.side {
		return false
	}
	before := termsOf(h.Content)
	return holdsAll(terms, before) || holdsAll(before, terms)
}

// holdsAll reports whether the first terms hold all of the second.
func holdsAll(all, some []string) bool {
	return len(some) > 0 && !slices.ContainsFunc(some, func(t string) bool { return !slices.Contains(all, t) })
}

// correct gives a correction the subject of what it most likely corrects: what has one value and was said last, in this message or the one
// before. It reports false if there is no such thing: alone it says nothing.
func (m *merger) correct(f *found) bool {
	for i := len(m.held) - 1; i >= 0; i-- {
		h := &m.held[i]
		if h.Message < f.Message-1 {
			return false
		}
		if h.One && !h.gone {
			h.gone, f.Subject, f.One = true, h.Subject, true
			return true
		}
	}
	return false
}

// forget removes what was said before and is to be forgotten.
func (m *merger) forget(f found) {
	terms := termsOf(f.Content)
	for i := range m.held {
		h := &m.held[i]
		said := termsOf(h.Subject + " " + h.Content)
		if h.Label != Delete && holdsAll(said, terms) {
			h.gone = true
		}
	}
}

// termsOf returns the stems of a text in order, each once; its folded words where all are stop words.
func termsOf(s string) []string {
	terms := text.Terms(s)
	if len(terms) == 0 {
		terms = strings.Fields(text.Fold(s))
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}
