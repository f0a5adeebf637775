package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// secrets finds what a cue announces: "the password to the router is X", "password: X", "X is my password", "karel / X".
func (c cue) secrets(s string) []span {
	words := clause(s, c.end)
	switch c.role {
	case login:
		return c.pair(s, words)
	case recovery:
		return recoveryWords(s, c.end)
	}
	v, signed := c.assigned(s, words)
	if !signed {
		v = c.stated(s, words)
	}
	if v.end == 0 && !signed {
		v = c.before(s)
	}
	if v.end == 0 && !signed {
		v = c.around(s)
	}
	if v.end == 0 {
		return c.listed(s)
	}
	if v.end == masked {
		return nil
	}
	v.kind = c.role.kind()
	return append([]span{v}, c.more(s, v)...)
}

const (
	around       = `.,;:!?()"'„“«‚‘”»’` + "`" // what may stand around a value
	clauseWords  = 14                         // that are looked at behind a cue
	clauseBytes  = 200                        // in which they stand
	shortestStem = 5                          // letters that two passwords share, but for a number
)

// word is one word of a clause, without the signs around it.
type word struct {
	start, end int
	last       bool   // the clause ends behind it
	assigns    bool   // ":" or the like stands behind it
	lower      string // in lower case
}

// clause lists the words from a place to the end of the line, and tells where a clause ends.
func clause(s string, from int) []word {
	s = s[:min(len(s), from+clauseBytes)]
	var out []word
	for i := from; i < len(s) && len(out) < clauseWords && s[i] != '\n'; {
		if r, size := utf8.DecodeRuneInString(s[i:]); unicode.IsSpace(r) {
			i += size
			continue
		}
		if n := strings.IndexByte(s[i:], ']'); n > 0 && strings.HasPrefix(s[i:], opening) {
			out = append(out, word{start: i, end: i + n + 1})
			i += n + 1
			continue
		}
		end := tokenEnd(s, i)
		token := s[i:end]
		w := word{start: i + len(token) - len(strings.TrimLeft(token, `([{*`+quotes)), end: i + len(strings.TrimRight(token, `.,;:!?)]}*`+closing))}
		switch {
		case w.end > w.start && strings.Trim(token, "-–—→=") != "":
			tail := s[w.end:end]
			w.lower = strings.ToLower(s[w.start:w.end])
			w.assigns = strings.Contains(tail, ":")
			w.last = strings.ContainsAny(tail, ".,;!?)")
			out = append(out, w)
		case len(out) > 0:
			out[len(out)-1].assigns = strings.ContainsAny(token, ":=-–—→")
		}
		i = end
	}
	if n := len(out); n > 0 && n < clauseWords {
		out[n-1].last = true
	}
	return out
}

// tokenEnd is where the white space behind a place begins.
func tokenEnd(s string, at int) int {
	if n := strings.IndexFunc(s[at:], unicode.IsSpace); n >= 0 {
		return at + n
	}
	return len(s)
}

// assigned finds the value behind a sign: password: X, PASSWORD="X", "password": "X", heslo => X, --password X; signed tells whether
// there is a sign.
func (c cue) assigned(s string, words []word) (v span, signed bool) {
	rest := s[c.end:]
	gap := len(rest) - len(strings.TrimLeft(rest, " \t\"'`*)]"))
	behind := rest[gap:]
	for _, sign := range []string{"=>", "->", ":=", "==", "::", ":", "=", "→", "–", "—", "- "} {
		if after, ok := strings.CutPrefix(behind, sign); ok {
			after = strings.TrimLeft(after, " \t")
			return c.value(s, len(s)-len(after), firm), true
		}
	}
	if c.start > 1 && s[c.start-2:c.start] == "--" && len(words) > 0 {
		return c.value(s, c.quoteBefore(s, words[0].start), firm), true
	}
	return span{}, false
}

