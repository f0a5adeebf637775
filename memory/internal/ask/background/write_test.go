package background

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
)

func TestPark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		want         ParkAnswer
	}{
		{"as asked", `{"summary":"Díl je na cestě.","key_facts":{"objednávka":"07-14244-53150","cena":38.10,"dopravce":null},"pending_actions":["sledovat doručení","",null]}`,
			ParkAnswer{Summary: "Díl je na cestě.", KeyFacts: state.Facts{{Label: "objednávka", Value: "07-14244-53150"}, {Label: "cena", Value: "38.10"}}, Ended: state.Facts{{Label: "číslo"}}, PendingActions: []string{"sledovat doručení"}}},
		{"what it leaves out is over", `{"summary":"x","key_facts":{"cena":"38.10"},"pending_actions":[]}`,
			ParkAnswer{Summary: "x", KeyFacts: state.Facts{{Label: "cena", Value: "38.10"}}, Ended: state.Facts{{Label: "číslo"}}}},
		{"the order of the answer", `{"key_facts":{"z":"1","a":"2","m":"3"}}`, ParkAnswer{KeyFacts: state.Facts{{Label: "z", Value: "1"}, {Label: "a", Value: "2"}, {Label: "m", Value: "3"}}}},
		{"facts as a list, actions as text", `{"summary":"x","key_facts":["a: 1"],"pending_actions":"- call\n- wait"}`,
			ParkAnswer{Summary: "x", KeyFacts: state.Facts{{Label: "a", Value: "1"}}, Ended: state.Facts{{Label: "číslo"}}, PendingActions: []string{"call", "wait"}}},
		{"nothing known", `{"summary":"Only greetings.","key_facts":{},"pending_actions":[]}`, ParkAnswer{Summary: "Only greetings."}},
		{"cut off", `{"summary":"The part is on its way.","key_facts":{"order":"07-1`, ParkAnswer{Summary: "The part is on its way.", KeyFacts: state.Facts{{Label: "order", Value: "07-1"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := tasks(c.answer).Park(context.Background(), ParkInput{Affair: *affairs()[1]})
			must(t, err)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
	f := says(`{"summary":"x","over":["r1","r7","0"]}`)
	settled := *affairs()[1]
	settled.Status = state.Resolved
	got, err := New(Config{Model: f}).Park(context.Background(), ParkInput{
		Affair: settled, Left: "Two it is. Now the hotels.", Records: []state.Record{{Content: "It waits"}, {Content: "It came"}},
	})
	if err != nil || !slices.Equal(got.Over, []int{1, 0}) {
		t.Errorf("over %v, %v; want the second and the first", got.Over, err)
	}
	for _, shown := range []string{`the rest does not: "Two it is. Now the hotels."`, `- id "r1": "It came"`, `"over": []`} {
		if !strings.Contains(f.prompt, shown) {
			t.Errorf("the prompt does not show %s:\n%s", shown, f.prompt)
		}
	}
	if _, err := tasks(`{"summary":" ","key_facts":{}}`).Park(context.Background(), ParkInput{}); !mention(err, "says nothing") {
		t.Errorf("error = %v, want that the answer says nothing", err)
	}
}

func TestParkBounds(t *testing.T) {
	t.Parallel()
	var facts, todo []string
	in := ParkInput{Affair: *affairs()[1]}
	for i := range 200 {
		facts = append(facts, fmt.Sprintf(`"k%d":%q`, i, strings.Repeat("v", 900)))
		todo = append(todo, fmt.Sprintf(`"%d %s"`, i, strings.Repeat("t", 900)))
		in.Messages = append(in.Messages, state.Message{Role: state.RoleUser, Text: strings.Repeat("m", 5000)})
	}
	f := says(`{"summary":"s","key_facts":{` + strings.Join(facts, ",") + `},"pending_actions":[` + strings.Join(todo, ",") + `]}`)
	if len(f.answer.Content) > 1<<18 {
		f.answer.Content = f.answer.Content[:1<<18]
	}
	got, err := New(Config{Model: f}).Park(context.Background(), in)
	if err != nil || len(got.KeyFacts) != maxFacts || len(got.PendingActions) > maxPending {
		t.Fatalf("%d facts, %d actions, %v", len(got.KeyFacts), len(got.PendingActions), err)
	}
	if n := len(got.KeyFacts[0].Value); n != maxValue {
		t.Errorf("a value of %d bytes, want it cut to %d", n, maxValue)
	}
	if n := len(f.prompt); n > 25_000 {
		t.Errorf("the prompt has %d bytes", n)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"summary":"It came."}`: "It came.",
		"It came.":               "It came.",
		"Summary: \"It came.\"":  "It came.",
		"<think>let me see</think>\n```\nIt came.\n```": "It came.",
		`{"summary": "They said "fine", and it came."`:  `They said "fine", and it came.`,
		"He wrote {x} and {\"y\": 1}.":                  "He wrote {x} and {\"y\": 1}.",
		strings.Repeat("x", 10_000):                     cut(strings.Repeat("x", 10_000), maxSummary),
	} {
		got, err := tasks(answer).Summary(context.Background(), "", "", nil)
		if err != nil || got != want {
			t.Errorf("%.60q: got %.60q, %v; want %.60q", answer, got, err, want)
		}
	}
	if _, err := tasks(`{"summary":null}`).Summary(context.Background(), "", "", nil); err == nil {
		t.Error("an empty summary is no error")
	}
	f := says("x")
	if _, err := New(Config{Model: f}).Summary(context.Background(), "", "Zatím nic.", detectInput().Recent); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(f.prompt, `"Zatím nic."`) || !strings.Contains(f.prompt, `- assistant: "V září."`) {
		t.Errorf("prompt:\n%s", f.prompt)
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Cesta do Brna.":                   "Cesta do Brna",
		"Cesta\n do Brna":                  "Cesta do Brna",
		"Waiting...":                       "Waiting...",
		strings.Repeat("long title ", 100): cut(strings.TrimSpace(strings.Repeat("long title ", 100)), maxTitle),
	} {
		if got := title(said); got != want {
			t.Errorf("%.60q: got %q, want %q", said, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	if got, want := cut("what was said first, then much more, and last", 20), "what was s ... d last"; len(got) != 20 || got[:6] != want[:6] || !strings.HasSuffix(got, "last") {
		t.Errorf("cut = %q, want about %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "runes")
		got := cut(s, n)
		if utf8.RuneCountInString(got) > n {
			t.Errorf("cut(%q, %d) = %q", s, n, got)
		}
		if utf8.RuneCountInString(s) <= n && got != s {
			t.Errorf("cut(%q, %d) = %q, want it as it was", s, n, got)
		}
	})
}

// An affair that goes on while it is summed up is not told to be set aside.
func TestParkSaysHowTheAffairStands(t *testing.T) {
	t.Parallel()
	for status, want := range map[state.Status]string{
		state.Active: "An affair goes on", state.Parked: "An affair is being set aside. ", state.Resolved: "An affair is being set aside, for it is settled.",
	} {
		f, a := says(`{"summary":"s","key_facts":{},"pending_actions":[]}`), *affairs()[1]
		a.Status = status
		if _, err := New(Config{Model: f}).Park(context.Background(), ParkInput{Affair: a}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(f.prompt, want) || status == state.Active && strings.Contains(f.prompt, "aside") {
			t.Errorf("of an affair that is %s the prompt does not say %q", status, want)
		}
	}
}
