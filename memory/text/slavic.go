package text

import (
	"slices"
	"strings"
)

// stemSlavic strips case and verb endings of Czech and Polish, then the commonest verbal and diminutive
// suffixes, and evens out the consonants that inflection softens (ruka/ruce, droga/drodze, doktor/doktorze).
// One rule set serves both languages, because many words do not tell which of them they are.
func stemSlavic(w, folded string) string {
	s := spell(w, folded)
	if len(s) < 4 {
		return s
	}
	s = harden(stripEnding(s))
	return harden(stripSuffix(s))
}

// spell folds, but keeps apart what the marks tell: ů alternates with o, a Polish final ć is a soft t.
func spell(w, folded string) string {
	if ascii(w) {
		return folded
	}
	lower := strings.ToLower(w)
	if i := strings.Index(lower, "ů"); i > 0 && i+len("ů") < len(lower) {
		folded = Fold(strings.Replace(lower, "ů", "o", 1))
	}
	if strings.HasSuffix(lower, "ć") {
		return strings.TrimSuffix(folded, "c") + "t"
	}
	return folded
}

// endings lists inflections, longest first; each must leave three letters.
func endings() []string {
	return []string{
		"ovymi", "atech", "etech", "ujemy", "ujesz", "ujeme", "ujete", "iacie",
		"iami", "iach", "iego", "iemu", "owie", "atum", "uje", "uji", "uju", "uja", "amie", "ecie", "icie",
		"ami", "emi", "imi", "ymi", "ach", "ech", "ich", "ych", "ego", "eho", "iho", "emu", "imu", "ymu", "owi", "ovi", "ove",
		"ami", "aji", "eji", "aja", "eja", "ame", "ime", "eme", "ite", "imy", "emy", "amy", "isz", "esz", "asz", "iej", "iem", "iom",
		"ou", "em", "am", "um", "om", "im", "ym", "ej", "ow", "uv", "mi", "ie", "ia", "io", "iu", "ii", "iy",
		"a", "e", "i", "o", "u", "y",
	}
}

// stripEnding takes off one inflection. A soft consonant before i + vowel is Polish: opłacie -> opłat-.
func stripEnding(s string) string {
	if len(s) == 4 && s[3] == 'e' && !strings.HasSuffix(s, "ie") {
		return s // date and data, care and car: too short to tell an ending from a word
	}
	for _, end := range endings() {
		base, ok := strings.CutSuffix(s, end)
		if !ok || len(base) < 3 {
			continue
		}
		if end[0] == 'i' && len(end) > 1 && strings.ContainsRune("aeou", rune(end[1])) {
			base = soft(base)
		}
		if rest, ok := strings.CutSuffix(base, "sc"); ok && end == "i" {
			base = rest + "st" // części -> część, which spell ends in t
		}
		if rest, ok := strings.CutSuffix(base, "i"); ok && len(rest) >= 3 {
			base = rest
		}
		return base
	}
	return fleeting(s)
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

// fleeting drops the e that only some cases have: dárek/dárku, objednávek/objednávka.
func fleeting(s string) string {
	for _, end := range []string{"iek", "ek", "iec", "ec"} {
		if base, ok := strings.CutSuffix(s, end); ok && len(base) >= 3 {
			return base + end[len(end)-1:]
		}
	}
	return s
}

// suffixes are verbal (objednal, objednat, objednání, objednávka, zamówienie) and must leave four letters.
func suffixes() []string {
	return []string{"ovavk", "avani", "ovan", "owan", "ovat", "owat", "oval", "owal", "avk", "ovk", "owk", "avat", "aval", "al", "il", "el", "at", "it", "et", "an", "en", "av"}
}

func stripSuffix(s string) string {
	for _, end := range suffixes() {
		if base, ok := strings.CutSuffix(s, end); ok && len(base) >= 4 {
			if rest, ok := strings.CutSuffix(base, "i"); ok && len(rest) >= 4 {
				return rest
			}
			return base
		}
	}
	return s
}

// harden maps each softened final consonant to one letter for the whole family.
func harden(s string) string {
	pairs := []string{"ch", "s", "cz", "k", "sz", "s", "rz", "r", "dz", "z", "c", "k", "h", "z", "g", "z"}
	for pair := range slices.Chunk(pairs, 2) {
		if base, ok := strings.CutSuffix(s, pair[0]); ok && len(base) >= 2 {
			return base + pair[1]
		}
	}
	return s
}
