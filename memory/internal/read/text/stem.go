package text

import (
	"cmp"
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/russian"
	"golang.org/x/text/unicode/norm"
)

// Version names the analyzer; whoever stores stems stores it too and analyses again when it differs.
const Version = 6

// Stem returns what the inflected forms of a word share. It looks at the word alone, never at the text
// around it, so two messages agree even when one is too short to tell its language: Cyrillic goes to the
// Russian Snowball stemmer, words known or built as English ones to Porter 2, all other Latin words to
// one light stemmer for Czech and Polish (after Dolamic and Savoy 2009), which leaves German mostly as it is.
func Stem(w string) string {
	place := &stems[maphash.String(stemSeed, w)%uint64(len(stems))]
	if known := place.Load(); known != nil && known.word == w {
		return known.stem
	}
	s := loaded().stem(w)
	if len(w) <= longestKept {
		place.Store(&stemmed{strings.Clone(w), strings.Clone(s)})
	}
	return s
}

// stems are the stems of words that were asked for last, each at the place of its hash: a talk has few words, and they come again and again.
var (
	stems    [1 << 13]atomic.Pointer[stemmed] //nolint:gochecknoglobals // what is there is always the same
	stemSeed = maphash.MakeSeed()             //nolint:gochecknoglobals // as above
)

const longestKept = 64 // bytes

type stemmed struct{ word, stem string }

func (t *tables) stem(w string) string {
	if !ascii(w) {
		w = norm.NFKC.String(strings.ToValidUTF8(w, ""))
	}
	folded := strings.ReplaceAll(strings.TrimSuffix(Fold(w), "'s"), "'", "")
	if stem := t.odd(w, folded); stem != "" {
		return stem
	}
	if cyrillic(folded) {
		return stemRussian(w)
	}
	if ascii(w) {
		s := porter(folded)
		switch {
		case t.english[s] || englishShape(folded):
			return s
		case inflected(folded):
			return stemSlavic(s, s, t.english) // as the base form is, which shows nothing English
		}
	}
	return stemSlavic(w, folded, t.english)
}

// odd looks a word up among the irregular ones, first as written; "" if it is none.
func (t *tables) odd(w, folded string) string {
	if ascii(w) {
		return cmp.Or(t.irregular[folded], t.oddities[folded])
	}
	return cmp.Or(t.irregular[strings.ToLower(w)], t.irregular[folded])
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
		"ated", "ized", "ised", "ured", "ired", "ered", "ened", "cked", "ssed", "lled", "ancy", "ency", "ouse", "ays", "eys", "ers", "ors"}
}

func englishLetters() []string {
	return []string{"th", "wh", "ee", "oo", "ck", "qu", "igh", "ea", "ay", "oy", "ph"}
}

// stemRussian adds to Snowball what it lacks for matching: one stem for -овать and -ую, for
// работа and работать, the л of куплю, ё, and vowels
// that only some forms have (посылок, посылка).
func stemRussian(w string) string {
	w = strings.ReplaceAll(strings.ToLower(w), "ё", "е")
	env := snowballstem.NewEnv(softRussian(w))
	russian.Stem(env)
	s := env.Current()
	for _, end := range [...]string{"ова", "ева", "а", "е"} { // рисова-ть, танцева-ть, работа-ть, музе-я
		if base, ok := strings.CutSuffix(s, end); ok && utf8.RuneCountInString(base) >= 3 && (end != "а" || utf8.RuneCountInString(base) > 3) {
			s = base
			break
		}
	}
	return Fold(fleetingRussian(s))
}

// softRussian takes the л out of куплю, готовлю, люблю, which no other form of the verb has; nouns in -ля keep it.
func softRussian(w string) string {
	base, ok := strings.CutSuffix(w, "лю")
	if !ok || utf8.RuneCountInString(base) < 3 {
		return w
	}
	for _, noun := range [...]string{"зем", "кап", "цап", "саб", "корабл", "граб", "ваф", "туф", "торгов", "кров", "трав", "руб", "кораб", "журав", "дешев", "став", "коноп", "це"} {
		if strings.HasSuffix(base, noun) {
			return w
		}
	}
	if r, _ := utf8.DecodeLastRuneInString(base); strings.ContainsRune("бвмпф", r) {
		return base + "ю"
	}
	return w
}

// fleetingRussian drops the last о, е or ь between consonants, whatever the form: посылок, окон, сестер, свадьба.
func fleetingRussian(s string) string {
	r := []rune(s)
	n := len(r)
	if n >= 4 && r[n-2] == 'ь' {
		return string(r[:n-2]) + string(r[n-1])
	}
	if n < 4 || r[n-2] != 'о' && r[n-2] != 'е' || !strings.ContainsRune("клнмрцтвб", r[n-1]) || strings.ContainsRune("аеиоуыэюя", r[n-3]) {
		return s
	}
	if r[n-3] == 'ь' || r[n-3] == 'й' {
		return string(r[:n-3]) + string(r[n-1])
	}
	return string(r[:n-2]) + string(r[n-1])
}

// inflected tells whether a word without marks ends as English plurals and past tenses do. Few Czech and Polish words do too, most of
// them verbs that were typed without their marks (budes, robiles), whose ending goes just as well.
func inflected(w string) bool {
	switch {
	case len(w) < 5:
		return false
	case strings.HasSuffix(w, "ed"):
		return !strings.HasSuffix(w, "led") && w != "soused"
	case !strings.HasSuffix(w, "s") || strings.ContainsRune("aisuy", rune(w[len(w)-2])):
		return false
	}
	switch w {
	case "adres", "proces", "okres", "zakres", "interes", "biznes", "sukces", "kongres", "stres", "progres", "regres", "prezes", "rozmes",
		"aneks", "bilans", "kwadrans", "seans", "romans", "awans", "dystans":
		return false
	}
	return true
}

// Akin reports whether two stems are of one word: equal, or at least five letters alike after which one ends or has
// one more and the other at most so many, which is where stemming of an inflected language falls short.
func Akin(a, b string, most int) bool {
	if a == b {
		return true
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < 5 { // most are not: letters have a byte or more
		return false
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	restA, restB := utf8.RuneCountInString(a[n:]), utf8.RuneCountInString(b[n:])
	return utf8.RuneCountInString(a[:n]) >= 5 && min(restA, restB) <= 1 && max(restA, restB) <= most
}
