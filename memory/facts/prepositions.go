package facts

import "slices"

// binds knows the prepositions that tie a noun to the one before it.
func binds(lang, fold string) bool {
	switch lang {
	case "cs":
		return slices.Contains([]string{"na", "do", "pro", "z", "ze", "u", "v", "ve", "od", "s", "se", "o", "k", "ke", "za", "pod", "nad", "bez"}, fold)
	case "pl":
		return slices.Contains([]string{"na", "do", "dla", "z", "ze", "u", "w", "we", "od", "o", "za", "pod", "nad", "bez", "po"}, fold)
	case "ru":
		return slices.Contains([]string{"на", "для", "из", "у", "в", "во", "от", "с", "со", "о", "об", "к", "ко", "под", "без", "до", "по"}, fold)
	case "de":
		return slices.Contains([]string{"fur", "von", "vom", "zu", "zum", "zur", "in", "im", "an", "am", "auf", "bei", "mit", "nach"}, fold)
	}
	return slices.Contains([]string{"for", "of", "in", "to", "from", "at", "on", "with", "about", "under"}, fold)
}

// titlePreposition knows the words that stand before a noun and show that it is not the subject.
func titlePreposition(lang, fold string) bool {
	if binds(lang, fold) || preposition(fold) {
		return true
	}
	switch fold {
	case "above", "sprawie", "kvuli", "ohledne", "diky", "proti", "pred", "mezi", "pres", "pri", "po", "podle", "kolem", "krome", "behem", "vedle", "kousek", "mimo", "misto",
		"wedlug", "przed", "przy", "przez", "miedzy", "kolo", "obok", "przeciw", "wobec", "oprocz", "podczas", "spod", "znad",
		"перед", "между", "через", "около", "про", "насчет", "после", "против", "вокруг", "среди", "над", "ради", "кроме", "возле", "согласно",
		"regarding", "by", "into", "against", "between", "after", "before", "during", "without", "near", "behind", "beside", "through", "since", "until", "till", "over", "like", "off", "onto", "within", "around", "per",
		"wegen", "gegen", "vor", "uber", "durch", "zwischen", "bis", "seit":
		return true
	}
	return false
}

// ownWord knows the words that only say whose or which: they are no words of a title.
func ownWord(fold string) bool {
	switch fold {
	case "my", "our", "your", "his", "her", "their", "its", "this", "that", "these", "those", "some", "any", "another", "mein", "meine", "meinen", "meinem", "meiner", "unser", "unsere", "ein", "eine", "einen", "einem", "einer", "den", "dem", "des",
		"muj", "moje", "moji", "meho", "mou", "memu", "mych", "mym", "nas", "nase", "nasi", "naseho", "nasim", "svuj", "svou", "sve", "svoje", "svoji", "svym", "jeho", "jeji", "jejich", "tu", "te", "tou", "tom", "tim", "tohoto", "tuto", "tuhle", "tohle", "tenhle", "tahle", "ty", "tech", "tento", "tato", "nejaky", "nejakou", "nejaka", "nejake",
		"moj", "moja", "mojej", "mojego", "moim", "moich", "nasz", "nasza", "nasze", "naszego", "naszej", "swoj", "swoja", "swoje", "swojego", "swojej", "jego", "jej", "ich", "ten", "tego", "tej", "tym", "jakis", "jakies", "jakas", "jakiegos",
		"мои", "моя", "мое", "моего", "моеи", "мою", "моих", "моим", "моему", "наш", "наша", "наше", "нашу", "нашего", "нашеи", "наших", "нашем", "нашему", "свои", "свою", "свое", "своего", "своеи", "своих", "его", "ее", "их", "эта", "этот", "эту", "это", "эти", "этого", "этои", "этих", "тот", "ту", "какои-то", "какую-то":
		return true
	}
	return article(fold)
}
