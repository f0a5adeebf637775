package mask

import (
	"embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/linear"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// This file finds what no rule announces: two linear models that were fitted on messages which several hands have labelled (memory/score/testdata/mask;
// go test -run TestFit -fit). The gate says of a stretch of words whether it tells a secret, the tagger of a word whether it is one.

//go:embed models
var models embed.FS

var learnt = sync.OnceValue(func() [2]*linear.Model {
	return [2]*linear.Model{linear.MustRead(models, "models/gate.bin"), linear.MustRead(models, "models/tagger.bin")}
})

// What the models say has to come to so much together, of which the gate gives no more than mostGate, and at least leastGate: else the words beside a
// secret would be hidden with it. Further into a text than mostTyped bytes they do not look: what is so long was not typed.
const (
	leastScore          = 1.25
	leastGate, mostGate = -2, 2
	mostTyped           = 4 << 10
)

// unnamed is what a secret is called that only the models see.
const unnamed = "secret"

// findLearnt lists what the models take for secrets, of words in a row as one.
func findLearnt(s string) (found []span) {
	if len(s) > mostTyped {
		return nil
	}
	gate, tagger := learnt()[0], learnt()[1]
	ts := tokenise(s)
	for from := 0; from < len(ts); {
		w := windowOf(ts, from)
		to := min(len(ts), from+windowStep)
		if len(w) == len(ts) {
			to = len(ts)
		}
		score := gate.Sum(gateSigns(w, s), linear.Counted)[0]
		for i := from; i < to && score >= leastGate; i++ {
			if min(score, mostGate)+tagger.Score(tokenSigns(ts, s, i)) < leastScore || isPhone(ts, s, i) {
				continue
			}
			t := ts[i]
			if n := len(found); n > 0 && i > 0 && found[n-1].end == ts[i-1].end && ts[i-1].line == t.line && t.before == "" {
				found[n-1].end = t.end
				continue
			}
			found = append(found, span{t.start, t.end, unnamed})
		}
		from = to
	}
	return found
}

// isPhone reports whether a token is of a number in groups that begins as a telephone's and is as long.
func isPhone(ts []token, s string, i int) bool {
	const shortest, longest = 9, 15
	number := func(i int) bool {
		return !strings.ContainsFunc(ts[i].lower, unicode.IsLetter) && text.Digits(ts[i].lower) > 0
	}
	if !number(i) {
		return false
	}
	from, to := i, i
	for from > 0 && number(from-1) && ts[from].before == "" {
		from--
	}
	for to+1 < len(ts) && number(to+1) && ts[to+1].before == "" {
		to++
	}
	all := strings.TrimSuffix(s[:ts[from].start], "(")
	first := s[ts[from].start]
	digits := text.Digits(s[ts[from].start:ts[to].end])
	return (first == '0' || first == '+' || strings.HasSuffix(all, "+")) && digits >= shortest && digits <= longest
}

// token is what stands between blanks, without the signs around it; behind ":" or "=" begins another.
type token struct {
	start, end int
	lower      string // in lower case
	stem       string // its first letters
	shape      string
	before     string // signs between it and the one before
	line       int    // which line it is on
}

// stemLetters is how many letters of a word's beginning its forms have in common.
const stemLetters = 5

// tokenise cuts a stretch into tokens.
func tokenise(s string) (out []token) {
	line, from := 0, 0
	add := func(start, end int) {
		t := token{start: start, end: end, lower: strings.ToLower(s[start:end]), line: line}
		t.stem = head(t.lower, stemLetters)
		t.shape = shapeOf(s[start:end])
		between := s[from:start]
		t.before = signsIn(between)
		from = end
		out = append(out, t)
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			if r == '\n' {
				line++
			}
			i += size
			continue
		}
		end := tokenEnd(s, i)
		cutToken(s, i, end, add)
		i = end
	}
	return out
}

// cutToken takes the signs off around what stands between blanks, and cuts it behind the first sign that assigns.
func cutToken(s string, start, end int, add func(start, end int)) {
	const open, shut = "([{<*_\"'`„“”‚‘’«»‹›", ".,;:!?)]}>*_\"'`“”‘’«»‹›…"
	trimmed := start + len(s[start:end]) - len(strings.TrimLeft(s[start:end], open))
	last := trimmed + len(strings.TrimRight(s[trimmed:end], shut))
	if last <= trimmed {
		return
	}
	word := s[trimmed:last]
	if at := strings.IndexAny(word, ":="); at > 0 && at+1 < len(word) && !strings.Contains(word, "://") && !clock(word) {
		add(trimmed, trimmed+at)
		cutToken(s, trimmed+at+1, end, add)
		return
	}
	if at := strings.IndexByte(word, '/'); at > 1 && at+2 < len(word) && !strings.Contains(word, "://") && strings.Count(word, "/") == 1 {
		add(trimmed, trimmed+at)
		add(trimmed+at+1, last)
		return
	}
	add(trimmed, last)
}

// clock reports whether a word is a time or other numbers.
func clock(s string) bool {
	return !strings.ContainsFunc(s, unicode.IsLetter)
}

func head(s string, letters int) string {
	n := 0
	for i := range s {
		if n == letters {
			return s[:i]
		}
		n++
	}
	return s
}

// signsIn are the signs between two tokens: at most four.
func signsIn(between string) string {
	var b strings.Builder
	for _, r := range between {
		switch {
		case r == '\n':
			b.WriteByte('n')
		case unicode.IsSpace(r):
		case strings.ContainsRune("\"'`„“”‚‘’«»‹›", r):
			b.WriteByte('q')
		case strings.ContainsRune("-–—→", r):
			b.WriteByte('-')
		default:
			b.WriteRune(r)
		}
	}
	return head(b.String(), 4)
}

