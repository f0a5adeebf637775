package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// What bbolt writes: pages of one size, numbers in the order of the machine.
//
//	page    id(8) flags(2) count(2) overflow(4), then elements of 16 bytes, then their keys and values
//	leaf    flags(4) position(4) key size(4) value size(4)      position counts from the element
//	branch  position(4) key size(4) page(8)
//	meta    magic(4) version(4) page size(4) flags(4) root(8) sequence(8) freelist(8) pages(8) transaction(8) checksum(8)
const (
	pageHeader, elementSize = 16, 16
	bucketHeader            = 16
	metaSize                = 64
	metaMagic               = 0xED0CDAED

	branchPage, leafPage, freelistPage = 0x01, 0x02, 0x10
	bucketElement                      = 0x01

	deepest = 40 // levels of a tree; a sound one of that depth would not fit on any disk
)

// checkFile reads a whole store.db and returns an error unless every page is where the tree says,
// every key in order and no page both used and free. Item gets every value and judges its checksum.
// bbolt trusts its pages: on a damaged one it may panic, recurse until memory ends, or leave a document
// out. So this is asked before bbolt sees the file.
func checkFile(path string, item func(bucket string, key, value []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m, err := newestMeta(f, info.Size())
	if err != nil {
		return err
	}
	if m.pages > uint64(info.Size())/uint64(m.pageSize) {
		return damaged("it should have %d pages of %d bytes, but ends after %d bytes", m.pages, m.pageSize, info.Size())
	}
	c := &checker{file: f, meta: m, met: make([]bool, m.pages), item: item}
	if c.met[0], c.met[1] = true, true; m.pages < 4 {
		return damaged("it says it has %d pages", m.pages)
	}
	if err := c.tree("", m.root, 0); err != nil {
		return err
	}
	return c.freelist()
}

// meta is what a meta page says.
type meta struct {
	pageSize                           int
	root, freelist, pages, transaction uint64
}

// newestMeta chooses as bbolt does: of the meta pages whose checksum holds the one written last.
func newestMeta(f io.ReaderAt, size int64) (meta, error) {
	var newest meta
	found := false
	b := make([]byte, pageHeader+metaSize)
	for _, at := range metaOffsets(f) {
		if _, err := f.ReadAt(b, at); err != nil {
			continue
		}
		if m, ok := parseMeta(b[pageHeader:]); ok && (!found || m.transaction > newest.transaction) {
			newest, found = m, true
		}
	}
	if !found {
		return meta{}, damaged("it does not begin as a store does (%d bytes)", size)
	}
	return newest, nil
}

// metaOffsets lists where meta pages may be: page 0, and page 1 at every possible size of a page.
func metaOffsets(f io.ReaderAt) []int64 {
	b := make([]byte, pageHeader+metaSize)
	if _, err := f.ReadAt(b, 0); err == nil {
		if m, ok := parseMeta(b[pageHeader:]); ok {
			return []int64{0, int64(m.pageSize)}
		}
	}
	offsets := []int64{}
	for size := int64(1 << 10); size <= 16<<20; size *= 2 {
		offsets = append(offsets, size)
	}
	return offsets
}

func parseMeta(b []byte) (meta, bool) {
	sum := fnv.New64a()
	_, _ = sum.Write(b[:56]) // never fails
	n := binary.NativeEndian
	m := meta{
		pageSize: int(n.Uint32(b[8:])), root: n.Uint64(b[16:]), freelist: n.Uint64(b[32:]),
		pages: n.Uint64(b[40:]), transaction: n.Uint64(b[48:]),
	}
	ok := n.Uint32(b) == metaMagic && n.Uint64(b[56:]) == sum.Sum64() && m.pageSize >= 1<<10 && m.pageSize <= 16<<20
	return m, ok
}

// checker walks the tree of every bucket.
type checker struct {
	file io.ReaderAt
	meta meta
	met  []bool // pages that belong to something
	item func(bucket string, key, value []byte) error

	levels [][]byte // a buffer for the page of each level
	last   []byte   // the key met last in this bucket
	floor  []byte   // what the branches above promise: no key below it
}

// tree checks the subtree of a bucket under page id; the bucket "" is the root, whose values are buckets.
func (c *checker) tree(bucket string, id uint64, depth int) error {
	if depth > deepest {
		return damaged("the tree of %q has no end", bucket)
	}
	p, err := c.page(id, depth)
	if err != nil {
		return err
	}
	switch flags := pageFlags(p); flags {
	case leafPage:
		err = c.leaf(bucket, p, depth)
	case branchPage:
		err = c.branch(bucket, p, depth)
	default:
		err = damaged("it has the unknown type %#x", flags)
	}
	if err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return nil
}

func pageFlags(p []byte) uint16 { return binary.NativeEndian.Uint16(p[8:]) }
func pageCount(p []byte) int    { return int(binary.NativeEndian.Uint16(p[10:])) }

// page reads a page with its overflow into the buffer of its level and notes that it is used.
func (c *checker) page(id uint64, depth int) ([]byte, error) {
	for len(c.levels) <= depth {
		c.levels = append(c.levels, make([]byte, c.meta.pageSize))
	}
	if id < 2 || id >= c.meta.pages {
		return nil, damaged("page %d does not exist, there are %d", id, c.meta.pages)
	}
	b, at := c.levels[depth][:c.meta.pageSize], int64(id)*int64(c.meta.pageSize)
	if _, err := c.file.ReadAt(b, at); err != nil {
		return nil, err
	}
	own, more := binary.NativeEndian.Uint64(b), uint64(binary.NativeEndian.Uint32(b[12:]))
	if own != id || more >= c.meta.pages-id {
		return nil, damaged("page %d says it is page %d and %d more", id, own, more)
	}
	for i := id; i <= id+more; i++ {
		if c.met[i] {
			return nil, damaged("page %d is used twice", i)
		}
		c.met[i] = true
	}
	if more > 0 {
		size := (int(more) + 1) * c.meta.pageSize
		if cap(b) < size {
			b = make([]byte, size)
		}
		b = b[:size]
		if _, err := c.file.ReadAt(b, at); err != nil {
			return nil, err
		}
		c.levels[depth] = b
	}
	return b, nil
}

// branch checks a branch page and everything under it.
func (c *checker) branch(bucket string, p []byte, depth int) error {
	n := pageCount(p)
	if n == 0 {
		return damaged("it is a branch without children")
	}
	end := pageHeader + n*elementSize
	for i := range n {
		at := pageHeader + i*elementSize
		if at+elementSize > len(p) {
			return damaged("it has no room for %d children", n)
		}
		pos, size := int(binary.NativeEndian.Uint32(p[at:])), int(binary.NativeEndian.Uint32(p[at+4:]))
		if at+pos != end || size == 0 || size > len(p)-end {
			return damaged("child %d is not where it should be", i)
		}
		key := p[end : end+size]
		end += size
		if c.last != nil && bytes.Compare(key, c.last) <= 0 {
			return damaged("child %d is out of order", i)
		}
		c.floor = append(c.floor[:0], key...)
		if err := c.tree(bucket, binary.NativeEndian.Uint64(p[at+8:]), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// leaf checks a leaf page, also one that stands inside a bucket's value.
func (c *checker) leaf(bucket string, p []byte, depth int) error {
	n := pageCount(p)
	if n == 0 && len(bytes.TrimLeft(p[pageHeader:], "\x00")) > 0 {
		return damaged("it says it is empty and is not")
	}
	end := pageHeader + n*elementSize
	for i := range n {
		at := pageHeader + i*elementSize
		if at+elementSize > len(p) {
			return damaged("it has no room for %d documents", n)
		}
		e := binary.NativeEndian
		flags, pos := e.Uint32(p[at:]), int(e.Uint32(p[at+4:]))
		key, value := int(e.Uint32(p[at+8:])), int(e.Uint32(p[at+12:]))
		if at+pos != end || key == 0 || key > len(p)-end || value > len(p)-end-key {
			return damaged("document %d is not where it should be", i)
		}
		k, v := p[end:end+key], p[end+key:end+key+value]
		end += key + value
		if c.last != nil && bytes.Compare(k, c.last) <= 0 || bytes.Compare(k, c.floor) < 0 {
			return damaged("document %d is out of order", i)
		}
		c.last = append(c.last[:0], k...)
		if err := c.element(bucket, flags, k, v, depth); err != nil {
			return err
		}
	}
	return nil
}

// element checks one value: a bucket in the root, a document elsewhere.
func (c *checker) element(bucket string, flags uint32, key, value []byte, depth int) error {
	if bucket != "" {
		if flags != 0 {
			return damaged("%s %q is marked as a bucket", bucket, key)
		}
		return c.item(bucket, key, value)
	}
	if flags != bucketElement || len(value) < bucketHeader {
		return damaged("the bucket %q is none", key)
	}
	name := string(key)
	last, floor := c.last, c.floor
	c.last, c.floor = nil, nil
	defer func() { c.last, c.floor = last, floor }()
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return c.tree(name, root, depth+1)
	}
	inline := value[bucketHeader:]
	if len(inline) < pageHeader || pageFlags(inline) != leafPage ||
		binary.NativeEndian.Uint64(inline) != 0 || binary.NativeEndian.Uint32(inline[12:]) != 0 {
		return damaged("the bucket %q has no page", key)
	}
	return c.leaf(name, inline, depth)
}

// freelist checks that every page is either used or free.
func (c *checker) freelist() error {
	p, err := c.page(c.meta.freelist, 0)
	if err != nil {
		return fmt.Errorf("the list of free pages: %w", err)
	}
	n, ids := uint64(pageCount(p)), p[pageHeader:]
	if n == 0xFFFF {
		n, ids = binary.NativeEndian.Uint64(ids), ids[8:]
	}
	if pageFlags(p) != freelistPage || n > uint64(len(ids)/8) {
		return damaged("the list of free pages is none")
	}
	for i := range n {
		id := binary.NativeEndian.Uint64(ids[8*i:])
		if id < 2 || id >= c.meta.pages || c.met[id] {
			return damaged("page %d is used and free", id)
		}
		c.met[id] = true
	}
	for id, met := range c.met {
		if !met {
			return damaged("page %d is neither used nor free", id)
		}
	}
	return nil
}
