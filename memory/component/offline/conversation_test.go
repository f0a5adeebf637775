package offline_test

import (
	"encoding/json"
	"slices"
	"testing"
)

// said is one message of a conversation: what the context held, and what is expected.
type said struct {
	text     string
	context  string
	stores   []string // parts of memory_store's content; nil = no tool is called
	category string
	holds    []string
	lacks    []string
}

// The conversation that the product is made for: a car part is ordered, a university comes in between, the
// part is asked about aside, and the talk goes on with the university.
func TestFiveTurns(t *testing.T) {
	t.Parallel()
	for lang, turns := range conversations() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			for i, turn := range turns {
				got := talk(t, prompt(turn.context, turn.text), nil)
				if turn.stores == nil {
					if len(got.tools) != 0 {
						t.Errorf("turn %d: called %v, want no tool", i+1, got.tools)
					}
				} else {
					checkStored(t, i+1, got, turn)
				}
				if diff := lacks(got.reply, turn.holds, turn.lacks); diff != nil {
					t.Errorf("turn %d: %q\nreply %q: %v", i+1, turn.text, got.reply, diff)
				}
			}
		})
	}
}

func checkStored(t *testing.T, turn int, got exchange, want said) {
	t.Helper()
	if !slices.Equal(got.tools, []string{"memory_store"}) {
		t.Errorf("turn %d: called %v, want memory_store once", turn, got.tools)
		return
	}
	var args struct {
		Subject, Content, Category string
		Affair                     string `json:"affair_id"`
	}
	if err := json.Unmarshal([]byte(got.args[0]), &args); err != nil {
		t.Fatalf("turn %d: arguments: %v", turn, err)
	}
	if args.Subject == "" || args.Category != want.category || args.Affair != "" {
		t.Errorf("turn %d: arguments %+v, want a subject, category %q and no affair", turn, args, want.category)
	}
	if diff := lacks(args.Content, want.stores, nil); diff != nil {
		t.Errorf("turn %d: content %q: %v", turn, args.Content, diff)
	}
}

