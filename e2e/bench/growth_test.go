package bench

import (
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// TestGrowth runs one long conversation, a tool call in every turn: a turn adds no more bytes of pages late than
// early, with its account at most 3.5 KB folded and 6.5 KB as it was written. The windows are wide, since a page is more than a turn.
func TestGrowth(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		unfolded bool
		most     int64
	}{"folded": {false, 4096}, "as written": {true, 6656}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir()})
			must(t, err)
			p, err := newPipeline(t.Context(), graph.Config{Store: s, Unfolded: tt.unfolded})
			must(t, err)
			r := &run{c: Config{Now: time.Now}}
			const window = 100
			var added []int64
			before := int64(0)
			for turn := 50; turn <= 50+4*window; turn += window {
				pages, err := r.pagesAfter(t.Context(), s, p, turn)
				must(t, err)
				if turn > 50 {
					added = append(added, (pages-before)/window)
				}
				before = pages
			}
			t.Logf("bytes of pages a turn, %d turns each: %v", window, added)
			for _, n := range added {
				if n > tt.most || n*10 > added[0]*12 {
					t.Errorf("bytes a turn: %v, want at most %d, and 1.2 times the first", added, tt.most)
				}
			}
			if err := closing(p, closing(s, nil)); err != nil {
				t.Error(err)
			}
		})
	}
}
