package static

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normaliser makes spellings of a text equal.
type normaliser func(string) string

// maxDepth bounds sequences within sequences.
const maxDepth = 16

// normaliserPart is what a normaliser's entry may say.
type normaliserPart struct {
	part
	Normalizers []json.RawMessage `json:"normalizers"`
	Pattern     struct {
		String *string `json:"String"`
		Regex  *string `json:"Regex"`
	} `json:"pattern"`
	Content      string `json:"content"`
	Prepend      string `json:"prepend"`
	StripLeft    bool   `json:"strip_left"`
	StripRight   bool   `json:"strip_right"`
	CleanText    *bool  `json:"clean_text"`
	Chinese      *bool  `json:"handle_chinese_chars"`
	StripAccents *bool  `json:"strip_accents"`
	Lowercase    *bool  `json:"lowercase"`
}

// parseNormaliser reads the "normalizer" of a tokenizer; nil = there is none.
func parseNormaliser(raw json.RawMessage, depth int) (normaliser, error) {
	if absent(raw) {
		return nil, nil
	}
	var p normaliserPart
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}

	// The types that the tokenizers of static models have; what is not known is an error, since it would change the words.
	switch p.Type {
	case "Sequence":
		return parseNormalisers(p.Normalizers, depth)
	case "BertNormalizer":
		return p.bert(), nil
	case "Lowercase":
		return lower, nil
	case "NFC":
		return norm.NFC.String, nil
	case "NFD":
		return norm.NFD.String, nil
	case "NFKC":
		return norm.NFKC.String, nil
	case "NFKD":
		return norm.NFKD.String, nil
	case "Nmt":
		return nmt, nil
	case "Precompiled":
		return func(s string) string { return nmt(norm.NFKC.String(s)) }, nil
	case "StripAccents":
		return func(s string) string { return without(s, func(r rune) bool { return unicode.Is(unicode.M, r) }) }, nil
	case "Strip":
		return p.strip, nil
	case "Prepend":
		return p.prepend, nil
	case "Replace":
		return p.replace()
	}
	return nil, fmt.Errorf("%q is not known", p.Type)
}

func parseNormalisers(raw []json.RawMessage, depth int) (normaliser, error) {
	if depth >= maxDepth {
		return nil, fmt.Errorf("is nested more than %d deep", maxDepth)
	}
	var all []normaliser
	for _, r := range raw {
		n, err := parseNormaliser(r, depth+1)
		if err != nil {
			return nil, err
		}
		if n != nil {
			all = append(all, n)
		}
	}
	return func(s string) string {
		for _, n := range all {
			s = n(s)
		}
		return s
	}, nil
}

// bert is BERT's: control characters dropped, Chinese characters set apart, accents stripped, lower case. Left out, all of
// it is done; accents follow lower case.
func (p *normaliserPart) bert() normaliser {
	on := func(b *bool) bool { return b == nil || *b }
	clean, chinese, low := on(p.CleanText), on(p.Chinese), on(p.Lowercase)
	strip := low
	if p.StripAccents != nil {
		strip = *p.StripAccents
	}
	return func(s string) string {
		if plain(s) {
			if low {
				return strings.ToLower(s)
			}
			return s
		}
		if clean || chinese {
			s = apart(s, clean, chinese)
		}
		if strip {
			s = without(norm.NFD.String(s), func(r rune) bool { return unicode.Is(unicode.Mn, r) })
		}
		if low {
			s = lower(s)
		}
		return s
	}
}

// plain reports whether s is printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// apart cleans a text and sets spaces around Chinese characters.
func apart(s string, clean, chinese bool) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for _, r := range s {
		switch {
		case clean && control(r):
		case clean && unicode.IsSpace(r):
			b.WriteByte(' ')
		case chinese && ideograph(r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// control reports whether BERT drops a character.
func control(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case 0, utf8.RuneError:
		return true
	}
	return unicode.Is(unicode.C, r)
}

// ideograph reports whether BERT takes a character for Chinese.
func ideograph(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff, r >= 0xf900 && r <= 0xfaff:
		return true
	case r >= 0x20000 && r <= 0x2a6df, r >= 0x2a700 && r <= 0x2b81f, r >= 0x2b920 && r <= 0x2ceaf, r >= 0x2f800 && r <= 0x2fa1f:
		return true
	}
	return false
}

// nmt drops control characters and makes all white space, and what has no width, a space.
func nmt(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r >= 1 && r <= 8, r == 0xb, r >= 0xe && r <= 0x1f, r == 0x7f, r == 0x8f, r == 0x9f:
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200b && r <= 0x200f, r == 0x2028, r == 0x2029,
			r == 0x2581, r == 0xfeff, r == utf8.RuneError:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// lower is lower case, character by character.
func lower(s string) string {
	if strings.ContainsRune(s, 'İ') { // the only one that becomes two
		s = strings.ReplaceAll(s, "İ", "i\u0307")
	}
	return strings.ToLower(s)
}

// without leaves characters out.
func without(s string, out func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if out(r) {
			return -1
		}
		return r
	}, s)
}

func (p *normaliserPart) strip(s string) string {
	if p.StripLeft {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
	}
	if p.StripRight {
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	}
	return s
}

func (p *normaliserPart) prepend(s string) string {
	if s == "" {
		return s
	}
	return p.Prepend + s
}

// replace replaces a text or what an expression matches.
func (p *normaliserPart) replace() (normaliser, error) {
	switch {
	case p.Pattern.String != nil && *p.Pattern.String != "":
		return func(s string) string { return strings.ReplaceAll(s, *p.Pattern.String, p.Content) }, nil
	case p.Pattern.Regex != nil && *p.Pattern.Regex != "":
		x, err := regexp.Compile(unicodeClasses(*p.Pattern.Regex))
		if err != nil {
			return nil, fmt.Errorf("replaces by an expression that is not supported: %w", err)
		}
		return func(s string) string { return x.ReplaceAllLiteralString(s, p.Content) }, nil
	}
	return nil, fmt.Errorf("replaces nothing")
}

// unicodeClasses writes \s, \w and \d so that Go's expressions mean by them what other engines do: all of Unicode's. Their
// opposites are left as they are within brackets, where they cannot be written.
func unicodeClasses(x string) string {
	classes := map[byte]string{'s': `\s\v\x{85}\p{Z}`, 'w': `\p{L}\p{M}\p{N}\p{Pc}`, 'd': `\p{Nd}`}
	var b strings.Builder
	inside := false
	for i := 0; i < len(x); i++ {
		if x[i] != '\\' || i+1 == len(x) {
			inside = x[i] == '[' || inside && x[i] != ']'
			b.WriteByte(x[i])
			continue
		}
		i++
		lower := x[i] | 0x20
		switch class, ok := classes[lower]; {
		case !ok || inside && x[i] != lower:
			b.WriteString(x[i-1 : i+1])
		case inside:
			b.WriteString(class)
		case x[i] == lower:
			b.WriteString("[" + class + "]")
		default:
			b.WriteString("[^" + class + "]")
		}
	}
	return b.String()
}
