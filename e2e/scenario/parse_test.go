package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

const whole = `# every key once
name: every key
language: cs
now: 2026-02-15T21:00:00Z
scope: {client: c1, user: u1}
settings: {sliding_summary_window: 4, detect: rules}
turns:
  - user: "Kdy dorazí?"
    at: +5m
    session: s2
    scope: {agent: a2}
    restart: true
    model:
      - call: memory_recall
        args: {query: díl, scope: all}
      - calls:
          - call: list_affairs
          - {call: memory_store, args: "{broken"}
      - say: Dorazí 20. 2.
    background:
      detect: {type: AD_HOC, target_affair: Díl, new_affair_title: null, confidence: 0.9, ids: [1, "2"]}
      park: raw text
      fail: [summary]
    fail: respond
    crash: after respond/tool:memory_store#2
    approve: {edit: {cena: 38.10}}
    expect:
      decision: AD_HOC
      target: Díl
      active: null
      parked: [/díl|part/]
      status: {Díl: PARKED}
      facts: {Díl: {cena: 38.10, objednávka: 07-14244-53150}}
      facts_contain: {/d/: ["38.10"]}
      affairs: 1
      tools: []
      reply_contains: [20. 2.]
      reply_excludes: [škola]
      context_contains: [a]
      context_excludes: [b]
      max_context_tokens: 8000
      recall:
        - {query: q, contains: c, rank: 1}
        - {query: q, scope: current, as_of: "2026-01-01T00:00:00Z", absent: c}
      records: {fact: 1}
      context_order: [a, b]
      pending_approval: 0
      error: conflict
---
turns: [{command: /clear}]
`

func ptr[T any](v T) *T { return &v }

func wantWhole() Scenario {
	return Scenario{
		Name: "every key", File: "f.yaml", Line: 2, Language: "cs",
		Now:      time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC),
		Scope:    state.Scope{Client: "c1", User: "u1", Agent: "main", Session: "default"},
		Settings: []Setting{{"sliding_summary_window", "4"}, {"detect", "rules"}},
		Turns: []Turn{{
			Line: 8, User: ptr("Kdy dorazí?"), At: 5 * time.Minute, Scope: state.Scope{Agent: "a2", Session: "s2"}, Restart: true,
			Model: []Step{
				{Calls: []Call{{"memory_recall", `{"query":"díl","scope":"all"}`}}},
				{Calls: []Call{{"list_affairs", "{}"}, {"memory_store", "{broken"}}},
				{Say: "Dorazí 20. 2."},
			},
			Background: []Answer{
				{"detect", `{"type":"AD_HOC","target_affair":"Díl","new_affair_title":null,"confidence":0.9,"ids":[1,"2"]}`},
				{"park", "raw text"},
			},
			Fail: []string{"summary", "respond"}, Approve: `{"edit":{"cena":38.10}}`,
			Crash: &Crash{After: true, Node: "respond", Call: "tool", Tool: "memory_store", Nth: 2},
			Expect: Expect{
				Line: 28, Decision: ptr("AD_HOC"), Target: ptr("Díl"), Active: ptr(""), Parked: []string{"/díl|part/"},
				Status:        []Setting{{"Díl", "PARKED"}},
				Facts:         []AffairFacts{{"Díl", state.Facts{{Label: "cena", Value: "38.10"}, {Label: "objednávka", Value: "07-14244-53150"}}}},
				FactsContain:  []AffairTexts{{"/d/", []string{"38.10"}}},
				Affairs:       ptr(1),
				Tools:         []string{},
				ReplyContains: []string{"20. 2."}, ReplyExcludes: []string{"škola"},
				ContextContains: []string{"a"}, ContextExcludes: []string{"b"}, ContextOrder: []string{"a", "b"},
				MaxContextTokens: ptr(8000),
				Recall: []Probe{
					{Query: "q", In: "all", Contains: "c", Rank: 1},
					{Query: "q", In: "current", AsOf: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Absent: "c", Rank: 10},
				},
				Records: []RecordCount{{state.FactRecord, 1}}, PendingApproval: ptr(0), Error: ptr("conflict"),
			},
		}},
	}
}

