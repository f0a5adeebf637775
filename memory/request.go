package memory

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// request is an edit of memory as a door was asked for it, in a form that is kept while it waits for its user. It is carried out through the same
// door; what it comes to are effects of the context.
type request interface {
	run(ctx context.Context, m *Memory, scope state.Scope) error
}

// fulfil carries out what a suggestion asks for, with another content if the answer says one.
func (m *Memory) fulfil(ctx context.Context, scope state.Scope, s state.Suggestion, a state.Answer) error {
	for kind, r := range map[string]request{
		"write": &writeWish{}, "amend": &amendWish{}, "affair": &affairWish{}, "prefer": &preferWish{}, "withhold": &withholdWish{}, "undo": &undoRequest{},
	} {
		kept, err := s.Request.LookupErr(kind)
		if err != nil {
			continue
		}
		if err := kept.Unmarshal(r); err != nil {
			return state.Errorf(state.Internal, "suggestion "+s.ID, "what it asks for cannot be read; reject it: %w", err)
		}
		if a.Choice == state.Edit {
			if err := edit(r, s.Asks, a.Value); err != nil {
				return err
			}
		}
		return r.run(ctx, m, scope)
	}
	return state.Errorf(state.Internal, "suggestion "+s.ID, "what it asks for cannot be read; reject it: it is of no kind that is known")
}

// writeWish is a record to be written.
type writeWish struct {
	Change   Change `bson:"change"`
	Slot     string `bson:"slot,omitempty"`
	Corrects string `bson:"corrects,omitempty"` // id of the record whose place it takes
	Shared   bool   `bson:"shared,omitempty"`   // with all users of the client
}

// wishOf returns a change as it can be kept: secrets are masked.
func (m *Memory) wishOf(c Change, shared bool) desk.Wish {
	w := desk.Wish{Kind: "write", Asks: "remember", Target: c.Agent}
	r := writeWish{Slot: c.slot, Shared: shared}
	if c.corrects != nil {
		r.Corrects = c.corrects.ID
		w.Asks, w.Of = "correct", []string{r.Corrects}
	}
	if shared {
		w.Asks = "share"
	}
	c.Subject, c.Content, c.Author, c.corrects = m.Mask(c.Subject), m.Mask(c.Content), m.Mask(c.Author), nil
	r.Change = c
	w.Says, w.Request = mind.RecordText(state.Record{Subject: c.Subject, Content: c.Content}), r
	return w
}

func (w *writeWish) run(ctx context.Context, m *Memory, scope state.Scope) error {
	c, call := w.Change, desk.CallFrom(ctx)
	c.slot = w.Slot
	if w.Shared {
		ctx, scope, call.Shared = desk.WithinShared(ctx), desk.OfClient(scope), true
	}
	if w.Corrects != "" {
		old, err := m.validRecord(ctx, scope, w.Corrects)
		if err != nil {
			return err
		}
		c.corrects = &old
	}
	_, err := m.write(ctx, scope, call, []Change{c})
	return err
}

// amendWish is what becomes of records that it names: who approves of it has seen them.
type amendWish struct {
	Action Action   `bson:"action"`
	IDs    []string `bson:"ids"`
	Shared bool     `bson:"shared,omitempty"`
	Digest string   `bson:"digest,omitempty"` // takes the place of the digest of a session's part
	Match  string   `bson:"match,omitempty"`  // the words of what is forgotten
	Keep   string   `bson:"keep,omitempty"`   // stays of the one record
}

func (w *amendWish) run(ctx context.Context, m *Memory, scope state.Scope) error {
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

	_, effects, err := m.amended(ctx, scope, Amendment{Action: w.Action, Match: w.Match, Keep: w.Keep}, found)
	if err == nil {
		err = m.desk.Decide(ctx, effects...)
	}
	if err != nil || w.Keep == "" || len(found) == 0 || found[0].ID != w.IDs[0] {
		return err
	}
	_, err = m.keepRest(ctx, scope, found[0], w.Keep)
	return err
}

// affairWish is what becomes of an affair: it is opened, merged, moved, else edited.
type affairWish struct {
	ID      string       `bson:"id,omitempty"` // "" = a new one
	Into    string       `bson:"into,omitempty"`
	To      state.Status `bson:"to,omitempty"`
	Summary string       `bson:"summary,omitempty"`
	Change  AffairChange `bson:"change"`
}

