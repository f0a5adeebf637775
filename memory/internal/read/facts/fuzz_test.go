package facts_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
)

// seeds are messages that mix everything the readers know.
func seeds(f *testing.F) {
	f.Helper()
	for _, s := range []string{
		"", " ", ".", "$", "+", "(", "#5", "https://", "www.", "a@b.cz", "http://[::1]:80/itm/123456789",
		"Objednávka č. 4471 dorazí 20. 2. 2026 ve 14:30, cena 1 250,50 Kč, tel. +420 777 123 456.",
		"заказ № 4471 стоит 4 500 руб., ул. Ленина, д. 12, Москва", "Zamówienie nr 1/2/3 do 15.03.2026 o godz. 9",
		"My dentist is Dr. K. Smith's; my plate: 3AB 1234 – IBAN CZ65 0800 0000 1920 0014 5399",
		"Heslo k wifi je: „kráva“", "do do do by by until the end of the", "20. 20. 20. 20.", "1 234 567 890 123 Kč", "\xff\xfe20. 2.\n\n\n- ",
		"Nezapomeň, že mám, že mám, že", "x: y: z:", "TODO:", "20.2.2026.2.2026", "1.2.3.4 €", "EUR", "č. č. č. 5", "5 k €",
	} {
		for _, lang := range []string{"cs", "en", ""} {
			f.Add(s, lang)
		}
	}
}

func FuzzExtract(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message, lang string) {
		found := facts.Extract(message, lang)
		end := 0
		for _, x := range found {
			if x.Start < 0 || x.End > len(message) || x.Start >= x.End {
				t.Fatalf("%+v lies outside of %d bytes", x, len(message))
			}
			if x.Label == "" || x.Value == "" || x.Kind == "" {
				t.Fatalf("%+v lacks something", x)
			}
			if got := strings.Join(strings.Fields(message[x.Start:x.End]), " "); got != x.Value {
				t.Fatalf("%+v quotes %q", x, got)
			}
			if x.Kind != facts.Item && x.Start < end {
				t.Fatalf("%+v overlaps the fact before it in %+v", x, found)
			}
			end = max(end, x.End)
		}
		if !facts.Category(found, message, lang).Valid() {
			t.Fatal("a category that memory_store does not take")
		}
	})
}

func FuzzTitle(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message, lang string) {
		title := facts.Title(message, lang)
		if title == "" || utf8.RuneCountInString(title) > 60 {
			t.Fatalf("title %q", title)
		}
		for _, x := range facts.Extract(message, lang) {
			long := len(x.Value) >= 4 && strings.ContainsAny(x.Value, "0123456789")
			if long && (x.Kind == facts.Reference || x.Kind == facts.Price) && strings.Contains(title, x.Value) && strings.Count(message, x.Value) == 1 {
				t.Fatalf("title %q holds the %s %q", title, x.Kind, x.Value)
			}
		}
		for _, topic := range facts.Topics(message, "") {
			if topic == "" {
				t.Fatal("an empty topic")
			}
		}
	})
}

func FuzzPending(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message, lang string) {
		got := facts.Read(message, lang).Pending()
		if len(got) > 8 {
			t.Fatalf("%d actions", len(got))
		}
		for _, action := range got {
			if action == "" || utf8.RuneCountInString(action) > 80 || strings.ContainsRune(action, '\n') {
				t.Fatalf("action %q", action)
			}
		}
		facts.Asks(message, lang)
		for _, s := range facts.Sentences(message) {
			if !strings.Contains(message, s) || strings.TrimSpace(s) == "" {
				t.Fatalf("sentence %q is not a piece of the message", s)
			}
		}
	})
}

// TestLongMessages would run for minutes if reading a message took more than linear time.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	const size = 64 << 10
	for _, unit := range []string{
		"a", "1", "1 ", "20. ", "do ", "č. ", "a.", "(", "+", "$", "http://a/(", "a@", "x: ", "my ", "je ", "pan ", "Pan ", "ul. A ", "1-", "MUSÍM ", "nebo musím ", "IBAN CZ65 ", "3AB ", "ě", "\xff", "\n",
	} {
		message := strings.Repeat(unit, size/len(unit))
		began := time.Now()
		facts.Extract(message, "cs")
		facts.Read(message, "cs").Pending()
		facts.Title(message, "cs")
		facts.Topics(message, "")
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%d bytes of %q took %v", size, unit, took)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want string
	}{
		{"Dorazí 20. 2. Pak zavolám.", "Dorazí 20. 2.|Pak zavolám."},
		{"Objednávka č. 5 přišla! Opravdu? Ano", "Objednávka č. 5 přišla!|Opravdu?|Ano"},
		{"Volal Dr. Novák. Bydlí na ul. Dlouhá 5.", "Volal Dr. Novák.|Bydlí na ul. Dlouhá 5."},
		{"5. března přijedu.\n- koupit mléko\n- zavolat", "5. března přijedu.|- koupit mléko|- zavolat"},
		{"It costs 12 tys. zł. Yes.", "It costs 12 tys. zł.|Yes."},
		{"Co?! No... nic", "Co?!|No...|nic"},
		{"Sejdeme se u paní Mgr. Novákové, např. v Brně. Pak uvidíme; snad.", "Sejdeme se u paní Mgr. Novákové, např. v Brně.|Pak uvidíme;|snad."},
		{"Mr. Hill called. No. I won't go.", "Mr. Hill called.|No.|I won't go."},
		{"Родился в 1980 г. Потом уехал в г. Тула.", "Родился в 1980 г.|Потом уехал в г. Тула."},
		{"", ""},
	} {
		if got := strings.Join(facts.Sentences(tt.text), "|"); got != tt.want {
			t.Errorf("Sentences(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func BenchmarkExtract(b *testing.B) {
	const message = "Tady je potvrzení: objednávka č. 4471, cena 1 250 Kč, doručení 20. 2. 2026 mezi 14:00 a 16:00. Musím zavolat panu Novákovi na 777 123 456."
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		facts.Extract(message, "cs")
	}
}

func FuzzExact(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message, lang string) {
		for _, x := range facts.Read(message, lang).Exact() {
			if x.Start < 0 || x.End > len(message) || x.Start >= x.End || x.Label == "" || x.Value == "" {
				t.Fatalf("%+v of %d bytes", x, len(message))
			}
			if got := strings.Join(strings.Fields(message[x.Start:x.End]), " "); got != x.Value {
				t.Fatalf("%+v quotes %q", x, got)
			}
		}
		end := 0
		for _, m := range facts.Read(message, lang).Marks() {
			if m.Start < end || m.End > len(message) || m.Start >= m.End || m.Size < 0 {
				t.Fatalf("%+v after %d of %d bytes", m, end, len(message))
			}
			end = m.End
		}
	})
}
