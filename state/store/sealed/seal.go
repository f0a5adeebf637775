package sealed

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

const (
	formatVersion byte = 1 // sealed with a key of the keyring
	clientVersion byte = 2 // with a key of the document's client
	manifestName       = "_sealed"

	typeBinary byte = 0x05 // BSON type of a sealed field
	subtype    byte = 0x80 // the first that is the user's own

	fieldOverhead = 1 + 4 + 1 + nonceSize + tagSize // what sealing adds to a field at most
)

// sealWith returns the body of d in its stored form, sealed with a key, for the revision at which d will stand once it is written. The version says whose
// key it is.
func (s *Store) sealWith(k key, version byte, d store.Doc) (bson.Raw, error) {
	fields, err := d.Body.Elements()
	if err != nil {
		return nil, state.Errorf(state.Invalid, "seal "+title(d), "its body is not a BSON document")
	}

	plain := make([]bool, len(fields))
	for i, e := range fields {
		name, _ := split(e)
		if string(name) == manifestName {
			return nil, state.Errorf(state.Invalid, "seal "+title(d), "it has a field %s, which belongs to the seal; rename it", manifestName)
		}
		plain[i] = slices.Contains(s.plain, string(name))
	}

	// Every seal of a document has random bytes of its own.
	nonces := make([]byte, nonceSize*(1+len(fields)))
	if _, err := io.ReadFull(s.random, nonces); err != nil {
		return nil, state.Errorf(state.Unavailable, "seal "+title(d), "no random bytes for it: %w", err)
	}

	b, err := k.bind(d, d.Rev+1)
	if err != nil {
		return nil, state.Errorf(state.Internal, "seal "+title(d), "no key for it: %w", err)
	}
	return b.seal(d.Body, fields, plain, manifestHeader(version, k.id, plain), nonces), nil
}

// seal writes the stored form: the manifest first, then the fields in their order.
func (b *binding) seal(body bson.Raw, fields []bson.RawElement, plain []bool, header, nonces []byte) bson.Raw {
	whole, nonces := nonces[:nonceSize], nonces[nonceSize:]

	out := make([]byte, 0, len(body)+len(manifestName)+len(header)+fieldOverhead*(2+len(fields)))
	out = append(out, 0, 0, 0, 0)
	out = appendBinary(out, []byte(manifestName), len(header)+nonceSize+tagSize)
	out = append(append(out, header...), whole...)
	out = b.aead.Seal(out, whole, nil, b.manifest(header, fields, plain))

	for i, e := range fields {
		if plain[i] {
			out = append(out, e...)
			continue
		}
		nonce := nonces[i*nonceSize:][:nonceSize]
		name, value := split(e)
		out = appendBinary(out, name, nonceSize+1+len(value)+tagSize)
		out = append(out, nonce...)
		begin := len(out)
		out = append(append(out, e[0]), value...)
		out = b.aead.Seal(out[:begin], nonce, out[begin:], b.field(whole, i, name))
	}
	return finish(out)
}

// manifestHeader returns what "_sealed" says in the clear: version, key id, positions of the readable fields.
func manifestHeader(version byte, keyID string, plain []bool) []byte {
	h := append(make([]byte, 0, 2+len(keyID)+1), version)
	h = appendText(h, keyID)
	var positions []byte
	count := uint64(0)
	for i, p := range plain {
		if p {
			positions = binary.AppendUvarint(positions, uint64(i))
			count++
		}
	}
	return append(binary.AppendUvarint(h, count), positions...)
}

// appendBinary begins a binary field of n bytes.
func appendBinary(out, name []byte, n int) []byte {
	out = append(out, typeBinary)
	out = append(append(out, name...), 0)
	out = binary.LittleEndian.AppendUint32(out, uint32(n))
	return append(out, subtype)
}

// finish ends a document whose first four bytes are room for its length.
func finish(out []byte) bson.Raw {
	out = append(out, 0)
	binary.LittleEndian.PutUint32(out, uint32(len(out)))
	return out
}

// split returns name and value of a valid element, whose first byte is its type.
func split(e bson.RawElement) (name, value []byte) {
	end := 1 + bytes.IndexByte(e[1:], 0)
	return e[1:end], e[end+1:]
}
