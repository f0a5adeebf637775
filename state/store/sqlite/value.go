package sqlite

import (
	_ "embed" // the dictionary
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state/store"
)

// form says how a body is kept; it is written to disk.
type form byte

const (
	plain  form = 0 // as it is
	packed form = 1 // compressed with zstd and the dictionary
)

// dictionary holds bodies of all kinds as they are kept, so that what small ones have in common with all others takes
// next to no room. What was packed with it can be read with it only: it never changes, a better one gets another
// number and form.
//
//go:embed body.dict
var dictionary []byte

const dictionaryID = 1

const (
	packFrom    = 48        // bytes from which a body may shrink
	windowBytes = 256 << 10 // how far back in a body what repeats is looked for
	zstdMagic   = "\x28\xb5\x2f\xfd"
	valueHead   = 5 // checksum and form
)

// errValue means that a value is not as it was written.
var errValue = errors.New("its checksum does not match")

// packer turns bodies into values and back. Safe for concurrent use.
type packer struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newPacker() (*packer, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true), zstd.WithNoEntropyCompression(true), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(windowBytes), zstd.WithEncoderDictRaw(dictionaryID, dictionary))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderDictRaw(dictionaryID, dictionary))
	if err != nil {
		return nil, err
	}
	return &packer{enc, dec}, nil
}

func (p *packer) close() {
	_ = p.enc.Close() // nothing is buffered: EncodeAll is complete in itself
	p.dec.Close()
}

// pack makes the value kept for a document: checksum(4) form(1) body. The checksum covers collection, id and
// revision too, so that it cannot be read as another document's.
func (p *packer) pack(d store.Doc) []byte {
	b := make([]byte, valueHead, valueHead+len(d.Body))
	if len(d.Body) >= packFrom {
		if kept := p.enc.EncodeAll(d.Body, make([]byte, 0, len(d.Body)/2))[len(zstdMagic):]; len(kept) < len(d.Body) {
			b[valueHead-1] = byte(packed)
			b = append(b, kept...)
		}
	}
	if form(b[valueHead-1]) == plain {
		b = append(b, d.Body...)
	}
	binary.LittleEndian.PutUint32(b, checksum(d, b[4:]))
	return b
}

// unpack returns the body of a document whose place and revision d names, in memory of its own.
func (p *packer) unpack(d store.Doc, value []byte) (bson.Raw, error) {
	if len(value) < valueHead || binary.LittleEndian.Uint32(value) != checksum(d, value[4:]) {
		return nil, fmt.Errorf("%s %q: %w", d.Collection, d.ID, errValue)
	}
	switch body := value[valueHead:]; form(value[valueHead-1]) {
	case plain:
		return append(make(bson.Raw, 0, len(body)), body...), nil
	case packed:
		out, err := p.dec.DecodeAll(append([]byte(zstdMagic), body...), nil)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w: %w", d.Collection, d.ID, errValue, err)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s %q: %w: it has a form nobody knows", d.Collection, d.ID, errValue)
}

// checksum is CRC-32C, which processors compute faster than memory delivers.
func checksum(d store.Doc, b []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, table, []byte(d.Collection))
	sum = crc32.Update(sum, table, []byte{0})
	sum = crc32.Update(sum, table, []byte(d.ID))
	sum = crc32.Update(sum, table, binary.LittleEndian.AppendUint64(nil, uint64(d.Rev)))
	return crc32.Update(sum, table, b)
}
