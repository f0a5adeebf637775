package static

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// table is the vectors of a model, one a row, as they are in the file.
type table struct {
	kind      string
	rows, dim int
	raw       []byte
}

// newTable checks a tensor and takes its bytes.
func newTable(x tensor, raw []byte) (*table, error) {
	switch {
	case len(x.shape) != 2 || x.shape[0] < 1 || x.shape[1] < 1 || x.shape[1] > 32768:
		return nil, fmt.Errorf("has the shape %v instead of [tokens, dimensions]", x.shape)
	case x.kind != "F32" && x.kind != "F16" && x.kind != "BF16" && x.kind != "I8":
		return nil, fmt.Errorf("is of %s; F32, F16, BF16 and I8 can be read", x.kind)
	}
	t := &table{kind: x.kind, rows: x.shape[0], dim: x.shape[1], raw: raw}
	if row := t.broken(); row >= 0 {
		return nil, fmt.Errorf("holds NaN or infinity in row %d", row)
	}
	return t, nil
}

// broken returns the first row that holds NaN or infinity, which have an exponent of ones; -1 if there is none.
func (t *table) broken() int {
	le := binary.LittleEndian
	switch t.kind {
	case "F32":
		for i := 0; i+4 <= len(t.raw); i += 4 {
			if le.Uint32(t.raw[i:])&0x7f800000 == 0x7f800000 {
				return i / 4 / t.dim
			}
		}
	case "F16", "BF16":
		mask := uint16(0x7c00)
		if t.kind == "BF16" {
			mask = 0x7f80
		}
		for i := 0; i+2 <= len(t.raw); i += 2 {
			if le.Uint16(t.raw[i:])&mask == mask {
				return i / 2 / t.dim
			}
		}
	}
	return -1
}

// add adds weight times a row to sum, which has dim numbers.
func (t *table) add(sum []float64, row int, weight float64) {
	le := binary.LittleEndian
	sum = sum[:t.dim]
	switch t.kind {
	case "F32":
		raw := t.raw[4*t.dim*row:][:4*t.dim]
		for i := range sum {
			sum[i] += weight * float64(math.Float32frombits(le.Uint32(raw[4*i:])))
		}
	case "F16":
		raw := t.raw[2*t.dim*row:][:2*t.dim]
		for i := range sum {
			sum[i] += weight * float64(half(le.Uint16(raw[2*i:])))
		}
	case "BF16":
		raw := t.raw[2*t.dim*row:][:2*t.dim]
		for i := range sum {
			sum[i] += weight * float64(math.Float32frombits(uint32(le.Uint16(raw[2*i:]))<<16))
		}
	case "I8":
		raw := t.raw[t.dim*row:][:t.dim]
		for i := range sum {
			sum[i] += weight * float64(int8(raw[i]))
		}
	}
}

// half widens an IEEE 754 binary16 that is finite. The exponent is moved by multiplying, which brings subnormal numbers
// along.
func half(h uint16) float32 {
	const scale = 1 << 112 // the distance between the biases, 127 and 15
	f := math.Float32frombits(uint32(h&0x7fff)<<13) * scale
	return math.Float32frombits(math.Float32bits(f) | uint32(h&0x8000)<<16)
}

// integers reads a one-dimensional tensor of ids.
func integers(x tensor, raw []byte) ([]int32, error) {
	if len(x.shape) != 1 || x.kind != "I64" && x.kind != "I32" {
		return nil, fmt.Errorf("is of %s and shape %v instead of I64 or I32 and [tokens]", x.kind, x.shape)
	}
	out := make([]int32, x.shape[0])
	for i := range out {
		var v int64
		if x.kind == "I64" {
			v = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		} else {
			v = int64(int32(binary.LittleEndian.Uint32(raw[4*i:])))
		}
		if v < 0 || v > math.MaxInt32 {
			return nil, fmt.Errorf("leads token %d to row %d", i, v)
		}
		out[i] = int32(v)
	}
	return out, nil
}

// numbers reads a one-dimensional tensor of weights.
func numbers(x tensor, raw []byte) ([]float32, error) {
	if len(x.shape) != 1 {
		return nil, fmt.Errorf("has the shape %v instead of [tokens]", x.shape)
	}

	// Each type of number is read as its own; none may be NaN or infinite, since it would spread to every vector.
	out := make([]float32, x.shape[0])
	for i := range out {
		switch x.kind {
		case "F64":
			out[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])))
		case "F32":
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		case "F16":
			h := binary.LittleEndian.Uint16(raw[2*i:])
			if h&0x7c00 == 0x7c00 {
				return nil, errors.New("holds NaN or infinity")
			}
			out[i] = half(h)
		case "BF16":
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
		default:
			return nil, fmt.Errorf("is of %s; F64, F32, F16 and BF16 can be read", x.kind)
		}
		if f := float64(out[i]); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, errors.New("holds NaN or infinity")
		}
	}
	return out, nil
}
