package prompts

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLiteral(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"true": "true", "True": "true", "FALSE": "false", "None": "null", "undefined": "null", "NaN": "null", "-Infinity": "null",
		"0": "0", "-1.5e3": "-1.5e3", ".5": "0.5", "+1": "1", "+.5": "0.5",
		"5.": `"5."`, "007": `"007"`, "+007": `"+007"`, "1-2": `"1-2"`, "1e": `"1e"`, "+": `"+"`, ".": `"."`, "+.": `"+."`, "-": `"-"`, "90%": `"90%"`,
		"SWITCH": `"SWITCH"`, `a"b`: `"a\"b"`, "čaj": `"čaj"`, "\xff": `"\ufffd"`,
	} {
		if got := literal(word); got != want || !json.Valid([]byte(got)) {
			t.Errorf("literal(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestUnescaped(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		`plain`: "plain", `a\nb\tc`: "a\nb\tc", `\"\\\/`: `"\/`, `\u010d`: "č", `\ud83d\ude00`: "😀", `\ud83d`: "\ufffd", `\ud83dx`: "\ufffdx",
		`\ud83d\u0041`: "\ufffdA", `\u12`: "u12", `\uzzzz`: "uzzzz", `\'`: "'", `\_\*`: "_*", `C:\dir`: `C:\dir`, `end\`: "end", `\č`: `\č`, `\u+123`: "u+123",
	} {
		if got := unescaped(s); got != want {
			t.Errorf("unescaped(%s) = %q, want %q", s, got, want)
		}
	}
}

// TestUnescapedIsJSON checks that every string JSON can write is read as JSON reads it.
func TestUnescapedIsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		b, err := json.Marshal(want)
		must(t, err)
		if got := unescaped(strings.Trim(string(b), `"`)); !strings.HasSuffix(want, `"`) && !strings.HasPrefix(want, `"`) && got != want {
			t.Errorf("unescaped(%s) = %q, want %q", b, got, want)
		}
		if got := quote(want); !json.Valid([]byte(got)) || strings.Contains(got, "\n") {
			t.Errorf("quote(%q) = %s", want, got)
		}
	})
}

func TestBeginsMember(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("x", 2*ahead)
	for s, want := range map[string]bool{
		"": true, "  ": true, "}": true, ` "key": 1`: true, `'key' : 1`: true, "“key”: 1": true, "key: 1": true, "new-key : 1": true, "číslo: 1": true,
		"// comment": true, "# comment": true, `"a \" b": 1`: true, `"cut ke`: true, `"cut key"`: true, ",, key: 1": true,
		" and then": false, `"said" so`: false, "then left: right": false, "http://x.example": false, "]": false, "1.5: x": false,
		`"` + far + `": 1`: false, `"` + far: false,
	} {
		if got := beginsMember(s); got != want {
			t.Errorf("beginsMember(%.40q) = %t, want %t", s, got, want)
		}
	}
}

func TestShape(t *testing.T) {
	t.Parallel()
	s := shapeOf(reflect.TypeFor[struct {
		A      string `json:"target_affair,omitempty" also:"target"`
		B      string
		Target string `json:"-"`
	}]())
	for key, want := range map[string]string{"target_affair": "target_affair", "TargetAffair": "target_affair", "target-affair": "target_affair", "TARGET": "target_affair", "b": "B", "other": "", "": ""} {
		if got := s.names[squash(key)]; got != want {
			t.Errorf("key %q is for field %q, want %q", key, got, want)
		}
	}
	for got, want := range map[string]string{
		s.String(): "JSON object with target_affair, B",
		shapeOf(reflect.TypeFor[[]string]()).String():       "JSON array",
		shapeOf(reflect.TypeFor[map[string]any]()).String(): "JSON object",
	} {
		if got != want {
			t.Errorf("shape %q, want %q", got, want)
		}
	}
}
