package text

import (
	"strings"
	"unicode/utf8"
)

// stemSlavic strips case and verb endings of Czech and Polish, then the commonest verbal and diminutive
// suffixes, and evens out the sounds that inflection changes (ruka/ruce, droga/drodze, okno/oken,
// obiad/obiedzie). One rule set serves both languages, because many words do not tell which of them they are.
// known tells stems of English words: a loan (serveru, testy) stops there and meets its bare form.
func stemSlavic(w, folded string, known map[string]bool) string {
	s, verb := spell(w, folded)
	if len(s) < 4 {
		return harden(s)
	}
	bare := s
	if !verb {
		bare = stripEnding(s)
	}
	if known[bare] {
		return bare
	}
	if bare == s {
		bare = fleetingFirst(w, s)
	}
	s = stripSuffix(stripSuffix(harden(stripDegree(bare))))
	return fleeting(softened(harden(s)))
}

// fleetingFirst drops the e of a word without an ending where it would be taken for a verb's: dárek, otec,
// letadel; not in viděl, musel.
func fleetingFirst(w, s string) string {
	for _, end := range [...]string{"ek", "ec", "oven", "aren"} {
		if strings.HasSuffix(s, end) {
			return fleeting(s)
		}
	}
	for _, end := range [...]string{"del", "sel", "zel", "seł", "deł"} {
		if strings.HasSuffix(w, end) {
			return fleeting(s)
		}
	}
	return s
}

// spell folds, but keeps apart what the marks tell: ů alternates with o, a Polish final ć is a soft t. Of a verb
// it takes the ending off, when the marks show it: -ać, -ět, -ěla, -áš.
func spell(w, folded string) (s string, verb bool) {
	if ascii(w) {
		if base, ok := strings.CutSuffix(folded, "owac"); ok && len(base) >= 3 {
			return base, true
		}
		return folded, false
	}
	lower := strings.ToLower(w)
	if i := strings.Index(lower, "ů"); i > 0 && i+len("ů") < len(lower) {
		folded = Fold(strings.Replace(lower, "ů", "o", 1))
	}
	for _, end := range [...]string{"ować", "iać", "ieć", "ać", "ić", "yć", "eć", "ět", "ěl", "ěla", "ěli", "ělo", "ěly", "uješ", "áš", "íš", "eš"} {
		if strings.HasSuffix(lower, end) {
			if base := folded[:len(folded)-utf8.RuneCountInString(end)]; len(base) >= 3 {
				return base, true
			}
		}
	}
	if strings.HasSuffix(lower, "ć") {
		return folded[:len(folded)-1] + "t", false
	}
	return folded, false
}

// ending tells whether s is an inflection.
func ending(s string) bool {
	switch s {
	case "a", "e", "i", "o", "u", "y",
		"ou", "em", "am", "um", "om", "im", "ym", "ej", "ow", "uv", "mi", "ie", "ia", "io", "iu", "ii", "iy",
		"ami", "emi", "imi", "ymi", "ach", "ech", "ich", "ych", "ego", "eho", "iho", "emu", "imu", "ymu", "owi", "ovi", "ove",
		"aji", "eji", "aja", "eja", "ame", "ime", "eme", "ite", "imy", "emy", "amy", "isz", "esz", "asz", "iej", "iem", "iom",
		"uje", "uji", "uju", "uja",
		"iami", "iach", "iego", "iemu", "owie", "atum", "amie", "iesz", "iemy", "ejte", "ejme", "ujem", "ujou",
		"ovymi", "atech", "etech", "ujemy", "ujesz", "ujeme", "ujete":
		return true
	}
	return false
}

const longestEnding = 5

// stripEnding takes off the longest inflection that leaves three letters.
func stripEnding(s string) string {
	for n := min(longestEnding, len(s)-3); n > 0; n-- {
		if end := s[len(s)-n:]; ending(end) && (n == 1 || syllable(s[:len(s)-n])) {
			return mend(s[:len(s)-n], end)
		}
	}
	return s
}

// syllable tells whether s has a vowel, or an r or l that may stand for one (prst, vlk); střech is no str-ech.
func syllable(s string) bool {
	return strings.ContainsAny(s, "aeiouy") || strings.ContainsAny(s[:len(s)-1], "lr")
}

