package same

import (
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
)

// TestNeverMerged holds pairs that look alike and whose vectors would be near: whatever the cosine, they stay two.
func TestNeverMerged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new string }{
		{"Allergic to peanuts", "Allergic to penicillin"},
		{"Likes tea", "Likes lemonade"},
		{"Jan works as a nurse", "Jana works as a nurse"},
		{"Petr owes Jana 500 CZK", "Jana owes Petr 500 CZK"},
		{"Petr dluží Janě 500 Kč", "Jana dluží Petrovi 500 Kč"},
		{"Novák vede účetnictví", "Nováková vede účetnictví"},
		{"Take the pills before meals", "Take the pills after meals"},
		{"The key is on the shelf", "The key is under the shelf"},
		{"Writes C", "Writes C++"},
		{"Peter likes tea", "Peter's sister likes tea"},
		{"My passport expires on 1 May 2027", "Her passport expires on 1 May 2027"},
		{"Invoice 2024-118 was paid", "Invoice 2024-119 was paid"},
		{"Ticket 5521 is with the supplier", "Ticket 5530 is with the supplier"},
		{"Account CZ65 0800 0000 1920 0014 5399 is for savings", "Account CZ55 0100 0000 0012 3456 7899 is for savings"},
		{"eva@firm.com gets the invoices", "karel@firm.com gets the invoices"},
		{"Recipe: https://cook.example/soup", "Recipe: https://cook.example/cake"},
		{"Ran 10 km on 4 April", "Ran 10 km on 6 April"},
		{"Paid the rent on 3 May", "Paid the rent on 3 June"},
		{"The red car has new tyres", "The blue car has new tyres"},
		{"Works on the tax report", "Works on the web page"},
		{"Lives in Prague", "Wants to live in Prague"},
		{"Has worked at Skoda", "Perhaps has worked at Skoda"},
		{"Koupit dárek pro mámu", "Koupit dárek pro tátu"},
		{"Kupić prezent dla mamy", "Kupić prezent dla taty"},
		{"Купить подарок маме", "Купить подарок папе"},
		{"Электричество оплачено за май", "Электричество оплачено за июнь"},
		{"Elektřina zaplacena za květen", "Elektřina zaplacena za červen"},
		{"Tom works at Skoda", "Ben works at Skoda"},
		{"The limit is 5 %", "The limit is 5"},
		{"Dose: 10 mg", "Dose: 10 ml"},
		{"Rent is 500 EUR", "Rent of the garage is 90 EUR"},
	} {
		for _, cosine := range []float64{math.NaN(), 0.5, 0.9, 0.99} {
			got := Judge(fact("note", c.old), fact("note", c.new), Comparison{Cosine: cosine, HasCosine: true})
			if got.Kind != Other && got.Kind != Unsure {
				t.Errorf("%q, %q, cosine %g: got %s (%s)", c.old, c.new, cosine, got.Kind, got.Reason)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	closed := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	works, moved := fact("job", "Petr works at Skoda"), fact("job", "Petr works at Siemens")
	change := func(r state.Record, f func(*state.Record)) state.Record { f(&r); return r }
	kind := func(r state.Record, k state.RecordKind) state.Record {
		return change(r, func(r *state.Record) { r.Kind = k })
	}
	for _, c := range []struct {
		name     string
		old, new state.Record
		c        Comparison
		want     Kind
	}{
		{"an old record that is closed", change(works, func(r *state.Record) { r.ValidTo = &closed }), works, Comparison{}, Other},
		{"a new record that is closed", works, change(moved, func(r *state.Record) { r.ValidTo = &closed }), Comparison{}, Other},
		{"another user's", works, change(works, func(r *state.Record) { r.User = "v" }), Comparison{}, Other},
		{"another client's", works, change(works, func(r *state.Record) { r.Client = "d" }), Comparison{}, Other},
		{"another project's", works, change(works, func(r *state.Record) { r.Project = "p" }), Comparison{}, Other},
		{"a message", kind(works, state.MessageRecord), kind(works, state.MessageRecord), Comparison{}, Other},
		{"fact and decision, another value", works, kind(moved, state.DecisionRecord), Comparison{}, Replaces},
		{"fact and deadline, another day", fact("tax", "The tax is due by 1 April"), kind(fact("tax", "The tax is due by 2 May"), state.DeadlineRecord), Comparison{}, Replaces},
		{"fact and deadline, the same", fact("tax", "The tax is due by 1 April"), kind(fact("tax", "The tax is due by 1 April"), state.DeadlineRecord), Comparison{}, Same},
		{"fact and preference", works, kind(moved, state.PreferenceRecord), Comparison{}, Other},
		{"events are not replaced", kind(fact("match", "The match ended 3:1"), state.EventRecord), kind(fact("match", "The match ended 2:0"), state.EventRecord), Comparison{}, Unsure},
		{"other words, near vectors", fact("note", "He finds early meetings tiring"), fact("note", "Conferences before dawn exhaust him"), Comparison{Cosine: 0.97, HasCosine: true}, Same},
		{"other words, less near", fact("note", "He finds early meetings tiring"), fact("note", "Conferences before dawn exhaust him"), Comparison{Cosine: 0.9, HasCosine: true}, Unsure},
		{"other words, far vectors", fact("note", "He finds early meetings tiring"), fact("note", "Conferences before dawn exhaust him"), Comparison{Cosine: 0.5, HasCosine: true}, Other},
		{"other words, no vectors", fact("note", "He finds early meetings tiring"), fact("note", "Conferences before dawn exhaust him"), Comparison{}, Other},
		{"own thresholds", fact("note", "He finds early meetings tiring"), fact("note", "Conferences before dawn exhaust him"), Comparison{Cosine: 0.8, HasCosine: true, Same: 0.75}, Same},
		{"denied, whatever the vectors", fact("meat", "Eats meat"), fact("meat", "Does not eat meat"), Comparison{Cosine: 0.99, HasCosine: true}, Replaces},
		{"an added phone", fact("Eva", "Eva works at Skoda"), fact("Eva", "Eva works at Skoda, phone 777 123 456"), Comparison{}, Refines},
		{"less than is known", fact("Eva", "Eva works at Skoda, phone 777 123 456"), fact("Eva", "Eva works at Skoda"), Comparison{}, Same},
		{"moved from a day to another", fact("meeting", "The meeting is on 4 May"), fact("meeting", "The meeting was moved from 4 May to 6 May"), Comparison{}, Replaces},
		{"a day of the week and of the month", fact("meeting", "The meeting is on Friday"), fact("meeting", "The meeting is on 8 May"), Comparison{}, Unsure},
		{"a single letter is a value", fact("blood group", "Blood group is A"), fact("blood group", "Blood group is B"), Comparison{}, Replaces},
		{"no subjects", fact("", "Petr works at Skoda"), fact("", "Petr works at Siemens"), Comparison{}, Replaces},
		{"long and the same", fact("", strings.Repeat("long text ", 20_000)), fact("", strings.Repeat("long text ", 20_000)), Comparison{}, Same},
		{"long and perhaps the same", fact("", strings.Repeat("long text ", 20_000)), fact("", strings.Repeat("long text ", 20_000)+"5"), Comparison{}, Unsure},
		{"nothing at all", fact("", ""), fact("", ""), Comparison{}, Same},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Judge(c.old, c.new, c.c); got.Kind != c.want {
				t.Errorf("got %s (%.2f, %s), want %s", got.Kind, got.Similarity, got.Reason, c.want)
			}
		})
	}
}

