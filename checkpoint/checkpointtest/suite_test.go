package checkpointtest

import (
	"testing"

	"github.com/mneme-graph/mneme/state/store"
)

// runSuite runs all cases over a kind of store. Open may return the same one at each call, and it may hold anything: each
// case works under a client id of its own.
func runSuite(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	for _, g := range []struct {
		name  string
		cases []check
	}{
		{"put", putCases()}, {"once", onceCases()}, {"writes", writesCases()}, {"get", getCases()}, {"history", historyCases()},
		{"delete", deleteCases()}, {"delete turns", deleteTurnsCases()}, {"prune", pruneCases()},
		{"growing", growingCases()}, {"values", valueCases()}, {"race", raceCases()}, {"fault", faultCases()},
		{"time", timeCases()}, {"damage", damageCases()}, {"version", versionCases()},
	} {
		for _, c := range g.cases {
			t.Run(g.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				c.run(setup(t, open(t)))
			})
		}
	}
}

// check is one named case.
type check struct {
	name string
	run  func(b *bench)
}
