package spoken_test

import (
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/state/statetest"
)

func TestSeveral(t *testing.T) {
	t.Parallel()
	type orders = []spoken.Command
	order := func(a spoken.Action, object string) spoken.Command { return spoken.Command{Action: a, Object: object} }
	for message, want := range map[string]orders{
		"Forget where Ana lives and remember that my favourite tea is oolong.": {order(spoken.ClearTopic, "where Ana lives"), order(spoken.Remember, "my favourite tea is oolong")},
		"Zapomeň, kde bydlí Ana, a zapamatuj si, že nejradši piju oolong.":     {order(spoken.ClearTopic, "kde bydlí Ana"), order(spoken.Remember, "nejradši piju oolong")},
		"Zapomnij, gdzie mieszka Ana, i zapamiętaj, że lubię herbatę oolong.":  {order(spoken.ClearTopic, "gdzie mieszka Ana"), order(spoken.Remember, "lubię herbatę oolong")},
		"Забудь, где живёт Аня, и запомни, что я люблю улун.":                  {order(spoken.ClearTopic, "где живёт Аня"), order(spoken.Remember, "я люблю улун")},
		"Zapamatuj si, že parkuju ve 3. patře. Co víš o Aně?":                  {order(spoken.Remember, "parkuju ve 3. patře"), {Action: spoken.AboutTopic, Object: "Aně", IfKnown: true}},
		"Forget my old address, and forget my phone number.":                   {order(spoken.ClearTopic, "my old address"), order(spoken.ClearTopic, "my phone number")},
		"Remember that the dentist is on Monday at 9. What tea do I like?":     {order(spoken.Remember, "the dentist is on Monday at 9")},
	} {
		var got orders
		for _, part := range spoken.Several(message) {
			got = append(got, spoken.Find(part))
		}
		same(t, message, want, got)
	}
	for _, one := range []string{
		"", "Hello.", "Remember that I need to call Ana and forget the meeting.", "Forget my old address and my old phone number.",
		"Whatever else you forget, keep this: I cannot eat gluten.", "You have my address wrong, write it down properly: Lipová 8.",
	} {
		if got := spoken.Several(one); len(got) != 1 || got[0] != one {
			t.Errorf("%q was taken apart: %q", one, got)
		}
	}
}

// TestKeepsPoints: a point of a date, of an abbreviation or inside a word ends no order.
func TestKeepsPoints(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"nezapomeň, že předání střechy je až 22. 1. 2027 a zálohu 12 000 jsem dnes poslal":           "předání střechy je až 22. 1. 2027 a zálohu 12 000 jsem dnes poslal",
		"nie zapomnij, że odbiór dachu jest dopiero 22. 1. 2027, a zaliczkę 12 000 wysłałem dzisiaj": "odbiór dachu jest dopiero 22. 1. 2027, a zaliczkę 12 000 wysłałem dzisiaj",
		"не забудь, что приёмка крыши только 22. 1. 2027, а аванс 12 000 я сегодня отправил":         "приёмка крыши только 22. 1. 2027, а аванс 12 000 я сегодня отправил",
		"don't forget that the roof handover is no. 3 on 22. 1. 2027 and I sent the deposit today":   "the roof handover is no. 3 on 22. 1. 2027 and I sent the deposit today",
		"Prosím, nezapomeň, že předání je až 22. 1. 2027 a zálohu 12 000 jsem dnes poslal":           "předání je až 22. 1. 2027 a zálohu 12 000 jsem dnes poslal",
		"pamatuj si: termín je 3. 5. 2027 ráno. zítra volám":                                         "termín je 3. 5. 2027 ráno",
		"zapamatuj si, že bydlím v ul. Lipová 8":                                                     "bydlím v ul. Lipová 8",
		"Zapamatuj si, že nesnáším zeleninu, např. brokolici.":                                       "nesnáším zeleninu, např. brokolici",
		"zapamatuj si, že kotel stojí 1 180 Kč":                                                      "kotel stojí 1 180 Kč",
		"Zapamatuj si, že mě léčí MUDr. Nováková.":                                                   "mě léčí MUDr. Nováková",
		"zapamiętaj, że oględziny są 11. 12. 2026 o 14:00":                                           "oględziny są 11. 12. 2026 o 14:00",
		"Zapamiętaj, że mieszkam przy ul. Lipowej 8.":                                                "mieszkam przy ul. Lipowej 8",
		"запомни, что осмотр 11. 12. 2026 в 14:00":                                                   "осмотр 11. 12. 2026 в 14:00",
		"Запомни, что я живу на ул. Лесной, д. 5.":                                                   "я живу на ул. Лесной, д. 5",
		"Remember that Dr. Brown treats my knee.":                                                    "Dr. Brown treats my knee",
		"Remember that my locker is no. 12 at the gym.":                                              "my locker is no. 12 at the gym",
		"Merk dir, dass die Abnahme am 22. 1. 2027 ist.":                                             "die Abnahme am 22. 1. 2027 ist",
		"Merk dir, dass Dr. Huber mein Hausarzt ist.":                                                "Dr. Huber mein Hausarzt ist",
		"Zapamatuj si, že předání je 22. 1. 2027. Kolik je hodin?":                                   "předání je 22. 1. 2027",
		"Zapomeň, že předání je 20. 1. 2027, a zapamatuj si, že předání je až 22. 1. 2027.":          "předání je až 22. 1. 2027",
	} {
		parts := spoken.Several(message)
		got := spoken.Find(parts[len(parts)-1])
		same(t, message, spoken.Command{Action: spoken.Remember, Object: want}, got)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"": true, "Forget it.": true, "Forget where I live, please!": true, "Pamatuj si prosím, že bydlím v Praze.": true, "Zapomeň na lepek": true,
		"can you lose the buzzer code, landlord doesn't want it written down anywhere. address stays":        false,
		"телефон инны сотри, она просила, а вот что свой торт туда можно только до 2 кг, это запомни":        false,
		"i jego telefon wykasuj, prosił żeby nigdzie nie zapisywać, za to zanotuj że on pracuje tylko do 15": false,
	} {
		if got := spoken.Plain(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

// Parts are of the message, in its order, and never overlap.
func FuzzSeveral(f *testing.F) {
	f.Add("Forget where Ana lives and remember that I drink tea. What do you know about Ana?")
	f.Fuzz(func(t *testing.T, message string) {
		rest := message
		for _, part := range spoken.Several(message) {
			_, behind, ok := strings.Cut(rest, part)
			if !ok {
				t.Fatalf("%q is no part of %q behind the one before", part, message)
			}
			rest = behind
		}
	})
}

var same = statetest.Same
