package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What is too long for a word is known by its beginning, however it is written.
func TestLongTokens(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"one letter": strings.Repeat("a", 1<<18),
		"ligatures":  strings.Repeat("\ufdfa", 1<<15),
		"digits":     strings.Repeat("7", 1<<18),
		"marks":      "a" + strings.Repeat("\u0301", 1<<17),
		"joined":     strings.Repeat("1-A", 1<<16),
		"address":    "https://a.example/" + strings.Repeat("x/", 1<<17),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tokens := Tokens(s)
			for _, x := range tokens {
				if len(x.Folded) > maxToken || len(x.Stem) > maxToken || !utf8.ValidString(x.Stem) {
					t.Fatalf("a token of %d bytes has %d folded and a stem of %d", len(x.Surface), len(x.Folded), len(x.Stem))
				}
			}
			if again := Tokens("that " + s + " again"); len(again) < 2 || again[1].Stem != tokens[0].Stem {
				t.Error("it is another token within a text")
			}
			Concepts([]string{s}) // would take minutes if it looked every beginning up
		})
	}
}

func TestIdentifiersStayWhole(t *testing.T) {
	t.Parallel()
	for _, id := range []string{strings.Repeat("ab12-", 80) + "x9", "https://a.example/" + strings.Repeat("p", 480)} {
		if tokens := Tokens(id + "."); len(tokens) != 1 || tokens[0].Stem != id {
			t.Errorf("%q became %d tokens, the first %q", id, len(tokens), tokens[0].Stem)
		}
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		most int
		want string
	}{
		{"", 4, ""}, {"abc", 4, "abc"}, {"abcd", 4, "abcd"}, {"abcde", 4, "abcd"}, {"abcé", 4, "abc"}, {"漢字", 5, "漢"}, {"漢", 2, ""},
	} {
		if got := Head(c.s, c.most); got != c.want {
			t.Errorf("Head(%q, %d) = %q, want %q", c.s, c.most, got, c.want)
		}
	}
}
