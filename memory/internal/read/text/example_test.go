package text_test

import (
	"fmt"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Forms of a word share a stem, whatever the language of the text around them.
func ExampleTerms() {
	fmt.Println(text.Terms("Kdy dorazí ta objednávka?"), text.Terms("They went home"), text.Terms("две книги"))
	// Output: [doraz objedn] [go home] [две книг]
}

// Traits are read once, when a message is written.
func ExampleTraitsOf() {
	x := text.TraitsOf("I met Anna last week. From now on, call her Ann! Do you know the name?")
	fmt.Println(x.Sentences, x.Questions, x.Timed, x.Instruction, x.Preference)
	// Output: 3 1 true true false
}

// A question may ask for a time and name one.
func ExampleAskedBy() {
	x := text.AskedBy("Kdy jsme byli u moře, v květnu 2023?")
	fmt.Println(x.When, x.Month, x.Year)
	// Output: true May 2023
}

// Kin are near synonyms, then translations.
func ExampleRelated() {
	for _, k := range text.Related(text.Stem("wakacje"))[:2] {
		fmt.Println(k.Stem, k.Weight)
	}
	// Output:
	// urlop 1
	// fer 1
}
