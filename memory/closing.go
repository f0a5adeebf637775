package memory

import (
	"context"
	"slices"

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
	if e.view, err = e.m.complete(ctx, e.view, id); err != nil {
		return err
	}
	a, ok := e.view.Affair(id)
	if !ok || !isOpen(&a) {
		return nil
	}
	var now []state.Message
	if id == e.view.Target {
		now = stored(spokenIn(e.view.Turn))
	}
	return e.setAside(ctx, a, state.Resolved, user.Seq, now...)
}

// closes is the affair that closing words are about: the one whose title the message names, else the one that the decision names, unless the message speaks
// of something else. It is none where they stand in a text of others, where the message names several, and where it orders one to be closed by a word
// that none has.
func closes(v state.View, msg state.Message, lang string, rules detect.Result, target string) string {
	own, brought := whose.Split(msg.Text)
	if !rules.Closing || brought != "" || len(text.Words(own)) > mostClosing {
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
		if _, names := detect.Shuts(own, lang); names || rules.Elsewhere {
			return ""
		}
		return target
	case 1:
		return named[0]
	}
	return ""
}

func isOpen(a *state.Affair) bool { return a.Status == state.Active || a.Status == state.Parked }

// saysTitle reports whether one of the words of a text is of a title, and none of those that any affair has.
func saysTitle(said []string, title string) bool {
	const inflected = 3
	return slices.ContainsFunc(text.Terms(title), func(t string) bool {
		return !text.General(t) && slices.ContainsFunc(said, func(s string) bool { return text.Akin(s, t, inflected) })
	})
}
