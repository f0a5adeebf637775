package facts

import "slices"

// IsQuestion reports whether a message asks something: a sentence of it ends in a question mark, or begins,
// after openings, with a question word or, in English, with a verb before its subject.
func IsQuestion(message string) bool {
	r := &reader{text: message, lex: scan(message)}
	for i := 0; i < len(r.lex); {
		end := sentenceEnd(r.lex, i)
		if r.lex[end-1].raw == "?" || r.inverted(r.body(i, end), end) {
			return true
		}
		i = end
	}
	return false
}

// body steps over the openings of a sentence.
func (r *reader) body(i, end int) int {
	t := titler{reader: r}
	for i < end {
		if r.lex[i].shape == mark {
			i++
			continue
		}
		n := phraseAt(t.folds(i, end), opening)
		if n == 0 || questionWord(r.lex[i].fold) {
			return i
		}
		i += n
	}
	return end
}

// inverted reports whether the sentence that begins at lexeme i has the form of a question without its mark.
func (r *reader) inverted(i, end int) bool {
	first, second := r.at(i).fold, r.at(i+1).fold
	if i+1 >= end {
		return i < end && questionWord(first)
	}
	if preposition(first) && questionWord(second) {
		return true
	}
	switch first {
	case "when", "where", "how", "if":
		return auxiliary(second) || first == "how" && (second == "much" || second == "many" || second == "long" || second == "to")
	case "kiedy", "когда", "jak", "как", "что", "co", "wann":
		return !r.comma(i, end)
	case "what", "who", "which", "whose", "why":
		return true
	}
	return questionWord(first) || auxiliary(first) && pronoun(second) || second == "ли"
}

func (r *reader) comma(i, end int) bool {
	return slices.ContainsFunc(r.lex[i:end], func(l lexeme) bool { return l.raw == "," })
}

func questionWord(fold string) bool {
	switch fold {
	case "kdy", "kde", "kam", "kdo", "koho", "komu", "kolik", "jaky", "jaka", "jake", "jakou", "jakeho", "jakem", "ktery", "ktera", "ktere", "proc", "ci", "co", "odkud", "dokdy", "jak",
		"kiedy", "gdzie", "dokad", "kto", "kogo", "ile", "jaki", "jakie", "jaka,", "ktory", "ktora", "ktorym", "dlaczego", "czyj", "czy", "skad",
		"когда", "где", "куда", "кто", "кого", "кому", "сколько", "какои", "какая", "какое", "какие", "какую", "какого", "каком", "которыи", "почему", "зачем", "чеи", "как", "что", "откуда",
		"when", "where", "who", "whom", "whose", "what", "what's", "which", "why", "how", "when's", "where's", "who's",
		"wann", "wo", "wer", "wie", "was", "welche", "welcher", "warum", "wieviel":
		return true
	}
	return false
}

func auxiliary(fold string) bool {
	switch fold {
	case "is", "are", "was", "were", "do", "does", "did", "will", "would", "can", "could", "should", "shall", "has", "have", "am", "may", "might":
		return true
	}
	return false
}

func pronoun(fold string) bool {
	switch fold {
	case "i", "you", "he", "she", "it", "we", "they", "the", "this", "that", "my", "our", "there", "your", "his", "her", "any", "anyone", "these", "those":
		return true
	}
	return false
}

// Asks returns which kinds of fact a question asks for, the most wanted first: when -> days and times, how much -> price,
// number -> reference, where -> address, who -> name, and link, phone, e-mail by their words. Nil when the question asks for none
// of these or message is no question. lang is not needed to know the words; it is taken for symmetry with Extract.
func Asks(message, _ string) []Kind {
	if !IsQuestion(message) {
		return nil
	}
	var nouns, words []Kind
	lex := scan(message)
	before := ""
	for i, l := range lex {
		var after string
		if i+1 < len(lex) {
			after = lex[i+1].fold
		}
		nouns = append(nouns, askedNoun(l.fold)...)
		words = append(words, asked(before, l.fold, after)...)
		before = l.fold
	}
	var out []Kind
	for _, kind := range append(nouns, words...) { // a noun says more: "where is the link" asks for the link
		if !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	return out
}

// asked returns what a question word, with the words beside it, asks for.
func asked(before, fold, after string) []Kind {
	switch before + " " + fold {
	case "v kolik", "во сколько", "o ktorej":
		return []Kind{Time, Date}
	}
	switch fold {
	case "kdy", "dokdy", "kiedy", "dokad", "когда", "when", "when's", "wann", "datum", "termin", "data", "дата", "date", "deadline", "срок":
		return []Kind{Date, Deadline, Time}
	case "kolik", "ile", "сколько", "wieviel":
		if after == "hodin" || after == "времени" {
			return []Kind{Time, Date}
		}
		return []Kind{Price, Measure}
	case "how", "wie":
		switch after {
		case "much", "viel":
			return []Kind{Price, Measure}
		case "many", "viele":
			return []Kind{Measure}
		case "long":
			return []Kind{Date, Deadline}
		}
		return nil
	case "what":
		if after == "time" || after == "day" || after == "date" {
			return []Kind{Time, Date, Deadline}
		}
		return nil
	case "kde", "kam", "gdzie", "где", "куда", "where", "where's", "wo":
		return []Kind{Address, Link}
	case "kdo", "koho", "komu", "kto", "kogo", "кто", "кого", "кому", "who", "who's", "whom", "wer":
		return []Kind{Name}
	}
	return askedNoun(fold)
}

// askedNoun returns what a noun in a question asks for.
func askedNoun(fold string) []Kind {
	if is, _ := numberWord(fold); is && fold != "c" && fold != "no" && fold != "cis" {
		return []Kind{Reference, Item}
	}
	if label, weak := acronym(fold); label != "" && !weak || plateNoun(fold) {
		return []Kind{Reference}
	}
	if kind := lookup(fold, wanted); kind != "" {
		return []Kind{Kind(kind)}
	}
	return nil
}

// wanted maps the nouns and verbs of questions to a kind of fact.
func wanted(stem string) string {
	switch stem {
	case "cen", "stoj", "stal", "koszt", "kosztuj", "цен", "стоит", "стоил", "стоимост", "price", "cost", "preis", "kostet", "zaplatil", "zaplacil", "заплатил", "paid.":
		return string(Price)
	case "odkaz", "link", "ссылк", "url.", "web.", "stranka.":
		return string(Link)
	case "telefon", "phone", "телефон", "mobil", "call.", "zavol", "zadzwon", "позвон":
		return string(Phone)
	case "email", "e-mail", "mail", "почт", "имеил":
		return string(Email)
	case "adres", "address", "адрес":
		return string(Address)
	case "jmen", "jmenuj", "imie.", "imi", "nazyw", "зовут", "имя.", "имен", "name.", "called.", "heisst":
		return string(Name)
	case "velikost", "rozmiar", "rozmer", "размер", "size", "vah", "waga", "вес.", "weight", "pocet", "ilosc", "количеств":
		return string(Measure)
	case "hesl", "hasl", "password", "парол", "passwort":
		return string(Statement)
	case "hodin", "godzin", "врем", "время.":
		return string(Time)
	}
	return ""
}
