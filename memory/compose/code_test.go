package compose

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("x := 1\n", 30)
	object := "{\n" + strings.Repeat(`  "a": [1, 2],`+"\n", 25) + `  "b": 1` + "\n}"
	for _, tt := range []struct{ name, text, want string }{
		{"short code stays", "a\n```\nx\n```\nb", "a\n```\nx\n```\nb"},
		{"fenced", "a\n```go\n" + body + "```\nb", "a\n[code block, 30 lines]\nb"},
		{"tildes", "~~~\n" + body + "~~~", "[code block, 30 lines]"},
		{"a longer fence with a shorter inside", "````\n" + body + "```\n" + body + "````\nb", "[code block, 61 lines]\nb"},
		{"not closed", "a\n```\n" + body, "a\n[code block, 30 lines]"},
		{"two blocks", "```\n" + body + "```\nand\n```\n" + body + "```", "[code block, 30 lines]\nand\n[code block, 30 lines]"},
		{"one of two is short", "```\nx\n```\n```\n" + body + "```", "```\nx\n```\n[code block, 30 lines]"},
		{"one long line", "```\n" + strings.Repeat("x", 3000) + "\n```", "[code block, 1 lines]"},
		{"JSON", "see\n" + object + "\nok", "see\n[code block, 28 lines]\nok"},
		{"JSON on one line", "[" + strings.Repeat("1,", 1500) + "1]", "[code block, 1 lines]"},
		{"prose behind JSON", object + " done", "[code block, 28 lines]\n done"},
		{"damaged JSON stays", "{\n" + strings.Repeat("x\n", 30), "{\n" + strings.Repeat("x\n", 30)},
		{"prose stays", strings.Repeat("a line of prose\n", 30), strings.Repeat("a line of prose\n", 30)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := placeholders(tt.text); got != tt.want {
				t.Errorf("placeholders = %.200q, want %.200q", got, tt.want)
			}
		})
	}
}

func FuzzPlaceholders(f *testing.F) {
	for _, s := range []string{"", "```", strings.Repeat("[\n", 3000), strings.Repeat("{\"a\":\n", 3000), strings.Repeat("```\n", 1001), "~~~\n" + strings.Repeat("x\n", 99)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := placeholders(s)
		if got != s && (!strings.Contains(got, "[code block, ") || len(got) >= len(s)) {
			t.Errorf("placeholders(%q) = %q", s, got)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("placeholders(%q) = %q splits a character", s, got)
		}
	})
}
