package vectors

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// work works jobs off until the Keeper is closed.
func (k *Keeper) work(ctx context.Context) {
	for {
		j, ok := k.queue.take(ctx, k.c.Batch)
		if !ok {
			return
		}
		err := k.do(ctx, j)
		if err != nil && ctx.Err() == nil {
			k.c.Logger.Warn("vectors wait", "client", j.owner.Client, "error", err)
		}
		k.queue.finish(j, err)
	}
}

// do brings the names of a job in step, or everything of its owner.
func (k *Keeper) do(ctx context.Context, j job) error {
	err := k.match(ctx, k.side, j)
	if err != nil && k.side.lost(err) {
		k.queue.forgetAll()
	}
	return err
}

func (k *Keeper) match(ctx context.Context, s *side, j job) error {
	// A job without names is for all of the owner's documents.
	v, err := k.opened(ctx, s)
	if err != nil {
		return err
	}
	if j.names == nil {
		_, err := k.compare(ctx, s, v, j.owner)
		return err
	}

	// The documents as they are now; those without a text leave the index as well.
	ids := slices.Sorted(maps.Keys(j.names))
	docs, err := k.c.Source(ctx, j.owner, ids)
	if err != nil {
		return fmt.Errorf("documents of %s/%s: %w", j.owner.Client, j.owner.User, err)
	}
	gone := map[string]bool{}
	for _, id := range ids {
		gone[id] = true
	}
	docs = slices.DeleteFunc(docs, func(d Doc) bool {
		if d.Text != "" {
			delete(gone, d.ID)
		}
		return d.Text == ""
	})

	// What is there is put first, so that nothing is missing in between.
	if _, err := k.put(ctx, s, v, j.owner, docs); err != nil {
		return err
	}
	return k.remove(ctx, v, j.owner, slices.Sorted(maps.Keys(gone)))
}

// opened returns the side's vectors; opening them has the deadline of a call.
func (k *Keeper) opened(ctx context.Context, s *side) (index.Vectors, error) {
	within, cancel := context.WithTimeout(ctx, k.c.Call)
	defer cancel()
	return s.open(within)
}

// compare brings everything of an owner in step and returns how many documents have a vector.
func (k *Keeper) compare(ctx context.Context, s *side, v index.Vectors, o index.Owner) (int, error) {
	entries, err := v.List(ctx, o)
	if err != nil {
		return 0, err
	}
	docs, err := k.c.Source(ctx, o, nil)
	if err != nil {
		return 0, fmt.Errorf("documents of %s/%s: %w", o.Client, o.User, err)
	}
	n, lacking, stale := difference(docs, entries)
	refused, err := k.put(ctx, s, v, o, lacking)
	if n -= refused; err != nil {
		return n, err
	}
	return n, k.remove(ctx, v, o, stale)
}

// put embeds documents and puts their entries, as many at a time as the embedder manages, so that what a slow one has made is
// kept. It returns how many the embedder will never take.
func (k *Keeper) put(ctx context.Context, s *side, v index.Vectors, o index.Owner, docs []Doc) (refused int, err error) {
	for len(docs) > 0 {
		some := min(k.c.Batch, s.embedder.Pace().Batch, len(docs))
		n, err := k.putSome(ctx, s, v, o, docs[:some])
		refused += n
		if err != nil {
			return refused, err
		}
		docs = docs[some:]
	}
	return refused, nil
}

// putSome is put for one call of the embedder. One text that the embedder refuses must not keep the others waiting: then
// each is asked for by itself.
func (k *Keeper) putSome(ctx context.Context, s *side, v index.Vectors, o index.Owner, docs []Doc) (refused int, err error) {
	texts := make([]string, len(docs))
	for i, d := range docs {
		texts[i] = d.Text
	}
	vecs, err := s.embedder.Embed(ctx, texts...)
	switch {
	case errors.Is(err, state.ErrInvalid) && len(docs) > 1:
		for i := range docs {
			n, err := k.putSome(ctx, s, v, o, docs[i:i+1])
			refused += n
			if err != nil {
				return refused, err
			}
		}
		return refused, nil
	case errors.Is(err, state.ErrInvalid):
		if _, err := s.embedder.Embed(ctx, "a word"); err != nil {
			return 0, err // it takes nothing: the fault is not the text's
		}
		k.c.Logger.Warn("no vector is made: the embedder refuses the text", "client", o.Client, "id", docs[0].ID, "error", err)
		return 1, nil
	case err != nil:
		return 0, err
	}
	entries := make([]index.Entry, len(docs))
	for i, d := range docs {
		entries[i] = index.Entry{ID: d.ID, Hash: hash(d.Text), Kind: d.Kind, Session: d.Session, At: d.At, Vector: vecs[i]}
	}
	k.changes.Add(1)
	within, cancel := context.WithTimeout(ctx, k.c.Call)
	defer cancel()
	return 0, v.Put(within, o, entries...)
}

// remove takes entries out, some at a time.
func (k *Keeper) remove(ctx context.Context, v index.Vectors, o index.Owner, ids []string) error {
	for part := range slices.Chunk(ids, index.MaxIDs) {
		k.changes.Add(1)
		if err := v.Delete(ctx, o, part...); err != nil {
			return err
		}
	}
	return nil
}

// hash names a text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
