package bolt

import (
	_ "embed" // the dictionary
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// chunkBytes is the size from which a body is compressed, and that of the pieces it is cut into when it
// is still larger.
const chunkBytes = 256 << 10

// form says how a body is kept; it is written to disk.
type form byte

const (
	plain  form = 0 // as it is
	packed form = 1 // compressed with zstd
	apart  form = 2 // added to one of the others: in pieces in the chunks bucket
	terse  form = 4 // a small body compressed with zstd and the dictionary
)

// value is what stands under an id: revision, form, and the body or where its pieces are.
//
//	checksum(4) form(1) revision(uvarint) body                      plain, packed, terse
//	checksum(4) form(1) revision(uvarint) set(uvarint) size(uvarint)      apart
type value struct {
	rev  int64
	form form
	body []byte // as kept; nil when apart
	set  uint64 // apart: the pieces are set/0, set/1, ...
	size int    // apart: bytes of all pieces together
}

// pieces is how many chunks hold the body; 0 when it is not apart.
func (v value) pieces() int {
	if v.form&apart == 0 {
		return 0
	}
	return (v.size + chunkBytes - 1) / chunkBytes
}

func (v value) encode(bucket, key string) []byte {
	b := make([]byte, 0, len(v.body)+24)
	b = append(b, byte(v.form))
	b = binary.AppendUvarint(b, uint64(v.rev))
	if v.form&apart != 0 {
		b = binary.AppendUvarint(b, v.set)
		b = binary.AppendUvarint(b, uint64(v.size))
	}
	return seal(bucket, key, append(b, v.body...))
}

// decode reads a value; its body shares the memory of b.
func decode(bucket, key string, b []byte) (value, error) {
	b, err := unseal(bucket, key, b)
	if err != nil {
		return value{}, err
	}
	r := reader{b: b}
	v := value{form: form(r.byte())}
	v.rev = int64(r.uvarint())
	if v.form&apart != 0 {
		v.set, v.size = r.uvarint(), int(r.uvarint())
	} else {
		v.body = r.b
	}
	switch {
	case r.short, v.form > packed|apart && v.form != terse, v.rev < 1, v.size < 0:
		return value{}, fmt.Errorf("%s %s has a header that makes no sense", bucket, key)
	}
	return v, nil
}

// errChecksum means that bytes changed since they were written.
var errChecksum = errors.New("its checksum does not match")

// seal puts a checksum in front that covers where the bytes belong, so that they cannot be read under
// another name either.
func seal(bucket, key string, b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(make([]byte, 0, len(b)+4), checksum(bucket, key, b)), b...)
}

// unseal returns what seal was given, or an error that names the key.
func unseal(bucket, key string, b []byte) ([]byte, error) {
	if len(b) < 4 || binary.LittleEndian.Uint32(b) != checksum(bucket, key, b[4:]) {
		return nil, fmt.Errorf("%s %q: %w", bucket, key, errChecksum)
	}
	return b[4:], nil
}

// checksum is CRC-32C, which processors compute faster than memory delivers.
func checksum(bucket, key string, b []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, table, []byte(bucket))
	sum = crc32.Update(sum, table, []byte{0})
	sum = crc32.Update(sum, table, []byte(key))
	return crc32.Update(sum, table, b)
}

// reader takes numbers and bytes off the front of b; short is set once b ended too early.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.short, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

// bytes returns the next n, sharing memory; nil if there are not so many.
func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.short, r.b = true, nil
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

// dictionary holds bodies of all kinds as they are kept, so that what small ones have in common with all others takes
// next to no room. What was packed with it can be read with it only: it never changes, a better one gets another
// number and form.
//
//go:embed body.dict
var dictionary []byte

const dictionaryID = 1

// terseFrom is the size from which a small body may shrink by the dictionary.
const terseFrom = 48

// zstdMagic begins every zstd frame, and is left out in front of the many small ones.
const zstdMagic = "\x28\xb5\x2f\xfd"

// packer compresses bodies. Encoders and decoder are made when first needed, as they hold buffers.
type packer struct {
	mu    sync.Mutex
	enc   *zstd.Encoder // for large bodies
	small *zstd.Encoder
	dec   *zstd.Decoder
}

// pack returns the form in which a body is kept and its bytes; they are body itself if it is small or
// does not shrink.
func (p *packer) pack(body bson.Raw) (form, []byte, error) {
	if len(body) < terseFrom {
		return plain, body, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(body) <= chunkBytes {
		return p.shorten(body)
	}
	if p.enc == nil {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return 0, nil, err
		}
		p.enc = enc
	}
	f, kept := packed, p.enc.EncodeAll(body, nil)
	if len(kept) >= len(body) {
		f, kept = plain, body
	}
	if len(kept) > chunkBytes {
		f |= apart
	}
	return f, kept, nil
}

// shorten packs a small body. The caller holds the lock.
func (p *packer) shorten(body bson.Raw) (form, []byte, error) {
	if p.small == nil {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true),
			zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(chunkBytes), zstd.WithEncoderDictRaw(dictionaryID, dictionary))
		if err != nil {
			return 0, nil, err
		}
		p.small = enc
	}
	if kept := p.small.EncodeAll(body, nil)[len(zstdMagic):]; len(kept) < len(body) {
		return terse, kept, nil
	}
	return plain, body, nil
}

// unpack undoes pack; the result is memory of its own.
func (p *packer) unpack(f form, kept []byte) (bson.Raw, error) {
	if f&(packed|terse) == 0 {
		return append(make(bson.Raw, 0, len(kept)), kept...), nil
	}
	p.mu.Lock()
	if p.dec == nil {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderDictRaw(dictionaryID, dictionary))
		if err != nil {
			p.mu.Unlock()
			return nil, err
		}
		p.dec = dec
	}
	dec := p.dec
	p.mu.Unlock()
	if f&terse != 0 {
		kept = append([]byte(zstdMagic), kept...)
	}
	return dec.DecodeAll(kept, nil)
}

func (p *packer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.enc != nil {
		_ = p.enc.Close() // nothing is buffered: EncodeAll is complete in itself
		p.enc = nil
	}
	if p.small != nil {
		_ = p.small.Close()
		p.small = nil
	}
	if p.dec != nil {
		p.dec.Close()
		p.dec = nil
	}
}
