package memory

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestADayWithPointsIsADay: "15.12." is a day in every sentence that does not say that it is an hour, and a correction puts another such day in its place.
func TestADayWithPointsIsADay(t *testing.T) {
	t.Parallel()
	days := []string{
		"%s.", "Zubař je %s.", "Schůzka je %s. u doktora", "Splatnost faktury je %s.", "Faktura na 1200 Kč je splatná %s.", "do %s. zaplatit", "Termín je %s. v 9:00",
		"Wizyta jest %s.", "Termin płatności %s.", "od %s. mam urlop", "Der Termin ist am %s.", "Die Rechnung über 1200 EUR ist am %s. fällig", "ab %s. um 10.30 Uhr",
	}
	hours := []string{
		"%s Uhr", "Der Zug fährt um %s Uhr ab", "um %s Uhr.", "Vlak jede v %s z Brna", "Sraz je v %s", "v %s h", "Przyjdź o godz. %s", "o godz. %s.", "o %s jest pociąg", "Vlak jede v %s.",
	}
	others := []string{"stojí %s Kč", "cena %s EUR", "%s kg"}
	find := func(sentence, number string) part {
		for _, p := range splitParts(fmt.Sprintf(sentence, number)) {
			if p.written == number {
				return p
			}
		}
		return part{}
	}
	rapid.Check(t, func(t *rapid.T) {
		d, m := rapid.IntRange(1, 31).Draw(t, "day"), rapid.IntRange(10, 12).Draw(t, "month")
		number := fmt.Sprintf("%d.%d", d, m)
		day := rapid.SampledFrom(days).Draw(t, "sentence of a day")
		if p := find(day, number); !p.day || p.is != number || p.looks() != "day" {
			t.Errorf("%s: %+v looks like a %s, want a day", fmt.Sprintf(day, number), p, p.looks())
		}
		next := fmt.Sprintf("%d.%d", d%31+1, m)
		old, anew := fmt.Sprintf(day, number), fmt.Sprintf(day, next)
		if got := corrected(old, replacedIn(splitParts(old), splitParts(anew))); got != anew {
			t.Errorf("%q with the day of %q: %q", old, anew, got)
		}

		hour := fmt.Sprintf("%d.%02d", d%24, m)
		at := rapid.SampledFrom(hours).Draw(t, "sentence of an hour")
		if p := find(at, hour); p.day || p.is != strings.Replace(hour, ".", ":", 1) || p.looks() != "time" {
			t.Errorf("%s: %+v looks like a %s, want a time", fmt.Sprintf(at, hour), p, p.looks())
		}
		other := rapid.SampledFrom(others).Draw(t, "another sentence")
		if p := find(other, number); p.day {
			t.Errorf("%s: %+v is no day", fmt.Sprintf(other, number), p)
		}
	})
}

// TestDaysOfTwoFormsAreNotJoined: a day without the month that stands beside it is none.
func TestDaysOfTwoFormsAreNotJoined(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"Zubař je 15.12.", "Zubař je 16. prosince"}, {"Zubař je 15. prosince", "Zubař je 16.12."}, {"Der Termin ist am 15.12.", "Der Termin ist am 16. Januar"}} {
		over := replacedIn(splitParts(c[0]), splitParts(c[1]))
		if got := corrected(c[0], over); len(over) != 1 || got != "" {
			t.Errorf("%q, now %q: %v replaced, and %q left", c[0], c[1], over, got)
		}
	}
}
