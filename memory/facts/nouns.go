package facts

import "unicode/utf8"

// lookup finds the entry for the longest beginning of a folded word that table knows, so that one line of
// a table holds for all the endings of an inflected word. An entry that ends in "." holds for the whole
// word only. An ending is at most as long as its beginning, and two runes after a beginning of three.
func lookup(fold string, table func(string) string) string {
	if label := table(fold + "."); label != "" {
		return label
	}
	const longest = 6
	end, runes := len(fold), utf8.RuneCountInString(fold)
	for cut := 0; cut <= longest && cut <= runes-cut; cut++ {
		if kept := runes - cut; kept > 3 || kept > 0 && cut <= 2 {
			if label := table(fold[:end]); label != "" {
				return label
			}
		}
		_, size := utf8.DecodeLastRuneInString(fold[:end])
		end -= size
	}
	return ""
}

// anyOf asks tables in turn.
func anyOf(stem string, tables ...func(string) string) string {
	for _, table := range tables {
		if label := table(stem); label != "" {
			return label
		}
	}
	return ""
}

// referenceNoun knows what people give numbers to: beginning of the folded word -> label.
func referenceNoun(stem string) string {
	return anyOf(stem, orderNoun, czechReference, polishReference, russianReference, westernReference)
}

func czechReference(stem string) string {
	switch stem {
	case "faktur":
		return "faktura"
	case "rezervac":
		return "rezervace"
	case "smlouv", "smluv":
		return "smlouva"
	case "pojistk":
		return "pojistka"
	case "pojisten":
		return "pojištění"
	case "polozk", "polozc":
		return "položka"
	case "reklamac":
		return "reklamace"
	case "letenk", "letenc":
		return "letenka"
	case "jizdenk", "jizdenc":
		return "jízdenka"
	case "vstupenk":
		return "vstupenka"
	case "uctu.", "ucet.", "uctem.":
		return "účet"
	case "kart":
		return "karta"
	case "pripad":
		return "případ"
	case "clenstv":
		return "členství"
	case "vlak.", "vlaku.":
		return "vlak"
	case "letu.", "let.", "letem.":
		return "let"
	case "mistnost":
		return "místnost"
	}
	return ""
}

func polishReference(stem string) string {
	switch stem {
	case "rezerwacj":
		return "rezerwacja"
	case "umow":
		return "umowa"
	case "polis":
		return "polisa"
	case "reklamacj":
		return "reklamacja"
	case "bilet":
		return "bilet"
	case "rachun":
		return "rachunek"
	case "konto.", "konta.", "koncie.":
		return "konto"
	case "sprawa.", "sprawy.", "sprawie.", "sprawe.":
		return "sprawa"
	case "pozycj":
		return "pozycja"
	case "lot.", "lotu.", "rejs":
		return "lot"
	case "pociag":
		return "pociąg"
	case "ofert":
		return "oferta"
	}
	return ""
}

func russianReference(stem string) string {
	switch stem {
	case "счет":
		return "счёт"
	case "брон":
		return "бронь"
	case "договор":
		return "договор"
	case "полис":
		return "полис"
	case "накладн":
		return "накладная"
	case "билет":
		return "билет"
	case "реис":
		return "рейс"
	case "поезд":
		return "поезд"
	case "дело.", "дела.", "делу.":
		return "дело"
	case "карт":
		return "карта"
	case "позици":
		return "позиция"
	case "трек":
		return "трек-номер"
	case "обращен":
		return "обращение"
	}
	return ""
}

// westernReference holds English and German.
func westernReference(stem string) string {
	switch stem {
	case "invoice":
		return "invoice"
	case "booking":
		return "booking"
	case "reservation":
		return "reservation"
	case "confirmation":
		return "confirmation"
	case "contract":
		return "contract"
	case "policy.":
		return "policy"
	case "claim.":
		return "claim"
	case "ticket":
		return "ticket"
	case "item":
		return "item"
	case "account.":
		return "account"
	case "case.":
		return "case"
	case "flight":
		return "flight"
	case "train.":
		return "train"
	case "membership":
		return "membership"
	case "reference.", "ref.":
		return "reference"
	case "serial":
		return "serial"
	case "license", "licence":
		return "license"
	case "passport":
		return "passport"
	case "customer":
		return "customer"
	case "room.":
		return "room"
	case "gate.":
		return "gate"
	case "rechnung":
		return "Rechnung"
	case "rechnungsnummer":
		return "Rechnungsnummer"
	case "buchung":
		return "Buchung"
	case "vertrag":
		return "Vertrag"
	case "flug":
		return "Flug"
	case "kundennummer":
		return "Kundennummer"
	}
	return ""
}

// orderNoun knows the words of buying and delivering; their numbers make a record an order.
func orderNoun(stem string) string {
	switch stem {
	case "objednavk", "objednavc", "objednavek", "obj.":
		return "objednávka"
	case "zasilk", "zasilc", "zasilek":
		return "zásilka"
	case "balik", "balic":
		return "balík"
	case "zakazk", "zakazc", "zakazek":
		return "zakázka"
	case "zamowieni", "zamowien", "zam.":
		return "zamówienie"
	case "przesyl":
		return "przesyłka"
	case "paczk", "paczc", "paczek":
		return "paczka"
	case "заказ":
		return "заказ"
	case "посылк":
		return "посылка"
	case "отправлени":
		return "отправление"
	case "order":
		return "order"
	case "tracking":
		return "tracking"
	case "shipment":
		return "shipment"
	case "parcel", "package":
		return "parcel"
	case "bestellung":
		return "Bestellung"
	case "bestellnummer":
		return "Bestellnummer"
	case "auftragsnummer":
		return "Auftragsnummer"
	case "sendungsnummer":
		return "Sendungsnummer"
	}
	return ""
}

