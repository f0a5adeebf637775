package static

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitter hands the pieces of a text to yield, in order; first is whether the text begins there.
type splitter func(s string, first bool, yield func(piece string))

// parseSplitter reads the "pre_tokenizer" of a tokenizer; nil = there is none.
func parseSplitter(raw json.RawMessage, depth int) (splitter, error) {
	if absent(raw) {
		return nil, nil
	}
	var p struct {
		part
		PreTokenizers []json.RawMessage `json:"pretokenizers"`
		Behavior      string            `json:"behavior"`
		Individual    bool              `json:"individual_digits"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}

	// The types that the tokenizers of static models have; what is not known is an error, since it would change the words.
	switch p.Type {
	case "Sequence":
		return parseSplitters(p.PreTokenizers, depth)
	case "BertPreTokenizer":
		return splitBERT, nil
	case "WhitespaceSplit":
		return splitSpace, nil
	case "Whitespace":
		return splitWords, nil
	case "Punctuation":
		if p.Behavior != "" && p.Behavior != "Isolated" {
			return nil, fmt.Errorf("splitter Punctuation with behaviour %q is not known", p.Behavior)
		}
		return splitPunctuation, nil
	case "Digits":
		return splitDigits(p.Individual), nil
	case "Metaspace":
		return parseMetaspace(raw)
	case "ByteLevel":
		return nil, fmt.Errorf("ByteLevel (byte pairs) is not supported; BertPreTokenizer and Metaspace are, among others")
	}
	return nil, fmt.Errorf("%q is not known", p.Type)
}

func parseSplitters(raw []json.RawMessage, depth int) (splitter, error) {
	if depth >= maxDepth {
		return nil, fmt.Errorf("is nested more than %d deep", maxDepth)
	}
	var all []splitter
	for _, r := range raw {
		next, err := parseSplitter(r, depth+1)
		if err != nil {
			return nil, err
		}
		if next != nil {
			all = append(all, next)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	whole := all[len(all)-1]
	for i := len(all) - 2; i >= 0; i-- {
		whole = chain(all[i], whole)
	}
	return whole, nil
}

// chain splits the pieces of one with the next.
func chain(one, next splitter) splitter {
	return func(s string, first bool, yield func(string)) {
		one(s, first, func(piece string) {
			next(piece, first && strings.HasPrefix(s, piece), yield)
			first = false
		})
	}
}

// classes of characters, for cut.
const (
	drop  = -1 // belongs to no piece
	alone = 0  // is a piece
)

// cut hands out runs of characters of one class; those of class alone singly.
func cut(s string, class func(rune) int, yield func(string)) {
	start, running := 0, drop
	for i, r := range s {
		c := class(r)
		if c == running && c > alone {
			continue
		}
		if running != drop {
			yield(s[start:i])
		}
		start, running = i, c
	}
	if running != drop && start < len(s) {
		yield(s[start:])
	}
}

// splitBERT cuts at white space and sets punctuation apart.
func splitBERT(s string, _ bool, yield func(string)) {
	cut(s, func(r rune) int {
		switch {
		case r < utf8.RuneSelf:
			switch {
			case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r >= 'A' && r <= 'Z':
				return 1
			case unicode.IsSpace(r):
				return drop
			case punctuation(r):
				return alone
			}
			return 1
		case unicode.IsSpace(r):
			return drop
		case punctuation(r):
			return alone
		}
		return 1
	}, yield)
}

// punctuation is that of ASCII, $ and + among them, and Unicode's.
func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.IsPunct(r)
}

// splitSpace cuts at white space.
func splitSpace(s string, _ bool, yield func(string)) {
	cut(s, func(r rune) int {
		if unicode.IsSpace(r) {
			return drop
		}
		return 1
	}, yield)
}

// splitWords is \w+|[^\w\s]+.
func splitWords(s string, _ bool, yield func(string)) {
	cut(s, func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return drop
		case unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control):
			return 1
		}
		return 2
	}, yield)
}

// splitPunctuation sets punctuation apart.
func splitPunctuation(s string, _ bool, yield func(string)) {
	cut(s, func(r rune) int {
		if punctuation(r) {
			return alone
		}
		return 1
	}, yield)
}

// splitDigits sets numbers apart, or each digit.
func splitDigits(individual bool) splitter {
	number := 2
	if individual {
		number = alone
	}
	return func(s string, _ bool, yield func(string)) {
		cut(s, func(r rune) int {
			if unicode.Is(unicode.N, r) {
				return number
			}
			return 1
		}, yield)
	}
}

// metaspace writes spaces as a visible sign, mostly "▁", and begins a piece at each.
type metaspace struct {
	sign    string
	prepend string // always, first, never
	split   bool
}

func parseMetaspace(raw json.RawMessage) (splitter, error) {
	c := struct {
		Sign      string  `json:"replacement"`
		Prepend   *string `json:"prepend_scheme"`
		AddPrefix *bool   `json:"add_prefix_space"` // of older files
		Split     *bool   `json:"split"`
	}{Sign: "▁"}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(c.Sign) != 1 {
		return nil, fmt.Errorf("splitter Metaspace has the sign %q instead of one character", c.Sign)
	}
	m := metaspace{sign: c.Sign, prepend: "always", split: c.Split == nil || *c.Split}
	switch {
	case c.Prepend != nil:
		m.prepend = strings.ToLower(*c.Prepend)
	case c.AddPrefix != nil && !*c.AddPrefix:
		m.prepend = "never"
	}
	if m.prepend != "always" && m.prepend != "first" && m.prepend != "never" {
		return nil, fmt.Errorf("splitter Metaspace with prepend_scheme %q is not known", *c.Prepend)
	}
	return m.cut, nil
}

func (m metaspace) cut(s string, first bool, yield func(string)) {
	s = strings.ReplaceAll(s, " ", m.sign)
	if (m.prepend == "always" || m.prepend == "first" && first) && !strings.HasPrefix(s, m.sign) {
		s = m.sign + s
	}
	for m.split {
		at := strings.Index(s[min(1, len(s)):], m.sign) // a sign is longer than a byte, or begins the piece
		if at < 0 {
			break
		}
		yield(s[:at+1])
		s = s[at+1:]
	}
	if s != "" {
		yield(s)
	}
}
