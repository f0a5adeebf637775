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
