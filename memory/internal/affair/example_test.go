package affair_test

import (
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/state"
)

func ExampleMove() {
	a := state.Affair{ID: "a1", Title: "Car part", Status: state.Resolved}
	_, err := affair.Move(a, state.Parked, "s1", time.Unix(0, 0))
	fmt.Println(err)
	// Output:
	// move affair a1 "Car part": from RESOLVED to "PARKED" is not allowed; it may become ACTIVE, ARCHIVED
}

func ExampleDuplicate() {
	parked := []*state.Affair{{ID: "a1", Title: "Objednávka dílu z eBay", Status: state.Parked}}
	id, _, sure := affair.Duplicate(state.Affair{Title: "objednavky dilu z ebay"}, parked)
	fmt.Println(id, sure)
	id, _, _ = affair.Duplicate(state.Affair{Title: "Pojištění auta"}, []*state.Affair{{ID: "a2", Title: "Pojištění bytu", Status: state.Parked}})
	fmt.Printf("%q\n", id)
	// Output:
	// a1 true
	// ""
}
