package checkpointtest

import (
	"testing"

	"github.com/mneme-graph/mneme/state/store"
)

// Run runs the suite over a driver. Open returns a store; it may be the same one at each call and hold anything, since
// each case works under a client id of its own. What the driver cannot do it says in its Features, which choose how
// the cases play a second process.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	for _, g := range []group{
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

type group = struct {
	name  string
	cases []check
}
