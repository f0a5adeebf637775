package memory

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// request is an edit of memory as it was asked for, in a form that can be kept. One of its pointers is set.
type request struct {
	Write    *wish         `bson:"write,omitempty"`
	Amend    *amendWish    `bson:"amend,omitempty"`
	Affair   *affairWish   `bson:"affair,omitempty"`
	Prefer   *preferWish   `bson:"prefer,omitempty"`
	Withhold *withholdWish `bson:"withhold,omitempty"`
	Undo     *undoWish     `bson:"undo,omitempty"`
	Origin   asker         `bson:"origin"`
}

// asker is the part of an Origin that carrying a request out needs.
type asker struct {
	Affair  string `bson:"affair,omitempty"`
	Turn    string `bson:"turn,omitempty"`
	Message string `bson:"message,omitempty"`
	Seq     int64  `bson:"seq,omitempty"`
	Tool    string `bson:"tool,omitempty"`
}

// wish is a record to be written.
type wish struct {
	Change   Change `bson:"change"`
	Slot     string `bson:"slot,omitempty"`
	Corrects string `bson:"corrects,omitempty"` // id of the record whose place it takes
	Shared   bool   `bson:"shared,omitempty"`   // with all users of the client
}

// amendWish is what becomes of records that it names: who approves of it has seen them.
type amendWish struct {
	Action Action   `bson:"action"`
	IDs    []string `bson:"ids"`
	Shared bool     `bson:"shared,omitempty"`
	Digest string   `bson:"digest,omitempty"` // takes the place of the digest of a session's part
	Keep   string   `bson:"keep,omitempty"`   // stays of the one record
	says   string
	target string
}

// affairWish is what becomes of an affair: it is opened, merged, moved, else edited.
type affairWish struct {
	ID      string       `bson:"id,omitempty"` // "" = a new one
	Into    string       `bson:"into,omitempty"`
	To      state.Status `bson:"to,omitempty"`
	Summary string       `bson:"summary,omitempty"`
	Change  AffairChange `bson:"change"`
	title   string
}

// preferWish is a preference to hold in all sessions.
type preferWish struct {
	Label string `bson:"label"`
	Value string `bson:"value"`
}

// withholdWish is a message of which nothing is to be kept.
type withholdWish struct {
	Seq  int64  `bson:"seq"`
	Turn string `bson:"turn"`
	says string
}

// undoWish is a change to be undone, or a turn to be taken back.
type undoWish struct {
	Change int64  `bson:"change,omitempty"`
	Turn   string `bson:"turn,omitempty"`
}

// asks says in a word or two what is asked for.
func (r request) asks() string {
	switch {
	case r.Write != nil && r.Write.Shared:
		return "share"
	case r.Write != nil && r.Write.Corrects != "":
		return "correct"
	case r.Write != nil, r.Prefer != nil:
		return "remember"
	case r.Amend != nil:
		return string(r.Amend.Action)
	case r.Withhold != nil:
		return "do not remember"
	case r.Undo != nil:
		return "undo"
	}
	switch {
	case r.Affair.Into != "":
		return "merge affairs"
	case r.Affair.To != "":
		return "move affair"
	case r.Affair.ID == "":
		return "create affair"
	}
	return "edit affair"
}

// mostSuggested bounds the text by which a suggestion is read, in bytes; the request has it all.
const mostSuggested = 300

// says is the request as a person reads it, in a line.
func (r request) says() string {
	var s string
	switch {
	case r.Write != nil:
		s = mind.RecordText(state.Record{Subject: r.Write.Change.Subject, Content: r.Write.Change.Content})
	case r.Prefer != nil:
		s = r.Prefer.Label + ": " + r.Prefer.Value
	case r.Amend != nil:
		s = r.Amend.says
	case r.Withhold != nil:
		s = r.Withhold.says
	case r.Undo != nil && r.Undo.Turn != "":
		s = "turn " + r.Undo.Turn
	case r.Undo != nil:
		s = "change " + itoa(r.Undo.Change)
	default:
		s = r.Affair.says()
	}
	return text.Head(strings.Join(strings.Fields(s), " "), mostSuggested)
}

func (w affairWish) says() string {
	// A merge or a move says what it does by its title.
	switch {
	case w.Into != "":
		return w.title
	case w.To != "":
		return strings.TrimSuffix(w.title+" to "+string(w.To)+": "+w.Summary, ": ")
	}

	// An edit lists what it changes.
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	c := w.Change
	add("title", c.Title)
	if c.Summary != nil {
		add("summary", *c.Summary)
	}
	for _, f := range c.Facts {
		add(f.Label, f.Value)
	}
	add("without", strings.Join(c.DropFacts, ", "))
	if c.Pending != nil {
		add("pending", strings.Join(*c.Pending, ", "))
	}
	add("topics", strings.Join(c.Topics, ", "))
	return strings.TrimPrefix(w.title+": ", ": ") + strings.Join(parts, "; ")
}

// of are the ids of what a request edits.
func (r request) of() []string {
	switch {
	case r.Write != nil && r.Write.Corrects != "":
		return []string{r.Write.Corrects}
	case r.Amend != nil:
		return r.Amend.IDs
	case r.Affair != nil && r.Affair.ID != "":
		return slices.DeleteFunc([]string{r.Affair.ID, r.Affair.Into}, func(id string) bool { return id == "" })
	}
	return nil
}

// target is the agent whose memory is edited, "" where it is the asker's own or nobody's.
func (r request) target() string {
	switch {
	case r.Write != nil:
		return r.Write.Change.Agent
	case r.Amend != nil:
		return r.Amend.target
	}
	return ""
}

