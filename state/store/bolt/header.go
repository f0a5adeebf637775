package bolt

import (
	"encoding/binary"

	"go.etcd.io/bbolt"
)

// header is what store.db knows about itself.
type header struct {
	schema  uint32
	applied uint64 // the last commit that is in store.db
	logged  bool   // commits may stand in store.log: a store without that file is incomplete
	chunks  uint64 // the next free number of a set of pieces
}

// readHeader returns the zero header for a file that is just being made.
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
