package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
)

// shows asks something in session s1, and looks what the prompt says of what is gone and of what stays.
func (w *world) shows(t *testing.T, m *memory.Memory, asked string, gone, stays []string) compose.Input {
	t.Helper()
	got := w.turn(t, m, in("s1"), nil, asked)
	in, err := m.Turn().Gather(t.Context(), got.view, got.decision, "")
	must(t, err)
	shown := fmt.Sprintf("%+v %+v", in, *in.Active)
	for _, s := range gone {
		if strings.Contains(shown, s) {
			t.Errorf("%q is still shown:\n%s", s, shown)
		}
	}
	for _, s := range stays {
		if !strings.Contains(shown, s) {
			t.Errorf("%q is gone:\n%s", s, shown)
		}
	}
	return in
}

// A code that was forgotten stands in no later prompt: not in what was said before, the assistant's echoes and the order included, nor in facts, pending
// actions and the summary; and what was said beside it stays. A code that another record says stays too.
func TestAForgottenCodeIsSaidNoMore(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Trip to Lisbon"), "I booked the flight for 189 euros, reservation code K7QJ2M.")
	a := named(t, m, in("s1"), "Trip to Lisbon")
	pending, summary := []string{"check in with K7QJ2M", "pack"}, "The flight is booked, code K7QJ2M. Eva comes along."
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Pending: &pending, Summary: &summary}); err != nil {
		t.Fatal(err)
	}
	code := write(t, m, in("s1"), memory.Change{Kind: state.OrderRecord, Subject: "reservation", Content: "The reservation code is K7QJ2M, in Anna's name", Affair: a.ID})
	write(t, m, in("s1"), memory.Change{Kind: state.OrderRecord, Subject: "bag", Content: "The bag is order AL-77120", Affair: a.ID})
	note := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "bag colour", Content: "Bag AL-77120 is grey", Affair: a.ID})
	w.pass(time.Minute)
	w.turn(t, m, in("s1"), nil, "What is K7QJ2M? And the bag AL-77120?")
	w.pass(time.Minute)
	for _, id := range []string{code.ID, note.ID} {
		if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: id}); err != nil {
			t.Fatal(err)
		}
	}

	w.pass(time.Minute)
	w.shows(t, m, "Where were we with Lisbon?", []string{"K7QJ2M"}, []string{"189 euros", "AL-77120", "[forgotten]", "Eva comes along", "pack"})
}

// What is said of another thing on a day or with a number like the forgotten one's stays, and so does a name that another record says.
func TestWhatIsNotForgottenIsSaid(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Trip to Leeds"), "The hotel is booked from 10 to 14 May, in Leeds. My dentist Mrs Hart has me on 14 May at 10:20. My mother lives in Leeds.")
	dentist := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: "User's dentist Mrs Hart has an appointment for him on 14 May at 10:20", About: state.AboutUser})
	lives := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: "User lives in Leeds", About: state.AboutUser})
	write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: "User's mother lives in Leeds", About: state.AboutUser})
	w.pass(time.Minute)
	for _, id := range []string{dentist.ID, lives.ID} {
		if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: id}); err != nil {
			t.Fatal(err)
		}
	}

	w.pass(time.Minute)
	got := w.turn(t, m, in("s1"), nil, "Where were we?")
	said := got.view.Window[0].Text
	for _, stays := range []string{"The hotel is booked from 10 to 14 May, in Leeds.", "in Leeds."} {
		if !strings.Contains(said, stays) {
			t.Errorf("%q is gone: %q", stays, said)
		}
	}
	if strings.Contains(said, "Hart") || strings.Contains(said, "10:20") {
		t.Errorf("the forgotten is said: %q", said)
	}
}

