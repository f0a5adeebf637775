package affair_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/affair"
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
