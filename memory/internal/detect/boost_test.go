package detect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// seen is one message as the boosting sees it.
type seen struct {
	features features
	right    outcome
	out      [outcomes]bool    // what is out of question
	sure     [outcomes]float64 // scores that are not fitted
	weight   float64
}

// The growth of the forest.
const (
	rounds      = 260
	rate        = 0.06
	depth       = 4
	bins        = 48
	ridge       = 5.0  // added to the second derivatives of a leaf
	leastLeaf   = 40   // messages of a leaf
	rowShare    = 0.8  // of the messages, drawn anew each round
	columnShare = 0.4  // of the features, drawn anew each tree
	leastGain   = 1e-3 // of a split
)

// boosting is a forest that grows.
type boosting struct {
	seen  []seen
	names []string
	cuts  [][]float64 // of each feature: the values from which a bin begins, but the first
	bin   [][]uint8   // of each feature, by message
	score [][outcomes]float64
	p     [][outcomes]float64
	rng   *rand.Rand
}

// grow fits a forest.
func grow(all []seen) *forest {
	b := &boosting{seen: withoutRareOpeners(all), score: make([][outcomes]float64, len(all)), p: make([][outcomes]float64, len(all)), rng: rand.New(rand.NewPCG(11, 17))}
	b.cut()
	f := &forest{names: b.names, at: map[string]int{}}
	for i, name := range b.names {
		f.at[name] = i
	}
	f.base = b.start()
	for range rounds {
		rows := b.draw()
		for i := range b.seen {
			b.p[i] = softmax(b.score[i], b.seen[i].out)
		}
		for k := range outcomes {
			t := b.plant(k, rows)
			f.trees[k] = append(f.trees[k], t)
		}
	}
	return f
}

// start is the logarithm of how often each outcome is right.
func (b *boosting) start() (base [outcomes]float64) {
	for _, s := range b.seen {
		base[s.right] += s.weight
	}
	for k := range base {
		base[k] = math.Log(base[k] + 1)
	}
	for i, s := range b.seen {
		b.score[i] = base
		for k, x := range s.sure {
			b.score[i][k] += x
		}
	}
	return base
}

