package memory

import (
	"context"

	"github.com/mneme-graph/mneme/state"
)

// This file keeps a user's records within max_memories_per_user. What is over goes into the archive, behind the reply, in the turn's commit: the record
// stays as it is, and is found when the archive is asked for (Query.Archived), by a command that forgets, and when it is said again, which takes it
// out. The mind knows how many there are, and their ranks: only what is archived is read.

// archivePath is the way by which records go into the archive: see state.By.
const archivePath = "retention"

// archivedAtOnce is how many records a turn archives, so that the next few need not: a user who is far above comes down over many turns, none of which is slow.
const archivedAtOnce = 4

// archive puts the least important of the user's records into the archive, when there are more than may be. What is pinned, is a task or a summary,
// and what the brain shows stays. Where memory is not written without asking, nothing is archived.
func (e *edits) archive(ctx context.Context) error {
	// The number of records tells at once whether there is anything to do.
	most := e.m.desk.Set(ctx).MaxMemoriesPerUser
	d, err := e.m.desk.Mind(ctx, e.Scope)
	if err != nil {
		return err
	}
	n := d.Records()
	d.Unlock()
	if n <= most || e.m.desk.Autonomy(ctx, state.Scope{Agent: e.View.Agent}) < 2 {
		return nil
	}

	// What the brain shows stays.
	own, err := e.m.desk.Own(ctx, e.Scope)
	if err != nil {
		return err
	}
	b, shown := e.m.brain(ctx, own), map[string]bool{}
	for _, p := range state.BrainParts() {
		for _, r := range b.In(p) {
			shown[r.ID] = true
		}
	}

	// The least important of the rest, a few at a time.
	if d, err = e.m.desk.Mind(ctx, e.Scope); err != nil {
		return err
	}
	ids := d.LeastImportant(archivedAtOnce, shown)
	d.Unlock()
	if len(ids) == 0 {
		return nil
	}
	by := state.By{Who: state.ByPipeline, Path: archivePath, Turn: e.By.Turn, Message: e.By.Message}
	for _, id := range ids {
		e.Add(state.Effect{Archive: &state.Archive{ID: id, At: e.m.c.Now()}, By: &by})
	}
	state.TraceFrom(ctx).Note("archived: %d records, the least important of %d, since max_memories_per_user is %d; mneme recall --archived finds them", len(ids), n, most)
	return nil
}
