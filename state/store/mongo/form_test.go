package mongo

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func marshal(t testing.TB, d any) bson.Raw {
	t.Helper()
	b, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNatural(t *testing.T) {
	t.Parallel()
	deep := bson.D{}
	for range 100 {
		deep = bson.D{{Key: "d", Value: deep}}
	}
	tests := []struct {
		name string
		body bson.D
		want bool
	}{
		{"empty", bson.D{}, true},
		{"what people write", bson.D{
			{Key: "text", Value: "díl 🚗 \x00"}, {Key: "n", Value: int32(1)}, {Key: "m", Value: int64(1) << 60}, {Key: "f", Value: 0.5},
			{Key: "b", Value: []byte{1}}, {Key: "t", Value: time.UnixMilli(1)}, {Key: "l", Value: bson.A{"x", bson.A{}, nil, true}},
			{Key: "d", Value: bson.D{{Key: "_id", Value: 1}}}, {Key: "o", Value: bson.ObjectID{1}},
			{Key: "u", Value: bson.Binary{Subtype: 4, Data: make([]byte, 16)}},
		}, true},
		{"own field _id", bson.D{{Key: "_id", Value: 1}}, false},
		{"own field _rev", bson.D{{Key: "a", Value: 1}, {Key: "_rev", Value: 1}}, false},
		{"own field _z", bson.D{{Key: "_z", Value: 1}}, false},
		{"own field _set", bson.D{{Key: "_set", Value: "x"}}, false},
		{"operator", bson.D{{Key: "$set", Value: 1}}, false},
		{"operator inside", bson.D{{Key: "a", Value: bson.A{bson.D{{Key: "$ref", Value: 1}}}}}, false},
		{"path", bson.D{{Key: "a.b", Value: 1}}, false},
		{"field without name", bson.D{{Key: "", Value: 1}}, false},
		{"field twice", bson.D{{Key: "a", Value: 1}, {Key: "a", Value: 2}}, false},
		{"text that is not UTF-8", bson.D{{Key: "a", Value: "\xff"}}, false},
		{"not a number", bson.D{{Key: "a", Value: math.NaN()}}, false},
		{"negative zero", bson.D{{Key: "a", Value: math.Copysign(0, -1)}}, false},
		{"infinite", bson.D{{Key: "a", Value: math.Inf(-1)}}, true},
		{"binary of a user's kind", bson.D{{Key: "a", Value: bson.Binary{Subtype: 0x80}}}, false},
		{"binary of kind 9", bson.D{{Key: "a", Value: bson.Binary{Subtype: 9}}}, false},
		{"short UUID", bson.D{{Key: "a", Value: bson.Binary{Subtype: 4, Data: []byte{1}}}}, false},
		{"timestamp", bson.D{{Key: "a", Value: bson.Timestamp{}}}, false},
		{"pattern", bson.D{{Key: "a", Value: bson.Regex{Pattern: "x"}}}, false},
		{"decimal", bson.D{{Key: "a", Value: bson.NewDecimal128(1, 2)}}, false},
		{"least key", bson.D{{Key: "a", Value: bson.MinKey{}}}, false},
		{"year 30000", bson.D{{Key: "a", Value: time.Date(30000, 1, 1, 0, 0, 0, 0, time.UTC)}}, false},
		{"too deep", deep, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := natural(marshal(t, tt.body)); got != tt.want {
				t.Errorf("natural(%v) = %t, want %t", tt.body, got, tt.want)
			}
		})
	}
	list := marshal(t, bson.D{{Key: "a", Value: bson.A{1}}})
	list[bytes.IndexByte(list, '0')] = '5'
	if natural(list) {
		t.Error("an array whose first key is 5 is natural, want boxed")
	}
}

