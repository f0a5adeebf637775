package pick_test

import (
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

func TestOne(t *testing.T) {
	t.Parallel()
	items := []pick.Item{
		{ID: "se9be2b137b132993", Title: "Pojištění auta", Number: 1},
		{ID: "s81c44d01fe00a2b1", Title: "Ubezpieczenie roweru", Number: 2},
		{ID: "s81c4fe2b90bb01aa", Title: "Ремонт крыши", Number: 3},
		{ID: "a11000000000000f4", Title: "Roof"},
		{ID: "b22000000000000f4", Title: "Roof repair 12"},
		{ID: "3", Title: "Trip to Oslo"},
	}
	tests := []struct {
		name, asked, want string
		code              state.Code
		says              string
	}{
		{"a number of the list", "1", "se9be2b137b132993", "", ""},
		{"a number that an id has in it", "4", "", state.NotFound, "no such thing"},
		{"a number that a title has in it", "12", "", state.NotFound, "no such thing"},
		{"a whole id wins over a number", "3", "3", "", ""},
		{"a whole id", "s81c44d01fe00a2b1", "s81c44d01fe00a2b1", "", ""},
		{"the beginning of an id", "s81c44", "s81c44d01fe00a2b1", "", ""},
		{"the beginning of two", "s81c4", "", state.Conflict, "Ubezpieczenie roweru (s81c44), Ремонт крыши (s81c4f)"},
		{"too little of an id", "a11", "", state.NotFound, "no such thing"},
		{"the middle of an id", "137b132993", "", state.NotFound, "no such thing"},
		{"a title without diacritics", "pojisteni AUTA", "se9be2b137b132993", "", ""},
		{"a part of a title", "крыш", "s81c4fe2b90bb01aa", "", ""},
		{"a whole title wins over a part", "roof", "a11000000000000f4", "", ""},
		{"a part of two titles", "ro", "", state.Conflict, "Roof repair 12"},
		{"one letter", "R", "", state.NotFound, "no such thing"},
		{"nothing", " ", "", state.NotFound, "no such thing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := pick.One("thing", tt.asked, items)
			if got != tt.want || state.CodeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("One(%q) = %q, %v, want %q, %q with %q", tt.asked, got, err, tt.want, tt.code, tt.says)
			}
		})
	}
}

// One thing that stands in a list twice is one thing.
func TestOneOfTheSame(t *testing.T) {
	t.Parallel()
	if got, err := pick.One("turn", "0b9c", []pick.Item{{ID: "0b9c2f41"}, {ID: "0b9c2f41"}, {ID: "1c"}}); got != "0b9c2f41" || err != nil {
		t.Errorf("One = %q, %v, want the turn", got, err)
	}
}
