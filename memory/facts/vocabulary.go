package facts

import (
	"embed"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/text"
)

//go:embed data
var wordFiles embed.FS

// vocabulary holds folded words of one language that tell what may stand in a title: "no" nothing of the kind, "time" when,
// "weak" what is said only where there is nothing else, "noun" what ends like a verb and is none, "adj" what a noun follows,
// "matter" stems of what affairs are called by.
type vocabulary map[string]map[string]bool

// vocabularies reads the embedded lists once, on first use; they never change afterwards.
var vocabularies = sync.OnceValue(readVocabularies) //nolint:gochecknoglobals // a constant that is computed once

func readVocabularies() map[string]vocabulary {
	all := map[string]vocabulary{}
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		data, _ := wordFiles.ReadFile("data/words_" + lang + ".txt") // a list that is not there is empty
		v := vocabulary{}
		for line := range strings.Lines(string(data)) {
			kind, words, listed := strings.Cut(line, ":")
			if !listed || strings.HasPrefix(line, "#") {
				continue
			}
			if v[kind] == nil {
				v[kind] = map[string]bool{}
			}
			for w := range strings.FieldsSeq(words) {
				if kind == "matter" {
					w = text.Stem(w)
				}
				v[kind][foldWord(w)] = true
			}
		}
		all[lang] = v
	}
	return all
}

// foldWord folds a word as the fold of a lexeme is.
func foldWord(w string) string { return strings.ReplaceAll(text.Fold(w), "й", "и") }

// verb reports whether a word looks like a verb by its ending. Words that only look so are in the lists.
func (v vocabulary) verb(lang, raw, fold string) bool {
	if v["noun"][fold] || utf8.RuneCountInString(fold) < 4 {
		return false
	}
	switch lang {
	case "cs":
		if strings.HasPrefix(fold, "ne") && utf8.RuneCountInString(fold) > 4 {
			return true
		}
		return hasEnding(strings.ToLower(raw), "ěl", "ěla", "ěli", "ěly", "ělo", "ím", "íme", "íš", "íte", "áš", "eš", "áte", "uješ", "ován", "ována", "ováno", "ěn", "ěna", "ěno", "it", "ět", "át", "ýt") && !strings.HasSuffix(fold, "nim") && !strings.HasSuffix(fold, "cim") ||
			hasEnding(fold, "l", "la", "li", "lo", "ly",
				"uju", "ujes", "uje", "ujeme", "ujete", "ujou", "uji", "ovat", "nout", "nit", "nat", "vit", "dit", "zit", "cit", "lit", "rit", "sit", "pat", "kat", "dat", "hat", "lat", "vat", "zat", "jem", "jeme", "ime", "ame", "avam", "avaji", "eji", "aji", "nem", "nete")
	case "pl":
		return hasEnding(strings.ToLower(raw), "ć", "łem", "łam", "ł", "ła", "ło", "ły", "łeś", "łaś", "esz", "isz", "ysz", "asz") && !hasEnding(fold, "osc", "esc") ||
			hasEnding(fold, "lem", "lam", "lismy", "lysmy", "ujemy", "ujecie", "uje", "ujesz", "uja", "owac", "amy", "emy", "imy", "ymy", "aja", "ieja", "eje", "owano", "iono", "ano", "al", "ala", "alo", "ali", "aly", "il", "ila", "ilo", "yl", "yla", "ylo", "sl", "zl", "sla", "szla", "szlo", "szli", "dl") ||
			utf8.RuneCountInString(fold) >= 6 && hasEnding(fold, "ac", "ic", "yc") && !hasEnding(fold, "osc", "esc")
	case "ru":
		return hasEnding(fold, "л", "ла", "ли", "ло", "лся", "лась", "лись", "лось", "ть", "ться", "тся", "чь", "ешь", "ишь", "ет", "ит", "ют", "ут", "ят", "ем", "им", "ете", "ите", "ишься", "емся", "имся", "ается", "ись", "аю", "яю", "ую", "ется", "ится") &&
			!hasEnding(fold, "ость", "есть", "лист", "нет", "ситет", "тель", "ель") && !strings.HasSuffix(strings.ToLower(raw), "ую")
	case "en":
		return hasEnding(fold, "ed", "ing", "ly") && utf8.RuneCountInString(fold) > 4
	}
	return false
}

// adjective reports whether a word looks like an adjective by its ending, whatever its case.
func (v vocabulary) adjective(lang, raw, fold string) bool {
	if v["adj"][fold] {
		return true
	}
	low := strings.ToLower(raw)
	switch lang {
	case "cs":
		return hasEnding(low, "ý", "á", "é", "ého", "ému", "ým", "ých", "ými", "skou", "nou", "tou", "ová", "ové", "ově", "ovu", "ovou", "ovy", "čin", "čina", "činy")
	case "pl":
		return hasEnding(low, "ny", "na", "ne", "nego", "nemu", "nym", "ną", "nej", "ski", "ska", "skie", "skiego", "skiej", "ską", "owy", "owa", "owe", "owego", "owej", "ową", "owych", "nych", "skich", "wy", "ego", "ych") && !v["noun"][fold]
	case "ru":
		return hasEnding(low, "ый", "ий", "ая", "яя", "ое", "ее", "ые", "ие", "ого", "его", "ому", "ую", "юю", "ых", "их", "ым", "ыми", "ской") && !hasEnding(low, "ние", "тие", "вие", "рий", "лий", "ний", "сие", "вий", "жие", "ция", "гий", "мий", "стие")
	}
	return false
}

// hasEnding reports whether a word ends in one of endings and has two letters more.
func hasEnding(w string, endings ...string) bool {
	for _, e := range endings {
		if base, ok := strings.CutSuffix(w, e); ok && utf8.RuneCountInString(base) >= 2 {
			return true
		}
	}
	return false
}
