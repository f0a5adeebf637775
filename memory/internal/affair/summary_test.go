package affair_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/internal/affair"
)

// words counts tokens as words do, which is enough to test a budget.
func words(s string) int { return len(strings.Fields(s)) }

// pieces counts tokens of four characters, white space included.
func pieces(s string) int { return (utf8.RuneCountInString(s) + 3) / 4 }

func TestSummarise(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, lang string
		said       []string
		holds      []string // in the summary
		lacks      []string
		facts      string
		pending    string
	}{
		{
			"cs", "cs",
			[]string{
				"Vybral jsem díl na jeep: https://www.ebay.com/itm/256781234509", "assistant Dobře, poznamenal jsem si to.",
				"Objednávka č. 11-20344-77150, cena $41.20.", "Ok", "Musím zkontrolovat doručení 20. 2.", "tool {\"tajné\":\"nic\"}",
			},
			[]string{"díl na jeep", "11-20344-77150", "zkontrolovat doručení"}, []string{"Ok", "tajné"},
			"odkaz=https://www.ebay.com/itm/256781234509 položka=256781234509 objednávka=11-20344-77150 cena=$41.20 doručení=20. 2.", "zkontrolovat doručení 20. 2.",
		},
		{
			"pl", "pl",
			[]string{"Szukam mieszkania w Krakowie, budżet 3 000 zł.", "Tak", "Zdecydowaliśmy się na Kazimierz.", "Muszę zadzwonić do pani Kowalskiej."},
			[]string{"Krakowie", "Kazimierz", "Kowalskiej"}, []string{"Tak\n"},
			"budżet=3 000 zł", "zadzwonić do pani Kowalskiej",
		},
		{
			"ru", "ru",
			[]string{"Заказ № 4471 стоит 4 500 руб.", "assistant Записал.", "Решили взять синий.", "Нужно оплатить до пятницы."},
			[]string{"4471", "синий", "оплатить"}, nil,
			"заказ=4471 цена=4 500 руб.", "оплатить до пятницы",
		},
		{
			"en", "en",
			[]string{"My dentist is Dr. Brown, phone +1 555 123 4567.", "thanks", "We decided to have the tooth pulled.", "Remind me to call on March 5."},
			[]string{"Dr. Brown", "tooth pulled"}, []string{"thanks"},
			"dentist=Dr. Brown phone=+1 555 123 4567 date=March 5", "call on March 5",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := learnt(tt.lang, tt.said...)
			got.Summary = affair.Summarise("", talk(tt.said...), 100, words)
			for _, s := range tt.holds {
				if !strings.Contains(got.Summary, s) {
					t.Errorf("summary lacks %q:\n%s", s, got.Summary)
				}
			}
			for _, s := range tt.lacks {
				if strings.Contains(got.Summary, s) {
					t.Errorf("summary holds %q:\n%s", s, got.Summary)
				}
			}
			var facts []string
			for _, f := range got.KeyFacts {
				facts = append(facts, f.Label+"="+f.Value)
			}
			if g := strings.Join(facts, " "); g != tt.facts {
				t.Errorf("key facts %s, want %s", g, tt.facts)
			}
			if g := strings.Join(got.PendingActions, "; "); g != tt.pending {
				t.Errorf("pending %q, want %q", g, tt.pending)
			}
			if again := affair.Summarise(got.Summary, talk(tt.said...), 100, words); again != got.Summary {
				t.Errorf("summed up again it says\n%s, before\n%s", again, got.Summary)
			}
		})
	}
}

func TestSummariseSlides(t *testing.T) {
	t.Parallel()
	summary := ""
	for i := range 60 {
		summary = affair.Summarise(summary, talk(
			fmt.Sprintf("Den %d: faktura č. %d přišla od dodavatele číslo %d.", i, 7000+i, i),
			"assistant Dobře.", "Jak se máš?",
		), 80, words)
		if n := words(summary); n > 80 {
			t.Fatalf("after %d rounds %d tokens", i+1, n)
		}
	}
	if !strings.Contains(summary, "7059") {
		t.Errorf("the last invoice is missing:\n%s", summary)
	}
	if strings.Contains(summary, "Jak se máš") || strings.Contains(summary, "Dobře") {
		t.Errorf("small talk is in:\n%s", summary)
	}
}

func TestSummariseKeepsOrder(t *testing.T) {
	t.Parallel()
	got := affair.Summarise("Koupili jsme dům v Plzni.", talk("Střecha stojí 120 000 Kč.", "Kotel je od firmy Junkers."), 50, words)
	want := "Koupili jsme dům v Plzni.\nStřecha stojí 120 000 Kč.\nKotel je od firmy Junkers."
	if got != want {
		t.Errorf("summary\n%s, want\n%s", got, want)
	}
	if again := affair.Summarise(got, nil, 50, words); again != want {
		t.Errorf("summarised again\n%s", again)
	}
}

func TestSummariseIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.SliceOfN(rapid.String(), 0, 12).Draw(t, "said")
		most := rapid.IntRange(0, 40).Draw(t, "most")
		prev := rapid.String().Draw(t, "prev")
		for name, count := range map[string]func(string) int{"words": words, "pieces": pieces} {
			if n := count(affair.Summarise(prev, talk(said...), most, count)); n > most {
				t.Fatalf("%d %s, at most %d are allowed", n, name, most)
			}
		}
	})
}

func TestSummariseNothing(t *testing.T) {
	t.Parallel()
	for _, said := range [][]string{nil, {""}, {"ok", "ano", "assistant dobře"}, {"tool výsledek 4471"}} {
		if got := affair.Summarise("", talk(said...), 100, words); got != "" {
			t.Errorf("Summarise(%q) = %q", said, got)
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	const text = "The flight is on May 3. The hotel costs $200, breakfast included. Eva eats no gluten."
	for most, want := range map[int]string{
		100: text, 15: "The flight is on May 3. The hotel costs $200, breakfast included.", 8: "The flight is on May 3.", 3: "",
	} {
		if got := affair.Shorten(text, most, words); got != want {
			t.Errorf("of %d words: %q", most, got)
		}
	}
}
