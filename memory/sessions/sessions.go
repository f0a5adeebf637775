package sessions

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
)

// What /clear put out of sight enters no prompt by itself, of any session, and stands in no summary made later; the L1 and L2 that
// held it are made again (reconsolidate). Recall finds it when it is asked for it. Records learnt from it and affairs stay.

// Config says what a Room works with. All of it is required. What the functions decide joins the edits that they are given.
type Config struct {
	Desk       *desk.Desk
	Park       func(ctx context.Context, e *desk.Edits) error                                                                       // sets aside what is active
	Keep       func(ctx context.Context, e *desk.Edits, r state.Record, said []state.Message, found background.ExtractAnswer) error // writes what was found in a part
	Reorganise func(ctx context.Context, e *desk.Edits) error                                                                       // puts affairs in order, where that is allowed
	InBrain    func(ctx context.Context, own []state.Record) []state.Record                                                         // those of the user's own records that are in his brain
	Current    func(ctx context.Context, d *mind.Mind, scope state.Scope, summary string, from time.Time) (string, error)           // what a summary of what was said from a time on says now
	PutRight   func(summary string, said []state.Message) (string, []state.Message)                                                 // a summary and messages to take in, with what later ones of them correct
}

// Room is a user's sessions. It is safe for concurrent use.
type Room struct {
	desk       *desk.Desk
	park       func(ctx context.Context, e *desk.Edits) error
	keep       func(ctx context.Context, e *desk.Edits, r state.Record, said []state.Message, found background.ExtractAnswer) error
	reorganise func(ctx context.Context, e *desk.Edits) error
	inBrain    func(ctx context.Context, own []state.Record) []state.Record
	current    func(ctx context.Context, d *mind.Mind, scope state.Scope, summary string, from time.Time) (string, error)
	putRight   func(summary string, said []state.Message) (string, []state.Message)
}

// New makes a Room.
func New(c Config) *Room {
	return &Room{c.Desk, c.Park, c.Keep, c.Reorganise, c.InBrain, c.Current, c.PutRight}
}

// edits are those of a decision, and the room that they are decided in.
type edits struct {
	x *Room
	*desk.Edits
}

// List lists the user's sessions, last used first.
func (x *Room) List(ctx context.Context, scope state.Scope) ([]state.Session, error) {
	d, err := x.desk.Mind(ctx, scope.Default())
	if err != nil {
		return nil, err
	}
	defer d.Unlock()

	list := make([]state.Session, 0, len(d.Sessions))
	for _, s := range d.Sessions {
		list = append(list, s)
	}

	used := func(s state.Session) time.Time {
		if s.LastAt.Before(s.StartedAt) {
			return s.StartedAt
		}
		return s.LastAt
	}
	slices.SortFunc(list, func(a, b state.Session) int {
		return cmp.Or(used(b).Compare(used(a)), strings.Compare(a.ID, b.ID))
	})
	return list, nil
}

// Get returns the session's document; a session that was never used is its zero value.
func (x *Room) Get(ctx context.Context, scope state.Scope) (state.Session, error) {
	return x.desk.Session(ctx, scope.Default())
}

// Change is what somebody changes about a session.
type Change struct {
	New   bool   // it begins; without an id in the scope it gets one
	Title string // in place of the one it had
	End   bool   // its part is over: what is active is parked, and the next message begins another part
	Clear bool   // the same, and what was said leaves the window and the summary
}

