package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
)

// A message number is never given again. A new message comes behind the last one there is, whether the session counts it or not: a
// turn whose log was deleted leaves its messages, and Load never takes one for another turn's.

// Admit checks a user's message and decides its place: behind the session's last message. It adds the message to the
// turn's effects; the session learns of it when the turn ends. Of one that asks not to be remembered nothing else is kept. What
// cannot be kept, or can never be answered, is state.ErrInvalid: nothing has been written by then.
func (t Turn) Admit(ctx context.Context, scope state.Scope, msg state.Message) (state.Message, error) {
	scope = scope.Default()
	set, err := t.m.desk.Documents.In(ctx, scope)
	if err != nil {
		return msg, err
	}
	ctx = settings.ContextWith(ctx, set)

	// The message is checked and put into the form that is kept, without its secrets.
	if err := t.m.admissible(ctx, msg); err != nil {
		return msg, err
	}
	msg, err = t.m.bring(ctx, scope, msg)
	if err != nil {
		return msg, err
	}
	t.m.hide(ctx, &msg)
	if msg.Role = state.RoleUser; t.m.spoken(msg).Action == DoNotRemember {
		msg.StoreKnowledge = new(bool)
	}

	// A question that no prompt has room for is refused now, before anything is kept.
	question, _ := withExtra(msg)
	if err := t.m.composer.With(set.Settings).Admits(question, cmp.Or(msg.System, t.m.systemOf(scope))); err != nil {
		return msg, err
	}

	// Its number is the next of the session.
	_, last, err := t.m.desk.SessionEnd(ctx, scope)
	if err != nil {
		return msg, err
	}
	msg.Seq, msg.At, msg.Project = last+1, t.m.c.Now(), scope.Project
	if msg.ID == "" {
		msg.ID = "m" + itoa(msg.Seq)
	}
	err = t.m.desk.Decide(ctx, state.Effect{Scope: scope, Message: &msg})
	return msg, err
}

// admissible refuses what cannot be kept or answered, whoever said it.
func (m *Memory) admissible(ctx context.Context, msg state.Message) error {
	// What it says, and how much of it there is.
	texts, attached, said := len(msg.Text), 0, !desk.Blank(msg.Text) || len(msg.Attachments) > 0
	for i, p := range msg.Parts {
		if err := checkPart(i, p); err != nil {
			return err
		}
		texts, attached, said = texts+len(p.Text), attached+len(p.URL), said || p.Type != state.TextPart || !desk.Blank(p.Text)
	}
	for i, a := range msg.Attachments {
		if err := checkAttachment(i, a); err != nil {
			return err
		}
		attached += len(a.Text) + len(a.Data)
	}

	// The limits come last: a message that is empty is told so first.
	switch {
	case !said:
		return state.Errorf(state.Invalid, "message", "is empty; send some text, a part or an attachment")
	case !utf8.ValidString(msg.Text + msg.ID + msg.Speaker + msg.System):
		return state.Errorf(state.Invalid, "message", "is not valid UTF-8; send it as UTF-8 text")
	}
	return cmp.Or(
		state.CheckSize("message", texts, m.desk.Set(ctx).MaxMessageBytes, "send it in pieces, or see the setting max_message_bytes"),
		state.CheckSize("message system prompt", len(msg.System), limit.ContentBytes, "shorten it"),
		state.CheckSize("message id", len(msg.ID), limit.MessageIDBytes, "send a hash of it"),
		state.CheckSize("message speaker", len(msg.Speaker), limit.NameBytes, "send a name"),
		state.CheckCount("message parts", len(msg.Parts), limit.Parts, "send them in several messages"),
		state.CheckCount("message attachments", len(msg.Attachments), limit.Attachments, "send them in several messages"),
		state.CheckSize("message attachments and parts", attached, limit.AttachedBytes, "send them in several messages, or an address"),
		checkMetadata(msg.Metadata),
	)
}

