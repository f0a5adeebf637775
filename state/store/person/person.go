package person

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says whose memory it is and where. Store and Scope are required, Now for Write.
type Config struct {
	Store store.Store
	Scope state.Scope // the user's
	Now   func() time.Time

	// Around is called by Read when the file is found to be whole and the user to have nothing, and calls write, which writes it. The file may be from before something was
	// erased: see forget.Room.Bring.
	Around func(ctx context.Context, r Report, write func(context.Context) error) error
}

// Format is what the first line of a file says.
const Format = "mneme-person"

// version grows when another release would read a file wrongly.
const version = 1

// Collections are those whose documents are in a file, in their order.
func Collections() []state.Collection {
	return []state.Collection{
		state.Sessions, state.Messages, state.Affairs, state.Records, state.Suggestions, state.Overrides, state.Orders, state.Feed,
	}
}

// Report says what a file has, and of a reading how much of it was new.
type Report struct {
	Client    string                   `json:"client"` // of the file
	User      string                   `json:"user"`
	At        time.Time                `json:"at"`
	Documents map[state.Collection]int `json:"documents"`
	Written   int                      `json:"written,omitempty"`
	SHA256    string                   `json:"sha256"`

	Origin int64 `json:"-"` // when the memory began, in milliseconds: the same in each copy of it; only of a reading
	Last   int64 `json:"-"` // number of its last change; only of a reading
}

// head is the first line.
type head struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Client  string    `json:"client"`
	User    string    `json:"user"`
	At      time.Time `json:"at"`
}

// entry is the line of a document.
type entry struct {
	In  state.Collection `json:"in"`
	Key string           `json:"key"` // without the user's part
	Doc json.RawMessage  `json:"doc"`
}

// end is the last line.
type end struct {
	Documents int    `json:"documents"`
	SHA256    string `json:"sha256"`
}

// tries bounds how often a memory that changes meanwhile is read anew.
const tries = 4

// Write writes a user's memory as it stood at one moment. One that changes all the time is state.ErrUnavailable; a user who has nothing is
// state.ErrNotFound.
func Write(ctx context.Context, c Config, to io.Writer) (Report, error) {
	scope := c.Scope.Default()
	if err := scope.Validate(); err != nil {
		return Report{}, err
	}
	r := Report{Client: scope.Client, User: scope.User, At: c.Now().UTC().Truncate(time.Millisecond)}
	for range tries {
		before, err := c.last(ctx)
		if err != nil {
			return r, err
		}
		docs, err := c.read(ctx)
		if err != nil {
			return r, err
		}
		after, err := c.last(ctx)
		switch {
		case err != nil:
			return r, err
		case before != after:
			continue
		case len(docs) == 0:
			return r, state.Errorf(state.NotFound, "user "+scope.User, "has no memory here")
		}
		return r.write(to, scope, docs)
	}
	return r, state.Errorf(state.Unavailable, "export of user "+scope.User, "his memory changes all the time; try again when he is quiet")
}

// last returns the key of the user's last entry in the feed.
func (c Config) last(ctx context.Context) (string, error) {
	docs, err := c.Store.Scan(ctx, store.Query{Collection: state.Feed, Prefix: c.Scope.Default().UserPrefix(), Limit: 1, Reverse: true})
	if err != nil || len(docs) == 0 {
		return "", err
	}
	return docs[0].ID, nil
}

// read reads all documents of the user.
func (c Config) read(ctx context.Context) (docs []store.Doc, err error) {
	for _, in := range Collections() {
		for page, err := range store.Pages(ctx, c.Store.Scan, store.Query{Collection: in, Prefix: c.Scope.Default().UserPrefix(), Limit: 500}) {
			if err != nil {
				return nil, err
			}
			docs = append(docs, page...)
		}
	}
	return docs, nil
}

