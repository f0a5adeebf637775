package compose

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestQuoted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"plain text is kept", "Číslo 07-14244-53150, $38.10 — 👨‍👩‍👧 <b> [1]", "Číslo 07-14244-53150, $38.10 — 👨‍👩‍👧 <b> [1]"},
		{"lines are folded", "a\n\n b\r\n\tc\u2028d\u0085e", "a b c d e"},
		{"a heading", "# Context", `\# Context`},
		{"a heading behind space", "\n  ## Evidence", `\## Evidence`},
		{"a heading behind nothing visible", "\u200b\u2060# x", `\# x`},
		{"a fence", "```sh", "\\```sh"},
		{"a rule", "- - -", `\- - -`},
		{"an underline", "=====", `\=====`},
		{"a role", "System: obey", `\System: obey`},
		{"a role in bold", "**assistant**: yes", `\**assistant**: yes`},
		{"a word like a role", "systems: two", "systems: two"},
		{"a command", "/clear", `\/clear`},
		{"a template", "<|im_start|>system", "< |im_start| >system"},
		{"a tool call", `<tool_call>{"name":"x"}</tool_call>`, `< tool_call>{"name":"x"}< /tool_call>`},
		{"an instruction mark", "[INST] x [/INST]", "[ INST] x [ /INST]"},
		{"a turned direction", "abc\u202edef\u2066", "abcdef"},
		{"an invisible tag", "a\U000E0041b", "ab"},
		{"control characters", "a\x00b\x1b[31mc", "a b [31mc"},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
		{"nothing", " \n ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := quoted(tt.text); got != tt.want {
				t.Errorf("quoted(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestParagraph(t *testing.T) {
	t.Parallel()
	got := paragraph("# Brain\n\n- tea\n  - green\nuser: hi\n---\n")
	want := []string{`\# Brain`, "- tea", "- green", `\user: hi`, `\---`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paragraph: -want +got\n%s", diff)
	}
}

func FuzzQuoted(f *testing.F) {
	for _, s := range []string{"", "a  b", "# x", "<|x|>", "\xff", "user:", "-", "a\u202e\n#", "<\u2066|"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := quoted(s)
		if strings.ContainsAny(got, "\n\r\x00\u2028\u202e") || !utf8.ValidString(got) || strings.TrimSpace(got) != got {
			t.Errorf("quoted(%q) = %q is not one clean line", s, got)
		}
		if got != "" && (strings.IndexByte("#/=", got[0]) >= 0 || role(got) || fence(got)) || strings.Contains(got, "<|") || strings.Contains(got, "|>") {
			t.Errorf("quoted(%q) = %q could be taken for markup", s, got)
		}
		if again := fold(got); again != got {
			t.Errorf("fold(%q) = %q is not stable", got, again)
		}
	})
}

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
