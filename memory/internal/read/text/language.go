package text

import (
	"strings"
	"unicode"
)

// Language guesses cs, pl, ru, en or de from script, letters with marks and function words, which is what
// a message of three words still has. It returns fallback when nothing tells, or two languages tie.
func Language(s, fallback string) string {
	score := map[string]float64{}
	n := 0
	for i := 0; i < len(s) && n < 200; { // the beginning of a long text tells as much as all of it
		end, kind := scan(s, i)
		if kind == word {
			vote(score, Head(s[i:end], maxToken))
			n++
		}
		i = end
	}
	best, second := "", ""
	for _, lang := range languages() {
		switch {
		case best == "" || score[lang] > score[best]:
			best, second = lang, best
		case second == "" || score[lang] > score[second]:
			second = lang
		}
	}
	if score[fallback] > 0 && score[best] < score[fallback]+0.3 {
		return fallback
	}
	if score[best] < 0.25 || score[best]-score[second] < 0.05 {
		return fallback
	}
	return best
}

// vote adds what one word says about the language.
func vote(score map[string]float64, surface string) {
	lower := strings.ReplaceAll(strings.ToLower(surface), "'", "")
	if cyrillic(lower) {
		score["ru"] += 2
		return
	}
	for _, lang := range languages() {
		score[lang] += loaded().function[lang][lower]
	}
	for _, r := range lower {
		if r >= 0x80 && unicode.IsLetter(r) {
			for _, lang := range []string{"cs", "pl", "de"} {
				if strings.ContainsRune(ownLetters(lang), r) {
					score[lang] += 1.2
				}
			}
		}
	}
	voteShape(score, Fold(surface))
}

func ownLetters(lang string) string {
	switch lang {
	case "cs":
		return "áčďéěíňřšťúůýž"
	case "pl":
		return "ąćęłńśźżó"
	case "de":
		return "äöüß"
	}
	return ""
}

// voteShape reads letter groups of words written without marks.
func voteShape(score map[string]float64, w string) {
	for _, g := range []struct {
		lang, part string
		weight     float64
	}{
		{"pl", "sz", .5}, {"pl", "cz", .5}, {"pl", "rz", .4}, {"pl", "dz", .4}, {"pl", "ie", .1}, {"pl", "owa", .4},
		{"en", "th", .3}, {"en", "wh", .4}, {"en", "ee", .3}, {"en", "oo", .3}, {"en", "ck", .2}, {"en", "ing", .4}, {"en", "tion", .3}, {"en", "ght", .3},
		{"de", "sch", .5}, {"de", "ei", .1}, {"de", "ung", .4}, {"de", "cht", .4}, {"cs", "ova", .4}, {"cs", "uje", .2}, {"cs", "hl", .2}, {"cs", "kdy", .3},
	} {
		if strings.Contains(w, g.part) {
			score[g.lang] += g.weight
		}
	}
}
