package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/consent"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// Spoken is what a message asks of the memory itself, in the words of its sender: "remember that ...", "what do you know about me?".
type Spoken struct {
	Action string // remember, forget_last, do_not_remember, show_all, about_topic, clear_topic, correct, pin, unclear, approve, reject; "" = nothing
	Object string // what is to be remembered, the topic, the corrected statement, the id of the suggestion; "" = the last thing said
}

// The actions that others go by.
const (
	Remember      = string(spoken.Remember)
	DoNotRemember = string(spoken.DoNotRemember)
	ForgetLast    = string(spoken.ForgetLast)
	ShowAll       = string(spoken.ShowAll)
	AboutTopic    = string(spoken.AboutTopic)
	Unclear       = string(spoken.Unclear)
	Approve       = string(state.Approve)
	Reject        = string(state.Reject)
)

// SpokenID returns the id of the call that carries out the nth order of a message, from 0.
func SpokenID(nth int) string {
	if nth == 0 {
		return spoken.Call
	}
	return strconv.Itoa(nth+1) + "-" + spoken.Call
}

// IsSpoken reports whether a call, or the path of one, carries out what a message asks.
func IsSpoken(call string) bool { return spoken.IsCall(call) }

// spoken reads a message of a user by rules. One of which nothing may be kept asks for nothing but that.
func (m *Memory) spoken(msg state.Message) Spoken {
	c := spoken.Of(msg)
	if c.IfKnown {
		return Spoken{}
	}
	return asks(c)
}

// asks returns what a command asks. A topic that is told by a question, as "who I work for", has everyday words that other matters have too: it is unclear.
func asks(c spoken.Command) Spoken {
	if c.Action == spoken.None {
		return Spoken{}
	}
	if c.Action == spoken.ClearTopic && facts.IsQuestion(c.Object) {
		c.Action = spoken.Unclear
	}
	return Spoken{string(c.Action), c.Object}
}

// Asks returns what a message asks of the memory as it stands, in the order of its parts: a message may order several things. To say otherwise than what is
// remembered is a correction; where nothing of it is remembered it is to say something, as in any message, and so is what says only as a whole what it is
// of: "I have a new number, 603 555 666". So is an order to correct what was only said: it is learnt from as it stands. Who orders a correction of what he
// has never spoken of is told so. What is known of Rex is asked of the memory if it knows a Rex, and of the model if not, as Einstein is. A plain yes or no
// right behind the question whether everything is to be forgotten answers it.
//
// Led says that a model answers, which understands more than rules. Then it is the one that carries out what changes memory and is told in several clauses
// ("lose the buzzer code, the landlord doesn't want it written down. The address stays"): it is shown what may be meant, and nothing else is done.
func (t Turn) Asks(ctx context.Context, scope state.Scope, msg state.Message, led bool) (all []Spoken, err error) {
	answered, err := t.m.answersClearing(ctx, scope.Default(), msg)
	if err != nil {
		return nil, err
	}
	if answered.Action != "" {
		return []Spoken{answered}, nil
	}
	own := whose.Own(msg.Text)
	parts := spoken.Several(own)
	leave := led && !spoken.Plain(own)
	if leave {
		parts = []string{own}
	}
	for _, msg.Text = range parts {
		asks, err := t.m.asksOne(ctx, scope, msg)
		if err != nil {
			return nil, err
		}
		if leave {
			asks = asks.left(own)
		}
		if asks.Action != "" {
			all = append(all, asks)
		}
	}
	return all, nil
}

// left returns what is done of an order that is left to the model: what may be meant is shown, and what is only looked up or kept from memory is as it was.
func (s Spoken) left(message string) Spoken {
	switch s.Action {
	case ForgetLast, string(spoken.ClearTopic), Unclear:
		return Spoken{Unclear, message}
	case Remember, string(spoken.Pin), string(spoken.Correct):
		return Spoken{}
	}
	return s
}

