package sqlite

import (
	"encoding/binary"
	"hash/crc32"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// pageBytes is the size of a page of store.db. The last reservedBytes of each are its checksum.
const (
	pageBytes     = 4096
	reservedBytes = 8
)

// pages is the name of a file layer of SQLite (a VFS) that keeps a checksum in every page of a database, as SQLite's own
// cksumvfs does in C. It is a copy of the system's layer: only opening, reading, writing and closing the main
// file pass through the functions below.
//
// It is registered once in a process and stays: SQLite's list of layers may change while another one is opened, but
// a layer that is copied or used must not be taken out of it.
var pages = sync.OnceValue(registerPages) //nolint:gochecknoglobals // a constant that is computed once

// layer is what the functions below find behind the pointer that SQLite hands them.
type layer struct {
	lib.Tsqlite3_vfs
	system uintptr // the layer this one is a copy of
	made   uintptr // "made": an address with made=1 is of a file that may have to be made
}

// methods are those of one open file; system are those it would have without checksums.
type methods struct {
	lib.Tsqlite3_io_methods
	system uintptr
	made   bool
}

// registerPages makes the layer known to SQLite and returns its name there.
func registerPages() string {
	const name = "mneme"
	tls := libc.NewTLS()
	defer tls.Close()
	system := lib.Xsqlite3_vfs_find(tls, 0)
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(layer{})))
	l := at[layer](p)
	l.Tsqlite3_vfs, l.system = *at[lib.Tsqlite3_vfs](system), system
	l.FzName, _ = libc.CString(name)
	l.made, _ = libc.CString("made")
	l.FxOpen = function(openFile)
	lib.Xsqlite3_vfs_register(tls, p, 0)
	return name
}

// openFile opens a file as the system does, and puts the functions below in the way of a database's main file.
func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	type open = func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32
	rc := call[open](at[layer](vfs).system, unsafe.Offsetof(lib.Tsqlite3_vfs{}.FxOpen))(tls, vfs, name, file, flags, out)
	if rc != lib.SQLITE_OK || flags&lib.SQLITE_OPEN_MAIN_DB == 0 {
		return rc
	}
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(methods{})))
	m, f := at[methods](p), at[lib.Tsqlite3_file](file)
	m.Tsqlite3_io_methods, m.system = *at[lib.Tsqlite3_io_methods](f.FpMethods), f.FpMethods
	m.made = lib.Xsqlite3_uri_boolean(tls, name, at[layer](vfs).made, 0) != 0
	m.FxRead, m.FxWrite, m.FxClose = function(readPage), function(writePage), function(closeFile)
	f.FpMethods = p
	return rc
}

func closeFile(tls *libc.TLS, file uintptr) int32 {
	type closing = func(*libc.TLS, uintptr) int32
	f := at[lib.Tsqlite3_file](file)
	own := f.FpMethods
	f.FpMethods = at[methods](own).system
	libc.Xfree(tls, own)
	return call[closing](f.FpMethods, unsafe.Offsetof(lib.Tsqlite3_io_methods{}.FxClose))(tls, file)
}

// readPage reads, and answers with an I/O error when a page is not as it was written. Of a file that is still
// empty it says that its pages will be pageBytes long with room for a checksum: from there SQLite takes it. (VACUUM INTO
// takes both from the database it copies, and no answer.)
// The checksum itself is kept from SQLite, else an old one would stand in the log behind a new page.
func readPage(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
	type read = func(*libc.TLS, uintptr, uintptr, int32, int64) int32
	m := at[methods](at[lib.Tsqlite3_file](file).FpMethods)
	rc := call[read](m.system, unsafe.Offsetof(lib.Tsqlite3_io_methods{}.FxRead))(tls, file, buf, n, offset)
	b := unsafe.Slice(at[byte](buf), int(n))
	switch {
	case m.made && rc == lib.SQLITE_IOERR_SHORT_READ && offset == 0 && n == headerBytes && isZero(b):
		binary.BigEndian.PutUint16(b[16:], pageBytes)
		b[20] = reservedBytes
	case rc == lib.SQLITE_OK && n == pageBytes && !pageIsRight(b, offset):
		return lib.SQLITE_IOERR_DATA
	case n == pageBytes:
		clear(b[pageBytes-reservedBytes:])
	}
	return rc
}

// headerBytes is what SQLite reads of a file first.
const headerBytes = 100

// writePage writes a page with its checksum.
func writePage(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
	type write = func(*libc.TLS, uintptr, uintptr, int32, int64) int32
	if n == pageBytes {
		b := unsafe.Slice(at[byte](buf), pageBytes)
		seal := b[pageBytes-reservedBytes:]
		binary.LittleEndian.PutUint64(seal, sealed|uint64(pageChecksum(b, offset)))
		defer clear(seal)
	}
	return call[write](at[methods](at[lib.Tsqlite3_file](file).FpMethods).system, unsafe.Offsetof(lib.Tsqlite3_io_methods{}.FxWrite))(tls, file, buf, n, offset)
}

// sealed stands above the checksum, so that no page that has one ends in zeros.
const sealed = 0x6d6e656d << 32

// pageIsRight compares a page with its checksum. A page without one was written by another program: sqlite3, when
// it reads a store whose process was killed, moves the log into the file. Then b-trees and values are all there is to
// check, and that the page does not end in a sector that is not there.
func pageIsRight(b []byte, offset int64) bool {
	seal := binary.LittleEndian.Uint64(b[pageBytes-reservedBytes:])
	return seal == sealed|uint64(pageChecksum(b, offset)) || seal == 0 && !endsInNothing(b, offset)
}

// endsInNothing reports whether a page of a b-tree has cells, which stand at its end, and zeros there.
func endsInNothing(b []byte, offset int64) bool {
	const sector = 512
	head := b
	if offset == 0 {
		head = b[headerBytes:]
	}
	tree := head[0] == 2 || head[0] == 5 || head[0] == 10 || head[0] == 13
	return tree && binary.BigEndian.Uint16(head[3:]) > 0 && isZero(b[pageBytes-sector:])
}

// pageChecksum covers where the page stands, so that two pages cannot change places.
func pageChecksum(b []byte, offset int64) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, table, binary.LittleEndian.AppendUint64(nil, uint64(offset)))
	return crc32.Update(sum, table, b[:pageBytes-reservedBytes])
}

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// at returns the T at an address of C.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// function is the address of a declared function, as SQLite calls it.
func function[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// call is the function whose address stands at an offset of a table of C.
func call[F any](table, offset uintptr) F {
	p := *at[uintptr](table + offset)
	return *(*F)(unsafe.Pointer(&p))
}
