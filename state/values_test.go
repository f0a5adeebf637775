package state_test

import (
	"encoding/json"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	var none state.Facts
	if _, ok := none.Get("x"); ok {
		t.Error("no facts have a fact")
	}
	first := none.With("order", "1").With("price", "38.10")
	second := first.With("order", "2")
	if v, ok := first.Get("order"); v != "1" || !ok {
		t.Errorf("With changed its receiver: %q, %v", v, ok)
	}
	same(t, "got", state.Facts{{Label: "order", Value: "2"}, {Label: "price", Value: "38.10"}}, second)
}

func TestFactsJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		facts state.Facts
		want  string
	}{
		{nil, `{}`},
		{state.Facts{{Label: "z", Value: "1"}, {Label: "a", Value: "2"}}, `{"z":"1","a":"2"}`},
		{state.Facts{{Label: `say "hi"`, Value: "a\nb"}}, `{"say \"hi\"":"a\nb"}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(tt.facts)
		if err != nil || string(got) != tt.want {
			t.Errorf("%v: %s, %v, want %s", tt.facts, got, err, tt.want)
		}
	}
}

func TestValidAt(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	end := day(20)
	closed := state.Record{RecordedAt: day(5), ValidFrom: day(10), ValidTo: &end}
	open := state.Record{RecordedAt: day(15), ValidFrom: day(10)}
	tests := []struct {
		name   string
		record state.Record
		at     time.Time
		want   bool
	}{
		{"before it was valid", closed, day(9), false},
		{"from the first moment", closed, day(10), true},
		{"to the last moment", closed, day(20).Add(-1), true},
		{"closed", closed, day(20), false},
		{"valid but not yet known", open, day(14), false},
		{"known", open, day(15), true},
		{"for ever", open, day(31), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.record.ValidAt(tt.at); got != tt.want {
				t.Errorf("ValidAt = %v", got)
			}
		})
	}
}

// What is in memory holds at once, also for a reader whose clock is behind the writer's.
func TestValid(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	end := day(20)
	for _, tt := range []struct {
		name   string
		record state.Record
		want   bool
	}{
		{"recorded by a clock that is ahead", state.Record{RecordedAt: day(15)}, true},
		{"ended by a clock that is ahead", state.Record{RecordedAt: day(1), ValidTo: &end}, false},
		{"of a date that has come", state.Record{RecordedAt: day(1), ValidFrom: day(10)}, true},
		{"of a date to come", state.Record{RecordedAt: day(1), ValidFrom: day(11)}, false},
	} {
		if got := tt.record.Valid(day(10)); got != tt.want {
			t.Errorf("%s: Valid = %v", tt.name, got)
		}
	}
}

func TestCategories(t *testing.T) {
	t.Parallel()
	for _, k := range state.Categories() {
		if !k.Valid() {
			t.Errorf("%s is not valid", k)
		}
	}
	for _, k := range []state.RecordKind{"", "FACT", state.MessageRecord, state.SummaryRecord} {
		if k.Valid() {
			t.Errorf("%q is valid for the tool", k)
		}
	}
	state.Categories()[0] = "changed"
	if !state.FactRecord.Valid() {
		t.Error("the table can be changed from outside")
	}
}

// An effect is data: it comes back from BSON as it was.
func TestEffectSurvives(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	scope := state.Scope{Client: "c", User: "u", Session: "s"}
	tests := []struct {
		name   string
		effect state.Effect
	}{
		{"message", state.Effect{Scope: scope, Message: &state.Message{ID: "m", Seq: 1, Role: state.RoleUser, Text: "ahoj", At: at}}},
		{"file", state.Effect{Scope: scope, File: &state.MessageEdit{Seq: 3, Affair: "a", Why: "it names it"}}},
		{"record", state.Effect{Scope: scope, Record: &state.Record{ID: "r", Kind: state.OrderRecord, RecordedAt: at, ValidFrom: at, ValidTo: &at}}},
		{"affair", state.Effect{Scope: scope, Affair: &state.AffairEdit{
			ID: "a", Status: state.Parked, Facts: state.Facts{{Label: "b", Value: "1"}, {Label: "a", Value: "2"}}, SetPending: true, At: at,
		}}},
		{"session", state.Effect{Scope: scope, Session: &state.Session{ID: "s", Messages: 4, Preferences: map[string]string{"a.b": "c"}, StartedAt: at, LastAt: at}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw, err := bson.Marshal(tt.effect)
			must(t, err)
			var got state.Effect
			must(t, bson.Unmarshal(raw, &got))
			same(t, "got", tt.effect, got)
		})
	}
}

func TestKeepPastFacts(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 3, n, 9, 0, 0, 0, time.UTC) }
	var a state.Affair
	a.Keep(state.Fact{Label: "train", Value: "8:40"}, day(1))
	before := a
	a.Keep(state.Fact{Label: "train", Value: "8:40"}, day(2))
	a.Keep(state.Fact{Label: "train", Value: "9:10"}, day(3))
	want := []state.Past{{Label: "train", Value: "8:40", Since: day(1), Until: day(3)}}
	same(t, "past", want, a.PastFacts)
	same(t, "now", state.Facts{{Label: "train", Value: "9:10", Since: day(3)}}, a.KeyFacts)
	if got, _ := before.KeyFacts.Get("train"); got != "8:40" || before.PastFacts != nil {
		t.Errorf("the affair before changed to %+v", before)
	}
	for n := range 300 {
		a.Keep(state.Fact{Label: "train", Value: string(rune('a' + n%26))}, day(4))
	}
	if len(a.PastFacts) != 100 {
		t.Errorf("%d past values kept, want 100", len(a.PastFacts))
	}
}

// Retention leaves what was pinned, tasks, and what of the user's own word is very important. What a model calls important is no such thing.
func TestShielded(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		record state.Record
		want   bool
	}{
		"pinned":                   {state.Record{Pinned: true, Importance: 1}, true},
		"a task":                   {state.Record{Due: &due}, true},
		"asked to be remembered":   {state.Record{Trust: state.TrustUser, Importance: 10}, true},
		"heard, very important":    {state.Record{Trust: state.TrustExtracted, Importance: 9}, true},
		"heard, of some interest":  {state.Record{Trust: state.TrustExtracted, Importance: 8}, false},
		"a model's, as it says":    {state.Record{Trust: state.TrustAgent, Importance: 10}, false},
		"of a document, important": {state.Record{Trust: state.TrustDocument, Importance: 10}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.record.Shielded(); got != tt.want {
				t.Errorf("shielded %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTextOfAnAnswer(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{`"Dear \"Jana\""`: `Dear "Jana"`, "plain": "plain", `{"a":1}`: `{"a":1}`, "42": "42", "": ""} {
		if got := (state.Answer{Choice: state.Edit, Value: value}).Text(); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

var must, same = statetest.Must, statetest.Same
