package text

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTraitsCountSentences(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		text string
		want Traits
	}{
		{"", Traits{}},
		{"🙂", Traits{Sentences: 1}},
		{"Hi! How are you? Fine, I hope.", Traits{Sentences: 3, Questions: 1}},
		{"Really?! And (you know?)", Traits{Sentences: 2, Questions: 2}},
		{"see https://a.b/c?d=e", Traits{Sentences: 1}},
		{"Kdo? Co?\nNic", Traits{Sentences: 3, Questions: 2}},
	} {
		if diff := cmp.Diff(x.want, TraitsOf(x.text)); diff != "" {
			t.Errorf("TraitsOf(%q) (-want +got):\n%s", x.text, diff)
		}
	}
}

func TestTraitsTimed(t *testing.T) {
	t.Parallel()
	checkTrait(t, func(x Traits) bool { return x.Timed }, map[string][]string{
		"en": {"We went there yesterday.", "I saw her last week", "See you on Friday", "It started in May", "two days ago", "3 years ago we moved", "a few weeks back", "Since 2016 I live here", "on 8 March", "the week before", "over the weekend", "last Tuesday was nice", "next month we go", "In August it rains"},
		"cs": {"Včera jsme byli v kině", "minulý týden", "v pátek přijdu", "před dvěma lety", "v květnu jsme se vzali", "letos nejedeme", "o víkendu", "v roce 2019", "před týdnem", "za tři dny"},
		"pl": {"Wczoraj byliśmy w kinie", "w zeszłym tygodniu", "w piątek przyjdę", "dwa lata temu", "w maju był ślub", "kilka dni temu", "w zeszłym roku", "za trzy dni", "od 2015 roku"},
		"ru": {"Вчера мы ходили в кино", "на прошлой неделе", "в пятницу приду", "два года назад", "в мае была свадьба", "несколько дней назад", "через неделю", "в 2019 году", "этим летом"},
		"de": {"Gestern waren wir im Kino", "letzte Woche", "am Freitag komme ich", "vor zwei Jahren", "im Mai war Hochzeit"},
	}, []string{"I may go", "We march on", "It costs 2000 crowns", "I love cats", "To je pěkné", "Lubię koty", "Мне нравится", "Das ist gut", "version 1.2.3 is out", "Mám červenou bundu"})
}

func TestTraitsInstruction(t *testing.T) {
	t.Parallel()
	checkTrait(t, func(x Traits) bool { return x.Instruction }, map[string][]string{
		"en": {"Always answer in French.", "When I ask about food, mention the price", "From now on call me Sam", "please never use emoji", "Whenever I mention code, show tests", "You must always cite sources", "In the future, keep it short", "Every time I paste a log, shorten it"},
		"cs": {"Vždy odpovídej česky", "Od teď mi říkej Petře", "když se zeptám na cenu, uveď měnu", "Nikdy nepoužívej emoji", "Příště mi vždycky odpovídej stručně", "Napříště piš kratší odpovědi"},
		"pl": {"Zawsze odpowiadaj po polsku", "Od teraz mów mi Marek", "Kiedy pytam o cenę, podaj walutę", "Nigdy nie używaj emoji", "Za każdym razem podawaj źródło"},
		"ru": {"Всегда отвечай по-русски", "Отныне называй меня Саша", "Когда я спрашиваю о цене, называй валюту", "Никогда не используй смайлики", "Впредь пиши короче"},
		"de": {"Immer auf Deutsch antworten", "Ab jetzt nenn mich Max", "Wenn ich nach Preisen frage, nenne die Währung", "Antworte bitte immer kurz"},
	}, []string{"She has always been nice", "I always go there", "When did you ask?", "Kdy to přijde?", "Byl vždy milý", "Kiedy to będzie?", "Когда придёт?", "Wann kommt das?"})
}

func TestTraitsPreference(t *testing.T) {
	t.Parallel()
	checkTrait(t, func(x Traits) bool { return x.Preference }, map[string][]string{
		"en": {"I prefer tea", "My favourite colour is blue", "I really love jazz", "I don't like mushrooms", "I hate waiting", "I'd rather walk", "I'm a big fan of chess", "I can't stand noise"},
		"cs": {"Mám rád čaj", "nemám ráda houby", "Moje oblíbená barva je modrá", "radši chodím pěšky", "miluju jazz", "nesnáším hluk", "Líbí se mi Praha", "Preferuju vlak"},
		"pl": {"Wolę herbatę", "Moja ulubiona książka", "nie lubię grzybów", "Uwielbiam jazz", "nie znoszę hałasu", "Podoba mi się Kraków"},
		"ru": {"Я предпочитаю чай", "Мой любимый цвет синий", "не люблю грибы", "терпеть не могу шум", "Мне очень нравится Прага", "Обожаю джаз"},
		"de": {"Ich mag Tee", "Meine Lieblingsfarbe ist blau", "Ich hasse Lärm", "Ich trinke lieber Tee", "Mir gefällt Prag"},
	}, []string{"Would you like tea?", "It looks like rain", "Kolik to stojí?", "Ile to kosztuje?", "Сколько стоит?", "Was kostet das?", "My car is red"})
}

// checkTrait wants the trait in every text of a language and in none of the others.
func checkTrait(t *testing.T, trait func(Traits) bool, yes map[string][]string, no []string) {
	t.Helper()
	for lang, all := range yes {
		for _, s := range all {
			if !trait(TraitsOf(s)) {
				t.Errorf("%s: %q lacks the trait", lang, s)
			}
		}
	}
	for _, s := range no {
		if trait(TraitsOf(s)) {
			t.Errorf("%q has the trait", s)
		}
	}
}

