package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/read/extract"
	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
)

// Change is a requested edit of memory: one thing to be remembered.
type Change struct {
	Kind       state.RecordKind // default fact
	Subject    string           // what it is about, a few words
	Content    string           // required: what is to be kept
	Affair     string           // id of the affair it belongs to; default: the one of the turn, none outside a turn
	About      state.About      // whose it is; default: the affair's if Affair is given, else as package personal tells
	Trust      state.Trust      // default agent
	Author     string
	Priority   state.Priority // how soon it must have its vector; default Normal
	Importance int            // 1 to 10; default 5
	Pinned     bool           // never evicted
	ValidFrom  time.Time      // default zero: valid from the beginning, whatever the clocks say
	Due        time.Time      // of a task: when it is to be done; zero = it is none
	Agent      string         // whose memory it is, where that is another agent's than the scope's

	corrects *state.Record // it takes the place of this one, whatever the two say
	slot     string        // what of the user it is the value of, where that has one at a time: what was known of it is over
}

// Origin is where a write inside a turn comes from.
type Origin = desk.Origin

// Ground is what a model had before it when it made a call. By it the door tells whose words a change has.
type Ground = desk.Ground

// ContextWithOrigin says where writes under the context come from.
func ContextWithOrigin(ctx context.Context, o Origin) context.Context {
	return desk.Call{Origin: o}.In(ctx)
}

// OriginFrom returns where the call comes from, and whether it is inside a turn.
func OriginFrom(ctx context.Context) (Origin, bool) {
	c := desk.CallFrom(ctx)
	return c.Origin, c.Inside
}

// mostPersonal bounds the bytes of what the rules take for the user's: a longer text is a document.
const mostPersonal = 400

// complete checks a change and fills in its defaults; nothing has been written by then.
func (c Change) complete(o desk.Call) (Change, error) {
	// What the change is about, unless it says so: short things that fit are the user's, the rest is the affair's.
	c.Kind, c.Importance, c.Trust = cmp.Or(c.Kind, state.FactRecord), cmp.Or(c.Importance, 5), cmp.Or(c.Trust, state.TrustAgent)
	if len(c.Content) <= mostPersonal && !o.Shared {
		if c.slot == "" && (c.About == "" && c.Affair == "" || c.About == state.AboutUser) {
			c.slot = extract.Slot(c.Subject, c.Content)
		}
		if c.About == "" && c.Affair == "" && (c.slot != "" || personal.Of(c.Kind, c.Subject, c.Content)) {
			c.About = state.AboutUser
		}
	}
	switch c.Affair = cmp.Or(c.Affair, o.Affair); {
	case !c.Due.IsZero(): // a task is the user's, and of the affair that it was set in
	case c.About == state.AboutUser, c.About == state.AboutProject:
		c.Affair = ""
	case c.About == "" && c.Affair != "":
		c.About = state.AboutAffair
	}

	// Each error names what is wrong and what would do.
	const op = "memory write"
	switch {
	case strings.TrimSpace(c.Content) == "":
		return c, state.Errorf(state.Invalid, op, "content is empty; say what is to be kept")
	case !utf8.ValidString(c.Subject + c.Content + c.Author):
		return c, state.Errorf(state.Invalid, op, "is not valid UTF-8; send it as UTF-8 text")
	case !c.Kind.Known():
		return c, state.Errorf(state.Invalid, op, "kind %.40q is unknown; use one of %v", c.Kind, state.Categories())
	case !slices.Contains(state.Trusts(), c.Trust):
		return c, state.Errorf(state.Invalid, op, "trust %.40q is unknown; use one of %v", c.Trust, state.Trusts())
	case c.Priority != "" && !c.Priority.Valid():
		return c, state.Errorf(state.Invalid, op, "priority %.40q is unknown; use one of %v", c.Priority, state.Priorities())
	case !c.About.Known():
		return c, state.Errorf(state.Invalid, op, "about %.40q is unknown; use user, affair or project", c.About)
	case c.Importance < 1 || c.Importance > 10:
		return c, state.Errorf(state.Invalid, op, "importance is %d; it runs from 1 to 10", c.Importance)
	}
	return c, cmp.Or(
		state.CheckSize(op+": content", len(c.Content), limit.ContentBytes, "send it in pieces, or as an attachment of a message"),
		state.CheckSize(op+": subject", len(c.Subject), limit.SubjectBytes, "a few words are enough, the rest belongs into the content"),
		state.CheckSize(op+": author", len(c.Author), limit.NameBytes, "give a name"),
		checkID(op+": agent", c.Agent),
		checkID(op+": affair", c.Affair),
	)
}

// checkID refuses a name or an id that nothing can have; none is fine.
func checkID(name, id string) error {
	if id == "" {
		return nil
	}
	return state.ValidateID(name, id)
}