// stated finds the value behind "is" first, in the clause or, if it looks like one, in the next; then behind "to"; then one that
// cannot be anything else.
func (c cue) stated(s string, words []word) span {
	want, changed := firm, c.changed(s)
	if strings.IndexByte(",.;?!", next(s, c.end)) >= 0 {
		want = looked
	}
	for i, w := range words {
		if (c.in.is(w.lower, equals) || w.assigns) && i+1 < len(words) {
			for i+2 < len(words) && (c.in.is(words[i+1].lower, equals) || c.in.is(words[i+1].lower, owner)) {
				i++
			}
			if i > 3 { // far from its cue: "is" may be of something else
				want = looked
			}
			if v := c.value(s, c.quoteBefore(s, words[i+1].start), want); v.end != 0 {
				return v
			}
		}
		if w.last {
			want = looked
		}
	}
	for i, w := range words {
		want = plain
		switch {
		case i > 0 && c.in.is(words[i-1].lower, becomes) && changed:
			want = told
		case i == 0 && c.in.is(strings.ToLower(s[c.start:c.end]), with):
			want = told
		case i == 0 || c.in.is(words[i-1].lower, becomes):
			want = looked
		}
		if v := c.value(s, c.quoteBefore(s, w.start), want); v.end != 0 {
			return v
		}
	}
	return span{}
}

// next is the byte at a place, a space behind the end.
func next(s string, at int) byte {
	if at < len(s) {
		return s[at]
	}
	return ' '
}

// changed reports whether the words before a cue say that the secret is given another value.
func (c cue) changed(s string) bool {
	words := strings.Fields(strings.ToLower(s[max(0, c.start-60):c.start]))
	for _, w := range words[max(0, len(words)-5):] {
		if c.in.is(w, changes) {
			return true
		}
	}
	return false
}

// quoteBefore is where the quotation begins that a word opens, else the word's own place.
func (c cue) quoteBefore(s string, at int) int {
	r, size := utf8.DecodeLastRuneInString(s[:at])
	if strings.ContainsRune(quotes, r) {
		return at - size
	}
	return at
}

// before finds the value in front: "X is my password", "use X as the password".
func (c cue) before(s string) span {
	from := max(0, c.start-clauseBytes)
	if nl := strings.LastIndexByte(s[from:c.start], '\n'); nl >= 0 {
		from += nl + 1
	}
	words := strings.Fields(s[from:c.start])
	i := len(words)
	for i > 0 && len(words)-i < 4 && c.in.is(strings.ToLower(words[i-1]), owner) {
		i--
	}
	linked := false
	if v := quotedBefore(s[from:c.start], words[i:], from); v.end != 0 {
		return v
	}
	for i > 0 && len(words)-i < 7 {
		w := strings.ToLower(words[i-1])
		if !c.in.is(w, equals) && !c.in.is(w, serves) && w != "—" && w != "–" && w != "-" {
			break
		}
		linked = true
		i--
	}
	if !linked || i == 0 {
		return span{}
	}
	token := strings.Trim(words[i-1], around)
	start := strings.LastIndex(s[:c.start], token)
	if token == "" || start < from {
		return span{}
	}
	if inPlaceholder(s, span{start: start, end: start + len(token)}) {
		return span{end: masked}
	}
	if at := c.quoteBefore(s, start); at < start {
		return c.value(s, at, firm)
	}
	return c.value(s, start, looked)
}

// quotedBefore finds a quotation of several words right before the words that lead to a cue: "seven goats crossed the creek" is my password.
func quotedBefore(head string, lead []string, from int) span {
	for range lead {
		head = strings.TrimRightFunc(head, unicode.IsSpace)
		head = head[:strings.LastIndexFunc(head, unicode.IsSpace)+1]
	}
	head = strings.TrimRight(head, " \t-–—,")
	last, size := utf8.DecodeLastRuneInString(head)
	if !strings.ContainsRune(closing, last) {
		return span{}
	}
	end := len(head) - size
	open := strings.LastIndexAny(head[:end], quotes)
	if open < 0 || !strings.Contains(head[open:end], " ") {
		return span{}
	}
	_, size = utf8.DecodeRuneInString(head[open:])
	return span{start: from + open + size, end: from + end}
}

// around finds a token shortly before the cue that can hardly be anything but a password: "tried X, the password is refused".
func (c cue) around(s string) span {
	const near = 80 // bytes
	from := max(0, c.start-near)
	if nl := strings.LastIndexByte(s[from:c.start], '\n'); nl >= 0 {
		from += nl + 1
	}
	for end := c.start; end > from && c.role == password; {
		start := strings.LastIndexFunc(s[from:end], unicode.IsSpace) + 1 + from
		token := strings.Trim(s[start:end], around)
		at := start + strings.Index(s[start:end], token)
		switch found := (span{start: at, end: at + len(token)}); {
		case inPlaceholder(s, found):
			return span{end: masked}
		case looks(token, plain) && !c.named(s, at):
			return found
		}
		end = start - 1
	}
	return span{}
}
