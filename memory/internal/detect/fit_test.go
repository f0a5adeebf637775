package detect

import (
	"math"
	"slices"
	"strings"
)

// example is one observation: for every choice its features, which one was right, and how much it counts.
// A choice that is out of question is nil; the features of a choice share names with those of others only
// when they share the weight.
type example struct {
	choices []features
	right   int
	weight  float64
}

// fit finds the weights of a conditional (log-linear) choice model by Adam on the full batch: convex, so the
// same optimum on every run. l2 pulls standardised weights to zero; the bias is free.
func fit(examples []example, l2 float64, rounds int) map[string]float64 {
	index, scale := standardise(examples)
	names := make([]string, len(index))
	for name, i := range index {
		names[i] = name
	}
	dense := densify(examples, index, scale)
	w := make([]float64, len(names))
	m, v, g := make([]float64, len(w)), make([]float64, len(w)), make([]float64, len(w))
	sign := make([]float64, len(w))
	for i, name := range names {
		sign[i] = signOf(name)
	}
	total := 0.0
	for _, e := range examples {
		total += e.weight
	}
	for round := 1; round <= rounds; round++ {
		for i := range g {
			g[i] = l2 * w[i]
			if isBias(names[i]) {
				g[i] = 0
			}
		}
		for k := range dense {
			dense[k].gradient(w, g, 1/total)
		}
		rate := 0.05
		if round > rounds/2 {
			rate = 0.01
		}
		for i := range w {
			m[i] = 0.9*m[i] + 0.1*g[i]
			v[i] = 0.999*v[i] + 0.001*g[i]*g[i]
			w[i] -= rate * (m[i] / (1 - math.Pow(0.9, float64(round)))) / (math.Sqrt(v[i]/(1-math.Pow(0.999, float64(round)))) + 1e-8)
			if sign[i]*w[i] < 0 {
				w[i] = 0
			}
		}
	}
	out := map[string]float64{}
	for i, name := range names {
		out[name] = w[i] / scale[i]
	}
	return out
}

func isBias(name string) bool { return name == "bias" || strings.HasSuffix(name, "|bias") }

// standardise numbers the features and measures their root mean square.
func standardise(examples []example) (map[string]int, []float64) {
	square, seen := map[string]float64{}, 0.0
	for _, e := range examples {
		for _, c := range e.choices {
			seen += e.weight
			for _, x := range c {
				square[x.name] += e.weight * x.value * x.value
			}
		}
	}
	names := make([]string, 0, len(square))
	for name := range square {
		names = append(names, name)
	}
	slices.Sort(names)
	index, scale := map[string]int{}, make([]float64, len(names))
	for i, name := range names {
		index[name] = i
		scale[i] = max(math.Sqrt(square[name]/seen), 0.05)
	}
	return index, scale
}

type cell struct {
	at    int
	value float64
}

type row struct {
	choices [][]cell
	out     []bool
	right   int
	weight  float64
	p       []float64
}

func densify(examples []example, index map[string]int, scale []float64) []row {
	rows := make([]row, len(examples))
	for k, e := range examples {
		r := row{right: e.right, weight: e.weight, p: make([]float64, len(e.choices)), out: make([]bool, len(e.choices))}
		for i, c := range e.choices {
			r.out[i] = c == nil
			cells := make([]cell, 0, len(c))
			for _, x := range c {
				cells = append(cells, cell{index[x.name], x.value / scale[index[x.name]]})
			}
			r.choices = append(r.choices, cells)
		}
		rows[k] = r
	}
	return rows
}

// gradient adds the gradient of the negative log likelihood.
func (r *row) gradient(w, g []float64, norm float64) {
	top := math.Inf(-1)
	for i, c := range r.choices {
		if r.out[i] {
			continue
		}
		s := 0.0
		for _, x := range c {
			s += w[x.at] * x.value
		}
		r.p[i] = s
		top = max(top, s)
	}
	sum := 0.0
	for i := range r.p {
		if !r.out[i] {
			r.p[i] = math.Exp(r.p[i] - top)
			sum += r.p[i]
		}
	}
	for i, c := range r.choices {
		if r.out[i] {
			continue
		}
		d := r.p[i] / sum
		if i == r.right {
			d--
		}
		d *= r.weight * norm
		for _, x := range c {
			g[x.at] += d * x.value
		}
	}
}

// signOf is the direction a weight may have, 0 = either. What speaks for an affair as the target overlaps, and
// would otherwise take opposite weights and, where an affair is known by its description only, speak against it.
func signOf(name string) float64 {
	switch name {
	case "words of it", "roots of it", "pairs of it", "domain of it", "bm25", "told of it", "lately said", "identifier of it":
		return 1
	}
	return 0
}
