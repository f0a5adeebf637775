package link_test

import (
	"fmt"

	"github.com/mneme-graph/mneme/memory/internal/read/link"
)

func ExampleGraph_Near() {
	g := link.NewGraph()
	g.Put("records/r1", "a1", link.Of("order", "brake part", "Order number 07-14244-53150", []string{"car"}, "en"))
	g.Put("records/r2", "a2", link.Of("fact", "parcel", "Order number 07-14244-53150 comes with Karl Hill", nil, "en"))
	g.Put("records/r3", "a3", link.Of("fact", "visit", "Coffee with Karl Hill", nil, "en"))
	for _, n := range g.Near("records/r1", 2, 10) {
		fmt.Printf("%s %.2f %q\n", n.ID, n.Weight, n.Via)
	}
	// Output:
	// records/r2 1.00 ["id:07-14244-53150"]
	// records/r3 0.25 ["id:07-14244-53150" "records/r2" "name:karl hill"]
}