// TestPairsWithVectors holds the promise on wrong merges when every pair has near vectors.
func TestPairsWithVectors(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for _, p := range pairs(t, lang) {
			for _, cosine := range []float64{0.9, 0.99} {
				got := Judge(p.old, p.new, Comparison{Cosine: cosine, HasCosine: true})
				if wrongMerge(p.want, got.Kind) {
					t.Errorf("%s, cosine %g: got %s (%s)", p.line, cosine, got.Kind, got.Reason)
				}
			}
		}
	}
}

// TestStrangersStayApart compares records of different lines, which have nothing to do with each other, whatever their vectors.
func TestStrangersStayApart(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		all := pairs(t, lang)
		n, merged := 0, 0
		for i, p := range all {
			for j := (i*5 + 3) % 11; j < len(all); j += 11 {
				q := all[j]
				if i == j || p.old.Subject == q.new.Subject {
					continue
				}
				n++
				if got := Judge(p.old, q.new, Comparison{Language: lang, Cosine: 0.96, HasCosine: true}); wrongMerge(Other, got.Kind) {
					merged++
					t.Logf("%q, %q: got %s (%s)", p.old.Content, q.new.Content, got.Kind, got.Reason)
				}
			}
		}
		if merged*1000 > n {
			t.Errorf("%s: %d of %d merged", lang, merged, n)
		}
	}
}

// TestProperties holds for every pair of records; the texts are the pairs', since random letters meet no rule.
func TestProperties(t *testing.T) {
	t.Parallel()
	var texts []state.Record
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for _, p := range pairs(t, lang) {
			texts = append(texts, p.old, p.new)
		}
	}
	weight := func(stem string) float64 { return float64(len(stem)%5) + 0.5 }
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(texts).Draw(t, "a")
		b := rapid.SampledFrom(texts).Draw(t, "b")
		if rapid.Bool().Draw(t, "joined") {
			b.Content = a.Content + ". " + b.Content
		}
		c := Comparison{Weight: weight, Language: rapid.SampledFrom([]string{"cs", "pl", "ru", "en"}).Draw(t, "language")}
		if got := Judge(a, a, c); got.Kind != Same || got.Similarity != 1 {
			t.Errorf("%q to itself: %+v", a.Content, got)
		}
		forth, back := Judge(a, b, c), Judge(b, a, c)
		if forth.Similarity != back.Similarity || forth.Similarity < 0 || forth.Similarity > 1 {
			t.Errorf("%q, %q: similarity %g and %g", a.Content, b.Content, forth.Similarity, back.Similarity)
		}
		if forth.Kind == Other && (back.Kind == Same || back.Kind == Refines || back.Kind == Replaces) && a.Kind == b.Kind {
			t.Errorf("%q, %q: %s forth, %s back", a.Content, b.Content, forth.Kind, back.Kind)
		}
		if again := Judge(a, b, c); again != forth {
			t.Errorf("%q, %q: %+v, then %+v", a.Content, b.Content, forth, again)
		}
	})
}

