package compose

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/state"
)

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("x := 1\n", 30)
	object := "{\n" + strings.Repeat(`  "a": [1, 2],`+"\n", 25) + `  "b": 1` + "\n}"
	code := func(lines, bytes string) string { return "[code block, " + lines + " lines, " + bytes + " bytes, m7." }
	var log, table strings.Builder
	for i := range 30 {
		fmt.Fprintf(&log, "2026-02-15T21:00:%02dZ INFO step %d\n", i, i)
		fmt.Fprintf(&table, "%d;Novák, Jan;38.10\n", i)
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("Příliš žluťoučký kůň. ", 40)))
	for _, tt := range []struct{ name, text, want string }{
		{"short code stays", "a\n```\nx\n```\nb", "a\n```\nx\n```\nb"},
		{"fenced", "a\n```go\n" + body + "```\nb", "a\n" + code("30", "210") + "1: x := 1]\nb"},
		{"tildes", "~~~\n" + body + "~~~", code("30", "210") + "1: x := 1]"},
		{"a longer fence with a shorter inside", "````\n" + body + "```\n" + body + "````\nb", code("61", "424") + "1: x := 1]\nb"},
		{"not closed", "a\n```\n" + body, "a\n" + code("30", "210") + "1: x := 1]"},
		{"two blocks", "```\n" + body + "```\nand\n```\n" + body + "```", code("30", "210") + "1: x := 1]\nand\n" + code("30", "210") + "2: x := 1]"},
		{"one of two is short", "```\nx\n```\n```\n" + body + "```", "```\nx\n```\n" + code("30", "210") + "1: x := 1]"},
		{"one long line", "```\n" + strings.Repeat("x", 3000) + "\n```", code("1", "3,001") + "1: " + strings.Repeat("x", 47) + "…]"},
		{"what could end the placeholder", "```\n[x]\n" + body + "```", code("31", "214") + "1: (x)]"},
		{"JSON", "see\n" + object + "\nok", `see` + "\n" + `[JSON, 28 lines, 388 bytes, m7.1: { "a": (1, 2), "a": (1, 2), "a": (1, 2), "a": (…]` + "\nok"},
		{"JSON on one line", "[" + strings.Repeat("1,", 1500) + "1]", "[JSON, 1 lines, 3,003 bytes, m7.1: (" + strings.Repeat("1,", 23) + "…]"},
		{"prose behind JSON", object + " done", `[JSON, 28 lines, 387 bytes, m7.1: { "a": (1, 2), "a": (1, 2), "a": (1, 2), "a": (…] done`},
		{"damaged JSON stays", "{\n" + strings.Repeat("x\n", 30), "{\n" + strings.Repeat("x\n", 30)},
		{"a log", "Look:\n" + log.String() + "What is it?", "Look:\n[log, 30 lines, 1,010 bytes, m7.1: 2026-02-15T21:00:00Z INFO step 0]\nWhat is it?"},
		{"a log with a trace", strings.Repeat("ERROR: no\n\tat main.go:1\n", 15) + "Why?", "[log, 30 lines, 360 bytes, m7.1: ERROR: no]\nWhy?"},
		{"a table", "Here:\n" + table.String(), "Here:\n[table, 30 lines, 620 bytes, m7.1: 0;Novák, Jan;38.10]"},
		{"a table of Markdown", strings.Repeat("| a | b |\n", 30) + "Sum it.", "[table, 30 lines, 300 bytes, m7.1: | a | b |]\nSum it."},
		{"base64 in a line", "key=" + encoded + " ok", "key=[base64, 1 lines, 1,656 bytes, m7.1: UMWZw61sacWhIMW+bHXFpW91xI1rw70ga8WvxYguIFDFmcO…] ok"},
		{"prose stays", strings.Repeat("a line of prose\n", 30), strings.Repeat("a line of prose\n", 30)},
		{"a list stays", strings.Repeat("2026-02-15: bought milk, bread, and tea\n", 30), strings.Repeat("2026-02-15: bought milk, bread, and tea\n", 30)},
		{"a long word stays", strings.Repeat("a", 3000), strings.Repeat("a", 3000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := placeholders(tt.text, 7)
			if got != tt.want {
				t.Errorf("placeholders = %.300q, want %.300q", got, tt.want)
			}
			m := state.Message{Seq: 7, Text: tt.text}
			if b, err := FindBlock(m, "m7.1"); (err == nil) != (got != tt.text) || err == nil && !strings.Contains(tt.text, b.Text) {
				t.Errorf("m7.1 is %.100q, %v", b.Text, err)
			}
		})
	}
}

// A megabyte takes a fraction of a second, whatever it begins and does not end; were the time quadratic, it would take minutes.
func TestPlaceholdersAreLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"[\n", "{\"a\":\n", "```\n", "| a\n", "a,b,c\n", "INFO x\n", "aB1", "aB1 ", "12:34:56\nx\n", "\n", strings.Repeat("a", wrapped) + "\n", strings.Repeat("a", wrapped) + "=\n"} {
		s, begun := strings.Repeat(unit, 1<<20/len(unit)), time.Now()
		placeholders(s, 1)
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%q: %v for 1 MB", unit, took)
		}
	}
}

func FuzzPlaceholders(f *testing.F) {
	for _, s := range []string{"", "```", strings.Repeat("[\n", 3000), strings.Repeat("{\"a\":\n", 3000), strings.Repeat("```\n", 1001), "~~~\n" + strings.Repeat("x\n", 99)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := placeholders(s, 0)
		if got != s && (!strings.Contains(got, " bytes: ") || utf8.ValidString(s) && len(got) >= len(s)) {
			t.Errorf("placeholders(%q) = %q", s, got)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("placeholders(%q) = %q splits a character", s, got)
		}
	})
}