// What was made of an affair that told it loses the names of what was forgotten, also where it says less than half of it. A name that another record
// has in another form stays, in every place.
func TestAForgottenNameLeavesTheSummary(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Oslava"), "Emma slaví v sobotu od 15 v bowlingu. Přijdou hlavně spolužáci, chodí do 1.B na Hroznovou.")
	a := named(t, m, in("s1"), "Oslava")
	pending, summary := []string{"napsat rodičům z 1.B", "koupit balonky"}, "Emma slaví v sobotu od 15. Přijdou spolužáci z 1.B na Hroznové."
	facts := state.Facts{{Label: "škola", Value: "Hroznová"}, {Label: "kdo přijde", Value: "spolužáci z 1.B"}}
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Pending: &pending, Summary: &summary, Facts: facts}); err != nil {
		t.Fatal(err)
	}
	said := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1"})
	stored, err := m.Write(said, in("s1"),
		memory.Change{Kind: state.FactRecord, Subject: "hosté a škola", Content: "Na oslavu jsou zváni hlavně Emmini spolužáci; Emma chodí do 1.B na Hroznovou", Affair: a.ID},
		memory.Change{Kind: state.OrderRecord, Subject: "dort", Content: "Dort na Emminu oslavu je v cukrárně", Affair: a.ID})
	must(t, err)
	w.pass(time.Minute)
	if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: stored[0].ID}); err != nil {
		t.Fatal(err)
	}

	w.pass(time.Minute)
	in := w.shows(t, m, "Kde jsme byli s oslavou?", []string{"Hroznov", "1.B"}, []string{"Emma slaví v sobotu od 15", "koupit balonky", "Emminu"})
	if _, ok := in.Active.KeyFacts.Get("škola"); ok {
		t.Error("the fact of which nothing is left stays")
	}
}

// A record that says more than is to be forgotten is not lost: what of it stays is a record of its own, and is marked nowhere.
func TestForgetKeepsTheRest(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Hotels"), "Put both on my card ending 4471 and I'll claim it back, they're work trips.")
	a := named(t, m, in("s1"), "Hotels")
	said := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
	card, err := m.Write(said, in("s1"), memory.Change{
		Kind: state.FactRecord, Subject: "card", Content: "Both are put on the user's card ending 4471; they are work trips and he claims it back", Affair: a.ID,
	})
	must(t, err)
	w.pass(time.Minute)
	forget := func(a memory.Amendment) ([]memory.Amended, error) {
		a.Action = memory.ForgetRecord
		return m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), a)
	}
	for _, bad := range []memory.Amendment{
		{ID: card[0].ID, Keep: "The user likes jazz and lives in York"},
		{ID: card[0].ID, Keep: "..."},
		{ID: card[0].ID, Keep: "Both are work trips and he never claims it back"},
		{ID: card[0].ID, Keep: "Both are work trips, and he claims it back from Drabel"},
	} {
		_, err := forget(bad)
		code(t, err, state.Invalid)
	}
	done, err := forget(memory.Amendment{ID: card[0].ID, Keep: "Both are work trips and he claims it back"})
	if err != nil || len(done) != 2 || done[1].Record.Affair != a.ID {
		t.Fatalf("%+v, %v", done, err)
	}

	w.pass(time.Minute)
	got := w.turn(t, m, in("s1"), nil, "Where were we with the hotels?")
	if said := got.view.Window[0].Text; !strings.Contains(said, "claim it back, they're work trips") || strings.Contains(said, "4471") {
		t.Errorf("shown: %q", said)
	}
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "work trips"}); len(got) == 0 {
		t.Error("the rest is lost")
	}
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "4471"}); strings.Contains(strings.Join(got, "\n"), "4471") {
		t.Errorf("found: %q", got)
	}
}

