package detect

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
)

// threeParked is a user with three affairs set aside, known from their documents only, and a fourth at work.
func threeParked(t *testing.T) (*Detector, *History) {
	t.Helper()
	h := NewHistory()
	for _, a := range []state.Affair{
		{ID: "roof", Title: "Roof repair", Summary: "Tiles came off in the storm, roofer Hanson quoted 2400.", Status: state.Parked, KeyFacts: state.Facts{{Label: "quote", Value: "2400"}}},
		{ID: "visa", Title: "Visa for Japan", Summary: "Embassy appointment on 12 May, photos missing.", Status: state.Parked, PendingActions: []string{"buy photos"}},
		{ID: "tax", Title: "Tax return", Summary: "Filed in March, refund of 640 expected.", Status: state.Resolved, KeyFacts: state.Facts{{Label: "reference", Value: "TR-99812"}}},
	} {
		h.Describe(a)
	}
	h.Add(Message{state.RoleUser, "Help me write a speech for my sister's wedding.", "speech"})
	h.Add(Message{state.RoleAssistant, "Gladly. How long should it be?", "speech"})
	h.Add(Message{state.RoleUser, "Five minutes, funny but warm.", "speech"})
	h.Add(Message{state.RoleAssistant, "Here is a first draft of the speech.", "speech"})
	h.SetCurrent("speech")
	return New(Config{}), h
}

func TestAffairsOfOtherSessions(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		text, affair string
		kind         state.Kind
	}{
		{"Let's get back to the roof, Hanson can start on Monday.", "roof", state.Switch},
		{"Back to the visa: I bought the photos.", "visa", state.Switch},
		{"By the way, when was the embassy appointment?", "visa", state.AdHoc},
		{"Just quickly, what was the reference of the tax return?", "tax", state.AdHoc},
		{"By the way, how big was the refund from the tax return?", "tax", state.AdHoc},
		{"What's the capital of Peru, quickly?", "", state.AdHoc},
		{"Make it a bit shorter, please.", "speech", state.Continue},
		{"Yes.", "speech", state.Continue},
		{"Something else now: I need a new bicycle chain.", "", state.NewAffair},
	} {
		t.Run(x.text, func(t *testing.T) {
			t.Parallel()
			d, h := threeParked(t)
			r := d.Classify(h, x.text)
			if r.Decision.Kind != x.kind || r.Decision.AffairID != x.affair {
				t.Errorf("got %s %q, want %s %q; %v %s", r.Decision.Kind, r.Decision.AffairID, x.kind, x.affair, r.Probabilities, r.Decision.Reasoning)
			}
		})
	}
}

func TestForgottenAffairIsNoTarget(t *testing.T) {
	t.Parallel()
	d, h := threeParked(t)
	h.Forget("roof")
	if r := d.Classify(h, "Let's get back to the roof, Hanson can start on Monday."); r.Decision.AffairID == "roof" || r.Best.AffairID == "roof" {
		t.Errorf("got %+v, want another affair than the archived one", r.Decision)
	}
	h.Describe(state.Affair{ID: "roof", Title: "Roof repair", Status: state.Parked})
	if r := d.Classify(h, "Let's get back to the roof repair."); r.Decision.AffairID != "roof" {
		t.Errorf("got %+v, want the affair described again", r.Decision)
	}
}

func TestWithoutActiveAffair(t *testing.T) {
	t.Parallel()
	for lang, texts := range map[string][3]string{
		"cs": {"Ahoj!", "Potřebuju sehnat nové zimní pneumatiky.", "Děkuju moc!"},
		"pl": {"Dzień dobry!", "Muszę kupić nowe opony zimowe.", "Dziękuję bardzo!"},
		"ru": {"Привет!", "Мне нужны новые зимние шины.", "Спасибо большое!"},
		"en": {"Hello!", "I need to find new winter tires.", "Thank you so much!"},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			d, h := New(Config{}), NewHistory()
			for i, want := range []state.Kind{state.Continue, state.NewAffair, state.Continue} {
				if got := d.Classify(h, texts[i]).Decision; got.Kind != want || got.AffairID != "" {
					t.Errorf("%q: got %s %q, want %s of no affair", texts[i], got.Kind, got.AffairID, want)
				}
			}
		})
	}
}

