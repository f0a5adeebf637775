package detect

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// verdict is a decision of the rules about a message of the dialogues, and what became of it.
type verdict struct {
	confidence          float64
	kind, right, sure   bool // the kind is right; the kind and the affair; no model would be asked
	stays, parked, calm bool // the affair was to stay; it was left; the conversation is a calm one
}

// judgeWriters lets the rules decide about everything that some writers say in a language.
func judgeWriters(t *testing.T, lang string, writers ...string) []verdict {
	t.Helper()
	d := New(Config{})
	var out []verdict
	for _, c := range dialogues(t, writers...) {
		if !strings.HasPrefix(c.lines[0].Conversation, lang) {
			continue
		}
		calm := isCalm(c)
		walk(c, func(h *History, l labelled) {
			r := d.Classify(h, l.Text)
			x, g := r.Decision, l.Gold
			leaves := x.Kind == state.Switch || x.Kind == state.NewAffair
			stays := g.Type == state.Continue || g.Type == state.AdHoc
			kind := x.Kind == g.Type
			out = append(out, verdict{x.Confidence, kind, kind && (x.Kind == state.NewAffair || x.AffairID == g.Affair), !r.Unsure, stays, stays && leaves, calm})
		})
	}
	return out
}

// isCalm tells the conversations of about 80 % CONTINUE from the dense ones.
func isCalm(c conversation) bool {
	n, stay := 0, 0
	for _, l := range c.lines {
		if l.Gold != nil {
			n++
			if l.Gold.Type == state.Continue {
				stay++
			}
		}
	}
	return stay*100 >= n*68
}

// share is how many of those that count are as asked.
func share(vs []verdict, counts, is func(verdict) bool) float64 {
	n, k := 0, 0
	for _, v := range vs {
		if counts(v) {
			n++
			if is(v) {
				k++
			}
		}
	}
	return float64(k) / max(float64(n), 1)
}

// reliability groups decisions by confidence: what was said, what came true, how many; and the expected calibration error.
func reliability(vs []verdict) (string, float64) {
	var n, said, right [10]float64
	for _, v := range vs {
		i := min(9, int(v.confidence*10))
		n[i]++
		said[i] += v.confidence
		if v.right {
			right[i]++
		}
	}
	table, off := "", 0.0
	for i := range n {
		off += math.Abs(said[i] - right[i])
		if n[i] > 0 {
			table += fmt.Sprintf("\n  said %.2f  right %.2f  of %4.0f", said[i]/n[i], right[i]/n[i], n[i])
		}
	}
	return table, off / max(float64(len(vs)), 1)
}

// TestUnseenWriters holds the line on everyday dialogues of writers that nothing was fitted on.
func TestUnseenWriters(t *testing.T) {
	t.Parallel()
	all := func(verdict) bool { return true }
	calm, dense := func(v verdict) bool { return v.calm }, func(v verdict) bool { return !v.calm }
	right, parked := func(v verdict) bool { return v.right }, func(v verdict) bool { return v.parked }
	kind, sure := func(v verdict) bool { return v.kind }, func(v verdict) bool { return v.sure }
	var whole []verdict
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		vs := judgeWriters(t, lang, "w5", "w6")
		whole = append(whole, vs...)
		_, off := reliability(vs)
		denseRight, calmRight := share(vs, dense, kind), share(vs, calm, kind)
		denseParks := share(vs, func(v verdict) bool { return v.stays && !v.calm }, parked)
		calmParks := share(vs, func(v verdict) bool { return v.stays && v.calm }, parked)
		t.Logf("%s n %d: dense accuracy %.3f false parks %.3f, calm %.3f %.3f, kind and affair %.3f, ece %.3f, sure %.3f of them right %.3f", lang, len(vs),
			denseRight, denseParks, calmRight, calmParks, share(vs, all, right), off, share(vs, all, sure), share(vs, sure, right))
		if denseRight < floorDense || calmRight < floorCalm {
			t.Errorf("%s: accuracy %.3f dense, %.3f calm, want at least %.2f and %.2f", lang, denseRight, calmRight, floorDense, floorCalm)
		}
		if denseParks > ceilingDense || calmParks > ceilingCalm {
			t.Errorf("%s: false parks %.3f dense, %.3f calm, want at most %.2f and %.2f", lang, denseParks, calmParks, ceilingDense, ceilingCalm)
		}
	}
	table, off := reliability(whole)
	t.Logf("reliability, ece %.3f, sure %.3f of them right %.3f, with a perfect judge %.3f%s", off, share(whole, all, sure), share(whole, sure, right),
		1-share(whole, all, sure)*(1-share(whole, sure, right)), table)
	if off > 0.065 {
		t.Errorf("expected calibration error %.3f, want at most 0.065", off)
	}
	if p := share(whole, sure, right); p < floorSure {
		t.Errorf("of the sure decisions %.3f are right, want at least %.2f", p, floorSure)
	}
}

// What the unseen writers' dialogues must reach in every language.
const (
	floorDense   = 0.70
	floorCalm    = 0.80
	floorSure    = 0.975 // of all languages together
	ceilingDense = 0.08
	ceilingCalm  = 0.065
)

