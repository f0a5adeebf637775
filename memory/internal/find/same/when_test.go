package same

import "testing"

func TestWhenOf(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]when{
		"3. května":               {day: 3, month: 5},
		"3.5.2026":                {day: 3, month: 5, year: 2026},
		"3. 5. v 9:00":            {day: 3, month: 5, clock: "9:00"},
		"2026-05-03":              {day: 3, month: 5, year: 2026},
		"May 3rd, 2026":           {day: 3, month: 5, year: 2026},
		"12 Jan at 07:15":         {day: 12, month: 1, clock: "7:15"},
		"w czwartek o 14:00":      {weekday: 4, clock: "14:00"},
		"в среду, 6 марта в 9:30": {weekday: 3, day: 6, month: 3, clock: "9:30"},
		"do 30. dubna":            {day: 30, month: 4},
		"červenec 2026":           {month: 7, year: 2026},
		"99.99.99":                {day: 99, month: 99, year: 2099},
		"":                        {},
	} {
		if got := whenOf(said); got != want {
			t.Errorf("%q: %+v, want %+v", said, got, want)
		}
	}
}

func TestWordsThatAreNoMonths(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"cervena", "cervene", "lednice", "jan", "mar", "marie", "мартин", "ctvrt", "czwarty", "may", "sobotka"} {
		if calendar(word, month)+calendar(word, weekday) != 0 {
			t.Errorf("%q is taken for a part of the calendar", word)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"1 250,50 Kč": "1250.5 czk", "$41.20": "41.2 usd", "15,000 CZK": "15000 czk", "EUR 20": "20 eur", "500 zł": "500 pln", "30 000 руб.": "30000 rub", "€ 1.000,00": "1000 eur",
	} {
		if got := money(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