// run carries a request out through the door that it was asked at. What it comes to are effects of the context.
func (r request) run(ctx context.Context, m *Memory, scope state.Scope, origin desk.Call) error {
	// Edits of records, preferences and turns each have their door.
	switch {
	case r.Write != nil:
		return r.Write.run(ctx, m, scope, origin)
	case r.Amend != nil:
		return r.Amend.run(ctx, m, scope)
	case r.Prefer != nil:
		effects, err := m.prefer(ctx, scope, origin, state.Facts{{Label: r.Prefer.Label, Value: r.Prefer.Value}})
		if err != nil {
			return err
		}
		return m.desk.Decide(ctx, effects...)
	case r.Withhold != nil:
		user := state.Message{Seq: r.Withhold.Seq, Turn: r.Withhold.Turn}
		_, err := m.withhold(ctx, scope, user, user.Seq+mostOfTurn)
		return err
	case r.Undo != nil && r.Undo.Turn != "":
		return m.Undo(ctx, scope, r.Undo.Turn)
	case r.Undo != nil:
		return m.undoOnce(ctx, scope, r.Undo.Change)
	}

	// What is left is an edit of an affair.
	var err error
	switch w := r.Affair; {
	case w.Into != "":
		_, err = m.MergeAffairs(ctx, scope, w.ID, w.Into)
	case w.To != "":
		_, err = m.MoveAffair(ctx, scope, w.ID, w.To, w.Summary)
	case w.ID == "":
		_, err = m.CreateAffair(ctx, scope, w.Change.Title, w.Change)
	default:
		_, err = m.EditAffair(ctx, scope, w.ID, w.Change)
	}
	return err
}

func (w wish) run(ctx context.Context, m *Memory, scope state.Scope, origin desk.Call) error {
	c := w.Change
	c.slot = w.Slot
	if w.Shared {
		ctx, scope, origin.Shared = desk.WithinShared(ctx), desk.OfClient(scope), true
	}
	if w.Corrects != "" {
		old, err := m.validRecord(ctx, scope, w.Corrects)
		if err != nil {
			return err
		}
		c.corrects = &old
	}
	_, err := m.write(ctx, scope, origin, []Change{c})
	return err
}

func (w amendWish) run(ctx context.Context, m *Memory, scope state.Scope) error {
	if w.Digest != "" {
		_, err := m.redigest(ctx, scope, w.IDs[0], w.Digest)
		return err
	}
	if w.Shared {
		ctx, scope = desk.WithinShared(ctx), desk.OfClient(scope)
	}

	var found []state.Record
	for _, id := range w.IDs {
		switch r, err := m.validRecord(ctx, scope, id); {
		case errors.Is(err, state.ErrNotFound): // it is over already
		case err != nil:
			return err
		default:
			found = append(found, r)
		}
	}

	_, effects, err := m.amended(ctx, scope, Amendment{Action: w.Action, Keep: w.Keep}, found)
	if err == nil {
		err = m.desk.Decide(ctx, effects...)
	}
	if err != nil || w.Keep == "" || len(found) == 0 || found[0].ID != w.IDs[0] {
		return err
	}
	_, err = m.keepRest(ctx, scope, found[0], w.Keep)
	return err
}

// mostOfTurn bounds the messages of a turn that is looked for by its first.
const mostOfTurn = 64

// validRecord is one of the user's records that holds now.
func (m *Memory) validRecord(ctx context.Context, scope state.Scope, id string) (state.Record, error) {
	valid, err := m.validRecords(ctx, scope)
	if err != nil {
		return state.Record{}, err
	}
	i := slices.IndexFunc(valid, func(r state.Record) bool { return r.ID == id })
	if i < 0 {
		return state.Record{}, state.Errorf(state.NotFound, "record "+id, "holds no longer; reject the suggestion")
	}
	return valid[i], nil
}

// edited is a request with another content: a JSON text, or an object with what differs (content and subject of a record, title and summary of an
// affair).
func (r request) edited(value string) (request, error) {
	// A JSON text is the content itself; a name that no object of the kind has is a mistake and not nothing.
	var is struct{ Content, Subject, Title, Summary string }
	if err := json.Unmarshal([]byte(value), &is.Content); err != nil {
		d := json.NewDecoder(strings.NewReader(value))
		d.DisallowUnknownFields()
		err := d.Decode(&is)
		if err == nil && !json.Valid([]byte(value)) {
			err = errors.New("something stands behind the object")
		}
		if err != nil {
			return r, state.Errorf(state.Invalid, "answer", `its value is no JSON text and no object such as {"content": "..."}: %w`, err)
		}
	}
	changed := false
	replace := func(to *string, with string) {
		if with != "" {
			*to, changed = with, true
		}
	}

	// Each kind is copied before it is changed: the request as it was asked is in the suggestion.
	switch {
	case r.Write != nil:
		w := *r.Write
		replace(&w.Change.Content, is.Content)
		replace(&w.Change.Subject, is.Subject)
		r.Write = &w
	case r.Prefer != nil:
		p := *r.Prefer
		replace(&p.Value, is.Content)
		r.Prefer = &p
	case r.Affair != nil && r.Affair.Into == "" && r.Affair.To == "":
		w := *r.Affair
		replace(&w.Change.Title, is.Title)
		if is.Summary != "" {
			w.Change.Summary, changed = &is.Summary, true
		}
		r.Affair = &w
	default:
		return r, state.Errorf(state.Invalid, "answer", "what asks to %s has no content to be edited; approve it or reject it", r.asks())
	}
	if !changed {
		return r, state.Errorf(state.Invalid, "answer", "its value changes nothing in what asks to %s; say what differs, as {\"content\": \"...\"} "+
			"(of an affair title and summary), or approve it", r.asks())
	}
	return r, nil
}