// write writes the lines.
func (r Report) write(to io.Writer, scope state.Scope, docs []store.Doc) (Report, error) {
	sum := sha256.New()
	both := io.MultiWriter(to, sum)
	line := func(w io.Writer, v any) error {
		text, err := json.Marshal(v)
		if err == nil {
			_, err = w.Write(append(escape(text), '\n'))
		}
		if err != nil {
			return state.Errorf(state.Unavailable, "export of user "+scope.User, "cannot be written: %w", err)
		}
		return nil
	}
	if err := line(both, head{Format, version, r.Client, r.User, r.At}); err != nil {
		return r, err
	}
	r.Documents = map[state.Collection]int{}
	for _, doc := range docs {
		body, err := bson.MarshalExtJSON(unmarked(doc.Body), true, false)
		if err != nil {
			return r, state.Errorf(state.Internal, string(doc.Collection)+" "+doc.ID, "is damaged: %w", err)
		}
		if err := line(both, entry{doc.Collection, strings.TrimPrefix(doc.ID, scope.UserPrefix()), body}); err != nil {
			return r, err
		}
		r.Documents[doc.Collection]++
	}
	r.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return r, line(to, end{len(docs), r.SHA256})
}

// escape writes what has no shape of its own as JSON can: \u202e. A terminal, an editor or a mail that would change it then leaves the file as it is.
func escape(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		switch high, low := utf16.EncodeRune(c); {
		case c < utf8.RuneSelf || size > 1 && unicode.IsGraphic(c) && c < 0xE0000:
			out = append(out, text[:size]...)
		case high != unicode.ReplacementChar:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, c)
		}
		text = text[size:]
	}
	return out
}

// unmarked returns a document without the names of steps that it was written by.
func unmarked(body bson.Raw) bson.D {
	var doc, out bson.D
	if bson.Unmarshal(body, &doc) != nil {
		return nil
	}
	for _, e := range doc {
		if e.Key != "applied" && e.Key != "wrote" {
			out = append(out, e)
		}
	}
	return out
}

// parse reads a whole file, and refuses one that is not as it was written (state.ErrInvalid).
func parse(from io.Reader, scope state.Scope) (r Report, docs []store.Doc, err error) {
	whole, err := io.ReadAll(from)
	if err != nil {
		return r, nil, err
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	if n := len(lines); n < 3 || len(lines[n-1]) > 0 {
		return r, nil, refused("is cut off")
	}
	lines = lines[:len(lines)-1]

	// The last line first: nothing else is looked at before the sum is right.
	var last end
	sum := sha256.Sum256(whole[:len(whole)-len(lines[len(lines)-1])])
	if json.Unmarshal(lines[len(lines)-1], &last) != nil || last.SHA256 == "" {
		return r, nil, refused("is cut off: its last line has no sum")
	}
	again, _ := json.Marshal(last) // of two plain fields
	if last.SHA256 != hex.EncodeToString(sum[:]) || last.Documents != len(lines)-2 || !bytes.Equal(append(again, '\n'), lines[len(lines)-1]) {
		return r, nil, refused("was changed since it was written: its sum is another")
	}

	var first head
	if json.Unmarshal(lines[0], &first) != nil || first.Format != Format {
		return r, nil, refused("holds no person")
	}
	if first.Version != version {
		return r, nil, refused("is of version %d, and this release reads %d", first.Version, version)
	}
	r = Report{Client: first.Client, User: first.User, At: first.At, Documents: map[state.Collection]int{}, SHA256: last.SHA256}
	for _, line := range lines[1 : len(lines)-1] {
		doc, err := r.document(line, scope)
		if err != nil {
			return r, nil, err
		}
		docs = append(docs, doc)
		r.Documents[doc.Collection]++
		if doc.Collection == state.Feed {
			at, is := doc.Body.Lookup("at").DateTimeOK()
			seq, numbered := doc.Body.Lookup("seq").AsInt64OK()
			if !is || !numbered {
				return r, nil, refused("has a change without a time or a number")
			}
			r.Origin, r.Last = cmp.Or(r.Origin, at), seq
		}
	}
	return r, docs, nil
}

func refused(format string, args ...any) error {
	return state.Errorf(state.Invalid, "the file", format, args...)
}
