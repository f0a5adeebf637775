package facts

// currency returns the sign or code of a currency written as a folded word or sign; "" if it is none.
func currency(fold string) string {
	switch fold {
	case "kc", "czk", "korun", "koruny", "koruna", "korunami", "kcs":
		return "CZK"
	case "eur", "euro", "eura", "euros", "евро", "€":
		return "EUR"
	case "usd", "dolar", "dolaru", "dolary", "dolarow", "dollar", "dollars", "bucks", "доллар", "доллара", "долларов", "$":
		return "USD"
	case "zl", "zł", "pln", "zloty", "zlote", "zlotych", "злотых", "zlotego":
		return "PLN"
	case "руб", "р", "рубль", "рубля", "рублеи", "rub", "₽":
		return "RUB"
	case "gbp", "pound", "pounds", "quid", "liber", "фунтов", "£":
		return "GBP"
	case "chf", "frank", "franku", "frankow", "франков":
		return "CHF"
	case "huf", "ft":
		return "HUF"
	case "uah", "грн", "гривен", "₴":
		return "UAH"
	case "jpy", "¥", "sek", "nok", "dkk", "₩", "₹":
		return "other"
	}
	return ""
}

// isCurrency is currency for a lexeme: letters that are also units or words ("ft", "р") count in lower
// case only right after a number, which is where it is asked.
func isCurrency(l lexeme) bool {
	switch l.shape {
	case symbol:
		return true
	case word:
		return currency(l.fold) != ""
	}
	return false
}

// magnitude knows the words between a number and its currency ("15 tys. zł").
func magnitude(fold string) bool {
	switch fold {
	case "tisic", "tisice", "tis", "tys", "tysiac", "tysiace", "tysiecy", "тыс", "тысяч", "тысячи", "тысяча", "thousand", "k", "tausend",
		"milion", "miliony", "milionu", "milionow", "mil", "mln", "млн", "миллион", "миллиона", "миллионов", "million", "mio":
		return true
	}
	return false
}

// priceNoun knows what is paid: beginning of the folded word -> label.
func priceNoun(stem string) string {
	return anyOf(stem, czechPrice, polishPrice, russianPrice, westernPrice)
}

func czechPrice(stem string) string {
	switch stem {
	case "cen", "stoj", "stal", "vyjd", "vysl":
		return "cena"
	case "zaloh":
		return "záloha"
	case "kauc":
		return "kauce"
	case "najem", "najm":
		return "nájem"
	case "poplat":
		return "poplatek"
	case "postovn":
		return "poštovné"
	case "doprav":
		return "doprava"
	case "slev":
		return "sleva"
	case "rozpoc":
		return "rozpočet"
	case "celkem":
		return "celkem"
	case "castk":
		return "částka"
	case "plat.", "platu.", "platem.":
		return "plat"
	case "mzda.", "mzdu.", "mzdy.":
		return "mzda"
	case "splatk":
		return "splátka"
	case "pojistn":
		return "pojistné"
	case "vstupn":
		return "vstupné"
	case "dluh":
		return "dluh"
	case "pokut":
		return "pokuta"
	}
	return ""
}

func polishPrice(stem string) string {
	switch stem {
	case "cene", "kosztuj", "kosztow":
		return "cena"
	case "koszt":
		return "koszt"
	case "zaliczk":
		return "zaliczka"
	case "kaucj":
		return "kaucja"
	case "czynsz":
		return "czynsz"
	case "oplat":
		return "opłata"
	case "wysyl":
		return "wysyłka"
	case "budzet":
		return "budżet"
	case "pensj":
		return "pensja"
	case "kwot":
		return "kwota"
	case "znizk", "rabat":
		return "rabat"
	case "skladk":
		return "składka"
	case "razem.":
		return "razem"
	case "rata.", "raty.":
		return "rata"
	}
	return ""
}

func russianPrice(stem string) string {
	switch stem {
	case "цен":
		return "цена"
	case "стоит", "стоил":
		return "цена"
	case "стоимост":
		return "стоимость"
	case "итог":
		return "итого"
	case "залог":
		return "залог"
	case "аренд":
		return "аренда"
	case "доставк":
		return "доставка"
	case "бюджет":
		return "бюджет"
	case "сумм":
		return "сумма"
	case "предоплат":
		return "предоплата"
	case "зарплат":
		return "зарплата"
	case "преми":
		return "премия"
	case "скидк":
		return "скидка"
	case "штраф":
		return "штраф"
	}
	return ""
}

// westernPrice holds English and German.
func westernPrice(stem string) string {
	switch stem {
	case "price", "cost", "costs":
		return "price"
	case "total":
		return "total"
	case "deposit":
		return "deposit"
	case "rent":
		return "rent"
	case "fee.", "fees.":
		return "fee"
	case "shipping", "postage":
		return "shipping"
	case "budget":
		return "budget"
	case "discount":
		return "discount"
	case "salary":
		return "salary"
	case "amount":
		return "amount"
	case "preis", "kostet":
		return "Preis"
	case "miete":
		return "Miete"
	case "versand":
		return "Versand"
	case "anzahlung":
		return "Anzahlung"
	}
	return ""
}
