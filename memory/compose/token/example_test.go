package token_test

import (
	"fmt"

	"github.com/mneme-graph/mneme/memory/compose/token"
)

func Example() {
	c := token.New()
	order := "Číslo objednávky je 07-14244-53150, má dorazit příští týden."
	fmt.Println(len([]rune(order)), "characters,", c.Count(order), "tokens")
	fmt.Println(c.Cut(order, 20))
	// Output:
	// 60 characters, 25 tokens
	// Číslo objednávky je 07-14244-53150, má dorazit…
}
