package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/text"
)

// ending is how a form of a noun may end and how the dictionary's form does. Sure ones need no dictionary.
type ending struct {
	from, to string
	sure     bool
}

// nominative returns the words of a phrase with the noun and its adjectives in the form that dictionaries give, and whether
// that is sure. A word that would be wrong beside it is "". English has but one form.
func (t titler) nominative(p phrase) (words []string, sure bool) {
	words = make([]string, len(p.words))
	for k, i := range p.words {
		words[k] = t.pieces[i]
	}
	if t.lang == "en" || t.lang == "de" {
		return words, true
	}
	head := t.head(p)
	said := words[head]
	restored, sure := t.restore(said, p, head)
	if !sure || restored == said {
		return words, sure
	}
	words[head] = restored
	feminine := hasEnding(restored, "a", "á", "e", "ia", "а", "я")
	for k := range words {
		if i := p.words[k]; k != head && (p.parts[k] == adjectival || t.words.adjective(t.lang, t.lex[i].raw, t.lex[i].fold)) {
			words[k] = agree(t.lang, words[k], feminine)
		}
	}
	return words, true
}

// head is the word of a phrase that its adjectives go with: the first noun.
func (t titler) head(p phrase) int {
	for k, i := range p.words {
		if l := t.lex[i]; p.parts[k] != adjectival && l.shape == word && !t.words.adjective(t.lang, l.raw, l.fold) {
			return k
		}
	}
	return 0
}

// object reports whether a word of a phrase is an object, or behind a preposition that stands with the same form.
func (t titler) object(p phrase, head int) bool {
	i := p.words[head]
	if p.prep < 0 {
		return !startsUpper(t.lex[i]) && !t.starts(p.words[0]) && t.at(p.words[0]-1).shape == word
	}
	switch t.lex[p.prep].fold {
	case "na", "pro", "za", "pres", "przez", "на", "в", "за", "про", "через":
		return true
	}
	return false
}

// of reports whether a phrase stands behind a preposition with the genitive alone, whose endings tell the dictionary's form.
func (t titler) of(p phrase) bool {
	if t.words["weak"][t.at(p.prep).fold] {
		return true
	}
	switch t.at(p.prep).fold {
	case "do", "z", "ze", "od", "u", "bez", "dla", "из", "от", "для", "без", "до", "у":
		return true
	}
	return false
}

// restore gives the dictionary's form of a noun that stands behind a preposition, or of an object without one.
func (t titler) restore(said string, p phrase, head int) (string, bool) {
	behind := p.prep >= 0 || oblique(t.lang, said)
	if behind && text.Listed(said) {
		return said, true
	}
	endings := objectEndings(t.lang)
	if behind {
		endings = slices.Concat(endings, caseEndings(t.lang))
	}
	if t.of(p) {
		endings = slices.Concat([]ending{{"hy", "ha", true}, {"ky", "ka", true}, {"vy", "va", true}, {"ny", "na", true}, {"ry", "ra", true}, {"ly", "la", true}, {"вы", "ва", true}, {"ны", "на", true}, {"ры", "ра", true}, {"ки", "ка", true}}, endings)
	}
	low, object := strings.ToLower(said), t.object(p, head)
	if len(low) != len(said) {
		return said, !behind
	}
	for _, e := range endings {
		base, ok := strings.CutSuffix(low, e.from)
		if !ok || utf8.RuneCountInString(base) < 2 || e.from == "u" && strings.HasSuffix(base, "o") || e.from == "ii" && unicode.IsUpper([]rune(said)[0]) {
			continue
		}
		if text.Listed(base+e.to) || e.sure && (object || t.of(p) || utf8.RuneCountInString(e.from) > 2) && (!text.Listed(base) || unicode.IsUpper([]rune(said)[0])) && !text.Listed(said) {
			return said[:len(said)-len(e.from)] + e.to, true
		}
	}
	return said, !behind
}

// objectEndings are those of an object without a preposition, of feminine nouns: with others it is as in the dictionary.
func objectEndings(lang string) []ending {
	switch lang {
	case "cs":
		return []ending{{"aci", "ace", true}, {"kci", "kce", true}, {"nci", "nce", false}, {"ici", "ice", true}, {"ií", "ie", false}, {"ii", "ie", true}, {"enou", "ená", false}, {"ku", "ka", true}, {"u", "a", true}, {"i", "e", false}}
	case "pl":
		return []ending{{"cję", "cja", true}, {"ię", "ia", false}, {"ę", "a", true}}
	case "ru":
		return []ending{{"ию", "ия", true}, {"ку", "ка", true}, {"у", "а", true}, {"ю", "я", false}}
	}
	return nil
}

