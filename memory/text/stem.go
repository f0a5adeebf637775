package text

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/russian"
	"golang.org/x/text/unicode/norm"
)

// Version names the analyzer; whoever stores stems stores it too and analyses again when it differs.
const Version = 1

// Stem returns what the inflected forms of a word share. It looks at the word alone, never at the text
// around it, so two messages agree even when one is too short to tell its language: Cyrillic goes to the
// Russian Snowball stemmer, words known or built as English ones to Porter 2, all other Latin words to
// one light stemmer for Czech and Polish (after Dolamic and Savoy 2009), which leaves German mostly as it is.
func Stem(w string) string { return loaded().stem(w) }

func (t *tables) stem(w string) string {
	if !ascii(w) {
		w = norm.NFKC.String(strings.ToValidUTF8(w, ""))
	}
	folded := strings.ReplaceAll(strings.TrimSuffix(Fold(w), "'s"), "'", "")
	if irregular, ok := t.irregular[folded]; ok {
		return irregular
	}
	if cyrillic(folded) {
		return stemRussian(w)
	}
	if ascii(w) {
		if s := porter(folded); t.english[s] || englishShape(folded) {
			return s
		}
	}
	return stemSlavic(w, folded)
}

func cyrillic(s string) bool {
	for _, r := range s {
		return unicode.Is(unicode.Cyrillic, r)
	}
	return false
}

func porter(folded string) string {
	if len(folded) < 3 {
		return folded
	}
	env := snowballstem.NewEnv(folded)
	english.Stem(env)
	return env.Current()
}

// englishShape tells whether letters or ending occur in English and hardly in Czech or Polish.
func englishShape(w string) bool {
	if len(w) < 4 {
		return false
	}
	for _, end := range englishEndings() {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	for _, part := range englishLetters() {
		if strings.Contains(w, part) {
			return true
		}
	}
	return false
}

func englishEndings() []string {
	return []string{"ing", "ings", "tion", "tions", "sion", "sions", "ment", "ments", "ness", "ably", "ible", "able", "ght", "ally", "ships", "ship", "ful", "less",
		"ated", "ized", "ised", "ured", "ired", "ered", "ened", "cked", "ssed", "lled", "ried", "ancy", "ency", "ouse", "ies", "ays", "eys", "ers", "ors"}
}

func englishLetters() []string {
	return []string{"th", "wh", "ee", "oo", "ck", "qu", "igh", "ea", "ay", "oy", "ph"}
}

// stemRussian adds to Snowball what it lacks for matching: fleeting vowels (посылок, посылка) and ё.
func stemRussian(w string) string {
	w = strings.ReplaceAll(strings.ToLower(w), "ё", "е")
	env := snowballstem.NewEnv(w)
	russian.Stem(env)
	s := env.Current()
	for _, end := range []string{"ок", "ек", "ёк"} {
		if base, ok := strings.CutSuffix(s, end); ok && len(base) >= 6 {
			s = strings.TrimSuffix(base, "ь") + "к"
			break
		}
	}
	if base, ok := strings.CutSuffix(s, "ец"); ok && len(base) >= 6 {
		s = base + "ц"
	}
	return Fold(strings.Replace(s, "ьк", "к", 1))
}
