package score

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Product is a memory whose own decisions are measured. Each conversation is one session of a user of its own, of whom the
// memory must know nothing yet. All fields but Small are required.
type Product struct {
	Memory *memory.Memory
	Small  model.BaseChatModel // judges, and is asked nothing else; nil = rules decide
	IDs    *IDs                // the memory's Config.NewID is its New
	At     func(now time.Time) // sets the memory's clock

	begun int // conversations
}

// IDs numbers what a memory makes, and gives affairs the labels of the file. It is for one conversation at a time.
type IDs struct {
	next string
	made int
}

// New returns the next id.
func (i *IDs) New() string {
	id := i.next
	if i.next = ""; id == "" {
		i.made++
		id = fmt.Sprintf("id-%d", i.made)
	}
	return id
}

// dialogue is one conversation as the product has it.
type dialogue struct {
	*Product
	words *byWords
	scope state.Scope
	now   time.Time
	open  map[string]bool // affairs there are
	view  state.View      // at the message judged last
	title string          // that it was given
	last  string          // affair it is filed under; replies follow it
}

var _ judge = (*dialogue)(nil)

// begin begins a conversation.
func (p *Product) begin(words *byWords) *dialogue {
	p.begun++
	scope := state.Scope{User: fmt.Sprintf("conversation-%d", p.begun)}.Default()
	return &dialogue{Product: p, words: words, scope: scope, now: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), open: map[string]bool{}}
}

// pass sets the clock to the time of a line. Lines without one are half a minute apart.
func (d *dialogue) pass(l Line) {
	d.now = d.now.Add(30 * time.Second)
	if l.At.After(d.now) {
		d.now = l.At
	}
	d.At(d.now)
}

func (d *dialogue) decide(ctx context.Context, l Line) (verdict, error) {
	// The message comes in, and what was said by then has its vectors.
	d.pass(l)
	v, err := d.words.decide(ctx, l)
	if err != nil {
		return v, err
	}
	msg, err := d.admit(ctx, l)
	if err != nil {
		return v, err
	}

	// It is judged.
	trace := &state.Trace{}
	asking := state.ContextWithTrace(ctx, trace)
	if d.Small != nil {
		asking = memory.ContextWithSmall(asking, d.Small)
	}
	v.decided, err = d.Memory.Turn().Detect(asking, d.view, msg, false)
	v.asked = trace.Bill().Usage.SmallModelCalls > 0
	if v.asked && v.decided.By != "model" {
		v.failed = strings.Join(trace.Notes(), "; ")
	}
	d.title = v.decided.Title
	if v.decided.Kind != state.NewAffair || d.title == "" {
		d.title = facts.Title(l.Text, text.Language(l.Text, "en"))
	}
	return v, err
}

// admit has a message come in, and the view at it.
func (d *dialogue) admit(ctx context.Context, l Line) (state.Message, error) {
	if err := d.Memory.Vectors().Settle(ctx, d.scope); err != nil {
		return state.Message{}, err
	}
	msg, err := d.Memory.Turn().Admit(ctx, d.scope, state.Message{Text: l.Text, Turn: l.ID})
	if err != nil {
		return msg, fmt.Errorf("message %s of conversation %s: %w", l.ID, l.Conversation, err)
	}
	d.view, err = d.Memory.Turn().Load(ctx, state.Input{Scope: d.scope, Turn: l.ID, Seq: msg.Seq})
	return msg, err
}

func (d *dialogue) take(ctx context.Context, l Line) error {
	d.pass(l)
	d.title = facts.Title(l.Text, text.Language(l.Text, "en"))
	_, err := d.admit(ctx, l)
	return err
}

func (d *dialogue) park(ctx context.Context, affair string) error {
	if err := d.words.park(ctx, affair); err != nil {
		return err
	}
	_, err := d.Memory.Affairs().Move(ctx, d.scope, affair, state.Parked, "")
	return err
}

func (d *dialogue) file(ctx context.Context, l Line, kind state.Kind, affair, current string) error {
	if err := d.words.file(ctx, l, kind, affair, current); err != nil {
		return err
	}
	is := state.Decision{Kind: kind, AffairID: affair, Confidence: 1}
	switch active := d.view.Session.Active; {
	case kind == state.AdHoc && !d.open[affair]:
		is.AffairID = ""
	case kind == state.AdHoc:
	case affair == "" || affair == active:
		is.Kind = state.Continue
	case d.open[affair]:
		is.Kind = state.Switch
	default:
		is.Kind, is.Title = state.NewAffair, d.title
		d.IDs.next, d.open[affair] = affair, true
	}
	d.last = is.AffairID
	view, is, err := d.Memory.Turn().CarryOut(ctx, d.view, is)
	if err != nil {
		return err
	}
	_, err = d.Memory.Turn().Flush(ctx, view, is)
	return err
}

func (d *dialogue) reply(ctx context.Context, l Line) error {
	d.pass(l)
	if err := d.words.reply(ctx, l); err != nil {
		return err
	}
	return d.Memory.Turn().Ingest(ctx, d.scope, state.Message{Role: l.Role, Text: l.Text, Affair: d.last, At: d.now})
}
