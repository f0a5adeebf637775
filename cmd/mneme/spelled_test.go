package main

import "testing"

func TestSpelled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ stem, text, want string }{
		{"dishwash", "New Dishwasher from Bosch", "Dishwasher"},
		{"arriv", "when does it arrive?", "arrive"},
		{"myck", "Kdy přijde myčka?", "myčka"},
		{"55-12", "order 55-12, on Thursday", "55-12"},
		{"citi", "which city was it", "city"},
		{"bike", "nothing of it", "bike"},
		{"шин", "Шины пришли", "Шины"},
	} {
		if got := spelled(tt.stem, tt.text); got != tt.want {
			t.Errorf("spelled(%q, %q) = %q, want %q", tt.stem, tt.text, got, tt.want)
		}
	}
}
