package sqlite

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// A mark is the number of an acknowledged commit. It stands outside the database, in store.mark, so that a store
// which lost its newest commits does not look complete: SQLite takes a log that was cut off for one that ends there.
//
// The file has room for many marks, and a commit's number says where its own stands. So processes that write at the
// same time do not put an older one over the newest, and a torn one leaves those of the commits before.
const (
	markSlots = 64
	markBytes = 16
)

// readMark returns the highest number in the file, 0 if there is none.
func readMark(path string) (uint64, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return highestMark(b), err
}

// openMarks opens the file for writing and makes it whole first, so that a full disk cannot keep a mark out.
func openMarks(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if short := markSlots*markBytes - size; err == nil && short > 0 {
		_, err = f.Write(make([]byte, short))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// setMark notes a commit. The disk is not waited for: what the system holds outlives the process, and after a power
// cut the file says less than it could, never more than is there, as the commit was synced before. So nobody is told
// of a mark that could not be written.
func setMark(f *os.File, number uint64) {
	f.WriteAt(encodeMark(number), int64(number%markSlots*markBytes)) //nolint:errcheck // see above
}

// encodeMark is number(8) checksum(4) and four zeros.
func encodeMark(number uint64) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, markBytes), number)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	return append(b, 0, 0, 0, 0)
}

// highestMark ignores what is no mark.
func highestMark(b []byte) (highest uint64) {
	for ; len(b) >= markBytes; b = b[markBytes:] {
		number := binary.LittleEndian.Uint64(b)
		if string(encodeMark(number)) == string(b[:markBytes]) {
			highest = max(highest, number)
		}
	}
	return highest
}
