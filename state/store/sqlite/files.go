package sqlite

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"math/bits"
	"os"
)

// files are those of a folder, read without SQLite.
type files struct {
	path   string // of store.db
	db     *os.File
	log    *os.File        // store.db-wal; nil = none
	newer  map[int64]int64 // by page: where its newest form stands in the log
	pages  int64
	mended map[int64]bool // pages in which one bit was wrong
	stamps [2]fileStamp   // of both when they were opened

	last  int64 // the page read last
	held  []byte
	right bool
}

// openFiles opens the files, and reads which pages the log has newer.
func openFiles(path string) (*files, error) {
	f := &files{path: path, newer: map[int64]int64{}, mended: map[int64]bool{}, stamps: [2]fileStamp{stampOf(path), stampOf(path + "-wal")}}
	f.pages = (f.stamps[0].size + pageBytes - 1) / pageBytes
	var err error
	if f.db, err = os.Open(path); err != nil {
		return nil, err
	}
	if f.log, err = os.Open(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		f.log, err = nil, nil
	}
	if err == nil && f.log != nil {
		err = f.readLog()
	}

	// A file may be longer than what is in use of it.
	if err == nil && len(f.newer) == 0 {
		head, right, readErr := f.page(1)
		if n := int64(binary.BigEndian.Uint32(head[28:])); right && n > 0 {
			f.pages = n
		}
		err = readErr
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

func (f *files) close() error {
	err := f.db.Close()
	if f.log != nil {
		err = errors.Join(err, f.log.Close())
	}
	return err
}

// changed reports whether somebody has written since.
func (f *files) changed() bool {
	return f.stamps != [2]fileStamp{stampOf(f.path), stampOf(f.path + "-wal")}
}

// fileStamp tells whether a file was written since.
type fileStamp struct {
	size int64
	at   int64
}

func stampOf(path string) fileStamp {
	info, err := os.Stat(path)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{info.Size(), info.ModTime().UnixNano()}
}

// Sizes of the log's heads.
const (
	logHead   = 32
	frameHead = 24
)

// readLog finds the pages of whole commits in the log, up to where it ends or is damaged. Each frame's checksum covers all before it.
func (f *files) readLog() error {
	head := make([]byte, logHead)
	if _, err := f.log.ReadAt(head, 0); err != nil {
		return ignoreEnd(err)
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if head[3]&1 != 0 {
		order = binary.BigEndian
	}
	sum := logSum{order: order}
	if sum.add(head[:24]); !sum.is(head[24:]) {
		return nil
	}

	frame, pending := make([]byte, frameHead+pageBytes), map[int64]int64{}
	for at := int64(logHead); ; at += int64(len(frame)) {
		if _, err := f.log.ReadAt(frame, at); err != nil {
			return ignoreEnd(err)
		}
		sum.add(frame[:8])
		if sum.add(frame[frameHead:]); !sum.is(frame[16:24]) || string(frame[8:16]) != string(head[16:24]) {
			return nil
		}
		pending[int64(binary.BigEndian.Uint32(frame))] = at + frameHead

		// The last frame of a commit has the number of pages behind it.
		if pages := int64(binary.BigEndian.Uint32(frame[4:])); pages > 0 {
			for page, at := range pending {
				f.newer[page] = at
			}
			clear(pending)
			f.pages = pages
		}
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// logSum is the checksum of SQLite's log.
type logSum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (s *logSum) add(p []byte) {
	for ; len(p) >= 8; p = p[8:] {
		s.a += s.order.Uint32(p) + s.b
		s.b += s.order.Uint32(p[4:]) + s.a
	}
}

func (s *logSum) is(b []byte) bool {
	return binary.BigEndian.Uint32(b) == s.a && binary.BigEndian.Uint32(b[4:]) == s.b
}

// page returns the newest form of a page, and whether it is as it was written. It stands until the next call.
func (f *files) page(n int64) (b []byte, right bool, err error) {
	if n == f.last {
		return f.held, f.right, nil
	}
	b = make([]byte, pageBytes)
	if at, ok := f.newer[n]; ok {
		_, err = f.log.ReadAt(b, at)
		right = true
	} else {
		_, err = f.db.ReadAt(b, (n-1)*pageBytes)
		right = f.mend(n, b)
	}
	if err = ignoreEnd(err); err == nil {
		f.last, f.held, f.right = n, b, right
	}
	return b, right, err
}

// mend reports whether a page of store.db is as it was written, or is now. A page of zeros was never written.
func (f *files) mend(n int64, b []byte) bool {
	offset := (n - 1) * pageBytes
	switch {
	case isZero(b):
		return false
	case pageIsRight(b, offset):
		return true
	case !mendBit(b, offset):
		return false
	}
	f.mended[n] = true
	return true
}

// mendBit turns the one bit back without which a page is what its checksum says, if there is one. Of a page that is damaged otherwise
// one in a hundred thousand looks so; what is in it has checksums of its own.
func mendBit(b []byte, offset int64) bool {
	seal := binary.LittleEndian.Uint64(b[pageBytes-reservedBytes:])
	differs := seal ^ (sealed | uint64(pageChecksum(b, offset)))
	if bits.OnesCount64(differs) == 1 { // the checksum itself
		return true
	}
	if differs>>32 != 0 {
		return false
	}

	// A wrong bit changes the checksum always in the same way, which depends only on how many bytes follow it.
	table := crc32.MakeTable(crc32.Castagnoli)
	var effect [8]uint32
	for bit := range effect {
		effect[bit] = table[1<<bit]
	}
	for i := pageBytes - reservedBytes - 1; i >= 0; i-- {
		for bit, e := range effect {
			if e == uint32(differs) {
				b[i] ^= 1 << bit
				return true
			}
			effect[bit] = table[e&0xFF] ^ e>>8
		}
	}
	return false
}