func TestAskedWhen(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"When did Anna move?", "Do you know when it was?", "What date is the wedding?", "On which day did we meet?", "How long ago was that?", "What year was it?", "And when is it?",
		"Kdy jsme se přestěhovali?", "Víš, kdy to bylo?", "Ve kterém roce to bylo?", "Jak je to dlouho?", "Kterého dne?", "V kolik přijde?",
		"Kiedy się przeprowadziliśmy?", "W którym roku to było?", "O której godzinie?", "Jak dawno to było?", "Wiesz, kiedy to było?",
		"Когда мы переехали?", "В каком году это было?", "Как давно это было?", "Какого числа свадьба?", "С каких пор ты тут?",
		"Wann sind wir umgezogen?", "In welchem Jahr war das?", "Wie lange ist das her?",
	} {
		if !AskedBy(s).When {
			t.Errorf("%q does not ask for a time", s)
		}
	}
	for _, s := range []string{
		"", "What does she do when it rains?", "Who came?", "Který díl?", "Co dělá, když prší?", "Kto przyszedł?", "Кто пришёл?", "Wer kam?", "How many days are in it?", "Kolik to stojí?",
	} {
		if AskedBy(s).When {
			t.Errorf("%q asks for a time", s)
		}
	}
}

func TestAskedDate(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		text             string
		year, month, day int
	}{
		{"What did we do in May 2023?", 2023, 5, 0},
		{"What happened on 8 May?", 0, 5, 8},
		{"on May 8th, 2023?", 2023, 5, 8},
		{"on the 8th of May 2023", 2023, 5, 8},
		{"on the eighth of May", 0, 5, 8},
		{"May I ask who came?", 0, 0, 0},
		{"who may come in 5 days", 0, 0, 0},
		{"who came in March", 0, 3, 0},
		{"in May 20 people came", 0, 5, 0},
		{"in 2021?", 2021, 0, 0},
		{"in the summer 2021?", 2021, 0, 0},
		{"who paid 2000 dollars?", 0, 0, 0},
		{"on 2023-05-08", 2023, 5, 8},
		{"in 2023-05", 2023, 5, 0},
		{"on 5/8/2023", 2023, 5, 8},
		{"on 25/8/2023", 2023, 8, 25},
		{"on 8.5.2023", 2023, 5, 8},
		{"co bylo 8. 5. 2023?", 2023, 5, 8},
		{"co bylo 8.5.?", 0, 5, 8},
		{"co bylo 8. května 2023", 2023, 5, 8},
		{"co jsme dělali v květnu?", 0, 5, 0},
		{"co bylo v červnu a co v červenci", 0, 6, 0},
		{"kdo měl červenou bundu", 0, 0, 0},
		{"osmého května", 0, 5, 8},
		{"v roce 1999", 1999, 0, 0},
		{"co robiliśmy w maju?", 0, 5, 0},
		{"8 maja 2023 roku", 2023, 5, 8},
		{"w sierpniu 2020", 2020, 8, 0},
		{"co ma Maja?", 0, 0, 0},
		{"что было в мае?", 0, 5, 0},
		{"8 мая 2023 года", 2023, 5, 8},
		{"в 2019 году", 2019, 0, 0},
		{"где Марта?", 0, 0, 0},
		{"восьмого марта", 0, 3, 8},
		{"was war im März 2022?", 2022, 3, 0},
		{"am 8. Mai", 0, 5, 8},
		{"version 1.2.3 or 10.20.30", 0, 0, 0},
		{"on 45/45/2023 or 2023-99-99", 0, 0, 0},
	} {
		got := AskedBy(x.text)
		got.When = false
		if diff := cmp.Diff(Asked{Month: time.Month(x.month), Year: x.year, Day: x.day}, got); diff != "" {
			t.Errorf("AskedBy(%q) (-want +got):\n%s", x.text, diff)
		}
	}
}

func TestTopical(t *testing.T) {
	t.Parallel()
	for _, w := range strings.Fields("conversation sessions discussed mention order list throughout three rozhovoru zmínil seznam rozmowie wspomnieć разговоре упоминал список Gespräch") {
		if !Topical(Stem(w)) {
			t.Errorf("Topical(Stem(%s)) = false", w)
		}
	}
	for _, w := range strings.Fields("car school faktura szkoła машина Haus") {
		if Topical(Stem(w)) {
			t.Errorf("Topical(Stem(%s)) = true", w)
		}
	}
}

func FuzzTraits(f *testing.F) {
	for _, s := range []string{"", "?", "8.5.", "2023-", "I ", "1/2/3 May", "^ # *", "vždy\xff", "in May 2023", "8. 5. 2023", strings.Repeat("I really ", 30)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, a := TraitsOf(s), AskedBy(s)
		if x.Questions > x.Sentences || x.Sentences != len(Sentences(s)) {
			t.Errorf("TraitsOf(%q) = %+v", s, x)
		}
		if a.Month < 0 || a.Month > 12 || a.Day < 0 || a.Day > 31 || a.Year != 0 && (a.Year < 1900 || a.Year > 2099) {
			t.Errorf("AskedBy(%q) = %+v", s, a)
		}
		if x != TraitsOf(s) || a != AskedBy(s) {
			t.Errorf("two readings of %q differ", s)
		}
	})
}

func BenchmarkTraitsOf(b *testing.B) {
	for b.Loop() {
		TraitsOf("Hele, kdy to má dorazit, ten díl na auto? Objednávka 07-14244-53150 z eBay za $38.10. Od teď mi piš včas.")
	}
}