func TestDescriptionsReplaceEachOther(t *testing.T) {
	t.Parallel()
	h := NewHistory()
	a := state.Affair{ID: "a", Title: "Zelená lednice", Summary: "Objednaná u Novákových", Status: state.Parked}
	h.Describe(a)
	a.Title, a.Summary = "Modrá pračka", ""
	h.Describe(a)
	q := h.query("zelená lednice Novák")
	if m := h.matches(q)[0]; m.said[stems] != 0 || m.described != 0 {
		t.Errorf("match %+v, want none with the former title", m)
	}
	if m := h.matches(h.query("modrá pračka"))[0]; m.described < 0.99 {
		t.Errorf("match %+v, want all of the present title", m)
	}
}

func TestTitlesThatShareWords(t *testing.T) {
	t.Parallel()
	h := NewHistory()
	h.Describe(state.Affair{ID: "golf", Title: "Servis auta Golf", Summary: "výměna brzd, mechanik Dvořák", Status: state.Parked})
	h.Describe(state.Affair{ID: "fabia", Title: "Servis auta Fabia", Summary: "prasklé sklo, Autoglas", Status: state.Parked})
	h.Describe(state.Affair{ID: "now", Title: "Dovolená v Itálii", Status: state.Active})
	h.SetCurrent("now")
	d := New(Config{})
	for text, want := range map[string]string{"Vraťme se k servisu té Fabie.": "fabia", "Vraťme se k servisu toho Golfu, Dvořák volal.": "golf"} {
		if got := d.Classify(h, text).Decision; got.Kind != state.Switch || got.AffairID != want {
			t.Errorf("%q: got %s %q, want SWITCH %q", text, got.Kind, got.AffairID, want)
		}
	}
}

// TestSixtyMessagesOnOneAffair: a long talk about one thing must not be parked by its own length.
func TestSixtyMessagesOnOneAffair(t *testing.T) {
	t.Parallel()
	d, h := New(Config{}), NewHistory()
	rooms := []string{"kitchen", "bathroom", "hall", "bedroom", "study", "nursery"}
	verbs := []string{"What about the paint for the %s?", "The %s wall needs plaster too.", "And the floor in the %s?", "Use the same grey tiles in the %s.", "How long will the painter need for the %s?"}
	h.Add(Message{state.RoleUser, "I want to renovate our flat: new paint, plaster, tiles and floor in every room, kitchen, bathroom, hall, bedroom, study and nursery.", "flat"})
	h.SetCurrent("flat")
	h.Describe(state.Affair{ID: "trip", Title: "Trip to Lisbon", Summary: "flights booked, hotel missing", Status: state.Parked})
	parked := 0
	for i := range 60 {
		text := fmt.Sprintf(verbs[i%len(verbs)], rooms[i%len(rooms)])
		if k := d.Classify(h, text).Decision.Kind; k == state.Switch || k == state.NewAffair {
			parked++
			t.Logf("%q parked", text)
		}
		h.Add(Message{state.RoleUser, text, "flat"})
		h.Add(Message{state.RoleAssistant, "The painter will see to the walls, the tiles and the floor of that room.", "flat"})
	}
	if parked > 0 {
		t.Errorf("%d of 60 messages would park the affair, want none", parked)
	}
}

func TestClosing(t *testing.T) {
	t.Parallel()
	d, h := threeParked(t)
	for text, want := range map[string]bool{
		"That's settled, thanks.": true, "Is it settled?": false, "Tím je to vyřízené, díky.": true, "Sprawa załatwiona.": true, "Вопрос решён.": true,
		"When will it be done?": false, "Make it shorter.": false,
	} {
		if got := d.Classify(h, text).Closing; got != want {
			t.Errorf("%q: closing %v, want %v", text, got, want)
		}
	}
}

func TestResultIsSound(t *testing.T) {
	t.Parallel()
	d, h := threeParked(t)
	rapid.Check(t, func(t *rapid.T) { checkResult(t, d, h, rapid.String().Draw(t, "text")) })
}

type fataler interface{ Fatalf(string, ...any) }

