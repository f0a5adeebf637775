package facts_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// The titles that people gave the affairs of the development dialogues, and those of the rules: none is a clause, few are of one word or of
// two things, and of what people name the rules name a good part, though people know how it went on.
func TestTitlesOfDialogues(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for _, part := range []string{"w[1-4]", "w[56]", "w7"} {
			names, err := filepath.Glob("../../detect/testdata/dialogues/" + lang + "-" + part + ".jsonl")
			if err != nil || len(names) == 0 {
				t.Fatal(err, names)
			}
			var all, single, commas, openingBadly, near, stems, found float64
			for _, name := range names {
				eachTitled(t, name, func(title, said string) {
					got := facts.Title(said, lang)
					words := text.Tokens(got)
					all++
					if len(strings.Fields(got)) == 1 {
						single++
					}
					if strings.Contains(got, ", ") {
						commas++
					}
					if len(words) > 6 || len(words) == 0 {
						t.Errorf("%s: %q is no title", lang, got)
					}
					if len(words) > 0 && words[0].Stop {
						openingBadly++
					}
					have, named := text.Terms(got), false
					for _, stem := range text.Terms(title) {
						stems++
						if slices.ContainsFunc(have, func(h string) bool { return text.Akin(h, stem, 3) }) {
							found++
							named = true
						}
					}
					if named {
						near++
					}
				})
			}
			t.Logf("%s %s: %.0f titles, %.2f of one word, %.2f with a comma, %.2f begin with a function word, %.2f share a word with a person's, %.2f of his words",
				lang, part, all, single/all, commas/all, openingBadly/all, near/all, found/stems)
			if single/all > 0.25 || (single+commas)/all > 0.45 || openingBadly/all > 0.03 || near/all < 0.25 {
				t.Errorf("%s %s: titles have become worse", lang, part)
			}
		}
	}
}

// eachTitled hands over the messages of a dialogue file that open an affair, with the title that a person gave it.
func eachTitled(t *testing.T, name string, yield func(title, said string)) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct{ Title, Text string }
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.Title != "" {
			yield(l.Title, l.Text)
		}
	}
}
