package background

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

// story is a conversation about a kitchen, with a dog set aside before.
type story struct {
	DetectInput
	now time.Time
}

func newStory() *story {
	now := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	kitchen := state.Affair{ID: "a1", Title: "Kitchen renovation", Status: state.Active, UpdatedAt: now}
	dog := state.Affair{ID: "a2", Title: "Rex and his paw", Status: state.Parked, UpdatedAt: now.Add(-75 * time.Hour)}
	return &story{DetectInput{
		Message: "And the tiles?", Current: &kitchen, Affairs: []*state.Affair{&kitchen, &dog}, Said: map[string][]state.Message{},
		Since: now.Add(-time.Hour), Now: now,
	}, now}
}

// say adds a message to the session, so many minutes ago.
func (s *story) say(role state.Role, affair, text string, ago int) {
	msg := state.Message{Seq: int64(len(s.Recent) + 1), Role: role, Affair: affair, Text: text, At: s.now.Add(-time.Duration(ago) * time.Minute)}
	s.Recent = append(s.Recent, msg)
	s.Said[affair] = append(s.Said[affair], msg)
}

// dog is the affair set aside.
func (s *story) dog() *state.Affair { return s.Affairs[1] }

// What once made the prompt harder than needed to a strong model is mended, point by point.
func TestThePromptShowsWhatDecides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		tell  func(*story)
		has   []string
		lacks []string
	}{
		{
			"a long summary keeps the sentence that the message is about, and no sentence is broken",
			func(s *story) {
				s.dog().Summary = "Rex has cut his paw.\n" + strings.Repeat("He sleeps a lot and eats well these days\n", 6) + "Novak took the stitches out.\n" + strings.Repeat("He limps when it rains\n", 20)
				s.Message = "Novak wants to see him again"
			},
			[]string{`summary "Rex has cut his paw. He sleeps a lot and eats well these days. He`, `Novak took the stitches out.`}, []string{" ... ", "…"},
		},
		{
			"the last exchange of an affair is shown, though the session has moved on only a little",
			func(s *story) {
				s.say(state.RoleUser, "a2", "The bandage came off again.", 90)
				s.say(state.RoleAssistant, "a2", "Then leave it off for a day. It heals better.", 89)
				for i := range 4 {
					s.say(state.RoleUser, "a1", fmt.Sprintf("Cupboard %d is hung.", i), 40-2*i)
					s.say(state.RoleAssistant, "a1", "Good.", 39-2*i)
				}
			},
			[]string{`user said "The bandage came off again."`, `assistant said "Then leave it off for a day. …"`},
			[]string{`- user (on "a2")`, "It heals better"},
		},
		{
			"when it was last active",
			func(s *story) {}, []string{`- id "a2", PARKED, 3 days ago, title "Rex and his paw"`}, nil,
		},
		{
			"people and animals come before things, and things are said once",
			func(s *story) {
				s.dog().Topics, s.dog().Summary = []string{"stitches", "collar", "Novak", "Bella"}, "The stitches are out."
			},
			[]string{`speaks of "Novak, Bella, collar"`}, nil,
		},
		{
			"names of the last words of an affair that nothing else tells",
			func(s *story) { s.Said["a2"] = []state.Message{{Role: state.RoleUser, Text: "Doctor Novak is away."}} },
			[]string{`speaks of "Novak"`}, nil,
		},
		{
			"the current affair has its last words behind asides",
			func(s *story) {
				s.say(state.RoleUser, "a1", "The tiles come at ten.", 50)
				s.say(state.RoleAssistant, "a1", "I will remind you.", 49)
				for i := range 5 {
					s.say(state.RoleUser, "", fmt.Sprintf("What is %d times seven?", i), 30-2*i)
					s.say(state.RoleAssistant, "", fmt.Sprintf("It is %d.", 7*i), 29-2*i)
				}
			},
			[]string{`- user: "The tiles come at ten."`, `- user (aside): "What is 3 times seven?"`, `- assistant (aside): "It is 28."`},
			[]string{"0 times", "1 times", "2 times"},
		},
		{
			"the current affair has its last words behind very many asides",
			func(s *story) {
				s.Said["a1"] = []state.Message{{Seq: 1, Role: state.RoleUser, Text: "The tiles come at ten.", At: s.now.Add(-40 * time.Minute)}}
				s.say(state.RoleUser, "", "What is seven times seven?", 30)
			},
			[]string{`- id "a1", title "Kitchen renovation"` + "\n" + `  - user said "The tiles come at ten."`}, nil,
		},
		{
			"facts that say nothing, or what is said already, are left out, the latest come first",
			func(s *story) {
				s.dog().Summary = "Check-up on 14 March."
				s.dog().KeyFacts = state.Facts{{Label: "size", Value: "5"}, {Label: "date", Value: "14 March"}, {Label: "dose", Value: "5 ml"}, {Label: "vet", Value: "Novak"}}
			},
			[]string{`known "vet: Novak"` + "\n" + `  - known "dose: 5 ml"`}, []string{"size", "date:"},
		},
		{
			"what it waits for is not what was just said",
			func(s *story) {
				s.dog().PendingActions = []string{"call the vet on Monday"}
				s.Said["a2"] = []state.Message{{Role: state.RoleUser, Text: "I have to call the vet on Monday."}}
			},
			nil, []string{"waiting for"},
		},
		{
			"a long list of the assistant is its first sentence and its last question",
			func(s *story) {
				s.say(state.RoleAssistant, "a1", "Here is a plan:\n"+strings.Repeat("- measure the wall and write it down\n", 40)+"Shall I order?", 10)
			},
			[]string{`- assistant: "Here is a plan: … Shall I order?"`}, []string{"measure the wall"},
		},
		{
			"no affair is current",
			func(s *story) { s.Current, s.Affairs = nil, s.Affairs[1:]; s.say(state.RoleUser, "", "Hello!", 1) },
			[]string{"## Current affair\n\nnone", `- user: "Hello!"`}, []string{"(aside)"},
		},
		{
			"affairs that are settled or archived say so",
			func(s *story) {
				s.dog().Status = state.Resolved
				s.Affairs = append(s.Affairs, &state.Affair{ID: "a3", Title: "Tax of last year", Status: state.Archived})
			},
			[]string{`- id "a2", RESOLVED`, `- id "a3", ARCHIVED`}, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, f := newStory(), says(`{"type":"CONTINUE"}`)
			c.tell(s)
			if _, err := New(Config{Model: f}).Detect(context.Background(), s.DetectInput); err != nil {
				t.Fatal(err)
			}
			_, data, _ := strings.Cut(f.prompt, "## Current affair")
			data = "## Current affair" + data
			for _, want := range c.has {
				if !strings.Contains(data, want) {
					t.Errorf("the prompt lacks %s", want)
				}
			}
			for _, not := range c.lacks {
				if strings.Contains(data, not) {
					t.Errorf("the prompt has %s", not)
				}
			}
			if t.Failed() {
				t.Log(data)
			}
		})
	}
}