// wish says what is asked for of an affair by its title, of two by both.
func (w affairWish) wish(title string) desk.Wish {
	asks := "edit affair"
	switch {
	case w.Into != "":
		asks = "merge affairs"
	case w.To != "":
		asks = "move affair"
	case w.ID == "":
		asks = "create affair"
	}
	of := slices.DeleteFunc([]string{w.ID, w.Into}, func(id string) bool { return id == "" })
	return desk.Wish{Kind: "affair", Asks: asks, Says: w.says(title), Of: of, Request: w}
}

// says returns what becomes of the affair, in a line.
func (w affairWish) says(title string) string {
	// A merge or a move says what it does by its title.
	switch {
	case w.Into != "":
		return title
	case w.To != "":
		return strings.TrimSuffix(title+" to "+string(w.To)+": "+w.Summary, ": ")
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
	return strings.TrimPrefix(title+": ", ": ") + strings.Join(parts, "; ")
}

func (w *affairWish) run(ctx context.Context, m *Memory, scope state.Scope) (err error) {
	switch {
	case w.Into != "":
		_, err = m.Affairs().Merge(ctx, scope, w.ID, w.Into)
	case w.To != "":
		_, err = m.Affairs().Move(ctx, scope, w.ID, w.To, w.Summary)
	case w.ID == "":
		_, err = m.Affairs().Create(ctx, scope, w.Change.Title, w.Change)
	default:
		_, err = m.Affairs().Edit(ctx, scope, w.ID, w.Change)
	}
	return err
}

// preferWish is a preference to hold in all sessions.
type preferWish struct {
	Label string `bson:"label"`
	Value string `bson:"value"`
}

func (w *preferWish) run(ctx context.Context, m *Memory, scope state.Scope) error {
	effects, err := m.prefer(ctx, scope, desk.CallFrom(ctx), state.Facts{{Label: w.Label, Value: w.Value}})
	if err != nil {
		return err
	}
	return m.desk.Decide(ctx, effects...)
}

// withholdWish is a message of which nothing is to be kept.
type withholdWish struct {
	Seq  int64  `bson:"seq"`
	Turn string `bson:"turn"`
}

// mostOfTurn bounds the messages of a turn that is looked for by its first.
const mostOfTurn = 64

func (w *withholdWish) run(ctx context.Context, m *Memory, scope state.Scope) error {
	user := state.Message{Seq: w.Seq, Turn: w.Turn}
	_, err := m.withhold(ctx, scope, user, user.Seq+mostOfTurn)
	return err
}

// undoRequest is a change to be undone, or a turn to be taken back.
type undoRequest history.Request

func (w *undoRequest) run(ctx context.Context, m *Memory, scope state.Scope) error {
	return m.history.Fulfil(ctx, scope, history.Request(*w))
}

// validRecord returns one of the user's records that holds now.
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

// edit gives a request another content: a JSON text, or an object with what differs (content and subject of a record, title and summary of an
// affair). Asks says what it asks for.
func edit(r request, asks, value string) error {
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
			return state.Errorf(state.Invalid, "answer", `its value is no JSON text and no object such as {"content": "..."}: %w`, err)
		}
	}
	changed := false
	replace := func(to *string, with string) {
		if with != "" {
			*to, changed = with, true
		}
	}

	// Each kind has its texts; a merge or a move has none.
	uneditable := state.Errorf(state.Invalid, "answer", "what asks to %s has no content to be edited; approve it or reject it", asks)
	switch w := r.(type) {
	case *writeWish:
		replace(&w.Change.Content, is.Content)
		replace(&w.Change.Subject, is.Subject)
	case *preferWish:
		replace(&w.Value, is.Content)
	case *affairWish:
		if w.Into != "" || w.To != "" {
			return uneditable
		}
		replace(&w.Change.Title, is.Title)
		if is.Summary != "" {
			w.Change.Summary, changed = &is.Summary, true
		}
	default:
		return uneditable
	}
	if !changed {
		return state.Errorf(state.Invalid, "answer", "its value changes nothing in what asks to %s; say what differs, as {\"content\": \"...\"} "+
			"(of an affair title and summary), or approve it", asks)
	}
	return nil
}
