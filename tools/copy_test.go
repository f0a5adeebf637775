package tools_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/tools"
)

// describe is a tool's description of a schema, and of parameters.
func describe(t *testing.T, arguments string) *schema.ToolInfo {
	t.Helper()
	var info schema.ToolInfo
	must(t, json.Unmarshal([]byte(`{"name":"refund","desc":"Pays back.","has_params_one_of":true,`+arguments+`}`), &info))
	return &info
}

// print is how a description looks to a model.
func print(t *testing.T, info *schema.ToolInfo) string {
	t.Helper()
	s, err := info.ToJSONSchema()
	must(t, err)
	text, err := json.Marshal(s)
	must(t, err)
	return info.Name + " " + info.Desc + " " + string(text)
}

// A copy says what the original says, and shares nothing with it that a model may change.
func TestCopyInfos(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string]string{
		"none": `"params":{}`,
		"schema": `"json_schema":{"type":"object","required":["order","amount"],"properties":{"order":{"type":"string","enum":["b","a"]},"amount":{"type":["integer","null"]},
			"lines":{"type":"array","items":{"type":"object","required":["b","a"],"properties":{"b":{"$ref":"#/$defs/x"},"a":{"anyOf":[{"type":"object","required":["d","c"]},{"not":true}]}},
			"additionalProperties":false}}},"$defs":{"x":{"type":"object","required":["f","e"],"patternProperties":{"^p":{"required":["h","g"]}}}}}`,
		"parameters": `"params":{"order":{"Type":"string","Required":true},"amount":{"Type":"object","Required":true,"SubParams":{"b":{"Type":"string","Required":true},"a":{"Type":"string","Required":true}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info := describe(t, arguments)
			before := print(t, info)
			copies, err := tools.CopyInfos([]*schema.ToolInfo{info})
			must(t, err)
			if diff := cmp.Diff(before, print(t, copies[0])); diff != "" {
				t.Errorf("the copy (-original +copy):\n%s", diff)
			}
			s, err := copies[0].ToJSONSchema()
			must(t, err)
			for todo := append(s.AllOf[:0:0], s); len(todo) > 0; todo = todo[1:] { // what a model might do
				s := todo[0]
				slices.Sort(s.Required)
				s.Title = "changed"
				for p := s.Properties.Oldest(); p != nil; p = p.Next() {
					todo = append(todo, p.Value)
				}
				if s.Items != nil {
					todo = append(todo, s.Items)
				}
				todo = append(todo, s.AnyOf...)
				for _, d := range s.Definitions {
					todo = append(todo, d)
				}
				for _, d := range s.PatternProperties {
					todo = append(todo, d)
				}
			}
			if diff := cmp.Diff(before, print(t, info)); diff != "" {
				t.Errorf("the original was changed with the copy (-before +after):\n%s", diff)
			}
		})
	}
	if copies, err := tools.CopyInfos([]*schema.ToolInfo{{Name: "now"}}); err != nil || copies[0].ParamsOneOf != nil {
		t.Errorf("a tool without arguments: %+v, %v", copies, err)
	}
}
