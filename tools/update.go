package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

type updateArgs struct {
	Action string `json:"action"`
	Text   string `json:"text,omitempty"`
	ID     string `json:"id,omitempty"`
	Keep   string `json:"keep,omitempty"`
}

func (a updateArgs) action() string { return strings.ToLower(strings.TrimSpace(a.Action)) }

// The actions of memory_update besides those of memory.Amend.
const (
	remember      = memory.Remember
	doNotRemember = memory.DoNotRemember
	show          = "show"
	clearTopic    = "clear_topic"
	taskDone      = "done"
	suggestions   = "suggestions"
	approve       = memory.Approve
	reject        = memory.Reject
)

// updateActions returns those of memory_update, in the order of its schema.
func updateActions() []string {
	return []string{
		remember, doNotRemember, string(memory.ForgetRecord), string(memory.CorrectRecord), string(memory.PinRecord), string(memory.UnpinRecord),
		show, clearTopic, taskDone, suggestions, approve, reject,
	}
}

// UpdateArguments returns those of memory_update that do what a message asks.
func UpdateArguments(s memory.Spoken) string {
	args := updateArgs{Action: s.Action, Text: s.Object}
	switch s.Action {
	case memory.ForgetLast:
		args = updateArgs{Action: string(memory.ForgetRecord)}
	case memory.ShowAll:
		args = updateArgs{Action: show}
	case memory.AboutTopic:
		args.Action = show
	case memory.Approve, memory.Reject:
		args = updateArgs{Action: s.Action, ID: s.Object}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return "{}" // strings always are JSON
	}
	return string(data)
}

// updateTool is memory_update: what the user asks to be done with what is remembered of him.
func updateTool(m *memory.Memory) *bound {
	// What is offered are the actions that the switch below knows.
	action := textParam("What the user asks for", true)
	action.Enum = updateActions()
	return bind(describeTool(MemoryUpdate,
		"Do what the user asks with what you remember of him: remember, do_not_remember, forget, correct, pin, unpin, show, clear_topic; done ends a task that he has done, or what an affair waits for; "+
			"suggestions lists what waits for his approval, approve and reject answer one by its id when he has said so. "+
			"A result that is in the conversation already is not asked for again.",
		map[string]*schema.ParameterInfo{
			"action": action,
			"text": textParam("What to remember, or not to; what holds now (correct); words of what is meant, or the topic. "+
				"Empty: what was said or stored last; for show all", false),
			"id": textParam("Id of the record that is meant, if known", false),
			"keep": textParam("With forget and an id, where the record says more than the user wants forgotten: a sentence with what of it stays, in its words. "+
				"Left out, all of it is forgotten", false),
		}),

		// Actions with the same arguments share a function; an action that is not known is told the ones that are.
		func(ctx context.Context, scope state.Scope, args updateArgs) (string, error) {
			switch action := args.action(); action {
			case remember:
				return rememberText(ctx, m, scope, args.Text, false)
			case doNotRemember:
				return withholdText(ctx, m, scope, args.Text)
			case show:
				return showRecords(ctx, m, scope, args.Text)
			case string(memory.ForgetRecord), string(memory.CorrectRecord), string(memory.PinRecord), string(memory.UnpinRecord), clearTopic:
				return amendRecords(ctx, m, scope, action, args)
			case taskDone:
				return endTask(ctx, m, scope, args)
			case suggestions:
				return listSuggestions(ctx, m, scope)
			case approve, reject:
				return answerSuggestion(ctx, m, scope, state.Choice(action), args.ID)
			case memory.Unclear:
				return offerNearest(ctx, m, scope, args.Text, nil)
			case "":
				return "", requireText(MemoryUpdate, "action", "")
			}
			return "", state.Errorf(state.Invalid, MemoryUpdate, "action %.40q is unknown; use one of %s", args.Action, strings.Join(updateActions(), ", "))
		})
}

// offered is how many records are offered at most in the place of one that nobody could tell.
const offered = 5

