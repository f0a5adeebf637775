package mask

import (
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/linear"
)

// This file is what the models see of a text.

// gateSigns returns those of a stretch: whether it tells a secret.
func gateSigns(ts []token, s string) (signs linear.Signs) {
	for i, t := range ts {
		kind := t.kind
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

// windowOf returns the stretch of tokens around one, or all of them if they are few.
func windowOf(ts []token, i int) []token {
	if len(ts) <= windowTokens {
		return ts
	}
	from := max(0, i/windowStep*windowStep-windowStep)
	return ts[from:min(len(ts), from+windowTokens)]
}

// tokenSigns returns those of one token: whether it is a secret.
func tokenSigns(ts []token, s string, i int) (signs linear.Signs) {
	t := ts[i]
	word := s[t.start:t.end]
	kind, length := t.kind, lengthOf(word)
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
	behind := signsIn(s[t.end:]) + "$"
	if i+1 < len(ts) {
		behind = ts[i+1].before
	}
	signs.Add('A', behind)
	signs.Add('D', behind, kind)
	addNeighbours(&signs, ts, i)
	addStretch(&signs, ts, i)
	return signs
}

// addNeighbours adds those of the tokens right before and behind one.
func addNeighbours(signs *linear.Signs, ts []token, i int) {
	at := func(d int) token {
		switch {
		case i+d < 0:
			return token{stem: "^"}
		case i+d >= len(ts):
			return token{stem: "$"}
		}
		return ts[i+d]
	}
	stem := func(d int) string { return at(d).stem }
	t := ts[i]
	for d := -4; d <= 3; d++ {
		if d == 0 {
			continue
		}
		name, near := strconv.Itoa(d), at(d)
		signs.Add('p', name, near.stem)
		signs.Add('q', name, near.stem, t.kind)
		if d >= -2 && d <= 2 {
			signs.Add('P', name, near.lower)
			signs.Add('K', name, near.kind)
			signs.Add('J', name, near.kind, t.kind)
		}
	}
	signs.Add('2', stem(-2), stem(-1))
	signs.Add('3', stem(-2), stem(-1), t.kind)
	signs.Add('4', stem(-1), t.before, t.kind)
	signs.Add('5', stem(-1), stem(1))
	signs.Add('6', stem(1), stem(2))
	signs.Add('7', stem(-3), stem(-2), stem(-1))
	signs.Add('8', stem(-1), t.stem)
	signs.Add('9', t.stem, stem(1))
}

// addStretch adds those of what is said in the same stretch: near or far, before or behind, on the same line or not.
func addStretch(signs *linear.Signs, ts []token, i int) {
	const before, behind = 14, 10 // tokens
	for j := max(0, i-before); j < min(len(ts), i+behind); j++ {
		if j == i {
			continue
		}
		side, same := "<", "="
		if j > i {
			side = ">"
		}
		if ts[j].line != ts[i].line {
			same = "/"
		}
		signs.Add('g', side, same, ts[j].stem)
		signs.Add('G', side, same, ts[j].stem, ts[i].kind)
	}
}