// Whatever the body, encoding and decoding gives back its bytes.
func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	var c codec
	defer c.close()
	rapid.Check(t, func(rt *rapid.T) {
		body := bson.D{}
		for range rapid.IntRange(0, 5).Draw(rt, "fields") {
			body = append(body, bson.E{
				Key: rapid.SampledFrom([]string{"a", "b", "_id", "_rev", "_z", "_set", "expires_at", "$x", "a.b"}).Draw(rt, "key"),
				Value: rapid.OneOf(
					rapid.Map(rapid.String(), func(s string) any { return s }),
					rapid.Map(rapid.Float64(), func(f float64) any { return f }),
					rapid.Map(rapid.Int64Range(0, 1<<40), func(n int64) any { return bson.DateTime(n) }),
					rapid.Map(rapid.IntRange(0, 300_000), func(n int) any { return bytes.Repeat([]byte{byte(n)}, n) }),
				).Draw(rt, "value"),
			})
		}
		d := store.Doc{Collection: state.Affairs, ID: "a", Rev: rapid.Int64Range(0, 1<<40).Draw(rt, "rev"), Body: marshal(t, body)}
		raw, set, cut, err := c.encode(d, func() string { return "s" })
		if err != nil || set != "" || cut != nil {
			rt.Fatalf("encode: set %q, %d pieces, %v", set, len(cut), err)
		}
		h, err := readHead(raw)
		if err != nil || raw.Validate() != nil || h.id != "a" || h.rev != d.Rev+1 || h.set != "" {
			rt.Fatalf("head %+v, %v, %v", h, err, raw.Validate())
		}
		got, err := c.body(h, nil)
		if err != nil || !bytes.Equal(d.Body, got) {
			rt.Fatalf("body %v came back as %v: %v", d.Body, got, err)
		}
	})
}

func TestEncodeCuts(t *testing.T) {
	t.Parallel()
	var c codec
	defer c.close()
	data := make([]byte, 9<<20)
	for i, x := 0, uint32(1); i < len(data); i++ {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	at := time.UnixMilli(1_900_000_000_000)
	d := store.Doc{Collection: state.Steps, ID: "a", Body: marshal(t, bson.D{{Key: "data", Value: data}, {Key: "expires_at", Value: at}})}
	raw, set, cut, err := c.encode(d, func() string { return "s1" })
	if err != nil || set != "s1" || len(cut) != 3 || len(raw) > 512 {
		t.Fatalf("encode: %d bytes, set %q, %d pieces, %v; want a small head and 3 pieces", len(raw), set, len(cut), err)
	}
	if got := raw.Lookup("expires_at").Time(); !got.Equal(at) {
		t.Errorf("expires_at of the head is %v, want %v", got, at)
	}
	h, err := readHead(raw)
	if err != nil || h.set != "s1" {
		t.Fatalf("head %+v, %v", h, err)
	}
	kept := bytes.Join(cut, nil)
	if body, err := c.body(h, kept); err != nil || !bytes.Equal(body, d.Body) {
		t.Errorf("body came back as %d bytes, %v; want %d", len(body), err, len(d.Body))
	}
	kept[100] ^= 1
	if _, err := c.body(h, kept); err == nil {
		t.Error("a changed piece was not noticed")
	}
}

func FuzzBody(f *testing.F) {
	for _, d := range []bson.D{
		{{Key: "_id", Value: "a"}, {Key: "_rev", Value: int64(1)}, {Key: "x", Value: "y"}},
		{{Key: "_id", Value: "a"}, {Key: "_rev", Value: int64(1)}, {Key: "_z", Value: box{Size: 5, Body: []byte{5, 0, 0, 0, 0}}}},
		{{Key: "_id", Value: "a"}, {Key: "_rev", Value: int64(1)}, {Key: "_z", Value: box{Zstd: true, Size: 1 << 29, Body: []byte{1}}}},
		{{Key: "_id", Value: "a"}, {Key: "_rev", Value: int64(1)}, {Key: "_set", Value: "s"}, {Key: "_z", Value: box{Size: 1, Kept: 1, Pieces: 1}}},
		{{Key: "_id", Value: 7}},
	} {
		f.Add([]byte(marshal(f, d)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bson.Raw(raw).Validate() != nil {
			return
		}
		var c codec
		defer c.close()
		h, err := readHead(raw)
		if err != nil {
			return
		}
		if x, err := h.box(); err == nil && x != nil && x.Size > 1<<24 {
			return // a size is believed up to the limit of documents
		}
		if body, err := c.body(h, nil); err == nil && len(body) > 0 && len(raw) < 1<<16 && body.Validate() != nil {
			if x, _ := h.box(); x == nil {
				t.Errorf("%v gave a body that is not BSON: %v", raw, body)
			}
		}
	})
}

// above is the least valid string behind a prefix: nothing with the prefix reaches it, and it is not too far.
func TestAbove(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[string]string{
		"": "", "a": "b", "a/": "a0", "ž": "ſ", "ÿ": "Ā", "a\U0010FFFF": "b", "\U0010FFFF": "", "\uD7FF": "\uE000", "🚗": "🚘", "\x7f": "\u0080",
	} {
		if got := above(prefix); got != want {
			t.Errorf("above(%q) = %q, want %q", prefix, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		prefix, rest, other := rapid.String().Draw(t, "prefix"), rapid.String().Draw(t, "rest"), rapid.String().Draw(t, "other")
		high := above(prefix)
		if !utf8.ValidString(high) || high != "" && prefix+rest >= high {
			t.Fatalf("above(%q) = %q does not bound %q", prefix, high, prefix+rest)
		}
		inside := other >= prefix && (high == "" || other < high)
		if inside != strings.HasPrefix(other, prefix) {
			t.Fatalf("%q is inside of [%q, %q): %t", other, prefix, high, inside)
		}
		if low, high := bounds(store.Query{Prefix: prefix, After: other, Reverse: true}); high != "" && !utf8.ValidString(high) || !utf8.ValidString(low) {
			t.Fatalf("bounds %q, %q are not valid", low, high)
		}
	})
}

func TestCheckShardKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		entry bson.D
		ok    bool
	}{
		{"by _id", bson.D{{Key: "key", Value: bson.D{{Key: "_id", Value: 1}}}}, true},
		{"by a hash of _id", bson.D{{Key: "key", Value: bson.D{{Key: "_id", Value: "hashed"}}}}, true},
		{"by a field", bson.D{{Key: "key", Value: bson.D{{Key: "title", Value: 1}}}}, false},
		{"by _id and a field", bson.D{{Key: "key", Value: bson.D{{Key: "_id", Value: 1}, {Key: "title", Value: 1}}}}, false},
		{"dropped", bson.D{{Key: "dropped", Value: true}, {Key: "key", Value: bson.D{{Key: "title", Value: 1}}}}, true},
		{"not sharded", bson.D{{Key: "unsplittable", Value: true}, {Key: "key", Value: bson.D{{Key: "title", Value: 1}}}}, true},
		{"without key", bson.D{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := checkShardKey(marshal(t, append(bson.D{{Key: "_id", Value: "mneme.steps"}}, tt.entry...)))
			if tt.ok != (err == nil) || err != nil && (state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), "mneme.steps")) {
				t.Errorf("checkShardKey = %v, want accepted: %t", err, tt.ok)
			}
		})
	}
}

