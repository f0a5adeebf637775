package mask

import "strings"

// more finds further values that are joined to one, "the passwords are X and Y", and its like: Winter24 beside Winter25.
func (c cue) more(s string, v span) []span {
	// Values that follow, each joined to the one before.
	var out []span
	for end := v.end; len(out) < 8; {
		words := c.clause(s, end)
		if len(words) < 2 {
			break
		}
		var next span
		switch {
		case words[0].is(joins):
			if next = c.value(s, words[1].start, looked); next.end == 0 && c.role == password {
				next = c.plainWord(s, words[1])
			}
		case c.role == password:
			next = c.other(s, words)
		}
		if end = next.end; end <= 0 {
			break
		}
		next.kind = c.role.kind()
		out = append(out, next)
	}

	// A password that ends in digits has its like: the same word with other digits, anywhere near.
	stem := strings.TrimRight(s[v.start:v.end], "0123456789")
	if c.role != password || len(stem) < shortestStem || len(stem) == v.end-v.start {
		return out
	}
	from, to := max(0, v.start-clauseBytes), min(len(s), v.end+clauseBytes)
	for i := from; i < to; {
		n := strings.Index(s[i:to], stem)
		if n < 0 {
			break
		}
		start := i + n
		i = start + len(stem)
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if start != v.start {
			out = append(out, span{start, i, c.role.kind()})
		}
	}
	return out
}

// other finds the value that took another's place, or lost it to it: "old password X, the new one is Y", "it was X, now it's Y".
func (c cue) other(s string, words []word) span {
	said := false
	for _, w := range words[:min(len(words), 5)] {
		switch {
		case w.is(another):
			said = true
		case w.is(joins) || w.is(equals) || w.is(owner):
		case said:
			return c.plainWord(s, w)
		default:
			return span{}
		}
	}
	return span{}
}

// listed finds the values of a list under a cue: "passwords:", then a line each with a name, a sign and a value.
func (c cue) listed(s string) []span {
	line := lineEnd(s, c.end)
	if head := strings.TrimSpace(s[c.end:min(line, len(s))]); len(head) > 40 || line >= len(s) || head != "" && !strings.HasSuffix(head, ":") && !strings.HasSuffix(head, "?") {
		return nil
	}
	var out []span
	for line < len(s) && len(out) < 32 {
		start := line + 1
		line = lineEnd(s, start)
		v, ok := c.entry(s, start, min(line, len(s)), exact)
		if !ok {
			break
		}
		if v.end > 0 {
			v.kind = c.role.kind()
			out = append(out, v)
		}
	}
	return out
}

// entry finds the value of one entry of a list, "mail: X" or "mail X"; ok tells whether it is one.
func (c cue) entry(s string, start, end int, w want) (v span, ok bool) {
	entry, at := s[start:end], -1
	for _, sign := range []string{": ", " - ", " – ", " — ", " = ", " → ", "="} {
		if i := strings.Index(entry, sign); i > 0 && (at < 0 || i+len(sign) < at) {
			at = i + len(sign)
		}
	}
	if at >= 0 {
		return c.value(s, start+at, w), true
	}
	words := c.clause(s[:end], start)
	if n := len(words); n > 1 && n < 5 && words[n-1].end > words[n-1].start {
		v = span{start: words[n-1].start, end: words[n-1].end}
		if token := s[v.start:v.end]; hasDigit(token) && hasLetter(token) && looks(token, looked) {
			return v, true
		}
	}
	return span{}, false
}

// inline finds the values of a list on the cue's own line: "passwords: mail X, bank Y".
func (c cue) inline(s string) []span {
	// A list begins behind a colon, soon after its cue.
	line := lineEnd(s, c.end)
	head := strings.IndexAny(s[c.end:line], ":|")
	if head < 0 || head > 40 {
		return nil
	}

	// Every entry has to be one; what only looks like a list is none.
	var out []span
	entries := 0
	for start := c.end + head + 1; start < line && entries < 32; entries++ {
		end := start + strings.IndexAny(s[start:line]+";", ",;|/")
		if strings.TrimSpace(s[start:end]) != "" {
			v, ok := c.entry(s, start, end, looked)
			if !ok {
				return nil
			}
			if v.end > 0 {
				v.kind = c.role.kind()
				out = append(out, v)
			}
		}
		start = end + 1
	}

	// One entry alone is left to the other forms.
	if entries < 2 {
		return nil
	}
	return out
}

// lineEnd returns where the line of a place ends; of a line that is too long to be an entry, where it becomes so.
func lineEnd(s string, at int) int {
	const longest = 512 // bytes
	if n := strings.IndexByte(s[at:min(len(s), at+longest)], '\n'); n >= 0 {
		return at + n
	}
	return min(len(s), at+longest)
}

// pair finds the password of "karel / X" and "karel:X" behind a word for logging in.
func (c cue) pair(s string, words []word) []span {
	for i, w := range words {
		token := s[w.start:w.end]
		for _, sep := range []string{"/", ":", "|"} {
			name, secret, ok := strings.Cut(token, sep)
			if ok && name != "" && (looks(secret, plain) || (i == 0 || words[i-1].is(equals)) && looks(secret, looked)) {
				return []span{{w.start + len(name) + len(sep), w.end, password.kind()}}
			}
		}
		if i+2 >= len(words) {
			continue
		}
		secret, stated := words[i+2], i > 0 && words[i-1].is(equals)
		apart := words[i+1].lower == "/" || words[i+1].lower == "|"
		joined := words[i+1].is(joins) && (i == 0 || stated)
		if want := plain; apart || joined {
			if apart || stated {
				want = looked
			}
			if looks(s[secret.start:secret.end], want) {
				return []span{{secret.start, secret.end, password.kind()}}
			}
		}
	}
	return nil
}

// recoveryWords are twelve or more small words in a row behind their cue, one of which may be missing.
func recoveryWords(s string, from int) []span {
	// The words have three to eight small letters, as those of the lists that wallets use.
	const fewest = 11

	start, end, n := 0, 0, 0
	for i := from; i < min(len(s), from+400); {
		// Between words stand blanks, numbers and commas. Anything else ends the row, or begins it anew while it is short.
		if !isLower(s[i]) {
			if !strings.ContainsRune(" \t\n,.0123456789)", rune(s[i])) && n < fewest {
				start, n = 0, 0
			} else if n >= fewest && strings.IndexByte(" ,", s[i]) < 0 {
				break
			}
			i++
			continue
		}

		// A word that is too short or too long does the same.
		w := i
		for i < len(s) && isLower(s[i]) {
			i++
		}
		if i-w < 3 || i-w > 8 {
			if n >= fewest {
				break
			}
			n = 0
			continue
		}
		if n == 0 {
			start = w
		}
		end = i
		n++
	}
	if n < fewest {
		return nil
	}
	return []span{{start, end, recovery.kind()}}
}
