package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// mostClosing is how many words a message has at most whose closing words settle an affair: a letter that was received tells of its own matters.
const mostClosing = 40

// settle resolves the affair that a message settles.
func (e *edits) settle(ctx context.Context, user state.Message, id string) error {
	var err error
	if e.View, err = e.m.desk.Complete(ctx, e.View, id); err != nil {
		return err
	}
	a, ok := e.View.Affair(id)
	if !ok || !isOpen(&a) {
		return nil
	}
	var now []state.Message
	if id == e.View.Target {
		now = stored(spokenIn(e.View.Turn))
	}
	return e.setAside(ctx, a, state.Resolved, user.Seq, now...)
}

// resolvedByCall reports whether the model has settled an affair in the turn: then it has said which, and no rule settles another.
func resolvedByCall(turn []state.Message) bool {
	return slices.ContainsFunc(turn, func(msg state.Message) bool {
		return msg.ToolName == "resolve_affair" && strings.HasPrefix(msg.Text, "resolved: ")
	})
}

// closes returns the affair that closing words are about: the one whose title the message names, else the one that the decision names, unless the message speaks
// of something else. It is none where they stand in a text of others, where the message names several, and where it orders one to be closed by a word
// that none has.
func closes(v state.View, msg state.Message, lang string, rules detect.Result, target string) string {
	own, brought := whose.Split(msg.Text)
	if brought != "" || len(text.Words(own)) > mostClosing {
		return ""
	}
	_, which := detect.Shuts(own, lang)
	switch id := entitled(v.Affairs, which); {
	case id != "":
		return id
	case !rules.Closing:
		return ""
	}

	said := text.Terms(own)
	var named []string
	for _, a := range v.Affairs {
		switch {
		case !isOpen(a) || !saysTitle(said, a.Title):
		case a.ID == target:
			return a.ID
		default:
			named = append(named, a.ID)
		}
	}
	switch len(named) {
	case 0:
		if len(which) > 0 || rules.Elsewhere {
			return ""
		}
		return target
	case 1:
		return named[0]
	}
	return ""
}

// entitled returns the one open affair whose title has all of the words; "" when none or several have, or there are no words.
func entitled(affairs []*state.Affair, words []string) (id string) {
	if len(words) == 0 { // as nearly always: no title is read
		return ""
	}
	for _, a := range affairs {
		if !isOpen(a) {
			continue
		}
		title := text.Terms(a.Title)
		if slices.ContainsFunc(words, func(w string) bool { return !saysOne(title, w) }) {
			continue
		}
		if id != "" {
			return ""
		}
		id = a.ID
	}
	return id
}
