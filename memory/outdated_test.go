package memory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// A correction ends the old value in key facts, pending actions and the summary of its affair; what is about another thing changes nothing of it.
func TestACorrectionReachesTheAffair(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Flight to Lisbon"), "We fly to Lisbon.")
	a := named(t, m, in("s1"), "Flight to Lisbon")
	facts := state.Facts{{Label: "departure", Value: "May 12 at 06:40"}, {Label: "order number", Value: "4471"}}
	pending, summary := []string{"be at the airport at 06:40", "print the tickets"}, "The flight leaves at 06:40. Eva comes along."
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Facts: facts, Pending: &pending, Summary: &summary}); err != nil {
		t.Fatal(err)
	}
	write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "flight", Content: "The flight leaves at 06:40", Affair: a.ID})

	write(t, m, in("s1"), memory.Change{Kind: state.OrderRecord, Subject: "suitcase", Content: "The suitcase is order number 9930, $60", Affair: a.ID})
	if v, _ := named(t, m, in("s1"), "Flight to Lisbon").KeyFacts.Get("order number"); v != "4471" {
		t.Errorf("another order's number took the place of 4471: %s", v)
	}

	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, Content: "The flight leaves at 07:25"}); err != nil {
		t.Fatal(err)
	}
	a = named(t, m, in("s1"), "Flight to Lisbon")
	for _, f := range a.KeyFacts {
		if strings.Contains(f.Value, "06:40") {
			t.Errorf("still current: %v", f)
		}
	}
	same(t, "pending", []string{"print the tickets"}, a.PendingActions)
	if a.Summary != "The flight leaves at 07:25. Eva comes along." {
		t.Errorf("summary %q", a.Summary)
	}
	if len(a.PastFacts) == 0 || a.PastFacts[len(a.PastFacts)-1].Value != "May 12 at 06:40" {
		t.Errorf("past %v", a.PastFacts)
	}
}

// A summary of which a correction leaves nothing goes.
func TestACorrectionEndsTheWholeSummary(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Flight"), "We fly.")
	a := named(t, m, in("s1"), "Flight")
	summary := "Be there at 06:40."
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Summary: &summary}); err != nil {
		t.Fatal(err)
	}
	write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "flight", Content: "The flight leaves at 06:40", Affair: a.ID})
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, Content: "The flight leaves at 07:25"}); err != nil {
		t.Fatal(err)
	}
	if a = named(t, m, in("s1"), "Flight"); a.Summary != "" || a.Title != "Flight" {
		t.Errorf("left: title %q, summary %q", a.Title, a.Summary)
	}
}

// A denial that puts nothing in the place of what was told ends it in its affair all the same; what else is known there stays.
func TestADenialReachesTheAffair(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct{ told, fact, value, summary, rest, denies string }{
		"pl": {"Pan Zenek dostał 500 zł zaliczki", "zaliczka (pan Zenek)", "500 zł", "Pan Zenek dostał zaliczkę 500 zł.", "Płytki przyjdą 10 grudnia.", "Pan Zenek nie dostał żadnej zaliczki"},
		"en": {"Brother Kieran helps with lifting on the day", "helper on the day", "brother Kieran", "Kieran helps with lifting.", "The van is booked.", "Brother Kieran does not help with lifting on the day"},
		"cs": {"Blatník na fabii je prorezlý", "blatník", "prorezlý", "Fabia má prorezlý blatník.", "Technická je 9. prosince.", "Blatník na fabii není prorezlý"},
		"ru": {"Тёща ест рыбу", "тёща", "ест рыбу", "Тёща ест рыбу.", "Столик заказан.", "Тёща не ест рыбу"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Matter"), "Hello.")
			a := named(t, m, in("s1"), "Matter")
			summary := of.summary + " " + of.rest
			if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Summary: &summary, Facts: state.Facts{{Label: of.fact, Value: of.value}, {Label: "order", Value: "4471"}}}); err != nil {
				t.Fatal(err)
			}
			receipt := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: of.told, Affair: a.ID})
			if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: receipt.ID, Content: of.denies}); err != nil {
				t.Fatal(err)
			}
			a = named(t, m, in("s1"), "Matter")
			if _, is := a.KeyFacts.Get(of.fact); is || len(a.KeyFacts) != 1 || a.Summary != of.rest {
				t.Errorf("facts %v, summary %q", a.KeyFacts, a.Summary)
			}
		})
	}
}

