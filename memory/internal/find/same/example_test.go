package same_test

import (
	"fmt"

	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/state"
)

func ExampleJudge() {
	fact := func(subject, content string) state.Record {
		return state.Record{Kind: state.FactRecord, Subject: subject, Content: content}
	}
	old := fact("Petr's job", "Petr works at Skoda")
	for _, r := range []state.Record{
		fact("Petr's job", "petr works at Skoda."),
		fact("Petr's job", "Petr works at Skoda as a tester"),
		fact("Petr's job", "Petr works at Siemens"),
		fact("Jana's job", "Jana works at Skoda"),
	} {
		fmt.Printf("%s: %s\n", r.Content, same.Judge(old, r, same.Comparison{}).Kind)
	}
	// Output:
	// petr works at Skoda.: same
	// Petr works at Skoda as a tester: refines
	// Petr works at Siemens: replaces
	// Jana works at Skoda: other
}
