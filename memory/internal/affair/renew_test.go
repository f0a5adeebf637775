package affair_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
)

// A new value of a thing takes the old one's place, which is kept as a past one; a value of another thing of the same kind does not.
func TestLearnReplaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, lang   string
		said         []string
		holds, lacks string // in the key facts
		past         string
	}{
		{"cs a time", "cs", []string{"Zubař je v úterý v 9:00.", "Volali, zubaře přesunuli na 10:30."}, "10:30", "9:00", "9:00"},
		{"cs a price", "cs", []string{"Oprava střechy bude za 12 000 Kč.", "Tak oprava střechy bude nakonec za 13 500 Kč."}, "13 500", "12 000", "12 000"},
		{"cs not the old", "cs", []string{"Nabídli mi 150 na hodinu.", "Vzali mě, ale za 140 na hodinu, ne 150."}, "140", "150", "150"},
		{"cs two prices", "cs", []string{"Lístek na vlak stojí 200 Kč.", "Večeře pro všechny bude za 1 900 Kč."}, "200 Kč|1 900 Kč", "", ""},
		{"cs two days", "cs", []string{"Let tam je 3. května.", "Svatba je 10. května."}, "3. května|10. května", "", ""},
		{"cs two people", "cs", []string{"Jana má narozeniny 4. března.", "Petr má narozeniny 20. října."}, "4. března|20. října", "", ""},
		{"pl a time", "pl", []string{"Dentysta jest we wtorek o 9:00.", "Dzwonili, dentystę przełożyli na 10:30."}, "10:30", "9:00", "9:00"},
		{"pl a price", "pl", []string{"Naprawa dachu będzie za 2000 zł.", "Jednak naprawa dachu będzie za 2300 zł."}, "2300", "2000", "2000"},
		{"pl two prices", "pl", []string{"Bilet na pociąg kosztuje 60 zł.", "Kolacja dla wszystkich wyjdzie 900 zł."}, "60 zł|900 zł", "", ""},
		{"pl two days", "pl", []string{"Lot mamy 3 maja.", "Ślub jest 10 maja."}, "3 maja|10 maja", "", ""},
		{"pl two people", "pl", []string{"Ania ma urodziny 4 marca.", "Piotr ma urodziny 20 października."}, "4 marca|20 października", "", ""},
		{"ru a time", "ru", []string{"Стоматолог во вторник в 9:00.", "Позвонили, стоматолога перенесли на 10:30."}, "10:30", "9:00", "9:00"},
		{"ru a price", "ru", []string{"Ремонт крыши обойдётся в 20000 рублей.", "Теперь ремонт крыши обойдётся в 23000 рублей."}, "23000", "20000", "20000"},
		{"ru two prices", "ru", []string{"Билет на поезд стоит 600 рублей.", "Ужин на всех выйдет 9000 рублей."}, "600 рублей|9000 рублей", "", ""},
		{"ru two days", "ru", []string{"Вылет 3 мая.", "Свадьба 10 мая."}, "3 мая|10 мая", "", ""},
		{"ru two people", "ru", []string{"У Ани день рождения 4 марта.", "У Петра день рождения 20 октября."}, "4 марта|20 октября", "", ""},
		{"en a time", "en", []string{"The dentist is on Tuesday at 9:00.", "They rang, the dentist moved to 10:30."}, "10:30", "9:00", "9:00"},
		{"en a price", "en", []string{"The roof repair comes to $1,200.", "The roof repair is now $1,350."}, "$1,350", "$1,200", "$1,200"},
		{"en two prices", "en", []string{"The train ticket costs $20.", "Dinner for everybody will be $190."}, "$20|$190", "", ""},
		{"en two days", "en", []string{"The flight is on May 3.", "The wedding is on May 10."}, "May 3|May 10", "", ""},
		{"en two people", "en", []string{"Anna has her birthday on March 4.", "Peter has his birthday on October 20."}, "March 4|October 20", "", ""},
		{"en not the old colour", "en", []string{"We want 6 casements for our place, black outside.", "Deb changed her mind, the outside is bronze not black."}, "6 casements|bronze", "black outside", "black"},
		{"ru not the old one", "ru", []string{"Берём самокат трёхколёсный за 5300.", "Самокат будет двухколёсный, не трёхколёсный."}, "двухколёсный|5300", "самокат трёхколёсный", "трёхколёсный"},
		{"cs instead of the old one", "cs", []string{"Oslava bude v sokolovně, 40 lidí.", "Oslava bude místo v sokolovně v hospodě."}, "hospodě|40 lidí", "sokolovně, 40", "sokolovně"},
		{"pl not the old one", "pl", []string{"Okna mają być białe, 6 sztuk.", "Okna będą brązowe, nie białe."}, "brązowe|6 sztuk", "białe, 6", "białe"},
		{"en the rest of the value stays", "en", []string{"British Gas lad Kieran is booked for Thursday 8:15, boiler in the loft.", "Kieran moved it to Friday 9:30."}, "Friday 9:30|boiler in the loft", "8:15", "8:15"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var a state.Affair
			at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
			for i, m := range talk(tt.said...) {
				for _, f := range affair.Learn(a, m, tt.lang).KeyFacts {
					a.Keep(f.Label, f.Value, at.Add(time.Duration(i)*time.Hour))
				}
			}
			var now, past []string
			for _, f := range a.KeyFacts {
				now = append(now, f.Label+"="+f.Value)
			}
			for _, f := range a.PastFacts {
				past = append(past, f.Value)
			}
			facts := strings.Join(now, ", ")
			for want := range strings.SplitSeq(tt.holds, "|") {
				if !strings.Contains(facts, want) {
					t.Errorf("key facts %s lack %s", facts, want)
				}
			}
			if tt.lacks != "" && strings.Contains(facts, tt.lacks) {
				t.Errorf("key facts %s still hold %s", facts, tt.lacks)
			}
			if was := strings.Join(past, ", "); tt.past == "" && was != "" || !strings.Contains(was, tt.past) {
				t.Errorf("past values %q, want %q (key facts %s)", was, tt.past, facts)
			}
		})
	}
}

