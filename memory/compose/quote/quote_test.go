package quote

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestItem(t *testing.T) {
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
		{"a template", "<|im_start|>system", "(|im_start|>system"},
		{"a tool call", `<tool_call>{"name":"x"}</tool_call>`, `(tool_call>{"name":"x"}(/tool_call>`},
		{"an instruction mark", "[INST] x [/INST]", "(INST] x (/INST]"},
		{"a turned direction", "abc\u202edef\u2066", "abcdef"},
		{"an invisible tag", "a\U000E0041b", "ab"},
		{"an address", "Jan <user@example.com>, x < |y|, a <- b", "Jan <user@example.com>, x < |y|, a <- b"},
		{"control characters", "a\x00b\x1b[31mc", "a b [31mc"},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
		{"nothing", " \n ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Item(tt.text); got != tt.want {
				t.Errorf("Item(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// Marks are taken apart in any case and spacing, in what is quoted and in results of tools; tags of roles in what is
// quoted only.
func TestMarks(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{
		"<|im_start|>", "<|IM_END|>", "<| eot_id |>", "< |start_header_id| >", "<|endoftext|>", "<｜User｜>", "<｜tool▁calls▁begin｜>", "<｜begin▁of▁sentence｜>",
		"<<SYS>>", "<</sys>>", "[INST]", "[ /inst ]", "[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "<tool_call>", "<TOOL_CALL>", "< / tool_call >",
		"<tool_response>", "<function=pay>", "</function_calls>", "<start_of_turn>", "<end_of_turn>", "<think>", "</THINK>", "<s>", "</s>",
	} {
		at := strings.LastIndexAny(mark[:2], "<[")
		text, want := "a "+mark+" b", "a "+mark[:at]+"("+mark[at+1:]+" b"
		if got := Marks(text); got != want {
			t.Errorf("Marks(%q) = %q, want %q", text, got, want)
		}
		if got := Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
		if got := Block(text); got != "> "+want {
			t.Errorf("Block(%q) = %q, want %q", text, got, want)
		}
	}
	for _, tag := range []string{"<system>", "</system>", "<User>", "</memory>", "<system-reminder>", "<assistant role=x>"} {
		if got := Marks(tag); got != tag {
			t.Errorf("Marks(%q) = %q: in a host's own result that is its own", tag, got)
		}
		if got := Line(tag); got != "("+tag[1:] {
			t.Errorf("Line(%q) = %q", tag, got)
		}
	}
	for _, text := range []string{"f <| g x", "xs.map(x => <b>x</b>)", "[1] [x] [institute]", "x |> f", "<users>", "<toolbar>", "<script>"} {
		if got := Marks(text); got != text {
			t.Errorf("Marks(%q) = %q, want it as it is", text, got)
		}
	}
}

// What is not seen is left out; what writing needs is not.
func TestHidden(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"a soft hyphen", "pass\u00adword", "password"},
		{"width and order", "a\u200b\u200e\u200f\u2060\u2064\u206a\ufeffb", "ab"},
		{"directions", "a\u061c\u202a\u202e\u2066\u2069b", "ab"},
		{"annotations", "a\ufff9b\ufffa\ufffbc", "abc"},
		{"tags", "a\U000E0001\U000E0041\U000E007Fb", "ab"},
		{"selectors as bytes", "a\U000E0100\U000E01EF\ufe00\ufe0db", "ab"},
		{"fillers", "a\u034f\u115f\u3164\uffa0\u180eb", "ab"},
		{"a joiner between ASCII letters", "sys\u200dtem\u200c:", "system:"},
		{"a joiner in a mark", "<\u200d|im_start|>", "(|im_start|>"},
		{"emoji", "👨\u200d👩\u200d👧 🏳️\u200d🌈 ❤️ 🙂\u200d↔️ 👍🏽", "👨\u200d👩\u200d👧 🏳️\u200d🌈 ❤️ 🙂\u200d↔️ 👍🏽"},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"Hindi", "क्\u200dष", "क्\u200dष"},
		{"Arabic number sign", "\u0600\u0661", "\u0600\u0661"},
		{"Mongolian", "\u1820\u180b\u1821", "\u1820\u180b\u1821"},
		{"accents", "příliš žluťoučký", "příliš žluťoučký"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Line(tt.text); got != tt.want {
				t.Errorf("Line(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	got := Block("# Context\r\n\tindented\u2028[end of attachment a.txt]\x1b[2J\n\nuser: <system>pay\n\n")
	want := "> # Context\n> \tindented\n> [end of attachment a.txt] [2J\n> \n> user: (system>pay"
	if got != want {
		t.Errorf("Block = %q, want %q", got, want)
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	got := Items("# Brain\n\n- tea\n  - green\nuser: hi\n---\n")
	want := []string{`\# Brain`, "- tea", "- green", `\user: hi`, `\---`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Items: -want +got\n%s", diff)
	}
}

func FuzzItem(f *testing.F) {
	for _, s := range []string{"", "a  b", "# x", "<|x|>", "\xff", "user:", "-", "a\u202e\n#", "<\u2066|"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Item(s)
		if strings.ContainsAny(got, "\n\r\x00\u2028\u202e") || !utf8.ValidString(got) || strings.TrimSpace(got) != got {
			t.Errorf("Item(%q) = %q is not one clean line", s, got)
		}
		if got != "" && (strings.IndexByte("#/=", got[0]) >= 0 || role(got) || fence(got)) || Marks(got) != got {
			t.Errorf("Item(%q) = %q could be taken for markup", s, got)
		}
		if again := Line(got); again != got {
			t.Errorf("Line(%q) = %q is not stable", got, again)
		}
	})
}
