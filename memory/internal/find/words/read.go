package words

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Read makes an index of a snapshot. It answers bit for bit as the one that was written. What is damaged is
// state.ErrInternal, what another format or another analyzer of texts has written is state.ErrInvalid: either way the index is to be
// built anew from the documents.
func Read(r io.Reader) (*Index, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	const sum = 4
	if len(b) < len(magic)+sum || !bytes.HasPrefix(b, []byte(magic)) {
		return nil, damaged("it is not one, or cut short")
	}
	body := b[:len(b)-sum]
	d := decoder{buf: body[len(magic):]}
	if f, v := d.number(), d.number(); !d.bad && (f != format || v != text.Version) {
		return nil, state.Errorf(state.Invalid, "word snapshot", "has format %d and analyzer %d, here they are %d and %d; build the index anew", f, v, format, text.Version)
	}
	if checksum(body) != binary.LittleEndian.Uint32(b[len(body):]) {
		return nil, damaged("the checksum differs")
	}
	x := New()
	d.into(x.t)
	if d.bad || len(d.buf) > 0 {
		return nil, damaged("its parts do not fit together")
	}
	return x, nil
}

func damaged(how string) error {
	return state.Errorf(state.Internal, "word snapshot", "is damaged (%s); build the index anew", how)
}

// decoder reads the parts of a snapshot. After the first that does not fit it is bad and reads zeros.
type decoder struct {
	buf   []byte
	bad   bool
	words []string
	seen  []string
}

func (d *decoder) fail() uint64 {
	d.bad, d.buf = true, nil
	return 0
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.buf)
	if size <= 0 {
		return d.fail()
	}
	d.buf = d.buf[size:]
	return n
}

// small reads a number below a bound.
func (d *decoder) small(below uint64) uint64 {
	n := d.number()
	if n >= below {
		return d.fail()
	}
	return n
}

// count reads how many parts follow, of at least size bytes each.
func (d *decoder) count(size int) int { return int(d.small(uint64(len(d.buf)/size) + 1)) }

func (d *decoder) string() string {
	n := d.count(1)
	if n > len(d.buf) {
		d.fail()
		return ""
	}
	s := string(d.buf[:n])
	d.buf = d.buf[n:]
	return s
}

func (d *decoder) shared() string {
	if n := d.small(uint64(len(d.seen)) + 1); n > 0 {
		return d.seen[n-1]
	}
	s := d.string()
	d.seen = append(d.seen, s)
	return s
}

// into inserts the documents.
func (d *decoder) into(t *tables) {
	d.words = make([]string, d.count(1))
	for i := range d.words {
		d.words[i] = d.string()
	}
	for n := d.count(1); n > 0 && !d.bad; n-- {
		doc, a := d.doc(), d.analysis()
		if _, twice := t.slots[doc.ID]; twice || d.bad {
			d.fail()
			return
		}
		t.insert(doc, a)
	}
}

func (d *decoder) doc() Doc {
	x := Doc{ID: d.string(), Speaker: d.shared(), Role: state.Role(d.shared()), Group: d.shared(), Affair: d.shared(), Project: d.shared(), Agent: d.shared(), Kind: d.shared()}
	var at time.Time
	if s := d.string(); !d.bad && at.UnmarshalBinary([]byte(s)) != nil {
		d.fail()
	}
	x.At = at
	order, size := binary.Varint(d.buf)
	if size <= 0 {
		d.fail()
		return x
	}
	d.buf = d.buf[size:]
	x.Order, x.Weight = order, math.Float64frombits(d.number())
	return x
}

func (d *decoder) analysis() analysis {
	a := analysis{traits: d.traits()}
	const termBytes = 5
	a.terms = make([]counted, d.count(termBytes))
	for i := range a.terms {
		word := d.word()
		if len(d.buf) < termBytes-1 {
			d.fail()
			return a
		}
		a.terms[i] = counted{word, counts{d.buf[0], d.buf[1], d.buf[2], d.buf[3]}}
		d.buf = d.buf[termBytes-1:]
	}
	spans := d.count(2)
	if spans == 0 {
		return a
	}
	a.passages = make([]span, spans)
	for i := range a.passages {
		a.passages[i] = span{uint32(d.small(math.MaxUint32)), uint32(d.small(math.MaxUint32))}
	}
	a.seq = make([]string, d.count(1))
	for i := range a.seq {
		a.seq[i] = d.word()
	}
	for _, p := range a.passages {
		if p.from > p.to || int(p.to) > len(a.seq) {
			d.fail()
		}
	}
	return a
}

func (d *decoder) word() string {
	n := d.number()
	if n >= uint64(len(d.words)) {
		d.fail()
		return ""
	}
	return d.words[n]
}

func (d *decoder) traits() traits {
	const lengths, bytes, shorts, flags = 1 << 32, 1 << 8, 1 << 16, 1 << 4
	t := traits{
		textLen: uint32(d.small(lengths)), leadLen: uint32(d.small(lengths)), whoLen: uint8(d.small(bytes)), whenLen: uint8(d.small(bytes)),
		questions: uint16(d.small(shorts)), sentences: uint16(d.small(shorts)), distinct: uint16(d.small(shorts)),
	}
	f := d.small(flags)
	t.number, t.timed, t.instruction, t.preference = f&1 > 0, f&2 > 0, f&4 > 0, f&8 > 0
	return t
}
