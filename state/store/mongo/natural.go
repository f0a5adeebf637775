package mongo

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// deepest is how far documents may be nested to stand as fields; MongoDB refuses more than 100.
const deepest = 80

// natural says whether the fields of a body may stand in a document as they are: every server that speaks
// the protocol gives back the same bytes for them. In doubt it says no, and the body is boxed.
func natural(body bson.Raw) bool { return naturalFields(body, 0) }

func naturalFields(doc bson.Raw, depth int) bool {
	elements, err := doc.Elements()
	if err != nil || depth > deepest {
		return false
	}
	seen := make(map[string]bool, len(elements))
	for _, e := range elements {
		key, err := e.KeyErr()
		if err != nil || seen[key] || !naturalKey(key, depth) || !naturalValue(e.Value(), depth) {
			return false
		}
		seen[key] = true
	}
	return true
}

// naturalKey refuses names that are ours, and those in which some servers see an operator or a path.
func naturalKey(key string, depth int) bool {
	switch key {
	case "":
		return false
	case idField, revField, boxField, setField:
		return depth > 0
	}
	return key[0] != '$' && !strings.Contains(key, ".") && utf8.ValidString(key)
}

func naturalValue(v bson.RawValue, depth int) bool {
	switch v.Type {
	case bson.TypeNull, bson.TypeBoolean, bson.TypeInt32, bson.TypeInt64, bson.TypeObjectID:
		return true
	case bson.TypeString:
		s, ok := v.StringValueOK()
		return ok && utf8.ValidString(s)
	case bson.TypeDouble:
		f := v.Double()
		return !math.IsNaN(f) && !(f == 0 && math.Signbit(f))
	case bson.TypeDateTime:
		year := time.UnixMilli(v.DateTime()).UTC().Year()
		return year >= 0 && year <= 9999
	case bson.TypeBinary:
		subtype, data := v.Binary()
		return subtype == bson.TypeBinaryGeneric || subtype == bson.TypeBinaryUUID && len(data) == 16
	case bson.TypeEmbeddedDocument:
		return naturalFields(v.Document(), depth+1)
	case bson.TypeArray:
		return naturalList(bson.Raw(v.Array()), depth+1)
	}
	return false // among them what servers change: a zero timestamp becomes the time of the write
}

// naturalList wants an array's keys to be 0, 1, 2 ..., as servers write them.
func naturalList(list bson.Raw, depth int) bool {
	elements, err := list.Elements()
	if err != nil || depth > deepest {
		return false
	}
	for i, e := range elements {
		if key, err := e.KeyErr(); err != nil || key != strconv.Itoa(i) || !naturalValue(e.Value(), depth) {
			return false
		}
	}
	return true
}