// TestBars prints what the rules reach on sets of hands that saw neither rules nor training data. Nothing is fitted on them.
func TestBars(t *testing.T) {
	t.Parallel()
	d := New(Config{})
	report := func(name string, cs []conversation, counts func(l labelled, first bool) bool) bar {
		b := barsOf(d, cs, counts)
		t.Logf("%-24s %s", name, b)
		return b
	}
	all := func(labelled, bool) bool { return true }
	var every, openings []conversation
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		every = append(every, readConversations(t, "testdata/dialogues/"+lang+"-t1.jsonl", 1)...)
		o := readConversations(t, "testdata/openings/"+lang+".jsonl", 1)
		openings = append(openings, o...)
		first := func(kinds ...state.Kind) func(labelled, bool) bool {
			return func(l labelled, first bool) bool { return first && slices.Contains(kinds, l.Gold.Type) }
		}
		report("openings, unrelated, "+lang, o, first(state.NewAffair))
		report("openings, taken up, "+lang, o, first(state.Switch, state.Continue))
		report("openings, no affair, "+lang, o, first(state.AdHoc))
	}
	for _, kind := range []struct{ name, sign string }{{"everyday", "-e"}, {"calm", "-c"}, {"dense", "-d"}} {
		var cs []conversation
		for _, c := range every {
			if strings.Contains(c.lines[0].Conversation[5:], kind.sign) {
				cs = append(cs, c)
			}
		}
		b := report(kind.name, cs, all)
		if kind.name == "everyday" && (b.right < 0.92 || b.seen() < 0.6 || b.parks > 0.02 || b.judged < 0.98) {
			t.Errorf("everyday dialogues: %s", b)
		}
	}
	if b := report("openings, all", openings, all); b.right < 0.78 || b.seen() < 0.58 || b.parks > 0.06 || b.judged < 0.97 {
		t.Errorf("openings: %s", b)
	}
	b := report("service", readConversations(t, "testdata/service/held.jsonl", 1), all)
	if b.f1(state.NewAffair) < 0.45 || b.f1(state.Switch) < 0.4 || b.affair < 0.82 || b.parks > 0.06 || b.judged < 0.97 {
		t.Errorf("service dialogues: %s", b)
	}
	report("w5 w6", dialogues(t, "w5", "w6"), all)
}

// bar is what became of the judged messages; all but n and the counts by kind are shares of them.
type bar struct {
	n                                   float64
	right, affair, parks, asked, judged float64 // judged: right if a perfect judge is asked where the rules are unsure
	gold, said, hit                     map[state.Kind]float64
}

// seen is the share of changes that were seen as what they are.
func (b bar) seen() float64 {
	return (b.hit[state.NewAffair] + b.hit[state.Switch]) / max(1, b.gold[state.NewAffair]+b.gold[state.Switch])
}

func (b bar) f1(k state.Kind) float64 { return 2 * b.hit[k] / max(1, b.gold[k]+b.said[k]) }

func (b bar) String() string {
	return fmt.Sprintf("n %4.0f accuracy %.3f right affair %.3f | seen NEW %.0f/%.0f SWITCH %.0f/%.0f AD_HOC %.0f/%.0f, changes %.2f | F1 NEW %.2f SWITCH %.2f | false parks %.3f | CONTINUE said %.3f | asked %.2f, perfect judge %.3f",
		b.n, b.right, b.affair, b.hit[state.NewAffair], b.gold[state.NewAffair], b.hit[state.Switch], b.gold[state.Switch], b.hit[state.AdHoc], b.gold[state.AdHoc],
		b.seen(), b.f1(state.NewAffair), b.f1(state.Switch), b.parks, b.said[state.Continue]/max(1, b.n), b.asked, b.judged)
}

// barsOf judges what counts of some conversations.
func barsOf(d *Detector, cs []conversation, counts func(l labelled, first bool) bool) bar {
	b := bar{gold: map[state.Kind]float64{}, said: map[state.Kind]float64{}, hit: map[state.Kind]float64{}}
	for _, c := range cs {
		first := true
		walk(c, func(h *History, l labelled) {
			was := first
			if first = false; !counts(l, was) {
				return
			}
			r := d.Classify(h, l.Text)
			x, g := r.Decision, l.Gold
			ok := one(x.Kind == g.Type)
			if g.Type == state.AdHoc && g.Affair == "" && x.Kind == state.Continue { // what opens no affair: either is right
				ok, x.AffairID = 1, ""
			}
			whole := ok * one(x.Kind == state.NewAffair || x.AffairID == g.Affair)
			b.gold[g.Type], b.said[x.Kind], b.hit[g.Type] = b.gold[g.Type]+1, b.said[x.Kind]+1, b.hit[g.Type]+ok
			b.n, b.right, b.affair = b.n+1, b.right+ok, b.affair+whole
			b.parks += one(!changes(g.Type) && changes(x.Kind))
			b.asked += one(r.Unsure)
			b.judged += max(whole, one(r.Unsure))
		})
	}
	n := max(1, b.n)
	b.right, b.affair, b.asked, b.judged = b.right/n, b.affair/n, b.asked/n, b.judged/n
	b.parks /= max(1, b.gold[state.Continue]+b.gold[state.AdHoc])
	return b
}