// shapeOf is how a token looks: its kinds of letters, runs as one, and about how long it is.
func shapeOf(s string) string {
	var b strings.Builder
	last, n := ' ', 0
	for _, r := range s {
		k := r
		switch {
		case unicode.IsDigit(r):
			k = '9'
		case unicode.IsUpper(r):
			k = 'X'
		case unicode.IsLetter(r):
			k = 'x'
		}
		n++
		if k != last && b.Len() < 12 {
			b.WriteRune(k)
			last = k
		}
	}
	return b.String()
}

// lengthOf is about how long a token is.
func lengthOf(s string) string {
	n := utf8.RuneCountInString(s)
	switch {
	case n <= 8:
		return strconv.Itoa(n)
	case n <= 12:
		return "12"
	case n <= 20:
		return "20"
	}
	return "+"
}

// kindOf is a coarse shape: small letters, with a capital, digits, mixed, with signs.
func kindOf(s string) string {
	var lower, upper, digit, sign int
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digit++
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLetter(r):
			lower++
		default:
			sign++
		}
	}
	k := ""
	if lower > 0 {
		k += "a"
	}
	if upper > 0 {
		k += "A"
		if upper == 1 && unicode.IsUpper(firstRune(s)) {
			k += "1"
		}
	}
	if digit > 0 {
		k += "9"
		if digit > 3 {
			k += "+"
		}
	}
	if sign > 0 {
		k += "."
	}
	return k
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// gateSigns are those of a stretch: whether it tells a secret.
func gateSigns(ts []token, s string) (signs linear.Signs) {
	for i, t := range ts {
		kind := kindOf(s[t.start:t.end])
		signs.Add('w', t.lower)
		signs.Add('s', t.stem)
		signs.Add('k', kind, t.shape)
		if kind == "a" || kind == "aA1" {
			runes := []rune("^" + t.lower + "$")
			for n := 4; n <= 5; n++ {
				for j := 0; j+n <= len(runes); j++ {
					signs.Add('g', string(runes[j:j+n]))
				}
			}
		}
		if i > 0 {
			p := ts[i-1]
			signs.Add('b', p.stem, t.stem)
			signs.Add('c', p.stem, t.before, kind)
		}
		if i > 1 {
			signs.Add('d', ts[i-2].stem, kind)
			signs.Add('t', ts[i-2].stem, ts[i-1].stem, t.stem)
		}
		if strings.Contains(t.before, "?") || i == len(ts)-1 && strings.Contains(s[t.end:], "?") {
			signs.Add('?')
		}
	}
	signs.Add('n', strconv.Itoa(min(len(ts), 12)))
	if len(ts) > 0 {
		signs.Add('1', ts[0].lower)
	}
	return signs
}

// A window of the gate: so many tokens, one every so many.
const windowTokens, windowStep = 24, 8

// windowOf is the stretch of tokens around one, or all of them if they are few.
func windowOf(ts []token, i int) []token {
	if len(ts) <= windowTokens {
		return ts
	}
	from := max(0, i/windowStep*windowStep-windowStep)
	return ts[from:min(len(ts), from+windowTokens)]
}

// tokenSigns are those of one token: whether it is a secret.
func tokenSigns(ts []token, s string, i int) (signs linear.Signs) {
	t := ts[i]
	word := s[t.start:t.end]
	kind, length := kindOf(word), lengthOf(word)
	signs.Add('w', t.lower)
	signs.Add('k', kind)
	signs.Add('l', kind, length)
	signs.Add('h', t.shape)
	signs.Add('S', t.stem)
	if n := len(t.lower); n > 3 {
		signs.Add('e', t.lower[max(0, n-6):])
	}
	signs.Add('B', t.before)
	signs.Add('C', t.before, kind)
	behind := ""
	if i+1 < len(ts) {
		behind = ts[i+1].before
	} else {
		behind = signsIn(s[t.end:]) + "$"
	}
	signs.Add('A', behind)
	signs.Add('D', behind, kind)
	at := func(d int) string {
		if i+d < 0 {
			return "^"
		}
		if i+d >= len(ts) {
			return "$"
		}
		return ts[i+d].stem
	}
	full := func(d int) string {
		if i+d < 0 || i+d >= len(ts) {
			return ""
		}
		return ts[i+d].lower
	}
	kindAt := func(d int) string {
		if i+d < 0 || i+d >= len(ts) {
			return ""
		}
		return kindOf(s[ts[i+d].start:ts[i+d].end])
	}
	for d := -4; d <= 3; d++ {
		if d == 0 {
			continue
		}
		name := strconv.Itoa(d)
		signs.Add('p', name, at(d))
		signs.Add('q', name, at(d), kind)
		if d >= -2 && d <= 2 {
			signs.Add('P', name, full(d))
			signs.Add('K', name, kindAt(d))
			signs.Add('J', name, kindAt(d), kind)
		}
	}
	signs.Add('2', at(-2), at(-1))
	signs.Add('3', at(-2), at(-1), kind)
	signs.Add('4', at(-1), t.before, kind)
	signs.Add('5', at(-1), at(1))
	signs.Add('6', at(1), at(2))
	signs.Add('7', at(-3), at(-2), at(-1))
	signs.Add('8', at(-1), t.stem)
	signs.Add('9', t.stem, at(1))
	// What is said in the same stretch, near or far, before or behind.
	for j := max(0, i-14); j < min(len(ts), i+10); j++ {
		if j == i {
			continue
		}
		side, same := "<", "="
		if j > i {
			side = ">"
		}
		if ts[j].line != t.line {
			same = "/"
		}
		signs.Add('g', side, same, ts[j].stem)
		signs.Add('G', side, same, ts[j].stem, kind)
	}
	return signs
}