// asksOne returns what a message asks that has one order at most.
func (m *Memory) asksOne(ctx context.Context, scope state.Scope, msg state.Message) (Spoken, error) {
	c := spoken.Of(msg)
	if c.IfKnown && c.Action == spoken.AboutTopic {
		if known, _, err := m.Own(ctx, scope, c.Object); err != nil || len(known) == 0 {
			return Spoken{}, err
		}
	}

	if c.Action == spoken.ClearTopic || c.Action == spoken.ForgetLast {
		d, err := m.desk.Mind(ctx, scope.Default())
		if err != nil {
			return Spoken{}, err
		}
		leaves := slices.ContainsFunc(strings.Fields(theRest), func(w string) bool { return slices.Contains(text.Words(text.Fold(msg.Text)), w) })
		if leaves || d.LacksCode(msg.Text) { // what is forgotten whole would take the rest; or it tells something, and may order nothing
			c.Action, c.Object = spoken.Unclear, cmp.Or(c.Object, msg.Text)
		}
		d.Unlock()
	}
	if c.Action != spoken.Correct || c.Object == "" {
		return asks(c), nil
	}
	if !c.Order && len(personal.Find(c.Object)) == 0 && len(personal.Find(whose.Own(msg.Text))) > 0 {
		return Spoken{}, nil
	}

	_, err := m.meant(ctx, scope.Default(), Amendment{Action: CorrectRecord, Content: c.Object})
	if !errors.Is(err, state.ErrNotFound) {
		return asks(c), err
	}
	if said, err := m.saidBefore(ctx, scope, msg, c.Object); err != nil || c.Order && !said {
		return asks(c), err
	}
	return Spoken{}, nil
}

// theRest are words with which an order to forget leaves something: "forget the code, the rest may stay", "all of it except the date".
const theRest = "rest else except excepting zbytek ostatni krome vyjma reszta reszte pozostale oprocz procz остальное остальные кроме помимо ubrige ausser"

// answersClearing returns the answer that a message gives to the suggestion to forget everything, which the order of the turn before has made.
func (m *Memory) answersClearing(ctx context.Context, scope state.Scope, msg state.Message) (Spoken, error) {
	says := Spoken{Action: Approve}
	switch consent.Plain(msg.Text) {
	case consent.Yes, consent.Approve:
	case consent.No, consent.Reject:
		says.Action = Reject
	case consent.None:
		return Spoken{}, nil
	}
	if msg.Role != state.RoleUser {
		return Spoken{}, nil
	}

	before, err := m.desk.LastMessages(ctx, scope, msg.Seq, 1, func(state.Message) bool { return true })
	if err != nil || len(before) == 0 {
		return Spoken{}, err
	}
	waits, err := m.suggestions.List(ctx, scope, false)
	for _, s := range waits {
		ordered := s.By.Who == state.ByUser && s.By.Turn == before[0].Turn && s.Session == scope.Session
		if ordered && s.Status == state.Waiting && strings.HasPrefix(s.Text, state.Everything+" (") {
			says.Object = s.ID
			return says, nil
		}
	}
	return Spoken{}, err
}

// saidBefore reports whether the user has said something of a matter before a message.
func (m *Memory) saidBefore(ctx context.Context, scope state.Scope, msg state.Message, of string) (bool, error) {
	hits, err := m.Recall(ctx, Query{Scope: scope, Text: of, Before: msg.Seq})
	return slices.ContainsFunc(hits, func(h Hit) bool { return h.Message != nil && h.Message.Role == state.RoleUser }), err
}

// names reports whether it is about a topic, which may be that of another affair.
func (s Spoken) names() bool {
	return s.Action == AboutTopic || s.Action == string(spoken.ClearTopic)
}

// states reports whether it tells something itself.
func (s Spoken) states() bool {
	return s.Object != "" && (s.Action == Remember || s.Action == string(spoken.Pin) || s.Action == string(spoken.Correct))
}

// carriedOut reports whether respond has carried out what the message of a turn asks.
func carriedOut(turn []state.Message) bool { return len(spoken.Turns(turn)) > 0 }

// obeyedTurns are those of them in which something was done: what was not understood may be no order.
func obeyedTurns(messages []state.Message) map[string]bool {
	turns := spoken.Turns(messages)
	for _, msg := range messages {
		if turns[msg.Turn] && len(msg.ToolCalls) > 0 && strings.Contains(msg.ToolCalls[0].Arguments, `"action":"`+Unclear+`"`) {
			delete(turns, msg.Turn)
		}
	}
	return turns
}

// saidAnew returns the record that a command has made of the turn's message, when a tool now stores most of that in words of its own.
func (w *writing) saidAnew(d *mind.Mind, r state.Record) (state.Record, bool) {
	const most = .5 // of its telling words
	for _, old := range d.Stated(w.scope.Session, w.origin.Message) {
		commanded := old.Source.Tool == updateTool && old.Source.Turn == w.origin.Turn && w.origin.Tool != updateTool
		if commanded && old.ValidTo == nil && !w.closed(old.ID) && shareOf(r, old.Content) >= most {
			return old, true
		}
	}
	return state.Record{}, false
}

// updateTool carries commands out.
const updateTool = "memory_update"
