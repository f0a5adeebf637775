package facts

// DefaultLabel is the usual word for a kind of fact in a language (cs, pl, ru, de; otherwise English), given
// to facts that no words of the message name.
func DefaultLabel(kind Kind, lang string) string {
	switch lang {
	case "cs":
		return czechLabel(kind)
	case "pl":
		return polishLabel(kind)
	case "ru":
		return russianLabel(kind)
	case "de":
		return germanLabel(kind)
	}
	return englishLabel(kind)
}

func czechLabel(kind Kind) string {
	switch kind {
	case Reference:
		return "číslo"
	case Item:
		return "položka"
	case Price:
		return "cena"
	case Date:
		return "datum"
	case Deadline:
		return "termín"
	case Time:
		return "čas"
	case Phone:
		return "telefon"
	case Email:
		return "e-mail"
	case Link:
		return "odkaz"
	case Address:
		return "adresa"
	case Name:
		return "jméno"
	case Measure:
		return "množství"
	}
	return "údaj"
}

func polishLabel(kind Kind) string {
	switch kind {
	case Reference:
		return "numer"
	case Item:
		return "pozycja"
	case Price:
		return "cena"
	case Date:
		return "data"
	case Deadline:
		return "termin"
	case Time:
		return "godzina"
	case Phone:
		return "telefon"
	case Email:
		return "e-mail"
	case Link:
		return "link"
	case Address:
		return "adres"
	case Name:
		return "imię"
	case Measure:
		return "ilość"
	}
	return "informacja"
}

func russianLabel(kind Kind) string {
	switch kind {
	case Reference:
		return "номер"
	case Item:
		return "товар"
	case Price:
		return "цена"
	case Date:
		return "дата"
	case Deadline:
		return "срок"
	case Time:
		return "время"
	case Phone:
		return "телефон"
	case Email:
		return "e-mail"
	case Link:
		return "ссылка"
	case Address:
		return "адрес"
	case Name:
		return "имя"
	case Measure:
		return "количество"
	}
	return "факт"
}

func germanLabel(kind Kind) string {
	switch kind {
	case Reference:
		return "Nummer"
	case Item:
		return "Artikel"
	case Price:
		return "Preis"
	case Date:
		return "Datum"
	case Deadline:
		return "Frist"
	case Time:
		return "Uhrzeit"
	case Phone:
		return "Telefon"
	case Email:
		return "E-Mail"
	case Link:
		return "Link"
	case Address:
		return "Adresse"
	case Name:
		return "Name"
	case Measure:
		return "Menge"
	}
	return "Angabe"
}

func englishLabel(kind Kind) string {
	switch kind {
	case Reference:
		return "number"
	case Email:
		return "e-mail"
	case Measure:
		return "quantity"
	case Statement:
		return "note"
	}
	return string(kind)
}
