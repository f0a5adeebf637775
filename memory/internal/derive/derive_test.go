package derive

import (
	"slices"
	"testing"
)

// Every property is said and asked for in some words, and the lists have no mistake.
func TestListsAreRead(t *testing.T) {
	t.Parallel()
	all, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Property{Name, Home, Family, Work, Food, Taste} {
		at := slices.IndexFunc(all, func(w words) bool { return w.property == p })
		if at < 0 || len(all[at].says) == 0 || len(all[at].asks) == 0 || len(Words(p)) != len(all[at].says) {
			t.Errorf("%s: no words", p)
		}
	}
	if len(all) != 6 {
		t.Errorf("%d properties, want the six that have names", len(all))
	}
}

func TestAskedAndSaid(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of         Property
		asks, says string
	}{
		{Food, "What can't I eat?", "I'm allergic to peanuts."},
		{Home, "Kde bydlím?", "Přestěhovali jsme se do Plzně."},
		{Family, "Ile mam dzieci?", "Mam troje dzieci."},
		{Work, "Кем я работаю?", "Работаю технологом."},
		{Taste, "Co nesnáším?", "Nesnáším dršťkovou."},
		{Name, "What's my name?", "My name is Marta."},
	} {
		if !slices.Contains(Asked(tt.asks), tt.of) || !slices.Contains(Said(tt.says), tt.of) {
			t.Errorf("%s: %q asks for %v, %q says %v", tt.of, tt.asks, Asked(tt.asks), tt.says, Said(tt.says))
		}
	}
	if got := slices.Concat(Asked("When does the train leave?"), Said("The train leaves at nine.")); len(got) > 0 {
		t.Errorf("a train says %v of the user", got)
	}
}
