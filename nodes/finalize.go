package nodes

import (
	"context"
	"log/slog"

	"github.com/mneme-graph/mneme/state"
)

// Finalize ends the turn: its result rides in the commit that closes it. It logs one line, without anybody's text.
func Finalize(log *slog.Logger) Func {
	return func(ctx context.Context, t state.Turn) (state.Turn, error) {
		in, d, bill := t.Input.Get(), t.Decision.Get(), state.TraceFrom(ctx).Bill()
		log.LogAttrs(ctx, slog.LevelInfo, "turn", slog.String("session", in.Scope.Session), slog.String("turn", in.Turn),
			slog.String("decision", string(d.Kind)), slog.String("affair", d.AffairID),
			slog.Int("commits", bill.Commits+1), slog.Int("reads", bill.Reads))
		return t, nil
	}
}
