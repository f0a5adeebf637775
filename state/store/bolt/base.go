package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

const (
	schema = 1 // of what this version writes; older ones are read, newer ones refused

	headerBucket = "_store"  // sorts before all others, so that the schema is known before they are judged
	chunksBucket = "_chunks" // pieces of bodies over chunkBytes

	lockTimeout = 400 * time.Millisecond // how long Open waits for a process that is about to end
	fill        = 0.95                   // of a page when it is split: ids mostly arrive in ascending order
)

// base is store.db. Reading is safe for concurrent use; the one who leads the queue writes.
type base struct {
	path   string
	db     *bbolt.DB
	file   *os.File // of db, to give up the lock even if db cannot be closed
	pack   packer
	failed error // set by a panic in a write: what bbolt holds in memory can no longer be trusted
}

// header is what store.db knows about itself.
type header struct {
	schema  uint32
	applied uint64 // the last commit that is in store.db
	logged  bool   // commits may stand in store.log: a store without that file is incomplete
	chunks  uint64 // the next free number of a set of pieces
}

// openBase creates store.db if there is none, checks it, and opens it for this process alone.
func openBase(path string) (*base, header, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := createBase(path); err != nil {
			return nil, header{}, err
		}
	} else if err != nil {
		return nil, header{}, err
	}
	if err := checkBase(path); err != nil {
		return nil, header{}, err
	}
	b := &base{path: path}
	if err := b.open(false); err != nil {
		return nil, header{}, err
	}
	var h header
	err := b.view(func(tx *bbolt.Tx) (err error) {
		h, err = readHeader(tx)
		return err
	})
	if err != nil {
		return nil, header{}, errors.Join(err, b.close())
	}
	return b, h, nil
}

// createBase makes a complete store.db under another name first: so an empty or half-made file under its
// own name is always damage, never a store just being made. Of two processes the first wins.
func createBase(path string) error {
	b := &base{path: fmt.Sprintf("%s.new-%d", path, os.Getpid())}
	if err := b.open(false); err != nil {
		return err
	}
	_, err := b.update(func(tx *bbolt.Tx, h *header) error {
		h.schema = schema
		return nil
	})
	if err = errors.Join(err, b.close()); err != nil {
		return errors.Join(err, os.Remove(b.path))
	}
	err = os.Link(b.path, path) // does not replace, unlike Rename
	if _, there := os.Stat(path); err != nil && there != nil {
		return os.Rename(b.path, path) // a file system without links
	}
	return os.Remove(b.path)
}

// checkBase checks store.db under a shared lock, which a process that has the store open refuses.
func checkBase(path string) error {
	b := &base{path: path}
	if err := b.open(true); err != nil {
		if errors.Is(err, bbolterrors.ErrTimeout) || isPathError(err) {
			return err
		}
		return errors.Join(checkFile(path, func(string, []byte, []byte) error { return nil }), err)
	}
	var found header
	buckets := map[string]bool{}
	err := checkFile(path, func(bucket string, key, value []byte) error {
		kept, err := unseal(bucket, string(key), value)
		if err == nil && bucket == headerBucket {
			found, err = parseHeader(kept)
		}
		buckets[bucket] = true
		return err
	})
	if found.schema > schema {
		err = state.Errorf(state.Invalid, "open store",
			"%s was written by a newer version: its schema is %d, this program reads up to %d; update the program", path, found.schema, schema)
	} else if err == nil && found.schema == 0 {
		err = damaged("it has no header")
	}
	return errors.Join(err, b.close())
}

func (b *base) open(readOnly bool) error {
	err := guard(func() (err error) {
		b.db, err = bbolt.Open(b.path, 0o600, &bbolt.Options{
			Timeout: lockTimeout, ReadOnly: readOnly, FreelistType: bbolt.FreelistMapType,
			OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
				f, err = os.OpenFile(name, flag, mode)
				b.file = f
				return f, err
			},
		})
		return err
	})
	var panicked *panicError
	if errors.As(err, &panicked) && b.file != nil {
		return errors.Join(err, b.file.Close()) // gives up the lock
	}
	return err
}

func isPathError(err error) bool {
	var p *os.PathError
	return errors.As(err, &p)
}

// close closes store.db and gives up its lock, in whatever state bbolt is.
func (b *base) close() error {
	b.pack.close()
	if b.failed == nil {
		return guard(b.db.Close)
	}
	return b.file.Close() // bbolt may hold its own lock for ever
}

// view runs f in a transaction that reads.
func (b *base) view(f func(*bbolt.Tx) error) error {
	return guard(func() error { return b.db.View(f) })
}

// update runs f in a transaction, creates what buckets are missing, and commits it with the header f
// leaves. It returns the number of the transaction.
func (b *base) update(f func(*bbolt.Tx, *header) error) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	var id int
	err := guard(func() error {
		return b.db.Update(func(tx *bbolt.Tx) error {
			id = tx.ID()
			if err := createBuckets(tx); err != nil {
				return err
			}
			h, err := readHeader(tx)
			if err != nil {
				return err
			}
			if err := f(tx, &h); err != nil {
				return err
			}
			return tx.Bucket([]byte(headerBucket)).Put([]byte("header"), seal(headerBucket, "header", h.encode()))
		})
	})
	var panicked *panicError
	if errors.As(err, &panicked) {
		b.failed = err
	}
	return id, err
}

func createBuckets(tx *bbolt.Tx) error {
	names := []string{headerBucket, chunksBucket}
	for _, c := range store.Collections() {
		names = append(names, string(c))
	}
	for _, name := range names {
		if tx.Bucket([]byte(name)) != nil {
			continue
		}
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

func readHeader(tx *bbolt.Tx) (header, error) {
	b := tx.Bucket([]byte(headerBucket)).Get([]byte("header"))
	if b == nil {
		return header{}, nil
	}
	b, err := unseal(headerBucket, "header", b)
	if err != nil {
		return header{}, err
	}
	return parseHeader(b)
}

func (h header) encode() []byte {
	b := binary.LittleEndian.AppendUint32(nil, h.schema)
	b = binary.LittleEndian.AppendUint64(b, h.applied)
	b = binary.LittleEndian.AppendUint64(b, h.chunks)
	if h.logged {
		return append(b, 1)
	}
	return append(b, 0)
}

func parseHeader(b []byte) (header, error) {
	const size = 4 + 8 + 8 + 1
	if len(b) < size { // a newer version may append
		return header{}, damaged("its header has %d bytes", len(b))
	}
	return header{
		schema: binary.LittleEndian.Uint32(b), applied: binary.LittleEndian.Uint64(b[4:]),
		chunks: binary.LittleEndian.Uint64(b[12:]), logged: b[20] != 0,
	}, nil
}

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