// draw picks messages at random.
func (b *boosting) draw() []int32 {
	var rows []int32
	for i := range b.seen {
		if b.rng.Float64() < rowShare {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// cut sorts the values of every feature into bins.
func (b *boosting) cut() {
	values := map[string]map[int]float64{}
	for i, s := range b.seen {
		for _, x := range s.features {
			if values[x.name] == nil {
				values[x.name] = map[int]float64{}
			}
			values[x.name][i] += x.value
		}
	}
	for name := range values {
		b.names = append(b.names, name)
	}
	slices.Sort(b.names)
	for _, name := range b.names {
		column := make([]float64, len(b.seen))
		for i, v := range values[name] {
			column[i] = math.Round(v*1e4) / 1e4
		}
		cuts := cutsOf(column)
		bin := make([]uint8, len(column))
		for i, v := range column {
			at, found := slices.BinarySearch(cuts, v)
			if found {
				at++
			}
			bin[i] = uint8(at)
		}
		b.cuts, b.bin = append(b.cuts, cuts), append(b.bin, bin)
	}
}

// cutsOf lies between values, as many messages between two of them where there are more values than bins.
func cutsOf(column []float64) []float64 {
	sorted := slices.Clone(column)
	slices.Sort(sorted)
	distinct := slices.Compact(slices.Clone(sorted))
	var cuts []float64
	if len(distinct) <= bins {
		for i := 1; i < len(distinct); i++ {
			cuts = append(cuts, (distinct[i-1]+distinct[i])/2)
		}
		return cuts
	}
	nonzero := slices.DeleteFunc(slices.Clone(sorted), func(v float64) bool { return v == 0 })
	for i := 1; i < bins; i++ {
		v := nonzero[i*len(nonzero)/bins]
		if len(cuts) == 0 || v > cuts[len(cuts)-1] {
			cuts = append(cuts, v)
		}
	}
	return cuts
}

// slopes are the first and second derivatives of the loss of an outcome.
func (b *boosting) slopes(k outcome, rows []int32) (g, h []float64) {
	g, h = make([]float64, len(b.seen)), make([]float64, len(b.seen))
	for _, i := range rows {
		s, p := &b.seen[i], b.p[i]
		want := 0.0
		switch {
		case s.out[k]:
			continue
		case s.right == k:
			want = 1
		}
		g[i], h[i] = s.weight*(p[k]-want), s.weight*max(p[k]*(1-p[k]), 1e-6)
	}
	return g, h
}

// growing is a node that may be split.
type growing struct {
	at   int // in the tree
	rows []int32
}

// plant grows a tree for an outcome and adds what it says to the scores.
func (b *boosting) plant(k outcome, rows []int32) tree {
	g, h := b.slopes(k, rows)
	var columns []int
	for c := range b.names {
		if b.rng.Float64() < columnShare {
			columns = append(columns, c)
		}
	}
	t, bin := tree{{feature: -1}}, map[int32]int{}
	level := []growing{{0, rows}}
	for d := 0; len(level) > 0; d++ {
		var below []growing
		for _, n := range level {
			s := split{column: -1}
			if d < depth && len(n.rows) >= 2*leastLeaf {
				s = b.best(n.rows, columns, g, h)
			}
			if s.column < 0 {
				G, H := 0.0, 0.0
				for _, i := range n.rows {
					G, H = G+g[i], H+h[i]
				}
				t[n.at].value = math.Round(-rate*G/(H+ridge)*1e4) / 1e4
				continue
			}
			left, right := len(t), len(t)+1
			t = append(t, node{feature: -1}, node{feature: -1})
			bin[int32(n.at)] = s.bin
			t[n.at] = node{feature: int32(s.column), threshold: b.cuts[s.column][s.bin], left: int32(left), right: int32(right)}
			var l, r []int32
			for _, i := range n.rows {
				if int(b.bin[s.column][i]) <= s.bin {
					l = append(l, i)
				} else {
					r = append(r, i)
				}
			}
			below = append(below, growing{left, l}, growing{right, r})
		}
		level = below
	}
	for i := range b.seen {
		n := int32(0)
		for t[n].feature >= 0 {
			if int(b.bin[t[n].feature][i]) <= bin[n] {
				n = t[n].left
			} else {
				n = t[n].right
			}
		}
		b.score[i][k] += t[n].value
	}
	return t
}

// split sends the bins up to one to the left.
type split struct {
	column, bin int
	gain        float64
}

// best finds the split of the greatest gain.
func (b *boosting) best(rows []int32, columns []int, g, h []float64) split {
	G, H := 0.0, 0.0
	for _, i := range rows {
		G, H = G+g[i], H+h[i]
	}
	found := make([]split, len(columns))
	var busy sync.WaitGroup
	const hands = 2
	for hand := range hands {
		busy.Go(func() {
			for c := hand; c < len(columns); c += hands {
				found[c] = b.try(rows, columns[c], g, h, G, H)
			}
		})
	}
	busy.Wait()
	top := split{column: -1, gain: leastGain}
	for _, s := range found {
		if s.gain > top.gain {
			top = s
		}
	}
	return top
}

// try finds the best split by one feature.
func (b *boosting) try(rows []int32, column int, g, h []float64, G, H float64) split {
	var sumG, sumH [bins + 1]float64
	var n [bins + 1]int32
	bin := b.bin[column]
	for _, i := range rows {
		sumG[bin[i]] += g[i]
		sumH[bin[i]] += h[i]
		n[bin[i]]++
	}
	top := split{column: -1}
	left, leftG, leftH := int32(0), 0.0, 0.0
	for at := range b.cuts[column] {
		left, leftG, leftH = left+n[at], leftG+sumG[at], leftH+sumH[at]
		if left < leastLeaf || int32(len(rows))-left < leastLeaf {
			continue
		}
		gain := leftG*leftG/(leftH+ridge) + (G-leftG)*(G-leftG)/(H-leftH+ridge) - G*G/(H+ridge)
		if gain > top.gain {
			top = split{column, at, gain}
		}
	}
	return top
}

// withoutRareOpeners leaves out the words that open few messages.
func withoutRareOpeners(all []seen) []seen {
	n := map[string]int{}
	for _, s := range all {
		for _, x := range s.features {
			n[x.name]++
		}
	}
	out := slices.Clone(all)
	for i := range out {
		out[i].features = slices.DeleteFunc(slices.Clone(out[i].features), func(x feature) bool { return isOpener(x.name) && n[x.name] < leastOpeners })
	}
	return out
}

// leastOpeners is how often words that open a message must be there to be learnt.
const leastOpeners = 30

// isOpener tells the words that open a message among the features.
func isOpener(name string) bool {
	return strings.HasPrefix(name, "opens: ") || strings.HasPrefix(name, "then: ")
}

// String is the forest as data/forest.txt has it, features that no tree asks for left out.
func (f *forest) String() string {
	number := map[int32]int{}
	var names []string
	for _, trees := range f.trees {
		for _, t := range trees {
			for _, n := range t {
				if _, ok := number[n.feature]; !ok && n.feature >= 0 {
					number[n.feature] = len(names)
					names = append(names, f.names[n.feature])
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString(strings.Join(names, "\t") + "\n")
	for _, x := range f.base {
		fmt.Fprintf(&b, "%.4f ", x)
	}
	b.WriteString("\n")
	for k, trees := range f.trees {
		for _, t := range trees {
			fmt.Fprint(&b, k)
			t.write(&b, 0, number)
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (t tree) write(b *strings.Builder, at int32, number map[int32]int) {
	n := t[at]
	if n.feature < 0 {
		fmt.Fprintf(b, " = %.4g", n.value)
		return
	}
	fmt.Fprintf(b, " %d %.5g", number[n.feature], n.threshold)
	t.write(b, n.left, number)
	t.write(b, n.right, number)
}
