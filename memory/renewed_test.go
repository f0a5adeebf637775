package memory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// fee is one story: what was told in passing, what is stored of it, how it is corrected, and what a model makes of the first part.
type fee struct {
	told, stored, corrected string
	paraphrase              string // a digest in other words
	alike                   string // said in the same session, of another thing with the same number
	was, is, rest           string
}

func fees() map[string]fee {
	return map[string]fee{
		"en": {
			"By the way, the sitter's fee is 300 a day and she likes green tea.", "The sitter's fee is 300 a day.", "The sitter's fee is 340 a day.",
			"The sitter charges 300 a day. The roof was spoken of.", "The cleaner's fee is 300 a day.", "300", "340", "green tea",
		},
		"cs": {
			"Mimochodem, honorář lektora je 8000 Kč a přijede vlakem.", "Honorář lektora je 8000 Kč.", "Honorář lektora je 9500 Kč.",
			"Lektor si účtuje 8000 Kč. Mluvilo se o střeše.", "Honorář fotografa je 8000 Kč.", "8000", "9500", "přijede vlakem",
		},
		"pl": {
			"A tak przy okazji, honorarium trenera wynosi 800 zł i trener przyjedzie pociągiem.", "Honorarium trenera wynosi 800 zł.", "Honorarium trenera wynosi 950 zł.",
			"Trener bierze 800 zł. Mowa była o dachu.", "Honorarium pani fotograf Nowak wynosi 800 zł.", "800", "950", "pociągiem",
		},
		"ru": {
			"Кстати, гонорар лектора 8000 рублей, и он приедет поездом.", "Гонорар лектора 8000 рублей.", "Гонорар лектора 9500 рублей.",
			"Лектор берёт 8000 рублей. Говорили о крыше.", "Гонорар фотографа 8000 рублей.", "8000", "9500", "приедет поездом",
		},
	}
}

// lastTime is what the next session's prompt has of what was going on last.
func lastTime(t *testing.T, m *memory.Memory) string {
	t.Helper()
	b, err := m.Brain(t.Context(), in("next"))
	must(t, err)
	return b.Last.Text
}

// correctFee puts another value in the place of a record.
func correctFee(t *testing.T, m *memory.Memory, id, content string) {
	t.Helper()
	_, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: id, Content: content})
	must(t, err)
}

// A value that was corrected stands in no summary of its session as current, whenever and by whatever door that was; what else the summary says stays.
func TestACorrectionReachesTheSessionsSummary(t *testing.T) {
	t.Parallel()
	for lang, f := range fees() {
		for name, correct := range map[string]func(t *testing.T, m *memory.Memory, id string){
			"amended": func(t *testing.T, m *memory.Memory, id string) { correctFee(t, m, id, f.corrected) },
			"stored anew in an affair": func(t *testing.T, m *memory.Memory, _ string) {
				receipt := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: f.corrected, Affair: named(t, m, in("s1"), "Roof").ID})
				if receipt.Outcome != state.Replaced {
					t.Fatalf("this test proves nothing: %s", receipt.Outcome)
				}
			},
		} {
			for _, ended := range []bool{false, true} {
				t.Run(lang+" "+name, func(t *testing.T) {
					t.Parallel()
					w, m := setup(t)
					w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), f.told)
					receipt := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: f.stored})
					w.pass(time.Minute)
					w.turn(t, m, in("s1"), opens("Roof"), "The roof is mended in May.")
					w.pass(time.Minute)
					if ended {
						edit(t, m, in("s1"), sessions.Change{End: true})
						w.pass(time.Hour)
						if !strings.Contains(lastTime(t, m), f.was) {
							t.Fatalf("this test proves nothing: %q", lastTime(t, m))
						}
					}
					correct(t, m, receipt.ID)
					if !ended {
						w.pass(time.Hour)
						edit(t, m, in("s1"), sessions.Change{End: true})
					}
					got := lastTime(t, w.memory(t, nil))
					if strings.Contains(got, f.was) || !strings.Contains(got, f.is) || !strings.Contains(got, f.rest) {
						t.Errorf("active context %q", got)
					}
				})
			}
		}
	}
}

// What a model says in other words stays, for it may be of another thing; what holds since stands behind it.
func TestACorrectionFollowsWhatAModelSays(t *testing.T) {
	t.Parallel()
	for lang, f := range fees() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := w.memory(t, func(c *memory.Config) {
				c.Small = scripted.Background(map[string]any{"extract": map[string]any{"facts": []any{}, "summary": f.paraphrase, "lessons": []any{}}}, nil)
			})
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), f.told)
			receipt := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: f.stored})
			edit(t, m, in("s1"), sessions.Change{End: true})
			w.pass(time.Hour)
			correctFee(t, m, receipt.ID, f.corrected)
			if got := lastTime(t, m); got != f.paraphrase+"\nSince then: "+f.corrected {
				t.Errorf("active context %q", got)
			}
		})
	}
}

// What looks alike and is another thing's stays as it is, and so does what a correction says itself.
func TestACorrectionLeavesOtherSentences(t *testing.T) {
	t.Parallel()
	for lang, f := range fees() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), f.alike)
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), f.told)
			write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: f.alike})
			receipt := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: f.stored})
			edit(t, m, in("s1"), sessions.Change{End: true})
			w.pass(time.Hour)
			correctFee(t, m, receipt.ID, f.corrected)
			if got := lastTime(t, m); !strings.Contains(got, f.alike) || strings.Count(got, f.was) != 1 || strings.Contains(got, "Since then") {
				t.Errorf("active context %q", got)
			}
		})
	}
}

// A correction that is corrected, or taken back, leaves the last value.
func TestTheLastCorrectionHolds(t *testing.T) {
	t.Parallel()
	for lang, f := range fees() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), f.told)
			receipt := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: f.stored})
			edit(t, m, in("s1"), sessions.Change{End: true})
			for _, content := range []string{f.corrected, f.stored} {
				w.pass(time.Hour)
				done, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.CorrectRecord, ID: receipt.ID, Content: content})
				must(t, err)
				receipt = done[0].Receipt
			}
			if got := lastTime(t, m); strings.Contains(got, f.is) || !strings.Contains(got, f.was) || !strings.Contains(got, f.rest) {
				t.Errorf("active context %q", got)
			}
		})
	}
}
