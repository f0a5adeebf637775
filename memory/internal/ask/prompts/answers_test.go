package prompts

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

// facts makes key facts of labels and values in turn.
func facts(pairs ...string) Facts {
	var out Facts
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, state.Fact{Label: pairs[i], Value: pairs[i+1]})
	}
	return out
}

func decode[T any](t *testing.T, raw string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func TestText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Text{
		`" a "`: "a", `null`: "", `"null"`: "", `"None"`: "", `"N/A"`: "", `"<none>"`: "", `" - "`: "", `12.50`: "12.50",
		`true`: "true", `["a", null, 2]`: "a, 2", `{"a":"b","c":{"d":1}}`: "a: b, c: d: 1", `"Nonesuch"`: "Nonesuch", `"..."`: "",
	} {
		if got := decode[Text](t, raw); got != want {
			t.Errorf("Text of %s = %q, want %q", raw, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Number{
		`0.9`: {0.9, true}, `"0.9"`: {0.9, true}, `"0,9"`: {0.9, true}, `"90%"`: {0.9, true}, `" 90 % "`: {0.9, true}, `"9/10"`: {0.9, true},
		`1`: {1, true}, `0`: {0, true}, `-1`: {-1, true}, `null`: {}, `"high"`: {}, `"1/0"`: {}, `"1/x"`: {}, `"NaN"`: {}, `"Inf"`: {}, `1e999`: {}, `[]`: {},
	} {
		if got := decode[Number](t, raw); got != want {
			t.Errorf("Number of %s = %+v, want %+v", raw, got, want)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Texts{
		`["a"," b ","a",null,""]`:         {"a", "b"},
		`"a"`:                             {"a"},
		`"- a\n- b\n"`:                    {"a", "b"},
		`null`:                            nil,
		`"none"`:                          nil,
		`[{"action":"call"},["x","y"],3]`: {"action: call", "x, y", "3"},
	} {
		if diff := cmp.Diff(want, decode[Texts](t, raw)); diff != "" {
			t.Errorf("Texts of %s (-want +got):\n%s", raw, diff)
		}
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Facts{
		`{"b":"1","a":2,"c":null,"d":"","b":"3"}`:                                    facts("b", "3", "a", "2"),
		`{"a":["x","y"],"b":{"c":"d"}}`:                                              facts("a", "x, y", "b", "c: d"),
		`[{"label":"a","value":"1"},{"key":"b","value":2},{"name":"c","value":"3"}]`: facts("a", "1", "b", "2", "c", "3"),
		`[{"label":"x","key":"y","value":"1"}]`:                                      facts("x", "1"),
		`[{"a":"1"},{"b":"2"}]`:                                                      facts("a", "1", "b", "2"),
		`["a: 1","no label","b:2"]`:                                                  facts("a", "1", "b", "2"),
		`"- a: 1\n- b: 2"`:                                                           facts("a", "1", "b", "2"),
		`null`:                                                                       nil,
		`"none"`:                                                                     nil,
		`{"value":"1","name":"x"}`:                                                   facts("value", "1", "name", "x"),
	} {
		if diff := cmp.Diff(want, decode[Facts](t, raw)); diff != "" {
			t.Errorf("Facts of %s (-want +got):\n%s", raw, diff)
		}
	}
}

func TestFactsManyLabels(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 15_000 {
		fmt.Fprintf(&b, `,"k%d":"v"`, i)
	}
	got, err := JSON[verdict](`{"key_facts":{` + b.String()[1:] + `}}`)
	if err != nil || len(got.Facts) != 15_000 {
		t.Errorf("got %d facts, %v; want 15000", len(got.Facts), err)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"Car part order":                       "Car part order",
		"  \"Car part order\"\n":               "Car part order",
		"**Car part order**":                   "Car part order",
		"Title: „Objednávka dílu“":             "Objednávka dílu",
		"<think>hm</think>\nSummary: It came.": "It came.",
		"<think>hm, let me":                    "",
		"```\nIt came.\n```":                   "It came.",
		"```text\nIt came.\n```":               "It came.",
		"```It came.```":                       "It came.",
		"null":                                 "",
		"":                                     "",
		"He said: \"yes\", then \"no\"":        "He said: \"yes\", then \"no\"",
		"\"A\" and \"B\"":                      "\"A\" and \"B\"",
		"\"":                                   "\"",
		"Резюме: всё пришло":                   "всё пришло",
	} {
		if got := Plain(raw); got != want {
			t.Errorf("Plain(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                        `""`,
		"a\n b":                   `"a b"`,
		strings.Repeat("č", 80):   `"` + strings.Repeat("č", 80) + `"`,
		strings.Repeat("č", 81):   `"` + strings.Repeat("č", 80) + `"...`,
		strings.Repeat("ab ", 99): `"` + strings.Repeat("ab ", 26) + `ab"...`,
	} {
		if got := Excerpt(raw); got != want {
			t.Errorf("Excerpt(%q) = %s, want %s", raw, got, want)
		}
	}
}
