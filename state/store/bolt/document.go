package bolt

import (
	"encoding/binary"

	"go.etcd.io/bbolt"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
)

// get returns revision and body of a document, 0 and nil if there is none.
func get(tx *bbolt.Tx, c state.Collection, id string) (value, error) {
	kept := tx.Bucket([]byte(c)).Get([]byte(id))
	if kept == nil {
		return value{}, nil
	}
	return decode(string(c), id, kept)
}

// body puts a value's body together, in memory of its own.
func (b *base) body(tx *bbolt.Tx, v value) (bson.Raw, error) {
	kept := v.body
	if v.form&apart != 0 {
		kept = make([]byte, 0, v.size)
	}
	for i := range v.pieces() {
		key := chunkKey(v.set, i)
		piece, err := unseal(chunksBucket, key, tx.Bucket([]byte(chunksBucket)).Get([]byte(key)))
		if err != nil {
			return nil, err
		}
		kept = append(kept, piece...)
	}
	if v.form&apart != 0 && len(kept) != v.size {
		return nil, damaged("a body has %d bytes instead of %d", len(kept), v.size)
	}
	return b.pack.unpack(v.form, kept)
}

// put makes one change in the buckets: it replaces, inserts, or deletes (rev 0) the document.
func (b *base) put(tx *bbolt.Tx, h *header, c state.Collection, id string, e entry) error {
	old, err := get(tx, c, id)
	if err != nil {
		return err
	}
	chunks := tx.Bucket([]byte(chunksBucket))
	for i := range old.pieces() {
		if err := chunks.Delete([]byte(chunkKey(old.set, i))); err != nil {
			return err
		}
	}
	bucket := tx.Bucket([]byte(c))
	bucket.FillPercent = fill
	if e.rev == 0 {
		return bucket.Delete([]byte(id))
	}
	v := value{rev: e.rev}
	if v.form, v.body, err = b.pack.pack(e.body); err != nil {
		return err
	}
	if v.form&apart != 0 {
		if err := cut(chunks, h, &v); err != nil {
			return err
		}
	}
	return bucket.Put([]byte(id), v.encode(string(c), id))
}

// putAll makes all changes.
func (b *base) putAll(tx *bbolt.Tx, h *header, changes *overlay) (err error) {
	changes.Scan(func(at string, e entry) bool {
		c, id := named(at)
		err = b.put(tx, h, c, id, e)
		return err == nil
	})
	return err
}

// cut moves the body of a value into pieces of its own.
func cut(chunks *bbolt.Bucket, h *header, v *value) error {
	v.set, v.size = h.chunks, len(v.body)
	h.chunks++
	for i := range v.pieces() {
		key := chunkKey(v.set, i)
		piece := v.body[i*chunkBytes : min((i+1)*chunkBytes, v.size)]
		if err := chunks.Put([]byte(key), seal(chunksBucket, key, piece)); err != nil {
			return err
		}
	}
	v.body = nil
	return nil
}

func chunkKey(set uint64, piece int) string {
	return string(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, set), uint32(piece)))
}
