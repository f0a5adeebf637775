package bolt

import (
	"context"
	"errors"
	"os"

	"go.etcd.io/bbolt"

	"github.com/mneme-graph/mneme/state/store"
)

// rewriteBytes is about how much one transaction of a rewrite holds: what a rewrite takes of memory.
const rewriteBytes = 16 << 20

// rewrite makes a complete store.db at path: what tx sees, with changes on top, ending with commit number
// last. It has hardly a free page, needs no log, is on disk, and was read back and checked as Open does it.
// After an error nothing is left at path.
func rewrite(ctx context.Context, tx *bbolt.Tx, changes *overlay, last uint64, path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	b := &base{path: path}
	if err := b.open(false); err != nil {
		return err
	}
	b.db.NoSync = true // one sync at the end: until then the file is nobody's
	var size int64
	err := guard(func() error {
		if err := b.copyFrom(ctx, tx); err != nil {
			return err
		}
		if err := b.complete(tx, changes, last); err != nil {
			return err
		}
		return b.db.View(func(tx *bbolt.Tx) error { size = tx.Size(); return nil })
	})
	err = errors.Join(err, b.close())
	if err == nil {
		err = trim(path, size)
	}
	if err == nil {
		err = checkBase(path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// trim cuts off what bbolt has made the file longer than its pages, and syncs it.
func trim(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}

// copyFrom copies all buckets but the header, as they are: the checksums hold, since they cover bucket and id.
func (b *base) copyFrom(ctx context.Context, tx *bbolt.Tx) error {
	return tx.ForEach(func(name []byte, from *bbolt.Bucket) error {
		if string(name) == headerBucket {
			return nil
		}
		cursor := from.Cursor()
		k, v := cursor.First()
		for k != nil {
			_, err := b.update(func(to *bbolt.Tx, _ *header) error {
				bucket, err := to.CreateBucketIfNotExists(name)
				if err != nil {
					return err
				}
				bucket.FillPercent = fill
				for size := 0; k != nil && size < rewriteBytes; k, v = cursor.Next() {
					if ctx.Err() != nil {
						return store.Cancelled(ctx)
					}
					size += len(k) + len(v)
					if err := bucket.Put(k, v); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// complete makes the changes that are not in the buckets yet, and last the header: a file without it is no store.
func (b *base) complete(tx *bbolt.Tx, changes *overlay, last uint64) error {
	from, err := readHeader(tx)
	if err != nil {
		return err
	}
	_, err = b.update(func(to *bbolt.Tx, h *header) error {
		*h = header{schema: schema, applied: last, chunks: from.chunks}
		return b.putAll(to, h, changes)
	})
	return err
}
