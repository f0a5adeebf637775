package score

import (
	"math"

	"github.com/mneme-graph/mneme/state"
)

// tally counts outcomes.
type tally struct {
	n, right, rightAffair              int
	stay, parked                       int // gold CONTINUE or AD_HOC; of these answered by a change
	gold, said, both                   map[state.Kind]int
	goldChange, saidChange, bothChange int

	goldCuts, saidCuts []bool // of the conversation under way
	pk, windowDiff     float64
	windowed           int
}

func (t *tally) count(gold, said Gold) {
	// The kinds: what was right, and what was said instead.
	if t.gold == nil {
		t.gold, t.said, t.both = map[state.Kind]int{}, map[state.Kind]int{}, map[state.Kind]int{}
	}
	t.n++
	t.gold[gold.Type]++
	t.said[said.Type]++
	if gold.Type == said.Type {
		t.right++
		t.both[gold.Type]++
	}

	// The affair, and whether it is another one than before: leaving it by mistake is the worse error.
	if rightAffair(gold, said) {
		t.rightAffair++
	}
	g, s := changes(gold.Type), changes(said.Type)
	if !g {
		t.stay++
		if s {
			t.parked++
		}
	}
	t.goldChange += one(g)
	t.saidChange += one(s)
	t.bothChange += one(g && s)
	t.goldCuts = append(t.goldCuts, g)
	t.saidCuts = append(t.saidCuts, s)
}

// rightAffair: a new affair must be called new; otherwise the affair decides, and for small talk without
// one (CONTINUE of none) the kind.
func rightAffair(gold, said Gold) bool {
	switch {
	case gold.Type == state.NewAffair || said.Type == state.NewAffair:
		return gold.Type == said.Type
	case gold.Type == state.Continue && gold.Affair == "":
		return said.Type == state.Continue
	}
	return gold.Affair == said.Affair
}

func changes(k state.Kind) bool { return k == state.Switch || k == state.NewAffair }

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// open begins a conversation; its first message cuts nothing.
func (t *tally) open() { t.goldCuts, t.saidCuts = []bool{false}, []bool{false} }

// close adds Pk and WindowDiff of the conversation: k = max(2, round(messages / segments / 2)).
func (t *tally) close() {
	messages, segments := len(t.goldCuts), 1
	for _, cut := range t.goldCuts {
		segments += one(cut)
	}
	k := max(2, int(math.Round(float64(messages)/float64(segments)/2)))
	windows := messages - k
	if windows <= 0 {
		return
	}
	gold, said := sums(t.goldCuts), sums(t.saidCuts)
	missed, differ := 0, 0
	for i := range windows {
		g, s := gold[i+k]-gold[i], said[i+k]-said[i]
		missed += one((g == 0) != (s == 0))
		differ += one(g != s)
	}
	t.pk += float64(missed) / float64(windows)
	t.windowDiff += float64(differ) / float64(windows)
	t.windowed++
}

// sums counts the cuts up to and including each message.
func sums(cuts []bool) []int {
	out := make([]int, len(cuts))
	n := 0
	for i, cut := range cuts {
		n += one(cut)
		out[i] = n
	}
	return out
}

func (t *tally) figures() Set {
	s := Set{
		N: t.n, Accuracy: ratio(t.right, t.n), RightAffair: ratio(t.rightAffair, t.n), FalsePark: ratio(t.parked, t.stay),
		Types:    map[state.Kind]PRF{},
		Boundary: Boundary{F1: prf(t.bothChange, t.saidChange, t.goldChange).F1},
	}
	for _, k := range []state.Kind{state.Continue, state.Switch, state.AdHoc, state.NewAffair} {
		s.Types[k] = prf(t.both[k], t.said[k], t.gold[k])
	}
	if t.windowed > 0 {
		s.Boundary.Pk = t.pk / float64(t.windowed)
		s.Boundary.WindowDiff = t.windowDiff / float64(t.windowed)
	}
	return s
}

func prf(both, said, gold int) PRF {
	return PRF{ratio(both, said), ratio(both, gold), ratio(2*both, said+gold)}
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
