package sealed

import (
	"context"
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// open returns the body as it was written, in memory of its own. Every seal of d is checked before it
// returns; nothing of a document that fails one gets out.
func (s *Store) open(ctx context.Context, d store.Doc) (bson.Raw, error) {
	// The manifest names the key.
	m, err := parse(d)
	if err != nil {
		return nil, err
	}
	k, err := s.keyFor(ctx, d, m)
	if err != nil {
		return nil, err
	}
	b, err := k.bind(d, d.Rev)
	if err != nil {
		return nil, state.Errorf(state.Internal, "open "+title(d), "no key for it: %w", err)
	}

	// The seal over the whole holds before any field is opened.
	if _, err := b.aead.Open(nil, m.nonce, m.tag, b.manifest(m.header, m.fields, m.plain)); err != nil {
		return nil, refuse(d, "its seal does not hold: it was altered, moved here, put back from an older state, "+
			"or sealed with another key named "+k.id)
	}

	// Readable fields stand as they are; each of the others has a seal of its own.
	out := append(make([]byte, 0, len(d.Body)), 0, 0, 0, 0)
	for i, e := range m.fields {
		if m.plain[i] {
			out = append(out, e...)
			continue
		}
		if out, err = b.open(out, m.nonce, i, e); err != nil {
			return nil, refuse(d, err.Error())
		}
	}
	return finish(out), nil
}

// keyFor returns the key that a document says it was sealed with.
func (s *Store) keyFor(ctx context.Context, d store.Doc, m manifest) (key, error) {
	if m.version == formatVersion {
		if k, ok := s.keys.find(m.keyID); ok {
			return k, nil
		}
		return key{}, &UnknownKeyError{Collection: d.Collection, ID: d.ID, Key: m.keyID}
	}

	client := clientOf(d)
	if client == "" {
		return key{}, refuse(d, "it is sealed with a client's key, and belongs to no client")
	}
	for _, fresh := range []bool{false, true} { // another process may have made it a moment ago
		known, err := s.clientKeys(ctx, client, fresh)
		if err != nil {
			return key{}, err
		}
		if k, ok := known.find(m.keyID); ok {
			return k, nil
		}
	}
	return key{}, &UnknownKeyError{Collection: d.Collection, ID: d.ID, Key: m.keyID, Client: client}
}

// open appends the field as it was written. What was encrypted is type and value; it is decrypted to where
// the value's place is, less one byte, and that byte, the type, then goes before the name.
func (b *binding) open(out, manifestNonce []byte, position int, e bson.RawElement) ([]byte, error) {
	name, value := split(e)
	sealed, ok := binaryData(e[0], value)
	if !ok || len(sealed) < nonceSize+1+tagSize {
		return nil, errNotSealedField
	}
	start := len(out)
	out = append(append(out, 0), name...)
	end := len(out)
	out, err := b.aead.Open(out, sealed[:nonceSize], sealed[nonceSize:], b.field(manifestNonce, position, name))
	if err != nil {
		return nil, errFieldSeal
	}
	out[start], out[end] = out[end], 0
	return out, nil
}

// manifest is a stored body taken apart. Its parts lie in the body.
type manifest struct {
	version    byte
	keyID      string
	header     []byte // what it says in the clear, version to positions
	nonce, tag []byte
	fields     []bson.RawElement // without the manifest
	plain      []bool            // which of them are readable
}

// parse takes a stored body apart. It believes nothing of it and proves nothing: that is the seal's part.
func parse(d store.Doc) (manifest, error) {
	if d.Body.Validate() != nil || int64(binary.LittleEndian.Uint32(d.Body)) != int64(len(d.Body)) {
		return manifest{}, refuse(d, "it is not a BSON document")
	}
	fields, err := d.Body.Elements()
	if err != nil {
		return manifest{}, refuse(d, "it is not a BSON document")
	}
	if len(fields) == 0 {
		return manifest{}, refuse(d, notSealed)
	}

	// The manifest comes first, and says by which version the rest is sealed.
	name, value := split(fields[0])
	data, ok := binaryData(fields[0][0], value)
	switch {
	case string(name) != manifestName || !ok:
		return manifest{}, refuse(d, notSealed)
	case len(data) == 0 || data[0] != formatVersion && data[0] != clientVersion:
		return manifest{}, refuse(d, "its seal is of a version that is not known here; a newer release may know it")
	}

	m, ok := parseManifest(data, fields[1:])
	if !ok {
		return manifest{}, refuse(d, "its seal is not complete")
	}
	return m, nil
}

func parseManifest(data []byte, fields []bson.RawElement) (manifest, bool) {
	// The id of the key comes first; lengths are bounded before they are believed.
	m := manifest{version: data[0], fields: fields, plain: make([]bool, len(fields))}
	n, rest, ok := number(data[1:], maxKeyID)
	if !ok || n > len(rest) {
		return manifest{}, false
	}
	m.keyID, rest = string(rest[:n]), rest[n:]
	if !validKeyID(m.keyID) {
		return manifest{}, false
	}

	// Each readable field is named once.
	count, rest, ok := number(rest, len(fields))
	if !ok {
		return manifest{}, false
	}
	for range count {
		var at int
		if at, rest, ok = number(rest, len(fields)-1); !ok || m.plain[at] {
			return manifest{}, false
		}
		m.plain[at] = true
	}

	// What is left must be nonce and tag, to the byte.
	if len(rest) != nonceSize+tagSize {
		return manifest{}, false
	}
	m.header = data[:len(data)-len(rest)]
	m.nonce, m.tag = rest[:nonceSize], rest[nonceSize:]
	return m, true
}

// number reads an unsigned varint that may be at most most.
func number(b []byte, most int) (n int, rest []byte, ok bool) {
	u, size := binary.Uvarint(b)
	if size <= 0 || most < 0 || u > uint64(most) {
		return 0, nil, false
	}
	return int(u), b[size:], true
}

// binaryData returns what a valid binary value of our subtype holds.
func binaryData(kind byte, value []byte) ([]byte, bool) {
	if kind != typeBinary || len(value) < 5 || value[4] != subtype {
		return nil, false
	}
	return value[5:], true
}
