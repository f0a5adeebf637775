package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state/store"
)

const (
	nonceSize, tagSize = 12, 16

	// Where a seal differs in these, one can never stand for the other.
	sealLabel = "mneme sealed document 1"
	rootLabel = "mneme sealed store 1"

	kindManifest, kindField byte = 'm', 'f'
)

// binding is one document at one revision as its seals see it: the key they are made with, and the beginning
// of the data they are bound to. It belongs to one goroutine.
type binding struct {
	aead cipher.AEAD
	buf  []byte // what all seals of the document are bound to, then room for the rest
	own  int    // length of the former
}

// bind derives the document's key and writes down its place. Rev is the revision at which it stands once
// it is stored.
func (k key) bind(d store.Doc, rev int64) (*binding, error) {
	place := appendText(appendText(nil, string(d.Collection)), d.ID)
	secret, err := hkdf.Expand(sha256.New, k.root[:], sealLabel+string(place), len(k.root))
	if err != nil {
		return nil, err
	}

	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}

	client, _, _ := strings.Cut(d.ID, "/")
	b := &binding{aead: aead, buf: make([]byte, 0, 512)}
	b.buf = appendText(append(b.buf, sealLabel...), client)
	b.buf = append(b.buf, place...)
	b.buf = binary.BigEndian.AppendUint64(b.buf, uint64(rev))
	b.own = len(b.buf)
	return b, nil
}

// manifest returns what the seal over the whole is bound to: what "_sealed" says in the clear, the names of all
// fields in their order, type and value of those that stay readable.
func (b *binding) manifest(header []byte, fields []bson.RawElement, plain []bool) []byte {
	data := append(b.buf[:b.own], kindManifest)
	data = appendText(data, header)
	data = binary.AppendUvarint(data, uint64(len(fields)))

	for i, e := range fields {
		name, value := split(e)
		data = appendText(data, name)
		if !plain[i] {
			data = append(data, 0)
			continue
		}
		data = append(data, 1, e[0])
		data = binary.AppendUvarint(data, uint64(len(value)))
		data = append(data, value...)
	}

	b.buf = data
	return data
}

// field returns what the seal of one field is bound to. The manifest's nonce is new at each write, so that
// fields of two writes never go together, not even at the same revision of two lives of an id.
func (b *binding) field(manifestNonce []byte, position int, name []byte) []byte {
	data := append(b.buf[:b.own], kindField)
	data = append(data, manifestNonce...)
	data = binary.AppendUvarint(data, uint64(position))
	b.buf = appendText(data, name)
	return b.buf
}

// appendText writes a text with its length before it, so that no two lists of texts look alike.
func appendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
