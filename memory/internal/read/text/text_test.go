package text

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestStemFamilies(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/families.txt")
	must(t, err)
	pairs := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] == "#" {
			continue
		}
		for _, form := range fields[2:] {
			pairs[fields[0]]++
			if got, want := Stem(form), Stem(fields[1]); got != want {
				t.Errorf("%s: Stem(%s) = %q, want that of %s: %q", fields[0], form, got, fields[1], want)
			}
		}
	}
	for lang, least := range map[string]int{"cs": 60, "pl": 60, "ru": 60, "en": 35} {
		if pairs[lang] < least {
			t.Errorf("%s: %d pairs of forms, want at least %d", lang, pairs[lang], least)
		}
	}
}

func TestStemKeepsApart(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"car", "care"}, {"data", "date"}, {"škola", "skála"}, {"banka", "balík"}, {"zamówienie", "zamek"},
		{"заказ", "закат"}, {"order", "border"}, {"pes", "peníze"}, {"dom", "dym"}, {"tax", "taxi"},
	} {
		if a, b := Stem(pair[0]), Stem(pair[1]); a == b {
			t.Errorf("Stem(%s) = Stem(%s) = %q, want different stems", pair[0], pair[1], a)
		}
	}
}

func TestTokensWhole(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ text, want string }{
		{"order 07-14244-53150, $38.10!", "order|07-14244-53150|38.10"},
		{"see https://www.ebay.com/itm/167956961209.", "see|https://www.ebay.com/itm/167956961209"},
		{"(www.example.org/a?b=c)", "www.example.org/a?b=c"},
		{"mail jan.novak@example.cz, please", "mail|jan.novak@example.cz|please"},
		{"on 20.2. at 17:30", "on|20.2|at|17:30"},
		{"stojí 12 500 Kč", "stoji|12500|kc"},
		{"costs 1,300.50 now", "costs|1,300.50|now"},
		{"ref AB-1234-X and e-mail", "ref|ab-1234-x|and|e|mail"},
		{"I don't know Anna's car", "i|dont|know|annas|car"},
		{"2-year plan", "2|year|plan"},
		{"Žluťoučký kůň, łódź, ёлка, Straße", "zlutoucky|kun|lodz|елка|strasse"},
		{"", ""},
		{"?! …", ""},
	} {
		if diff := cmp.Diff(x.want, strings.Join(Words(x.text), "|")); diff != "" {
			t.Errorf("Words(%q) (-want +got):\n%s", x.text, diff)
		}
	}
}

