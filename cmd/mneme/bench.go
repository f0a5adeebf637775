package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/e2e/bench"
)

type benchCommand struct {
	Quick bool     `help:"Fewer repetitions: ends within a minute on two cores."`
	Only  []string `help:"Measure these figures only." placeholder:"NAME,..."`
	Dir   string   `group:"whose" help:"Put the measured stores into this folder, to choose the disk." placeholder:"DIR"`
	JSON  bool     `name:"json" help:"One JSON object per figure."`
}

// Help is printed by mneme bench --help.
func (benchCommand) Help() string {
	return "Figures: " + strings.Join(bench.Names(), ", ") + `.

Examples:
  mneme bench --quick
  mneme bench --json --only turn.p50_ms,turn.commits > before.jsonl`
}

// Run measures and prints each figure when it is known, as a table at the end.
func (b *benchCommand) Run(ctx context.Context, con *console) error {
	rows := [][]string{{"FIGURE", "VALUE", "UNIT", "N", "LABELS"}}
	var printed error
	err := bench.Run(ctx, bench.Config{Now: con.now, Quick: b.Quick, Only: b.Only, Dir: b.Dir}, func(f bench.Figure) {
		if b.JSON {
			printed = cmp.Or(printed, encode(con.out, f))
			return
		}
		rows = append(rows, []string{f.Name, fmt.Sprintf("%.3f", f.Value), f.Unit, fmt.Sprint(f.N), labels(f.Labels)})
	})

	switch {
	case err != nil:
		return err
	case !b.JSON:
		table(con.out, rows)
	}
	return printed
}

func labels(m map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, name+"="+m[name])
	}
	return strings.Join(parts, " ")
}
