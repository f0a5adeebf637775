package facts_test

import (
	"math"
	"math/rand/v2"
)

// candidate is one thing that a fit learns from, with its traits.
type candidate struct {
	traits []string
	right  bool
}

func sum(w map[string]float64, traits []string) (z float64) {
	for _, x := range traits {
		z += w[x]
	}
	return z
}

// fit is logistic regression by stochastic descent with adapted steps; traits seen fewer than ten times weigh nothing.
func fit(train []candidate, decay float64) map[string]float64 {
	count := map[string]float64{}
	for _, c := range train {
		for _, x := range c.traits {
			count[x]++
		}
	}
	const rounds, least, step = 30, 10, 0.1
	w, moved, order := map[string]float64{}, map[string]float64{}, rand.New(rand.NewPCG(1, 1))
	for range rounds {
		for _, i := range order.Perm(len(train)) {
			c := train[i]
			off := -1 / (1 + math.Exp(-sum(w, c.traits)))
			if c.right {
				off++
			}
			for _, x := range c.traits {
				if count[x] < least {
					continue
				}
				slope := off - decay*w[x]*float64(len(train))/count[x]
				moved[x] += slope * slope
				w[x] += step * slope / math.Sqrt(moved[x]+1e-6)
			}
		}
	}
	return w
}
