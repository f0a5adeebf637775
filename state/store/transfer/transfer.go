package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what is copied where. From and To are required and stay the caller's to close.
type Config struct {
	From, To store.Store
	// Page is how many documents are read and written at once; 0 = 500. Fewer are when they are large.
	Page int
	// Overwrite replaces documents of To that differ, and lets stand what From does not have. Without it
	// either is a *DifferenceError.
	Overwrite bool
	// Progress is told after each page, by the goroutine that called Copy; nil is silent.
	Progress func(Progress)
}

const defaultPage = 500

// Phase is what Copy is at.
type Phase string

// The phases, in order; Checking is only for a target that is not empty.
const (
	Checking  Phase = "check"
	Copying   Phase = "copy"
	Verifying Phase = "verify"
)

// Progress says how far a phase is: documents and bytes of the source it has passed, those of a run that was
// cut off included.
type Progress struct {
	Phase      Phase            `json:"phase"`
	Collection state.Collection `json:"collection"`
	Documents  int64            `json:"documents"`
	Bytes      int64            `json:"bytes"`
}

// Report is what Copy did and found.
type Report struct {
	From        Side    `json:"from"`
	To          Side    `json:"to"` // of what From has; equal to From
	Collections []Count `json:"collections"`
	Written     int64   `json:"written"`  // documents inserted by this run
	Replaced    int64   `json:"replaced"` // documents overwritten by this run
	Skipped     int64   `json:"skipped"`  // documents that were there already, from an earlier run for instance
	Extra       int64   `json:"extra"`    // documents only the target has, left alone
	Resumed     bool    `json:"resumed"`  // an earlier run was cut off, and this one went on behind it
}

// Side is one store as it was read back. SHA256, in hex, is over its documents in the order of
// store.Collections and of their ids: each as collection, id and body, each of these with its length before
// it (uvarint).
type Side struct {
	Documents int64  `json:"documents"`
	Bytes     int64  `json:"bytes"` // of bodies
	SHA256    string `json:"sha256"`
}

// Count is what one collection of the source holds.
type Count struct {
	Collection state.Collection `json:"collection"`
	Documents  int64            `json:"documents"`
	Bytes      int64            `json:"bytes"`
}

// Copy copies every document of From into To and returns when it has read both again and found them equal.
// After an error or a crash, call it again: it goes on where it was. Nobody may write to either meanwhile;
// who does is found out. Errors besides those of the stores: a *DifferenceError, which is
// state.ErrConflict, for a document in To that differs or that From does not have; state.ErrConflict also for
// a From that is itself an unfinished copy, for an unfinished copy in To that began with another source, and
// for another Copy at work on To; state.ErrInvalid for a bad Config, and for sealed
// documents: read them through package sealed, on both sides.
func Copy(ctx context.Context, cfg Config) (Report, error) {
	switch {
	case cfg.From == nil || cfg.To == nil:
		return Report{}, state.Errorf(state.Invalid, op, "names no source or no target")
	case cfg.Page < 0:
		return Report{}, state.Errorf(state.Invalid, op, "a page of %d documents; give 1 or more, or 0 for %d", cfg.Page, defaultPage)
	case cfg.Page == 0:
		cfg.Page = defaultPage
	}

	r := &run{Config: cfg}
	for _, step := range []func(context.Context) error{r.begin, r.copy, r.verify, r.end} {
		if err := step(ctx); err != nil {
			return Report{}, explain(err)
		}
	}
	return r.report, nil
}

const op = "copy store"

// run is one call of Copy.
type run struct {
	Config
	report Report

	cursor cursor
	batch  []store.Doc // to be written with the next cursor
	size   int         // bytes of its bodies
}

