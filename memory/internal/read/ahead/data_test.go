package ahead

import (
	"testing"
	"time"
)

// The lists can be read, each phrase does what is known or names a stretch.
func TestLists(t *testing.T) {
	t.Parallel()
	k, err := readPhrases(files)
	if err != nil || len(k.languages) != 5 {
		t.Fatalf("languages %v, %v", k.languages, err)
	}
	does := map[string]bool{}
	for p := range k.All() {
		does[p.Is.lang+" "+p.Is.does] = true
		r := &reading{now: time.Unix(0, 0)}
		if _, named := r.named(hit{meaning: p.Is}); !named && p.Is.does != waits && p.Is.does != has && p.Is.does != fill && p.Is.does != until && p.Is.does != next && p.Is.does != past {
			t.Errorf("%s: %q does nothing that is known", p.Is.lang, p.Is.does)
		}
	}
	for _, lang := range k.languages {
		for _, what := range []string{waits, has, fill, until, next, past, "day", "days", "week", "weekend", "month", "weekday"} {
			if !does[lang+" "+what] {
				t.Errorf("%s has no phrase for %q", lang, what)
			}
		}
	}
}