func TestTermsMatchAcrossSpellings(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"38,10", "38.10"}, {"OBJEDNÁVKA", "objednavka"}, {"ﬁnance", "finance"}, {"Cafe\u0301", "café"}, {"12\u00a0500", "12 500"},
	} {
		if diff := cmp.Diff(Terms(pair[0]), Terms(pair[1])); diff != "" {
			t.Errorf("Terms(%q) differ from those of %q:\n%s", pair[0], pair[1], diff)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	got := Sentences("It costs 38.10. Really?\nYes! See a@b.cz")
	if diff := cmp.Diff([]string{"It costs 38.10.", "Really?", "Yes!", "See a@b.cz"}, got); diff != "" {
		t.Error(diff)
	}
}

// Sentences end at their points, and not at those of abbreviations, initials, ordinals and dates.
func TestSentencesWithPointsInside(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{
		// Czech
		{"Volal Mgr. Dvořák, např. kvůli ul. Dlouhá 5.", "Je to, tj. smlouva, hotové."}, {"Přijedu 9. 1. ráno.", "Pak zavolám."}, {"Beru č. 5, chleba apod.", "Zbytek ne."},
		{"Sejdeme se v 18 hod. u kina.", "Přijď."}, {"Bydlí na nám. Míru s p. Novákem.", "Ano."}, {"Platí to do 5. března.", "Opravdu?"}, {"Je to na 3. patře.", "Dr. J. Novák tam není."},
		{"Bydlí v ul. Lipová č. p. 348.", "Dům je žlutý."}, {"Číslo účtu je č. ú. 123.", "Kód č. o. 12 neplatí."}, {"Ing. arch. Novák přijde.", "Těším se."}, {"Beru č. 5 a č. 6.", "V pondělí."}, {"Jedeme 20.-22. února.", "Sami."},
		// Polish
		{"Mieszka przy ul. Długiej, tzn. w centrum, np. obok al. Róż.", "Tak."}, {"Wizyta 9. 1. o 10.", "Potem zadzwonię."}, {"Kosztuje 12 tys. zł.", "Drogo."}, {"Był inż. Kowalski itd.", "Koniec."},
		// Russian
		{"Живёт в г. Москве на ул. Ленина, д. 5, кв. 3.", "Позвоню."}, {"Родился в 1980 г. в Туле.", "Потом уехал."}, {"Это было в 2020 г.", "Потом он уехал."},
		{"Купил хлеб и т.д.", "Всё."}, {"Стоит 5 тыс. руб. за штуку.", "Дорого."}, {"Едем, т.е. летим, 8. 5. 2026.", "Да."},
		// English
		{"Mr. Hill saw Dr. Brown at St. Mary's, e.g. in May.", "They spoke."}, {"J. R. Smith lives in the U.S. now.", "Good."}, {"See no. 5, p. 12.", "No.", "I won't."}, {"Milk, eggs, etc.", "That is all."},
		{"We meet at 5 p.m. on Monday.", "Bring it."}, {"it is done.", "thanks."},
		// German
		{"Lieferung am 20. März.", "Gut."}, {"Das Geld muss bis 10.12. überwiesen sein, am 3.12. um 8 Uhr.", "Gut."}, {"stk mam 17.4.", "a pojistka konci 30.4."}, {"Am 12. Dezember, d.h. bald, kommt Dipl.-Ing. Huber, z.B. mit Hr. Maier.", "Gut."}, {"Brot, Milch usw.", "Das ist alles."}, {"Hauptstr. 5, Nr. 3.", "Ja."},
	} {
		if diff := cmp.Diff(want, Sentences(strings.Join(want, " "))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestLanguageOfShortMessages(t *testing.T) {
	t.Parallel()
	for lang, messages := range map[string][]string{
		"cs": {"Kdy to přijde?", "ano, jasně", "Jak se to má?", "co s tou školou", "kde je moje objednavka", "už to mám", "Děkuju!", "tak to zruš", "a kolik to stojí", "ještě něco", "Můžeš mi pomoct?", "kdy to ma dorazit", "jsem tady", "napiš jim"},
		"pl": {"Kiedy to przyjdzie?", "tak, oczywiście", "Co z tą szkołą?", "gdzie jest moja paczka", "już to mam", "Dziękuję!", "ile to kosztuje", "jeszcze coś", "Możesz mi pomóc?", "nie wiem", "jestem w domu", "czy to jest drogie", "proszę sprawdzić", "kiedy ma dojsc"},
		"ru": {"Когда придёт?", "да", "Что со школой?", "где мой заказ", "Спасибо!", "сколько это стоит", "ладно"},
		"en": {"When will it arrive?", "yes, of course", "What about the school?", "where is my order", "Thank you!", "how much is it", "can you help me", "I don't know", "the second one", "that's fine"},
		"de": {"Wann kommt das an?", "ja, natürlich", "Was ist mit der Schule?", "wo ist mein Paket", "ich weiß nicht", "können Sie mir helfen", "das ist gut"},
	} {
		for _, m := range messages {
			if got := Language(m, ""); got != lang {
				t.Errorf("Language(%q) = %q, want %q", m, got, lang)
			}
		}
	}
	for _, m := range []string{"slow one", "one two", "the one", "One more?", "No, the big one.", "add one", "a red one and two blue", "second one castle vans sun 13 dec, 10am, luton w tail lift, £118"} { // "one" is Polish for they
		if got := Language(m, "en"); got != "en" {
			t.Errorf("Language(%q) in English talk = %q", m, got)
		}
	}
	for _, m := range []string{"Was steht heute an?", "Was liegt heute an?", "Was steht morgen an?", "Danke!", "Bitte an Anna denken", "Gestern war Anna da"} { // "was" and "an" are English too
		if got := Language(m, "en"); got != "de" {
			t.Errorf("Language(%q) in English talk = %q", m, got)
		}
	}
	for _, m := range []string{"Was it an order?", "Also call Ben", "I was in Hamburg", "Was Anna there?"} {
		if got := Language(m, "en"); got != "en" {
			t.Errorf("Language(%q) in English talk = %q", m, got)
		}
	}
	if got := Language("one przyjdą jutro", "en"); got != "pl" {
		t.Errorf("Polish that begins with one is taken for %q", got)
	}
	for _, m := range []string{"", "OK", "12345", "🙂", "Honda"} {
		if got := Language(m, "pl"); got != "pl" {
			t.Errorf("Language(%q) = %q, want the fallback", m, got)
		}
	}
}

// TestLanguageOfWordsWithO: Czech has ó in words from abroad, so that they alone tell neither Czech nor Polish; Polish has it in its own.
func TestLanguageOfWordsWithO(t *testing.T) {
	t.Parallel()
	for _, m := range []string{"jaky byl ten kód od branky?", "jaký byl ten kód od branky?", "jaky byl ten kod od branky?", "ta móda se mi líbí", "kolik stoji ten citrón a kde ho mají"} {
		if got := Language(m, "en"); got != "cs" {
			t.Errorf("Language(%q) = %q, want cs", m, got)
		}
	}
	for _, m := range []string{"kód od branky je 447193", "kod od branky je 447193", "PIN kód karty", "gól", "citrón", "móda", "tón", "próza"} {
		for _, talk := range []string{"cs", "pl"} {
			if got := Language(m, talk); got != talk {
				t.Errorf("Language(%q) in talk of %s = %q", m, talk, got)
			}
		}
	}
	for _, m := range []string{"samochód", "Kraków", "lodówka", "popraw literówki", "daj spokój", "w ogóle", "skóra", "próżny", "Mów mi Janek."} {
		if got := Language(m, "cs"); got != "pl" {
			t.Errorf("Language(%q) = %q, want pl", m, got)
		}
	}
}

func TestConceptsLinkWordsOfOneMatter(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ a, b, shared string }{
		{"Kdy dorazí ten díl?", "Objednal jsem to na eBay, tady je objednávka", "@trade"},
		{"when will it be delivered", "objednávka z e-shopu", "@trade"},
		{"доктор выписал таблетки", "the prescription from my physician", "@health"},
		{"hydraulik naprawia kran", "teče nám kohoutek v koupelně", "water"},
		{"letenky do Lisabonu", "our flight was cancelled", "flight"},
		{"rekrutacja na studia", "przyjęcie na uczelnię", "university"},
		{"Ein Termin beim Zahnarzt", "bolí mě zub", "dentist"},
		{"собеседование в компании", "pohovor na novou pozici", "@career"},
	} {
		a, b := Concepts(Terms(x.a)), Concepts(Terms(x.b))
		if !contains(a, x.shared) || !contains(b, x.shared) {
			t.Errorf("%q gives %v, %q gives %v; want both with %s", x.a, a, x.b, b, x.shared)
		}
	}
	if got := Concepts(Terms("hmm, možná, uvidíme")); len(got) > 0 {
		t.Errorf("chatter has concepts %v, want none", got)
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func TestListsAreWellFormed(t *testing.T) {
	t.Parallel()
	ids := map[string]map[string]bool{}
	for _, lang := range loaded().langs {
		ids[lang] = map[string]bool{}
		for _, line := range loaded().lines("concepts_" + lang + ".txt") {
			fields := strings.Fields(line)
			if ids[lang][fields[0]] {
				t.Errorf("%s: concept %s stands twice", lang, fields[0])
			}
			ids[lang][fields[0]] = true
		}
		if len(loaded().lines("stop_"+lang+".txt")) == 0 || len(loaded().lines("general_"+lang+".txt")) == 0 {
			t.Errorf("%s: a word list is missing", lang)
		}
	}
	for _, lang := range loaded().langs {
		if diff := cmp.Diff(ids["en"], ids[lang]); diff != "" {
			t.Errorf("%s has other concepts than en:\n%s", lang, diff)
		}
	}
	for _, line := range loaded().lines("groups.txt") {
		for _, id := range strings.Fields(line)[1:] {
			if !ids["en"][id] {
				t.Errorf("groups.txt names %q, which is no concept", id)
			}
		}
	}
}

func TestFoldAgreesWithDecomposition(t *testing.T) {
	t.Parallel()
	for r := rune(1); r < 0x500; r++ {
		if got, want := Fold(string(r)), foldAny(string(r)); got != want {
			t.Errorf("Fold(%q) = %q, want %q", r, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if s := rapid.String().Draw(t, "text"); Fold(s) != foldAny(s) {
			t.Fatalf("Fold(%q) = %q, want %q", s, Fold(s), foldAny(s))
		}
	})
}

func TestTokenOffsets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkTokens(t, rapid.String().Draw(t, "text")) })
}

type fataler interface{ Fatalf(string, ...any) }

// checkTokens holds what is promised for any text.
func checkTokens(t fataler, s string) {
	end := 0
	for _, x := range Tokens(s) {
		if x.Start < end || x.End <= x.Start || x.End > len(s) {
			t.Fatalf("token %q at %d..%d after %d", x.Surface, x.Start, x.End, end)
		}
		if s[x.Start:x.End] != x.Surface {
			t.Fatalf("offsets of %q point at %q", x.Surface, s[x.Start:x.End])
		}
		if !utf8.ValidString(x.Folded) || !utf8.ValidString(x.Stem) {
			t.Fatalf("invalid UTF-8 in token %q", x.Surface)
		}
		end = x.End
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "Kdy dorazí 07-14244-53150?", "a@b", "a.b.c@", "www.", "http://", "\xff\xfe$5", "1 234 567", "''a'b'", "ů", "İ", "ёЁ", strings.Repeat("a-1", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkTokens(t, s)
		Concepts(Terms(s))
		Sentences(s)
		Language(s, "cs")
	})
}

// TestLongTextIsLinear reads a megabyte of each trap; quadratic time would not end within the test timeout.
func TestLongTextIsLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"a", "1", "a-1-", "a@", "a'", "a.", "é ", "\xff", "www.", "1 234 ", "слово "} {
		checkTokens(t, strings.Repeat(unit, (1<<20)/len(unit)))
	}
}

// TestStopWords: what is a function word in one language may say something in another.
func TestStopWords(t *testing.T) {
	t.Parallel()
	for word, stop := range map[string]bool{
		"the": true, "když": true, "dlatego": true, "нет": true, "nicht": true, "den": true,
		"die": false, "hat": false, "man": false, "bin": false, "dort": false, "byt": false, "dentist": false,
	} {
		if got := Tokens(word); len(got) != 1 || got[0].Stop != stop {
			t.Errorf("%s: %+v, want stop %t", word, got, stop)
		}
	}
	if got := Language("Das hat man mir dort gesagt.", "en"); got != "de" {
		t.Errorf("language %s, want de: it tells the language still", got)
	}
}

func BenchmarkTerms(b *testing.B) {
	for b.Loop() {
		Terms("Hele, kdy to má dorazit, ten díl na auto? Objednávka 07-14244-53150 z eBay za $38.10.")
	}
}