// Numbers in groups, house numbers and short codes go with what they are of.
func TestForgottenNumbers(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Paczki"), "Mieszkam na Lipowej 14 m. 6 w Toruniu, dzwoniłam z 601 555 238. Za 14 dni przyjdzie plecak. Emma chodzi do 1.B na Kwiatowej.")
	a := named(t, m, in("s1"), "Paczki")
	summary := "Użytkowniczka mieszka na Lipowej 14 m. 6 w Toruniu. Dzwoniła z 601 555 238. Ma 14 dni."
	facts := state.Facts{{Label: "adres", Value: "Lipowa 14 m. 6, Toruń"}}
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Summary: &summary, Facts: facts}); err != nil {
		t.Fatal(err)
	}
	said := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
	stored, err := m.Write(said, in("s1"),
		memory.Change{Kind: state.FactRecord, Content: "Mieszka na Lipowej 14 m. 6 w Toruniu", Affair: a.ID},
		memory.Change{Kind: state.FactRecord, Content: "Dzwoniła z numeru 601 555 238", Affair: a.ID},
		memory.Change{Kind: state.FactRecord, Content: "Emma chodzi do 1.B na Kwiatowej", Affair: a.ID},
		memory.Change{Kind: state.FactRecord, Content: "Plecak przyjdzie za 14 dni", Affair: a.ID})
	must(t, err)
	w.pass(time.Minute)
	for _, r := range stored[:3] {
		if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: r.ID}); err != nil {
			t.Fatal(err)
		}
	}

	w.pass(time.Minute)
	w.shows(t, m, "Co z paczkami?", []string{"Lipow", "m. 6", "Toru", "601", "238", "1.B", "Kwiatow"}, []string{"Za 14 dni przyjdzie plecak", "Ma 14 dni"})
}

// What only a message says whose record a correction took the place of is forgotten too: the correction said less.
func TestForgetWhatACorrectionLeftOut(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Trip to Lisbon"), "Flights: TAP leaves Prague on May 12 at 06:40, 189 euros. I booked it, reservation code K7QJ2M.")
	a := named(t, m, in("s1"), "Trip to Lisbon")
	facts := state.Facts{{Label: "reservation code (flight)", Value: "K7QJ2M"}, {Label: "price", Value: "189 euros"}}
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Facts: facts}); err != nil {
		t.Fatal(err)
	}
	said := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
	flight, err := m.Write(said, in("s1"), memory.Change{Kind: state.OrderRecord, Content: "TAP leaves Prague on May 12 at 06:40, 189 euros, reservation code K7QJ2M", Affair: a.ID})
	must(t, err)
	w.pass(time.Minute)
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: flight[0].ID, Content: "TAP leaves Prague on May 12 at 07:25"}); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Minute)
	forgets := memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets", Seq: 9})
	if _, err := m.Amend(forgets, in("s1"), memory.Amendment{Action: memory.ForgetRecord, Match: "reservation code K7QJ2M"}); err != nil {
		t.Fatal(err)
	}

	w.pass(time.Minute)
	w.shows(t, m, "Where were we with Lisbon?", []string{"K7QJ2M"}, []string{"189 euros"})
}

// Who tells a code that is known from nowhere has nothing forgotten by rules, however it is read.
func TestATellerForgetsNothing(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Gate"), "Hello.")
	write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: "The gate code is kx91q031", About: state.AboutUser})
	for text, want := range map[string]string{"Forget the gate code kx91q031.": "clear_topic", "Forget everything about the gate code kx88q037, please.": "unclear"} {
		msg := state.Message{Seq: 9, Role: state.RoleUser, Text: text}
		if got, err := m.Turn().Asks(t.Context(), in("s1"), msg, false); err != nil || len(got) != 1 || got[0].Action != want {
			t.Errorf("%q: %+v, %v; want %s", text, got, err, want)
		}
	}
}