// What is settled waits for nothing.
func TestResolvedWaitsForNothing(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Rent"), "I have to answer the landlord.")
	a := named(t, m, in("s1"), "Rent")
	if len(a.PendingActions) != 1 {
		t.Fatalf("pending %q", a.PendingActions)
	}
	if _, err := m.Affairs().Move(t.Context(), in("s1"), a.ID, state.Resolved, ""); err != nil {
		t.Fatal(err)
	}
	if a = named(t, m, in("s1"), "Rent"); len(a.PendingActions) != 0 {
		t.Errorf("settled, and waits for %q", a.PendingActions)
	}
}

// A task and a record that says the same both stay: only the task reminds.
func TestATaskIsNoRecordOfTheSame(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Report"), "The report is due.")
	a := named(t, m, in("s1"), "Report")
	write(t, m, in("s1"), memory.Change{Kind: state.DeadlineRecord, Subject: "Report", Content: "Hand in the report by 2026-12-01", Affair: a.ID})
	write(t, m, in("s1"), memory.Task("Report", "Hand in the report", time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)))
	write(t, m, in("s1"), memory.Change{Kind: state.DeadlineRecord, Subject: "Report", Content: "Hand in the report until 2026-12-01", Affair: a.ID})
	if tasks, err := m.Tasks().List(t.Context(), in("s1")); err != nil || len(tasks) != 1 {
		t.Errorf("tasks %v, %v", tasks, err)
	}
}

// What an affair says in the words of the record is true with the new value, whatever way an hour is written in.
func TestACorrectionChangesWhatSaysTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, anew, fact, pending, summary, wantFact, wantPending, wantSummary string }{
		{
			"Biscuit's drop-off is 5 May at 5 pm", "Biscuit's drop-off is 5 May at 6 pm", "5 May at 5 pm", "drop Biscuit off on 5 May at 5 pm", "Biscuit's drop-off is 5 May at 5 pm. It's £27 a day.",
			"5 May at 6 pm", "drop Biscuit off on 5 May at 6 pm", "Biscuit's drop-off is 5 May at 6 pm. It's £27 a day.",
		},
		{
			"The call is at 7 am sharp", "The call is at 7 pm sharp", "7 am", "be up at 6 am", "The call is at 7 am sharp.",
			"7 pm", "be up at 6 am", "The call is at 7 pm sharp.",
		},
		{
			"Emma slaví v sobotu od 15:00 v bowlingu, bude osm dětí", "Emma slaví v sobotu od 16:00 v bowlingu, bude osm dětí", "sobota od 15", "koupit 15 balonků", "Emma slaví v sobotu od 15 v bowlingu. Dort je za 890.",
			"sobota od 16:00", "koupit 15 balonků", "Emma slaví v sobotu od 16:00 v bowlingu. Dort je za 890.",
		},
		{
			"Plecak płatny przy odbiorze, 289 zł", "Plecak płatny przy odbiorze, 298 zł", "289 zł", "odbiór plecaka w piątek, płatne przy odbiorze 289 zł", "Kurtka kosztowała 289 zł.",
			"298 zł", "odbiór plecaka w piątek, płatne przy odbiorze 298 zł", "",
		},
	} {
		w, m := setup(t)
		w.turn(t, m, in("s1"), opens("Affair"), "Hello.")
		a := named(t, m, in("s1"), "Affair")
		pending := []string{c.pending}
		change := memory.AffairChange{Facts: state.Facts{{Label: "it", Value: c.fact}}, Pending: &pending, Summary: &c.summary}
		if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, change); err != nil {
			t.Fatal(err)
		}
		old := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: c.old, Affair: a.ID})
		if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: old.ID, Content: c.anew}); err != nil {
			t.Fatal(err)
		}
		a = named(t, m, in("s1"), "Affair")
		fact, _ := a.KeyFacts.Get("it")
		if fact != c.wantFact || strings.Join(a.PendingActions, "; ") != c.wantPending || a.Summary != c.wantSummary {
			t.Errorf("%s:\nfact %q, want %q\npending %q, want %q\nsummary %q, want %q", c.anew, fact, c.wantFact, a.PendingActions, c.wantPending, a.Summary, c.wantSummary)
		}
	}
}