// checkPart refuses a part of no known type, or without content.
func checkPart(i int, p state.Part) error {
	op := "message part " + itoa(int64(i+1))
	switch {
	case !slices.Contains(state.PartTypes(), p.Type):
		return state.Errorf(state.Invalid, op, "has the unknown type %.40q; did you mean %q? Known: %s",
			p.Type, state.Nearest(p.Type[:min(len(p.Type), 40)], state.PartTypes()), strings.Join(state.PartTypes(), ", "))
	case p.Type == state.TextPart && p.Text == "":
		return state.Errorf(state.Invalid, op, "has no text; fill in Text, or leave the part out")
	case p.Type != state.TextPart && strings.TrimSpace(p.URL) == "":
		return state.Errorf(state.Invalid, op, "is of type %s and has no URL; fill in URL, which may be a data URL", p.Type)
	case !utf8.ValidString(p.Text + p.URL + p.MIME):
		return state.Errorf(state.Invalid, op, "is not valid UTF-8; send it as UTF-8 text")
	}
	return state.CheckSize(op+": MIME type", len(p.MIME), limit.NameBytes, "send the type only")
}

func checkAttachment(i int, a state.Attachment) error {
	op := "attachment " + itoa(int64(i+1))
	if !utf8.ValidString(a.Name + a.MIME + a.Text) {
		return state.Errorf(state.Invalid, op, "is not valid UTF-8; send the bytes as Data")
	}
	return cmp.Or(
		state.CheckSize(op+": name", len(a.Name), limit.NameBytes, "shorten it"),
		state.CheckSize(op+": MIME type", len(a.MIME), limit.NameBytes, "send the type only"),
	)
}

func checkMetadata(metadata map[string]string) error {
	const op = "message metadata"
	for key, value := range metadata {
		if strings.Contains(key, "\x00") || !utf8.ValidString(key+value) {
			return state.Errorf(state.Invalid, op, "has the key %.40q; send UTF-8 text, and no null byte in a key", key)
		}
		if err := cmp.Or(
			state.CheckSize(op+" key", len(key), limit.MetadataKeyBytes, "shorten it"),
			state.CheckSize(op+" "+key, len(value), limit.MetadataValueBytes, "send it as an attachment"),
		); err != nil {
			return err
		}
	}
	return state.CheckCount(op+" keys", len(metadata), limit.Metadata, "put several into one value")
}

// hide masks secrets in everything a message says, before anybody sees it.
func (m *Memory) hide(ctx context.Context, msg *state.Message) {
	// Each text is masked in place; lists are copied first, since the caller has them too.
	total := 0
	by := func(secrets func(string) (string, int)) func(s *string) {
		return func(s *string) {
			var n int
			*s, n = secrets(*s)
			total += n
		}
	}
	mask, maskTyped := by(func(s string) (string, int) { return m.desk.Masker.Secrets(s) }), by(m.desk.Masker.Typed)
	maskTyped(&msg.Text)
	msg.Parts, msg.Attachments = slices.Clone(msg.Parts), slices.Clone(msg.Attachments)
	for i := range msg.Parts {
		maskTyped(&msg.Parts[i].Text)
	}
	for i := range msg.Attachments {
		mask(&msg.Attachments[i].Name)
		mask(&msg.Attachments[i].Text)
	}
	for _, s := range brought(msg) {
		mask(s)
	}
	for key, value := range msg.Metadata {
		if hidden, n := m.desk.Masker.Secrets(value); n > 0 {
			msg.Metadata = maps.Clone(msg.Metadata)
			msg.Metadata[key] = hidden
			total += n
		}
	}

	// The trace tells how many there were, never what.
	if total > 0 {
		state.TraceFrom(ctx).Note("intake: %d secret(s) masked before the message was kept", total)
	}
}

// systemOf returns the system prompt of turns of the scope whose message brings none; "" = compose's own.
func (m *Memory) systemOf(scope state.Scope) string {
	if a, ok := state.AgentNamed(m.c.Agents, scope.Agent); ok {
		return compose.Core(a, a.Language, m.c.Now())
	}
	return m.c.System
}

// Mask returns a text with every secret in it replaced by "[masked KIND]" that its form or the words around it give away. What stands in messages that
// say of something that it is no secret stays.
func (m *Memory) Mask(text string, messages ...string) string { return m.desk.Mask(text, messages...) }
