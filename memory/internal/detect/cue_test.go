package detect

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

func TestCuePhrases(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/cues.tsv")
	must(t, err)
	n := 0
	for line := range strings.Lines(string(raw)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		class, absent := strings.CutPrefix(fields[1], "-")
		found := book().find(fields[0], fields[2], text.Tokens(fields[2]))
		has := found.found[cue(class)]
		if class == string(cueClosed) {
			q := &query{text: fields[2]}
			has = (&judged{q: q.read(NewHistory())}).closing() && has || has && !absent
		}
		if has == absent {
			t.Errorf("%s %q: %s found = %v, want %v (all: %v)", fields[0], fields[2], class, has, !absent, found.found)
		}
	}
	if n < 200 {
		t.Errorf("read %d phrases, want at least 200", n)
	}
}

// TestCueFilesAreRead makes sure that no class is misspelt and no pattern is empty or begins with a gap.
func TestCueFilesAreRead(t *testing.T) {
	t.Parallel()
	classes := []cue{cueNew, cueMore, cueAside, cueBack, cueNames, cueTopic, cueClosed, cueShut, cueYet, cueQuestion, cueRequest, cueDo, cueYes, cueNo, cueThanks, cueGreet, cueAnaphor, cueAnd, cueNews, cueTrivia, cueNote, cueTask, cueYou, cueLikes, cueEarlier, cueFirst, cueOffer, cueNone}
	known := map[cue]bool{}
	for _, c := range classes {
		known[c] = true
	}
	b, err := readCues(files)
	must(t, err)
	for _, lang := range []string{"cs", "pl", "ru", "en", "de"} {
		list := b[lang]
		if list == nil {
			t.Errorf("no cues for %s", lang)
			continue
		}
		seen := map[cue]bool{}
		for p := range list.All() {
			seen[p.Is] = true
			if !known[p.Is] || len(p.Places) == 0 || p.Places[0].Open {
				t.Errorf("%s: bad pattern %+v", lang, p)
			}
		}
		talks := lang == "en" || lang == "de" // talk among people is judged in these
		for _, c := range classes {
			if !seen[c] && (talks || c != cueYou && c != cueLikes) {
				t.Errorf("%s has no cues of class %s", lang, c)
			}
		}
	}
}

// TestLanguageIsAFile adds a language by adding its file.
func TestLanguageIsAFile(t *testing.T) {
	t.Parallel()
	b, err := readCues(fstest.MapFS{"data/cues_sk.txt": {Data: []byte("style: inflected\nnew: ^teraz niečo iné\nthanks: ďakuj*|vďaka\n")}})
	must(t, err)
	said := "Ďakujem. Teraz niečo iné: nájom"
	if c := b.find("sk", said, text.Tokens(said)); !c.found[cueNew] || !c.start[cueThanks] || !b["sk"].inflected {
		t.Errorf("found %+v", c)
	}
}

// An order to be reminded at some time is no question aside; "remind me when he comes" is one.
func TestATaskIsNoAside(t *testing.T) {
	t.Parallel()
	for lang, talk := range map[string][4]string{
		"cs": {"řeším dvě opravy u Elektroservisu Horák, pračka je zakázka 30518", "k myčce přijde technik domů v úterý ve 14", "připomeň mi ve středu v 18 koupit balonky", "připomeň mi, kdy přijde technik"},
		"en": {"I have two repairs at Horak's, the washer is job 30518", "a technician comes for the dishwasher on Tuesday at 2 pm", "remind me on Wednesday at 6 pm to buy balloons", "remind me when the technician comes"},
		"pl": {"mam dwie naprawy w serwisie Horak, pralka to zlecenie 30518", "do zmywarki technik przyjdzie we wtorek o 14", "przypomnij mi w środę o 18, żebym kupiła balony", "przypomnij mi, kiedy przyjdzie technik"},
		"ru": {"у меня два ремонта в сервисе Горак, стиралка заказ 30518", "к посудомойке мастер придет во вторник в 14", "напомни мне в среду в 18 купить шарики", "напомни, когда придет мастер"},
	} {
		d, h := New(Config{}), NewHistory()
		for _, s := range talk[:2] {
			h.Add(Message{Role: state.RoleUser, Text: s, Affair: "repair"})
		}
		h.Add(Message{Role: state.RoleUser, Text: "Emma, bowling, 15:00", Affair: "party"})
		h.SetCurrent("party")
		if got := d.Classify(h, talk[2]).Decision; got.Kind == state.AdHoc {
			t.Errorf("%s %q: %+v", lang, talk[2], got)
		}
		if got := d.Classify(h, talk[3]).Decision; got.AffairID != "repair" {
			t.Errorf("%s %q: %+v, want it to be about the repair", lang, talk[3], got)
		}
	}
}
