package affair_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
)

func BenchmarkLearn(b *testing.B) {
	said := talk("vojta přinesl papír že jedou s třídou na školu v přírodě, jedovnice, 18. až 22. května",
		"celkem 4250, z toho záloha 2000 do konce března na účet školy, variabilní symbol 10482", "odjezd je v 7:45 od školy, bude tam i paní Zemánková",
		"a kolik teda doplatím potom?", "odjezd změnili na 8:15, aspoň něco", "bára je na béčku, 208. a bydlí s nějakou kamilou, telefon 604 118 227")
	a := learnt("cs", "The train is at 8:40.", "Objednávka č. 4471.", "Cena je 990 Kč.", "Zubař má termín 5. 3. v 9:00.")
	for b.Loop() {
		for _, m := range said {
			affair.Learn(a, m, "cs")
		}
	}
}

// A message of a hundred words in an affair that holds a hundred facts.
func BenchmarkLearnManyFacts(b *testing.B) {
	var a state.Affair
	for i := range 100 {
		a.KeyFacts = a.KeyFacts.With(fmt.Sprintf("room %d", i), fmt.Sprintf("the painter comes on %d May at %d:30 for %d euros", i%28+1, i%24, 100+i))
	}
	long := talk(strings.Repeat("the painter rang, he comes on 12 May at 9:15 now, the price is 240 euros. ", 6))[0]
	for b.Loop() {
		affair.Learn(a, long, "en")
	}
}
