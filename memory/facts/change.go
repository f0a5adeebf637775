package facts

import "slices"

// Changes reports whether a message takes back or changes what was said.
func Changes(message string) bool {
	return slices.ContainsFunc(scan(message), func(l lexeme) bool { return l.shape == word && changing(l.fold) })
}

// changing knows the words by which something takes another's place: whole words, and the beginnings of verbs that move, swap, raise and lower.
func changing(fold string) bool {
	switch fold {
	case "oprava", "opravuji", "vlastne", "nakonec", "misto", "nove", "nyni", "radsi", "radeji",
		"poprawka", "wlasciwie", "jednak", "ostatecznie", "zamiast", "obecnie",
		"исправление", "вернее", "точнее", "теперь", "вместо", "итоге", "лучше",
		"correction", "actually", "instead", "updated", "now", "korrektur", "eigentlich", "geandert", "verschoben", "jetzt":
		return true
	}
	return lookup(fold, changeVerb) != ""
}

// changeVerb knows the beginnings of verbs and nouns of change.
func changeVerb(stem string) string {
	switch stem {
	case "zpozd", "opozn", "spozn", "опазд", "задерж", "delay", "late.", "zmen", "zmenil", "posun", "posunul", "posouva", "presun", "presunul", "prelozi", "preklada", "prehod", "odlozi", "podraz", "zdrazi", "zlevn", "snizi", "zvysi", "vymen", "pridal",
		"zmian", "zmieni", "przenos", "przenies", "przesun", "przesuw", "przeloz", "przeklad", "podniesl", "podwyz", "obniz", "zeszl", "zamieni",
		"измен", "смен", "поменя", "перенес", "перенос", "сдвин", "сдвига", "подня", "сниз", "отлож", "передума",
		"change", "changed", "moved.", "moving.", "move.", "postpone", "resched", "shifted", "bumped", "knocked.", "switched", "swapped":
		return stem
	}
	return ""
}
