package facts_test

import (
	"fmt"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
)

func ExampleExtract() {
	const message = "Objednávka č. 4471 stála 1 250 Kč a dorazí 20. 2. ve 14:30."
	for _, f := range facts.Extract(message, "cs") {
		fmt.Printf("%s: %s (%s)\n", f.Label, f.Value, f.Kind)
	}
	// Output:
	// objednávka: 4471 (reference)
	// cena: 1 250 Kč (price)
	// doručení: 20. 2. ve 14:30 (date)
}

func ExampleTitle() {
	fmt.Println(facts.Title("By the way, I want to renew my car insurance, policy no. 556677.", "en"))
	fmt.Println(facts.Title("Super, teraz coś innego: szukam mieszkania w Krakowie.", "pl"))
	// Output:
	// Car insurance
	// Mieszkania w Krakowie
}

func ExampleReading_Pending() {
	for _, action := range facts.Read("Do pátku musím poslat přepis známek. Nezapomeň zavolat na úřad!", "cs").Pending() {
		fmt.Println(action)
	}
	// Output:
	// poslat přepis známek do pátku
	// zavolat na úřad
}
