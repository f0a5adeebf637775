package flow

import (
	"context"

	"github.com/mneme-graph/mneme/checkpoint"
)

// ending is what the last commit of an attempt says besides; the others say nothing.
type ending struct {
	done  bool
	asked []checkpoint.Ask
	left  bool // the attempt was ended by its context
}

// commit writes everything pending, and the end of the turn or its questions with the last of an attempt. The caller
// holds the lock: one committer numbers a thread's steps.
func (r *run[S, P]) commit(ctx context.Context, mode Durability, end ending) error {
	last := end.done || end.left || len(end.asked) > 0
	if mode == "" {
		mode = r.mode
	}
	if mode == Exit && !last && len(r.effects) == 0 {
		r.held = true
		return nil
	}
	r.held = false
	c := r.first
	c.Parts, c.Effects, c.Asked, c.Done = r.pending, r.effects, end.asked, end.done
	if end.left {
		c.Source = checkpoint.SourceLeft
	}
	r.first, r.pending, r.effects = checkpoint.Commit{}, nil, nil
	if r.turn == nil {
		return nil
	}
	next := r.listNext(c)
	err := r.waitOrSave(ctx, c, next, mode == Async && !last)
	r.broken = r.broken || err != nil
	return err
}

// waitOrSave commits behind the commits before it, or has it done in the background.
func (r *run[S, P]) waitOrSave(ctx context.Context, c checkpoint.Commit, next []string, behind bool) error {
	if behind {
		return r.save(ctx, c, next)
	}
	if err := r.waitSaved(); err != nil {
		return err
	}
	return r.write(ctx, c, next)
}

// write commits and tells of it.
func (r *run[S, P]) write(ctx context.Context, c checkpoint.Commit, next []string) error {
	err := r.turn.Commit(ctx, c)
	if err == nil {
		r.tellCheckpoint(next)
	}
	return err
}

// save commits in the background, behind the commits before it. What went wrong with those is told at once.
func (r *run[S, P]) save(ctx context.Context, c checkpoint.Commit, next []string) error {
	before, after := r.saving, make(chan struct{})
	if before != nil {
		select {
		case <-before:
			if r.unsaved != nil {
				return r.unsaved
			}
			before = nil
		default:
		}
	}
	r.saving = after
	go func() {
		defer close(after)
		if before != nil {
			<-before
		}
		if r.unsaved == nil {
			r.unsaved = r.write(ctx, c, next)
		}
	}()
	return nil
}

// waitSaved waits until the commits so far are durable. The caller holds the lock.
func (r *run[S, P]) waitSaved() error {
	if r.saving == nil {
		return nil
	}
	<-r.saving
	return r.unsaved
}

// settle is saved for a node at work.
func (r *run[S, P]) settle() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waitSaved()
}
