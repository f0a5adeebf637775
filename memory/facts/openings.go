package facts

import "strings"

// longestPhrase is how many words an opening or filler has at most.
const longestPhrase = 5

// phraseAt returns how many words of folded begin a phrase that table knows, the longest first; 0 for none.
func phraseAt(folded []string, table func(string) bool) int {
	for n := min(longestPhrase, len(folded)); n > 0; n-- {
		if table(strings.Join(folded[:n], " ")) {
			return n
		}
	}
	return 0
}

// opening knows the phrases that greet, thank, agree or announce another matter; they are no part of a title.
func opening(p string) bool {
	switch p {
	case "super", "ok", "okej", "oki", "dobre", "dobra", "diky", "dekuji", "dekuju", "jasne", "fajn", "skvele", "bezva", "perfektni", "ahoj", "cau", "zdravim", "dobry den", "hele", "hej", "tak", "no", "a",
		"ted", "tak ted", "ted neco jineho", "ted neco uplne jineho", "neco jineho", "neco uplne jineho", "jina vec", "ted jina vec", "dalsi vec", "nova vec", "nove tema", "jine tema", "zmena tematu", "jeste jedna vec", "jeste neco",
		"moje zalezitost", "ted moje zalezitost", "jina zalezitost", "dalsi zalezitost", "nova zalezitost", "mimochodem", "prosim", "prosim te", "prosim vas", "jen rychle", "rychly dotaz", "mam dotaz", "mam otazku", "aha", "jo", "ano":
		return true
	case "dzieki", "dziekuje", "czesc", "dzien dobry", "witam", "swietnie", "w porzadku", "teraz", "teraz cos innego", "cos innego", "inna sprawa", "teraz inna sprawa", "kolejna sprawa", "nowa sprawa", "nowy temat", "inny temat", "zmiana tematu",
		"przy okazji", "no to", "swoja droga", "a propos", "jeszcze jedno", "jeszcze jedna sprawa", "moja sprawa", "teraz moja sprawa", "prosze", "sluchaj", "mam pytanie", "szybkie pytanie", "tak wiec", "wiec":
		return true
	case "привет", "здравствуи", "здравствуите", "добрыи день", "спасибо", "хорошо", "отлично", "супер", "ладно", "ок", "океи", "так", "теперь", "теперь другое", "теперь о другом", "другое дело", "другои вопрос", "другая тема", "новая тема", "еще одно дело", "еще одно", "еще вопрос",
		"кстати", "между прочим", "мое дело", "теперь мое дело", "теперь мои вопрос", "мои вопрос", "слушаи", "пожалуиста", "быстрыи вопрос", "у меня вопрос", "ну", "да", "и", "а":
		return true
	}
	return openingWest(p)
}

// openingWest holds English and German.
func openingWest(p string) bool {
	switch p {
	case "great", "thanks", "thank you", "thx", "cool", "perfect", "okay", "alright", "all right", "hi", "hello", "hey", "good morning", "good evening", "please", "so", "and", "now", "yes", "well", "right",
		"something else", "now something else", "now something different", "something completely different", "another thing", "one more thing", "next thing", "new topic", "different topic", "changing the subject", "by the way", "btw",
		"my matter", "now my own matter", "now my matter", "on another note", "quick question", "a quick question", "i have a question", "listen", "unrelated", "also", "let's talk about", "let us talk about", "moving on":
		return true
	case "danke", "hallo", "guten tag", "gut", "jetzt", "etwas anderes", "jetzt etwas anderes", "ubrigens", "bitte", "neues thema", "anderes thema", "noch etwas", "also bitte":
		return true
	}
	return false
}

// filler knows beginnings that say only that somebody wants or has something; what follows is the matter.
func filler(p string) bool {
	switch p {
	case "mam", "mas", "mame", "chci", "chteli bychom", "chtel bych", "chtela bych", "chtel jsem", "rad bych", "rada bych", "bych chtel", "bych chtela", "bych rad", "bych rada", "bych potreboval", "bych potrebovala", "bychom chteli", "potrebuji", "potrebuju", "potrebujeme", "potreboval bych", "potrebovala bych", "musim", "musime",
		"muzes", "muzes mi", "muzete mi", "resim", "resime", "zacni resit", "pojdme", "pojdme resit", "tady je", "tady mas", "tady jsou", "tohle je", "toto je", "zde je", "jde o", "jsou tu", "zapamatuj si", "zapis si", "uloz si", "poznamenej si":
		return true
	case "masz", "mamy", "chce", "chcialbym", "chcialabym", "potrzebuje", "potrzebujemy", "musze", "musimy", "mozesz", "mozesz mi", "czy mozesz", "oto", "tutaj jest", "tu jest", "chodzi o", "zapamietaj", "zapisz", "zajmijmy sie":
		return true
	case "я хочу", "хочу", "мне нужно", "нам нужно", "нужно", "надо", "мне надо", "я", "у меня", "у меня есть", "у тебя есть", "у нас", "можешь", "вот", "это", "давай", "даваи", "речь о", "запомни", "запиши":
		return true
	case "i need", "i need to", "we need", "we need to", "i want", "i want to", "i would like", "i would like to", "i'd like to", "i'd like", "i have", "i've got", "you have", "i have to", "i must", "can you", "could you", "can you help me with", "help me with", "help me", "could you help me",
		"here is", "here's", "this is", "it's about", "it is about", "there is", "let's", "i am", "i'm", "i", "i think", "store", "store that", "remember", "note", "save", "about", "please help me", "ich brauche", "ich mochte", "ich habe", "ich muss", "hier ist", "es geht um":
		return true
	}
	return false
}

// pointer knows the words that only point at the link or number that follows; they are cut off a title's end.
func pointer(fold string) bool {
	switch fold {
	case "toto", "tohle", "tento", "tuto", "to", "tady", "zde", "je", "ma", "za", "stoji", "stalo", "kosztuje", "стоит", "это", "этот", "вот", "здесь", "this", "that", "here", "it", "is", "costs", "has", "was", "were", "byl", "byla", "bylo", "byly", "tutaj", "ten", "jest", "tego", "das", "dies", "hier", "ist", "pod", "под",
		"a", "i", "и", "and", "or", "nebo", "lub", "или", "und", "ze", "the", "an", "jsem", "но", "ale", "but", "oder", "with", "my", "our", "bo", "ktery", "jako", "as", "to:", "its":
		return true
	}
	return preposition(fold)
}