func TestDiffering(t *testing.T) {
	t.Parallel()
	key := bson.E{Key: "key", Value: bson.D{{Key: "expires_at", Value: 1}}}
	for name, tt := range map[string]struct {
		index bson.D
		want  []string
	}{
		"ours":             {bson.D{key, {Key: "expireAfterSeconds", Value: int32(0)}}, nil},
		"ours, as double":  {bson.D{key, {Key: "expireAfterSeconds", Value: 0.0}}, nil},
		"no TTL":           {bson.D{key}, []string{"expireAfterSeconds"}},
		"a later TTL":      {bson.D{key, {Key: "expireAfterSeconds", Value: 60}}, []string{"expireAfterSeconds"}},
		"for some, no TTL": {bson.D{key, {Key: "partialFilterExpression", Value: bson.D{}}}, []string{"expireAfterSeconds", "partialFilterExpression"}},
	} {
		if diff := cmp.Diff(tt.want, differing(marshal(t, tt.index))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	const secret = "s3cr%40t"
	for _, uri := range []string{
		"mongodb://user:" + secret + "@host:27017/db", "mongodb://user:" + secret + "@ho st/", "user:" + secret + "@host",
		"mongodb://user:" + secret + "@x@host/?bad=1", "mongodb://u/ser:" + secret + "@host",
	} {
		for _, text := range []string{uri, "bad " + uri, "user " + secret, "plain s3cr@t", fmt.Sprintf("%q", uri), strings.TrimPrefix(uri, "mongodb://")} {
			if got := mask(uri, text); strings.Contains(got, secret) || strings.Contains(got, "s3cr@t") {
				t.Errorf("mask(%q, %q) = %q shows the password", uri, text, got)
			}
		}
	}
	if got := mask("mongodb://host/db", "no such option"); got != "no such option" {
		t.Errorf("mask = %q, want the text as it was", got)
	}
}

func FuzzMask(f *testing.F) {
	f.Add("mongodb://", "u", "secretword", "host")
	f.Add("", "u:", "a@b/c", "")
	f.Fuzz(func(t *testing.T, scheme, user, password, host string) {
		if len(password) < 6 || strings.Contains(host, "@") || strings.Contains("***"+user+scheme+host, password) || strings.Contains(scheme+user, ":/") {
			return
		}
		uri := scheme + user + ":" + password + "@" + host
		if got := mask(uri, "error parsing "+uri); strings.Contains(got, password) {
			t.Errorf("mask shows %q of %q: %q", password, uri, got)
		}
	})
}