// TestIdentifiersStayTwo puts two numbers into one sentence.
func TestIdentifiersStayTwo(t *testing.T) {
	t.Parallel()
	sentences := []string{"Invoice %s is for 500 EUR", "Faktura %s je na 500 Kč", "Faktura %s jest na 500 zł", "Счёт %s на 500 руб.", "Order %s costs $20", "Objednávka číslo %s dorazí v pátek", "Zamówienie %s przyjdzie w piątek"}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(sentences).Draw(t, "sentence")
		number := rapid.StringMatching(`[2-9][0-9]{3}-?[0-9]{2,5}`)
		x, y := number.Draw(t, "x"), number.Draw(t, "y")
		if alphanumeric(x) == alphanumeric(y) {
			return
		}
		subject := rapid.SampledFrom([]string{"note", "", "%s"}).Draw(t, "subject")
		a := fact(strings.ReplaceAll(subject, "%s", x), strings.ReplaceAll(s, "%s", x))
		b := fact(strings.ReplaceAll(subject, "%s", y), strings.ReplaceAll(s, "%s", y))
		if got := Judge(a, b, Comparison{Cosine: 0.99, HasCosine: true}); got.Kind != Other {
			t.Errorf("%q, %q: %s (%s)", a.Content, b.Content, got.Kind, got.Reason)
		}
	})
}

func FuzzJudge(f *testing.F) {
	f.Add("job", "Petr works at Skoda", "job", "Petr works at Siemens", 0.9, "en")
	f.Add("zubař", "Schůzka 5. 5. v 9:00", "zubař", "Schůzka ve čtvrtek", math.Inf(1), "cs")
	f.Add("", "- -5 # \xff\xfe", "\xc3", "€ 1.000,00 2026-99-99 99:99 1/2/3/4", -2.0, "")
	f.Add(": ", ":", "не", "нет.", 0.0, "ru")
	f.Fuzz(func(t *testing.T, oldSubject, old, newSubject, new string, cosine float64, lang string) {
		a, b := fact(oldSubject, old), fact(newSubject, new)
		for _, c := range []Comparison{{Language: lang}, {Language: lang, Cosine: cosine, HasCosine: true, Weight: func(string) float64 { return cosine }}} {
			if got := Judge(a, a, c); got.Kind != Same {
				t.Errorf("%q, %q to itself: %+v", oldSubject, old, got)
			}
			forth, back := Judge(a, b, c), Judge(b, a, c)
			if forth.Similarity != back.Similarity || math.IsNaN(forth.Similarity) || forth.Kind == "" {
				t.Errorf("%q, %q: %+v, back %+v", old, new, forth, back)
			}
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	old, new := fact("order 4471", "Order 4471 of a brake part costs $500 and arrives on Tuesday"), fact("order 4471", "Order 4471 of a brake part costs $550 and arrives on Tuesday")
	b.ReportAllocs()
	for b.Loop() {
		Judge(old, new, Comparison{Language: "en"})
	}
}

func TestNumberedThingsStayApart(t *testing.T) {
	t.Parallel()
	for a := range 20 {
		for b := range 20 {
			old := state.Record{Client: "c", User: "u", Kind: state.FactRecord, Content: fmt.Sprintf("note %d of writer %d", a%4, a/4)}
			new := old
			new.Content = fmt.Sprintf("note %d of writer %d", b%4, b/4)
			if v := Judge(old, new, Comparison{}); a != b && v.Kind != Other && v.Kind != Unsure {
				t.Errorf("%s, %s: %+v", old.Content, new.Content, v)
			}
		}
	}
}

// TestRolesAreRead makes sure that every line of the list can be used.
func TestRolesAreRead(t *testing.T) {
	t.Parallel()
	if _, err := readRoles(files); err != nil {
		t.Error(err)
	}
}

// TestLanguageIsAFile adds a language by adding its file.
func TestLanguageIsAFile(t *testing.T) {
	t.Parallel()
	common, err := fs.ReadFile(files, "data/roles.txt")
	must(t, err)
	l, err := readRoles(fstest.MapFS{
		"data/roles.txt":    {Data: common},
		"data/roles_sk.txt": {Data: []byte("negates: nemá. nikdy.\ncurrency eur: eúr\nvalue boss noun: šéf riaditeľ\nmonth 5: máj.\n")},
	})
	if err != nil || !l.is("nema", negates) || !l.is("riaditela", value) || !l.is("maj", month) || !l.is("not", negates) {
		t.Errorf("Slovak words are not known: %v", err)
	}
}
