package memory_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// contextOf is the context block of the prompt that a turn had.
func contextOf(t *testing.T, m *memory.Memory, got turn) string {
	t.Helper()
	input, err := m.Turn().Gather(t.Context(), got.view, got.decision, "")
	must(t, err)
	out, err := m.Turn().Compose(t.Context(), input)
	must(t, err)
	for _, msg := range out.Prompt {
		if strings.HasPrefix(msg.Text, "# Context") {
			return msg.Text
		}
	}
	return ""
}

// Told twice, under several names and in a message of its own, a preference is one line.
func TestAPreferenceStandsOnceInAPrompt(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	said := w.turn(t, m, in("s1"), judges(state.Continue, "", "", .9), "Please always answer in short plain sentences").view.Turn[0]
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: said.Turn, Message: said.ID})
	for _, subject := range []string{"style", "Style", "style of answers", "answers"} {
		if _, err := m.Write(ctx, in("s1"), memory.Change{Kind: state.PreferenceRecord, Subject: subject, Content: "short plain sentences"}); err != nil {
			t.Fatal(err)
		}
	}
	block := contextOf(t, m, w.turn(t, m, in("s2"), judges(state.Continue, "", "", .9), "What are short plain sentences good for?"))
	if n := strings.Count(block, "short plain sentences"); n != 1 {
		t.Errorf("the preference stands %d times in\n%s", n, block)
	}
}

// Two things that only sound alike are two preferences.
func TestPreferencesOfTwoThingsStay(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for _, subject := range []string{"breakfast", "dinner"} {
		write(t, m, in("s1"), memory.Change{Kind: state.PreferenceRecord, Subject: subject, Content: "green tea"})
	}
	block := contextOf(t, m, w.turn(t, m, in("s2"), nil, "Hello"))
	for _, want := range []string{"breakfast: green tea", "dinner: green tea"} {
		if !strings.Contains(block, want) {
			t.Errorf("%q is missing in\n%s", want, block)
		}
	}
}

// A work phone is another thing than the phone, and a new one of either ends none of the other.
func TestAWorkPhoneIsNotThePhone(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	for _, said := range []string{"Мой телефон 600 200 311", "Мой рабочий телефон 600 200 312", "Мой рабочий телефон теперь 600 200 313"} {
		write(t, m, in("s1"), memory.Told(said))
	}
	known, _, err := m.Own(t.Context(), in("s1"), "")
	must(t, err)
	var texts []string
	for _, r := range known {
		texts = append(texts, r.Content)
	}
	got := strings.Join(texts, "; ")
	for number, want := range map[string]bool{"311": true, "312": false, "313": true} {
		if strings.Contains(got, number) != want {
			t.Errorf("a number that ends in %s: want %t in %q", number, want, got)
		}
	}
}

// What a model has stored for an affair of a message of the user ends with what he said in it of himself, and is found as of before.
func TestARecordBesidesEndsWithTheUsersOwn(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	said := w.turn(t, m, in("s1"), opens("School"), "My daughter goes to Oakwood School").view.Turn[0]
	school := named(t, m, in("s1"), "School").ID
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: said.Turn, Message: said.ID, Affair: school})
	own := memory.Change{Kind: state.FactRecord, Subject: "address", Content: "I live in Leeds, Oakwood", About: state.AboutUser}
	beside := memory.Change{Kind: state.FactRecord, Subject: "place", Content: "he lives in Leeds, Oakwood (I live in Leeds, Oakwood)", About: state.AboutAffair}
	other := memory.Change{Kind: state.FactRecord, Subject: "school fee", Content: "400 pounds", About: state.AboutAffair}
	if _, err := m.Write(ctx, in("s1"), own, beside, other); err != nil {
		t.Fatal(err)
	}
	before := w.clock()
	w.pass(time.Hour)
	write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "address", Content: "I live in York", About: state.AboutUser})
	records, err := m.Records(t.Context(), in("s1"))
	must(t, err)
	for _, r := range records {
		if ended := strings.Contains(r.Content, "Leeds"); ended != (r.ValidTo != nil) {
			t.Errorf("%s has ended at %v", r.Content, r.ValidTo)
		}
	}
	hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "daughter", AsOf: before, Limit: 10})
	must(t, err)
	if !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Text == "address: "+own.Content }) {
		t.Errorf("as of then what was stored of the message is not found: %v", hits)
	}
}

