package reason

import (
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// A reason is a sentence that a user understands, in his language.
func TestReason(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 12, 15, 0, 0, 0, time.UTC) // a Thursday
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	const day = 24 * time.Hour
	affairs := []*state.Affair{
		{ID: "roof", Title: "Roof repair", Status: state.Parked, Topics: []string{"garage"}, UpdatedAt: ago(3 * day)},
		{ID: "strecha", Title: "Oprava střechy", Status: state.Parked, KeyFacts: state.Facts{{Label: "pokrývač", Value: "Novák"}}, UpdatedAt: ago(2 * time.Hour)},
		{ID: "dach", Title: "Naprawa dachu", Status: state.Parked, UpdatedAt: ago(day)},
		{ID: "крыша", Title: "Ремонт крыши", Status: state.Parked, UpdatedAt: ago(40 * day)},
		{ID: "tax", Title: "Tax return", Status: state.Resolved, UpdatedAt: ago(day)},
		{ID: "trip", Title: "Trip to Rome", Status: state.Active, UpdatedAt: ago(time.Minute)},
		{ID: "dog", Title: "Dog", Status: state.Parked, UpdatedAt: ago(400 * day)},
		{ID: "vet", Title: "Vet", Status: state.Parked, UpdatedAt: ago(time.Minute)},
	}
	asked := []state.Message{{Role: state.RoleAssistant, Text: "When do you leave?"}}
	for _, c := range []struct {
		lang, message string
		kind          state.Kind
		affair        string
		window        []state.Message
		want          string
	}{
		{"en", "Back to the roof", state.Switch, "roof", nil, "names “Roof repair”, parked since Monday"},
		{"en", "The garage again", state.Switch, "roof", nil, "mentions “garage”, which belongs to “Roof repair”, parked since Monday"},
		{"en", "Let us return to that", state.Switch, "roof", nil, "goes back to “Roof repair”, parked since Monday"},
		{"en", "How old is he?", state.Switch, "dog", nil, "goes back to “Dog”, parked since 5 February 2025"},
		{"en", "When is he in?", state.AdHoc, "vet", nil, "asks aside about “Vet”, parked a moment ago"},
		{"en", "Was the tax paid?", state.AdHoc, "tax", nil, "asks aside about “Tax return”, settled already"},
		{"en", "What time is it?", state.AdHoc, "", nil, "asks aside about something else"},
		{"en", "On Friday", state.Continue, "trip", asked, "answers the question just asked"},
		{"en", "Why do you ask?", state.Continue, "trip", asked, "goes on with “Trip to Rome”"},
		{"en", "Hi", state.Continue, "", nil, "is about no affair"},
		{"en", "I need a bike", state.NewAffair, "", nil, "opens something not talked about before: “Bike”"},
		{"cs", "A co ta střecha?", state.Switch, "strecha", nil, "jmenuje „Oprava střechy“, odloženo od 13:00"},
		{"cs", "Volal Novák", state.Switch, "strecha", nil, "zmiňuje „Novák“, což patří k „Oprava střechy“, odloženo od 13:00"},
		{"cs", "Potřebuju kolo", state.NewAffair, "", nil, "otevírá něco, o čem ještě nebyla řeč: „Bike“"},
		{"cs", "V pátek", state.Continue, "trip", asked, "odpovídá na právě položenou otázku"},
		{"pl", "A co z dachem?", state.AdHoc, "dach", nil, "pyta przy okazji o „Naprawa dachu”, odłożone od wczoraj"},
		{"pl", "Wróćmy do tego", state.Switch, "dach", nil, "wraca do „Naprawa dachu”, odłożone od wczoraj"},
		{"ru", "Что там с крышей?", state.Switch, "крыша", nil, "называет «Ремонт крыши», отложено с 31 января"},
		{"ru", "Да, хорошо", state.Continue, "trip", nil, "продолжает «Trip to Rome»"},
	} {
		t.Run(c.lang+" "+c.message, func(t *testing.T) {
			t.Parallel()
			v := state.View{Affairs: affairs, Window: c.window}
			d := state.Decision{Kind: c.kind, AffairID: c.affair, Title: "Bike"}
			if got := Of(v, c.message, d, c.lang, now); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
