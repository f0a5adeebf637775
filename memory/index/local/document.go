package local

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// keyOf returns the part of a document's id that names its space: twelve hexadecimal digits.
func keyOf(s index.Space) string {
	sum := sha256.Sum256([]byte(s.Model + "\x00" + strconv.Itoa(s.Dim) + "\x00" + strconv.Itoa(s.Version)))
	return hex.EncodeToString(sum[:6])
}

// place is whose entries in which space; as a string it is the id of the owner's mark.
type place struct {
	owner index.Owner
	space string
}

// String joins client, user and the key of the space with slashes.
func (p place) String() string { return p.owner.Client + "/" + p.owner.User + "/" + p.space }

// prefix is what the ids of the entries begin with. An entry's own id follows, which may hold slashes.
func (p place) prefix() string { return p.String() + "/" }

// document is the body of an entry: everything but its id, which is in the key.
type document struct {
	Hash    string        `bson:"hash"`
	Kind    string        `bson:"kind"`
	Session string        `bson:"session"`
	At      bson.DateTime `bson:"at"`
	Vector  []byte        `bson:"vector"` // normalised, float32, little endian
}

// encode makes the document of an entry whose vector is normalised.
func encode(p place, e index.Entry, rev int64) (store.Doc, error) {
	body, err := bson.Marshal(document{e.Hash, e.Kind, e.Session, bson.DateTime(e.At.UnixMilli()), pack(e.Vector)})
	if err != nil {
		return store.Doc{}, state.Errorf(state.Invalid, "vector of "+e.ID, "%w", err)
	}
	return store.Doc{Collection: state.Vectors, ID: p.prefix() + e.ID, Rev: rev, Body: body}, nil
}

// decode reads an entry back; its vector is put into v. A document that encode did not write is state.ErrInternal.
func decode(p place, d store.Doc, v []float32) (index.Entry, error) {
	op := "read " + string(state.Vectors) + " " + d.ID
	text := func(name string) (string, bool) { return d.Body.Lookup(name).StringValueOK() }
	hash, okHash := text("hash")
	kind, okKind := text("kind")
	session, okSession := text("session")
	at, okAt := d.Body.Lookup("at").DateTimeOK()
	_, b, okVector := d.Body.Lookup("vector").BinaryOK()
	if !okHash || !okKind || !okSession || !okAt || !okVector || len(b) != 4*len(v) {
		return index.Entry{}, state.Errorf(state.Internal, op, "the document is damaged; `mneme reindex` makes all of them again")
	}
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return index.Entry{ID: d.ID[len(p.prefix()):], Hash: hash, Kind: kind, Session: session, At: time.UnixMilli(at).UTC(), Vector: v}, nil
}

func pack(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