// caseEndings are those behind a preposition, the sure ones first.
func caseEndings(lang string) []ending {
	switch lang {
	case "cs":
		return []ending{{"ací", "ace", true}, {"kcí", "kce", true}, {"osti", "ost", true}, {"ostí", "ost", true}, {"ením", "ení", true}, {"áním", "ání", true}, {"kou", "ka", true},
			{"ou", "a", false}, {"em", "", false}, {"em", "o", false}, {"em", "e", false}, {"kem", "ek", false}, {"ku", "ek", false}, {"ku", "k", false}, {"u", "", false}, {"u", "o", false}, {"cem", "ec", false},
			{"ce", "ka", false}, {"ze", "ha", false}, {"ze", "ga", false}, {"ře", "ra", false}, {"re", "ra", false}, {"ě", "a", false}, {"ě", "o", false}, {"ě", "", false}, {"e", "a", false}, {"e", "o", false}, {"e", "", false},
			{"y", "a", false}, {"i", "", false}, {"a", "", false}, {"a", "o", false}, {"í", "e", false}, {"ách", "y", false}, {"ách", "a", false}}
	case "pl":
		return []ending{{"cji", "cja", true}, {"cją", "cja", true}, {"ości", "ość", true}, {"osci", "osc", true}, {"ką", "ka", true},
			{"ą", "a", false}, {"ii", "ia", false}, {"iem", "", false}, {"em", "", false}, {"em", "o", false}, {"ku", "ek", false}, {"u", "", false}, {"u", "o", false}, {"ce", "ka", false}, {"dze", "ga", false}, {"cie", "t", false}, {"cie", "ta", false},
			{"rze", "ra", false}, {"rze", "r", false}, {"le", "ł", false}, {"le", "ła", false}, {"ie", "", false}, {"ie", "a", false}, {"ie", "o", false}, {"e", "a", false}, {"y", "a", false}, {"i", "a", false}, {"i", "", false}, {"a", "", false}, {"a", "o", false}, {"ach", "y", false}}
	case "ru":
		return []ending{{"ции", "ция", true}, {"цией", "ция", true}, {"ости", "ость", true}, {"остью", "ость", true}, {"кой", "ка", true},
			{"ой", "а", false}, {"ей", "я", false}, {"ом", "", false}, {"ом", "о", false}, {"ем", "ь", false}, {"ем", "е", false}, {"ы", "а", false}, {"ии", "ия", false}, {"ии", "ие", false}, {"ия", "ие", false}, {"ию", "ие", false}, {"и", "а", false}, {"и", "я", false}, {"и", "ь", false},
			{"е", "а", false}, {"е", "о", false}, {"е", "", false}, {"е", "я", false}, {"е", "ь", false}, {"а", "", false}, {"а", "о", false}, {"я", "ь", false}, {"я", "е", false}, {"у", "", false}, {"у", "о", false}, {"ю", "ь", false}, {"ю", "е", false}}
	}
	return nil
}

// agree puts an adjective beside a noun in its dictionary form; "" where its ending does not tell how.
func agree(lang, said string, feminine bool) string {
	low := strings.ToLower(said)
	for _, e := range agreement(lang, feminine) {
		if base, ok := strings.CutSuffix(low, e.from); ok && utf8.RuneCountInString(base) >= 2 {
			return said[:len(said)-len(e.from)] + e.to
		}
	}
	return ""
}

func agreement(lang string, feminine bool) []ending {
	switch {
	case lang == "cs" && feminine:
		return []ending{{from: "ovou", to: "ová"}, {from: "ovu", to: "ova"}, {from: "ovy", to: "ova"}, {from: "ově", to: "ova"}, {from: "inu", to: "ina"}, {from: "iny", to: "ina"}, {from: "ou", to: "á"}, {from: "é", to: "á"}, {from: "á", to: "á"}, {from: "í", to: "í"}}
	case lang == "cs":
		return []ending{{from: "ého", to: "ý"}, {from: "ému", to: "ý"}, {from: "ém", to: "ý"}, {from: "ým", to: "ý"}, {from: "ího", to: "í"}, {from: "ímu", to: "í"}, {from: "ím", to: "í"}, {from: "ý", to: "ý"}, {from: "í", to: "í"}}
	case lang == "pl" && feminine:
		return []ending{{from: "ą", to: "a"}, {from: "iej", to: "a"}, {from: "ej", to: "a"}, {from: "a", to: "a"}}
	case lang == "pl":
		return []ending{{from: "kiego", to: "ki"}, {from: "kiemu", to: "ki"}, {from: "kim", to: "ki"}, {from: "giego", to: "gi"}, {from: "ego", to: "y"}, {from: "emu", to: "y"}, {from: "ym", to: "y"}, {from: "y", to: "y"}}
	case lang == "ru" && feminine:
		return []ending{{from: "ую", to: "ая"}, {from: "юю", to: "яя"}, {from: "ой", to: "ая"}, {from: "ая", to: "ая"}}
	case lang == "ru":
		return []ending{{from: "кого", to: "кий"}, {from: "кому", to: "кий"}, {from: "ного", to: "ный"}, {from: "ному", to: "ный"}, {from: "ным", to: "ный"}, {from: "ный", to: "ный"}}
	}
	return nil
}
