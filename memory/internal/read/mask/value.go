package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// want is how sure the words before a value are, and so what the value has to look like.
type want int

const (
	exact  want = iota // "=": the same, and wherever it ends
	firm               // "is", ":": anything but a word that says something about the secret
	told               // "changed to": the same, also in the middle of a clause
	looked             // "to", or next to the cue: letters with digits or signs
	plain              // elsewhere in the clause: what can hardly be a name
)

const (
	quotes  = "\"'`„“«‚‘"
	closing = "\"'`“”»’‘"
)

// masked is what stands for a value that is a placeholder already.
const masked = -1

// value returns the secret that begins at a place, or none (end 0), or one that was masked before (end masked).
func (c cue) value(s string, at int, w want) span {
	if at >= len(s) {
		return span{}
	}
	if strings.HasPrefix(s[at:], opening) {
		return span{end: masked}
	}
	if first, size := utf8.DecodeRuneInString(s[at:]); strings.ContainsRune(quotes, first) {
		return c.quoted(s, at+size, w)
	}
	const longest = 512 // bytes of a password
	s = s[:min(len(s), at+longest)]
	token := strings.TrimRight(s[at:tokenEnd(s, at)], ".,;:)]}"+closing)
	if i := strings.IndexAny(token, "\"',;<"); i > 0 && c.role != password { // JSON, lists
		token = token[:i]
	} else if i := strings.IndexAny(token, "\"<"); i > 0 {
		token = token[:i]
	}
	if c.fits(s, at, at+len(token), w) {
		return span{start: at, end: at + len(token)}
	}
	if w == exact && (c.role == password || c.role == phrase || isVariable(s, at)) && isLetters(token) && utf8.RuneCountInString(token) >= 4 && c.fits(s, at, at+len(token), told) {
		return span{start: at, end: at + len(token)}
	}
	if c.role == phrase && w <= firm {
		return c.phrase(s, at)
	}
	return span{}
}

// isVariable reports whether the value at a place is that of a variable of a shell: JWT_SECRET=.
func isVariable(s string, at int) bool {
	name := s[:max(0, at-1)]
	name = name[strings.LastIndexFunc(name, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') })+1:]
	return len(name) > 4
}

// quoted returns the secret in quotation marks: what stands in them was meant as it is.
func (c cue) quoted(s string, at int, w want) span {
	n := strings.IndexAny(s[at:min(len(s), at+130)], closing+"\n")
	if n < 3 || s[at+n] == '\n' {
		return span{}
	}
	inside := s[at : at+n]
	if strings.HasPrefix(inside, opening) {
		return span{end: masked}
	}
	if c.in.is(strings.ToLower(inside), noValue) || isBlank(inside) {
		return span{}
	}
	if w <= told && c.role == password || c.role == phrase && (w <= told || strings.Count(inside, " ") > 2) || looks(inside, looked) || c.fits(s, at, at+n, w) {
		return span{start: at, end: at + n}
	}
	return span{}
}

// phrase returns a passphrase of at least four words up to the end of the clause, of which at least three are plain. Its first word may be a dull one,
// "correct horse battery staple", and short ones may stand between.
func (c cue) phrase(s string, at int) span {
	plain, odd, described := 0, 0, 0
	for i, w := range c.clause(s, at) {
		short := utf8.RuneCountInString(w.lower) < 3
		switch {
		case w.lower == "" || !isLetters(w.lower) || w.is(noValue) && i > 0 && !short:
			return span{}
		case w.is(noValue) || short:
			odd++
		default:
			plain++
		}
		if c.in.describes(w.lower) {
			described++
		}
		if w.last || w.assigns {
			if plain < 3 || plain+odd < 4 || described > 1 || 2*odd > plain || odd > 0 && (c.role != phrase || strings.TrimSpace(s[c.end:max(at, c.end)]) == "") {
				return span{}
			}
			return span{start: at, end: w.end}
		}
	}
	return span{}
}

// fits reports whether s[start:end] can be the secret that a cue of this role announces. What costs least is asked first: most words of
// a text are looked at here.
func (c cue) fits(s string, start, end int, w want) bool {
	token := s[start:end]
	if isBlank(token) || !c.hasForm(s, start, end, w) {
		return false
	}
	return !c.in.is(strings.ToLower(token), noValue) && !c.named(s, start)
}

// hasForm reports whether s[start:end] has the form of such a secret.
func (c cue) hasForm(s string, start, end int, w want) bool {
	token := s[start:end]
	switch c.role {
	case pin:
		year := len(token) == 4 && (token[:2] == "19" || token[:2] == "20")
		return isNumber(token) && 4 <= len(token) && len(token) <= 12 && (w < plain || len(token) == 4 && !year)
	case code:
		return isNumber(token) && (len(token) == 3 || len(token) == 4)
	case key:
		n := 12
		if w <= firm {
			n = 8
		} else if w == plain {
			n = 16
		}
		return len(token) >= n && hasDigit(token) && hasLetter(token) && !isKnown(token)
	}
	switch {
	case isNumber(token):
		return (w <= told && len(token) >= 4 || w == looked && len(token) >= 8) && !c.counts(s, end)
	case isLetters(token):
		return w <= told && utf8.RuneCountInString(token) >= 4 &&
			(w == told || !c.in.describes(strings.ToLower(token)) && (c.ends(s, end) || mixed(token)))
	case strings.HasSuffix(token, "'s") || strings.HasSuffix(token, "’s"): // my dog's name
		return false
	default:
		return looks(token, w)
	}
}

// named reports whether the word before a place says that a name follows.
func (c cue) named(s string, at int) bool {
	const longest = 40 // bytes of a word with what is around it
	before := strings.TrimRightFunc(s[max(0, at-longest):at], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(":("+quotes, r) })
	before = before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]
	return c.in.is(strings.ToLower(before), names)
}

