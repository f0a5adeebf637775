package prompts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sloppy writes JSON the way small models do: each choice is one that the reader promises to understand.
type sloppy struct {
	t *rapid.T
	b strings.Builder
}

func (s *sloppy) pick(label string, choices ...string) string {
	return rapid.SampledFrom(choices).Draw(s.t, label)
}

// space puts a line break, a comment or nothing between two tokens.
func (s *sloppy) space() {
	s.b.WriteString(s.pick("space", "", " ", "\n  ", "\t", " // so it is\n", "\n# note\n", " /* , : } */ "))
}

func (s *sloppy) object(members map[string]any, keys []string) {
	s.b.WriteString("{")
	for i, key := range keys {
		s.space()
		s.b.WriteString(s.quoted(key, "", `"`, `'`, "“", "`"))
		s.b.WriteString(s.pick("colon", ":", ": ", " : "))
		s.value(members[key])
		s.comma(i == len(keys)-1)
	}
	s.space()
	s.b.WriteString("}")
}

// comma ends a member: with a comma, with two, or with a line break only.
func (s *sloppy) comma(last bool) {
	if last {
		s.b.WriteString(s.pick("end", "", ",", "\n", ",,"))
		return
	}
	s.b.WriteString(s.pick("comma", ",", ", ", ",\n", "\n", ",,"))
}

func (s *sloppy) value(v any) {
	switch v := v.(type) {
	case string:
		s.b.WriteString(s.quoted(v, `"`, `'`, "“", "„", `"""`))
	case bool:
		s.b.WriteString(map[bool]string{true: s.pick("yes", "true", "True", "TRUE"), false: s.pick("no", "false", "False")}[v])
	case nil:
		s.b.WriteString(s.pick("null", "null", "None", "NaN", "undefined"))
	case []any:
		s.b.WriteString("[")
		for i, item := range v {
			s.space()
			s.value(item)
			s.comma(i == len(v)-1)
		}
		s.b.WriteString("]")
	case map[string]any:
		s.object(v, sortedKeys(v))
	}
}

func (s *sloppy) quoted(text string, styles ...string) string {
	switch open := s.pick("quote", styles...); open {
	case "“":
		return "“" + text + "”"
	case "„":
		return "„" + text + "“"
	default:
		return open + text + open
	}
}

func sortedKeys(m map[string]any) []string {
	var out []string
	for _, key := range []string{"type", "target_affair", "a1", "reasoning", "číslo"} {
		if _, ok := m[key]; ok {
			out = append(out, key)
		}
	}
	return out
}

func drawSloppy(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"type", "target_affair", "a1", "reasoning", "číslo"}), 1, 4, rapid.ID).Draw(t, "keys") {
		out[key] = drawSloppyValue(t, depth)
	}
	return out
}

func drawSloppyValue(t *rapid.T, depth int) any {
	text := rapid.SampledFrom([]string{"SWITCH", "", "don't go", "he said, and left", "a (b) [c] {d}", "07-14244-53150", "kdy to dorazí?", "see http://x.example/a, b", "50 % / 2", "line\nbreak", "so it is."})
	switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
	case kind == 0:
		return nil
	case kind == 1:
		return rapid.Bool().Draw(t, "bool")
	case kind == 2 && depth > 0:
		return drawSloppy(t, depth-1)
	case kind == 3 && depth > 0:
		items := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, text.Draw(t, "item"))
		}
		return items
	}
	return text.Draw(t, "text")
}

// TestJSONReadsSloppyWriting checks that every combination of the habits above is read as what was meant.
func TestJSONReadsSloppyWriting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawSloppy(t, 2)
		s := &sloppy{t: t}
		s.b.WriteString(s.pick("before", "", "Sure:\n", "```json\n", "Answer {as asked}: "))
		s.object(want, sortedKeys(want))
		s.b.WriteString(s.pick("after", "", "\n```\n", "\nHope it helps.", "\n{ok}"))
		got, err := JSON[map[string]any](s.b.String())
		if err != nil {
			t.Fatalf("%s: %v", s.b.String(), err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.b.String(), diff)
		}
	})
}