// What was forgotten stands in no list either: not in the messages, and not in what is told of changes. What it was of can still be read.
func TestForgottenInNoList(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Allotment"), "The plot gate padlock is 7736 and the water is off in winter.")
	a := named(t, m, in("s1"), "Allotment")
	facts, summary := state.Facts{{Label: "gate padlock", Value: "7736"}, {Label: "water", Value: "off in winter"}}, "The gate padlock of the plot is 7736. The water is off in winter."
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Summary: &summary, Facts: facts}); err != nil {
		t.Fatal(err)
	}
	for _, now := range []string{"7736#", "changed in spring"} { // what it was before is kept
		now := state.Facts{{Label: "gate padlock", Value: now}}
		if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Facts: now}); err != nil {
			t.Fatal(err)
		}
	}
	said := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1"})
	stored, err := m.Write(said, in("s1"), memory.Change{Subject: "padlock", Content: "The gate padlock is 7736", Affair: a.ID})
	must(t, err)
	w.pass(time.Minute)
	w.turn(t, m, in("s1"), nil, "I'd rather you didn't have the gate padlock number.")
	if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: stored[0].ID}); err != nil {
		t.Fatal(err)
	}

	messages, err := m.Messages(t.Context(), in("s1"))
	must(t, err)
	changes, err := m.History().Audit(t.Context(), in("s1"), history.Query{})
	must(t, err)
	lists := fmt.Sprint(messages, changes, named(t, m, in("s1"), "Allotment"))
	for _, c := range changes {
		for _, f := range c.Fields {
			lists += f.Before.String() + f.After.String()
		}
	}
	if strings.Contains(lists, "7736") {
		t.Errorf("listed: %s", lists)
	}
	if want := "The plot gate padlock is [forgotten] and the water is off in winter."; messages[0].Text != want {
		t.Errorf("shown %q, want %q", messages[0].Text, want)
	}
	if want := "I'd rather you didn't have the gate padlock number."; messages[2].Text != want {
		t.Errorf("shown %q, want %q", messages[2].Text, want)
	}
}

// A code of four digits goes with the words for it, in four languages, and a number of what stays does not.
func TestAShortCodeForgottenInPart(t *testing.T) {
	t.Parallel()
	for said, a := range map[string]memory.Amendment{
		"Kuchyň pro paní Havlíčkovou, montáž 14. ledna, kód od branky 4471, cena 86 tisíc.": {Match: "kód od branky", Keep: "Kuchyň pro paní Havlíčkovou, montáž 14. ledna, cena 86 tisíc"},
		"Kuchnia dla pani Nowak, montaż 14 stycznia, kod do bramy 4471, cena 8600 zł.":      {Match: "kod do bramy", Keep: "Kuchnia dla pani Nowak, montaż 14 stycznia, cena 8600 zł"},
		"Кухня для Ивановой, сборка 14 января, код калитки 4471, цена 8600 рублей.":         {Match: "код калитки", Keep: "Кухня для Ивановой, сборка 14 января, цена 8600 рублей"},
		"Kitchen for Mrs Hall, fitted on 14 January, gate code 4471, price 8600.":           {Match: "gate code", Keep: "Kitchen for Mrs Hall, fitted on 14 January, price 8600"},
	} {
		w, m := setup(t)
		w.turn(t, m, in("s1"), opens("Kitchen"), said)
		tells := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
		told, err := m.Write(tells, in("s1"), memory.Change{Content: said, Affair: named(t, m, in("s1"), "Kitchen").ID})
		must(t, err)
		w.pass(time.Minute)
		a.Action, a.ID = memory.ForgetRecord, told[0].ID
		if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), a); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Minute)
		all, err := m.Messages(t.Context(), in("s1"))
		must(t, err)
		if shown := all[0].Text; strings.Contains(shown, "4471") || !strings.Contains(shown, "86") || !strings.Contains(shown, "14") {
			t.Errorf("shown %q", shown)
		}
	}
}

