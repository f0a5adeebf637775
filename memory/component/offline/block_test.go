package offline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCited(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]line{
		"a: b (record fact, 2026-01-01)":         {"a: b", "record fact, 2026-01-01"},
		"a (x) (message 3, user, 2026-01-01)":    {"a (x)", "message 3, user, 2026-01-01"},
		`a (affair "T (old)", key fact)`:         {"a", `affair "T (old)", key fact`},
		"no source":                              {"no source", ""},
		"(only a source)":                        {"", "only a source"},
		"unbalanced)":                            {"unbalanced)", ""},
		"cut off … (record fact, 2026-01-01)":    {"cut off …", "record fact, 2026-01-01"},
		"a parenthesis (that is not at the) end": {"a parenthesis (that is not at the) end", ""},
	} {
		if diff := cmp.Diff(want, cited(give), cmp.AllowUnexported(line{})); diff != "" {
			t.Errorf("cited(%q) (-want +got):\n%s", give, diff)
		}
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"Answer in the language of the question (cs). Today is 2026-11-21, a Saturday.": "cs",
		"Answer in the language of the question.":                                       "",
		"": "",
	} {
		if got := named(give); got != want {
			t.Errorf("named(%q) = %q, want %q", give, got, want)
		}
	}
}

// Any text can be parsed, and nothing is in the block that was not in the text.
func FuzzParse(f *testing.F) {
	f.Add("## Active affair: T\nStatus: ACTIVE\nSummary: s\nKey facts:\n- a: b\nWaiting for:\n- c\nRecent messages:\n- user: d\n## Parked affairs\n- P (PARKED) — 1 pending")
	f.Add("## Evidence\n- a (affair \"T\", key fact)\n- ((\n- ))\n-  \n## \n## Brain\n\\# x")
	f.Add("\n\n# \n- \n\xff(\xff)")
	f.Fuzz(func(t *testing.T, text string) {
		b := parse(text)
		all := append([]string{b.active.title}, b.active.pending...)
		all = append(append(all, b.active.recent...), b.parked...)
		for _, x := range b.active.facts {
			all = append(all, x.Label, x.Value)
		}
		for _, l := range append(b.evidence, b.notes...) {
			title, part := l.origin()
			all = append(all, l.text, title, part)
			if title != "" && !strings.HasPrefix(l.source, "affair ") {
				t.Errorf("%+v has the title %q", l, title)
			}
		}
		for _, s := range all {
			if !strings.Contains(text, s) {
				t.Errorf("%q is not in %q", s, text)
			}
		}
	})
}
