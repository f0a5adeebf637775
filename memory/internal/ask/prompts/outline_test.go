package prompts

import (
	"strings"
	"testing"
)

// colours is a heading of these tests.
func colours(heading string) bool { return strings.EqualFold(heading, "colours") }

func TestOutline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw string
		want      []Section
	}{
		{"headings and bullets", "# Colours\n- red\n* green\n• blue\n1. white\n2) black\n## Rest\nplain\n",
			[]Section{{}, {"Colours", []string{"red", "green", "blue", "white", "black"}}, {"Rest", []string{"plain"}}}},
		{"a heading in bold", "**Colours**\n- red", []Section{{}, {"Colours", []string{"red"}}}},
		{"a heading with a colon", "Colours: red\n", []Section{{}, {"Colours", []string{"red"}}}},
		{"bold with a colon", "**Colours:**\nred", []Section{{}, {"Colours", []string{"red"}}}},
		{"a bullet is no heading", "- Colours: red", []Section{{Lines: []string{"Colours: red"}}}},
		{"thoughts, fence and rule", "<think># Colours</think>\n```markdown\n# Colours\n---\nred\n```", []Section{{}, {"Colours", []string{"red"}}}},
		{"emphasis around a line", "- **red**\n- \"green\"", []Section{{Lines: []string{"red", "green"}}}},
		{"years stay", "2026 was good", []Section{{Lines: []string{"2026 was good"}}}},
		{"nothing", "", []Section{{}}},
		{"too much", strings.Repeat("x", maxAnswer+1), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			same(t, "sections", c.want, Outline(c.raw, colours))
		})
	}
}

func FuzzOutline(f *testing.F) {
	for _, s := range []string{"# Colours\n- red", "**Colours**: red", "1. 2) - * x", "**", "colours:", "\xff\n#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		n := 0
		for _, s := range Outline(raw, colours) {
			n += len(s.Heading)
			for _, line := range s.Lines {
				if n += len(line); line == "" || strings.Contains(line, "\n") {
					t.Errorf("line %q", line)
				}
			}
		}
		if n > len(raw) {
			t.Errorf("%d bytes of %d", n, len(raw))
		}
	})
}
