package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// held is an outcome that the tests vary.
func held() outcome {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	before := now.Add(-time.Hour)
	return outcome{
		decision: state.Decision{Kind: state.AdHoc, AffairID: "a1"},
		affairs: []*state.Affair{
			{ID: "a1", Title: "Objednávka dílu z eBay", Status: state.Parked, Summary: "čeká se", PendingActions: []string{"sledovat  doručení"},
				KeyFacts: state.Facts{{Label: "objednávka", Value: "07-14"}, {Label: "cena", Value: "$38.10"}}},
			{ID: "a2", Title: "Univerzita", Status: state.Active},
			{ID: "a3", Title: "Staré", Status: state.Archived},
		},
		tools: []string{"memory_recall"}, reply: "Dorazí\n20. 2.", now: now,
		context: compose.Context{Tokens: 120, Sections: []compose.Section{{Name: compose.Brain, Tokens: 40}}},
		asked:   []string{"detect", "extract", "extract"}, notes: []string{"L1: extracted by rule"},
		prompts: []string{"identity\nsummary\nquestion", "identity\nresult 07-14"},
		records: []state.Record{{Kind: state.FactRecord}, {Kind: state.FactRecord, ValidTo: &before}, {Kind: state.OrderRecord, ValidFrom: now.Add(time.Hour)}},
		hits:    [][]string{{"nothing", "order 07-14"}},
	}
}

func TestCheckHolds(t *testing.T) {
	t.Parallel()
	e := Expect{
		Decision: ptr("AD_HOC"), Target: ptr("objednavka DÍLU z ebay"), Active: ptr("/univ/"), Parked: []string{"/EBAY/"},
		Status:       []Setting{{"Staré", "ARCHIVED"}, {"/díl[uů]/", "PARKED"}},
		Facts:        []AffairFacts{{"/ebay/", state.Facts{{Label: "cena", Value: "$38.10"}}}},
		FactsContain: []AffairTexts{{"/ebay/", []string{"38.10", "sledovat doručení", "čeká se"}}},
		Affairs:      ptr(2), Tools: []string{"memory_recall"}, ReplyContains: []string{"Dorazí 20. 2."}, ReplyExcludes: []string{"Univerzita"},
		ContextContains: []string{"07-14", "question"}, ContextExcludes: []string{"sk-live"},
		ContextOrder: []string{"identity", "summary", "question"}, MaxContextTokens: ptr(120),
		Recall:  []Probe{{Query: "q", Contains: "07-14", Rank: 2, Absent: "38.10"}},
		Records: []RecordCount{{state.FactRecord, 1}, {state.OrderRecord, 0}}, PendingApproval: ptr(0),
		SectionTokens: []Limit{{compose.Brain, 40}, {compose.System, 0}}, Asked: []Limit{{"extract", 2}, {"park", 0}}, Notes: []string{"by rule"},
	}
	if got := check(1, e, held()); got != nil {
		t.Errorf("check = %v, want nothing", got)
	}
	if got := check(1, Expect{}, held()); got != nil {
		t.Errorf("check of no expectation = %v, want nothing", got)
	}
}

