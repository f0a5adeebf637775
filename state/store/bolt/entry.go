package bolt

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/mneme-graph/mneme/state"
)

// What store.log holds: a header, then one entry per commit, in order.
//
//	header  "mnemelog" version(4) first commit(8) checksum of these(4)
//	entry   0xA7 length(4) commit(8) checksum of the changes(4) checksum of these(4) 0x7A, then the changes
//	change  collection id revision(uvarint, 0 = deleted) body      texts and bodies with their length (uvarint)
//
// The bytes of the changes are stored XORed with a mask. Together with the marks around the head of an
// entry that makes sure that no entry has a sector of zeros: one that is met was never written to.
const (
	logMagic      = "mnemelog"
	logVersion    = 1
	logHeaderSize = len(logMagic) + 4 + 8 + 4
	entryHeadSize = 1 + 4 + 8 + 4 + 4 + 1
	entryBegin    = 0xA7
	entryEnd      = 0x7A
	logMask       = 0xA5
	sector        = 512 // the least a disk writes
)

// change is one document as a commit leaves it.
type change struct {
	collection state.Collection
	id         string
	entry
}

// commit is one entry of the log.
type commit struct {
	number  uint64
	changes []change
}

// logContent is a log as read back.
type logContent struct {
	first   uint64 // number of the first commit after the last time store.db was written
	commits []commit
	size    int64 // up to the end of the last whole commit; what follows was never acknowledged
}

func encodeLogHeader(first uint64) []byte {
	b := append([]byte(nil), logMagic...)
	b = binary.LittleEndian.AppendUint32(b, logVersion)
	b = binary.LittleEndian.AppendUint64(b, first)
	return binary.LittleEndian.AppendUint32(b, logSum(b))
}

// encodeCommit returns the entry of a commit.
func encodeCommit(c commit) []byte {
	b := make([]byte, entryHeadSize, entryHeadSize+sizeOf(c.changes))
	for _, ch := range c.changes {
		b = appendText(b, []byte(ch.collection))
		b = appendText(b, []byte(ch.id))
		b = binary.AppendUvarint(b, uint64(ch.rev))
		b = appendText(b, ch.body)
	}
	mask(b[entryHeadSize:])
	b[0], b[entryHeadSize-1] = entryBegin, entryEnd
	binary.LittleEndian.PutUint32(b[1:], uint32(len(b)-entryHeadSize))
	binary.LittleEndian.PutUint64(b[5:], c.number)
	binary.LittleEndian.PutUint32(b[13:], logSum(b[entryHeadSize:]))
	binary.LittleEndian.PutUint32(b[17:], logSum(b[:17]))
	return b
}

// sizeOf is about how many bytes the changes take in the log.
func sizeOf(changes []change) (n int) {
	for _, ch := range changes {
		n += len(ch.collection) + len(ch.id) + len(ch.body) + 4*binary.MaxVarintLen32
	}
	return n
}

func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func mask(b []byte) {
	for i := range b {
		b[i] ^= logMask
	}
}

func logSum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// parseLog reads a log. It changes b, and the commits share its memory. An entry at the end that was not
// written completely, as a crash leaves it, is left out: nobody was told that it was kept. Anything else
// that does not fit is damage. A log shorter than its header gives errNoLog.
func parseLog(b []byte) (logContent, error) {
	if len(b) < logHeaderSize || isUnwritten(b[:logHeaderSize], 0) {
		return logContent{}, errNoLog
	}
	head, n := b[:logHeaderSize], len(logMagic)
	if string(head[:n]) != logMagic || binary.LittleEndian.Uint32(head[n+12:]) != logSum(head[:n+12]) {
		return logContent{}, damaged("it does not begin as a log does")
	}
	if v := binary.LittleEndian.Uint32(head[n:]); v > logVersion {
		return logContent{}, state.Errorf(state.Invalid, "open store",
			"its log was written by a newer version: %d, this program reads up to %d; update the program", v, logVersion)
	}
	c := logContent{first: binary.LittleEndian.Uint64(head[n+4:]), size: int64(logHeaderSize)}
	for int(c.size) < len(b) {
		next, size, err := parseCommit(b, int(c.size))
		if err != nil || size == 0 {
			return c, err
		}
		if k := len(c.commits); k > 0 && next.number <= c.commits[k-1].number {
			return c, damaged("commit %d follows commit %d", next.number, c.commits[k-1].number)
		}
		c.commits = append(c.commits, next)
		c.size += int64(size)
	}
	return c, nil
}

// errNoLog says that a log has no header yet.
var errNoLog = damaged("it has no header")

// parseCommit reads the entry at b[at:] and returns its size, 0 if its writing was cut off.
func parseCommit(b []byte, at int) (commit, int, error) {
	rest := b[at:]
	if len(rest) < entryHeadSize {
		return commit{}, 0, nil
	}
	head := rest[:entryHeadSize]
	if head[0] != entryBegin || head[entryHeadSize-1] != entryEnd || binary.LittleEndian.Uint32(head[17:]) != logSum(head[:17]) {
		if isUnwritten(head, at) {
			return commit{}, 0, nil
		}
		return commit{}, 0, damaged("the entry at byte %d is damaged", at)
	}
	size := entryHeadSize + int(binary.LittleEndian.Uint32(head[1:]))
	if len(rest) < size {
		return commit{}, 0, nil
	}
	payload := rest[entryHeadSize:size]
	if binary.LittleEndian.Uint32(head[13:]) != logSum(payload) {
		if isUnwritten(rest[:size], at) && isZero(rest[size:]) {
			return commit{}, 0, nil
		}
		return commit{}, 0, damaged("the changes at byte %d are damaged", at)
	}
	mask(payload)
	changes, ok := parseChanges(payload)
	if !ok {
		return commit{}, 0, damaged("the changes at byte %d make no sense", at)
	}
	return commit{binary.LittleEndian.Uint64(head[5:]), changes}, size, nil
}

// isUnwritten reports whether a sector's part of b, which stands at offset at of its file, is all zeros.
func isUnwritten(b []byte, at int) bool {
	for len(b) > 0 {
		n := min(len(b), sector-at%sector)
		if isZero(b[:n]) {
			return true
		}
		b, at = b[n:], at+n
	}
	return false
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

func parseChanges(b []byte) ([]change, bool) {
	var changes []change
	for r := (reader{b: b}); len(r.b) > 0; {
		var ch change
		ch.collection = state.Collection(r.bytes(int(r.uvarint())))
		ch.id = string(r.bytes(int(r.uvarint())))
		ch.rev = int64(r.uvarint())
		ch.body = r.bytes(int(r.uvarint()))
		if r.short || ch.id == "" || ch.rev < 0 || (ch.rev == 0) != (len(ch.body) == 0) {
			return nil, false
		}
		changes = append(changes, ch)
	}
	return changes, true
}