// Who writes a key in another form is told the right one.
func TestParseShowsTheForm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, says string }{
		{"turns: [{user: a, model: [{call: {name: book, args: {}}}]}]", "f.yaml:1:34: call is the name of the tool; write `call: NAME` and `args: {...}` beside it"},
		{"turns: [{user: a, model: [{calls: [{call: {name: book}}]}]}]", "write `call: NAME` and `args: {...}` beside it"},
		{"turns:\n  - user: a\n    expect:\n      records: [{kind: fact, count: 1}]", "f.yaml:4:16: records must be an object; write it as in `records: {deadline: 1}`"},
		{"turns: [{user: a, expect: {status: ACTIVE}}]", "status must be an object; write it as in `status: {Brake pads: ACTIVE}`"},
		{"turns: [{user: a, expect: {facts: [a]}}]", "write it as in `facts: {Brake pads: {order: 07-14244-53150}}`"},
		{"turns: [{user: a, expect: {facts_contain: [a]}}]", "write it as in `facts_contain: {"},
		{"turns: [{user: a, expect: {recall: {query: a}}}]", "recall must be a list; write it as in `recall: [{query: "},
		{"turns: [{user: a, expect: {tools: {a: 1}}}]", "write it as in `tools: [memory_store, memory_recall, list_affairs]`"},
		{"turns: [{user: a, expect: [a]}]", "expect must be an object; write it as in `expect: {"},
		{"turns: [{user: a, model: {say: Hi}}]", "model must be a list; write it as in `model: [{say: "},
		{"turns: [{user: a, model: [{calls: {call: a}}]}]", "calls must be a list; write it as in `calls: [{call: "},
		{"turns: [{user: a, background: [detect]}]", "background must be an object; write it as in `background: {detect: "},
		{"turns: [{user: [a]}]", "user must be a text; write it as in `user: "},
		{"turns: [{user: a, approve: [yes]}]", "approve must be a text; write it as in `approve: yes`"},
		{"scope: u1\nturns: [{user: a}]", "scope must be an object; write it as in `scope: {client: c1, "},
		{"settings: [a]\nturns: [{user: a}]", "settings must be an object; write it as in `settings: {"},
	} {
		if _, err := Parse("f.yaml", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s\nerror %v, want one that says %s", tt.text, err, tt.says)
		}
	}
}

// What would cost the parser all memory is refused before it is parsed.
func TestParseRefusesDepth(t *testing.T) {
	t.Parallel()
	_, err := Parse("deep.yaml", []byte("turns:\n  - user: "+strings.Repeat("[", 80_000)+strings.Repeat("]", 80_000)))
	if !errors.Is(err, state.ErrInvalid) || !strings.HasPrefix(err.Error(), "deep.yaml:2: is nested more than 64 deep") {
		t.Errorf("error %.200v, want invalid, with file and line", err)
	}
}

