package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

// ticking is a clock that moves on by a millisecond whenever it is read.
func ticking() func() time.Time {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	list := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	tests := []struct {
		p    float64
		of   []time.Duration
		want time.Duration
	}{{0.5, list, 5}, {0.99, list, 10}, {0, list, 1}, {1, list, 10}, {0.5, list[:1], 1}, {0.5, nil, 0}, {0.9, list, 9}}
	for _, tt := range tests {
		if got := percentile(tt.of, tt.p); got != tt.want {
			t.Errorf("percentile(%v, %v) = %v, want %v", tt.of, tt.p, got, tt.want)
		}
	}
}

func TestNamesAreUniqueAndMeasured(t *testing.T) {
	t.Parallel()
	names := Names()
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) || len(names) < 5 {
		t.Errorf("Names() = %v, want at least five different ones", names)
	}
}

func TestRunRefusesUnknownFigures(t *testing.T) {
	t.Parallel()
	err := Run(t.Context(), Config{Now: ticking(), Only: []string{"turn.commit"}}, func(Figure) {})
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "turn.commits") {
		t.Errorf("Run = %v, want Invalid naming turn.commits", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, Config{Now: ticking(), Quick: true, Dir: t.TempDir()}, func(Figure) {}); err == nil {
		t.Error("Run under a cancelled context ended without an error")
	}
}

// TestQuickRows runs every row that needs no store once, quickly.
func TestQuickRows(t *testing.T) {
	t.Parallel()
	var got []Figure
	only := []string{"disk.fdatasync_ms", "detect.p50_ms"}
	err := Run(t.Context(), Config{Now: ticking(), Quick: true, Only: only, Dir: t.TempDir()}, func(f Figure) { got = append(got, f) })
	if err != nil {
		t.Fatalf("Run = %v, want no error", err)
	}
	want := []Figure{
		{"disk.fdatasync_ms", map[string]string{}, 1, "ms", 50},
		{"detect.p50_ms", map[string]string{"messages": "100", "affairs": "100"}, 1, "ms", 100},
		{"detect.p50_ms", map[string]string{"messages": "10000", "affairs": "100"}, 1, "ms", 100},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestTurnsCostWhatTheDesignSays(t *testing.T) {
	t.Parallel()
	commits := map[string]float64{}
	err := Run(t.Context(), Config{Now: time.Now, Quick: true, Only: []string{"turn.commits"}, Dir: t.TempDir()}, func(f Figure) {
		commits[f.Labels["store"]] = f.Value
	})
	if err != nil {
		t.Fatalf("Run = %v, want no error", err)
	}
	if got := commits["embedded"]; got <= 0 || got > 5.5 {
		t.Errorf("a turn with one tool call takes %.1f commits on sqlite, want at most 5", got)
	}
}