// offerNearest says that nothing was forgotten, and what the user may have meant. It changes nothing. Missing is the error of an order that was
// understood and finds nothing, nil for one that was not; it stays where nothing is near.
func offerNearest(ctx context.Context, m *memory.Memory, scope state.Scope, text string, missing error) (string, error) {
	near, err := m.Nearest(ctx, scope, text, offered)
	if err != nil {
		return "", err
	}
	said := strings.TrimSpace("not understood, nothing was changed: forget " + quote.Line(text))
	switch {
	case len(near) == 0 && missing != nil:
		return "", missing
	case len(near) == 0:
		return said + "\nnothing like it was found", nil
	case missing != nil:
		said = "not found, nothing was changed: forget " + quote.Line(text)
	}
	lines := make([]string, len(near))
	for i, r := range near {
		noteRecord(ctx, r, "")
		lines[i] = RecordLine(r)
	}
	return said + "\nif his message means one of these, forget it by its id, with keep if it says more; ask him if it may be several. What stands only in messages is forgotten by its words " +
		"(memory_recall finds them)\n" + quote.Memory(lines...), nil
}

// notCorrected says that no record is surely corrected by a text, with those that are near it: in other words, or in another language.
func notCorrected(ctx context.Context, m *memory.Memory, scope state.Scope, text string) error {
	said := "nothing is remembered that " + quote.Line(text)
	near, err := m.Nearest(ctx, scope, text, offered)
	if err != nil {
		return err
	}
	if len(near) == 0 {
		said += " corrects; "
	} else {
		lines := make([]string, len(near))
		for i, r := range near {
			lines[i] = r.ID + " (" + quote.Line(r.Content) + ")"
		}
		said += " surely corrects; if one of these says it, in other words or in another language, correct it by its id: " + strings.Join(lines, ", ") + "; else "
	}
	return state.Errorf(state.NotFound, MemoryUpdate, "%sask what is meant, or call remember if it is to be kept", said)
}

// endTask ends a task that is done, or what an affair waits for.
func endTask(ctx context.Context, m *memory.Memory, scope state.Scope, args updateArgs) (string, error) {
	was, err := m.Tasks().End(ctx, scope, strings.TrimSpace(args.ID), args.Text)
	if err != nil {
		return "", err
	}
	return "done: " + quote.Line(was), nil
}

// listSuggestions lists what waits for the user's approval.
func listSuggestions(ctx context.Context, m *memory.Memory, scope state.Scope) (string, error) {
	list, err := m.Suggestions().List(ctx, scope, false)
	if err != nil || len(list) == 0 {
		return "nothing waits for the user's approval", err
	}
	lines := make([]string, len(list))
	for i, s := range list {
		noteSuggestion(ctx, s)
		lines[i] = SuggestionLine(s)
	}
	return "waiting for the user's approval:\n" + quote.Memory(lines...), nil
}

// answerSuggestion gives a suggestion the answer that the user's message gives it.
func answerSuggestion(ctx context.Context, m *memory.Memory, scope state.Scope, choice state.Choice, id string) (string, error) {
	if err := requireText(MemoryUpdate, "id", id); err != nil {
		return "", err
	}
	s, err := m.Suggestions().Answer(ctx, scope, strings.TrimSpace(id), state.Answer{Choice: choice})
	if err != nil {
		return "", err
	}
	noteSuggestion(ctx, s)
	return strings.ToLower(string(s.Status)) + ": " + s.Asks + " " + quote.Line(s.Text), nil
}

// Edits reports whether a call of memory_update may change what is remembered.
func Edits(arguments string) bool {
	var args updateArgs
	return json.Unmarshal([]byte(arguments), &args) != nil || args.action() == approve || Writes(MemoryUpdate, arguments)
}

// rememberText stores what the user asks to be remembered, as his own; without a text what he said before.
func rememberText(ctx context.Context, m *memory.Memory, scope state.Scope, text string, pinned bool) (string, error) {
	if strings.TrimSpace(text) == "" {
		said, err := m.Turn().SaidBefore(ctx, scope)
		if err != nil {
			return "", err
		}
		text = said.Text
	}
	change := memory.Told(text)
	change.Pinned = pinned
	receipts, err := m.Write(ctx, scope, change)
	if err != nil {
		return "", err
	}
	noteReceipt(ctx, receipts[0], change.Content)
	return "remembered " + receipts[0].Kind + " " + receipts[0].ID + ": " + quote.Line(asKept(ctx, m, change.Content)) + tellOutcome(receipts[0]) + tellMasked(ctx, m, change.Content) + tellOlder(ctx, m, scope, receipts[0]), nil
}

