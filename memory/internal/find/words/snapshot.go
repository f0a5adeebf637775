package words

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// A snapshot is: magic, format and text.Version as uvarints, the words, the documents in order of arrival, and the CRC-32C of
// all before as four bytes. Numbers are uvarints, strings are their length and their bytes. Posting lists and statistics
// are not in it: reading makes them anew, as Put would. Snapshots are kept: whoever changes what is learnt from a document
// changes format, so that those of before are not read, and whoever changes how texts are read changes text.Version.
const (
	magic  = "mneme words\n"
	format = 1
)

// WriteTo writes a snapshot of the index as it is now. It is encoded in RAM first, so that a slow writer holds up
// neither Put nor Search.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	x.mu.RLock()
	b := encode(x.t)
	x.mu.RUnlock()
	n, err := w.Write(b)
	return int64(n), err
}

func encode(t *tables) []byte {
	e := encoder{buf: make([]byte, 0, 64+len(t.slots)*200), seen: make(map[string]uint64)}
	e.buf = append(e.buf, magic...)
	e.number(format)
	e.number(text.Version)
	used := t.inUse()
	e.number(uint64(len(used)))
	number := make([]uint64, len(t.lists)) // list -> its number in the snapshot
	for i, n := range used {
		number[n] = uint64(i)
		e.string(t.lists[n].word)
	}
	e.number(uint64(len(t.slots)))
	for slot := range t.entries {
		if t.cells[slot].live {
			e.entry(&t.entries[slot], number)
		}
	}
	return binary.LittleEndian.AppendUint32(e.buf, checksum(e.buf))
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// inUse lists the lists that living documents are in.
func (t *tables) inUse() []uint32 {
	var out []uint32
	for n := range t.lists {
		if t.lists[n].ownDF > 0 {
			out = append(out, uint32(n))
		}
	}
	return out
}

// encoder writes the parts of a snapshot.
type encoder struct {
	buf  []byte
	seen map[string]uint64 // shared strings -> number, from 1
}

func (e *encoder) number(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }

func (e *encoder) string(s string) {
	e.number(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// shared writes a string that other documents have too: 0 and the string the first time, then its number.
func (e *encoder) shared(s string) {
	n, ok := e.seen[s]
	e.number(n)
	if !ok {
		e.seen[s] = uint64(len(e.seen)) + 1
		e.string(s)
	}
}

// entry writes a document and what was learnt from it.
func (e *encoder) entry(x *entry, number []uint64) {
	d := &x.doc
	e.string(d.ID)
	for _, s := range []string{d.Speaker, string(d.Role), d.Group, d.Affair, d.Project, d.Agent, d.Kind} {
		e.shared(s)
	}
	at, err := d.At.MarshalBinary()
	if err != nil { // a zone that is off by fractions of a minute
		at, _ = d.At.UTC().MarshalBinary()
	}
	e.string(string(at))
	e.buf = binary.AppendVarint(e.buf, d.Order)
	e.number(math.Float64bits(d.Weight))
	e.traits(&x.traits)
	e.number(uint64(len(x.terms)))
	for _, t := range x.terms {
		e.number(number[t.list])
		e.buf = append(e.buf, t.text, t.lead, t.who, t.when)
	}
	if x.long == nil {
		e.number(0)
		return
	}
	e.number(uint64(len(x.long.spans)))
	for _, s := range x.long.spans {
		e.number(uint64(s.from))
		e.number(uint64(s.to))
	}
	e.number(uint64(len(x.long.seq)))
	for _, n := range x.long.seq {
		e.number(number[n])
	}
}

func (e *encoder) traits(t *traits) {
	for _, n := range []uint64{uint64(t.textLen), uint64(t.leadLen), uint64(t.whoLen), uint64(t.whenLen), uint64(t.questions), uint64(t.sentences), uint64(t.distinct)} {
		e.number(n)
	}
	flags := uint64(0)
	for i, on := range []bool{t.number, t.timed, t.instruction, t.preference} {
		if on {
			flags |= 1 << i
		}
	}
	e.number(flags)
}
