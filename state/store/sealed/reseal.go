package sealed

import (
	"context"
	"errors"
	"fmt"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

const (
	resealPage     = 32 // documents looked at and written together
	resealAttempts = 16 // at one document that others write all the time
)

// Resealed says how far a Reseal came.
type Resealed struct {
	Seen  int    // documents looked at
	Stale int    // of these, sealed with an older key; they are no longer
	Last  string // the id up to which, in the query's order, all is done; After of the next call
}

// Reseal seals anew, with the current key, what the query selects and an older key sealed. Limit bounds how
// many documents are looked at. Once it went over every collection (Prefix "" is all of one) while nobody
// wrote with an older key, that key may leave the keyring.
//
// It may run beside readers and writers: each document is replaced at the revision it was read at, and who is
// beaten to it looks again. A resealed document stands one revision higher, so a writer that had read it
// before gets a conflict as from any other writer. What is done stays done: after an error or a
// cancellation, go on with After set to Last, or start over, which costs reading only.
//
// A document that cannot be opened ends it with the error Get would give. state.ErrConflict means that
// somebody goes on writing one document with an older key; give that process the new keyring.
func (s *Store) Reseal(ctx context.Context, q store.Query) (Resealed, error) {
	// A limit of 0 is none.
	done := Resealed{Last: q.After}
	if err := q.Validate(); err != nil {
		return done, err
	}

	// Page by page, so that what is in RAM does not grow with the collection.
	for limit := q.Limit; ; {
		q.Limit = resealPage
		if limit > 0 {
			q.Limit = min(limit-done.Seen, resealPage)
		}
		docs, err := s.below.Scan(ctx, q)
		if err != nil {
			return done, fmt.Errorf("reseal %s: %w", q.Collection, err)
		}
		stale, err := s.resealAll(ctx, docs)
		if err != nil {
			return done, fmt.Errorf("reseal %s: %w", q.Collection, err)
		}

		// What is done counts at once: the caller goes on behind Last.
		done.Seen += len(docs)
		done.Stale += stale
		if len(docs) > 0 {
			done.Last = docs[len(docs)-1].ID
			q.After = done.Last
		}
		if len(docs) < q.Limit || done.Seen == limit {
			return done, nil
		}
	}
}

// resealAll replaces those of the stored documents that need it and returns how many that were.
func (s *Store) resealAll(ctx context.Context, docs []store.Doc) (int, error) {
	var changes []store.Doc
	for _, d := range docs {
		stale, err := s.renew(ctx, &d)
		if err != nil {
			return 0, err
		}
		if stale {
			changes = append(changes, d)
		}
	}

	err := s.below.Write(ctx, changes...)
	if !errors.Is(err, state.ErrConflict) {
		return len(changes), err
	}

	for _, d := range changes {
		if err := s.resealOne(ctx, d.Collection, d.ID); err != nil {
			return 0, err
		}
	}
	return len(changes), nil
}

// resealOne reads and replaces one document until it is gone or sealed with the current key.
func (s *Store) resealOne(ctx context.Context, c state.Collection, id string) error {
	var err error
	for range resealAttempts {
		var d store.Doc
		d, err = s.below.Get(ctx, c, id)
		if errors.Is(err, state.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}

		stale, renewErr := s.renew(ctx, &d)
		if renewErr != nil || !stale {
			return renewErr
		}
		if err = s.below.Write(ctx, d); !errors.Is(err, state.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("others wrote it %d times with an older key; give them the new keyring: %w", resealAttempts, err)
}

// renew seals a stored document anew if another key sealed it than would now, and says whether.
func (s *Store) renew(ctx context.Context, d *store.Doc) (bool, error) {
	m, err := parse(*d)
	if err != nil {
		return false, err
	}
	k, version, err := s.keyOf(ctx, *d)
	if err != nil || m.keyID == k.id && m.version == version {
		return false, err
	}
	if d.Body, err = s.open(ctx, *d); err != nil {
		return false, err
	}
	d.Body, err = s.sealWith(k, version, *d)
	return true, err
}
