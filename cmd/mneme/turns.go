package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
)

// turnSteps is a turn of the log.
type turnSteps struct {
	last  flow.Checkpoint // its newest step
	began time.Time
	steps int
}

// mostTurns is how many turns are listed unless it is said.
const mostTurns = 20

// turns prints a line for each turn.
func (h *historyCommand) turns(ctx context.Context, con *console, o *opened, w checkpoint.Which) error {
	most := mostTurns
	if h.Limit != nil {
		most = *h.Limit
	}
	if most < 0 {
		return state.Errorf(state.Invalid, "--limit", "Limit is %d; give 0 for all, or how many", most)
	}
	turns, more, err := o.lastTurns(ctx, w, most)
	if err != nil || len(turns) == 0 {
		return cmp.Or(err, o.noTurns())
	}

	// What was said is with the messages, what was decided in the state that the turn ended with.
	said, err := o.saidIn(ctx)
	if err != nil {
		return err
	}
	titles, err := o.titles(ctx)
	if err != nil {
		return err
	}
	put, err := o.putTurns(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{con.timeHead(), "TURN", "SAID", "DECISION", "STEPS"}}
	for _, t := range turns {
		after, err := o.State(ctx, o.scope, t.last.Seq)
		if err != nil {
			return err
		}
		d := after.State.Decision.Get()
		decided := strings.TrimSuffix(fmt.Sprintf("%s “%s”", d.Kind, clip(titles[d.AffairID], 30)), " “”")
		if now := put[t.last.Turn]; now != "" && now != d.AffairID {
			decided = fmt.Sprintf("put under “%s” by you", clip(titles[now], 30))
		}
		steps := fmt.Sprint(t.steps)
		switch {
		case len(t.last.Asked) > 0:
			steps += ", waits for " + counted(len(t.last.Asked), "answer")
		case !t.last.Done:
			steps += ", unfinished"
		}
		rows = append(rows, []string{con.column(t.began), fmt.Sprintf("%.*s", shortTurn, t.last.Turn), cmp.Or(clip(said[t.last.Turn], 50), "-"), cmp.Or(decided, "-"), steps})
	}
	table(con.out, rows)
	if more {
		con.println("older turns: --limit 0 lists all")
	}
	return nil
}

// putTurns returns the affairs that turns of the session are filed under which a person has put somewhere.
func (o *opened) putTurns(ctx context.Context) (map[string]string, error) {
	changes, err := o.Memory().History().Audit(ctx, o.scope, history.Query{Path: "put_turn"})
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	messages, err := o.Memory().Messages(ctx, o.scope)
	put := map[string]string{}
	for _, m := range messages {
		if m.Role == state.RoleUser && slices.ContainsFunc(changes, func(c history.Change) bool { return c.By.Turn == m.Turn }) {
			put[m.Turn] = m.Affair
		}
	}
	return put, err
}

// lastTurns returns the newest turns of the log, and whether there are more than so many; 0 = all.
func (o *opened) lastTurns(ctx context.Context, w checkpoint.Which, most int) (turns []turnSteps, more bool, err error) {
	for c, err := range o.steps(ctx, w) {
		n := len(turns)
		switch {
		case err != nil:
			return nil, false, err
		case n > 0 && turns[n-1].last.Turn == c.Turn:
			turns[n-1].began, turns[n-1].steps = c.At, turns[n-1].steps+1
		case most > 0 && n == most:
			return turns, true, nil
		default:
			turns = append(turns, turnSteps{c, c.At, 1})
		}
	}
	return turns, false, nil
}

// saidIn returns what the user said in each turn of the session.
func (o *opened) saidIn(ctx context.Context) (map[string]string, error) {
	messages, err := o.Memory().Messages(ctx, o.scope)
	said := map[string]string{}
	for _, m := range messages {
		if m.Role == state.RoleUser && said[m.Turn] == "" {
			said[m.Turn] = o.Memory().Mask(m.Text)
		}
	}
	return said, err
}
