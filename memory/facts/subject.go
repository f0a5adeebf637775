package facts

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/text"
)

// subjectWords is how many words a label may have.
const subjectWords = 5

// owned returns what stands before lexeme i as "my X is", "X:" or, with a word for a property, "X is", "" if nothing
// of the kind does; and whether the label belongs to somebody ("my X is").
func (r *reader) owned(i int) (string, bool) {
	j := i - 1
	for skipped := 0; skipped < 2 && (r.is(j, "\"„“”«'(") || preposition(r.at(j).fold)); skipped++ {
		j--
	}
	if r.starts(j+1) || !r.links(j) {
		return "", false
	}
	return r.label(j)
}

// links reports whether lexeme j joins a subject to its value.
func (r *reader) links(j int) bool {
	switch l := r.at(j); l.shape {
	case word:
		return copula(l.fold) || l.fold == "to" && r.lang == "pl"
	case mark:
		return l.raw == ":" || l.raw == "=" || (l.raw == "—" || l.raw == "–") && !l.glued
	}
	return false
}

// label reads the subject that ends before the joining lexeme j.
func (r *reader) label(j int) (label string, owned bool) {
	from := j
	for from > 0 && j-from <= subjectWords && !r.starts(from) && r.at(from-1).shape == word && !owned {
		if l := r.at(from - 1); possessive(l.fold) || l.fold == "ma" && r.starts(from-1) {
			owned = true
		} else if copula(l.fold) || subordinate(l.fold) {
			break
		} else {
			from--
		}
	}
	for from < j && article(r.at(from).fold) {
		from++
	}
	n := j - from
	if n == 0 || n > subjectWords || speech(r.at(from).fold) || pointer(r.at(j-1).fold) || phraseAt(r.folds(from, j), opening) > 0 {
		return "", false
	}
	bounded := r.starts(from) || r.at(from-1).shape == mark || subordinate(r.at(from-1).fold) || article(r.at(from-1).fold)
	colon := r.at(j).raw == ":" && bounded && n < subjectWords
	if owned || colon || bounded && r.property(from, j) {
		return r.words(from, j), owned
	}
	return "", false
}

// property reports whether a word for a property heads the subject of lexemes from to end-1: its first word, or in
// English, where the head comes last, its last.
func (r *reader) property(from, end int) bool {
	head := r.at(from).fold
	return lookup(head, propertyNoun) != "" || lookup(head, measureNoun) != "" || plateNoun(head) ||
		lookup(r.at(end-1).fold, propertyNoun) != "" && r.lang == "en"
}

// statements adds what clauses without any other fact say as "label: value" or "my X is Y".
func (r *reader) statements() {
	found := r.facts
	for i := 0; i < len(r.lex); {
		end := sentenceEnd(r.lex, i)
		for len(found) > 0 && found[0].End <= r.lex[i].start {
			found = found[1:]
		}
		if r.at(end-1).raw != "?" {
			r.statement(i, end, found)
		}
		i = end
	}
}

// statement looks for a joining word in lexemes from to end-1 and takes what stands after it, up to the clause's end.
func (r *reader) statement(from, end int, found []Fact) {
	for j := from + 1; j+1 < end; j++ {
		if !r.links(j) || r.at(j).raw == ":" && r.at(j+1).glued && !r.at(j+1).line {
			continue
		}
		label, _ := r.label(j)
		if label == "" {
			continue
		}
		stop := r.valueEnd(j+1, end, r.at(j).raw == ":")
		if stop > j+1 && overlaps(found, r.lex[j+1].start, r.lex[stop-1].end) {
			stop = r.valueEnd(j+1, end, false)
		}
		if stop <= j+1 || overlaps(found, r.lex[j+1].start, r.lex[stop-1].end) || r.vague(j+1, stop) {
			continue
		}
		first, last := j+1, stop
		if r.is(first, "\"„“”«'") && last-first > 2 && r.is(last-1, "\"“”»'") {
			first, last = first+1, last-1
		}
		kind := Statement
		if startsUpper(r.at(first)) && lookup(r.at(j-1).fold, personNoun)+lookup(text.Fold(firstWord(label)), personNoun) != "" {
			kind = Name
		}
		r.facts = append(r.facts, Fact{
			Kind: kind, Label: label, Named: true,
			Value: squeeze(r.text[r.lex[first].start:r.lex[last-1].end]), Start: r.lex[first].start, End: r.lex[last-1].end,
		})
		return
	}
}

func firstWord(s string) string {
	first, _, _ := strings.Cut(s, " ")
	return first
}