// mend turns the end of a stem back to what it was before the ending softened it. A soft consonant before
// i + vowel is Polish: opłacie -> opłat-.
func mend(base, end string) string {
	if end[0] == 'i' && len(end) > 1 && strings.ContainsRune("aeou", rune(end[1])) {
		base = soft(base)
	}
	if end == "i" {
		switch {
		case strings.HasSuffix(base, "sc"): // części -> część, which spell ends in t
			base = base[:len(base)-1] + "t"
		case strings.HasSuffix(base, "enc") && len(base) >= 5: // klienci
			base = base[:len(base)-1] + "t"
		case strings.HasSuffix(base, "o"): // pokoi
			base += "j"
		}
	}
	if rest, ok := strings.CutSuffix(base, "i"); ok && len(rest) >= 3 {
		return rest
	}
	return base
}

// soft turns a Polish softened stem back: c -> t, dz -> d.
func soft(base string) string {
	if rest, ok := strings.CutSuffix(base, "dz"); ok {
		return rest + "d"
	}
	if rest, ok := strings.CutSuffix(base, "c"); ok && !strings.HasSuffix(rest, "k") {
		return rest + "t"
	}
	return base
}

// stripDegree takes off the comparative and the superlative: nejlevnějš-, najwyższ- keeps its consonant.
func stripDegree(s string) string {
	for _, end := range [...]string{"ejs", "ejsz"} {
		if base, ok := strings.CutSuffix(s, end); ok && len(base) >= 3 {
			for _, most := range [...]string{"nej", "naj"} {
				if rest, ok := strings.CutPrefix(base, most); ok && len(rest) >= 3 {
					return rest
				}
			}
			return base
		}
	}
	return s
}

// suffix returns how many letters a verbal suffix (objednal, objednat, objednání, objednávka, zamówienie)
// must leave; 0 means that s is none.
func suffix(s string) int {
	switch s {
	case "ovat", "owat", "oval", "owal", "at", "al", "it", "il", "yl", "ujic", "ujac":
		return 3
	case "ovavk", "avani", "ovan", "owan", "avk", "ovk", "owk", "avat", "aval", "el", "et", "an", "en", "av", "aj":
		return 4
	}
	return 0
}

const longestSuffix = 5

func stripSuffix(s string) string {
	for n := min(longestSuffix, len(s)-3); n > 1; n-- {
		base := s[:len(s)-n]
		if least := suffix(s[len(s)-n:]); least == 0 || len(base) < least || strings.HasSuffix(s, "iat") {
			continue
		}
		if rest, ok := strings.CutSuffix(base, "i"); ok && len(rest) >= 4 {
			return rest
		}
		return base
	}
	return s
}

// softened joins stems whose vowel Polish changes before a soft consonant: obied- (obiedzie) and obiad-.
func softened(s string) string {
	for _, end := range [...]string{"ied", "iet", "iest", "iezd", "ietr"} {
		if base, ok := strings.CutSuffix(s, end); ok && len(base) >= 1 {
			return base + "ia" + end[2:]
		}
	}
	return s
}

// fleeting drops the e that only some cases have: dárek/dárku, okno/oken, láhev/láhve, chłopiec/chłopca.
func fleeting(s string) string {
	n := len(s)
	if n < 4 || s[n-2] != 'e' || !strings.ContainsRune("kclrntvbm", rune(s[n-1])) {
		return s
	}
	at := n - 2
	if s[at-1] == 'i' && n >= 5 && strings.ContainsRune("kcn", rune(s[n-1])) {
		at--
	}
	if strings.ContainsRune("aeiouy", rune(s[at-1])) {
		return s
	}
	return s[:at] + s[n-1:]
}

// harden maps each softened final consonant to one letter for the whole family.
func harden(s string) string {
	n := len(s)
	if n < 3 {
		return s
	}
	if n > 3 {
		switch s[n-2:] {
		case "ch", "sz":
			return s[:n-2] + "s"
		case "cz":
			return s[:n-2] + "k"
		case "rz":
			return s[:n-2] + "r"
		case "dz":
			return s[:n-2] + "z"
		}
	}
	switch s[n-1] {
	case 'c':
		return s[:n-1] + "k"
	case 'h', 'g':
		return s[:n-1] + "z"
	}
	return s
}
