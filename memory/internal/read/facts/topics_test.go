package facts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
)

// Topics are words as they were said, not stems.
func TestTopics(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, message string
		want          []string
	}{
		{"words, not stems", "Dneska mi volala máma, že jí ujel vlak.", []string{"máma", "vlak"}},
		{"a link is its host", "Vybral jsem díl na jeep: https://www.ebay.com/itm/256781234509", []string{"díl", "jeep", "ebay"}},
		{"names keep their capital", "Mimochodem, potřebuji pojištění auta u Kooperativy.", []string{"pojištění", "auta", "Kooperativy"}},
		{"the most frequent first", "The flat in Prague: rent, rent and again the rent", []string{"rent", "flat", "Prague"}},
		{"one form of a word", "Auto nejede. Zavolej kvůli autu do servisu.", []string{"auto", "servisu"}},
		{"a capital at the beginning is no name", "Крыша течёт, крыше уже тридцать лет", []string{"крыша"}},
		{"capitals inside are one", "moje BMW a eBay", []string{"BMW", "eBay"}},
		{"no verbs and no numbers", "Stěhování chce do čtvrtka, stojí devět tisíc a přinese klíče.", []string{"stěhování", "klíče"}},
		{"no function words", "On Thursday It arrives at nine, the parcel.", []string{"parcel"}},
		{"no adverbs", "Naprawdę szybko szukam mieszkania, wynosi to bardzo dużo.", []string{"mieszkania"}},
		{"no titles and abbreviations, cs", "Oprava kotle v ul. Lipová č. p. 348. Ing. Dvořák přinese chlebíčky, např. se sýrem.", []string{"oprava", "kotle", "Lipová", "Dvořák", "chlebíčky", "sýrem"}},
		{"no titles without a point", "Ing Dvořák volal kvůli kotli a MUDr Nováková taky", []string{"Dvořák", "kotli", "Nováková"}},
		{"no titles and abbreviations, pl", "Inż. Kowalski i dr hab. Nowak, np. w czwartek przy ul. Długiej", []string{"Kowalski", "Nowak"}},
		{"no titles and abbreviations, ru", "Прораб инж. Петров придёт на ул. Ленина, напр. завтра, д. 5", []string{"прораб", "Петров", "Ленина"}},
		{"no titles and abbreviations, en", "Prof. Brown and Dr. Hill, approx. two, e.g. the roof, vs. the boiler", []string{"Brown", "Hill", "roof", "boiler"}},
		{"no titles and abbreviations, de", "Dipl.-Ing. Huber kommt bzgl. der Heizung, z.B. am Montag, inkl. Filter", []string{"Huber", "Heizung", "Filter"}},
		{"a word that is an abbreviation elsewhere", "Zapomniałem kupić lek na serce.", []string{"lek", "serce"}},
		{"nothing", "", nil},
		{"numbers only", "42 100 3.5", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, facts.Topics(tt.message, "")); diff != "" {
				t.Errorf("Topics(%q) (-want +got):\n%s", tt.message, diff)
			}
		})
	}
}

// A German noun is written large where a sentence begins with it too.
func TestGermanNounsKeepTheirCapital(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]string{
		"Werkstatt Brandt macht neue Bremsen.": {"Werkstatt", "Brandt", "Bremsen"},
		"Ach ja, die Praxis hat angerufen.":    {"Praxis"},
	} {
		if diff := cmp.Diff(want, facts.Topics(said, "de")); diff != "" {
			t.Errorf("Topics(%q) (-want +got):\n%s", said, diff)
		}
	}
	for _, f := range facts.Read("Werkstatt Brandt macht es am 3. Dezember.", "de").Exact() {
		if f.Label != "Datum (Werkstatt Brandt)" {
			t.Errorf("label %q", f.Label)
		}
	}
}

func TestAddTopics(t *testing.T) {
	t.Parallel()
	have := []string{"auto", "servis", "alza"}
	got := facts.Read("To auto ze servisu je z Alzy a má nové pneumatiky a blatník", "cs").AddTopics(have, 4)
	if diff := cmp.Diff([]string{"auto", "servis", "Alzy", "pneumatiky"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if have[2] != "alza" {
		t.Errorf("the topics given were changed: %v", have)
	}
}
