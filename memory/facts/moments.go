package facts

// month returns 1..12 for the name of a month in any of the languages, folded and in any case; 0 otherwise.
func month(fold string) int {
	switch fold {
	case "leden", "ledna", "lednu", "styczen", "stycznia", "styczniu", "январь", "января", "январе", "янв", "january", "jan", "januar":
		return 1
	case "unor", "unora", "unoru", "luty", "lutego", "lutym", "февраль", "февраля", "феврале", "фев", "february", "feb", "februar":
		return 2
	case "brezen", "brezna", "breznu", "marzec", "marca", "marcu", "март", "марта", "марте", "march", "mar", "marz":
		return 3
	case "duben", "dubna", "dubnu", "kwiecien", "kwietnia", "kwietniu", "апрель", "апреля", "апреле", "апр", "april", "apr":
		return 4
	case "kveten", "kvetna", "kvetnu", "maj", "maja", "maju", "маи", "мая", "мае", "may", "mai":
		return 5
	case "cerven", "cervna", "cervnu", "czerwiec", "czerwca", "czerwcu", "июнь", "июня", "июне", "june", "jun", "juni":
		return 6
	case "cervenec", "cervence", "cervenci", "lipiec", "lipca", "lipcu", "июль", "июля", "июле", "july", "jul", "juli":
		return 7
	case "srpen", "srpna", "srpnu", "sierpien", "sierpnia", "sierpniu", "август", "августа", "августе", "авг", "august", "aug":
		return 8
	case "zari", "wrzesien", "wrzesnia", "wrzesniu", "сентябрь", "сентября", "сентябре", "сен", "сент", "september", "sep", "sept":
		return 9
	case "rijen", "rijna", "rijnu", "pazdziernik", "pazdziernika", "pazdzierniku", "октябрь", "октября", "октябре", "окт", "october", "oct", "oktober":
		return 10
	case "listopad", "listopadu", "listopada", "listopadzie", "ноябрь", "ноября", "ноябре", "ноя", "november", "nov":
		return 11
	case "prosinec", "prosince", "prosinci", "grudzien", "grudnia", "grudniu", "декабрь", "декабря", "декабре", "дек", "december", "dec", "dezember":
		return 12
	}
	return 0
}

// weekday reports whether the folded word names a day of the week.
func weekday(fold string) bool {
	switch fold {
	case "pondeli", "pondelka", "pondelku", "utery", "uterka", "uterku", "streda", "stredu", "stredy", "stredou", "ctvrtek", "ctvrtka", "ctvrtku", "patek", "patku", "sobota", "sobotu", "soboty", "nedele", "nedeli",
		"poniedzialek", "poniedzialku", "poniedzialkiem", "wtorek", "wtorku", "wtorkiem", "sroda", "srode", "srody", "czwartek", "czwartku", "czwartkiem", "piatek", "piatku", "piatkiem", "sobote", "niedziela", "niedziele", "niedzieli",
		"понедельник", "понедельника", "вторник", "вторника", "среда", "среду", "среды", "четверг", "четверга", "пятница", "пятницу", "пятницы", "суббота", "субботу", "субботы", "воскресенье", "воскресенья",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
		"montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag":
		return true
	}
	return false
}

// relativeDay reports whether the folded word is a day by itself ("tomorrow").
func relativeDay(fold string) bool {
	switch fold {
	case "zitra", "zitrka", "pozitri", "jutro", "jutra", "pojutrze", "завтра", "послезавтра", "tomorrow", "morgen", "ubermorgen":
		return true
	}
	return false
}

// nextWord reports whether the folded word makes "next ..." or "this ..." out of a weekday, week or month.
func nextWord(fold string) bool {
	switch fold {
	case "pristi", "pristiho", "pristim", "tento", "tuto", "toto", "tohoto", "przyszly", "przyszlym", "przyszla", "przyszlego", "nastepny", "nastepnym", "ten", "tego", "najblizszy",
		"следующии", "следующую", "следующеи", "следующего", "следующем", "эту", "этот", "этои", "next", "this", "coming", "nachsten", "nachste", "nachster":
		return true
	}
	return false
}

// span reports whether the folded word is a stretch of the calendar that "next" goes with.
func span(fold string) bool {
	switch fold {
	case "tyden", "tydne", "tydnu", "mesic", "mesice", "rok", "roku", "vikend", "vikendu", "tydzien", "tygodnia", "tygodniu", "miesiac", "miesiaca", "miesiacu", "weekend", "weekendu",
		"неделя", "неделю", "недели", "неделе", "месяц", "месяца", "месяце", "год", "года", "году", "выходные", "week", "month", "year", "woche", "monat", "jahr":
		return true
	}
	return false
}

// endWord reports whether the folded word means the end of a stretch ("do konce týdne", "by the end of March").
func endWord(fold string) bool {
	switch fold {
	case "konce", "konci", "konca", "koncem", "конца", "end", "ende":
		return true
	}
	return false
}

