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
	var behind string
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
		return ts[i+d].kind
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
