package text_test

import (
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// A number is one and the same however its thousands stand apart; what is no group of three is another number.
func TestNumberInGroups(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{" ", "\u00a0", "\u202f", "\u2009", "\u2007"} {
		for said, want := range map[string]string{"1_180": "1180", "12_500_000": "12500000", "od 1_180 Kč": "1180", "1_180,50 zł": "1180,50"} {
			written := ""
			for _, c := range said {
				if c == '_' {
					written += blank
				} else {
					written += string(c)
				}
			}
			if got := text.Numbers(written); !slices.Contains(got, want) {
				t.Errorf("%q has %q, want %s", written, got, want)
			}
			terms := text.Terms(written)
			if plain := text.Terms(want); !slices.Contains(terms, plain[0]) {
				t.Errorf("%q has the terms %q, want %s", written, terms, plain[0])
			}
		}
		for _, apart := range []string{"1" + blank + "18", "1180" + blank + "200", "8150" + blank + "1234", "1" + blank + "180a"} {
			if got := text.Fields(apart, ""); len(got) != 2 {
				t.Errorf("%q is %q, want two", apart, got)
			}
		}
	}
	if a, b := text.Packed("1\u2009180 Kč"), text.Packed("1180 KČ"); a != b {
		t.Errorf("%q is not %q", a, b)
	}
	if got := text.Fields("rent: 1 180 EUR, then 5 (five)", ",()"); !slices.Equal(got, []string{"rent:", "1 180", "EUR", "then", "5", "five"}) {
		t.Errorf("fields %q", got)
	}
}
