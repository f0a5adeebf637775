package bench

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// measured runs a row by hand and returns its figures.
func measured(t *testing.T, measure func(*run) error) []Figure {
	t.Helper()
	var out []Figure
	r := &run{c: Config{Now: time.Now, Quick: true}, dir: t.TempDir(), emit: func(f Figure) { out = append(out, f) }}
	must(t, measure(r))
	return out
}

func TestRecallByWordsVectorsAndBoth(t *testing.T) {
	t.Parallel()
	figures := measured(t, func(r *run) error { return r.recallsOf(t.Context(), filepath.Join(r.dir, "300"), 300) })
	bytes := map[string]float64{}
	var by []string
	for _, f := range figures {
		switch f.Name {
		case "recall.p50_ms":
			by = append(by, f.Labels["by"])
			if f.Value <= 0 || f.Labels["records"] != "300" || f.Labels["index"] != "local" || f.N != 100 {
				t.Errorf("figure %+v", f)
			}
		case "index.bytes_per_record":
			bytes[f.Labels["by"]] = f.Value
		}
	}
	if !slices.Equal(by, []string{"words", "both", "vectors"}) {
		t.Errorf("recall was measured by %v", by)
	}
	if len(bytes) != 2 {
		t.Errorf("bytes a record: %v, want by words and by both", bytes)
	}
}

func TestWritesAreFoundAtOnce(t *testing.T) {
	t.Parallel()
	figures := measured(t, func(r *run) error { return writes(t.Context(), r) })
	if len(figures) != 2 || figures[0].Name != "memory.durable_ms" || figures[1].Name != "memory.visible_us" || figures[0].Value <= 0 || figures[1].Value <= 0 {
		t.Errorf("figures %+v", figures)
	}
}

func TestBandwidth(t *testing.T) {
	t.Parallel()
	figures := measured(t, func(r *run) error {
		shelf, err := local.New(local.Config{Store: ram.New(), Exact: true})
		if err != nil {
			return err
		}
		return closing(shelf, r.bandwidthOf(t.Context(), shelf, 1500))
	})
	if len(figures) != 1 || figures[0].Value <= 0 {
		t.Errorf("figures %+v", figures)
	}
}

// TestFixture says that records differ, and that no two of the first thousand questions are the same.
func TestFixture(t *testing.T) {
	t.Parallel()
	notes, questions := map[string]bool{}, map[string]bool{}
	for i := range 1000 {
		notes[note(i).Content], questions[question(i, 1000)] = true, true
	}
	if len(notes) != 1000 || len(questions) != 1000 {
		t.Errorf("%d notes and %d questions differ, want 1000", len(notes), len(questions))
	}
}