// Of a record that is forgotten in part, with words for what is, nothing else is marked: what the rest does not say may just be over.
func TestForgottenInPart(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Roof"), "I put a claim in with Pennant, number 5520-PH. Some assessor called Dawn Pilling is meant to ring me on 07 900 555 01.")
	said := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
	told, err := m.Write(said, in("s1"), memory.Change{
		Content: "There is a claim with Pennant, claim number 5520-PH, an assessor called Dawn Pilling is meant to ring", Affair: named(t, m, in("s1"), "Roof").ID,
	})
	must(t, err)
	w.pass(time.Minute)
	a := memory.Amendment{Action: memory.ForgetRecord, ID: told[0].ID, Match: "claim number", Keep: "There is a claim with Pennant"}
	if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), a); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Minute)
	all, err := m.Messages(t.Context(), in("s1"))
	must(t, err)
	if want := "I put a claim in with Pennant, number [forgotten]. Some assessor called Dawn Pilling is meant to ring me on 07 900 555 01."; all[0].Text != want {
		t.Errorf("shown %q", all[0].Text)
	}
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "5520-PH"}); len(got) > 0 {
		t.Errorf("that %q is found tells the number", got)
	}
}

// Who names what is to be forgotten, and does not say it, has it forgotten: by a question, by its kind, or by the subject alone.
func TestForgottenByItsName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ subject, content, keep, match, value, stays string }{
		{"Alergia Hani", "Hania jest uczulona na chlor i potrzebuje specjalnych okularków", "Hania potrzebuje specjalnych okularków", "na co Hania jest uczulona", "chlor", "okularków"},
		{"Hannah's allergy", "Hannah is allergic to chlorine and needs special goggles", "Hannah needs special goggles", "what Hannah is allergic to", "chlorine", "goggles"},
		{"Allergie", "Hanna reagiert auf Chlor und braucht eine besondere Brille", "Hanna braucht eine besondere Brille", "Allergie", "Chlor", "Brille"},
		{"alergie", "Hana nesmí chlor, potřebuje zvláštní brýle", "Hana potřebuje zvláštní brýle", "na co má Hana alergii", "chlor", "brýle"},
	} {
		w, m := setup(t)
		w.turn(t, m, in("s1"), opens("Swimming"), c.content+".")
		tells := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
		told, err := m.Write(tells, in("s1"), memory.Change{Subject: c.subject, Content: c.content, Affair: named(t, m, in("s1"), "Swimming").ID})
		must(t, err)
		w.pass(time.Minute)
		a := memory.Amendment{Action: memory.ForgetRecord, ID: told[0].ID, Match: c.match, Keep: c.keep}
		if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), a); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Minute)
		all, err := m.Messages(t.Context(), in("s1"))
		must(t, err)
		if shown := all[0].Text; strings.Contains(shown, c.value) || !strings.Contains(shown, c.stays) {
			t.Errorf("%q: shown %q", c.match, shown)
		}
	}
}

// A key fact with the value of what is forgotten in part goes, whatever its label is; one with a value that stays does not.
func TestAValueForgottenInPartLeavesTheFacts(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Dentist"), "The crown.")
	a := named(t, m, in("s1"), "Dentist")
	told := write(t, m, in("s1"), memory.Change{Content: "Krone: Kostenvoranschlag 780 Euro, die Kasse zahlt 310 Euro", Affair: a.ID})
	_, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Facts: state.Facts{{Label: "Preis", Value: "780 Euro"}, {Label: "Kassenanteil", Value: "310 Euro"}}})
	must(t, err)
	w.pass(time.Minute)
	forget := memory.Amendment{Action: memory.ForgetRecord, ID: told.ID, Match: "was die Kasse zur Krone zahlt", Keep: "Krone: Kostenvoranschlag 780 Euro"}
	if _, err := m.Amend(t.Context(), in("s1"), forget); err != nil {
		t.Fatal(err)
	}
	a = named(t, m, in("s1"), "Dentist")
	if _, has := a.KeyFacts.Get("Kassenanteil"); has || len(a.KeyFacts) != 1 || a.KeyFacts[0].Value != "780 Euro" {
		t.Errorf("key facts %v", a.KeyFacts)
	}
}

