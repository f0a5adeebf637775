package words_test

import (
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
)

func ExampleIndex_Search() {
	x := words.New()
	x.Put(words.Doc{ID: "m1", Group: "s1", Order: 1, Speaker: "Ann", At: time.Date(2023, 5, 8, 9, 0, 0, 0, time.UTC), Text: "I ordered a wiper for the Jeep."})
	x.Put(words.Doc{ID: "m2", Group: "s1", Order: 2, Speaker: "Ben", At: time.Date(2023, 5, 8, 9, 0, 0, 0, time.UTC), Text: "Nice, what did you pay?"})
	x.Put(words.Doc{ID: "m3", Group: "s2", Order: 3, Speaker: "Ann", At: time.Date(2023, 6, 9, 9, 0, 0, 0, time.UTC), Text: "The dentist moved me to Friday."})

	for _, hit := range x.Search(words.Query{Text: "which wiper did Ann order?", Around: true}) {
		fmt.Println(hit.ID, hit.Terms)
	}
	// Output:
	// m1 [{wiper wiper exact} {ann ann exact} {order order exact}]
	// m3 [{ann ann exact}]
	// m2 []
}
