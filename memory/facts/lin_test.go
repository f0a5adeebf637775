package facts

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestLin(t *testing.T) {
	for _, unit := range []string{
		"a", "1", "1 ", "20. ", "do ", "č. ", "a.", "(", "+", "$", "http://a/(", "a@", "x: ", "my ", "je ", "pan ", "Pan ", "ul. A ", "1-", "MUSÍM ", "nebo musím ", "IBAN CZ65 ", "3AB ", "ě", "\xff", "\n",
	} {
		for _, size := range []int{8 << 10, 32<<10} {
			m := strings.Repeat(unit, size/len(unit))
			a := time.Now()
			Extract(m, "cs")
			b := time.Now()
			Pending(m, "cs")
			c := time.Now()
			Title(m, "cs")
			d := time.Now()
			Topics(m)
			e := time.Now()
			fmt.Printf("%-12q %d E=%v P=%v T=%v Tp=%v\n", unit, size, b.Sub(a), c.Sub(b), d.Sub(c), e.Sub(d))
		}
	}
}