func conversations() map[string][]said {
	const number, price, link = "07-14244-53150", "$38.10", "https://www.ebay.com/itm/167956961209"
	both := []string{number, price}
	return map[string][]said{
		"cs": {
			{text: "Nakonec jsem objednal tenhle: " + link, context: active("Díl na auto"), stores: []string{link}, category: "order", holds: []string{"Uloženo:", link}},
			{text: "Posílám potvrzení, objednávka " + number + ", cena " + price, context: active("Díl na auto"), stores: both, category: "order", holds: append([]string{"Uloženo:"}, both...)},
			{text: "Dobře, teď něco jiného. Přišel ti dopis z univerzity Unicorn.", context: active("Univerzita Unicorn") + parked("Díl na auto", number), holds: []string{"Rozumím"}, lacks: both},
			{text: "Hele, kdy dorazí ten díl na auto?", context: active("Univerzita Unicorn", "kontakt: studijni@unicorn.cz") + evidence("Díl na auto", "objednávka: "+number, "cena: "+price), holds: append([]string{"Termín zatím neznám", "záležitosti „Díl na auto“"}, both...), lacks: []string{"Unicorn", "unicorn"}},
			{text: "A co ta škola, co mám udělat dál?", context: active("Univerzita Unicorn") + waiting("poslat přihlášku") + parked("Díl na auto", number), holds: []string{"poslat přihlášku", "Unicorn"}, lacks: both},
		},
		"pl": {
			{text: "W końcu zamówiłem to: " + link, context: active("Część do samochodu"), stores: []string{link}, category: "order", holds: []string{"Zapisano:", link}},
			{text: "Mam potwierdzenie, zamówienie " + number + ", cena " + price, context: active("Część do samochodu"), stores: both, category: "order", holds: append([]string{"Zapisano:"}, both...)},
			{text: "Dobrze, teraz inna sprawa. Przyszedł list z uniwersytetu Unicorn.", context: active("Uniwersytet Unicorn") + parked("Część do samochodu", number), holds: []string{"Rozumiem"}, lacks: both},
			{text: "A kiedy przyjdzie ta część do samochodu?", context: active("Uniwersytet Unicorn") + evidence("Część do samochodu", "zamówienie: "+number, "cena: "+price), holds: append([]string{"Terminu jeszcze nie znam", "sprawie „Część do samochodu”"}, both...), lacks: []string{"Unicorn"}},
			{text: "A co z uczelnią, co mam zrobić dalej?", context: active("Uniwersytet Unicorn") + waiting("wysłać zgłoszenie") + parked("Część do samochodu", number), holds: []string{"wysłać zgłoszenie"}, lacks: both},
		},
		"ru": {
			{text: "В итоге заказал вот это: " + link, context: active("Деталь для машины"), stores: []string{link}, category: "order", holds: []string{"Сохранено:", link}},
			{text: "Пришло подтверждение, номер заказа " + number + ", цена " + price, context: active("Деталь для машины"), stores: both, category: "order", holds: append([]string{"Сохранено:"}, both...)},
			{text: "Хорошо, теперь другое. Пришло письмо из университета Unicorn.", context: active("Университет Unicorn") + parked("Деталь для машины", number), holds: []string{"Понятно"}, lacks: both},
			{text: "Кстати, когда придёт деталь для машины?", context: active("Университет Unicorn") + evidence("Деталь для машины", "номер заказа: "+number, "цена: "+price), holds: append([]string{"Срок пока не известен", "деле «Деталь для машины»"}, both...), lacks: []string{"Unicorn"}},
			{text: "А что с университетом, что мне делать дальше?", context: active("Университет Unicorn") + waiting("отправить заявку") + parked("Деталь для машины", number), holds: []string{"отправить заявку"}, lacks: both},
		},
		"en": {
			{text: "I went ahead and ordered this: " + link, context: active("Car part"), stores: []string{link}, category: "order", holds: []string{"Stored:", link}},
			{text: "Got the confirmation, order number " + number + ", price " + price, context: active("Car part"), stores: both, category: "order", holds: append([]string{"Stored:"}, both...)},
			{text: "Fine, now something else. A letter from Unicorn University came.", context: active("Unicorn University") + parked("Car part", number), holds: []string{"Understood"}, lacks: both},
			{text: "Hey, when does the car part arrive?", context: active("Unicorn University") + evidence("Car part", "order number: "+number, "price: "+price), holds: append([]string{"I don't know the date yet", "“Car part”"}, both...), lacks: []string{"Unicorn"}},
			{text: "And the university, what should I do next?", context: active("Unicorn University") + waiting("send the application") + parked("Car part", number), holds: []string{"send the application"}, lacks: both},
		},
		"de": {
			{text: "Ich habe das hier bestellt: " + link, context: active("Autoteil"), stores: []string{link}, category: "order", holds: []string{"Gespeichert:", link}},
			{text: "Die Bestätigung ist da, Bestellnummer " + number + ", Preis " + price, context: active("Autoteil"), stores: both, category: "order", holds: append([]string{"Gespeichert:"}, both...)},
			{text: "Übrigens, wann kommt das Autoteil?", context: active("Universität Unicorn") + evidence("Autoteil", "Bestellnummer: "+number, "Preis: "+price), holds: append([]string{"Den Termin kenne ich noch nicht", "„Autoteil“"}, both...), lacks: []string{"Unicorn"}},
			{text: "Und die Universität, was muss ich als Nächstes tun?", context: active("Universität Unicorn") + waiting("den Antrag abschicken"), holds: []string{"den Antrag abschicken"}, lacks: both},
		},
	}
}

// active is the section of the active affair.
func active(title string, keyFacts ...string) string {
	out := "## Active affair: " + title + "\nStatus: ACTIVE\n"
	for i, f := range keyFacts {
		if i == 0 {
			out += "Key facts:\n"
		}
		out += "- " + f + "\n"
	}
	return out
}

// waiting goes on with the active affair's section.
func waiting(actions ...string) string {
	out := "Waiting for:\n"
	for _, a := range actions {
		out += "- " + a + "\n"
	}
	return out
}

// parked is the section of one parked affair.
func parked(title, fact string) string {
	return "\n## Parked affairs\n- " + title + " (PARKED) " + fact + "\n"
}

// evidence is the section of an aside about an affair: its key facts, then what was recalled of it.
func evidence(title string, keyFacts ...string) string {
	out := parked(title, "") + "\n## Evidence\n"
	for _, f := range keyFacts {
		out += "- " + f + ` (affair "` + title + `", key fact)` + "\n"
	}
	return out
}
