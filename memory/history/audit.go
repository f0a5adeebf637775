package history

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// undoPath is the way of what takes changes back: see state.By.
const undoPath = "undo"

// Config says what a Room works with. All of it is required.
type Config struct {
	Desk      *desk.Desk
	Gate      func(ctx context.Context, scope state.Scope, asked ...desk.Wish) error            // lets an undo pass, or says why not
	FiledBack func(ctx context.Context, scope state.Scope, by state.By) ([]state.Effect, error) // files a turn's messages where they were, if by had put them elsewhere
}

// Room tells and undoes changes. It is safe for concurrent use.
type Room struct {
	desk      *desk.Desk
	gate      func(ctx context.Context, scope state.Scope, asked ...desk.Wish) error
	filedBack func(ctx context.Context, scope state.Scope, by state.By) ([]state.Effect, error)
}

// New makes a Room.
func New(c Config) *Room { return &Room{c.Desk, c.Gate, c.FiledBack} }

// Query selects changes; what is empty selects all.
type Query struct {
	ID      string // of the record or affair
	Turn    string
	Session string
	Agent   string
	Who     state.Who
	Path    string
	Since   time.Time
	Until   time.Time
	Seq     int64  // the changes of one commit
	Limit   int    // at most so many, the newest; 0 = all
	Target  string // the agent whose memory was changed
	Shared  bool   // of what all users of the scope's client know
}

// Change is one change of a record or an affair. Seq is the number of its commit, by which UndoChange takes it.
type Change struct {
	Seq     int64            `json:"change"`
	At      time.Time        `json:"at"`
	By      state.By         `json:"by"`
	Agent   string           `json:"agent,omitempty"`  // that had it made, or in whose turn it was
	Target  string           `json:"target,omitempty"` // whose memory it is
	Session string           `json:"session,omitempty"`
	Kind    state.Collection `json:"kind"` // records, affairs or suggestions
	ID      string           `json:"id"`
	What    string           `json:"what"` // made, changed or gone
	Fields  []Field          `json:"fields"`
	Words   string           `json:"words,omitempty"` // of the message that it comes from, as it is shown today
}

// Field is a field before and after a change; a zero value = it was not there. Where it says what was forgotten since, a mark stands.
type Field struct {
	Name          string
	Before, After bson.RawValue
}

// Audit returns the changes of the scope's user's records and affairs, the newest first, as far back as the feed goes. Session summaries are
// not among them, and neither is what counts messages. Other sessions' changes are among them unless the query names one.
func (r *Room) Audit(ctx context.Context, scope state.Scope, q Query) ([]Change, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if q.Shared {
		scope = desk.OfClient(scope)
	}

	known, err := r.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	known.Unlock() // what is hidden locks it itself
	var out []Change
	err = r.walkBack(ctx, scope, q.Since, func(v version) (bool, error) {
		if v.seq < q.Seq || !q.selects(v) {
			return v.seq < q.Seq, nil
		}
		a, err := r.audited(ctx, scope, known, v)
		out = append(out, a)
		return q.Limit > 0 && len(out) == q.Limit, err
	})
	return out, err
}

func (q Query) selects(v version) bool {
	is := func(want, has string) bool { return want == "" || want == has }
	return is(q.ID, v.Ref.ID) && is(q.Turn, v.By.Turn) && is(q.Session, v.Sess) && is(q.Agent, v.Agent) && is(q.Target, v.target()) && is(string(q.Who), string(v.By.Who)) &&
		is(q.Path, v.By.Path) && (q.Until.IsZero() || !v.at.After(q.Until)) && (q.Seq == 0 || q.Seq == v.seq)
}

// version is a change and the document as it was before and after it, nil where there was none.
type version struct {
	ledger.Change
	seq           int64
	at            time.Time
	before, after bson.Raw
}

// target returns the agent whose memory was changed, "" for what is nobody's.
func (v version) target() string {
	for _, body := range []bson.Raw{v.after, v.before} {
		for _, key := range []string{"target", "agent"} {
			if name, ok := body.Lookup(key).StringValueOK(); ok && name != "" {
				return name
			}
		}
	}
	return ""
}

// auditPage is how many entries of the feed are read at a time.
const auditPage = 256