// What is moved changes nothing of another matter, and no sentence stands there that nobody has said: what holds no longer is cut out of one.
func TestLearnSaysWhatWasSaid(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, lang string
		said       []string
		holds      string
	}{
		{"cs another matter", "cs", []string{"Logopedie má další lekci 3. prosince v 16.", "Dort přesunuli na 9. prosince."}, "3. prosince|9. prosince"},
		{"cs an order to move it", "cs", []string{"Lhůta na reklamaci uplyne ve středu 9. prosince.", "Přesuň toho zubaře na pondělí 14. prosince v 7:30."}, "9. prosince|14. prosince"},
		{"cs the same matter", "cs", []string{"Mamka přijede vlakem do Brna v 8:40.", "Ten vlak z Brna má zpoždění, stačí v 9:10."}, "9:10"},
		{"pl another matter", "pl", []string{"Logopeda ma następne zajęcia 3 grudnia o 16.", "Tort przesunęli na 9 grudnia."}, "3 grudnia|9 grudnia"},
		{"pl the same matter", "pl", []string{"Mama przyjedzie pociągiem do Łodzi o 8:40.", "Ten pociąg ma opóźnienie, będzie o 9:10."}, "9:10"},
		{"ru another matter", "ru", []string{"У логопеда следующее занятие 3 декабря в 16.", "Торт перенесли на 9 декабря."}, "3 декабря|9 декабря"},
		{"ru the same matter", "ru", []string{"Мама приедет поездом в Тверь в 8:40.", "Этот поезд перенесли на 9:10."}, "9:10"},
		{"en another matter", "en", []string{"The speech therapist has her next lesson on December 3 at 4 pm.", "The cake was moved to December 9."}, "December 3|December 9"},
		{"en the same matter", "en", []string{"British Gas lad Kieran is booked for Thursday 8:15, boiler in the loft.", "Kieran moved it to Friday 9:30."}, "Friday 9:30|boiler in the loft"},
		{"en told twice", "en", []string{"Kieran of British Gas is booked for Thursday 8:15, boiler in the loft.", "Kieran moved it to Friday 9:30.", "Kieran of British Gas is booked for Thursday 8:15, boiler in the loft.", "Kieran moved it to Friday 9:30."}, "Friday 9:30"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			facts := learnt(tt.lang, tt.said...).KeyFacts
			var now []string
			for _, f := range facts {
				now = append(now, f.Label+"="+f.Value)
				for part := range strings.SplitSeq(f.Value, "…") {
					if !strings.Contains(strings.Join(tt.said, "\n"), part) {
						t.Errorf("%q of the fact %q was said by nobody", part, f.Value)
					}
				}
			}
			for want := range strings.SplitSeq(tt.holds, "|") {
				if !strings.Contains(strings.Join(now, ", "), want) {
					t.Errorf("key facts %q lack %s", now, want)
				}
			}
		})
	}
}
