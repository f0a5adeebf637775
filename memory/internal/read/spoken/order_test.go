package spoken

import "testing"

// orders are messages that order to forget something in words that no frame has, and what they are about.
func orders() map[string]string {
	return map[string]string{
		"Forget about the gluten":                  "gluten",
		"Please forget the gluten thing":           "gluten thing",
		"Forget the gluten.":                       "gluten",
		"Could you forget the gluten?":             "gluten",
		"Hey, please forget about gluten, thanks":  "gluten",
		"Delete the note about gluten":             "note about gluten",
		"Forget where I live":                      "where I live",
		"Zapomeň na lepek.":                        "lepek",
		"Prosím tě, zapomeň na ten lepek":          "lepek",
		"Zapomeň lepek":                            "lepek",
		"Smaž poznámku o lepku.":                   "poznámku o lepku",
		"Zapomeň, kde bydlím":                      "kde bydlím",
		"Zapomnij o glutenie.":                     "glutenie",
		"Zapomnij gluten":                          "gluten",
		"Proszę, zapomnij o tym glutenie":          "glutenie",
		"Usuń notatkę o glutenie":                  "notatkę o glutenie",
		"Zapomnij, gdzie mieszkam":                 "gdzie mieszkam",
		"Забудь про глютен.":                       "глютен",
		"Пожалуйста, забудь про глютен":            "глютен",
		"Забудь глютен":                            "глютен",
		"Удали заметку о глютене":                  "заметку о глютене",
		"Забудь, где я живу":                       "где я живу",
		"Vergiss das Gluten.":                      "Gluten",
		"Bitte vergiss, dass ich kein Gluten esse": "ich kein Gluten esse",
		"Lösche die Notiz über Gluten":             "Notiz über Gluten",
		"Vergiss bitte mein Gluten":                "mein Gluten",
	}
}

// talk are messages with the same words that order nothing.
func talk() []string {
	return []string{
		"Never mind.", "Never mind the rain.", "I forgot my keys", "Forget-me-nots are blue", "Don't forget to buy milk", "Don't forget the milk",
		"Forget the hotel, we will take the night train.", "Forget the hotel. We take the train on Friday.", "Kids, forget the dog", "Delete the second paragraph",
		"Remove the stains from the carpet", "Delete all emails from Tom", "She told me to forget Tom", "Forget what they say, it is a good song", `"Forget Tom" is a film`,
		"Did you forget the gluten?", "Clear the table", "Erase the blackboard", "Forget how to ride a bike",
		"Zapomněl jsem klíče doma", "Nezapomeň koupit mléko", "Nezapomeň na mléko", "Zapomněla jsem na lepek", "Smaž druhý odstavec", "Zapomeň, kámo, zasmál se, mě neporazíš.",
		"To nevadí.", "Odstraň skvrny z koberce", "Zapomeň na ten hotel, pojedeme vlakem.", "Pomněnky kvetou", "Řekla mi, ať zapomenu na Toma", "Zruš tu rezervaci",
		"Zapomniałem kluczy", "Nie zapomnij kupić mleka", "Nie zapomnij o mleku", "Usuń drugi akapit", "Nieważne.", "Zapomniała o glutenie", "Zapomnij o hotelu, pojedziemy pociągiem.",
		"Kazała mi zapomnieć o Tomku", "Usuń plamy z dywanu", "Niezapominajki są niebieskie",
		"Я забыл ключи", "Не забудь купить молоко", "Не забудь про молоко", "Удали второй абзац", "Ничего страшного.", "Она забыла про глютен", "Забудь про отель, поедем на поезде.",
		"Незабудки синие", "Удали пятна с ковра", "Она велела мне забыть Тома",
		"Vergiss nicht, Milch zu kaufen", "Ich habe meine Schlüssel vergessen", "Vergissmeinnicht blüht blau", "Lösche den zweiten Absatz", "Macht nichts.", "Vergiss das Hotel, wir nehmen den Zug.",
	}
}