// orderVerb knows the verbs that say something was bought; the label goes with a bare number beside them.
func orderVerb(stem string) string {
	switch stem {
	case "objednal", "objednan", "koupil", "zakoupil":
		return "objednávka"
	case "zamowil", "kupil":
		return "zamówienie"
	case "заказал", "купил":
		return "заказ"
	case "ordered", "bought", "purchased":
		return "order"
	case "bestellt", "gekauft":
		return "Bestellung"
	}
	return ""
}

// numberWord knows the words for "number"; kept tells whether the word stays in the label when it follows
// the noun ("order number", but "objednávka č. 5" is "objednávka").
func numberWord(fold string) (is, kept bool) {
	switch fold {
	case "cislo", "cisla", "cislem", "cislu", "c", "cis", "numer", "numerze", "numeru", "numerem", "nr", "no", "номер", "номера", "номером", "id", "kod", "kodu", "kodem", "код", "кода", "pin":
		return true, false
	case "number", "code", "nummer", "num", "#", "№":
		return true, fold == "number" || fold == "code"
	}
	return false, false
}

// acronym knows names of numbers that are written in capitals; weak ones are words as well ("vs", "rz") and
// count only in capitals or before a colon.
func acronym(fold string) (label string, weak bool) {
	switch fold {
	case "ico":
		return "IČO", true
	case "dic":
		return "DIČ", true
	case "vs":
		return "VS", true
	case "ss":
		return "SS", true
	case "rz":
		return "RZ", true
	case "spz":
		return "SPZ", false
	case "psc":
		return "PSČ", false
	case "vin", "iban", "nip", "pesel", "regon", "krs", "isbn", "pnr", "imei", "ean", "sku", "vat":
		return upper(fold), false
	case "инн", "снилс", "огрн", "кпп", "бик", "уин":
		return upper(fold), false
	}
	return "", false
}

// plateNoun knows the words for a car's number plate, whose number is written in two or three groups.
func plateNoun(fold string) bool {
	switch fold {
	case "spz", "rz", "znacka", "znacku", "plate", "plates", "rejestracja", "rejestracyjny", "rejestracyjne", "rejestracyjna", "tablica", "tablice", "госномер", "номерзнак", "kennzeichen":
		return true
	}
	return false
}

// measureNoun knows what is measured or counted: beginning of the folded word -> label.
func measureNoun(stem string) string {
	switch stem {
	case "velikost":
		return "velikost"
	case "vysk":
		return "výška"
	case "sirk":
		return "šířka"
	case "delk":
		return "délka"
	case "vah", "hmotnost":
		return "váha"
	case "pocet", "poctu":
		return "počet"
	case "mnozstv":
		return "množství"
	case "rozmer":
		return "rozměr"
	case "rozmiar":
		return "rozmiar"
	case "wzrost":
		return "wzrost"
	case "waga.", "wagi.", "wage.":
		return "waga"
	case "ilosc":
		return "ilość"
	case "szerokosc":
		return "szerokość"
	case "размер":
		return "размер"
	case "рост.", "роста.":
		return "рост"
	case "вес.", "веса.":
		return "вес"
	case "количеств":
		return "количество"
	case "ширин":
		return "ширина"
	case "size":
		return "size"
	case "height":
		return "height"
	case "weight":
		return "weight"
	case "width":
		return "width"
	case "length":
		return "length"
	case "quantity":
		return "quantity"
	case "grosse":
		return "Größe"
	}
	return ""
}

// measureUnit knows units of measure and of counting, folded.
func measureUnit(fold string) bool {
	switch fold {
	case "kg", "g", "mg", "t", "cm", "mm", "m", "km", "m2", "l", "ml", "dl", "gb", "tb", "mb", "w", "kw", "kwh", "v", "ks", "kus", "kusu", "kusy",
		"szt", "sztuk", "sztuki", "osob", "osoby", "noci", "nocy", "nocleg", "noclegi",
		"шт", "человека", "кг", "г", "см", "мм", "м", "км", "л", "мл", "гб", "квт", "человек", "ноч", "ночи", "ночеи",
		"pcs", "pc", "pieces", "people", "persons", "guests", "nights", "lb", "lbs", "oz", "ft", "inch", "inches", "stk", "stuck":
		return true
	}
	return false
}

// countUnit knows the units that make a fact even where no label stands beside them: pieces, people, nights.
func countUnit(fold string) bool {
	switch fold {
	case "ks", "kusu", "kusy", "szt", "sztuk", "sztuki", "шт", "pcs", "pieces", "stk",
		"osob", "osoby", "человек", "человека", "people", "persons", "guests", "nights", "noci", "nocy", "ночи", "ночеи":
		return true
	}
	return false
}
