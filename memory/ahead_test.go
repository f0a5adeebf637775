package memory_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
)

// Days ahead are those of the key facts that are not over: a day of the calendar by its date, a day of the week for a week after it was said.
func TestDaysAhead(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.pass(time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC).Sub(w.clock()))
	m := w.memory(t, nil)
	said := time.Date(2026, 3, 8, 9, 0, 0, 0, time.UTC)
	fact := func(label, value string, since time.Time) state.Fact {
		return state.Fact{Label: label, Value: value, Since: since}
	}
	a := &state.Affair{Status: state.Parked, KeyFacts: state.Facts{
		fact("date (dentist)", "12 March at 9:00", said), fact("date (exam)", "9 March", said), fact("due", "friday", said), fact("date (visit)", "thursday 2pm", said.AddDate(0, 0, -20)),
		fact("price", "40 EUR", said), fact("splatnost", "10. března", said), fact("termin", "do 2 stycznia 2027", said), fact("invoice", "2291", said),
		fact("date (trip)", "5 April", time.Date(2025, 12, 20, 9, 0, 0, 0, time.UTC)), fact("name", "Dr Patel", said),
		fact("Urlaub", "vom 8. bis 12. März", said), fact("Kurs", "1. bis 9. März 2026", said), fact("dovolená", "od 8. 3. do 5. 4. 2026", said), fact("slot", "9 March 2026 14:30", said), fact("camp", "9 March to 3 May", said),
		fact("visit", "20. 3. 2026 v 8:00", said),
	}}
	in := func(zone string) context.Context {
		set, err := m.Settings().In(t.Context(), state.Scope{Client: "c", User: "u"})
		must(t, err)
		here := *set
		here.TimeZone = zone
		return settings.ContextWith(t.Context(), &here)
	}
	ctx := in("UTC")
	var got []string
	for _, f := range m.Affairs().Ahead(ctx, a) {
		got = append(got, f.Label)
	}
	if diff := cmp.Diff([]string{"date (dentist)", "due", "splatnost", "termin", "date (trip)", "Urlaub", "dovolená", "camp", "visit"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// It is the 11th already where the sun rises.
	w.pass(14 * time.Hour)
	says := func(ctx context.Context) bool {
		return slices.ContainsFunc(m.Affairs().Ahead(ctx, a), func(f state.Fact) bool { return f.Label == "splatnost" })
	}
	if !says(ctx) || says(in("Asia/Tokyo")) {
		t.Errorf("10. března is ahead in UTC: %v, in Tokyo: %v; want true, false", says(ctx), says(in("Asia/Tokyo")))
	}
	a.Status = state.Resolved
	if got := m.Affairs().Ahead(ctx, a); len(got) > 0 {
		t.Errorf("of what is settled: %v", got)
	}
}