func checkResult(t fataler, d *Detector, h *History, s string) {
	r := d.Classify(h, s)
	sum := 0.0
	for kind, p := range r.Probabilities {
		if math.IsNaN(p) || p < -1e-9 || p > 1+1e-9 {
			t.Fatalf("%q: P(%s) = %v", s, kind, p)
		}
		sum += p
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Fatalf("%q: probabilities add up to %v", s, sum)
	}
	for _, x := range []state.Decision{r.Decision, r.Best} {
		if x.Confidence < 0 || x.Confidence > 1+1e-9 || x.Kind == state.NewAffair && x.AffairID != "" || x.Kind == state.Switch && x.AffairID == "" {
			t.Fatalf("%q: decision %+v", s, x)
		}
	}
	if !utf8.ValidString(r.Decision.Reasoning) {
		t.Fatalf("%q: reasoning %q is not UTF-8", s, r.Decision.Reasoning)
	}
}

func TestSameAnswerEveryTimeAndConcurrently(t *testing.T) {
	t.Parallel()
	d, h := threeParked(t)
	want := d.Classify(h, "Hanson called about the tiles.")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if diff := cmp.Diff(want, d.Classify(h, "Hanson called about the tiles.")); diff != "" {
				t.Errorf("another answer:\n%s", diff)
			}
		})
	}
	wg.Wait()
}

func TestThresholdOnlyHoldsChangesBack(t *testing.T) {
	t.Parallel()
	_, h := threeParked(t)
	strict, loose := New(Config{Threshold: 0.999}), New(Config{Threshold: 0.2})
	text := "Hanson called about the tiles and the roof."
	if k := strict.Classify(h, text).Decision.Kind; k == state.Switch || k == state.NewAffair {
		t.Errorf("threshold 0.999: got %s, want no change", k)
	}
	if got := loose.Classify(h, text).Decision; got.Kind != state.Switch || got.AffairID != "roof" {
		t.Errorf("threshold 0.2: got %+v, want SWITCH to roof", got)
	}
}

