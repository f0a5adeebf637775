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

// settle resolves the affair that the message's closing words are about, if they are about one.
func (e *edits) settle(ctx context.Context, user state.Message) error {
	id := e.settled(user)
	if id == "" {
		return nil
	}

	var err error
	if e.view, err = e.m.complete(ctx, e.view, id); err != nil {
		return err
	}
	a, ok := e.view.Affair(id)
	if !ok || a.Status != state.Active && a.Status != state.Parked {
		return nil
	}
	var now []state.Message
	if id == e.view.Target {
		now = stored(spokenIn(e.view.Turn))
	}
	return e.setAside(ctx, a, state.Resolved, user.Seq, now...)
}

// settled is the affair that closing words are about: the one whose title the message names, else the one it is filed under. It is none where they stand in
// a text of others, where the message names several, and where it orders one to be closed by a word that none has.
func (e *edits) settled(user state.Message) string {
	own, brought := whose.Split(user.Text)
	if brought != "" || len(text.Words(own)) > mostClosing {
		return ""
	}

	said := text.Terms(own)
	var named []string
	for _, a := range e.view.Affairs {
		switch open := a.Status == state.Active || a.Status == state.Parked; {
		case !open || !saysTitle(said, a.Title):
		case a.ID == e.view.Target:
			return a.ID
		default:
			named = append(named, a.ID)
		}
	}
	switch len(named) {
	case 0:
		if _, names := detect.Shuts(own, e.view.Session.Language); names {
			return ""
		}
		return e.view.Target
	case 1:
		return named[0]
	}
	return ""
}

// saysTitle reports whether one of the words of a text is of a title, and none of those that any affair has.
func saysTitle(said []string, title string) bool {
	const inflected = 3
	return slices.ContainsFunc(text.Terms(title), func(t string) bool {
		return !text.General(t) && slices.ContainsFunc(said, func(s string) bool { return text.Akin(s, t, inflected) })
	})
}
