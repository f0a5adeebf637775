package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// What a write costs besides the disk: among a thousand records that share words and subjects' forms with it.
func BenchmarkWrite(b *testing.B) {
	i := 0
	m, err := memory.New(memory.Config{
		Store: ram.New(), Settings: state.DefaultSettings(), Now: time.Now, NewID: func() string { i++; return fmt.Sprintf("r%09d", i) },
	})
	must(b, err)
	scope, n := state.Scope{}.Default(), 0
	write := func() {
		n++
		_, err := m.Write(b.Context(), scope, memory.Change{
			Subject: fmt.Sprintf("parcel %d", n),
			Content: fmt.Sprintf("Parcel %d with thing%d goes to person%d in place%d on day %d.", n, n%31, n%97, n%53, n%365),
		})
		must(b, err)
	}
	for range 1000 {
		write()
	}
	for b.Loop() {
		write()
	}
}
