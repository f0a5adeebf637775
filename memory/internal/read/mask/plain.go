package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bare finds a value that no word announces but the cue: "password hedgehog", "the password for the router hedgehog". What the
// secret is of is passed over; the value ends its clause, and is no word that says something about a secret.
func (c cue) bare(s string) span {
	words := c.behind
	switch {
	case len(words) == 0 || c.isVariable(s) || c.asked() || c.self(s).is(many):
		return span{}
	case c.role == phrase:
		return c.phrase(s, words[0].start)
	case c.role != password && c.role != pin:
		return span{}
	case strings.IndexByte(",;?!.()", next(s, c.end)) >= 0 && !pauses(s, c.end) || strings.HasPrefix(s[c.end:], " ("):
		if strings.HasPrefix(s[c.end:], "?") && len(words) == 1 {
			return c.plainWord(s, words[0])
		}
		return c.resumed(s, words)
	}
	stated, led := false, false
	if at := c.quoteBefore(s, words[0].start); at < words[0].start {
		return c.value(s, at, firm)
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w.is(of) && stated:
			return span{}
		case w.is(of):
			led = true
			for i++; i < len(words) && words[i].is(owner) && !words[i].is(names) && !words[i].last; i++ {
				continue
			}
			if i < len(words) && !words[i].last && words[i].lower == "" { // of a placeholder
				return span{}
			}
		case w.is(equals) || w.is(fills):
			stated = true
		case !stated && (w.is(owner) || w.is(thing)) && !w.last:
		default:
			name := led && !stated && c.in.owns(w.lower) || i == 0 && unicode.IsUpper(first(s[w.start:])) && isLetters(w.lower) && !isUpper(s[c.start]) // Petr's, the neighbour's
			if v := c.plainWord(s, w); v.end != 0 && !name {
				return v
			}
			return c.resumed(s, words[i:])
		}
		if i < len(words) && words[i].last && !pauses(s, words[i].end) {
			return c.resumed(s, words[i+1:])
		}
	}
	return span{}
}

// isVariable reports whether a cue is the name of a variable: ${DB_PASSWORD}.
func (c cue) isVariable(s string) bool { return strings.IndexByte("}>]%", next(s, c.end)) >= 0 }

// resumed finds the value behind what was put in: "the password, believe it or not, is hedgehog".
func (c cue) resumed(s string, words []word) span {
	for i := range words {
		if words[i].lower == "" {
			return span{}
		}
		if i > 0 && !words[i-1].last || !words[i].is(equals) || words[i].last {
			continue
		}
		for i < len(words)-1 && (words[i].is(equals) || words[i].is(fills)) && !words[i].last {
			i++
		}
		if v := c.plainWord(s, words[i]); v.end != 0 {
			return v
		}
	}
	return span{}
}

// pauses reports whether three dots stand at a place.
func pauses(s string, at int) bool {
	return strings.HasPrefix(s[at:], "..") || strings.HasPrefix(s[at:], "…")
}

// plainWord returns a word as a value, if it can be one.
func (c cue) plainWord(s string, w word) span {
	v := span{start: w.start, end: w.start + len(strings.TrimRight(s[w.start:w.end], "…"))}
	if v.end > v.start && c.isPlain(s, v) && c.ends(s, v.end) && (hasDigit(s[v.start:v.end]) || !strings.HasPrefix(s[w.end:], "?")) {
		return v
	}
	return span{}
}

// isPlain reports whether a word can be a secret of the cue's kind without a sign in it that it is one.
func (c cue) isPlain(s string, v span) bool {
	token := s[v.start:v.end]
	lower := strings.ToLower(token)
	if isBlank(token) || c.in.is(lower, noValue|of|asks|names|enters) {
		return false
	}
	if isNumber(token) {
		return len(token) >= 4 && len(token) <= 12 && !isKnownNumber(token)
	}
	if c.role == pin {
		return false
	}
	joined := strings.NewReplacer("-", "", ".", "", "_", "", "'", "").Replace(token)
	if !isLetters(joined) {
		return looks(token, looked)
	}
	return utf8.RuneCountInString(token) >= 4 && !c.in.describes(lower) && !isKnown(token)
}

// isKnownNumber reports whether a number is a date or the like.
func isKnownNumber(token string) bool {
	return strings.Contains(token, " ") || strings.HasPrefix(token, "-")
}

// ends reports whether nothing that belongs to a value stands behind a place: a sign, a line's end, or a word that begins another clause.
func (c cue) ends(s string, end int) bool {
	if endsClause(s, end) {
		return true
	}
	words := c.clause(s, end)
	return len(words) == 0 || words[0].is(ends|joins)
}

// asked reports whether the words of a cue's clause before it say that the secret is not said here: it was forgotten, or somebody asks for it.
func (c cue) asked() bool {
	for i := len(c.head) - 1; i >= 0 && !c.head[i].last; i-- {
		if c.head[i].is(asks) {
			return true
		}
	}
	return false
}

// equated finds a plain word in front of a cue: "hedgehog is my password", which begins its clause, "it's hedgehog, my password".
func (c cue) equated(s string) span {
	i, linked := len(c.head), false
	if c.role != password {
		return span{}
	}
	for i > 0 && c.head[i-1].is(owner|copula) && (!c.head[i-1].last || linked) && len(c.head)-i < 8 {
		linked = linked || c.head[i-1].is(copula)
		i--
	}
	if i == 0 {
		return span{}
	}
	v, begins := span{start: c.head[i-1].start, end: c.head[i-1].end}, i == 1 || c.head[i-2].last
	dash := strings.Trim(s[v.end:nextStart(c, i)], around+" ")
	switch {
	case begins && (linked || dash == "-" || dash == "–" || dash == "—"):
	case i > 1 && i < len(c.head) && c.head[i-1].last && c.head[i-2].is(equals) && endsClause(s, c.end):
	default:
		return span{}
	}
	if inPlaceholder(s, v) || !c.isPlain(s, v) {
		return span{}
	}
	return v
}

// nextStart returns where the i-th word before a cue begins, or the cue.
func nextStart(c cue, i int) int {
	if i < len(c.head) {
		return c.head[i].start
	}
	return c.start
}

// entered finds what is typed in where a password is asked for: "when it asks for the password type hedgehog", "type hedgehog when
// it asks for the password".
func (c cue) entered(s string) span {
	// Only a password is asked for in this way.
	if c.role != password {
		return span{}
	}
	for at, words := range [][]word{c.head, c.behind} {
		for i, w := range words {
			if !w.is(enters) {
				continue
			}

			// What is typed in is the next word that says something.
			for i++; i < len(words) && words[i].is(owner|fills) && !words[i].is(of); i++ {
				continue
			}
			if i >= len(words) || words[i].lower == "" || inPlaceholder(s, span{start: words[i].start, end: words[i].end}) {
				continue
			}

			// A word that looks like a password counts anyhow; another one only where it stands between the two phrases.
			v := span{start: words[i].start, end: words[i].end}
			leads := i+1 < len(words) && words[i+1].is(when|serves)
			switch {
			case !c.isPlain(s, v):
			case looks(s[v.start:v.end], looked):
				return v
			case unicode.IsUpper(first(s[v.start:])):
			case at == 0 && leads || at == 1 && c.ends(s, v.end):
				return v
			}
		}
	}
	return span{}
}
