package memory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
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

// ends tells the story in a session that ends, and returns what was stored of it.
func (f fee) ends(t *testing.T, w *world, m *memory.Memory) state.Receipt {
	t.Helper()
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), f.told)
	receipt := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: f.stored})
	edit(t, m, in("s1"), sessions.Change{End: true})
	return receipt
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
			receipt := f.ends(t, w, m)
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
			receipt := f.ends(t, w, m)
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

// What was told and corrected in passing, with nothing stored of either, is put right in the summary too, though the correction is filed under an affair.
func TestACorrectionInAnAffairReachesTheSummary(t *testing.T) {
	t.Parallel()
	for lang, c := range map[string]struct{ correction, other string }{
		"en": {"The roof is mended in May. The sitter's fee is 340 a day, not 300.", "The roof is mended in May. The driver's fee is 340 a day, not 300."},
		"cs": {"Střecha se opraví v květnu. Honorář lektora je 9500 Kč, ne 8000.", "Střecha se opraví v květnu. Honorář řidiče je 9500 Kč, ne 8000."},
		"pl": {"Dach naprawią w maju. Honorarium trenera wynosi jednak 950 zł, a nie 800.", "Dach naprawią w maju. Honorarium kierowcy wynosi jednak 950 zł, a nie 800."},
		"ru": {"Крышу починят в мае. Гонорар лектора 9500 рублей, а не 8000.", "Крышу починят в мае. Гонорар водителя 9500 рублей, а не 8000."},
	} {
		for name, meant := range map[string]bool{"of it": true, "of another thing": false} {
			for _, ends := range []bool{true, false} {
				t.Run(lang+" "+name, func(t *testing.T) {
					t.Parallel()
					f := fees()[lang]
					w, m := setup(t)
					w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), f.told)
					w.pass(time.Minute)
					said := c.other
					if meant {
						said = c.correction
					}
					w.turn(t, m, in("s1"), opens("Roof"), said)
					var got string
					if ends {
						edit(t, m, in("s1"), sessions.Change{End: true})
						got = lastTime(t, m)
					} else {
						w.pass(24 * time.Hour)
						got = w.gathers(t, m, in("s2"), "Good morning").ActiveContext
					}
					if strings.Contains(got, f.was) == meant || strings.Contains(got, f.is) != meant || !strings.Contains(got, f.rest) {
						t.Errorf("active context %q", got)
					}
				})
			}
		}
	}
}

// An undo of a correction brings the old value back.
func TestAnUndoneCorrectionChangesNoSummary(t *testing.T) {
	t.Parallel()
	f := fees()["en"]
	w, m := setup(t)
	receipt := f.ends(t, w, m)
	before := lastTime(t, m)
	w.pass(time.Hour)
	correctFee(t, m, receipt.ID, f.corrected)
	if lastTime(t, m) == before {
		t.Fatalf("this test proves nothing: %q", before)
	}
	changes, err := m.History().Audit(t.Context(), in("s1"), history.Query{})
	must(t, err)
	must(t, m.History().UndoChange(t.Context(), in("s1"), changes[0].Seq))
	if got := lastTime(t, m); got != before {
		t.Errorf("active context %q, before %q", got, before)
	}
}

// A model that reads the old value again in a message that says more besides does not bring it back.
func TestAModelThatReadsTheOldValue(t *testing.T) {
	t.Parallel()
	for lang, f := range fees() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := w.memory(t, func(c *memory.Config) {
				fact := map[string]any{"category": "PROJECT", "text": f.stored, "subject": "fee", "importance": 8}
				c.Small = scripted.Background(map[string]any{"extract": map[string]any{"facts": []any{fact}, "summary": f.paraphrase, "lessons": []any{}}}, nil)
			})
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), f.told)
			receipt := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: f.stored})
			w.pass(time.Minute)
			w.turn(t, m, in("s1"), opens("Roof"), "The roof is mended in May.")
			correctFee(t, m, receipt.ID, f.corrected)
			w.pass(time.Minute)
			edit(t, m, in("s1"), sessions.Change{End: true})
			records, err := m.Records(t.Context(), in("s1"))
			must(t, err)
			for _, r := range records {
				if r.Span == nil && r.ValidTo == nil && strings.Contains(r.Content, f.was) {
					t.Errorf("holds again: %q, about %s", r.Content, r.About)
				}
			}
			if got := lastTime(t, m); got != f.paraphrase+"\nSince then: "+f.corrected {
				t.Errorf("active context %q", got)
			}
		})
	}
}

// What holds since in an affair is told there: a summary that says the old value in other words tells that it is over, and no more.
func TestACorrectionTellsNoFactOfAnAffair(t *testing.T) {
	t.Parallel()
	f := fees()["en"]
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) {
		c.Small = scripted.Background(map[string]any{"extract": map[string]any{"facts": []any{}, "summary": f.paraphrase, "lessons": []any{}}}, nil)
	})
	w.turn(t, m, in("s1"), opens("Lisbon"), "We fly to Lisbon in May.")
	receipt := write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Content: f.stored, Affair: named(t, m, in("s1"), "Lisbon").ID})
	edit(t, m, in("s1"), sessions.Change{End: true})
	w.pass(time.Hour)
	correctFee(t, m, receipt.ID, f.corrected)
	if got := lastTime(t, m); got != f.paraphrase+"\nSince then: 300 holds no longer." {
		t.Errorf("active context %q", got)
	}
}
