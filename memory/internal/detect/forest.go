package detect

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// outcome is what a message does, with what is asked in passing apart.
type outcome int

// The outcomes.
const (
	goesOn  outcome = iota
	turns           // to another affair
	asks            // about another affair, in passing
	opens           // an affair
	remarks         // in passing, about no affair
	outcomes
)

// forest is a boosted ensemble of small trees for each outcome (Friedman, Greedy Function Approximation: A Gradient Boosting Machine, 2001): the score
// of an outcome is the sum of what its trees say of the features.
type forest struct {
	names []string       // of the features, in their order
	at    map[string]int // their numbers
	base  [outcomes]float64
	trees [outcomes][]tree
}

// tree is its nodes, the root first.
type tree []node

// node sends what is below the threshold to the left, the rest to the right. A leaf has no feature.
type node struct {
	feature     int32 // -1 = leaf
	left, right int32
	threshold   float64
	value       float64 // of a leaf; of another node the mean of the two below it
}

// theForest reads data/forest.txt once, on first use.
var theForest = sync.OnceValue(func() *forest { //nolint:gochecknoglobals // a constant that is computed once
	raw, _ := files.ReadFile("data/forest.txt") // a test reads it too
	return readForest(string(raw))
})

// readForest reads what forest.String writes: the names in a line, then the base scores, then a tree a line, its outcome first and then its nodes from the
// root on, the left one before the right one: "feature threshold" or "= value".
func readForest(s string) *forest {
	f := &forest{at: map[string]int{}}
	n := 0
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		switch n++; n {
		case 1:
			f.names = strings.Split(line, "\t")
			for i, name := range f.names {
				f.at[name] = i
			}
		case 2:
			for i, x := range strings.Fields(line) {
				f.base[i] = number(x)
			}
		default:
			words := strings.Fields(line)
			k := outcome(number(words[0]))
			var t tree
			t.read(words[1:])
			f.trees[k] = append(f.trees[k], t)
		}
	}
	return f
}

// read adds the next node and those below it, and returns what is left of the words.
func (t *tree) read(words []string) []string {
	at := len(*t)
	*t = append(*t, node{feature: -1})
	if words[0] == "=" {
		(*t)[at].value = number(words[1])
		return words[2:]
	}
	n := node{feature: int32(number(words[0])), threshold: number(words[1]), left: int32(at + 1)}
	words = t.read(words[2:])
	n.right = int32(len(*t))
	words = t.read(words)
	n.value = ((*t)[n.left].value + (*t)[n.right].value) / 2
	(*t)[at] = n
	return words
}

func number(s string) float64 {
	x, _ := strconv.ParseFloat(s, 64)
	return x
}

// input returns the values of the features in their order; those that the forest does not know are left out.
func (f *forest) input(all features) []float64 {
	x := make([]float64, len(f.names))
	for _, a := range all {
		if i, ok := f.at[a.name]; ok {
			x[i] += a.value
		}
	}
	return x
}

// scores adds up the trees.
func (f *forest) scores(x []float64) [outcomes]float64 {
	z := f.base
	for k, trees := range f.trees {
		for _, t := range trees {
			i := int32(0)
			for t[i].feature >= 0 {
				i = t[i].next(x)
			}
			z[k] += t[i].value
		}
	}
	return z
}

func (n *node) next(x []float64) int32 {
	if x[n.feature] < n.threshold {
		return n.left
	}
	return n.right
}

// shares tells what each feature adds to one outcome, strongest first: on the way through a tree each step changes the mean of the leaves that are left.
func (f *forest) shares(x []float64, of outcome) []Share {
	sum := make([]float64, len(f.names))
	for _, t := range f.trees[of] {
		for i := int32(0); t[i].feature >= 0; {
			next := t[i].next(x)
			sum[t[i].feature] += t[next].value - t[i].value
			i = next
		}
	}
	var out []Share
	for i, v := range sum {
		if math.Abs(v) >= leastShare && x[i] != 0 {
			out = append(out, Share{Name: f.names[i], Value: v})
		}
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// leastShare is the least that is told as a reason.
const leastShare = 0.05

// softmax makes probabilities of scores; what is out of question has none.
func softmax(z [outcomes]float64, out [outcomes]bool) (p [outcomes]float64) {
	top, sum := math.Inf(-1), 0.0
	for k, x := range z {
		if !out[k] {
			top = max(top, x)
		}
	}
	for k, x := range z {
		if !out[k] {
			p[k] = math.Exp(x - top)
			sum += p[k]
		}
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}
