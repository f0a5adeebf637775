package same

import "testing"

// A correction in another language than the record is known by what both write alike; what only shares a name, a day or a price corrects nothing.
func TestCorrects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		record, next string
		want         bool
	}{
		{"Let do Lisabonu s TAP odlétá 12. května v 6:40", "The TAP flight on May 12 leaves at 7:25", true},
		{"Let do Lisabonu odlétá v 6:40", "The flight leaves at 7:25, not 6:40", true},
		{"Petr má termín u zubaře 12. května v 9:00", "Petr's dentist is on May 14 at 9:00", true},
		{"Nájem bytu je 1 180 EUR", "The rent is not 1180 EUR but 1250 EUR", true},
		{"Wizyta u dentysty Kowalskiego 14 maja o 10:20", "The dentist Kowalski expects me on May 14 at 11:00", true},
		{"Рейс SU-1217 прилетает в 18:45", "Flight SU-1217 arrives at 21:10", true},
		{"Objednávka 4471220981 přijde 26. 11. 2026", "Order 4471220981 comes on 2026-11-30", true},
		{"The rent is 1180 EUR", "Nájem není 1180 EUR, ale 1250 EUR", true},
		{"Flight SU-1217 arrives at 18:45", "Рейс SU-1217 прилетает в 21:10", true},

		{"Petr má zubaře 12. května v 9:00", "Petr's car service is on May 12 at 11:00", false},
		{"Petr má narozeniny 12. května", "Petr's dentist is on May 14", false},
		{"Hotel v Lisabonu stojí 90 EUR", "The flight costs 120 EUR", false},
		{"Oslava je 12. května", "The hotel is booked for May 12 for 90 EUR", false},
		{"Objednávka 4471 stála 1 200 Kč", "Order 4472 costs 1300 CZK", false},
		{"Objednávka 4471220981 stála 1 200 Kč", "Order 4471220981 comes on 2026-11-30", false},
		{"Petr má zubaře 12. května v 9:00", "Petr's dentist is on May 12 at 9:00", false}, // says the same
		{"Wizyta u dentysty 14 maja o 10:20", "Jana's exam is on May 20", false},
		{"Рейс SU-1217 прилетает в 18:45", "Flight SU-1320 arrives at 21:10", false},
	} {
		if got := Corrects(c.record, c.next); got != c.want {
			t.Errorf("Corrects(%q, %q) = %t", c.record, c.next, got)
		}
	}
}

// A value is denied, or left for another one where a text says that something has moved; a range leaves nothing.
func TestDenies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		record, next string
		want         bool
	}{
		{"Obhlídka střechy je 10. 12. 2026", "Oględziny są przełożone z 10. 12. na 11. 12. 2026", true},
		{"Obhlídka střechy je 10.12.2026", "The inspection was moved from 10 December to 11 December", true},
		{"Обед в 12:00", "Oběd se přesunul z 12:00 na 13:00", true},
		{"Nabídka je 48 500 Kč", "Cena to jednak 51 200 Kč zamiast 48 500 Kč", true},
		{"Faktura je splatná do 15.12.2026", "Оплата до 18. 12. 2026, не до 15. 12. 2026", true},

		{"Záloha je splatná 11. 12. 2026", "Oględziny są przełożone z 10. 12. na 11. 12. 2026", false},
		{"Obhlídka střechy je 10. 12. 2026", "The hotel is booked from 10 December to 11 December", false}, // a range
		{"Обед в 12:00", "Lunch is now from 12:00 to 13:30", false},
		{"Обед в 12:00", "Oběd se přesunul na 12:00", false},
		{"Nabídka je 51 200 Kč", "Cena to jednak 51 200 Kč zamiast 48 500 Kč", false},
	} {
		if got := Denies(c.record, c.next); got != c.want {
			t.Errorf("Denies(%q, %q) = %t", c.record, c.next, got)
		}
	}
}
