package store

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
)

// MaxIDBytes bounds the id of a document: five ids of 128 bytes and what joins them fit easily.
const MaxIDBytes = 1024

// Collections lists the collections a store has, in the order people look at them.
func Collections() []state.Collection {
	return []state.Collection{
		state.Steps, state.Open, state.Turns, state.Sessions, state.Messages, state.Affairs, state.Records, state.Suggestions, state.Feed, state.Hosts, state.Vectors,
		state.Snapshots, state.Jobs, state.Orders, state.Deliveries, state.Overrides, state.Meta,
	}
}

// ValidateWrite refuses, with state.ErrInvalid, what no driver may write: an unknown collection, a bad
// id, a negative Rev, a body that is not a BSON document, a deletion without Rev, one document twice.
func ValidateWrite(docs []Doc) error {
	type key struct {
		collection state.Collection
		id         string
	}

	seen := make(map[key]bool, len(docs))
	for _, d := range docs {
		if err := ValidateKey(d.Collection, d.ID); err != nil {
			return err
		}
		if err := validateChange(d); err != nil {
			return err
		}

		if seen[key{d.Collection, d.ID}] {
			return state.Errorf(state.Invalid, "write "+name(d.Collection, d.ID), "is in this write twice; give its last form only")
		}
		seen[key{d.Collection, d.ID}] = true
	}
	return nil
}

// ValidateKey refuses an unknown collection and an id that is empty, too long or not valid UTF-8.
func ValidateKey(c state.Collection, id string) error {
	if id == "" {
		return state.Errorf(state.Invalid, "id in "+string(c), "is empty")
	}
	return validateText(c, "id", id)
}

// ValidatePrefix refuses an unknown collection and a prefix that Delete may not have: an empty one would
// delete everybody's documents.
func ValidatePrefix(c state.Collection, prefix string) error {
	if prefix == "" {
		return state.Errorf(state.Invalid, "delete from "+string(c), "the prefix is empty, which would delete every client's documents; name one")
	}
	return validateText(c, "prefix", prefix)
}

// Validate refuses an unknown collection, a negative limit, and a Prefix or After that no id could have.
func (q Query) Validate() error {
	if q.Limit < 0 {
		return state.Errorf(state.Invalid, "scan "+string(q.Collection), "limit %d is negative; 0 means all", q.Limit)
	}
	if err := validateText(q.Collection, "prefix", q.Prefix); err != nil {
		return err
	}
	return validateText(q.Collection, "after", q.After)
}

// Range returns the ids the query selects, without its limit: low <= id, and id < high unless high is "".
// Low >= high (and high not "") selects none.
func (q Query) Range() (low, high string) {
	low, high = q.Prefix, successor(q.Prefix)
	switch {
	case q.After == "":
	case q.Reverse:
		if high == "" || q.After < high {
			high = q.After
		}
	default:
		low = max(low, q.After+"\x00")
	}
	return low, high
}

// successor returns the smallest string above every string that begins with prefix; "" if there is none.
func successor(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xFF {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return ""
}

func validateChange(d Doc) error {
	op := "write " + name(d.Collection, d.ID)
	switch {
	case d.Rev < 0:
		return state.Errorf(state.Invalid, op, "revision %d is negative; 0 inserts", d.Rev)
	case d.Body == nil && d.Rev == 0:
		return state.Errorf(state.Invalid, op, "has no body; a deletion names the revision it deletes")
	case d.Body == nil:
		return nil
	}

	if err := d.Body.Validate(); err != nil {
		return state.Errorf(state.Invalid, op, "its body is not a BSON document: %w", err)
	}
	if n := bsonLength(d.Body); n != len(d.Body) {
		return state.Errorf(state.Invalid, op, "its body is not one BSON document: %d bytes follow it", len(d.Body)-n)
	}
	return nil
}

// bsonLength returns the length a valid document says it has.
func bsonLength(b bson.Raw) int {
	return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 | int(b[3])<<24
}

func validateText(c state.Collection, what, s string) error {
	switch {
	case !slices.Contains(Collections(), c):
		return state.Errorf(state.Invalid, "collection "+printable(string(c)), "is unknown; the collections are %v", Collections())
	case len(s) > MaxIDBytes:
		return state.Errorf(state.Invalid, what+" "+name(c, s), "has %d bytes, at most %d are allowed", len(s), MaxIDBytes)
	case !utf8.ValidString(s):
		return state.Errorf(state.Invalid, what+" "+name(c, s), "is not valid UTF-8")
	}
	return nil
}

// name returns how an error calls a document.
func name(c state.Collection, id string) string { return string(c) + " " + printable(id) }

// printable shortens what a caller handed in, and quotes it if it could disturb a line of text.
func printable(s string) string {
	const most = 80
	cut := s[:min(len(s), most)]
	if cut != "" && strings.IndexFunc(cut, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) < 0 {
		if len(s) > most {
			return cut + "..."
		}
		return cut
	}
	return strconv.Quote(cut)
}
