package detect

import (
	"fmt"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// turn is a user message, what it must be decided as, and the reply given.
type turn struct {
	text, reply string
	kind        state.Kind
	affair      string // label of the affair named; the first NEW_AFFAIR gives a label its meaning
}

// play runs a conversation with the decisions expected and reports those that differ.
func play(t *testing.T, turns []turn, titles map[string]string) {
	t.Helper()
	d, h := New(Config{}), NewHistory()
	current := ""
	for i, x := range turns {
		got := d.Classify(h, x.text).Decision
		want := x.affair
		if x.kind == state.NewAffair {
			want = ""
		}
		if got.Kind != x.kind || got.AffairID != want {
			r := d.Classify(h, x.text)
			t.Errorf("turn %d %q: got %s %q, want %s %q (probabilities %v, %s)", i+1, x.text, got.Kind, got.AffairID, x.kind, want, r.Probabilities, got.Reasoning)
		}
		h.Add(Message{Role: state.RoleUser, Text: x.text, Affair: x.affair})
		h.Add(Message{Role: state.RoleAssistant, Text: x.reply, Affair: x.affair})
		if x.kind == state.NewAffair && titles[x.affair] != "" {
			h.Describe(state.Affair{ID: x.affair, Title: titles[x.affair], Status: state.Active})
		}
		if x.kind != state.AdHoc {
			current = x.affair
		}
		h.SetCurrent(current)
	}
}

func TestDemoConversation(t *testing.T) {
	t.Parallel()
	for lang, texts := range demo() {
		for _, titled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s titled %v", lang, titled), func(t *testing.T) {
				t.Parallel()
				kinds := []state.Kind{state.NewAffair, state.Continue, state.NewAffair, state.AdHoc, state.Continue}
				affairs := []string{"order", "order", "school", "order", "school"}
				var turns []turn
				for i, s := range texts[:5] {
					turns = append(turns, turn{text: s, reply: texts[5+i], kind: kinds[i], affair: affairs[i]})
				}
				titles := map[string]string{}
				if titled {
					titles = map[string]string{"order": texts[10], "school": texts[11]}
				}
				play(t, turns, titles)
			})
		}
	}
}

// demo holds the story of a part ordered for a car, a school, a question aside and the way back: five
// messages, five replies, two titles.
func demo() map[string][]string {
	return map[string][]string{
		"cs": {
			"Tak jsem si něco vybral a rovnou objednal: https://www.ebay.com/itm/167956961209", "Posílám objednávku, je to číslo 07-14244-53150 za $38.10",
			"Výborně, teď moje věc. Přišel ti email z univerzity Unicorn?", "Hele, a kdy to má vlastně přijít, ten díl do auta?", "Dobře, a co s tou školou, co mám udělat teď?",
			"Objednávku jsem si poznamenal.", "Číslo i cenu mám uložené.", "Ano, je tam e-mail o přihlášce ke studiu.", "Objednávka má přijít do 20. února.", "Potvrďte přihlášku a zaplaťte poplatek.",
			"Objednávka z eBay", "Přihlášení na Unicorn University",
		},
		"pl": {
			"Wybrałem i zamówiłem to: https://www.ebay.com/itm/167956961209", "Tu jest zamówienie, numer 07-14244-53150, $38.10",
			"Super, teraz moja sprawa. Masz mail z uczelni Unicorn.", "Słuchaj, a kiedy to ma dojść, ta część do samochodu?", "Ok, a co z tą uczelnią, co muszę zrobić dalej?",
			"Zapisałem zamówienie.", "Numer i cena zapisane.", "Tak, jest mail w sprawie rekrutacji na studia.", "Zamówienie ma dojść do 20 lutego.", "Trzeba potwierdzić rekrutację i zapłacić opłatę.",
			"Zamówienie z eBay", "Zapisy na Unicorn University",
		},
		"ru": {
			"Выбрал и заказал вот это: https://www.ebay.com/itm/167956961209", "Вот заказ, номер 07-14244-53150, $38.10",
			"Супер, теперь моё дело. У тебя письмо из университета Unicorn.", "Слушай, а когда она должна прийти, эта деталь для машины?", "Ок, а что с этим университетом, что мне делать дальше?",
			"Заказ записал.", "Номер и цену сохранил.", "Да, есть письмо о поступлении.", "Заказ должен прийти до 20 февраля.", "Подтвердите заявку и оплатите взнос.",
			"Заказ с eBay", "Поступление в Unicorn University",
		},
		"en": {
			"I picked one and ordered it: https://www.ebay.com/itm/167956961209", "Here is the order, number 07-14244-53150, $38.10",
			"Great, now my own business. You have an email from Unicorn university.", "Hey, when will it arrive, that car part?", "OK, and what about that school, what do I have to do next?",
			"I noted the order.", "Number and price are saved.", "Yes, there is an email about your enrolment.", "The order should arrive by 20 February.", "Confirm the enrolment and pay the fee.",
			"eBay order", "Unicorn University enrolment",
		},
	}
}