// walkBack visits the changes of a user's memory since a time, the newest first, until visit says that it is enough. What the documents were it
// tells from what they are.
func (r *Room) walkBack(ctx context.Context, scope state.Scope, since time.Time, visit func(version) (enough bool, err error)) error {
	q := store.Query{Collection: state.Feed, Prefix: scope.UserPrefix(), Limit: auditPage, Reverse: true}
	bodies := map[ledger.Ref]bson.Raw{}

	// Page by page, the newest entry first.
	for {
		entries, err := ledger.Scan[ledger.Entry](ctx, r.desk.Base, q)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.At.Time().Before(since) {
				return nil
			}
			q.After = scope.FeedKey(e.Seq)

			// A document is what its next change began with; the newest one is read.
			for _, c := range slices.Backward(e.Changes) {
				after, known := bodies[c.Ref]
				if !known {
					doc, err := r.desk.Base.Get(ctx, c.Ref.Collection, scope.Key(c.Ref.ID))
					if err != nil && !errors.Is(err, state.ErrNotFound) {
						return err
					}
					after = doc.Body
				}
				v := version{Change: c, seq: e.Seq, at: e.At.Time().UTC(), after: after}
				if v.before, err = c.Before(after); err != nil {
					return err
				}
				bodies[c.Ref] = v.before
				if enough, err := visit(v); enough || err != nil {
					return err
				}
			}
		}
		if len(entries) < auditPage {
			return nil
		}
	}
}

// audited returns a change as it is told, with what was forgotten since hidden as the mind knows it.
func (r *Room) audited(ctx context.Context, scope state.Scope, known *mind.Mind, v version) (Change, error) {
	a := Change{Seq: v.seq, At: v.at, By: v.By, Agent: v.Agent, Target: v.target(), Session: v.Sess, Kind: v.Ref.Collection, ID: v.Ref.ID, What: "changed"}

	// What happened to the document as a whole.
	switch {
	case v.New:
		a.What = "made"
	case v.Gone:
		a.What = "gone"
	}

	// Its fields: those that changed, and all of a document that is new.
	names := []string{}
	for _, f := range v.Fields {
		names = append(names, f.Name)
	}
	if v.New && v.after != nil {
		elements, err := v.after.Elements()
		if err != nil {
			return a, damaged(v.Ref, err)
		}
		for _, e := range elements {
			names = append(names, e.Key())
		}
	}
	then := func(s string) string { return known.Hidden(s, time.Time{}, "") }
	now := func(s string) string { return known.Hidden(s, v.at, v.By.Turn) }
	names = slices.DeleteFunc(names, func(name string) bool { return name == "links" }) // keys made of its words, which hold what a mark hides
	for _, name := range names {
		before, err := marked(v.before.Lookup(name), then)
		after, errAfter := marked(v.after.Lookup(name), now)
		if err = cmp.Or(err, errAfter); err != nil {
			return a, damaged(v.Ref, err)
		}
		a.Fields = append(a.Fields, Field{name, before, after})
	}

	// The words that led to it, as far as the message is still there.
	if n, ok := messageNumber(v.By.Message); ok && v.Sess != "" {
		scope.Session = v.Sess
		msg, err := ledger.Get[state.Message](ctx, r.desk.Base, state.Messages, scope.MessageKey(n))
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			return a, err
		}
		a.Words = known.Unsay(v.Sess, msg).Text
	}
	return a, nil
}

// marked returns a value with each text in it as it is shown.
func marked(v bson.RawValue, show func(string) string) (bson.RawValue, error) {
	var whole any
	if v.IsZero() {
		return v, nil
	}
	if err := v.Unmarshal(&whole); err != nil {
		return v, err
	}
	kind, data, err := bson.MarshalValue(shown(whole, show))
	return bson.RawValue{Type: kind, Value: data}, err
}

// shown returns a decoded value with each text in it as it is shown.
func shown(v any, show func(string) string) any {
	switch v := v.(type) {
	case string:
		return show(v)
	case bson.A:
		for i := range v {
			v[i] = shown(v[i], show)
		}
	case bson.D:
		for i := range v {
			v[i].Value = shown(v[i].Value, show)
		}
	}
	return v
}

// messageNumber returns the number of a message in its session that its id tells; a caller's own id tells none.
func messageNumber(id string) (n int64, ok bool) {
	digits, ours := strings.CutPrefix(id, "m")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ours && err == nil
}

func damaged(ref ledger.Ref, err error) error {
	return state.Errorf(state.Internal, string(ref.Collection)+" "+ref.ID, "is damaged: %w", err)
}
