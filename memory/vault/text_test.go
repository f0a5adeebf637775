package vault

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// texts are what a message may hold to forge a line, an id or a frame.
func texts() *rapid.Generator[string] {
	forged := rapid.SampledFrom([]string{
		"---", "\n", "\r\n", "^3f9a1c2b7d01", " ^3f9a1c2b7d01", "<!-- mneme: 0 -->", "<br>", "&#10;", "\\", "[[x]]", "![](http://x)", "## User", "- ", "%%", "\u202e", "\u00a0", " ", "\x00", "#", "^",
	})
	return rapid.Map(rapid.SliceOfN(rapid.OneOf(forged, rapid.String()), 0, 8), func(parts []string) string { return strings.ToValidUTF8(strings.Join(parts, ""), "?") })
}

func TestAnyTextIsOneLineAndComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "text")
		line := encode(s)
		if got := decode(line); got != s {
			t.Fatalf("%q is written %q and read %q", s, line, got)
		}
		if strings.ContainsAny(line, "\n\r") || blockID.MatchString(line) {
			t.Fatalf("%q is written %q: more than a text", s, line)
		}
		bare := line
		for _, quoted := range []string{`\\`, `\<`, `\[`, "<br>"} {
			bare = strings.ReplaceAll(bare, quoted, "")
		}
		if strings.ContainsAny(bare, "<[") {
			t.Fatalf("%q is written %q: HTML or a link", s, line)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`a \[b\] c`, "<br/>x", "&#10;", "&#x;", "&#99999999;", `\`, "&#55296;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := decode(s); utf8.ValidString(s) && decode(encode(got)) != got {
			t.Errorf("%q is read %q, which does not come back", s, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	p := page{kind: "brain", head: [][2]string{{"client", "c"}, {"user", `"a:b"`}, {"agent", "main"}}, title: "main - Brain", body: "## User\n- x ^3f9a1c2b7d01\n", base: []string{"3f9a1c2b7d01:00000000"}}
	f.Add(p.String())
	f.Add("---\n---\n<!-- mneme: 00000000000000000000000000000000 -->")
	f.Add("---\r\nmneme: 'brain'\r\n---\r\n- a\r\n")
	f.Add("\ufeff---\n")
	f.Fuzz(func(t *testing.T, raw string) {
		file, wrong := parse("brain.md", raw)
		if wrong == nil {
			wrong = file.of(p)
		}
		if wrong == nil {
			_, _ = file.brainLines("main - Brain")
			_ = file.digest("main - Brain")
		}
		if wrong != nil && (wrong.line < 1 || wrong.line > strings.Count(raw, "\n")+1 || wrong.note == "") {
			t.Errorf("%+v of a text of %d lines", *wrong, strings.Count(raw, "\n")+1)
		}
	})
}

func TestFolderNames(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"main": "main", "a-1_b": "a-1_b", "Jaskier": "jaskier-", "..": "__-", "con": "con-", "a:b": "a_b-", "a\\b": "a_b-", "ночь": "ночь-", "-x": "-x-",
	}
	seen := map[string]string{}
	for agent, want := range tests {
		got := folderName(agent)
		if got != want && (!strings.HasPrefix(got, want) || len(got) != len(want)+8) {
			t.Errorf("%q has folder %q, want %q", agent, got, want)
		}
		if other, taken := seen[strings.ToLower(got)]; taken {
			t.Errorf("%q and %q have one folder", agent, other)
		}
		seen[strings.ToLower(got)] = agent
	}
	if forged := folderName("Jaskier"); folderName(forged) == forged {
		t.Errorf("an agent of the name %q has the folder of Jaskier", forged)
	}
	if got := folderName(strings.Repeat("й", 64)); len(got) > mostName+9 || !utf8.ValidString(got) {
		t.Errorf("a long name: %q", got)
	}
}