func TestOrdersToForget(t *testing.T) {
	t.Parallel()
	for said, about := range orders() {
		switch c := Find(said); {
		case c.Action == ClearTopic, c.Action == ForgetLast:
		case c.Action != Unclear || c.Object != about:
			t.Errorf("Find(%q) is %+v, want an order that is not understood about %q", said, c, about)
		}
	}
	for _, said := range talk() {
		if c := Find(said); c.Action != None {
			t.Errorf("Find(%q) is %+v, want none", said, c)
		}
	}
}

// TestOrdersOfOthers has orders in which nothing but a command counts, whatever it is understood as, and what is near them in words and orders nothing.
func TestOrdersOfOthers(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"Forget about my allergy", "Please forget the dentist", "Forget Rex", "Forget about the Leeds flat", "Could you forget the red car, please?",
		"Delete the note about my locker", "Forget my old number", "Forget the thing about the dog", "Please delete the record about cats", "Forget who I work for",
		"Zapomeň na mou alergii", "Zapomeň prosím na zubaře", "Zapomeň Rexe", "Zapomeň na byt v Brně", "Mohl bys zapomenout na to červené auto?",
		"Smaž záznam o skříňce", "Zapomeň moje staré číslo", "Zapomeň na tu věc se psem", "Smaž prosím poznámku o kočkách", "Zapomeň, kde pracuji",
		"Zapomnij o mojej alergii", "Zapomnij proszę o dentyście", "Zapomnij Reksa", "Zapomnij o mieszkaniu w Krakowie", "Możesz zapomnieć o czerwonym aucie?",
		"Usuń wpis o szafce", "Zapomnij mój stary numer", "Zapomnij o sprawie z psem", "Usuń proszę notatkę o kotach", "Zapomnij, gdzie pracuję",
		"Забудь о моей аллергии", "Забудь, пожалуйста, про стоматолога", "Забудь Рекса", "Забудь про квартиру в Казани", "Можешь забыть про красную машину?",
		"Сотри всё, что знаешь о Томе", "Забудь мой старый номер", "Забудь историю с собакой", "Удали, пожалуйста, заметку о кошках", "Забудь, где я работаю",
	} {
		if c := Find(said); c.Action != Unclear && c.Action != ClearTopic && c.Action != ForgetLast {
			t.Errorf("Find(%q) is %+v, want an order to forget", said, c)
		}
	}
	for _, said := range []string{
		"I forgot about the dentist", "Don't forget the dentist", "Nevermind the flat", "Forgetting names is awful", "Delete the last row", "Remove the old tyres",
		"Did I forget the gym?", "Forget Paris, is Lyon nice?", "Clear the snow from the drive", "Can you erase a pencil line?",
		"Zapomněl jsem na zubaře", "Nezapomeň na zubaře", "To je jedno", "Zapomeň na Paříž, stojí Lyon za víkend?", "Zapomínám jména", "Smaž poslední řádek",
		"Odstraň staré pneumatiky", "Nezapomněl jsem na posilovnu?", "Zapomenout je snadné", "Vyhoď odpadky",
		"Zapomniałem o dentyście", "Nie zapomnij o dentyście", "Mniejsza z tym", "Zapomnij o Paryżu, czy Lyon jest ładny?", "Zapominam imiona", "Usuń ostatni wiersz",
		"Wyrzuć śmieci", "Czy zapomniałem o siłowni?", "Zapomnieć jest łatwo", "Wyczyść kuchenkę",
		"Я забыл про стоматолога", "Не забудь про стоматолога", "Неважно", "Забудь про Париж, а Лион хороший?", "Я забываю имена", "Удали последнюю строку",
		"Выброси мусор", "Я не забыл про спортзал?", "Забыть легко", "Почисти плиту",
	} {
		if c := Find(said); c.Action != None {
			t.Errorf("Find(%q) is %+v, want none", said, c)
		}
	}
}
