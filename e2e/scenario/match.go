package scenario

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mneme-graph/mneme/state"
)

// fold takes case and diacritics away; letters that do not decompose get their plain neighbour.
func fold(s string) string {
	s = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return c
	}, norm.NFD.String(strings.ToLower(s)))
	return strings.NewReplacer("ł", "l", "ø", "o", "đ", "d", "ı", "i").Replace(squeeze(norm.NFC.String(s)))
}

// squeeze folds white space: every run of it becomes one blank, none at the ends.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// contains reports whether text holds part, white space folded in both.
func contains(text, part string) bool { return strings.Contains(squeeze(text), squeeze(part)) }

// titleMatcher returns a test of an affair's title. name is a title, or a /regexp/ found anywhere in it;
// case and diacritics do not count in either.
func titleMatcher(name string) (func(title string) bool, error) {
	if len(name) < 3 || name[0] != '/' || name[len(name)-1] != '/' {
		want := fold(name)
		return func(title string) bool { return fold(title) == want }, nil
	}

	plain := strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return c
	}, norm.NFD.String(name[1:len(name)-1]))
	x, err := regexp.Compile("(?i)" + norm.NFC.String(strings.NewReplacer("ł", "l", "Ł", "L").Replace(plain)))
	if err != nil {
		return nil, err
	}
	return func(title string) bool { return x.MatchString(fold(title)) }, nil
}

// named reports whether the affair called title is the one name means.
func named(name, title string) bool {
	match, err := titleMatcher(name)
	return err == nil && match(title)
}

// find returns the affairs that name means.
func find(affairs []*state.Affair, name string) []*state.Affair {
	var out []*state.Affair
	for _, a := range affairs {
		if named(name, a.Title) {
			out = append(out, a)
		}
	}
	return out
}

// sameSet reports whether names and titles can be paired one to one.
func sameSet(names, titles []string) bool {
	if len(names) != len(titles) {
		return false
	}
	if len(names) == 0 {
		return true
	}
	for i, title := range titles {
		rest := append(append([]string{}, titles[:i]...), titles[i+1:]...)
		if named(names[0], title) && sameSet(names[1:], rest) {
			return true
		}
	}
	return false
}

// inOrder reports whether the parts appear in text one after the other.
func inOrder(text string, parts []string) bool {
	text = squeeze(text)
	for _, part := range parts {
		part = squeeze(part)
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}
