package vectors

import (
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// Progress is told how many of the owners are done.
type Progress func(done, of int, documents int)

// Reindex brings every owner's vectors in step and makes the embedder's space the live one, if it is not. It makes up for
// an index that was lost, and for one that another embedder filled. It may be broken off and begun again: what is in step
// is not embedded twice. It returns how many documents have a vector.
func (k *Keeper) Reindex(ctx context.Context, owners []index.Owner, told Progress) (int, error) {
	k.filling.Lock()
	defer k.filling.Unlock()
	n, err := k.fill(ctx, k.side, owners, told)
	if err != nil && k.side.lost(err) { // the index was lost, or somebody dropped the space meanwhile
		k.queue.forgetAll()
		n, err = k.fill(ctx, k.side, owners, told)
	}
	return n, err
}

// Purge takes out of the index what the owner's documents are not any more, and makes what it lacks. Nothing that was being made of them comes
// behind it. It returns how many it took out.
func (k *Keeper) Purge(ctx context.Context, o index.Owner) (n int, err error) {
	v, err := k.opened(ctx, k.side)
	if err != nil {
		return 0, err
	}
	if err := k.queue.hold(ctx, o); err != nil {
		return 0, err
	}
	defer k.queue.release(o)
	entries, err := v.List(ctx, o)
	if err != nil {
		return 0, err
	}
	docs, err := k.c.Source(ctx, o, nil)
	if err != nil {
		return 0, err
	}
	there := hashes(docs)
	var stale []string
	for _, e := range entries {
		if there[e.ID] != e.Hash {
			stale = append(stale, e.ID)
		}
	}
	if len(stale) == 0 {
		return 0, nil
	}
	if err := k.remove(ctx, v, o, stale); err != nil {
		return 0, err
	}
	k.queue.add(o, deadline(k.c.Now(), state.Normal), stale) // those that were made again get another
	return len(stale), nil
}

// hashes returns those of documents that have a text, by id.
func hashes(docs []Doc) map[string]string {
	there := map[string]string{}
	for _, d := range docs {
		if d.Text != "" {
			there[d.ID] = hash(d.Text)
		}
	}
	return there
}

// Orphans counts what the index has of documents of the owner that are not there.
func (k *Keeper) Orphans(ctx context.Context, o index.Owner) (n int, err error) {
	v, err := k.opened(ctx, k.side)
	if err != nil {
		return 0, err
	}
	entries, err := v.List(ctx, o)
	if err != nil {
		return 0, err
	}
	docs, err := k.c.Source(ctx, o, nil)
	there := hashes(docs)
	for _, e := range entries {
		if there[e.ID] == "" {
			n++
		}
	}
	return n, err
}

// fill compares every owner, checks that the index then holds what it should, and promotes.
func (k *Keeper) fill(ctx context.Context, s *side, owners []index.Owner, told Progress) (total int, err error) {
	v, err := s.open(ctx)
	if err != nil {
		return 0, err
	}
	for i, o := range owners {
		n, err := k.verified(ctx, s, v, o)
		if err != nil {
			return total, fmt.Errorf("reindex %s/%s: %w", o.Client, o.User, err)
		}
		total += n
		if told != nil {
			told(i+1, len(owners), total)
		}
	}
	return total, s.promote(ctx)
}

// verified compares one owner, alone, and counts what the index then holds.
func (k *Keeper) verified(ctx context.Context, s *side, v index.Vectors, o index.Owner) (int, error) {
	if err := k.queue.hold(ctx, o); err != nil {
		return 0, err
	}
	defer k.queue.release(o)
	n, err := k.compare(ctx, s, v, o)
	if err != nil {
		return 0, err
	}
	entries, err := v.List(ctx, o)
	if err == nil && len(entries) != n {
		err = state.Errorf(state.Unavailable, "index", "holds %d of %d documents; run it again", len(entries), n)
	}
	return n, err
}