// A message with a number that was corrected says so where it is found; what else it says is still so.
func TestACorrectedMessageSaysSo(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Hotels"), "The Calder in Leeds is from 6 to 8 May at 94 pounds, the Avonside in Bristol from 20 to 22 May at 118 pounds.")
	a := named(t, m, in("s1"), "Hotels")
	said := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
	stored, err := m.Write(said, in("s1"), memory.Change{Kind: state.OrderRecord, Content: "The Calder in Leeds: 6 to 8 May, 94 pounds", Affair: a.ID},
		memory.Change{Kind: state.OrderRecord, Content: "The Avonside in Bristol: 20 to 22 May, 118 pounds", Affair: a.ID})
	must(t, err)
	w.pass(time.Minute)
	w.turn(t, m, in("s1"), nil, "So the Avonside in Bristol is 118 pounds, right?")
	w.turn(t, m, in("s1"), nil, "And 118 guests may come to Leeds.")
	of := func(id string) (out string) {
		hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "Avonside Bristol pounds guests come Leeds", Limit: 20})
		must(t, err)
		for _, h := range hits {
			if h.Message != nil && h.Message.ID == id {
				out = h.Source
			}
		}
		return out
	}
	source := func() string { return of("m1") }
	w.pass(time.Minute)
	if got := source(); got == "" || strings.Contains(got, "corrected") {
		t.Errorf("before: %q", got)
	}
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: stored[1].ID, Content: "The Avonside in Bristol: 20 to 22 May, 128 pounds"}); err != nil {
		t.Fatal(err)
	}
	if got := source(); !strings.HasSuffix(got, ", corrected since") {
		t.Errorf("after: %q", got)
	}
	if got := of("m3"); !strings.HasSuffix(got, ", corrected since") {
		t.Errorf("what repeated it: %q", got)
	}
	if got := of("m5"); got == "" || strings.Contains(got, "corrected") {
		t.Errorf("another thing with that number: %q", got)
	}
	w.pass(time.Minute)
	w.turn(t, m, in("s1"), nil, "Before it was 118 pounds at the Avonside in Bristol, I know.")
	if got := of("m7"); got == "" || strings.Contains(got, "corrected") {
		t.Errorf("said after it: %q", got)
	}
}

// A correction that says less than the record touches what it has another value for: the number before the same word, not each number.
func TestACorrectionOfOneNumberAmongSeveral(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Sraz"), "Sraz třídy.")
	a := named(t, m, in("s1"), "Sraz")
	facts := state.Facts{{Label: "lidí", Value: "22 lidí"}, {Label: "záloha", Value: "2000 Kč"}, {Label: "termín", Value: "12. 12. 2026 od 17:00"}}
	summary := "Sraz je 12. 12. 2026 od 17:00. Přihlášeno je 22 lidí."
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Facts: facts, Summary: &summary}); err != nil {
		t.Fatal(err)
	}
	stored := write(t, m, in("s1"), memory.Change{Content: "Sraz třídy je 12. 12. 2026 od 17:00, přihlášeno je 22 lidí, záloha 2000 Kč", Affair: a.ID})
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: stored.ID, Content: "Na sraz třídy je přihlášeno 20 lidí"}); err != nil {
		t.Fatal(err)
	}
	a = named(t, m, in("s1"), "Sraz")
	for label, want := range map[string]string{"lidí": "20 lidí", "záloha": "2000 Kč", "termín": "12. 12. 2026 od 17:00"} {
		if got, _ := a.KeyFacts.Get(label); got != want {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
	}
	if a.Summary != "Sraz je 12. 12. 2026 od 17:00. Přihlášeno je 20 lidí." {
		t.Errorf("summary %q", a.Summary)
	}
}

// The subject of a record that is corrected says no value that is over; a number of it that the correction does not touch stays.
func TestACorrectionReachesTheSubject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, subject, content, anew, want string }{
		{"its value has changed", "Pay the fee (5000 roubles)", "Pay the fee (5000 roubles)", "Pay the fee (3500 roubles)", "Pay the fee (3500 roubles)"},
		{"it says another number", "Invoice 4471", "Invoice 4471 is $60, due in May", "Invoice 4471 is $75, due in May", "Invoice 4471"},
		{"it says no number", "fee", "The fee is 5000 roubles", "The fee is 3500 roubles", "fee"},
		{"it is not plain which is the new one", "Seats (row 12)", "Seats are in row 12, car 3", "Seats are in row 14, car 5", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, m := setup(t)
			stored := write(t, m, in("s1"), memory.Change{Content: c.content, Subject: c.subject})
			out, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: stored.ID, Content: c.anew})
			must(t, err)
			if got := out[0].Record.Subject; got != c.want {
				t.Errorf("subject %q, want %q", got, c.want)
			}
		})
	}
}

