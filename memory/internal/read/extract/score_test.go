package extract

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state/statetest"
)

// The floors of the labelled sessions.
const (
	leastPrecision = 0.85
	leastRecall    = 0.5
)

// session is a labelled session: what was said and what of it is worth keeping.
type session struct {
	ID   string   `json:"id"`
	Said []string `json:"said"`
	Gold []gold   `json:"gold"`
}

// gold is one fact worth keeping, known by words of its subject and content.
type gold struct {
	Label    Label    `json:"label"`
	Contains []string `json:"contains"`
}

// is reports whether a found fact is this one.
func (g gold) is(f Fact) bool {
	says := text.Fold(f.Subject + " " + f.Content)
	for _, w := range g.Contains {
		if !strings.Contains(says, text.Fold(w)) {
			return false
		}
	}
	return true
}

// score counts what was found.
type score struct{ golds, recalled, found, right, labelled int }

func (s *score) count(t *testing.T, one session, lang string) {
	t.Helper()
	found := Facts(one.Said, lang)
	s.golds += len(one.Gold)
	s.found += len(found)
	got := make([]bool, len(one.Gold))
	for _, f := range found {
		right := false
		for i, g := range one.Gold {
			if g.is(f) {
				right, got[i] = true, true
				if f.Label == g.Label {
					s.labelled++
				}
				break
			}
		}
		if right {
			s.right++
		} else if tuned(one) {
			t.Logf("%s: wrong %s %q %q", one.ID, f.Label, f.Subject, f.Content)
		}
	}
	for i, g := range one.Gold {
		if got[i] {
			s.recalled++
		} else if tuned(one) {
			t.Logf("%s: missed %s %v", one.ID, g.Label, g.Contains)
		}
	}
}

func (s *score) precision() float64 { return float64(s.right) / float64(max(1, s.found)) }
func (s *score) recall() float64    { return float64(s.recalled) / float64(max(1, s.golds)) }

// tuned reports whether the lists may be made better by a session; the others only measure, and are not shown.
func tuned(s session) bool { return !strings.HasSuffix(s.ID, "-test") }

// TestScoreFacts measures precision and recall on the labelled sessions, by language, those for tuning and those put aside.
func TestScoreFacts(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		var dev, aside score
		for _, s := range readSessions(t, lang) {
			if tuned(s) {
				dev.count(t, s, lang)
			} else {
				aside.count(t, s, lang)
			}
		}
		for name, s := range map[string]*score{"tuned": &dev, "put aside": &aside} {
			t.Logf("%s, %s: precision %.3f (%d of %d), recall %.3f (%d of %d), label %.3f", lang, name,
				s.precision(), s.right, s.found, s.recall(), s.recalled, s.golds, float64(s.labelled)/float64(max(1, s.right)))
			if s.precision() < leastPrecision || s.recall() < leastRecall {
				t.Errorf("%s, %s: precision %.3f, recall %.3f, want at least %.2f and %.2f", lang, name, s.precision(), s.recall(), leastPrecision, leastRecall)
			}
		}
	}
}

// TestTraps makes sure that what is not the user's, not so or not meant gives no fact.
func TestTraps(t *testing.T) {
	t.Parallel()
	lines, err := text.ReadList(os.DirFS("testdata"), "traps.txt")
	must(t, err)
	for _, l := range lines {
		if got := Facts([]string{l.Value}, l.Key); len(got) > 0 {
			t.Errorf("Facts(%q) = %+v, want none", l.Value, got)
		}
	}
}

// readSessions reads the labelled sessions of a language.
func readSessions(t *testing.T, lang string) (out []session) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", lang+".jsonl"))
	must(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var s session
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s line %d: %v", lang, len(out)+1, err)
		}
		out = append(out, s)
	}
	must(t, lines.Err())
	return out
}

var must = statetest.Must
