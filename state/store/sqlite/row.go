package sqlite

import (
	"encoding/binary"
	"errors"
	"slices"
)

// This file reads rows as SQLite's file format has them.

// slots returns where the cells of a page of a tree begin, as far as that can be.
func slots(b []byte) (at []int) {
	first := 8
	if b[0] == branchPage {
		first = 12
	}
	n := min(int(binary.BigEndian.Uint16(b[3:])), (pageBytes-reservedBytes-first)/2)
	for i := range n {
		if p := int(binary.BigEndian.Uint16(b[first+2*i:])); p >= first && p < pageBytes-reservedBytes {
			at = append(at, p)
		}
	}
	return at
}

// row is a document as it stands in a page.
type row struct {
	id    string
	rev   int64
	value []byte  // nil once the page is let go
	page  int64   // where it stands
	at    int     // in the page
	chain []int64 // pages with the rest of it
}

var errRow = errors.New("a row is not as it was written")

// rowAt reads a row where it was found.
func (f *files) rowAt(page int64, at int) (row, error) {
	b, _, err := f.page(page)
	if err != nil {
		return row{}, err
	}
	return f.rowIn(page, b, at)
}

// rowIn reads the row of a page that begins at a byte. Of one that is damaged it gives what there is.
func (f *files) rowIn(page int64, b []byte, at int) (row, error) {
	r := row{page: page, at: at}
	if b[0] == branchPage {
		at += 4
	}
	payload, chain, err := f.payload(b, at)
	r.chain = chain
	if len(payload) == 0 {
		return r, errors.Join(err, errRow)
	}

	// A record is the kinds of its columns and then their values: id, revision, body.
	size, n := uvarint(payload)
	if n == 0 || size < uint64(n) || size > uint64(len(payload)) {
		return r, errors.Join(err, errRow)
	}
	kinds, rest := payload[n:size], payload[size:]
	for column := 0; column < 3 && len(kinds) > 0; column++ {
		kind, n := uvarint(kinds)
		length := columnLength(kind)
		if n == 0 || length > uint64(len(rest)) {
			return r, errors.Join(err, errRow)
		}
		switch value := rest[:length]; column {
		case 0:
			r.id = string(value)
		case 1:
			r.rev = columnInteger(kind, value)
		case 2:
			r.value = value
		}
		kinds, rest = kinds[n:], rest[length:]
	}
	return r, err
}

// payload returns the content of a cell, together with what of it stands in other pages.
func (f *files) payload(b []byte, at int) (content []byte, chain []int64, err error) {
	const usable = pageBytes - reservedBytes
	const most, least = (usable-12)*64/255 - 23, (usable-12)*32/255 - 23
	if at >= usable {
		return nil, nil, errRow
	}
	size, n := uvarint(b[at:usable])
	if n == 0 || size > maxDocBytes+pageBytes {
		return nil, nil, errRow
	}

	// What is longer than most goes on in a chain of pages.
	local := int(size)
	if size > most {
		if local = least + (int(size)-least)%(usable-4); local > most {
			local = least
		}
	}
	if at += n; at+local > usable || size > most && at+local+4 > usable {
		return nil, nil, errRow
	}
	content = slices.Clone(b[at : at+local])
	if size <= most {
		return content, nil, nil
	}
	for next := int64(binary.BigEndian.Uint32(b[at+local:])); len(content) < int(size); {
		if next < 2 || next > f.pages || len(chain) > int(size)/(usable-4)+1 {
			return content, chain, errRow
		}
		page, _, err := f.page(next)
		if err != nil {
			return content, chain, err
		}
		chain = append(chain, next)
		content = append(content, page[4:4+min(usable-4, int(size)-len(content))]...)
		next = int64(binary.BigEndian.Uint32(page))
	}
	return content, chain, nil
}

// commitsIn returns the number in the only row of a table, 0 if it cannot be read.
func commitsIn(b []byte) int64 {
	at := int(binary.BigEndian.Uint16(b[8:]))
	if binary.BigEndian.Uint16(b[3:]) != 1 || at >= pageBytes-reservedBytes {
		return 0
	}
	record := append(slices.Clone(b[at:]), make([]byte, 32)...) // what is damaged may say that it is longer
	for range 2 {                                               // its size and its number
		_, n := uvarint(record)
		record = record[n:]
	}
	kind := uint64(record[1])
	if record[0] != 2 || columnLength(kind) > 8 {
		return 0
	}
	return columnInteger(kind, record[2:2+columnLength(kind)])
}

// columnLength returns how many bytes the value of a column has.
func columnLength(kind uint64) uint64 {
	switch {
	case kind >= 12:
		return (kind - 12) / 2
	case kind == 8 || kind == 9 || kind == 0:
		return 0
	case kind <= 4:
		return kind
	case kind == 5:
		return 6
	}
	return 8
}

// columnInteger returns the number in a column.
func columnInteger(kind uint64, b []byte) (n int64) {
	if kind == 9 {
		return 1
	}
	for i, x := range b {
		if i == 0 && x >= 0x80 {
			n = -1
		}
		n = n<<8 | int64(x)
	}
	return n
}

// uvarint returns a number as SQLite writes it, and how many bytes it takes; 0 bytes if there is none.
func uvarint(b []byte) (x uint64, n int) {
	for n < 8 && n < len(b) {
		x = x<<7 | uint64(b[n]&0x7F)
		if n++; b[n-1] < 0x80 {
			return x, n
		}
	}
	if n == 8 && len(b) > 8 {
		return x<<8 | uint64(b[8]), 9
	}
	return 0, 0
}