// valueEnd returns the index after the value that begins at lexeme i: after a colon the rest of the line's
// sentence, after "is" the clause.
func (r *reader) valueEnd(i, end int, colon bool) int {
	const most = 12
	stop := i
	for ; stop < end && stop-i < most; stop++ {
		l := r.at(stop)
		if stop > i && (r.is(stop, ";.!?…") || !colon && (r.is(stop, ",") || (l.raw == "–" || l.raw == "—")) || subordinate(l.fold)) {
			break
		}
	}
	if stop-i == most {
		return i // a long clause is a tale, not a value
	}
	return stop
}

// vague reports whether a value says nothing that could be kept: "my problem is that ...", "to go home".
func (r *reader) vague(from, end int) bool {
	l := r.at(from)
	if l.shape != word {
		return !r.is(from, "\"„“”«'") && l.shape == mark
	}
	switch l.fold {
	case "to", "that", "not", "very", "about", "going", "if", "so", "just", "too", "ze", "aby", "zda", "jestli", "jak", "ne", "moc", "uz", "jeste", "taky", "prilis",
		"zeby", "czy", "nie", "bardzo", "juz", "tak", "takze", "что", "чтобы", "не", "очень", "уже", "как", "dass", "nicht", "sehr", "zu":
		return true
	}
	return end-from == 1 && (copula(l.fold) || preposition(l.fold))
}

func overlaps(found []Fact, start, end int) bool {
	for _, f := range found {
		if f.Start >= end {
			return false
		}
		if f.End > start {
			return true
		}
	}
	return false
}

// copula knows the forms of "is" that join a subject and its value, folded.
func copula(fold string) bool {
	switch fold {
	case "je", "jsou", "zni", "bude", "jest", "sa", "brzmi", "is", "are", "это", "ist", "lautet", "sind":
		return true
	}
	return false
}

// possessive knows the words that make a noun the speaker's or a third person's own.
func possessive(fold string) bool {
	switch fold {
	case "muj", "moje", "moji", "moja", "meho", "mou", "nas", "nase", "nasi", "naseho", "jeho", "jeji", "jejich",
		"my", "our", "his", "her", "their", "moj", "mojego", "nasz", "nasza", "nasze", "naszego", "jego", "jej", "ich",
		"мои", "моя", "мое", "моего", "моеи", "наш", "наша", "наше", "нашего", "нашеи", "его", "ее", "их",
		"mein", "meine", "meiner", "unser", "unsere":
		return true
	}
	return false
}

func article(fold string) bool {
	switch fold {
	case "the", "a", "an", "der", "die", "das", "ten", "ta":
		return true
	}
	return false
}

// subordinate knows the words that open a clause inside a sentence.
func subordinate(fold string) bool {
	switch fold {
	case "ze", "protoze", "kdyz", "pokud", "aby", "ktery", "ktera", "ktere", "ale", "takze", "zeby", "bo", "poniewaz", "gdy", "jesli", "ktory", "ktora", "ktore", "wiec",
		"что", "потому", "если", "когда", "но", "которыи", "которая", "которое", "that", "because", "if", "when", "but", "which", "who", "so", "and", "dass", "weil", "wenn", "aber":
		return true
	}
	return false
}

func preposition(fold string) bool {
	switch fold {
	case "v", "ve", "na", "o", "w", "we", "k", "z", "u", "do", "od", "dne", "dnia", "в", "во", "с", "к", "из", "on", "in", "at", "from", "of", "for", "by", "am", "im", "an", "um", "на", "о", "об", "у", "за", "по", "для", "от", "до", "при", "ко":
		return true
	}
	return false
}

// speech knows the words before a colon that announce talk, not a value.
func speech(fold string) bool {
	switch fold {
	case "napsal", "napsala", "pise", "rekl", "rekla", "napr", "ps", "pozn", "poznamka", "otazka", "odpoved", "dotaz", "prosim", "toto", "tohle",
		"napisal", "napisala", "pisze", "powiedzial", "powiedziala", "np", "uwaga", "pytanie", "написал", "написала", "пишет", "сказал", "сказала", "вопрос",
		"wrote", "said", "says", "note", "question", "answer", "this", "here", "todo", "fyi", "frage":
		return true
	}
	return false
}

// propertyNoun knows the properties that are stated without "my" ("the wifi password is ...").
func propertyNoun(stem string) string {
	switch stem {
	case "hesl", "hasl", "password", "парол", "passwor", "passwort",
		"kod.", "kodu.", "code.", "код.", "pin.",
		"adres", "address", "адрес", "telefon", "phone.", "телефон", "email.", "e-mail.", "mail.",
		"cisl", "numer", "номер", "number.", "jmen", "imie.", "имя.", "name.", "prezdivk",
		"barv", "kolor", "color", "colour", "цвет", "typ.", "model", "модел", "znack", "mark.", "марк",
		"login", "логин", "ssid", "wifi", "wi-fi", "uzivatel", "username", "alergi", "allerg", "аллерги",
		"dostupnost", "oblib", "stav.", "status", "статус", "fakulta", "obor", "reserva", "deadline":
		return stem
	}
	return ""
}
