package milvus

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// filter is an expression that only rows of one owner can meet. owned makes it, and every method narrows it, so none can
// reach over to another owner, and none is empty.
type filter struct{ text string }

// owned returns the one place where an owner gets into an expression.
func owned(o index.Owner) (filter, error) {
	if err := o.Validate(); err != nil {
		return filter{}, err
	}
	return filter{fieldClient + " == " + quote(o.Client) + " and " + fieldUser + " == " + quote(o.User)}, nil
}

// expression returns the filter as the server reads it. An empty one, which a server may take for "everything", is refused.
func (f filter) expression() (string, error) {
	if f.text == "" {
		return "", state.Errorf(state.Internal, "milvus filter", "is empty")
	}
	return f.text, nil
}

func (f filter) and(field, operator, literal string) filter {
	return filter{f.text + " and " + field + " " + operator + " " + literal}
}

// is lets rows through whose field is the value.
func (f filter) is(field, value string) filter { return f.and(field, "==", quote(value)) }

// in lets rows through whose field is one of the values.
func (f filter) in(field string, values []string) filter {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = quote(value)
	}
	return f.and(field, "in", "["+strings.Join(quoted, ", ")+"]")
}

// atLeast and below compare a number.
func (f filter) atLeast(field string, n int64) filter {
	return f.and(field, ">=", strconv.FormatInt(n, 10))
}

func (f filter) below(field string, n int64) filter {
	return f.and(field, "<", strconv.FormatInt(n, 10))
}

// from and before compare texts as plain writes them.
func (f filter) from(field, value string) filter { return f.and(field, ">=", quote(value)) }

func (f filter) before(field, value string) filter { return f.and(field, "<", quote(value)) }

// searched adds what a query asks for.
func (f filter) searched(o index.Owner, q index.Query) (filter, error) {
	if len(q.Kinds) > 0 {
		kinds := distinct(q.Kinds)
		if len(kinds) > maxList {
			return f, state.Errorf(state.Invalid, "vector search", "names %d kinds; at most %d are possible", len(kinds), maxList)
		}
		f = f.in(fieldKind, kinds)
	}
	if q.Session != "" {
		f = f.is(fieldSession, q.Session)
	}
	if !q.From.IsZero() {
		f = f.atLeast(fieldAt, millisUp(q.From))
	}
	if !q.To.IsZero() {
		f = f.below(fieldAt, millisUp(q.To))
	}
	if q.IDs != nil {
		f = f.in(fieldKey, rowKeys(o, q.IDs))
	}
	return f, nil
}

// millisUp returns the first millisecond that is not before t: entries are kept to the millisecond, rounded down.
func millisUp(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.After(time.UnixMilli(ms)) {
		ms++
	}
	return ms
}

// plain writes text with letters, digits and a few harmless signs, and everything else as %XX, byte by byte; spoken reads
// it again. Servers differ in how they read quotes, backslashes and rare characters in an expression, and one that confuses two
// of them confuses two owners. Nothing they could confuse is left.
func plain(text string) string { return url.PathEscape(text) }

func spoken(written string) (string, error) { return url.PathUnescape(written) }

// quote is the one place where text gets into an expression.
func quote(text string) string { return `"` + plain(text) + `"` }

// keyDigits is the length of a row's key.
const keyDigits = 40

// rowKey returns the primary key of an entry: digits of a hash of its owner and id. No two owners share one, so that no row can be
// replaced by another owner's.
func rowKey(o index.Owner, id string) string {
	var b []byte
	for _, part := range []string{o.Client, o.User, id} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:keyDigits/2])
}

func rowKeys(o index.Owner, ids []string) []string {
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = rowKey(o, id)
	}
	return distinct(keys)
}

func distinct(texts []string) []string {
	texts = slices.Clone(texts)
	slices.Sort(texts)
	return slices.Compact(texts)
}

// mine checks that a row the server returned is the owner's: its key says so. It is the second lock behind the filter.
func mine(o index.Owner, key, id string) error {
	if key != rowKey(o, id) {
		return state.Errorf(state.Internal, "milvus", "the server returned a row of another owner, %s; nothing of the answer was used", key)
	}
	return nil
}
