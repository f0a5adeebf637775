package static

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/mneme-graph/mneme/state/disk"
)

// maxHeader bounds a header, as the format does.
const maxHeader = 100 << 20

// tensor is where a tensor lies.
type tensor struct {
	kind     string // F32, F16, ...
	shape    []int
	from, to int64 // in bytes, behind the header
}

// tensorFile is an open safetensors file: eight bytes with the length of a JSON header, the header, the tensors.
type tensorFile struct {
	file    *os.File
	data    int64 // where the tensors begin
	tensors map[string]tensor
}

// openTensors opens a file and checks its header. Whoever gets it closes file.
func openTensors(path string) (*tensorFile, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	t, err := readTensors(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return t, nil
}

func readTensors(f *os.File) (*tensorFile, error) {
	// Lengths are checked against the file's size.
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}

	// The header's length comes first. It is not believed before it is checked: memory is taken for it.
	var length [8]byte
	if _, err := io.ReadFull(f, length[:]); err != nil {
		return nil, fmt.Errorf("is too short for a header: %w", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader || int64(n) > info.Size()-8 {
		return nil, fmt.Errorf("says that its header has %d bytes, but has %d in all; was it downloaded whole?", n, info.Size())
	}

	// The header, and where in the data behind it each tensor lies.
	header := make([]byte, n)
	if _, err := io.ReadFull(f, header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	data := 8 + int64(n)
	tensors, err := parseHeader(header, info.Size()-data)
	if err != nil {
		return nil, err
	}
	return &tensorFile{file: f, data: data, tensors: tensors}, nil
}

// read returns the bytes of a tensor.
func (t *tensorFile) read(x tensor) ([]byte, error) {
	raw := make([]byte, x.to-x.from)
	if _, err := t.file.ReadAt(raw, t.data+x.from); err != nil {
		return nil, err
	}
	return raw, nil
}

// parseHeader reads the header of a file with size bytes of tensors. Tensors fill them without gap or overlap.
func parseHeader(header []byte, size int64) (map[string]tensor, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("header is not a JSON object; is it a safetensors file?")
	}
	out := map[string]tensor{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("header: %w", err)
		}
		name, _ := t.(string) // a key always is one
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("has two tensors %q", name)
		}
		if name == "__metadata__" {
			var about map[string]string
			if err := d.Decode(&about); err != nil {
				return nil, fmt.Errorf("metadata: %w", err)
			}
			continue
		}
		x, err := parseTensor(d, size)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		out[name] = x
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if rest := header[d.InputOffset():]; len(bytes.Trim(rest, " \x00\n\r\t")) > 0 {
		return nil, errors.New("header goes on behind its end")
	}
	return out, filled(out, size)
}

// parseTensor reads one entry of the header.
func parseTensor(d *json.Decoder, size int64) (tensor, error) {
	// Where it lies, which must be within the file.
	var x struct {
		Kind    string  `json:"dtype"`
		Shape   []int64 `json:"shape"`
		Offsets []int64 `json:"data_offsets"`
	}
	if err := d.Decode(&x); err != nil {
		return tensor{}, err
	}
	if len(x.Offsets) != 2 || x.Offsets[0] < 0 || x.Offsets[0] > x.Offsets[1] || x.Offsets[1] > size {
		return tensor{}, fmt.Errorf("lies at %v of %d bytes; was the file downloaded whole?", x.Offsets, size)
	}

	// Its type and shape. The product of the sizes is checked so that it cannot overflow.
	bits := bitsOf(x.Kind)
	if bits == 0 {
		return tensor{}, fmt.Errorf("has the unknown type %q", x.Kind)
	}
	t := tensor{kind: x.Kind, from: x.Offsets[0], to: x.Offsets[1]}
	count := int64(1)
	for _, n := range x.Shape {
		if n < 0 || n > math.MaxInt32 || n > 0 && count > math.MaxInt64/128/n {
			return tensor{}, fmt.Errorf("has the shape %v", x.Shape)
		}
		count *= n
		t.shape = append(t.shape, int(n))
	}

	// Both have to agree on how many bytes there are.
	if count*bits != 8*(t.to-t.from) {
		return tensor{}, fmt.Errorf("has %d bytes for the shape %v of %s", t.to-t.from, x.Shape, x.Kind)
	}
	return t, nil
}

// bitsOf returns the size of a number, 0 for a type that is not known.
func bitsOf(kind string) int64 {
	switch kind {
	case "BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0":
		return 8
	case "I16", "U16", "F16", "BF16":
		return 16
	case "I32", "U32", "F32":
		return 32
	case "I64", "U64", "F64", "C64":
		return 64
	case "F4":
		return 4
	case "F6_E2M3", "F6_E3M2":
		return 6
	}
	return 0
}

// filled refuses tensors that leave a gap or overlap.
func filled(tensors map[string]tensor, size int64) error {
	var all []tensor
	for _, t := range tensors {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b tensor) int {
		if a.from != b.from {
			return int(max(-1, min(1, a.from-b.from)))
		}
		return int(max(-1, min(1, a.to-b.to)))
	})
	end := int64(0)
	for _, t := range all {
		if t.from != end {
			return fmt.Errorf("tensors leave a gap or overlap at byte %d", end)
		}
		end = t.to
	}
	if end != size {
		return fmt.Errorf("has %d bytes behind its last tensor", size-end)
	}
	return nil
}
