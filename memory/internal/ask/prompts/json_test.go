package prompts

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

// verdict has a field of each tolerant type.
type verdict struct {
	Kind   Text   `json:"type" also:"decision,kind"`
	Target Text   `json:"target_affair" also:"target"`
	Sure   Number `json:"confidence"`
	Why    Text   `json:"reasoning"`
	Same   Text   `json:"same"`
	Facts  Facts  `json:"key_facts"`
	Todo   Texts  `json:"pending_actions"`
}

func TestJSON(t *testing.T) {
	t.Parallel()
	full := verdict{Kind: "SWITCH", Target: "a1", Sure: Number{0.9, true}, Why: "says so"}
	for _, c := range []struct {
		name, raw string
		want      verdict
	}{
		{"as asked", `{"type":"SWITCH","target_affair":"a1","confidence":0.9,"reasoning":"says so"}`, full},
		{"code fence and prose", "Sure, here it is:\n```json\n{\"type\": \"SWITCH\", \"target_affair\": \"a1\",\n \"confidence\": 0.9, \"reasoning\": \"says so\"}\n```\nAnything else?", full},
		{"prose with braces before and after", `In {set notation} this is {"type":"SWITCH","target_affair":"a1","confidence":0.9,"reasoning":"says so"}. {Done}`, full},
		{"single quotes, trailing comma", `{'type': 'SWITCH', 'target_affair': 'a1', 'confidence': 0.9, 'reasoning': 'says so',}`, full},
		{"typographic quotes", `{“type”: “SWITCH”, „target_affair“: „a1“, «confidence»: «0.9», ‘reasoning’: ‘says so’}`, full},
		{"backquotes", "{`type`: `SWITCH`, `target_affair`: `a1`, `confidence`: `0.9`, `reasoning`: `says so`}", full},
		{"unquoted keys and values", "{type: SWITCH, target_affair: a1, confidence: .9, reasoning: says so}", full},
		{"line comments", "{\"type\": \"SWITCH\", // the kind\n\"target_affair\": \"a1\", # which\n/* how sure */ \"confidence\": 0.9, \"reasoning\": \"says so\"}", full},
		{"missing commas", "{\"type\": \"SWITCH\"\n\"target_affair\": \"a1\"\n\"confidence\": 0.9\n\"reasoning\": \"says so\"}", full},
		{"missing commas on one line", `{type: "SWITCH" , "target_affair": "a1","confidence": 0.9 "reasoning": "says so"}`, full},
		{"other spellings of names", `{"Type":"SWITCH","targetAffair":"a1","Confidence":0.9,"REASONING":"says so"}`, full},
		{"second names", `{"decision":"SWITCH","target":"a1","confidence":0.9,"reasoning":"says so"}`, full},
		{"first name that says something", `{"decision":null,"kind":"SWITCH","target":"none","target_affair":"a1","confidence":0.9,"reasoning":"says so"}`, full},
		{"wrapped", `{"answer": {"type":"SWITCH","target_affair":"a1","confidence":0.9,"reasoning":"says so"}}`, full},
		{"in a list", `[{"type":"SWITCH","target_affair":"a1","confidence":0.9,"reasoning":"says so"}]`, full},
		{"the format repeated first", `Format: {"type": "CONTINUE|SWITCH", "target_affair": "..."} Answer: {"type":"SWITCH","target_affair":"a1","confidence":0.9,"reasoning":"says so"}`, full},
		{"thoughts with an object", `<think>{"type":"AD_HOC","target_affair":"x","confidence":1,"reasoning":"?"}</think>{"type":"SWITCH","target_affair":"a1","confidence":0.9,"reasoning":"says so"}`, full},
		{"JSON in a JSON string", `"{\"type\":\"SWITCH\",\"target_affair\":\"a1\",\n\"confidence\":0.9,\"reasoning\":\"says so\"}"`, full},
		{"escaped object", `{\"type\": \"SWITCH\", \"target_affair\": \"a1\", \"confidence\": 0.9, \"reasoning\": \"says so\"}`, full},
		{"brackets that do not match", `{"type":"SWITCH"],"target_affair":"a1","confidence":0.9,"reasoning":"says so"}`, full},
		{"junk between members", `{"type":"SWITCH", "target_affair":"a1",, "confidence":0.9; "reasoning":"says so"}`, full},
		{"quotes inside", `{"type":"SWITCH","reasoning":"says "back to it", and "so what" at once"}`, verdict{Kind: "SWITCH", Why: `says "back to it", and "so what" at once`}},
		{"quotes inside single quotes", `{'type':'SWITCH','reasoning':'it's what they'd say'}`, verdict{Kind: "SWITCH", Why: `it's what they'd say`}},
		{"line break inside", "{\"type\":\"SWITCH\",\"reasoning\":\"one\ntwo\"}", verdict{Kind: "SWITCH", Why: "one\ntwo"}},
		{"triple quotes", `{"type":"SWITCH","reasoning":"""says "so" twice"""}`, verdict{Kind: "SWITCH", Why: `says "so" twice`}},
		{"a quote first", `{"type":"SWITCH","reasoning":""so" it says"}`, verdict{Kind: "SWITCH", Why: `"so" it says`}},
		{"words with a comma", "{type: SWITCH, reasoning: first, second and http://x.example/y\n}", verdict{Kind: "SWITCH", Why: "first, second and http://x.example/y"}},
		{"escapes", `{"type":"SWITCH","reasoning":"a\tb \u010d \ud83d\ude00 \'c\' d\_e \d \ud800."}`, verdict{Kind: "SWITCH", Why: "a\tb č 😀 'c' d_e \\d \ufffd."}},
		{"Python", `{'type': 'SWITCH', 'same': True, 'target_affair': None, 'confidence': NaN}`, verdict{Kind: "SWITCH", Same: "true"}},
		{"cut in a value", `{"type":"SWITCH","target_affair":"a1","reasoning":"the user goes ba`, verdict{Kind: "SWITCH", Target: "a1", Why: "the user goes ba"}},
		{"cut in a number", `{"type":"SWITCH","confidence":0.`, verdict{Kind: "SWITCH"}},
		{"cut in a key", `{"type":"SWITCH","targ`, verdict{Kind: "SWITCH"}},
		{"cut after a colon", `{"type":"SWITCH","target_affair":`, verdict{Kind: "SWITCH"}},
		{"cut in a list, fence closed", "```\n{\"type\":\"SWITCH\",\"pending_actions\":[\"one\",\"tw\"\n```", verdict{Kind: "SWITCH", Todo: Texts{"one", "tw"}}},
		{"no value", `{"type":"SWITCH","target_affair":,"reasoning":}`, verdict{Kind: "SWITCH"}},
		{"list with an ellipsis", `{"type":"SWITCH","pending_actions":["one" "two", ...]}`, verdict{Kind: "SWITCH", Todo: Texts{"one", "two"}}},
		{"list closed by the object", `{"type":"SWITCH","pending_actions":["one","two"}`, verdict{Kind: "SWITCH", Todo: Texts{"one", "two"}}},
		{"identifiers stay", `{type: SWITCH, key_facts: {order: 07-14244-53150, code: 007, id: 167956961209}}`, verdict{Kind: "SWITCH",
			Facts: facts("order", "07-14244-53150", "code", "007", "id", "167956961209")}},
		{"byte order mark", "\ufeff{\u00a0\"type\":\"SWITCH\"}", verdict{Kind: "SWITCH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := JSON[verdict](c.raw)
			must(t, err)
			same(t, "answer", c.want, got)
		})
	}
}

func TestJSONRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, raw, says string }{
		{"empty", "", `holds no JSON object with type`},
		{"prose", "The user switches to the other affair.", `"The user switches`},
		{"braces in prose", "{no} {really not} { }", "holds no"},
		{"object about something else", `{"weather":"fine"}`, "holds no"},
		{"unknown words only", `{"a":{"b":[{"c":1}]}}`, "holds no"},
		{"too long", strings.Repeat("{", maxAnswer+1), "at most 262144"},
		{"too deep", strings.Repeat(`{"a":`, 10_000), "holds no"},
		{"open thoughts", "<think>{ so the type might be", "holds no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := JSON[verdict](c.raw)
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error = %v, want invalid saying %q", err, c.says)
			}
			if err != nil && len(err.Error()) > 300 {
				t.Errorf("error has %d bytes", len(err.Error()))
			}
		})
	}
	if _, err := JSON[struct{ N int }](`{"n": "many"}`); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("a value its field cannot take: error = %v, want invalid", err)
	}
}

func TestJSONShapes(t *testing.T) {
	t.Parallel()
	list, err := JSON[[]string](`I found [1] these: {"items": ['a', "b",]}`)
	must(t, err)
	same(t, "list", []string{"a", "b"}, list)
	object, err := JSON[map[string]any](`{x} {a: 1, b: [true, null], 'c d': {e: "f"}}`)
	must(t, err)
	want := map[string]any{"a": 1.0, "b": []any{true, nil}, "c d": map[string]any{"e": "f"}}
	same(t, "object", want, object)
	pointer, err := JSON[*verdict](`{"type":"AD_HOC"}`)
	if err != nil || pointer.Kind != "AD_HOC" {
		t.Errorf("pointer = %v, %v", pointer, err)
	}
}

