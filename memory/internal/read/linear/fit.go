package linear

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Lesson is the signs of a text and what is right of each outcome: 0 or 1.
type Lesson struct {
	Signs Signs
	Right []float64
}

// Course is how lessons are learnt.
type Course struct {
	Weight Weight
	Shares func(scores []float64) // Softmax or Logistic
	Rounds int                    // through all lessons
	Least  int                    // lessons that have a sign; what fewer have is left out
}

// The steps of the fit.
const (
	rate     = .5
	biasRate = .1
	ridge    = 1e-5
	tiny     = 1e-6
)

// value is a sign's row and how much the sign counts.
type value struct {
	row  int
	much float64
}

// Fit makes a model of the lessons by stochastic gradients whose steps shrink with how far a weight has moved (Duchi, Hazan, Singer: Adaptive
// Subgradient Methods, 2011). The same lessons in the same order make the same model.
func (c Course) Fit(lessons []Lesson) *Model {
	known := c.known(lessons)
	outcomes := len(lessons[0].Right)
	values := make([][]value, len(lessons))
	for i, l := range lessons {
		l.Signs.counted(func(sign uint32, n, distinct int) {
			if at, ok := slices.BinarySearch(known, sign); ok {
				values[i] = append(values[i], value{at * outcomes, c.Weight(n, distinct)})
			}
		})
	}

	weights, moved := make([]float64, len(known)*outcomes), make([]float64, len(known)*outcomes)
	bias, biasMoved := make([]float64, outcomes), make([]float64, outcomes)
	rng := rand.New(rand.NewPCG(3, 5)) //nolint:gosec // not for secrets
	order := rng.Perm(len(lessons))
	for range c.Rounds {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			p := slices.Clone(bias)
			for _, v := range values[i] {
				for k := range p {
					p[k] += v.much * weights[v.row+k]
				}
			}
			c.Shares(p)
			for k := range p {
				p[k] -= lessons[i].Right[k]
				biasMoved[k] += p[k] * p[k]
				bias[k] -= biasRate * p[k] / math.Sqrt(biasMoved[k]+tiny)
			}
			for _, v := range values[i] {
				for k := range p {
					g := p[k]*v.much + ridge*weights[v.row+k]
					moved[v.row+k] += g * g
					weights[v.row+k] -= rate * g / math.Sqrt(moved[v.row+k]+tiny)
				}
			}
		}
	}
	return rounded(bias, known, weights)
}

// known returns the signs that enough lessons have, ascending.
func (c Course) known(lessons []Lesson) (known []uint32) {
	seen := map[uint32]int{}
	for _, l := range lessons {
		l.Signs.counted(func(sign uint32, _, _ int) {
			if seen[sign]++; seen[sign] == c.Least {
				known = append(known, sign)
			}
		})
	}
	slices.Sort(known)
	return known
}

// rounded returns a model whose weights have six bits, without those that say little and the signs that say nothing then. Of ten thousand weights five are beyond what
// these hold.
func rounded(bias []float64, known []uint32, weights []float64) *Model {
	const most, within, little = 31, .9995, 2
	sizes := make([]float64, len(weights))
	for i, w := range weights {
		sizes[i] = math.Abs(w)
	}
	slices.Sort(sizes)
	m := &Model{scale: sizes[int(float64(len(sizes)-1)*within)] / most, bias: bias}
	for i, h := range known {
		row, says := make([]int8, len(bias)), false
		for k := range row {
			if w := math.Round(weights[i*len(bias)+k] / m.scale); math.Abs(w) > little {
				row[k], says = int8(min(most, max(-most, w))), true
			}
		}
		if says {
			m.known, m.rows = append(m.known, h), append(m.rows, row...)
		}
	}
	return m.index()
}