// A topic that a record of another affair says is not taken out of what was said there, as if nobody had stored it: the record is offered.
func TestATopicOfAnotherAffairStaysThere(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	said := "The estimate for the crown is 780 euros, the insurance pays 310 of it."
	w.turn(t, m, in("s1"), opens("Dentist"), said)
	tells := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
	_, err := m.Write(tells, in("s1"), memory.Change{Content: "The crown costs 780 euros, the insurance pays 310", Affair: named(t, m, in("s1"), "Dentist").ID})
	must(t, err)
	w.pass(time.Minute)
	w.turn(t, m, in("s1"), opens("Car"), "The Golf needs new brakes.")
	orders := memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets", Affair: named(t, m, in("s1"), "Car").ID})

	_, err = m.Amend(orders, in("s1"), memory.Amendment{Action: memory.ForgetRecord, Topic: true, Match: "the insurance pays for the crown"})
	code(t, err, state.NotFound)
	all, err := m.Messages(t.Context(), in("s1"))
	must(t, err)
	if all[0].Text != said {
		t.Errorf("shown %q", all[0].Text)
	}
	_, err = m.Amend(orders, in("s1"), memory.Amendment{Action: memory.ForgetRecord, Topic: true, Match: "what the Golf needs"}) // was only said, and its words are not the value
	code(t, err, state.NotFound)
	if near, err := m.Nearest(t.Context(), in("s1"), "the insurance pays for the crown", 5); err != nil || len(near) == 0 {
		t.Errorf("offered %v, %v", near, err)
	}
}

// A German noun is written large and is no name: what a forgotten code was of stays a word, a person's name beside it goes as everywhere.
func TestForgettingLeavesGermanNouns(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Wohnung in Graz"), "Ich renoviere meine Wohnung in Graz.")
	a := named(t, m, in("s1"), "Wohnung in Graz")
	w.pass(time.Minute)
	w.turn(t, m, in("s1"), nil, "Gerhard Pichler braucht den Türcode der Wohnung, 4471.")
	said := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m3", Turn: "tells"})
	stored, err := m.Write(said, in("s1"), memory.Change{Content: "Gerhard Pichler braucht den Türcode der Wohnung: 4471", Affair: a.ID})
	must(t, err)
	w.pass(time.Minute)
	if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: stored[0].ID}); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Minute)
	w.shows(t, m, "Was ist mit der Wohnung?", []string{"4471"}, []string{"Wohnung in Graz", "meine Wohnung"})
}

// A day of the week, a currency, an article and what stands before a name are no names: what else is said with them in the session stays. The name itself goes,
// and so does one that is also a day.
func TestForgettingLeavesDaysAndCurrencies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, said, stored, later, gone, stays string }{
		{"German", "Das Geld geht an Frau Huber.", "Empfängerin der 230 Euro für die Reise: Frau Huber, zahlbar Montag", "Das Dach kostet 7060 Euro, Frau Klein kommt am Montag. Frau Huber nicht.", "Huber", "Das Dach kostet 7060 Euro, Frau Klein kommt am Montag."},
		{"English", "The money goes to Mrs Huber.", "A bill of 230 EUR to Mrs Huber is due on Monday", "The roof is 7060 EUR, Mrs Klein comes on Monday. Huber does not.", "Huber", "The roof is 7060 EUR, Mrs Klein comes on Monday."},
		{"a name that is a day", "Peníze jdou panu Sobotovi.", "Platba 230 EUR jde panu Sobotovi", "Střecha stojí 7060 EUR. Volal pan Sobota.", "Sobota", "Střecha stojí 7060 EUR."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Wien"), c.said)
			a := named(t, m, in("s1"), "Wien")
			from := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
			stored, err := m.Write(from, in("s1"), memory.Change{Content: c.stored, Affair: a.ID})
			must(t, err)
			w.pass(time.Minute)
			w.turn(t, m, in("s1"), nil, c.later)
			w.pass(time.Minute)
			if _, err := m.Amend(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "forgets"}), in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: stored[0].ID}); err != nil {
				t.Fatal(err)
			}
			w.pass(time.Minute)
			w.shows(t, m, "?", []string{c.gone}, []string{c.stays})
		})
	}
}
