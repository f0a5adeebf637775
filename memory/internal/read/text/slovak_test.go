package text

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/mneme-graph/mneme/state/statetest"
)

// TestLanguageIsAFile adds a language by adding its files.
func TestLanguageIsAFile(t *testing.T) {
	t.Parallel()
	lists := fstest.MapFS{
		"data/shape_sk.txt":    {Data: []byte("letters: áäčďéíĺľňóôŕšťúýž\npart .2: ovať\n")},
		"data/stop_sk.txt":     {Data: []byte("a alebo ale čo keď som sú bol kde ako pre prečo\n")},
		"data/general_sk.txt":  {Data: []byte("potrebovať týždeň\n")},
		"data/concepts_sk.txt": {Data: []byte("parcel zásielka balíček\n")},
		"data/traits_sk.txt":   {Data: []byte("timed: včera | minulý|tento týždeň\nwhen: ^kedy\nnumber: koľko\n")},
	}
	err := fs.WalkDir(files, "data", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		lists[path] = &fstest.MapFile{Data: data}
		return err
	})
	must(t, err)
	x := load(lists)
	if got := x.language("Prečo som bol v nedeľu kľudný, keď prší?", "en"); got != "sk" {
		t.Errorf("language %q", got)
	}
	if got := x.language("Why was I so calm on Sunday?", "sk"); got != "en" {
		t.Errorf("language %q of English", got)
	}
	p := x.phrases()
	found := map[string]bool{}
	p.find(p.pieces("Kedy si to kúpil? Minulý týždeň. Koľko?"), func(meaning string) { found[meaning] = true })
	if !found[when] || !found[timed] || !found[measured] {
		t.Errorf("found %v", found)
	}
	if x.stopping("alebo", "alebo") == nil || !x.general[x.stem("týždeň")] || len(x.concepts.of(x.stem("zásielka"))) == 0 {
		t.Error("words of the lists are not known")
	}
}

// TestListsAreRead makes sure that every line of a list counts.
func TestListsAreRead(t *testing.T) {
	t.Parallel()
	if looks, err := loadLooks(files); err != nil || len(looks) < 5 {
		t.Errorf("looks of %d languages, %v", len(looks), err)
	}
	err := ReadLists(files, "data/traits_*.txt", func(_ string, line Line) error {
		switch line.Key {
		case timed, instruction, preference, when, measured:
			return nil
		}
		return line.Wrong("means nothing")
	})
	if err != nil {
		t.Error(err)
	}
}

var must = statetest.Must
