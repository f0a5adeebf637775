package facts

// clauseWord knows the words that open another clause.
func clauseWord(fold string) bool {
	switch fold {
	case "ale", "ze", "protoze", "takze", "kdyz", "jestli", "pokud", "nez", "akorat", "aby",
		"bo", "zeby", "wiec", "jesli", "poniewaz", "gdy", "но", "что", "чтобы", "если", "потому", "когда",
		"but", "because", "so", "if", "cos", "bc", "which", "who", "that", "although":
		return true
	}
	return false
}

// lead knows what stands at the edge of a clause and says nothing.
func lead(fold string) bool {
	switch fold {
	case "a", "i", "jo", "hele", "tak", "takze", "no", "jinak", "pak", "jeste", "ale", "ze", "pry", "prej", "teda", "uz", "zas", "tez", "taky", "aha", "ok", "btw", "lol", "xd", "super", "dobre", "dobra", "diky", "fajn", "ahoj", "jasne", "ted", "prosim", "mimochodem", "ano",
		"wiec", "juz", "bo", "jeszcze", "to", "niby", "chyba", "dzieki", "czesc", "teraz", "prosze", "tez.",
		"и", "а", "ну", "вот", "еще", "уже", "короче", "что", "но", "да", "так", "спасибо", "привет", "ладно", "кстати", "теперь", "слушаи", "ок",
		"and", "oh", "yeah", "right", "but", "also", "then", "well", "na", "just", "so", "because", "cos", "great", "thanks", "cool", "okay", "hi", "hello", "hey", "please", "now", "yes":
		return true
	}
	return false
}

// request knows the verbs of what is asked of the assistant.
func request(fold string) bool {
	switch fold {
	case "napis", "napiste", "zkus", "spocitej", "spocitei", "dej", "dei", "udelej", "udelei", "rozepis", "shrn", "posli", "napisz", "zrob", "daj", "dai", "policz", "rozpisz", "dawaj", "dawai", "напиши", "напишите", "сделаи", "посчитаи", "распиши", "скинь", "даваи",
		"write", "give", "make", "list", "can", "could", "tell", "draft":
		return true
	}
	return false
}