// looks reports whether a token looks like a password, as strictly as w asks.
func looks(token string, w want) bool {
	token = strings.TrimRight(token, "?!")
	n := utf8.RuneCountInString(token)
	if n < 4 || w > told && (n < 6 || !hasLetter(token)) {
		return false
	}
	const signs = "!@#$%^&*_+=?"
	switch w {
	case exact, firm, told:
	case looked:
		if !hasDigit(token) && !strings.ContainsAny(token, signs) {
			return false
		}
	default:
		if !hasDigit(token) || !mixed(token) && !strings.ContainsAny(token, signs+".-") {
			return false
		}
	}
	return !isDigits(strings.Trim(token, "+-./:()")) && !isKnown(token)
}

// isKnown reports whether a token has the form of something that is no secret.
func isKnown(token string) bool {
	harmless := known().harmless
	return harmless.MatchString(strings.ToLower(token)) || harmless.MatchString(token)
}

// isBlank reports whether a value stands for one: ***, <password>, ${X}, xxxx, %s.
func isBlank(token string) bool {
	if token == "" || strings.ContainsAny(token[:1], "<{$%[") || strings.HasPrefix(token, "os.") || strings.HasPrefix(strings.ToLower(token), "your") || strings.Contains(token, "(") {
		return true
	}
	return strings.Trim(token, token[:1]) == "" || strings.Trim(token, "*•.xX…_?") == ""
}

// counts reports whether a number is followed by what it counts: "is 12 characters".
func (c cue) counts(s string, end int) bool {
	words := c.clause(s, end)
	return len(words) > 0 && !endsClause(s, end) && words[0].is(dull)
}

// endsClause reports whether nothing, or a sign that ends a clause, stands behind a place.
func endsClause(s string, end int) bool {
	rest := strings.TrimLeft(s[end:], " \t\"'”»’)")
	return rest == "" || strings.ContainsAny(rest[:1], ".,;!?\n\r#(|") || strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "—") || strings.HasPrefix(rest, "- ")
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isNumber reports whether a token is digits, perhaps in groups.
func isNumber(s string) bool {
	return hasDigit(s) && !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != ' ' && r != '-' })
}

func isLetters(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// mixed reports whether a capital stands behind a small letter or small and capital letters are mixed with digits.
func mixed(s string) bool {
	upper, lower, inner := false, false, false
	for i, r := range s {
		if unicode.IsUpper(r) {
			inner = inner || lower && i > 0
			upper = true
		}
		lower = lower || unicode.IsLower(r)
	}
	return inner || upper && lower && hasDigit(s)
}