// The fields are asked for in the order of thinking: whose is it, where does it go on, and only then the type.
func TestThePromptAsksInOrder(t *testing.T) {
	t.Parallel()
	f := says(`{"type":"CONTINUE"}`)
	if _, err := New(Config{Model: f}).Detect(context.Background(), newStory().DetectInput); err != nil {
		t.Fatal(err)
	}
	_, instructions, _ := strings.Cut(f.prompt, "Answer with one JSON object")
	var steps []int
	for _, field := range []string{"owners", "goes_on", "type", "target_affair", "new_affair_title", "closes", "confidence", "reasoning"} {
		steps = append(steps, strings.Index(instructions, `"`+field+`": `))
	}
	if slices.Contains(steps, -1) || !slices.IsSorted(steps) {
		t.Errorf("the fields stand at %v", steps)
	}
}

// With ten affairs that have all that one can have, in any of the languages, the prompt is short, and says of each what tells it from the others.
func TestThePromptIsShort(t *testing.T) {
	t.Parallel()
	for lang, told := range map[string]string{
		"en": "The plumber Novak comes on Thursday at nine and brings the new valve. It costs 1,240 with the work. He wants to be paid in cash.",
		"cs": "Instalatér Novák přijde ve čtvrtek v devět a přinese nový ventil. Stojí 1240 i s prací. Chce zaplatit v hotovosti.",
		"ru": "Сантехник Новиков придёт в четверг в девять и принесёт новый вентиль. Он стоит 1240 вместе с работой. Хочет наличными.",
	} {
		s := newStory()
		s.Affairs = s.Affairs[:1]
		for i := range 9 {
			a := &state.Affair{
				ID: uuid.NewString(), Title: fmt.Sprint(strings.Join(strings.Fields(told)[:4], " "), " ", i), Status: state.Parked, UpdatedAt: s.now.Add(-time.Hour),
				Summary: strings.Repeat(told+" ", 5), Topics: strings.Fields(told), PendingActions: []string{"a" + told, "b" + told, "c" + told},
			}
			for j := range 12 {
				a.KeyFacts = append(a.KeyFacts, state.Fact{Label: fmt.Sprint("fact ", j), Value: fmt.Sprint(j, " ", told[:40])})
			}
			s.Affairs = append(s.Affairs, a)
			s.Said[a.ID] = []state.Message{{Role: state.RoleUser, Text: told}, {Role: state.RoleAssistant, Text: told}}
		}
		for i := range 6 {
			s.say(state.RoleUser, s.Affairs[i].ID, told, 60-i)
		}
		s.Affairs[7].KeyFacts[0].Value, s.Message = "Zanzibar", "What of Zanzibar?"
		f := says(`{"type":"SWITCH","target_affair":"a8","closes":"a8"}`)
		got, err := New(Config{Model: f, Count: token.New().Count}).Detect(context.Background(), s.DetectInput)
		if n := token.New().Count(f.prompt); err != nil || n > mostDetect || strings.Count(f.prompt, "PARKED") != 9 || !strings.Contains(f.prompt, `known "fact 0: Zanzibar"`) {
			t.Errorf("%s: %d tokens, %v:\n%s", lang, n, err, f.prompt)
		}
		if got.Target != s.Affairs[7].ID || got.Closes != got.Target { // a1, which is current, is no UUID
			t.Errorf("%s: %+v, want the affair of the short id", lang, got)
		}
		if strings.Contains(f.prompt, s.Affairs[3].ID) {
			t.Errorf("%s: a UUID is shown", lang)
		}
	}
}
