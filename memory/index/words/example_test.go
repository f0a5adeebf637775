package words_test

import (
	"fmt"

	"github.com/mneme-graph/mneme/memory/index/words"
)

func ExampleIndex_Search() {
	x := words.New()
	x.Put(words.Doc{ID: "m1", Group: "s1", Order: 1, Head: "Ann 8 may 2023", Text: "I ordered a wiper for the Jeep."})
	x.Put(words.Doc{ID: "m2", Group: "s1", Order: 2, Head: "Ben 8 may 2023", Text: "Nice, what did you pay?"})
	x.Put(words.Doc{ID: "m3", Group: "s2", Order: 3, Head: "Ann 9 june 2023", Text: "The dentist moved me to Friday."})

	for _, hit := range x.Search(words.Query{Text: "which wiper did Ann order?", Around: true}) {
		fmt.Println(hit.ID, hit.Terms)
	}
	// Output:
	// m1 [wiper ann order]
	// m2 []
	// m3 [ann]
}
