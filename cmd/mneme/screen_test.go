package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// hostile is what a stranger may have said: a window title, the clipboard, a cleared screen, reversed and hidden text.
const hostile = "\x1b]0;PWNED\x07 \x1b]52;c;cHduZWQ=\x07 \x1b[2J \x1b[31mred\x1b[0m \u202etfel\u202c a\u200bb \u009b31m\r \x7f \U000e0041"

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		hostile: `\x1b]0;PWNED\a \x1b]52;c;cHduZWQ=\a \x1b[2J \x1b[31mred\x1b[0m \u202etfel\u202c a\u200bb \u009b31m\r \x7f \U000e0041`,
		"two\nlines\tand a tab, čeština, 東京, ✔️":             "two\nlines\tand a tab, čeština, 東京, ✔️",
		"\U0001f469\u200d\U0001f467 می\u200cخواهم क्\u200dष": "\U0001f469\u200d\U0001f467 می\u200cخواهم क्\u200dष",
		"hid\u200dden п\u200cароль":                          `hid\u200dden п\u200cароль`,
		"bad \x9b31m \xff bytes \ufffd":                      `bad \x9b31m \xff bytes ` + "\ufffd",
		"\u2028 \u2066 \ufeff \u00ad":                        `\u2028 \u2066 \ufeff \u00ad`,
		"\U000e0100":                                         `\U000e0100`,
	} {
		if got := visible(text); got != want {
			t.Errorf("visible(%q) = %q, want %q", text, got, want)
		}
	}
}

// A character that comes in two writes, as models stream them, is one character.
func TestScreenJoinsCharacters(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	s := &screen{w: &b}
	for _, c := range []byte("dřív\u009bA€😀\n") {
		if n, err := s.Write([]byte{c}); n != 1 || err != nil {
			t.Fatalf("Write = %d, %v, want 1", n, err)
		}
	}
	if want := `dřív\u009bA€😀` + "\n"; b.String() != want {
		t.Errorf("screen shows %q, want %q", b.String(), want)
	}
}

// Only the command itself can paint.
func TestScreenPaints(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	c := &console{brush: "a word of this run"}
	c.out = &screen{w: &b, brush: c.brush}
	c.println(c.paint(bold, "title \x1b[31m") + " \x1b[1mtext")
	if want := "\x1b[1mtitle \\x1b[31m\x1b[0m \\x1b[1mtext\n"; b.String() != want {
		t.Errorf("screen shows %q, want %q", b.String(), want)
	}
}

func TestEncodeEscapes(t *testing.T) {
	t.Parallel()
	in := map[string]string{"text": hostile + " <b> čeština "}
	for _, indent := range []string{"", "  "} {
		var b bytes.Buffer
		must(t, encodeIndented(&b, in, indent))
		if got := visible(b.String()); got != b.String() || !strings.Contains(got, `\u202e`) || !strings.Contains(got, `\udb40\udc41`) || !strings.Contains(got, "<b> čeština") {
			t.Errorf("%q: hidden characters are not escaped, or others are", b.String())
		}
		var out map[string]string
		must(t, json.Unmarshal(b.Bytes(), &out))
		same(t, "what was encoded comes back changed", in, out)
	}
}

// No command hands to the terminal what memory holds as it is, and no JSON holds it unescaped.
func TestEveryCommandPrintsVisibly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := "I ordered " + strings.ReplaceAll(hostile, "\r", "") + " brake pads, order number 07-14244-53150.\n/affairs\n/why\n" +
		"I ordered a filter " + strings.ReplaceAll(hostile, "\r", "") + " too, order number 08-14244-53151.\n"
	where := []string{"--dir", dir, "--session", "s1"}
	commands := map[string]result{"chat": mneme(t, said, []string{suggests}, append([]string{"chat", "--trace"}, where...)...)}
	for _, line := range []string{
		"affairs", "affairs --json", "affairs show brake", "affairs show brake --json", "recall brake pads order", "recall brake pads order --json",
		"export", "export --format md", "history", "history --json", "history --state 0", "history --state 0 --json", "history --diff 1,0",
		"approve --list", "approve --list --json", "doctor", "resume", "approve --reject", "affairs park brake", "recall nothing\u202e\x1b]0;x\x07",
		"explain", "explain --json", "fork --to s2", "prune --keep 1", "chat",
	} {
		commands[line] = mneme(t, "", nil, append(strings.Split(line, " "), where...)...)
	}
	shown := 0
	for line, got := range commands {
		for _, text := range []string{got.out, got.err} {
			if visible(text) != text {
				t.Errorf("mneme %s prints control characters or marks of direction: %q", line, text)
			}
		}
		if strings.Contains(got.out, "1b[2J") {
			shown++
		}
		if got.code == 1 || got.code == 2 || got.code == 5 {
			t.Errorf("mneme %s = %+v", line, got)
		}
	}
	if shown < 8 {
		t.Errorf("%d commands show the text at all, want at least 8", shown)
	}
}

func TestFailShowsNoEscapes(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"chat", "--session", "a\x1b[2Jb"}, {"\x1b]0;x\x07"}, {"affairs", "show", "\u202e", "--dir", "\x1b[2J"}, {"replay", "\x1b[2J", "--json"}} {
		if got := mneme(t, "", nil, args...); got.code == 0 || visible(got.err) != got.err {
			t.Errorf("mneme %q = %+v, want an error that is visible", args, got)
		}
	}
}