func TestParseReadsEveryKey(t *testing.T) {
	t.Parallel()
	got, err := Parse("f.yaml", []byte(whole))
	if err != nil {
		t.Fatalf("Parse = %v, want no error", err)
	}
	second := Scenario{
		Name: "f", File: "f.yaml", Line: 50, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Scope: state.Scope{}.Default(), Turns: []Turn{{Line: 50, Command: "/clear"}},
	}
	same(t, "Parse", []Scenario{wantWhole(), second}, got)
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	turn := func(body string) string { return "name: x\nturns:\n  - user: hi\n" + body }
	tests := []struct {
		name, yaml string
		says       []string
	}{
		{"not YAML", "a: [", []string{"f.yaml", "not YAML"}},
		{"nothing", "# only a comment\n", []string{"holds no scenario"}},
		{"a list", "- a\n", []string{"f.yaml:1", "must be an object"}},
		{"no turns", "name: x\n", []string{"f.yaml:1", "no turns"}},
		{"unknown key", "name: x\nturn: []\n", []string{"f.yaml:2", `"turn"`, `"turns"`}},
		{"unknown key of a turn", turn("    modle: []\n"), []string{"f.yaml:4", `"modle"`, `"model"`}},
		{"unknown expectation", turn("    expect: {decison: SWITCH}\n"), []string{"f.yaml:4", `"decison"`, `"decision"`}},
		{"unknown decision", turn("    expect:\n      decision: SWITHC\n"), []string{"f.yaml:5", "decision", `"SWITHC"`, "AD_HOC"}},
		{"unknown setting", "settings: {max_tokes: 1}\nturns: [{user: a}]\n", []string{"f.yaml:1", `"max_tokens"`}},
		{"bad setting", "settings:\n  detect: guess\nturns: [{user: a}]\n", []string{"f.yaml:2", "detect", `"guess"`}},
		{"bad time", "now: yesterday\nturns: [{user: a}]\n", []string{"f.yaml:1", "now", `"yesterday"`}},
		{"bad advance", turn("    at: soon\n"), []string{"f.yaml:4", "at", `"soon"`}},
		{"backwards", turn("    at: -5m\n"), []string{"f.yaml:4", `"-5m"`}},
		{"bad scope", "scope: {user: a/b}\nturns: [{user: a}]\n", []string{"f.yaml:1", "user"}},
		{"bad language", "language: čeština\nturns: [{user: a}]\n", []string{"f.yaml:1", "BCP-47"}},
		{"bad crash", turn("    crash: during respond\n"), []string{"f.yaml:4", "crash", "during respond"}},
		{"crash at no node", turn("    crash: after lunch\n"), []string{"f.yaml:4", "crash", `"after lunch"`, `no node "lunch"`, "context_detect"}},
		{"crash at a misspelt node", turn("    crash: before memory_lod\n"), []string{"f.yaml:4", "crash", `"before memory_lod"`, `mean "memory_load"`}},
		{"crash at no call", turn("    crash: after respond/modle\n"), []string{"f.yaml:4", "crash", `"after respond/modle"`, "/model"}},
		{"crash at call 0", turn("    crash: after respond/model#0\n"), []string{"f.yaml:4", "crash", `#0`}},
		{"crash at a node's second visit", turn("    crash: after respond#2\n"), []string{"f.yaml:4", "crash", `#2`}},
		{"crash at a model nobody calls", turn("    crash: before intake/model\n"), []string{"f.yaml:4", "crash", "intake calls no model"}},
		{"crash at a tool nobody calls", turn("    crash: before intake/tool:memory_store\n"), []string{"f.yaml:4", "crash", "intake calls no tools"}},
		{"bad approval", turn("    approve: maybe\n"), []string{"f.yaml:4", "approve", "maybe"}},
		{"unknown task", turn("    background: {detekt: {}}\n"), []string{"f.yaml:4", `"detekt"`, `"detect"`}},
		{"unknown failing task", turn("    fail: [detct]\n"), []string{"f.yaml:4", "fail", `"detct"`}},
		{"unknown command", "turns: [{command: /clean}]\n", []string{"f.yaml:1", "/clean", "/clear"}},
		{"user and command", "turns: [{user: a, command: /clear}]\n", []string{"not both"}},
		{"nothing to do", "turns: [{session: s2}]\n", []string{"needs at, restart"}},
		{"unknown hanging task", turn("    hang: [respond]\n"), []string{"f.yaml:4", "hang", `"respond"`, "extract"}},
		{"unknown damage", turn("    damage: {record: a}\n"), []string{"f.yaml:4", "damage", `"record"`, "records"}},
		{"unknown section", turn("    expect: {max_section_tokens: {Brian: 1}}\n"), []string{"f.yaml:4", `"Brian"`, "Brain"}},
		{"unknown task asked", turn("    expect: {asked: {exract: 1}}\n"), []string{"f.yaml:4", "asked", `"exract"`, "extract"}},
		{"answers without anybody", "turns: [{at: 5m, background: {extract: a}}]\n", []string{"need a turn with user or command"}},
		{"model without user", "turns: [{at: 5m, model: [{say: a}]}]\n", []string{"need a turn with user"}},
		{"step of two kinds", turn("    model: [{say: a, call: b}]\n"), []string{"f.yaml:4", "exactly one"}},
		{"step of no kind", turn("    model: [{args: {a: 1}}]\n"), []string{"f.yaml:4", "exactly one"}},
		{"args without call", turn("    model: [{say: a, args: {a: 1}}]\n"), []string{"without call"}},
		{"call without name", turn("    model: [{calls: [{args: {}}]}]\n"), []string{"name of the tool"}},
		{"bad expression", turn("    expect: {active: '/(/'}\n"), []string{"regular expression"}},
		{"bad expression as key", turn("    expect: {status: {'/(/': PARKED}}\n"), []string{"regular expression"}},
		{"unknown status", turn("    expect: {status: {A: DONE}}\n"), []string{"status", `"DONE"`}},
		{"unknown kind of record", turn("    expect: {records: {facts: 1}}\n"), []string{"records", `"facts"`}},
		{"not a number", turn("    expect: {affairs: two}\n"), []string{"affairs", `"two"`}},
		{"probe without question", turn("    expect: {recall: [{contains: a}]}\n"), []string{"needs query"}},
		{"rank 0", turn("    expect: {recall: [{query: a, contains: a, rank: 0}]}\n"), []string{"rank"}},
		{"unknown code", turn("    expect: {error: oops}\n"), []string{"error", `"oops"`, "not_found"}},
		{"alias without anchor", turn("    session: *s\n"), []string{"f.yaml:4"}},
		{"endless alias", turn("    model: [{call: a, args: &x [*x]}]\n"), []string{"nested more than 50"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse("f.yaml", []byte(tt.yaml))
			if !errors.Is(err, state.ErrInvalid) {
				t.Fatalf("Parse = %+v, %v, want an Invalid error", got, err)
			}
			for _, part := range tt.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
}

func TestParseUnfoldsAliases(t *testing.T) {
	t.Parallel()
	got, err := Parse("f.yaml", []byte("turns:\n  - user: &hi hello\n  - user: *hi\n    model: [{say: *hi}]\n"))
	if err != nil {
		t.Fatalf("Parse = %v, want no error", err)
	}
	if u := got[0].Turns[1]; *u.User != "hello" || u.Model[0].Say != "hello" {
		t.Errorf("turn 2 = %q, %q, want hello twice", *u.User, u.Model[0].Say)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("turns: [{user: ''}]\n---\n---\nturns: [{at: +3d, restart: yes}]")
	f.Add("a: &a [*a]\n<<: *a")
	f.Add("? [k]\n: v\nturns: !!map {user: |\n  text\n}")
	files, err := filepath.Glob("../testdata/scenarios/*.yaml")
	must(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(f, err)
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Parse("f.yaml", []byte(text))
		if (err == nil) == (len(all) == 0) {
			t.Fatalf("Parse gave %d scenarios and error %v, want one or the other", len(all), err)
		}
		if err != nil && !errors.Is(err, state.ErrInvalid) {
			t.Fatalf("Parse = %v, want an Invalid error", err)
		}
	})
}