// begin finds the unfinished copy in the target, or makes sure that a new one may begin there.
func (r *run) begin(ctx context.Context) error {
	// A source that cannot be copied is refused before the target is touched.
	if there, _, err := loadCursor(ctx, r.From); err != nil || there {
		return orElse(err, state.Errorf(state.Conflict, op, "the source is an unfinished copy itself; finish that one first"))
	}
	if err := refuseSealed(ctx, r.From); err != nil {
		return err
	}

	// A copy that was cut off goes on, if it began with this source.
	there, found, err := loadCursor(ctx, r.To)
	switch {
	case err != nil:
		return err
	case there:
		r.cursor, r.report.Resumed = found, true
		return r.recognise(ctx)
	}

	// A new one leaves its mark in the target. If the source then has it too, the two are one store.
	if err := r.check(ctx); err != nil {
		return err
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	if there, _, err := loadCursor(ctx, r.From); err != nil || there {
		same := state.Errorf(state.Invalid, op, "source and target are the same store; name another target")
		return errors.Join(orElse(err, same), r.end(ctx))
	}
	return nil
}

// orElse is err, or the other error if there is none.
func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// recognise makes sure that the unfinished copy began with this source.
func (r *run) recognise(ctx context.Context) error {
	if r.cursor.atBegin() {
		return nil
	}

	d, err := r.From.Get(ctx, r.cursor.Collection, r.cursor.ID)
	switch {
	case err != nil && !errors.Is(err, state.ErrNotFound):
		return err
	case err == nil && bytes.Equal(sum(d), r.cursor.Sum):
		return nil
	case r.Overwrite:
		r.cursor = cursor{rev: r.cursor.rev}
		return nil
	}
	return state.Errorf(state.Conflict, op, "the target holds an unfinished copy of another source, or the source has changed since "+
		"(%s %s is not as it was); name an empty target, or overwrite this one", r.cursor.Collection, r.cursor.ID)
}

// check refuses a target with data of its own, before anything is written.
func (r *run) check(ctx context.Context) error {
	if r.Overwrite {
		return nil
	}
	empty, err := isEmpty(ctx, r.To)
	if err != nil || empty {
		return err
	}
	return r.walk(ctx, Checking, cursor{}, func(p pair) error { return p.difference(Checking, p.to != nil) })
}

func isEmpty(ctx context.Context, s store.Store) (bool, error) {
	for _, collection := range store.Collections() {
		docs, err := s.Scan(ctx, store.Query{Collection: collection, Limit: 1})
		if err != nil || len(docs) > 0 {
			return false, err
		}
	}
	return true, nil
}

// copy writes what the target lacks, behind the cursor.
func (r *run) copy(ctx context.Context) error {
	// Pairs come in order: what the cursor has passed is in the target.
	err := r.walk(ctx, Copying, r.cursor, func(p pair) error {
		if err := p.difference(Copying, p.to != nil && !r.Overwrite); err != nil || p.from == nil {
			return err
		}
		if isSealed(p.from) {
			return errSealed(p.from)
		}
		d := store.Doc{Collection: p.from.Collection, ID: p.from.ID, Body: p.from.Body}

		// Equal documents are left alone, so that a copy may be repeated.
		switch {
		case p.to == nil:
			r.report.Written++
			r.add(d)
		case !bytes.Equal(p.from.Body, p.to.Body):
			r.report.Replaced++
			d.Rev = p.to.Rev
			r.add(d)
		}

		// The cursor is written with the documents that it has passed, once there are enough of them.
		r.cursor.pass(p.from)
		if len(r.batch) < r.Page && r.size < pageBytes {
			return nil
		}
		return r.flush(ctx)
	})
	if err != nil || len(r.batch) == 0 {
		return err
	}
	return r.flush(ctx)
}

func (r *run) add(d store.Doc) {
	r.batch = append(r.batch, d)
	r.size += len(d.Body)
}

// flush writes the batch and the cursor: together, or the cursor after the rest where a Write is not one transaction.
func (r *run) flush(ctx context.Context) error {
	mark, err := r.cursor.doc()
	if err != nil {
		return err
	}

	writes := [][]store.Doc{append(r.batch, mark)}
	if !r.To.Features().Atomic {
		writes = [][]store.Doc{r.batch, {mark}}
	}

	for _, docs := range writes {
		if err := r.To.Write(ctx, docs...); err != nil {
			return err
		}
	}

	r.cursor.rev++
	r.batch, r.size = nil, 0
	return nil
}

// verify reads both sides from the beginning. When they are not equal, the next run compares everything.
func (r *run) verify(ctx context.Context) error {
	from, to := newTally(), newTally()
	err := r.walk(ctx, Verifying, cursor{}, func(p pair) error {
		if p.from == nil && r.Overwrite {
			r.report.Extra++
			return nil
		}
		if err := p.difference(Verifying, true); err != nil {
			return err
		}
		from.add(p.from)
		to.add(p.to)
		return nil
	})

	r.report.From, r.report.To, r.report.Collections = from.side(), to.side(), from.collections
	r.report.Skipped = r.report.From.Documents - r.report.Written - r.report.Replaced

	var difference *DifferenceError
	if errors.As(err, &difference) {
		r.cursor = cursor{rev: r.cursor.rev}
		err = errors.Join(err, r.flush(ctx))
	}
	return err
}

// end removes the cursor: the copy is complete.
func (r *run) end(ctx context.Context) error {
	return r.To.Write(ctx, store.Doc{Collection: state.Meta, ID: cursorID, Rev: r.cursor.rev})
}

// explain says what a lost race for a document of the target means here.
func explain(err error) error {
	var lost *store.ConflictError
	if errors.As(err, &lost) {
		return fmt.Errorf("%s: somebody else writes into the target; let only one do that and run it again: %w", op, err)
	}
	return err
}
