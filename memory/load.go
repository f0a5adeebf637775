package memory

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/state"
)

// lookBack bounds how many messages are looked through for the window.
const lookBack = 200

// Admit checks a user's message and decides its place: the next number of its session. It adds the message
// to the turn's effects; the session learns of it when the turn ends.
func (m *Memory) Admit(ctx context.Context, scope state.Scope, msg state.Message) (state.Message, error) {
	if err := scope.Validate(); err != nil {
		return msg, err
	}
	if err := admissible(msg); err != nil {
		return msg, err
	}
	session, err := m.Session(ctx, scope)
	if err != nil {
		return msg, err
	}
	m.hide(ctx, &msg)
	msg.Seq, msg.Role, msg.At = session.Messages+1, state.RoleUser, m.c.Now()
	if msg.ID == "" {
		msg.ID = "m" + itoa(msg.Seq)
	}
	err = m.decide(ctx, state.Effect{Scope: scope, Message: &msg})
	return msg, err
}

// admissible refuses what cannot be kept or answered; nothing has been written by then.
func admissible(msg state.Message) error {
	size := len(msg.Text)
	for _, p := range msg.Parts {
		size += len(p.Text)
	}
	switch {
	case size == 0 && len(msg.Parts) == 0 && len(msg.Attachments) == 0:
		return state.Errorf(state.Invalid, "message", "is empty; send some text, a part or an attachment")
	case size > state.MaxMessageBytes:
		return state.Errorf(state.Invalid, "message", "has %d bytes, at most %d are taken; send the text as an attachment or in pieces",
			size, state.MaxMessageBytes)
	case !utf8.ValidString(msg.Text + msg.ID + msg.Speaker + msg.System):
		return state.Errorf(state.Invalid, "message", "is not valid UTF-8; send it as UTF-8 text")
	}
	for key, value := range msg.Metadata {
		if strings.Contains(key, "\x00") || !utf8.ValidString(key+value) {
			return state.Errorf(state.Invalid, "message metadata", "has the key %.40q; send UTF-8 text, and no null byte in a key", key)
		}
	}
	for _, p := range msg.Parts {
		if !utf8.ValidString(p.Text) {
			return state.Errorf(state.Invalid, "message part", "is not valid UTF-8; send it as UTF-8 text")
		}
	}
	for _, a := range msg.Attachments {
		if !utf8.ValidString(a.Name + a.Text) {
			return state.Errorf(state.Invalid, "attachment", "is not valid UTF-8; send the bytes as Data")
		}
	}
	return nil
}

// hide masks secrets in everything a message says, before anybody sees it.
func (m *Memory) hide(ctx context.Context, msg *state.Message) {
	total := 0
	mask := func(s *string) {
		var n int
		*s, n = m.masker.Secrets(*s)
		total += n
	}
	mask(&msg.Text)
	msg.Parts, msg.Attachments = slices.Clone(msg.Parts), slices.Clone(msg.Attachments)
	for i := range msg.Parts {
		mask(&msg.Parts[i].Text)
	}
	for i := range msg.Attachments {
		mask(&msg.Attachments[i].Text)
	}
	if total > 0 {
		state.TraceFrom(ctx).Note("intake: %d secret(s) masked before the message was kept", total)
	}
}

// Load reads what a turn starts from: the session, the user's affairs, the window, and the turn's messages
// so far (more than one when an unfinished turn is gone on with). Seq is the user's message's number.
func (m *Memory) Load(ctx context.Context, scope state.Scope, seq int64) (state.View, error) {
	d, err := m.attend(ctx, scope, true)
	if err != nil {
		return state.View{}, err
	}
	v := state.View{Affairs: d.seen(scope.Session), Session: opened(d.sessions[scope.Session], scope, m.c.Now())}
	from := d.reads(m)
	d.mu.Unlock()
	if v.Active() == nil {
		v.Session.Active = ""
	}
	if v.Turn, err = messagesAfter(ctx, from, scope, seq-1); err != nil {
		return v, err
	}
	return m.Window(ctx, scope, v, seq)
}

// Window sets the view's window: the last messages before number seq that are filed under the view's active
// affair or under none, and were said since the session was last cleared.
func (m *Memory) Window(ctx context.Context, scope state.Scope, v state.View, seq int64) (state.View, error) {
	var err error
	v.Window, err = m.lastMessages(ctx, scope, seq, m.c.Settings.HistoryLimit, lookBack, func(msg state.Message) bool {
		return msg.Seq > v.Session.WindowFrom && (msg.Affair == "" || msg.Affair == v.Session.Active)
	})
	return v, err
}

// idle reports whether the session had ended before now: nothing was said for longer than the setting.
func (m *Memory) idle(s state.Session, now time.Time) bool {
	return !s.LastAt.IsZero() && now.Sub(s.LastAt) > time.Duration(m.c.Settings.IdleMinutes)*time.Minute
}