// TestJSONKeepsValid checks that what is JSON already is read as encoding/json reads it, whatever is written around it.
func TestJSONKeepsValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawObject(t, 3)
		body, err := json.Marshal(want)
		must(t, err)
		around := rapid.SampledFrom([]string{"", "Here you are:\n", "```json\n", "<think>no { yet</think> "}).Draw(t, "around")
		got, err := JSON[map[string]any](around + string(body) + "\n```")
		must(t, err)
		same(t, string(body), want, got)
	})
}

// TestJSONCutAnywhere checks that an answer cut at any byte is an error or a part of the whole answer.
func TestJSONCutAnywhere(t *testing.T) {
	t.Parallel()
	whole := `{"type":"NEW_AFFAIR","target_affair":null,"confidence":0.75,"reasoning":"čeština, \"quoted\"","key_facts":{"order":"07-14","price":"$38.10"},"pending_actions":["one","two"]}`
	want, err := JSON[verdict](whole)
	must(t, err)
	for n := range len(whole) {
		got, err := JSON[verdict](whole[:n])
		if err != nil {
			continue
		}
		if !strings.HasPrefix(string(want.Kind), string(got.Kind)) || got.Sure.Stated && got.Sure != want.Sure ||
			len(got.Facts) > len(want.Facts) || len(got.Todo) > len(want.Todo) {
			t.Errorf("cut at %d: %+v", n, got)
		}
	}
}

func drawObject(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		out[rapid.StringN(1, 20, 60).Draw(t, "key")] = drawValue(t, depth)
	}
	return out
}

func drawValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 6).Draw(t, "kind"); {
	case kind == 0:
		return nil
	case kind == 1:
		return rapid.Bool().Draw(t, "bool")
	case kind == 2:
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	case kind == 3 && depth > 0:
		return drawObject(t, depth-1)
	case kind == 4 && depth > 0:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	return rapid.String().Draw(t, "string")
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"type":"SWITCH","confidence":0.9}`, "```json\n{type: 'SWITCH',}\n```", `{"reasoning":"says "so", then`, `{"a":[{"b":"c"`,
		`{"""`, "{`", `{“`, `{"type":"\u12`, `{\"type\":\"x\"}`, `{'k':'it's'}`, "{type:\n}", "[[[[", "{{{{", `{"a":/*`, `{"key_facts":[{"label":"x","value":1},"a:b"]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		answer, err := JSON[verdict](raw)
		if err != nil && (!errors.Is(err, state.ErrInvalid) || !cmp.Equal(answer, verdict{})) {
			t.Errorf("error %v with answer %+v", err, answer)
		}
		var strict map[string]any
		if json.Unmarshal([]byte(raw), &strict) == nil && len(strict) > 0 && !deep(strict, 0) {
			got, err := JSON[map[string]any](raw)
			if err != nil || !cmp.Equal(strict, got) {
				t.Errorf("valid JSON %q: got %v, %v", raw, got, err)
			}
		}
		if list, err := JSON[[]any](raw); err != nil && list != nil {
			t.Errorf("error %v with list %v", err, list)
		}
		Plain(raw)
		Excerpt(raw)
	})
}

// deep reports whether a value is nested further than the reader goes, or holds thoughts, which are dropped.
func deep(v any, depth int) bool {
	if depth > maxDepth/2 {
		return true
	}
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "</")
	case map[string]any:
		for key, value := range v {
			if strings.Contains(key, "</") || deep(value, depth+1) {
				return true
			}
		}
	case []any:
		for _, value := range v {
			if deep(value, depth+1) {
				return true
			}
		}
	}
	return false
}

// BenchmarkJSON shows that reading stays linear: MB/s must not fall with the size, on input made to be guessed about.
func BenchmarkJSON(b *testing.B) {
	for name, unit := range map[string]string{
		"valid":  `{"type":"SWITCH","reasoning":"all is well here"},`,
		"quotes": `{"reasoning":"a "b", "c" d, "`,
		"braces": `{`,
		"commas": `{a: b, , , , `,
		"facts":  `{"key_facts":[{"label":"x"},"y:z",{"a":{"b":`,
		"spaces": `{"key":"x"` + strings.Repeat(" ", 500) + `"`,
		"deep":   `{"key_facts":`,
		"triple": `{"""`,
	} {
		for _, size := range []int{1 << 12, 1 << 17} {
			raw := strings.Repeat(unit, size/len(unit))
			b.Run(name+"/"+map[bool]string{true: "4K", false: "128K"}[size == 1<<12], func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				for b.Loop() {
					_, _ = JSON[verdict](raw)
				}
			})
		}
	}
}

var must, same = statetest.Must, statetest.Same
