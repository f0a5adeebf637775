package same

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

// pair is a line of testdata: two records and what the second is to the first.
type pair struct {
	old, new state.Record
	want     Kind
	line     string
}

func pairs(t *testing.T, lang string) []pair {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", lang+".tsv"))
	must(t, err)
	var out []pair
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			t.Fatalf("%s: %q has %d fields, want 5", lang, line, len(f))
		}
		out = append(out, pair{fact(f[0], f[1]), fact(f[2], f[3]), Kind(f[4]), strings.TrimSpace(line)})
	}
	return out
}

func fact(subject, content string) state.Record {
	return state.Record{Client: "c", User: "u", Kind: state.FactRecord, Subject: subject, Content: content}
}

// wrongMerge reports the costly error: two things made one.
func wrongMerge(want, got Kind) bool {
	return want == Other && (got == Same || got == Refines || got == Replaces)
}

func right(want, got Kind) bool {
	return want == got || got == Unsure && (want == Other || want == Replaces)
}

// TestPairs holds the floors per language: wrong merges at most 1 %, right verdicts at least 85 %, and of the
// values that change at least 70 % decided without asking.
func TestPairs(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			var n, good, merged, others, changes, decided int
			for _, p := range pairs(t, lang) {
				got := Judge(p.old, p.new, Comparison{Language: lang})
				n++
				if right(p.want, got.Kind) {
					good++
				} else {
					t.Logf("%s: got %s (%.2f, %s)", p.line, got.Kind, got.Similarity, got.Reason)
				}
				if p.want == Other {
					others++
				}
				if wrongMerge(p.want, got.Kind) {
					merged++
				}
				if p.want == Replaces {
					changes++
					if got.Kind == Replaces {
						decided++
					} else {
						t.Logf("undecided %s: %s (%.2f, %s)", p.line, got.Kind, got.Similarity, got.Reason)
					}
				}
			}
			t.Logf("%d pairs, %d right, %d of %d others merged, %d of %d changes decided", n, good, merged, others, decided, changes)
			if n < 60 || merged*100 > others || good*100 < 85*n || decided*100 < 70*changes {
				t.Errorf("%d pairs, %d right, %d of %d others merged, %d of %d changes decided", n, good, merged, others, decided, changes)
			}
		})
	}
}

// Whether two records may give two values to one thing does not hang on what is said beside the value: in brackets, behind a dash or a comma, in quotes, or in a
// sentence of its own.
func TestAValueOfOneThing(t *testing.T) {
	t.Parallel()
	bill := fact("cena a faktura za opravu kotle", "Oprava kotle stojí 1 180 Kč, faktura je splatná do 15. 12. 2026.")
	for _, c := range []struct {
		name     string
		old, new state.Record
		want     Kind
	}{
		{"nothing beside", bill, fact("cena opravy kotle", "Oprava kotle bude nakonec stát 1 240 Kč."), Unsure},
		{"brackets", bill, fact("cena opravy kotle", "Oprava kotle bude nakonec stát 1 240 Kč (řekl Dvořák telefonicky)."), Unsure},
		{"a dash", bill, fact("cena opravy kotle", "Oprava kotle bude nakonec stát 1 240 Kč – řekl Dvořák telefonicky."), Unsure},
		{"a comma", bill, fact("cena opravy kotle", "Oprava kotle bude nakonec stát 1 240 Kč, řekl Dvořák telefonicky."), Unsure},
		{"a sentence", bill, fact("cena opravy kotle", "Řekl to Dvořák telefonicky. Oprava kotle bude nakonec stát 1 240 Kč."), Unsure},
		{"quotes", bill, fact("cena opravy kotle", "Oprava kotle bude nakonec stát 1 240 Kč „podle telefonátu s Dvořákem a jeho šéfem“."), Unsure},
		{"en", fact("", "The hotel in Leeds costs 94 pounds, breakfast and parking included"), fact("", "The hotel in Leeds costs 99 pounds (Eva rang them this morning about it)"), Unsure},
		{"ru", fact("", "Ремонт котла стоит 1 180 рублей, счёт оплатить до 15 декабря"), fact("", "Ремонт котла стоит 1 240 рублей (сказал мастер по телефону)"), Unsure},
		{"pl", fact("", "Naprawa kotła kosztuje 1 180 zł, faktura płatna do 15 grudnia"), fact("", "Naprawa kotła kosztuje 1 240 zł (fachowiec dzwonił rano)"), Unsure},

		{"a few words of a long one", fact("", "MUDr. Hladíková, kožní, úterý 14:20, tel 773 218 904"), fact("", "kožní přesunuto na čtvrtek v 9:40"), Unsure},
		{"a new name in a few words", fact("", "tridni ucitelka Matyase je pani Dvorakova"), fact("", "Matyas ma od zari novou tridni, pani Kubinovou"), Unsure},
		{"nothing in common but a sign", fact("", "Marża na rowerach 18%"), fact("", "Monika przesunęła mnie na sobotę 13:30"), Other},
		{"nothing in common but days", fact("", "Standup at 9:15"), fact("", "Priya moved to Wednesdays, same time"), Other},

		{"another thing", bill, fact("cena opravy střechy", "Oprava střechy bude nakonec stát 51 200 Kč (řekl Kovář telefonicky)."), Other},
		{"another part", fact("", "The hotel in Leeds costs 94 pounds"), fact("", "The train to Leeds costs 60 pounds (return)"), Other},
		{"another price beside", fact("", "Nájem bytu je 15 000 Kč, garáž je zdarma"), fact("", "Kauce za garáž je 30 000 Kč, splatná předem"), Other},
		{"two occasions", fact("", "Oběd v bistru stál 180 Kč, zaplatil Petr"), fact("", "Večeře v restauraci stála 560 Kč (zaplatila Jana)"), Other},
	} {
		if got := Judge(c.old, c.new, Comparison{}); got.Kind != c.want {
			t.Errorf("%s: got %s (%.2f, %s), want %s", c.name, got.Kind, got.Similarity, got.Reason, c.want)
		}
	}
}

var must = statetest.Must
