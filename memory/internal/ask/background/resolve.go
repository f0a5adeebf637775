package background

import (
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

const (
	alike   = 0.6 // of all terms of two titles that they must share to mean one affair
	clearly = 0.2 // that the second best must be behind
)

// resolve finds the affair that a model means by named: its id, its title, its title but for case and diacritics, an id or
// title with something around it, or a title with most terms in common. Problem says why there is none, "" if
// there is one. The time is linear in the affairs.
func resolve(named string, affairs []*state.Affair) (id, problem string) {
	named = strings.TrimSpace(named)
	if named == "" {
		return "", "which names no affair"
	}
	folded := bare(named)
	for _, same := range []func(a *state.Affair) bool{
		func(a *state.Affair) bool { return a.ID == named },
		func(a *state.Affair) bool { return a.Title == named },
		func(a *state.Affair) bool { return folded != "" && bare(a.Title) == folded },
		func(a *state.Affair) bool { return containsWord(named, a.ID) },
		func(a *state.Affair) bool { return contains(folded, bare(a.Title)) },
		func(a *state.Affair) bool { return contains(bare(a.Title), folded) },
	} {
		if id, n := the(affairs, same); n == 1 {
			return id, ""
		} else if n > 1 {
			return "", "which could be several affairs; the answer must give the id"
		}
	}
	return likeliest(named, affairs)
}

// the returns the affair for which same holds and how many there are.
func the(affairs []*state.Affair, same func(*state.Affair) bool) (id string, n int) {
	for _, a := range affairs {
		if a.ID != "" && a.ID != id && same(a) {
			id = a.ID
			n++
		}
	}
	return id, n
}

// bare is s folded, with single spaces and without punctuation.
func bare(s string) string {
	return strings.Join(strings.FieldsFunc(text.Fold(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}

// contains reports whether whole words of in are part, which has four letters or more.
func contains(in, part string) bool {
	const few = 4
	return len([]rune(part)) >= few && strings.Contains(" "+in+" ", " "+part+" ")
}

// containsWord reports whether id, of two bytes or more, stands in s with no letter or digit next to it.
func containsWord(s, id string) bool {
	for from := 0; len(id) > 1 && from < len(s); {
		at := strings.Index(s[from:], id)
		if at < 0 {
			return false
		}
		at += from
		before, after := strings.TrimRightFunc(s[:at], inWord), strings.TrimLeftFunc(s[at+len(id):], inWord)
		if len(before) == at && len(after) == len(s)-at-len(id) {
			return true
		}
		from = at + len(id)
	}
	return false
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' }

// likeliest returns the affair whose title shares most terms with named, if it does so clearly.
func likeliest(named string, affairs []*state.Affair) (id, problem string) {
	terms := set(text.Terms(named))
	best, second := 0.0, 0.0
	for _, a := range affairs {
		if a.ID == "" || a.ID == id {
			continue
		}
		switch share := overlap(terms, set(text.Terms(a.Title))); {
		case share > best:
			id, best, second = a.ID, share, best
		case share > second:
			second = share
		}
	}
	switch {
	case best < alike:
		return "", "which does not exist"
	case best-second < clearly:
		return "", "which could be several affairs; the answer must give the id"
	}
	return id, ""
}

// overlap returns the share of the terms of both that both have.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for term := range a {
		if b[term] {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(2*both) / float64(len(a)+len(b))
}

func set(terms []string) map[string]bool {
	out := make(map[string]bool, len(terms))
	for _, term := range terms {
		out[term] = true
	}
	return out
}
