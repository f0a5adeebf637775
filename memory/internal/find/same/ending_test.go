package same

import "testing"

// Two texts are in different languages only if both surely are: names, currencies and words that both have prove nothing.
func TestAbroad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Opravu střechy dělá firma Kovář, nabídka 48 500 Kč", "Naprawę dachu robi firma Kovář, cena to jednak 51 200 Kč", true},
		{"Obhlídka střechy je 10. 12. 2026", "Oględziny dachu są przełożone na 11. 12. 2026", true},
		{"Oprava kotle stojí 1 180 Kč", "Ремонт котла стоит 1 240 Kč", true},
		{"The rent is 1180 EUR", "Nájem není 1180 EUR, ale 1250 EUR", true},

		{"Nájem je 1180 EUR", "Nájem není 1180 EUR, ale 1250 EUR", false},
		{"Kovář 48 500 Kč", "cena 51 200", false}, // may be either
		{"The flight with Řehoř leaves at 6:40", "The flight with Řehoř leaves at 7:25", false},
		{"Kieran helps", "Kieran does not help with lifting on the day", false},
		{"Пол — ламинат", "Пол — паркет", false},
		{"Pan Zenek dostał 500 zł zaliczki", "Pan Zenek nie dostał żadnej zaliczki", false},
		{"", "The rent is 1180 EUR", false},
	} {
		if got, back := Abroad(c.a, c.b), Abroad(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("Abroad(%q, %q) = %t, back %t", c.a, c.b, got, back)
		}
	}
}

// What the new record says nothing of is left, with what it is; nothing is of a thing that is over or another's.
func TestLeft(t *testing.T) {
	t.Parallel()
	const bill = "The boiler bill of 4,200 CZK is due on 15 March"
	for _, c := range []struct{ lang, old, next, want string }{
		{"en", bill, "The boiler bill was postponed to 22 March", "price: 4,200 CZK"},
		{"en", bill, "The boiler bill is 4,500 CZK", "due: 15 March"},
		{"en", "The order 4471 costs $500, deposit $50, and arrives on 5 May", "The order 4471 costs $550", "deposit: $50; delivery: 5 May"},
		{"cs", "Faktura za kotel 4 200 Kč, splatnost 15.3.", "Faktura za kotel má splatnost 22.3.", "cena: 4 200 Kč"},
		{"pl", "Rachunek za piec 420 zł, termin 15.03.2026", "Rachunek za piec ma termin 22.03.2026", "cena: 420 zł"},
		{"ru", "Счёт за котёл 4200 руб., оплатить до 15 марта", "Счёт за котёл оплатить до 22 марта", "цена: 4200 руб."},
		{"de", "Die Rechnung über 420 EUR ist am 15.12. fällig", "Die Rechnung ist am 22.12. fällig", "Preis: 420 EUR"},

		{"en", bill, "The boiler bill of 4200 CZK is due on 22 March", ""},
		{"en", bill, "The boiler bill was cancelled", ""},
		{"en", bill, "There is no boiler bill", ""},
		{"en", "Petr works at Skoda since 3 May 2019", "Petr works at Siemens", ""},
		{"en", "The meeting is on 4 May", "The meeting was moved from 4 May to 6 May", ""},
		{"en", "The meeting is on 4 May", "The meeting is on Friday, 8 May at 10:00", ""},
		{"en", "", "", ""},
	} {
		if got := Left(fact("bill", c.old), fact("bill", c.next), c.lang); got != c.want {
			t.Errorf("%q of %q is left, want %q: behind %q", got, c.old, c.want, c.next)
		}
	}
}
