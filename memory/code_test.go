package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// A code that is forgotten by what it is called goes from the records that say it too, though these are not called so.
func TestACodeGoesFromEveryRecord(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Capes"), "The capes come to my sister's, the gate code is 4471 there.")
	write(t, m, in("s1"), memory.Change{Kind: state.OrderRecord, Content: "Nine capes, to be delivered to Sowia 12, ring at 4471", Affair: named(t, m, in("s1"), "Capes").ID})
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.ForgetRecord, Match: "the gate code"}); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "gate code capes Sowia"}); strings.Contains(strings.Join(got, "\n"), "4471") {
		t.Errorf("it is found still: %q", got)
	}
}

// What was kept of a forgotten record is not marked in messages when it is corrected later.
func TestWhatIsKeptMayBeCorrected(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Capes"), "Eleven capes at 85 each, Marta pays them.")
	said := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m1", Turn: "tells"})
	stored, err := m.Write(said, in("s1"), memory.Change{Kind: state.OrderRecord, Content: "Eleven capes at 85 each, Marta pays them"})
	must(t, err)
	forgets := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m3", Turn: "forgets"})
	kept, err := m.Amend(forgets, in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: stored[0].ID, Keep: "Eleven capes at 85 each"})
	must(t, err)
	corrects := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Message: "m5", Turn: "corrects"})
	if _, err := m.Amend(corrects, in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: kept[len(kept)-1].ID, Content: "Eleven capes at 80 each"}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(texts(t, m, memory.Query{Scope: in("s1"), Text: "Eleven capes each"}), "\n")
	if !strings.Contains(got, "at 85 each, [forgotten]") {
		t.Errorf("found %q: want the message with its price, and Marta marked", got)
	}
}

// A model that forgets by words what a record says among much else is told so, with the id; nothing is gone.
func TestAModelForgetsByWordsNoMoreThanTheySay(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Concert"), "The concert is at St Jude's on 12 December, the key safe code is 5530, Malcolm has the heating on.")
	stored := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: "The concert is at St Jude's on 12 December; the key safe code is 5530, Malcolm has the heating on", Affair: named(t, m, in("s1"), "Concert").ID})
	calls := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Tool: "memory_update", Call: "call-1", Ground: &memory.Ground{}})
	_, err := m.Amend(calls, in("s1"), memory.Amendment{Action: memory.ForgetRecord, Match: "key safe code"})
	if text := code(t, err, state.Invalid); !strings.Contains(text, stored.ID) || !strings.Contains(text, "with keep") {
		t.Errorf("got %q", text)
	}
	_, err = m.Amend(calls, in("s1"), memory.Amendment{Action: memory.CorrectRecord, Content: "The concert is at St Mary's, Malcolm has the key"})
	if text := code(t, err, state.Invalid); !strings.Contains(text, "with all that holds now") {
		t.Errorf("got %q", text)
	}

	// One new value has its place in what is there.
	done, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, Content: "The key safe code is 5531"})
	if want := "The concert is at St Jude's on 12 December; the key safe code is 5531, Malcolm has the heating on"; err != nil || done[0].Record.Content != want {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.ForgetRecord, ID: done[0].ID, Keep: "The concert is at St Jude's on 12 December"}); err != nil {
		t.Error(err)
	}
}

// An order to forget that leaves the rest is the model's to carry out, or asked back about: by rule the whole record would go.
func TestAnOrderThatLeavesTheRest(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Garage"), "The gate code is 7093, Rashid is the guard.")
	write(t, m, in("s1"), memory.Change{Content: "The gate code is 7093, Rashid is the guard"})
	for text, want := range map[string]string{
		"Forget the gate code, the rest may stay": memory.Unclear, "Забудь код от ворот, остальное пусть будет": memory.Unclear, "Forget the gate code": "clear_topic",
	} {
		if got, err := m.Turn().Asks(t.Context(), in("s1"), state.Message{Role: state.RoleUser, Text: text}, false); err != nil || len(got) != 1 || got[0].Action != want {
			t.Errorf("%s: %+v, %v; want %s", text, got, err, want)
		}
	}
}

// A record is named by the end of its id too, as a prompt shows it.
func TestAShortID(t *testing.T) {
	t.Parallel()
	w, n := newWorld(), 0
	m := w.memory(t, func(c *memory.Config) { c.NewID = func() string { n++; return fmt.Sprintf("0000000000000000%08x", n) } })
	told := write(t, m, in("s1"), memory.Change{Content: "The boiler is in the cellar"})
	write(t, m, in("s1"), memory.Change{Content: "The bikes are in the garage"})
	hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "boiler"})
	if err != nil || len(hits) == 0 || hits[0].Name() != "r-"+told.ID[18:] {
		t.Fatalf("%+v, %v", hits, err)
	}
	done, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: hits[0].Name(), Content: "The boiler is in the attic"})
	if err != nil || done[0].Record.Content != "The boiler is in the attic" {
		t.Errorf("%+v, %v", done, err)
	}
	for _, bad := range []string{"r-" + told.ID[18:], told.ID[18:], "r-zzzzzz"} { // replaced, without its mark, none
		_, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: bad, Content: "The boiler is gone"})
		code(t, err, state.NotFound)
	}
}

