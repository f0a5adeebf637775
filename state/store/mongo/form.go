package mongo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// The fields that are ours. A body that has one of these names itself is kept in a box.
const (
	idField  = "_id"
	revField = "_rev"
	boxField = "_z"   // the body, when it is not kept as fields
	setField = "_set" // names the pieces of a large body; only then there
)

// inline is the size up to which a body stays in its document; beyond it is compressed, and if still larger
// cut into pieces.
const inline = 256 << 10

// box keeps a body that cannot stand as fields, or is large.
//
//	{_id, _rev, ...the fields of the body}                                   most
//	{_id, _rev, _z: {zstd, size, body}}                                      boxed
//	{_id, _rev, _z: {zstd, size, kept, pieces, sum}, _set}                   in pieces
//
// A body's expires_at is repeated behind the box, so that the TTL index sees it.
type box struct {
	Zstd   bool   `bson:"zstd"`
	Size   int    `bson:"size"`             // bytes of the body
	Body   []byte `bson:"body,omitempty"`   // as kept; none when in pieces
	Kept   int    `bson:"kept,omitempty"`   // bytes of all pieces
	Pieces int    `bson:"pieces,omitempty"` // how many
	Sum    []byte `bson:"sum,omitempty"`    // SHA-256 of what the pieces hold
}

// head is a document as it stands in its collection.
type head struct {
	raw bson.Raw
	id  string
	rev int64
	set string
}

// encode makes the document that keeps a body, and what its pieces hold, nil unless it is cut. set is asked
// for the name of the pieces.
func (c *codec) encode(d store.Doc, set func() string) (raw bson.Raw, name string, cut [][]byte, err error) {
	// A small body whose fields mean the same to every server stands in the document as it is.
	b := start(d.ID, d.Rev+1)
	if len(d.Body) <= inline && natural(d.Body) {
		return finish(append(b, d.Body[4:len(d.Body)-1]...)), "", nil, nil
	}

	// Any other goes into a box, packed if it is large, and in pieces if it is large even then.
	x := box{Size: len(d.Body), Body: d.Body}
	if len(d.Body) > inline {
		if x.Zstd, x.Body, err = c.pack(d.Body); err != nil {
			return nil, "", nil, err
		}
	}
	if len(x.Body) > inline {
		name = set()
		sum := sha256.Sum256(x.Body)
		for piece := x.Body; len(piece) > 0; piece = piece[min(len(piece), pieceBytes):] {
			cut = append(cut, piece[:min(len(piece), pieceBytes)])
		}
		x.Kept, x.Pieces, x.Sum, x.Body = len(x.Body), len(cut), sum[:], nil
	}

	// Fields by which the server finds pieces and what has expired stand outside the box.
	kept, err := bson.Marshal(x)
	if err != nil {
		return nil, "", nil, err
	}
	b = append(appendKey(b, bson.TypeEmbeddedDocument, boxField), kept...)
	if name != "" {
		b = appendString(b, setField, name)
	}
	if at := expiry(d.Body); at != nil {
		b = append(appendKey(b, bson.TypeDateTime, expiresField), at...)
	}
	return finish(b), name, cut, nil
}

// expiry returns the date, as bytes, at which a body says it expires; nil if it does not.
func expiry(body bson.Raw) []byte {
	v, err := body.LookupErr(expiresField)
	if err != nil || v.Type != bson.TypeDateTime {
		return nil
	}
	return v.Value
}

func start(id string, rev int64) []byte {
	b := appendString(make([]byte, 4, 256), idField, id)
	return binary.LittleEndian.AppendUint64(appendKey(b, bson.TypeInt64, revField), uint64(rev))
}

func appendKey(b []byte, t bson.Type, key string) []byte {
	return append(append(append(b, byte(t)), key...), 0)
}

func appendString(b []byte, key, s string) []byte {
	b = binary.LittleEndian.AppendUint32(appendKey(b, bson.TypeString, key), uint32(len(s)+1))
	return append(append(b, s...), 0)
}

// finish ends a document begun by start or by four bytes of its own.
func finish(b []byte) bson.Raw {
	b = append(b, 0)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

// readHead reads the fields that are ours.
func readHead(raw bson.Raw) (head, error) {
	h := head{raw: raw}
	var ok bool
	if h.id, ok = raw.Lookup(idField).StringValueOK(); !ok {
		return h, state.Errorf(state.Internal, "read document", "its _id is not a string: somebody else writes to this database")
	}
	if h.rev, ok = raw.Lookup(revField).AsInt64OK(); !ok || h.rev < 1 {
		return h, state.Errorf(state.Internal, "read document "+h.id, "it has no %s: somebody else writes to this database", revField)
	}
	h.set, _ = raw.Lookup(setField).StringValueOK()
	return h, nil
}

// box returns what holds the body, nil when it stands as fields.
func (h head) box() (*box, error) {
	v := h.raw.Lookup(boxField)
	if v.IsZero() {
		return nil, nil
	}
	x := new(box)
	if err := v.Unmarshal(x); err != nil {
		return nil, err
	}
	if x.Size < 0 || x.Kept < 0 || x.Pieces < 0 || x.Pieces > maxPieces || (x.Pieces > 0) != (h.set != "") {
		return nil, fmt.Errorf("its %s makes no sense", boxField)
	}
	return x, nil
}

// body returns the body of a document; kept is what its pieces hold together, nil when it has none.
func (c *codec) body(h head, kept []byte) (bson.Raw, error) {
	x, err := h.box()
	switch {
	case err != nil:
		return nil, err
	case x == nil:
		return fields(h.raw)
	case x.Pieces == 0:
		kept = x.Body
	default:
		if sum := sha256.Sum256(kept); !bytes.Equal(sum[:], x.Sum) {
			return nil, fmt.Errorf("the checksum of its pieces does not match")
		}
	}

	if !x.Zstd {
		return bytes.Clone(kept), nil
	}
	body, err := c.unpack(kept, x.Size)
	if err == nil && len(body) != x.Size {
		err = fmt.Errorf("it has %d bytes instead of %d", len(body), x.Size)
	}
	return body, err
}

// fields takes the body out of a document in which it stands as fields, byte for byte.
func fields(raw bson.Raw) (bson.Raw, error) {
	elements, err := raw.Elements()
	if err != nil {
		return nil, err
	}
	b := make([]byte, 4, len(raw))
	for _, e := range elements {
		if key := e.Key(); key != idField && key != revField {
			b = append(b, e...)
		}
	}
	return finish(b), nil
}

// pieceKey returns what the ids of a document's pieces begin with. A document's id may hold any character, so the
// piece also names it in a field of its own.
func pieceKey(c state.Collection, id, set string) string {
	return string(c) + "/" + id + "\x00" + set + "/"
}

func pieceID(c state.Collection, id, set string, n int) string {
	return pieceKey(c, id, set) + fmt.Sprintf("%0*d", len(strconv.Itoa(maxPieces)), n)
}