func TestCheckDiffers(t *testing.T) {
	t.Parallel()
	failed := state.Errorf(state.Unavailable, "model", "is down")
	tests := []struct {
		name string
		e    Expect
		edit func(*outcome)
		want Failure
	}{
		{"decision", Expect{Decision: ptr("SWITCH")}, nil, Failure{3, "decision", "SWITCH", "AD_HOC"}},
		{"target", Expect{Target: ptr("Univerzita")}, nil, Failure{3, "target", "Univerzita", "Objednávka dílu z eBay"}},
		{"no target", Expect{Target: ptr("")}, nil, Failure{3, "target", "", "Objednávka dílu z eBay"}},
		{"target of none", Expect{Target: ptr("/.*/")}, func(o *outcome) { o.decision.AffairID = "" }, Failure{3, "target", "/.*/", ""}},
		{"active", Expect{Active: ptr("")}, nil, Failure{3, "active", "", "Univerzita"}},
		{"parked is exact", Expect{Parked: []string{}}, nil, Failure{3, "parked", []string{}, []string{"Objednávka dílu z eBay"}}},
		{"parked has one more", Expect{Parked: []string{"/ebay/", "x"}}, nil, Failure{3, "parked", []string{"/ebay/", "x"}, []string{"Objednávka dílu z eBay"}}},
		{"status", Expect{Status: []Setting{{"Univerzita", "PARKED"}}}, nil, Failure{3, "status of Univerzita", "PARKED", "ACTIVE"}},
		{"status of nothing", Expect{Status: []Setting{{"x", "PARKED"}}}, nil, Failure{3, "status of x", "PARKED", "no such affair"}},
		{"fact", Expect{Facts: []AffairFacts{{"/ebay/", state.Facts{{Label: "cena", Value: "38.10"}}}}}, nil,
			Failure{3, "facts of /ebay/", "cena: 38.10", held().affairs[0].KeyFacts}},
		{"fact of nothing", Expect{FactsContain: []AffairTexts{{"x", []string{"y"}}}}, nil, Failure{3, "facts_contain of x", "y", "no such affair"}},
		{"affairs", Expect{Affairs: ptr(3)}, nil, Failure{3, "affairs", 3, 2}},
		{"tools", Expect{Tools: []string{}}, nil, Failure{3, "tools", []string{}, []string{"memory_recall"}}},
		{"reply", Expect{ReplyContains: []string{"dorazí"}}, nil, Failure{3, "reply_contains", "dorazí", "Dorazí\n20. 2."}},
		{"reply without", Expect{ReplyExcludes: []string{"20."}}, nil, Failure{3, "reply_excludes", "20.", "Dorazí\n20. 2."}},
		{"context", Expect{ContextContains: []string{"sk"}}, nil, Failure{3, "context_contains", "sk", "not in any of 2 prompts"}},
		{"context without", Expect{ContextExcludes: []string{"07-14"}}, nil, Failure{3, "context_excludes", "07-14", "identity result 07-14"}},
		{"order", Expect{ContextOrder: []string{"question", "summary"}}, nil,
			Failure{3, "context_order", []string{"question", "summary"}, "not in this order in any of 2 prompts"}},
		{"tokens", Expect{MaxContextTokens: ptr(119)}, nil, Failure{3, "max_context_tokens", 119, 120}},
		{"section", Expect{SectionTokens: []Limit{{compose.Brain, 39}}}, nil, Failure{3, "max_section_tokens Brain", 39, 40}},
		{"asked", Expect{Asked: []Limit{{"extract", 1}}}, nil, Failure{3, "asked extract", 1, 2}},
		{"notes", Expect{Notes: []string{"later"}}, nil, Failure{3, "notes_contain", "later", []string{"L1: extracted by rule"}}},
		{"rank", Expect{Recall: []Probe{{Query: "q", Contains: "07-14", Rank: 1}}}, nil,
			Failure{3, `recall "q"`, "07-14 in the first 1", []string{"nothing", "order 07-14"}}},
		{"absent", Expect{Recall: []Probe{{Query: "q", Absent: "order", Rank: 10}}}, nil,
			Failure{3, `recall "q"`, "without order", []string{"nothing", "order 07-14"}}},
		{"records", Expect{Records: []RecordCount{{state.FactRecord, 2}}}, nil, Failure{3, "records fact", 2, 1}},
		{"approval", Expect{PendingApproval: ptr(1)}, nil, Failure{3, "pending_approval", 1, 0}},
		{"unexpected error", Expect{}, func(o *outcome) { o.err = failed }, Failure{3, "error", "", "unavailable: model: is down"}},
		{"other error", Expect{Error: ptr("conflict")}, func(o *outcome) { o.err = failed }, Failure{3, "error", "conflict", "unavailable: model: is down"}},
		{"no error", Expect{Error: ptr("conflict")}, nil, Failure{3, "error", "conflict", ""}},
		{"not reached", Expect{Tools: []string{"ring"}, ReplyContains: []string{"Hi."}}, func(o *outcome) {
			o.err = &NotReachedError{"before finalize", []string{"before intake", "after intake", "before memory_load"}, "unavailable: model: is down"}
		}, Failure{3, "crash", "before finalize", "never reached; the turn came by intake, memory_load and ended with unavailable: model: is down"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := held()
			if tt.edit != nil {
				tt.edit(&o)
			}
			same(t, "check", []Failure{tt.want}, check(3, tt.e, o))
		})
	}
}

func TestExpectedErrorHolds(t *testing.T) {
	t.Parallel()
	o := held()
	o.err = fmt.Errorf("turn: %w", state.Errorf(state.Unavailable, "model", "is down"))
	if got := check(1, Expect{Error: ptr("unavailable")}, o); got != nil {
		t.Errorf("check = %v, want nothing", got)
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, title string
		want        bool
	}{
		{"Příhláška  na školu", "prihlaska na SKOLU", true},
		{"škola", "školka", false},
		{"/škol/", "Školka pro syna", true},
		{"/^skol/", "Základní škola", false},
		{"/zamówien|paczk/", "Zamówienie części", true},
		{"/łodz/", "Łódź", true},
		{"/елк/", "Ёлка", true},
		{"/", "/", true},
		{"//", "//", true},
		{`/\d{2}-\w+/`, "Faktura 07-AB", true},
		{`/\D{3}/`, "12", false},
	}
	for _, tt := range tests {
		if got := named(tt.name, tt.title); got != tt.want {
			t.Errorf("named(%q, %q) = %v, want %v", tt.name, tt.title, got, tt.want)
		}
	}
}

func TestSameSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		names, titles []string
		want          bool
	}{
		{nil, nil, true},
		{[]string{"/a/", "ab"}, []string{"ab", "ac"}, true}, // the expression must leave the exact one free
		{[]string{"ab", "/a/"}, []string{"ac", "ab"}, true},
		{[]string{"/a/"}, []string{"ab", "ac"}, false},
		{[]string{"/a/", "/b/"}, []string{"a", "a"}, false},
	}
	for _, tt := range tests {
		if got := sameSet(tt.names, tt.titles); got != tt.want {
			t.Errorf("sameSet(%q, %q) = %v, want %v", tt.names, tt.titles, got, tt.want)
		}
	}
}

func TestPromptTexts(t *testing.T) {
	t.Parallel()
	call := schema.ToolCall{Function: schema.FunctionCall{Name: "memory_store", Arguments: `{"a":1}`}}
	got := promptTexts([][]*schema.Message{{
		schema.SystemMessage("identity"),
		{Role: schema.User, UserInputMultiContent: []schema.MessageInputPart{{Type: schema.ChatMessagePartTypeText, Text: "part"}}},
		schema.AssistantMessage("", []schema.ToolCall{call}),
	}})
	same(t, "promptTexts", []string{"identity\n\npart\n\nmemory_store {\"a\":1}\n"}, got)
}
