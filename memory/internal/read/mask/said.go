package mask

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secrets finds what a cue announces: "the password to the router is X", "password: X", "X is my password", "karel / X".
func (c cue) secrets(s string) []span {
	// Some cues announce other things than one value: a slogan nothing, a login a pair, a recovery phrase many words.
	words := c.clause(s, c.end)
	c.head, c.behind = c.headWords(s), words
	if c.isSlogan() {
		return nil
	}
	switch c.role {
	case login:
		return c.pair(s, words)
	case recovery:
		return recoveryWords(s, c.end)
	}

	if list := c.inline(s); len(list) > 1 {
		return list
	}

	// The surest form first; a value behind a sign of equality is looked for nowhere else.
	v, signed := c.assigned(s, words)
	if !signed {
		v = c.stated(s, words)
	}
	for _, find := range []func(string) span{c.before, c.equated, c.bare, c.entered, c.around} {
		if v.end == 0 && !signed {
			v = find(s)
		}
	}
	if v.end == 0 {
		return c.listed(s)
	}

	// A value that is masked already has no likes.
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
	shortestStem = 4                          // letters that two passwords share, but for a number
)

// assigned finds the value behind a sign: password: X, PASSWORD="X", "password": "X", heslo => X, --password X; signed tells whether
// there is a sign.
func (c cue) assigned(s string, words []word) (v span, signed bool) {
	rest := s[c.end:]
	gap := len(rest) - len(strings.TrimLeft(rest, " \t\"'`*)]"))
	behind := rest[gap:]
	for _, sign := range []string{"=>", "->", ":=", "==", "::", ":", "=", "→", "–", "—", "- "} {
		if after, ok := strings.CutPrefix(behind, sign); ok {
			value := strings.TrimLeft(after, " \t")
			want := firm
			if value == after && (sign == "=" || sign == ":") {
				want = exact
			}
			v = c.value(s, len(s)-len(value), want)
			if v.end == 0 && c.role == password && len(words) > 3 {
				v = c.phrase(s, len(s)-len(value))
			}
			return v, true
		}
	}
	if c.start > 1 && s[c.start-2:c.start] == "--" && len(words) > 0 {
		return c.value(s, c.quoteBefore(s, words[0].start), exact), true
	}
	return span{}, false
}

// stated finds the value behind "is" first, in the clause or, if it looks like one, in the next; then behind "to"; then one that
// cannot be anything else.
func (c cue) stated(s string, words []word) span {
	want, changed := firm, c.changed()
	if strings.IndexByte(",.;?!", next(s, c.end)) >= 0 {
		want = looked
	}
	for i, w := range words {
		if (w.is(equals) || w.assigns) && i+1 < len(words) {
			for i+2 < len(words) && (words[i+1].is(equals) || words[i+1].is(owner) && !words[i+1].is(of)) &&
				c.quoteBefore(s, words[i+1].start) == words[i+1].start {
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
		case i > 0 && words[i-1].is(becomes) && changed:
			want = told
		case i == 0 && c.isMeans(s, words):
			want = told
		case i == 0 || words[i-1].is(becomes):
			want = looked
		}
		if v := c.value(s, c.quoteBefore(s, w.start), want); v.end != 0 {
			return v
		}
	}
	return span{}
}

// isSlogan reports whether a word beside a cue says that it is a motto.
func (c cue) isSlogan() bool {
	n := len(c.head)
	return len(c.behind) > 0 && c.behind[0].is(slogan) || n > 0 && c.head[n-1].is(slogan)
}

// isMeans reports whether a cue is in the case that says what is logged in with, and no verb stands behind the next word, of which it
// would be said: "heslem kongresu je ...".
func (c cue) isMeans(s string, words []word) bool {
	return c.self(s).is(with) && !c.asked() && (len(words) < 2 || !words[1].is(equals))
}

// changed reports whether the words before a cue say that the secret is given another value.
func (c cue) changed() bool {
	return slices.ContainsFunc(c.head[max(0, len(c.head)-5):], func(w word) bool { return w.is(changes) })
}

// quoteBefore returns where the quotation begins that a word opens, else the word's own place.
func (c cue) quoteBefore(s string, at int) int {
	r, size := utf8.DecodeLastRuneInString(s[:at])
	if strings.ContainsRune(quotes, r) {
		return at - size
	}
	return at
}

// before finds the value in front: "X is my password", "use X as the password".
func (c cue) before(s string) span {
	// What stands before the cue on its line.
	from := max(0, c.start-clauseBytes)
	if nl := strings.LastIndexByte(s[from:c.start], '\n'); nl >= 0 {
		from += nl + 1
	}
	words := strings.Fields(s[from:c.start])

	// Back over "my", then over "is" or a dash; a value in quotation marks needs none of these.
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

	// The word before that is the value, with the quotation mark before it if there is one.
	token := strings.Trim(words[i-1], around)
	if token == "" {
		return span{}
	}
	start := from + len(ahead(s[from:c.start], words[i-1:]))
	start += strings.Index(s[start:c.start], token)
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
	head = strings.TrimRight(ahead(head, lead), " \t-–—,")
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
	if !unicode.IsLetter(first(head[open+size:])) { // between two quotations
		return span{}
	}
	return span{start: from + open + size, end: from + end}
}

// ahead returns what stands before the last words of a text.
func ahead(head string, words []string) string {
	for range words {
		head = strings.TrimRightFunc(head, unicode.IsSpace)
		head = strings.TrimRightFunc(head, func(r rune) bool { return !unicode.IsSpace(r) })
	}
	return head
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