// Edit changes the scope's session and returns it as it is then. Nothing is deleted: what was cleared enters no prompt by itself
// any more, and recall finds it when it is asked for it. The part that ends keeps a record of kind summary: see state.Span. To end what
// has ended, or to clear what was never used, changes nothing. A session that is not there is state.ErrNotFound; one that is to begin and
// is there, or is to end while a turn runs or waits in it, is state.ErrConflict.
func (x *Room) Edit(ctx context.Context, scope state.Scope, c Change) (state.Session, error) {
	if c.New && scope.Session == "" {
		scope.Session = x.desk.NewID()
	}
	scope = scope.Default()
	ctx = x.desk.Under(ctx, scope)
	if c == (Change{}) {
		return state.Session{}, state.Errorf(state.Invalid, "session "+scope.Session, "nothing is to be changed; give it a title of a few words, or end it")
	}
	title, err := x.sessionTitle(c.Title)
	if err != nil {
		return state.Session{}, err
	}
	ctx = x.desk.Knowing(ctx, scope)
	s, last, err := x.desk.SessionEnd(ctx, scope)
	switch {
	case err != nil:
		return s, err
	case c.New && (s.ID != "" || last > 0):
		return s, state.Errorf(state.Conflict, "session "+scope.Session, "is there already; name another, or go on with it")
	case c.End && last > s.Messages:
		return s, state.Errorf(state.Conflict, "end session "+scope.Session, "a turn runs in it, or waits for an answer; let it end, answer it or cancel it first")
	case s.ID == "" && !c.New && c == (Change{Clear: true}):
		return s, nil
	case s.ID == "" && !c.New:
		return s, x.Missing(ctx, scope)
	}

	// What changes?
	now := x.desk.Now()
	e := &edits{x, &desk.Edits{Scope: scope, Behind: true, By: desk.MadeBy(ctx)}}
	e.By.Path = desk.EndPath
	e.View.Session, e.View.Agent = parts.Open(s, scope, now), cmp.Or(s.Agent, scope.Agent)
	if title != "" {
		e.View.Session.Title, e.View.Session.TitledAt = title, now
	}
	if c.End || c.Clear {
		leave, err := x.desk.Alone(ctx, scope) // what the part says of the user is judged and written
		if err != nil {
			return s, err
		}
		defer leave()
		if err := e.end(ctx, now, c.Clear); err != nil {
			return s, err
		}
	}
	if e.Add(state.Effect{Session: &e.View.Session}); !c.New && len(e.Effects) == 1 && reflect.DeepEqual(e.View.Session, s) {
		return s, nil
	}
	return e.View.Session, e.x.desk.DecideAll(ctx, e.Edits)
}

// end parks what is active and closes the part. What is to be cleared stands in no summary that is made now.
func (e *edits) end(ctx context.Context, now time.Time, unseen bool) (err error) {
	d, err := e.x.desk.Mind(ctx, e.Scope)
	if err != nil {
		return err
	}
	e.View.Affairs, err = d.All(ctx, e.Scope.Session, false)
	d.Unlock()
	if err == nil {
		err = e.x.park(ctx, e.Edits)
	}
	if err != nil {
		return err
	}
	s := &e.View.Session
	s.Active, s.Preferences = "", nil
	parts.End(s, s.Messages+1, now, now)
	if unseen {
		s.Summary, s.SummaryID, s.Summarised, s.WindowFrom = "", "", s.Messages, s.Messages
	}

	closed, err := e.closeParts(ctx)
	if err == nil && closed {
		err = e.finishParts(ctx)
	}
	if err != nil || !unseen {
		return err
	}
	return e.reconsolidate(ctx, "")
}

// closeParts writes the documents of the session's parts that are over, and reports whether there were any. Each is summed up to its last
// message, unless it was cleared.
func (e *edits) closeParts(ctx context.Context) (closed bool, err error) {
	s := &e.View.Session
	for _, span := range s.Ending {
		span.Covered = max(span.First-1, min(s.Summarised, span.Last))
		r, err := e.partRecord(ctx, span)
		if err != nil {
			return false, err
		}
		sums := e.x.desk.Set(ctx).SummaryStrategy != desk.SummaryOff && span.First > s.WindowFrom
		for sums && r.Span.Covered < span.Last {
			if err := e.fold(ctx, &r, span.Last); err != nil {
				return false, err
			}
		}
		if span.First > s.WindowFrom { // what was cleared is learnt from no more
			if err := e.learnPart(ctx, &r); err != nil {
				return false, err
			}
		}
		if e.keepSummary(r); sums {
			s.Summarised = max(s.Summarised, span.Last)
		}
	}
	closed, s.Ending = len(s.Ending) > 0, nil
	return closed, nil
}

// sessionTitle returns a title as it is kept: one line, with its secrets masked.
func (x *Room) sessionTitle(title string) (string, error) {
	switch {
	case title == "":
		return "", nil
	case !utf8.ValidString(title):
		return "", state.Errorf(state.Invalid, "title of a session", "is not valid UTF-8; send it as UTF-8 text")
	case desk.Blank(title):
		return "", state.Errorf(state.Invalid, "title of a session", "is empty; give it a few words")
	}
	if err := state.CheckSize("title of a session", len(title), limit.SubjectBytes, "a few words are enough"); err != nil {
		return "", err
	}
	return x.desk.Mask(quote.Line(title)), nil
}

// Missing returns the error for a session that is not there; it names those last used.
func (x *Room) Missing(ctx context.Context, scope state.Scope) error {
	all, err := x.List(ctx, scope)
	if err != nil {
		return err
	}
	return state.Errorf(state.NotFound, "session "+scope.Session, "there is no such session of user %s; there are: %s", scope.User, pick.Listed(pick.Sessions(all)))
}