// A correction finds its record in another language by what both write alike, and leaves alone what only has some of that.
func TestACorrectionInAnotherLanguage(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		records []string
		says    string
		left    []string
	}{
		"cs, in English": {
			[]string{"Let do Lisabonu s TAP odlétá 12. května v 6:40", "Petr má narozeniny 12. května"}, "The TAP flight on May 12 leaves at 7:25",
			[]string{"Petr má narozeniny 12. května", "The TAP flight on May 12 leaves at 7:25"},
		},
		"pl, in English": {[]string{"Wizyta u dentysty Kowalskiego 14 maja o 10:20"}, "The dentist Kowalski expects me on May 14 at 11:00", []string{"The dentist Kowalski expects me on May 14 at 11:00"}},
		"ru, in English": {[]string{"Рейс SU-1217 прилетает в 18:45"}, "Flight SU-1217 arrives at 21:10", []string{"Flight SU-1217 arrives at 21:10"}},
		"en, in Czech":   {[]string{"The rent is 1180 EUR"}, "Nájem není 1180 EUR, ale 1250 EUR", []string{"Nájem není 1180 EUR, ale 1250 EUR"}},
		"another matter": {[]string{"Petr má narozeniny 12. května"}, "Petr's dentist is on May 14", []string{"Petr má narozeniny 12. května"}},
		"which of two":   {[]string{"Рейс SU-1217 прилетает в 18:45", "Рейс SU-1217 вылетает в 15:10"}, "Flight SU-1217 is at 21:10", []string{"Рейс SU-1217 прилетает в 18:45", "Рейс SU-1217 вылетает в 15:10"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			for _, r := range of.records {
				write(t, m, in("s1"), memory.Change{Content: r, About: state.AboutUser})
			}
			_, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, Content: of.says})
			if stays := slices.Equal(of.left, of.records); stays {
				code(t, err, state.NotFound)
			} else {
				must(t, err)
			}
			same(t, "records", of.left, valid(t, w, m))
		})
	}
}

// Where a correction in another language fits several records, it is for the one whose value it denies or leaves, else for the one of the affair that is spoken
// of; where that does not tell either, nothing is changed, and what it may mean comes first among what is near.
func TestWhichOfSeveralIsCorrectedAbroad(t *testing.T) {
	t.Parallel()
	offer, inspection, deposit := "Opravu střechy (stejný barák jako oprava kotle) dělá firma Kovář, nabídka 48 500 Kč.", "Obhlídka střechy je 10. 12. 2026.", "Záloha 12 000 Kč na opravu střechy je splatná do 11. 12. 2026."
	price, bill := "Oprava kotle bude nakonec stát 1 240 Kč (řekl Dvořák telefonicky).", "Oprava kotle stojí 1 180 Kč, faktura je splatná do 15. 12. 2026."
	for name, of := range map[string]struct {
		roof, boiler []string
		says, goes   string // goes: "" = not sure
	}{
		"the price that is denied":    {[]string{offer, inspection, deposit}, []string{price, bill}, "Cena naprawy dachu (Kovář) to jednak 51 200 Kč zamiast 48 500 Kč.", offer},
		"the day that is left":        {[]string{offer, inspection, deposit}, []string{price, bill}, "Oględziny dachu (Kovář) są przełożone z 10. 12. na 11. 12. 2026 o 14:00.", inspection},
		"the day, in Russian":         {[]string{offer, inspection, deposit}, []string{price, bill}, "Оплата счёта за ремонт котла — до 18. 12. 2026, не до 15. 12. 2026.", bill},
		"of the affair":               {[]string{"Рейс SU-1217 прилетает в 18:45"}, []string{"Рейс SU-1217 вылетает в 15:10"}, "Flight SU-1217 is at 21:10", "Рейс SU-1217 прилетает в 18:45"},
		"denied, of the other affair": {[]string{"Рейс SU-1217 прилетает в 18:45"}, []string{"Рейс SU-1217 вылетает в 15:10"}, "Flight SU-1217 is at 16:10, not 15:10", "Рейс SU-1217 вылетает в 15:10"},
		"two of one affair":           {[]string{"Рейс SU-1217 прилетает в 18:45", "Рейс SU-1217 вылетает в 15:10"}, []string{"The flight to Rome has no meals"}, "Flight SU-1217 is at 21:10", ""},
		"from and to of a range":      {[]string{"Рейс SU-1217 прилетает в 18:45", "Рейс SU-1217 вылетает в 15:10"}, []string{"The flight to Rome has no meals"}, "Flight SU-1217 is checked in from 15:10 to 16:00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Boiler"), "Hello.")
			w.turn(t, m, in("s1"), opens("Roof"), "Hello.")
			boiler, roof := named(t, m, in("s1"), "Boiler"), named(t, m, in("s1"), "Roof")
			for _, r := range of.boiler {
				write(t, m, in("s1"), memory.Change{Content: r, Affair: boiler.ID})
			}
			for _, r := range of.roof {
				write(t, m, in("s1"), memory.Change{Content: r, Affair: roof.ID})
			}
			before := valid(t, w, m)
			here := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Affair: roof.ID})
			done, err := m.Amend(here, in("s1"), memory.Amendment{Action: memory.CorrectRecord, Content: of.says})
			after := valid(t, w, m)
			if of.goes == "" {
				code(t, err, state.NotFound)
				same(t, "records", before, after)
				near, err := m.Nearest(t.Context(), in("s1"), of.says, len(of.roof))
				must(t, err)
				for _, r := range near {
					if !slices.Contains(of.roof, r.Content) {
						t.Errorf("near: %q, want one of those it may correct first", r.Content)
					}
				}
				return
			}
			must(t, err)
			same(t, "records", slices.DeleteFunc(before, func(s string) bool { return s == of.goes }), slices.DeleteFunc(after, func(s string) bool { return s == done[0].Record.Content }))
		})
	}
}
