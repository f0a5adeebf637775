package extract

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// merger holds the facts of a session as far as it was read.
type merger struct{ held []found }

// add takes up a fact: what it repeats is held once, what it contradicts, corrects or wants forgotten goes.
func (m *merger) add(f found) {
	switch f.Label {
	case Update:
		m.correct(&f)
	case Delete:
		m.forget(f)
	default:
		if m.repeats(&f) {
			return
		}
	}
	m.held = append(m.held, f)
	if len(m.held) > mostHeld {
		m.held = slices.Delete(m.held, 0, 1)
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
		case same, f.one && h.one && h.Subject == f.Subject:
			h.gone = true
		}
	}
	return false
}

// correct gives a correction the subject of what it most likely corrects: what has one value and was said last, in this message or the one
// before.
func (m *merger) correct(f *found) {
	for i := len(m.held) - 1; i >= 0; i-- {
		h := &m.held[i]
		if h.Message < f.Message-1 {
			return
		}
		if h.one && !h.gone {
			h.gone, f.Subject = true, h.Subject
			return
		}
	}
}

// forget removes what was said before and is to be forgotten.
func (m *merger) forget(f found) {
	terms := termsOf(f.Content)
	for i := range m.held {
		h := &m.held[i]
		said := termsOf(h.Subject + " " + h.Content)
		if len(terms) > 0 && h.Label != Delete && !slices.ContainsFunc(terms, func(t string) bool { return !slices.Contains(said, t) }) {
			h.gone = true
		}
	}
}

// termsOf are the stems of a text in order, each once; its folded words where all are stop words.
func termsOf(s string) []string {
	terms := text.Terms(s)
	if len(terms) == 0 {
		terms = strings.Fields(text.Fold(s))
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}
