package facts

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// TestListsAreRead makes sure that every line of a list counts: no class or weight is misspelt, no word stands twice in its class.
func TestListsAreRead(t *testing.T) {
	t.Parallel()
	w, err := readLexicon(wordFiles)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.langs) < 5 || len(w.renewing) == 0 {
		t.Errorf("%d languages, %d weights", len(w.langs), len(w.renewing))
	}
	for c := range classCount {
		said := func(e *entry) bool {
			return e.set.has(c) || slices.ContainsFunc(e.phrases, func(p phraseEntry) bool { return p.entry.set.has(c) })
		}
		some := local().has(c)
		for _, m := range []map[string]*entry{w.whole, w.begins} {
			for _, e := range m {
				some = some || said(e)
			}
		}
		if !some {
			t.Errorf("no word is of class %d", c)
		}
	}
}

// TestWrongLinesAreNamed gives the file and the line of what a list must not say.
func TestWrongLinesAreNamed(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"no colon":          "# comment\ncopula is",
		"no words":          "# comment\ncopula:",
		"an unknown class":  "# comment\ncopulas: is",
		"a label too many":  "# comment\ncopula is: is",
		"a label too few":   "# comment\nprice: cost",
		"no number":         "# comment\ncounted some: few",
		"a word twice":      "# comment\ncopula: is are is",
		"a form of nothing": "# comment\ncase_form: ou",
		"no least length":   "# comment\nverb_ending some: ed",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readLexicon(fstest.MapFS{"data/words_xx.txt": {Data: []byte(lines)}})
			var wrong *text.ListError
			if !errors.As(err, &wrong) || wrong.File != "data/words_xx.txt" || wrong.Line != 2 {
				t.Errorf("got %v, want an error of line 2", err)
			}
		})
	}
}

// slovak is a language in a handful of words.
const slovak = `call new: Nová záležitosť
call statement: údaj
call price: cena
call heading status: Stav
copula: je sú
possessive: môj moja moje
question: kedy kde koľko
asks price measure: koľko
price nájom: nájom*
order objednávka: objednávk*
opening: ahoj dobrý_deň
obligation: musím
infinitive_ending: ať iť
currency: eur
month: január januára
`

// TestLanguageIsAFile adds a language by adding its file.
func TestLanguageIsAFile(t *testing.T) {
	t.Parallel()
	lists := fstest.MapFS{"data/words_sk.txt": {Data: []byte(slovak)}}
	names, err := fs.Glob(wordFiles, "data/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(wordFiles, name)
		if err != nil {
			t.Fatal(err)
		}
		lists[name] = &fstest.MapFile{Data: data}
	}
	w, err := readLexicon(lists)
	if err != nil {
		t.Fatal(err)
	}
	r := w.read("Ahoj, nájom za január je 640 eur. Moja objednávka je 4471-22. Musím zaplatiť faktúru.", "sk")
	values := map[string]string{}
	for _, f := range r.Facts() {
		values[f.Label] = f.Value
	}
	if values["nájom"] != "640 eur" || values["objednávka"] != "4471-22" {
		t.Errorf("found %v", values)
	}
	if got := r.Pending(); !slices.Equal(got, []string{"zaplatiť faktúru"}) {
		t.Errorf("pending %q", got)
	}
	if !w.read("Koľko je nájom", "sk").IsQuestion() {
		t.Error("not a question")
	}
	if got := w.call("heading status", "sk"); got != "Stav" {
		t.Errorf("the heading is %q", got)
	}
	if got := w.read("ahoj", "sk").Title(); got != "Ahoj" && got != "Nová záležitosť" {
		t.Errorf("title %q", got)
	}
}

// TestWrongEndingsAreNamed does so for the lists of endings.
func TestWrongEndingsAreNamed(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"no kind":           "# comment\nx 1: a",
		"no number":         "# comment\nm a: a",
		"less than nothing": "# comment\nm -1: a",
		"an ending twice":   "m 1: a\nf 1: a",
		"no words of it":    "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{"data/words_xx.txt": {Data: []byte("copula: is")}, "data/forms_xx.txt": {Data: []byte(lines)}}
			if lines == "" {
				files["data/forms_yy.txt"] = &fstest.MapFile{Data: []byte("# comment\nm 1: a")}
			}
			_, err := readLexicon(files)
			var wrong *text.ListError
			if !errors.As(err, &wrong) || wrong.Line != 2 {
				t.Errorf("got %v, want an error of line 2", err)
			}
		})
	}
}