// Whose a record is decides which prompts it reaches, and a record tells.
func TestWhoseARecordIs(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Dinner"), "Let us plan the dinner")
	dinner := named(t, m, in("s1"), "Dinner").ID
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Affair: dinner})
	for _, c := range []struct {
		change memory.Change
		about  state.About
		affair string
	}{
		{memory.Change{Subject: "allergy", Content: "I'm allergic to peanuts"}, state.AboutUser, ""},
		{memory.Change{Kind: state.ContactRecord, Subject: "venue address", Content: "5 King Street"}, state.AboutAffair, dinner},
		{memory.Change{Subject: "pen", Content: "writes with a Lamy", About: state.AboutUser}, state.AboutUser, ""},
		{memory.Change{Subject: "allergies", Content: "lilies, of the heroine", About: state.AboutAffair}, state.AboutAffair, dinner},
		{memory.Change{Subject: "diet", Content: "I'm vegan, says the heroine", Affair: dinner}, state.AboutAffair, dinner},
		{memory.Change{Kind: state.PreferenceRecord, Subject: "tone", Content: "brief"}, state.AboutUser, ""},
	} {
		receipts, err := m.Write(ctx, in("s1"), c.change)
		must(t, err)
		records, err := m.Records(t.Context(), in("s1"))
		must(t, err)
		for _, r := range records {
			if r.ID == receipts[0].ID && (r.About != c.about || r.Affair != c.affair) {
				t.Errorf("%s: about %q, affair %q, want %q and %q", r.Subject, r.About, r.Affair, c.about, c.affair)
			}
		}
	}
	if _, err := m.Write(ctx, in("s1"), memory.Change{Content: "x", About: "nobody"}); state.CodeOf(err) != state.Invalid {
		t.Errorf("an unknown owner: %v", err)
	}
	block := contextOf(t, m, w.turn(t, m, in("s1"), opens("Trip"), "Something else, a trip"))
	for _, want := range []string{"peanuts", "Lamy", "tone: brief"} {
		if !strings.Contains(block, want) {
			t.Errorf("%q is missing in\n%s", want, block)
		}
	}
	for _, not := range []string{"King Street", "heroine"} {
		if strings.Contains(block, not) {
			t.Errorf("%q of another affair is in\n%s", not, block)
		}
	}
}

// What is known of the user comes first and whatever affair it was said in; of other affairs it is told how much they keep.
func TestWhatIsKnownOfTheUser(t *testing.T) {
	t.Parallel()
	for lang, said := range map[string]struct{ here, first, other, third string }{
		"cs": {"Nabídka střechy platí do pátku", "Jsem alergický na ořechy", "Let do Lisabonu je v 6:40", "Bydlím v Brně"},
		"pl": {"Oferta dachu ważna do piątku", "Mam alergię na orzechy", "Lot do Lizbony jest o 6:40", "Mieszkam w Krakowie"},
		"ru": {"Предложение по крыше действует до пятницы", "У меня аллергия на орехи", "Рейс в Лиссабон в 6:40", "Я живу в Твери"},
		"en": {"The offer for the roof holds until Friday", "I am allergic to nuts", "The flight to Lisbon leaves at 6:40", "I live in Leeds"},
		"de": {"Das Angebot für das Dach gilt bis Freitag", "Ich bin gegen Nüsse allergisch", "Der Flug nach Lissabon geht um 6:40", "Ich wohne in Bonn"},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Lisbon"), "Hello.")
			w.turn(t, m, in("s1"), opens("Roof"), "Hello again.")
			lisbon, roof := named(t, m, in("s1"), "Lisbon").ID, named(t, m, in("s1"), "Roof").ID
			write(t, m, in("s1"), memory.Change{Content: said.here, Affair: roof})
			write(t, m, in("s1"), memory.Change{Content: said.first, About: state.AboutUser})
			write(t, m, in("s1"), memory.Change{Content: said.other, Affair: lisbon})
			write(t, m, in("s2"), memory.Change{Content: said.third, About: state.AboutUser})

			own, elsewhere, err := m.Own(memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Affair: roof}), in("s1"), "")
			must(t, err)
			var got []string
			for _, r := range own {
				got = append(got, r.Content)
			}
			same(t, "known", []string{said.first, said.third, said.here}, got)
			if elsewhere != 1 {
				t.Errorf("elsewhere %d, want 1", elsewhere)
			}
		})
	}
}
