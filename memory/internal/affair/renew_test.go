package affair_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
)

// What a correction names takes the old value's place, which is kept as a past one; nothing else does, for it may be another thing's.
func TestLearnReplaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, lang string
		said       []string
		now, past  string
	}{
		{"cs a price", "cs", []string{"Oprava střechy bude za 12 000 Kč.", "Tak oprava střechy bude nakonec za 13 500 Kč."}, "cena=13 500 Kč", "12 000 Kč"},
		{"cs two prices", "cs", []string{"Lístek na vlak stojí 200 Kč.", "Večeře pro všechny bude za 1 900 Kč."}, "cena=200 Kč", ""},
		{"cs two people", "cs", []string{"Jana má narozeniny 4. března.", "Petr má narozeniny 20. října."}, "narozeniny=4. března", ""},
		{"cs a number", "cs", []string{"Číslo objednávky je 4471.", "Oprava, číslo objednávky je 4472."}, "číslo objednávky=4472", "4471"},
		{"cs another matter", "cs", []string{"Logopedie má další lekci 3. prosince v 16.", "Dort přesunuli na 9. prosince."}, "datum (logopedie, lekce)=3. prosince v 16, datum (dort)=9. prosince", ""},
		{"cs another matter under a word of its own", "cs", []string{"Prohlídka bytu je 12. prosince.", "Platbu faktury přesunuli na 15. ledna."}, "prohlídka=12. prosince, datum (platba faktury)=15. ledna", ""},
		{"cs the same matter", "cs", []string{"Kontrola plynu je 12. prosince.", "Faktura se platí do 20. ledna.", "Kontrolu přesunuli na 14. prosince."}, "datum (kontrola plynu)=14. prosince, termín (faktura)=do 20. ledna", "12. prosince"},
		{"cs it is not said what", "cs", []string{"Kontrola plynu je 12. prosince.", "Přesunuli to na 14. prosince."}, "datum (kontrola plynu)=14. prosince", "12. prosince"},
		{"cs the day is said", "cs", []string{"Kontrola plynu je 12. prosince.", "Technik to přesunul z 12. prosince na 14. prosince."}, "datum (kontrola plynu)=14. prosince", "12. prosince"},
		{"pl another matter", "pl", []string{"Przegląd kotła jest 12 grudnia.", "Rachunek przełożyli na 20 grudnia."}, "data (przegląd)=12 grudnia, data (rachunek)=20 grudnia", ""},
		{"pl the same matter", "pl", []string{"Przegląd kotła jest 12 grudnia.", "Przegląd przełożyli na 14 grudnia."}, "data (przegląd)=14 grudnia", "12 grudnia"},
		{"ru another matter", "ru", []string{"Проверка газа 12 декабря.", "Счёт перенесли на 20 декабря."}, "дата (проверка газа)=12 декабря, дата (счёт)=20 декабря", ""},
		{"ru the same matter", "ru", []string{"Проверка газа 12 декабря.", "Проверку газа перенесли на 14 декабря."}, "дата (проверка газа)=14 декабря", "12 декабря"},
		{"en another matter", "en", []string{"The boiler inspection is on December 12.", "The payment was moved to January 5."}, "date (boiler inspection)=December 12, date (payment)=January 5", ""},
		{"en the same matter", "en", []string{"The boiler inspection is on December 12.", "The inspection was moved to December 14."}, "date (boiler inspection)=December 14", "December 12"},
		{"en it is not said what", "en", []string{"The boiler inspection is on December 12.", "They moved it to December 14."}, "date (boiler inspection)=December 14", "December 12"},
		{"de another matter", "de", []string{"Die Inspektion der Heizung ist am 12. Dezember.", "Die Zahlung ist am 5. Januar."}, "Datum (Inspektion, Heizung)=12. Dezember, Datum (Zahlung)=5. Januar", ""},
		{"pl a price", "pl", []string{"Naprawa dachu będzie za 2000 zł.", "Jednak naprawa dachu będzie za 2300 zł."}, "cena=2300 zł", "2000 zł"},
		{"pl two prices", "pl", []string{"Bilet na pociąg kosztuje 60 zł.", "Kolacja dla wszystkich wyjdzie 900 zł."}, "cena=60 zł", ""},
		{"ru a price", "ru", []string{"Ремонт крыши обойдётся в 20000 рублей.", "Теперь передумали, ремонт крыши обойдётся в 23000 рублей."}, "цена=23000 рублей", "20000 рублей"},
		{"ru two days", "ru", []string{"Вылет 3 мая.", "Свадьба 10 мая."}, "вылет=3 мая, свадьба=10 мая", ""},
		{"en a price", "en", []string{"The roof repair comes to $1,200.", "The roof repair changed to $1,350."}, "price=$1,350", "$1,200"},
		{"en a price that is denied", "en", []string{"The pads are $42.", "The pads were $47, not $42."}, "price=$47", "$42"},
		{"cs a price that is denied", "cs", []string{"Destičky stojí 420 Kč.", "Ty destičky stály 470 Kč, ne 420."}, "cena=470 Kč", "420 Kč"},
		{"ru a price that is denied", "ru", []string{"Колодки за 4200 рублей.", "Колодки стоили 4700 рублей, а не 4200."}, "цена=4700 рублей", "4200 рублей"},
		{"en another price is denied", "en", []string{"The pads are $42.", "The roof is $1,350, not $1,200."}, "price=$42", ""},
		{"en two days", "en", []string{"The departure is on May 3.", "The wedding is on May 10."}, "departure=May 3, wedding=May 10", ""},
		{"en a day that is named", "en", []string{"Delivery is on May 3.", "They moved it from May 3 to May 5."}, "delivery=May 5", "May 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var a state.Affair
			at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
			for i, m := range talk(tt.said...) {
				m.At = at.Add(time.Duration(i) * time.Hour)
				a = affair.Learn(a, m, tt.lang)
			}
			var now, past []string
			for _, f := range a.KeyFacts {
				now = append(now, f.Label+"="+f.Value)
			}
			for _, f := range a.PastFacts {
				past = append(past, f.Value)
			}
			if got := strings.Join(now, ", "); got != tt.now {
				t.Errorf("key facts %s, want %s", got, tt.now)
			}
			if got := strings.Join(past, ", "); got != tt.past {
				t.Errorf("past values %q, want %q", got, tt.past)
			}
		})
	}
}

// No rule changes or doubles what a person or a model has written.
func TestLearnLeavesWhatOthersWrote(t *testing.T) {
	t.Parallel()
	for _, by := range []state.Author{state.AuthorModel, state.AuthorUser} {
		before := state.Affair{KeyFacts: state.Facts{{Label: "cena", Value: "12 000 Kč", By: by}}}
		for _, said := range []string{"Nakonec je cena 13 500 Kč.", "Zaplatil jsem 12 000 Kč."} {
			if got := affair.Learn(before, talk(said)[0], "cs").KeyFacts; len(got) != 1 || got[0] != before.KeyFacts[0] {
				t.Errorf("by %s, %q makes %v", by, said, got)
			}
		}
	}
}