func TestWeightsAreCommitted(t *testing.T) {
	t.Parallel()
	w, f := loadWeights(), theForest()
	if len(w.Target) == 0 || len(w.Talk) == 0 || len(w.Calibration) == 0 {
		t.Fatal("data/weights.json misses a part; fit it again with -train")
	}
	for k, trees := range f.trees {
		if len(trees) == 0 {
			t.Errorf("data/forest.txt has no tree of outcome %d", k)
		}
	}
	if len(common()) == 0 {
		t.Error("data/common.txt is empty")
	}
	if again := readForest(f.String()); again.String() != f.String() {
		t.Error("data/forest.txt is not what is written of it")
	}
	if !strings.Contains(w.Source, "SuperDialseg") || !strings.Contains(w.Source, "TIAGE") {
		t.Errorf("source %q does not name the data", w.Source)
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range []string{"", "?", "yes", "Hele, kdy to má dorazit?", "\xff\xfe", "07-14244-53150", strings.Repeat("a ", 1000), "https://", "back to back to back to", "???!!!"} {
		f.Add(s)
	}
	d := New(Config{})
	f.Fuzz(func(t *testing.T, s string) {
		h := NewHistory()
		checkResult(t, d, h, s)
		h.Add(Message{state.RoleUser, s, "a"})
		h.Describe(state.Affair{ID: "b", Title: s, Status: state.Parked})
		h.SetCurrent("a")
		checkResult(t, d, h, s)
	})
}

// TestLongMessageIsLinear: a megabyte without spaces, of cues, and of terms.
func TestLongMessageIsLinear(t *testing.T) {
	t.Parallel()
	d, h := threeParked(t)
	for _, unit := range []string{"a", "back to ", "word ", "? ", "\xff", "slovo1 "} {
		s := strings.Repeat(unit, (1<<16)/len(unit))
		checkResult(t, d, h, s)
		h.Add(Message{state.RoleUser, s, "speech"})
	}
}

func bigHistory() *History {
	h := NewHistory()
	words := strings.Fields("order parcel invoice tax roof garden exam doctor flight hotel visa server bug deploy wedding cake gym lawyer camera music novel bank loan rent plumber")
	for i := range 10000 {
		a := i / 100
		h.Add(Message{state.RoleUser, fmt.Sprintf("please look at the %s of case%d and the %s%d with item%d", words[a%len(words)], a, words[(a*7+i)%len(words)], i%50, i%997), fmt.Sprint("a", a)})
	}
	h.SetCurrent("a99")
	return h
}

func BenchmarkClassify(b *testing.B) {
	d, h := New(Config{}), bigHistory()
	b.ResetTimer()
	for b.Loop() {
		d.Classify(h, "By the way, when will the parcel of case17 with the camera and item33 arrive at the garden?")
	}
}

func BenchmarkAdd(b *testing.B) {
	h := bigHistory()
	b.ResetTimer()
	for b.Loop() {
		h.Add(Message{state.RoleUser, "By the way, when will the parcel of case17 with the camera and item33 arrive at the garden?", "a17"})
	}
}

// Sessions of one user know the same affairs; what was said last, and which affair is current, each has for itself.
func TestSessionsShareAffairs(t *testing.T) {
	t.Parallel()
	one := NewHistory()
	one.Add(Message{Role: state.RoleUser, Text: "I ordered brake pads from eBay, order 07-14244-53150.", Affair: "pads"})
	one.Add(Message{Role: state.RoleAssistant, Text: "Which colour shall the tax return folder have?", Affair: "tax"})
	one.SetCurrent("pads")
	two := one.Beside()
	two.Add(Message{Role: state.RoleUser, Text: "The tax return is due in March.", Affair: "tax"})
	two.SetCurrent("tax")
	d := New(Config{})
	if r := d.Classify(two, "When do the brake pads from eBay arrive?"); r.Best.AffairID != "pads" {
		t.Errorf("the other session is told %+v", r.Best)
	}
	if r := d.Classify(one, "When is the tax return due?"); r.Best.AffairID != "tax" {
		t.Errorf("the first session is told %+v", r.Best)
	}
	if !one.asked || two.asked || len(two.lastAssistant) > 0 || one.current == two.current {
		t.Errorf("they share where they stand: %+v, %+v", one, two)
	}
	if one.Bytes() != two.Bytes() || one.Bytes() == 0 {
		t.Errorf("they share %d and %d bytes", one.Bytes(), two.Bytes())
	}
}

// TestOrdersOfDifferentThings: messages alike in form, each about an order of its own, must not fill one affair.
func TestOrdersOfDifferentThings(t *testing.T) {
	t.Parallel()
	d, h := New(Config{}), NewHistory()
	sizes, current, opened := map[string]int{}, "", 0
	for i := range 1500 {
		text := fmt.Sprintf("I ordered %s %s, order number %d", unknownWord(i), unknownWord(7*i+3), 10000+i)
		r := d.Classify(h, text).Decision
		switch r.Kind {
		case state.NewAffair:
			opened++
			current = fmt.Sprint("a", opened)
		case state.Switch:
			current = r.AffairID
		}
		sizes[current]++
		h.Add(Message{state.RoleUser, text, current})
		h.Add(Message{state.RoleAssistant, "Noted.", current})
		h.SetCurrent(current)
	}
	most := 0
	for _, n := range sizes {
		most = max(most, n)
	}
	t.Logf("%d affairs, the largest of %d messages", opened, most)
	if most > 75 {
		t.Errorf("an affair has %d of 1500 messages, want at most 75", most)
	}
}

// unknownWord is a word of no language, another one for every number.
func unknownWord(n int) string {
	var b strings.Builder
	for n = n*7919 + 104729; b.Len() < 8; n /= 17 {
		b.WriteString([]string{"ba", "ke", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "xu", "ja", "wy"}[n%17])
	}
	return b.String()
}

// What is typed around a paste decides, whatever the paste speaks of; where nothing is typed that says anything, the paste does.
func TestPasteComesSecond(t *testing.T) {
	t.Parallel()
	d, h := New(Config{}), NewHistory()
	h.Add(Message{state.RoleUser, "The roofer wants 4,200 euros for the roof repair, tiles and gutters.", "roof"})
	h.Add(Message{state.RoleAssistant, "Noted: the roof repair is 4,200 euros. Shall I compare offers?", "roof"})
	h.Add(Message{state.RoleUser, "The tax return is due in March, the tax office wants the payslips.", "tax"})
	h.Add(Message{state.RoleAssistant, "I noted the tax return. Anything else?", "tax"})
	h.SetCurrent("tax")
	mail := "\n\nFrom: Roofing Ltd\nSubject: your roof\n\nDear customer,\nthe tiles for the roof repair have arrived, the gutters come on Monday. " +
		"Our roofer will bring the scaffolding for the roof.\nKind regards\nRoofing Ltd"
	if r := d.Classify(h, "Which payslips does the tax office want with the tax return? I only found this mail:"+mail).Decision; r.Kind != state.Continue {
		t.Errorf("typed about the tax: %s %q", r.Kind, r.AffairID)
	}
	if r := d.Classify(h, "fyi:"+mail).Best; r.AffairID != "roof" {
		t.Errorf("nothing typed: %s %q", r.Kind, r.AffairID)
	}
}

// TestTitleOfAnotherIsPutToAModel: what goes on in words of the active affair, but says a word of another one's title that this has never heard, is not sure.
func TestTitleOfAnotherIsPutToAModel(t *testing.T) {
	t.Parallel()
	d := New(Config{})
	for lang, x := range map[string]struct {
		here, there      string // titles
		told             []string
		names, namesNone string
	}{
		"cs": {
			"Oprava kotle", "Oprava střechy",
			[]string{"Ahoj, řeším opravu kotle, cena je 1 180 Kč a záloha 400.", "Předání kotle bude 15. 12. a cena je konečná.", "Zálohu pošlu zítra, předání potvrdí Dvořák."},
			"nezapomeň, že předání střechy je až 22. 1. 2027 a zálohu 12 000 jsem dnes poslal", "předání je až 22. 1. a zálohu jsem dnes poslal",
		},
		"pl": {
			"Naprawa kotła", "Naprawa dachu",
			[]string{"Cześć, załatwiam naprawę kotła, cena to 1180 zł i zaliczka 400.", "Odbiór kotła będzie 15. 12. i cena jest ostateczna.", "Zaliczkę wyślę jutro, odbiór potwierdzi Dworak."},
			"odbiór dachu jest dopiero 22. 1. i zaliczkę dziś wysłałem", "odbiór jest dopiero 22. 1. i zaliczkę dziś wysłałem",
		},
		"ru": {
			"Ремонт котла", "Ремонт крыши",
			[]string{"Привет, занимаюсь ремонтом котла, цена 1180 рублей и аванс 400.", "Приёмка котла будет 15. 12., цена окончательная.", "Аванс отправлю завтра, приёмку подтвердит Дворак."},
			"приёмка крыши только 22. 1., аванс я сегодня отправил", "приёмка только 22. 1., аванс я сегодня отправил",
		},
		"en": {
			"Boiler repair", "Roof repair",
			[]string{"Hi, I am having the boiler repaired, the price is 1180 and the deposit 400.", "The handover of the boiler is on December 15 and the price is final.", "I will send the deposit tomorrow, Dvorak confirms the handover."},
			"the roof handover is on January 22 and I sent the deposit today", "the handover is on January 22 and I sent the deposit today",
		},
		"de": {
			"Reparatur Heizkessel", "Reparatur Dach",
			[]string{"Hallo, ich lasse den Heizkessel reparieren, der Preis ist 1180 und die Anzahlung 400.", "Die Abnahme vom Heizkessel ist am 15. 12. und der Preis ist fest.", "Die Anzahlung schicke ich morgen, die Abnahme bestätigt Dvorak."},
			"die Abnahme vom Dach ist am 22. 1. und die Anzahlung habe ich heute geschickt", "die Abnahme ist am 22. 1. und die Anzahlung habe ich heute geschickt",
		},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			h := NewHistory()
			h.Describe(state.Affair{ID: "there", Title: x.there, Status: state.Parked})
			h.Describe(state.Affair{ID: "here", Title: x.here, Status: state.Active})
			for _, said := range x.told {
				h.Add(Message{Role: state.RoleUser, Text: said, Affair: "here"})
				h.Add(Message{Role: state.RoleAssistant, Text: "OK.", Affair: "here"})
			}
			h.SetCurrent("here")
			if r := d.Classify(h, x.names); r.Decision.Kind == state.Continue && !r.Unsure {
				t.Errorf("%q goes on for sure, %+v", x.names, r.Decision)
			}
			if r := d.Classify(h, x.namesNone); r.Decision.Kind != state.Continue || r.Unsure {
				t.Errorf("%q does not go on for sure: %+v", x.namesNone, r.Decision)
			}
			h.Forget("there")
			if r := d.Classify(h, x.names); r.Unsure && r.Decision.Confidence >= sureFrom {
				t.Errorf("%q asks about an affair that is gone", x.names)
			}
		})
	}
}
