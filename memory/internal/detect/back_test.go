package detect_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/detect"
)

func TestRefer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, message, phrase string
		first                 bool
	}{
		{"en", "As I said before, the budget is tight", "As I said before", false},
		{"en", "What did I tell you about the boiler?", "What did I tell", false},
		{"en", "Which hotel did we mention at the beginning of our conversation?", "Which hotel did we mention at the beginning of our conversation", true},
		{"en", "when we discussed the roof you named a price", "when we discussed", false},
		{"en", "How much is the rent?", "", false},
		{"en", "Tell me about the boiler", "", false},
		{"en", "What should I say to the landlord?", "", false},
		{"en", "How do I tell a crow from a raven?", "", false},
		{"cs", "Vrátíme se k tomu rozpočtu?", "Vrátíme se k", false},
		{"cs", "Jak jsem už říkal, kotel je starý", "Jak jsem už říkal", false},
		{"cs", "Kolik jsme se dohodli za střechu?", "Kolik jsme se dohodli", false},
		{"cs", "Co jsem psala na začátku naší konverzace?", "Co jsem psala na začátku naší konverzace", true},
		{"cs", "Kolik stojí nájem?", "", false},
		{"pl", "Jak mówiłem, piec jest stary", "Jak mówiłem", false},
		{"pl", "Wróćmy do budżetu", "Wróćmy do", false},
		{"pl", "Co było na początku naszej rozmowy?", "na początku naszej rozmowy", true},
		{"pl", "Ile kosztuje czynsz?", "", false},
		{"ru", "Как я уже говорил, котёл старый", "Как я уже говорил", false},
		{"ru", "Вернёмся к бюджету", "Вернёмся к", false},
		{"ru", "Сделай как раньше", "как раньше", false},
		{"ru", "Что было в начале нашего разговора?", "в начале нашего разговора", true},
		{"ru", "Сколько стоит аренда?", "", false},
		{"de", "Wie ich schon sagte, der Kessel ist alt", "Wie ich schon sagte", false},
	} {
		r := detect.Refer(c.lang, c.message)
		if r.Phrase != c.phrase || r.First != c.first {
			t.Errorf("%s %q: phrase %q, first %v, want %q, %v", c.lang, c.message, r.Phrase, r.First, c.phrase, c.first)
		}
		if c.phrase == "" && r.Rest != c.message {
			t.Errorf("%q: rest %q", c.message, r.Rest)
		}
	}
	if r := detect.Refer("en", "When does it arrive?"); !r.Anaphor || r.Phrase != "" {
		t.Errorf("%+v", r)
	}
}
