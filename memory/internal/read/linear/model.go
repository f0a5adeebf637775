package linear

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
)

// Signs are what is seen of a text, by hash, in any order; what is there twice stands twice.
type Signs []uint32

// bits of a hash: of a hundred signs that a model has not learnt one has the hash of another, and the file needs a byte for the way from one to the next.
const bits = 24

// Add takes up a sign: its kind and what it consists of (FNV-1a, folded).
func (s *Signs) Add(kind byte, parts ...string) {
	const prime = 16777619
	h := (uint32(2166136261) ^ uint32(kind)) * prime
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint32(p[i])) * prime
		}
		h = (h ^ ' ') * prime
	}
	*s = append(*s, (h>>bits^h)&(1<<bits-1))
}

// counted sorts the signs and tells of each how often it is there, and how many different ones there are.
func (s Signs) counted(take func(sign uint32, n, distinct int)) {
	slices.Sort(s)
	distinct := 0
	for i := range s {
		if i == 0 || s[i] != s[i-1] {
			distinct++
		}
	}
	for i := 0; i < len(s); {
		n := 1
		for i+n < len(s) && s[i+n] == s[i] {
			n++
		}
		take(s[i], n, distinct)
		i += n
	}
}

// Weight is how much a sign counts that is there n times among so many different ones.
type Weight func(n, distinct int) float64

// Counted returns the weight of the signs of whole texts: a sign several times says less than several signs, and a long text as much as a short one.
func Counted(n, distinct int) float64 {
	return (1 + math.Log(float64(n))) / math.Sqrt(float64(distinct))
}

// Plain returns the weight of signs of which every text has about as many.
func Plain(n, _ int) float64 { return plain * float64(n) }

const plain = .2

// Model adds up what each sign says of each outcome. Signs that it does not know say nothing.
type Model struct {
	scale float64   // of the rows
	bias  []float64 // by outcome
	known []uint32  // signs, ascending
	rows  []int8    // by sign, then by outcome
	at    []int32   // where in known a sign is, plus one, at the place of its hash or behind it; 0 = nowhere. Its size is a power of two
	first []uint32  // at the same places the signs with their first weights in the last eight bits: one look into memory tells both
}

// index fills in where the signs are.
func (m *Model) index() *Model {
	size := 1
	for size < 2*len(m.known) {
		size *= 2
	}
	m.at, m.first = make([]int32, size), make([]uint32, size)
	for i, h := range m.known {
		place := h & uint32(size-1)
		for m.at[place] != 0 {
			place = (place + 1) & uint32(size-1)
		}
		m.at[place], m.first[place] = int32(i+1), h<<8|uint32(uint8(m.rows[i*len(m.bias)]))
	}
	return m
}

// row returns where the row of a sign is, or -1.
func (m *Model) row(sign uint32) int {
	mask := uint32(len(m.at) - 1)
	for place := sign & mask; ; place = (place + 1) & mask {
		switch i := int(m.at[place]) - 1; {
		case i < 0:
			return -1
		case m.known[i] == sign:
			return i
		}
	}
}

// Sum returns the score of each outcome. It sorts the signs.
func (m *Model) Sum(s Signs, weigh Weight) []float64 {
	out := make([]float64, len(m.bias))
	s.counted(func(sign uint32, n, distinct int) {
		at := m.row(sign)
		if at < 0 {
			return
		}
		value := weigh(n, distinct) * m.scale
		for k, w := range m.rows[at*len(out):][:len(out)] {
			out[k] += value * float64(w)
		}
	})
	for k, b := range m.bias {
		out[k] += b
	}
	return out
}

// Score returns the first outcome's, of signs that have the weight Plain. It leaves them as they are.
func (m *Model) Score(s Signs) float64 {
	sum, mask := 0, uint32(len(m.first)-1)
	for _, sign := range s {
		for place := sign & mask; m.first[place] != 0; place = (place + 1) & mask {
			if m.first[place]>>8 == sign {
				sum += int(int8(m.first[place]))
				break
			}
		}
	}
	return m.bias[0] + plain*m.scale*float64(sum)
}

// Known returns how many signs the model knows.
func (m *Model) Known() int { return len(m.known) }

// Softmax makes shares of the scores of outcomes of which one is right.
func Softmax(p []float64) {
	most, all := slices.Max(p), 0.
	for k, x := range p {
		p[k] = math.Exp(x - most)
		all += p[k]
	}
	for k := range p {
		p[k] /= all
	}
}

// Logistic makes a likelihood of each score by itself.
func Logistic(p []float64) {
	for k, x := range p {
		p[k] = 1 / (1 + math.Exp(-x))
	}
}

// errModel is a file that is none.
var errModel = errors.New("is no linear model: fit it again")

// Write writes the model: how many outcomes and signs, scale and biases, the steps from sign to sign, the rows; deflated.
func (m *Model) Write(to io.Writer) error {
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(m.bias)))
	b = binary.AppendUvarint(b, uint64(len(m.known)))
	for _, x := range append([]float64{m.scale}, m.bias...) {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	last := uint32(0)
	for _, h := range m.known {
		b = binary.AppendUvarint(b, uint64(h-last))
		last = h
	}
	for _, w := range m.rows {
		b = append(b, byte(w))
	}
	out, err := flate.NewWriter(to, flate.BestCompression)
	if err == nil {
		_, err = out.Write(b)
	}
	if err == nil {
		err = out.Close()
	}
	return err
}

// Read reads what Write has written.
func Read(raw []byte) (*Model, error) {
	const most = 64 // outcomes
	all, err := io.ReadAll(flate.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return nil, errors.Join(errModel, err)
	}
	in := bytes.NewReader(all)
	outcomes, err := binary.ReadUvarint(in)
	known, err2 := binary.ReadUvarint(in)
	if err != nil || err2 != nil || outcomes == 0 || outcomes > most || known > uint64(len(all)) {
		return nil, errModel
	}
	m := &Model{bias: make([]float64, outcomes), known: make([]uint32, known), rows: make([]int8, outcomes*known)}
	if binary.Read(in, binary.LittleEndian, &m.scale) != nil || binary.Read(in, binary.LittleEndian, m.bias) != nil {
		return nil, errModel
	}
	last := uint32(0)
	for i := range m.known {
		step, err := binary.ReadUvarint(in)
		if err != nil {
			return nil, errModel
		}
		last += uint32(step)
		m.known[i] = last
	}
	if binary.Read(in, binary.LittleEndian, m.rows) != nil || in.Len() > 0 {
		return nil, errModel
	}
	return m.index(), nil
}

// MustRead reads a model that is part of the program; it panics if there is none.
func MustRead(from fs.FS, name string) *Model {
	raw, err := fs.ReadFile(from, name)
	if err == nil {
		var m *Model
		if m, err = Read(raw); err == nil {
			return m
		}
	}
	panic(name + ": " + err.Error())
}