// untilWord reports whether the folded word makes a deadline out of the moment that follows it.
func untilWord(fold string) bool {
	switch fold {
	case "do", "nejpozdeji", "najpozniej", "до", "by", "until", "till", "before", "bis", "przed", "к":
		return true
	}
	return false
}

// sinceWord reports whether the folded word opens a stretch of days that "do" or "until" closes.
func sinceWord(fold string) bool {
	switch fold {
	case "od", "ode", "mezi", "miedzy", "с", "от", "from", "between", "von":
		return true
	}
	return false
}

// clockWord reports whether the folded word stands before a time of day.
func clockWord(fold string) bool {
	switch fold {
	case "v", "ve", "at", "o", "в", "um", "od", "kolem", "okolo", "do", "from", "от", "с", "godz", "godzinie", "so":
		return true
	}
	return false
}

// hourWord reports whether the folded word makes a time of day of the number before it.
func hourWord(fold string) bool {
	switch fold {
	case "h", "hod", "hodin", "hodine", "godz", "часов", "часа", "ч", "uhr", "am", "pm", "o'clock", "oclock":
		return true
	}
	return false
}

// deadlineNoun knows the words for a last day.
func deadlineNoun(stem string) string {
	switch stem {
	case "deadlin", "deadline":
		return "deadline"
	case "uzaverk":
		return "uzávěrka"
	case "splatnost":
		return "splatnost"
	case "срок":
		return "срок"
	case "frist":
		return "Frist"
	case "due.":
		return "due"
	}
	return ""
}

// dateNoun knows what happens on a day: beginning of the folded word -> label. Verbs are given the noun.
func dateNoun(stem string) string {
	return anyOf(stem, deadlineNoun, czechDate, polishDate, russianDate, westernDate)
}

func czechDate(stem string) string {
	switch stem {
	case "termin":
		return "termín"
	case "doruc", "doraz", "prijde.", "prijit.":
		return "doručení"
	case "dodan":
		return "dodání"
	case "odjezd", "odjizd":
		return "odjezd"
	case "prijezd", "prijizd":
		return "příjezd"
	case "odlet", "odlit", "letim.", "letime.":
		return "odlet"
	case "prilet", "prilit":
		return "přílet"
	case "narozen":
		return "narozeniny"
	case "schuzk", "schuzc":
		return "schůzka"
	case "svatb":
		return "svatba"
	case "platnost":
		return "platnost"
	case "zkousk":
		return "zkouška"
	case "prohlidk", "prohlidc":
		return "prohlídka"
	case "objednal":
		return "datum objednávky"
	case "prijimack", "prijimac":
		return "přijímačky"
	case "konci.", "skonci", "vyprs":
		return "konec"
	case "dovolen":
		return "dovolená"
	}
	return ""
}

func polishDate(stem string) string {
	switch stem {
	case "dostaw":
		return "dostawa"
	case "przyjd", "dotrze":
		return "dostawa"
	case "wizyt":
		return "wizyta"
	case "urodzin":
		return "urodziny"
	case "spotkan":
		return "spotkanie"
	case "wylot", "wylat", "lece.":
		return "wylot"
	case "wyjazd":
		return "wyjazd"
	case "slub":
		return "ślub"
	case "konczy", "wygas":
		return "koniec"
	case "egzamin":
		return "egzamin"
	case "platnosc":
		return "płatność"
	}
	return ""
}

func russianDate(stem string) string {
	switch stem {
	case "доставк", "доставят", "прибудет.", "придет.", "придут.", "приедет.":
		return "доставка"
	case "встреч":
		return "встреча"
	case "вылет", "лечу.", "летим.":
		return "вылет"
	case "заезд":
		return "заезд"
	case "выезд":
		return "выезд"
	case "отъезд":
		return "отъезд"
	case "рожден":
		return "день рождения"
	case "свадьб":
		return "свадьба"
	case "заканчива", "истека":
		return "окончание"
	case "экзамен":
		return "экзамен"
	case "прием":
		return "приём"
	case "оплат":
		return "оплата"
	}
	return ""
}

// westernDate holds English and German.
func westernDate(stem string) string {
	switch stem {
	case "deliver", "arrive", "arriving", "arrival":
		return "delivery"
	case "departure", "depart":
		return "departure"
	case "appointment":
		return "appointment"
	case "meeting":
		return "meeting"
	case "birthday":
		return "birthday"
	case "expire", "expiry":
		return "expiry"
	case "wedding":
		return "wedding"
	case "exam.", "exams.":
		return "exam"
	case "flying.", "fly.":
		return "departure"
	case "ends.":
		return "end"
	case "check-in", "checkin":
		return "check-in"
	case "interview":
		return "interview"
	case "ordered":
		return "ordered"
	case "lieferung":
		return "Lieferung"
	case "geburtstag":
		return "Geburtstag"
	case "hochzeit":
		return "Hochzeit"
	}
	return ""
}
