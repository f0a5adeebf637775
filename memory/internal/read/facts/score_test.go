package facts_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
)

// show prints what was wrong, missed or left stale: set MNEME_TEST_SHOW.
var show = os.Getenv("MNEME_TEST_SHOW") != ""

// line is a message of the dialogues with what it states.
type line struct {
	Conversation string
	ID           string
	At           time.Time
	Role         state.Role
	Text         string
	Gold         struct{ Affair string }
	Facts        []goldFact
}

type goldFact struct{ Label, Value, Replaces string }

// score counts what an affair keeps of what its messages state. A kept fact is right when it holds a labelled value of its
// message, or is part of one, or says again what was labelled before; in these conversations every user message is annotated, so what a message
// without labels adds is wrong. A label is found when a fact that the message set holds it. A replacement is recognised when
// the new value is there and the old one is not.
type score struct {
	kept, right       int
	labels, found     int
	replaced, settled int
	known, renewed    int // of the replaced ones whose old value had been kept
	changed, rightly  int // facts that got another value, and of them where a label says so
	unsaid            int // facts with a stretch that stands in no message
}

func (s score) precision() float64 { return ratio(s.right, s.kept) }
func (s score) recall() float64    { return ratio(s.found, s.labels) }
func (s score) renewal() float64   { return ratio(s.renewed, s.known) }

func ratio(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// learning are the writers that rules are made on; the others are only measured.
func learning() []string { return []string{"w1", "w2", "w3", "w4"} }

func apart() []string { return []string{"w5", "w6"} }

// Exact facts are right, and few. The floors stand a little below what was measured.
func TestScoreKeyFacts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lang              string
		hands             []string
		precision, recall float64
	}{
		{"cs", learning(), .94, .05},
		{"pl", learning(), .94, .05},
		{"ru", learning(), .94, .05},
		{"en", learning(), .94, .05},
		{"cs", apart(), .94, .05},
		{"pl", apart(), .94, .05},
		{"ru", apart(), .94, .05},
		{"en", apart(), .94, .05},
	}
	for _, tt := range tests {
		t.Run(tt.lang+" "+tt.hands[0], func(t *testing.T) {
			t.Parallel()
			var s score
			for _, hand := range tt.hands {
				s.play(t, tt.lang, hand)
			}
			t.Logf("%d kept, precision %.3f, recall %.3f of %d, replaced %.3f of %d (where the old value was kept %.3f of %d), changed %d, rightly %.3f, %d that nobody said",
				s.kept, s.precision(), s.recall(), s.labels, ratio(s.settled, s.replaced), s.replaced, s.renewal(), s.known, s.changed, ratio(s.rightly, s.changed), s.unsaid)
			if s.unsaid > 0 {
				t.Errorf("%d facts that nobody said, want none", s.unsaid)
			}
			if s.precision() < tt.precision || s.recall() < tt.recall {
				t.Errorf("below %.2f or %.2f", tt.precision, tt.recall)
			}
		})
	}
}

// play learns the conversations of one writer by their gold affairs.
func (s *score) play(t *testing.T, lang, hand string) {
	t.Helper()
	affairs, golds, told := map[string]state.Affair{}, map[string][]goldFact{}, map[string]string{}
	for _, m := range dialogue(t, lang+"-"+hand) {
		if m.Role != state.RoleUser || m.Gold.Affair == "" {
			continue
		}
		key := m.Conversation + m.Gold.Affair
		before := affairs[key]
		after := affair.Learn(before, state.Message{Role: m.Role, Text: m.Text, At: m.At}, lang)
		s.count(t, m, before.KeyFacts, after.KeyFacts, golds[key])
		told[key] += "\n" + m.Text
		s.countUnsaid(t, after.KeyFacts, told[key])
		affairs[key], golds[key] = after, append(golds[key], m.Facts...)
	}
}

// count compares what a message set with its labels.
func (s *score) count(t *testing.T, m line, before, after state.Facts, earlier []goldFact) {
	t.Helper()
	said := bag(m.Text)
	var set state.Facts
	for _, f := range after {
		if old, ok := before.Get(f.Label); !ok || old != f.Value {
			set = append(set, f)
		}
	}
	s.kept += len(set)
	for _, f := range set {
		if old, ok := before.Get(f.Label); ok {
			s.changed++
			rightly := slices.ContainsFunc(m.Facts, func(g goldFact) bool {
				return g.Replaces != "" && tells(f, without(bag(g.Value), bag(g.Replaces)), said) && tells(state.Fact{Value: f.Label + " " + old}, without(bag(g.Replaces), bag(g.Value)), nil)
			})
			if rightly {
				s.rightly++
			} else if show {
				t.Logf("CHANGED %s %s %q: %q <- %q in %s", m.Conversation, m.ID, f.Label, f.Value, old, m.Text)
			}
		}
	}
	for _, f := range set {
		right := isRight(f, slices.Concat(m.Facts, earlier), said)
		if right {
			s.right++
		} else if show {
			t.Logf("WRONG %s %s %q: %q in %s", m.Conversation, m.ID, f.Label, f.Value, m.Text)
		}
	}
	for _, g := range m.Facts {
		s.labels++
		found := slices.ContainsFunc(set, func(f state.Fact) bool { return holds(f, g, said) })
		if found {
			s.found++
		} else if show {
			t.Logf("MISSED %s %s %q: %q in %s   GOT %v", m.Conversation, m.ID, g.Label, g.Value, m.Text, set)
		}
		if g.Replaces == "" {
			continue
		}
		old := goldFact{Value: strings.Join(without(bag(g.Replaces), bag(g.Value)), " ")}
		had := slices.ContainsFunc(before, func(f state.Fact) bool { return holds(f, old, bag(g.Replaces)) })
		gone := !slices.ContainsFunc(after, func(f state.Fact) bool { return holds(f, old, bag(g.Replaces)) })
		s.replaced++
		if had {
			s.known++
		}
		switch {
		case found && gone:
			s.settled++
			if had {
				s.renewed++
			}
		case had && show:
			t.Logf("STALE %s %s %q <- %q in %s   AFTER %v", m.Conversation, m.ID, g.Value, g.Replaces, m.Text, after)
		}
	}
}

// countUnsaid counts the facts with a stretch that nobody has said.
func (s *score) countUnsaid(t *testing.T, known state.Facts, told string) {
	t.Helper()
	for _, f := range known {
		if !strings.Contains(told, f.Value) {
			s.unsaid++
			if show {
				t.Logf("UNSAID %q", f.Value)
			}
		}
	}
}

func isRight(f state.Fact, golds []goldFact, said []string) bool {
	var labelled []string
	for _, g := range golds {
		labelled = append(labelled, bag(g.Label+" "+g.Value)...)
	}
	return slices.ContainsFunc(golds, func(g goldFact) bool {
		return holds(f, g, said) || part(f, g) || says(f, g, said, labelled)
	})
}

// dialogue reads one writer's conversations.
func dialogue(t *testing.T, name string) []line {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "detect", "testdata", "dialogues", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []line
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var m line
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}