// withholdText sees to it that nothing is kept of the user's message, or without a text of his message before.
func withholdText(ctx context.Context, m *memory.Memory, scope state.Scope, text string) (string, error) {
	said, err := m.Turn().Withhold(ctx, scope, strings.TrimSpace(text) == "")
	if errors.Is(err, state.ErrNotFound) { // nothing was said before: it may be what is remembered that he means
		return offerNearest(ctx, m, scope, text, err)
	}
	if err != nil {
		return "", err
	}
	return "not remembered: " + quote.Line(said.Text), nil
}

// amendRecords edits records there are. What is pinned and is not there is remembered; a correction of what is not there changes nothing and says
// how to keep it. What is to be forgotten and is not there is answered with what is near.
func amendRecords(ctx context.Context, m *memory.Memory, scope state.Scope, action string, args updateArgs) (string, error) {
	// A topic is forgotten whole; a correction has its text as the new content.
	a := memory.Amendment{Action: memory.Action(action), ID: strings.TrimSpace(args.ID), Match: args.Text, Keep: strings.TrimSpace(args.Keep)}
	switch a.Action {
	case clearTopic:
		a.Action, a.Topic = memory.ForgetRecord, true
	case memory.CorrectRecord:
		if err := requireText(MemoryUpdate, "text", args.Text); err != nil {
			return "", err
		}
		a.Match, a.Content = "", args.Text
	case memory.ForgetRecord, memory.PinRecord, memory.UnpinRecord:
	}

	// What is not there is remembered, if it was to be pinned, or else told.
	done, err := m.Amend(ctx, scope, a)
	pins := a.Action == memory.PinRecord
	switch {
	case errors.Is(err, state.ErrNotFound) && a.ID == "" && pins:
		return rememberText(ctx, m, scope, args.Text, pins)
	case errors.Is(err, state.ErrNotFound) && a.ID == "" && a.Action == memory.CorrectRecord:
		return "", notCorrected(ctx, m, scope, a.Content)
	case errors.Is(err, state.ErrNotFound) && a.ID == "" && a.Action == memory.ForgetRecord:
		return offerNearest(ctx, m, scope, args.Text, err)
	case err != nil:
		return "", err
	case a.Action == memory.CorrectRecord:
		noteRecord(ctx, done[0].Record, string(done[0].Outcome))
		said := "corrected " + done[0].ID + ": " + quote.Line(asKept(ctx, m, done[0].Record.Content)) + tellOutcome(done[0].Receipt) + tellMasked(ctx, m, a.Content)
		if due := done[0].Record.Due; due != nil {
			said += "; it is a task and still due " + due.Format(time.RFC3339) + ": move it or end it (done) if that holds no longer"
		}
		return said, nil
	}

	// The model is told which records were meant, so that it can tell the user.
	kept := ""
	if a.Keep != "" {
		done, kept = done[:1], "; kept of it: "+quote.Line(a.Keep)
	}
	lines := make([]string, len(done))
	for i, d := range done {
		shown := d.Record
		if a.Action == memory.ForgetRecord && a.ID != "" {
			shown.Content = "" // whoever named it knows what it said, and nobody else is to read it again
		}
		noteRecord(ctx, shown, string(d.Outcome))
		lines[i] = RecordLine(d.Record)
		if a.Action == memory.ForgetRecord && a.Keep == "" && a.Match != "" && len(strings.Fields(d.Record.Content)) > 2+2*len(strings.Fields(a.Match)) {
			kept = "; what else was said there is gone too: store anew what of it still holds and was not meant"
		}
	}
	said := string(done[0].Outcome) + " " + count(len(done)) + kept
	if a.Action == memory.ForgetRecord && a.ID != "" {
		return said, nil
	}
	return said + "\n" + quote.Memory(lines...), nil
}