// A correction in another language puts the value right in its affair, and ends nothing by its words: all of them are other words.
func TestACorrectionInAnotherLanguageLeavesTheRest(t *testing.T) {
	t.Parallel()
	roof := "Oprava střechy na stejném baráku, kde se řeší kotel. Dělá ji fa Kovář, nabídka je 48 500 Kč. Obhlídka je 10. 12. 2026, záloha 12 000 Kč má být zaplacena do 11. 12. 2026."
	for name, of := range map[string]struct {
		told, anew, summary, wantSummary string
		fact, wantFact                   string
		pending, wantPending             string
	}{
		"a price, cs by pl": {
			"Opravu střechy (stejný barák jako oprava kotle) dělá firma Kovář, nabídka 48 500 Kč.", "Naprawę dachu (ten sam dom co kocioł) robi firma Kovář, cena to jednak 51 200 Kč.",
			roof, strings.Replace(roof, "48 500", "51 200", 1), "48 500 Kč", "51 200 Kč", "obhlídka střechy 10. 12. 2026", "obhlídka střechy 10. 12. 2026",
		},
		"a day, cs by pl": {
			"Obhlídka střechy je 10. 12. 2026.", "Oględziny dachu są przełożone na 11. 12. 2026 o 14:00.",
			"Oprava střechy na stejném baráku. Obhlídka střechy je 10. 12. 2026.", "Oprava střechy na stejném baráku. Obhlídka střechy je 11. 12. 2026.",
			"10. 12.", "11. 12.", "obhlídka střechy 10. 12. 2026", "obhlídka střechy 11. 12. 2026",
		},
		"a day that is left, cs by pl": {
			"Obhlídka střechy je 10. 12. 2026.", "Oględziny dachu (Kovář) są przełożone z 10. 12. na 11. 12. 2026 o 14:00.",
			"Oprava střechy na stejném baráku. Obhlídka střechy je 10. 12. 2026.", "Oprava střechy na stejném baráku. Obhlídka střechy je 11. 12. 2026.",
			"10. 12.", "11. 12.", "obhlídka střechy 10. 12. 2026", "obhlídka střechy 11. 12. 2026",
		},
		"an hour that is left, ru by en": {
			"Обед с Олей в 12:00", "The lunch with Olya was moved from 12:00 to 13:30",
			"Обед с Олей в 12:00. Стол заказан.", "Обед с Олей в 13:30. Стол заказан.", "12:00", "13:30", "заказать торт", "заказать торт",
		},
		"the end of a range, ru by en": {
			"Обед с Олей с 12:00 до 13:00", "The lunch with Olya is now from 12:00 to 13:30",
			"Обед с Олей с 12:00 до 13:00. Стол заказан.", "Обед с Олей с 12:00 до 13:30. Стол заказан.", "12:00", "12:00", "заказать торт", "заказать торт",
		},
		"a due day, cs by ru": {
			"Oprava kotle stojí 1 180 Kč, faktura je splatná do 15. 12. 2026.", "Оплата счёта за ремонт котла — до 18. 12. 2026.",
			"Oprava kotle v ul. Lipová. Faktura za kotel je splatná do 15. 12. 2026.", "Oprava kotle v ul. Lipová. Faktura za kotel je splatná do 18. 12. 2026.",
			"do 15. 12.", "do 18. 12.", "zaplatit fakturu do 15. 12. 2026", "zaplatit fakturu do 18. 12. 2026",
		},
		"an hour, en by ru": {
			"The flight to Lisbon leaves at 06:40", "Вылет в Лиссабон перенесён на 07:25",
			"We fly to Lisbon with Eva. The flight leaves at 06:40.", "We fly to Lisbon with Eva. The flight leaves at 07:25.",
			"06:40", "07:25", "print the tickets", "print the tickets",
		},
		"cancelled, ru by en": {
			"Ужин с Олей в пятницу в ресторане", "The dinner with Olya is cancelled",
			"Ужин с Олей в пятницу в ресторане. Стол заказан.", "Ужин с Олей в пятницу в ресторане. Стол заказан.",
			"в пятницу", "в пятницу", "заказать торт", "заказать торт",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Matter"), "Hello.")
			a := named(t, m, in("s1"), "Matter")
			pending := []string{of.pending}
			change := memory.AffairChange{Facts: state.Facts{{Label: "it", Value: of.fact}, {Label: "order", Value: "4471"}}, Pending: &pending, Summary: &of.summary}
			_, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, change)
			must(t, err)
			old := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: of.told, Affair: a.ID})
			_, err = m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: old.ID, Content: of.anew})
			must(t, err)
			a = named(t, m, in("s1"), "Matter")
			same(t, "summary", of.wantSummary, a.Summary)
			same(t, "pending", []string{of.wantPending}, a.PendingActions)
			fact, _ := a.KeyFacts.Get("it")
			same(t, "fact", of.wantFact, fact)
		})
	}
}
