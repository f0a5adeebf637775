package memory

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
)

// How the user wants to be answered is a record of his (global) or stands in the session's document (session). There it costs no
// commit and no reading, is in no index, and goes when the user begins something else in the session, or ends it: another mechanism
// would have to end it. What was set stays with its message, so undo and fork find what stood before. Both are kept when the turn is
// flushed, in its commit.
//
// store_knowledge false marks every message of the turn (Message.Unstored). It stays in its session: window, recall there, export, a
// fork. It is not heard by detection, opens no affair, and enters no summary, key fact, record or vector; Write refuses within the
// turn. What a later message or answer repeats of it is that message's. Extra context is dropped from the user's message when the
// turn is flushed, so an attempt in another process has it until then; with store_knowledge true it is kept.

// bring checks what a message brings besides what it says, and puts it into the form that is kept: the language as BCP-47 writes it, and
// files that are to be remembered among the attachments. The message that is given does not change.
func (m *Memory) bring(ctx context.Context, scope state.Scope, msg state.Message) (state.Message, error) {
	// Preferences are checked first; those that are for the user as a whole need memory that can be written.
	if msg.Preferences != nil {
		p, err := checkPreferences(*msg.Preferences)
		switch {
		case err != nil:
			return msg, err
		case p.Global() && msg.Unstored():
			return msg, state.Errorf(state.Invalid, "preference_scope global", "store_knowledge is false, so nothing can be kept for the user; use preference_scope session")
		case p.Global():
			if err := m.desk.ReadOnly(ctx, scope, "preference_scope global", "use preference_scope session, or "); err != nil {
				return msg, err
			}
		}
		if msg.Preferences = &p; len(p.Facts()) == 0 {
			msg.Preferences = nil
		}
	}

	// The same for the rest.
	if msg.Extra == nil {
		return msg, nil
	}
	if err := m.checkExtra(msg); err != nil {
		return msg, err
	}
	if msg.StoresExtra() {
		if err := m.desk.ReadOnly(ctx, scope, "store_knowledge", "leave it out, or "); err != nil {
			return msg, err
		}
	}

	// The copy gets the form that is kept: files to be remembered are attachments, an empty rest is none.
	x := *msg.Extra
	x.Files, x.Links, x.Paths, x.Notes = slices.Clone(x.Files), slices.Clone(x.Links), slices.Clone(x.Paths), slices.Clone(x.Notes)
	if msg.StoresExtra() {
		msg.Attachments, x.Files = slices.Concat(msg.Attachments, x.Files), nil
	}
	if msg.Extra = &x; x.Empty() {
		msg.Extra = nil
	}
	return msg, nil
}

// checkPreferences refuses what no answer can heed, and writes the language as BCP-47 does.
func checkPreferences(p state.Preferences) (state.Preferences, error) {
	if p.Language != "" {
		tag, err := language.Parse(p.Language)
		if err != nil {
			return p, state.Errorf(state.Invalid, "preferred_language", "%.40q is no BCP-47 tag (%w); write one such as pl, en-GB or zh-Hant", p.Language, err)
		}
		p.Language = tag.String()
	}

	switch {
	case p.Tone != "" && !slices.Contains(state.Tones(), p.Tone):
		return p, state.Errorf(state.Invalid, "tone", "%.40q is unknown; use one of %v", p.Tone, state.Tones())
	case p.Scope != "" && !slices.Contains(state.PreferenceScopes(), p.Scope):
		return p, state.Errorf(state.Invalid, "preference_scope", "%.40q is unknown; use one of %v", p.Scope, state.PreferenceScopes())
	case !utf8.ValidString(p.StyleNotes):
		return p, state.Errorf(state.Invalid, "style_notes", "are not valid UTF-8; send UTF-8 text")
	case len(p.Facts()) == 0 && p.Scope != "":
		return p, state.Errorf(state.Invalid, "preference_scope", "stands without a preference; set preferred_language, tone or style_notes")
	}

	p.StyleNotes = strings.TrimSpace(p.StyleNotes)
	return p, state.CheckSize("style_notes", len(p.StyleNotes), limit.StyleNoteBytes, "they stand in every prompt, shorten them")
}

// checkExtra refuses extra context that cannot be kept or shown.
func (m *Memory) checkExtra(msg state.Message) error {
	x, bytes := *msg.Extra, 0

	// Each list in turn: its elements are checked one by one, and their bytes counted.
	for i, f := range x.Files {
		if err := checkAttachment(i, f); err != nil {
			return err
		}
		if strings.TrimSpace(f.Name) == "" && f.Text == "" && len(f.Data) == 0 {
			return state.Errorf(state.Invalid, "extra_context file "+itoa(int64(i+1)), "is empty; give it a name, a text or data")
		}
		bytes += len(f.Text) + len(f.Data)
	}
	for _, a := range msg.Attachments {
		bytes += len(a.Text) + len(a.Data)
	}
	for i, link := range x.Links {
		op := "extra_context link " + itoa(int64(i+1))
		if u, err := url.Parse(strings.TrimSpace(link)); err != nil || u.Scheme == "" {
			return state.Errorf(state.Invalid, op, "is no address; write it with its scheme, as https://example.org/page")
		}
		if err := checkLine(op, link, limit.AddressBytes); err != nil {
			return err
		}
	}
	for i, path := range x.Paths {
		if err := checkLine("extra_context path "+itoa(int64(i+1)), path, limit.AddressBytes); err != nil {
			return err
		}
	}
	for i, note := range x.Notes {
		if err := checkLine("extra_context note "+itoa(int64(i+1)), note, limit.NoteBytes); err != nil {
			return err
		}
		bytes += len(note)
	}

	// The limits of all together.
	return cmp.Or(
		state.CheckCount("extra_context", x.Len(), limit.Extra, "send them with several messages"),
		state.CheckCount("message attachments", len(msg.Attachments)+len(x.Files), limit.Attachments, "send them in several messages"),
		state.CheckSize("extra_context files and notes, and attachments", bytes, limit.AttachedBytes, "send them in several messages, or an address"),
	)
}

// checkLine refuses a text of extra context that is empty, too long or no text.
func checkLine(op, s string, most int) error {
	switch {
	case desk.Blank(s):
		return state.Errorf(state.Invalid, op, "is empty; leave it out")
	case !utf8.ValidString(s):
		return state.Errorf(state.Invalid, op, "is not valid UTF-8; send UTF-8 text")
	}
	return state.CheckSize(op, len(s), most, "send it as a file")
}

// withExtra returns a message as its turn's prompt shows it: files that came for the turn alone are among its attachments. Extra is the rest.
func withExtra(msg state.Message) (_ state.Message, extra []compose.Known) {
	if msg.Extra == nil {
		return msg, nil
	}
	msg.Attachments = slices.Concat(msg.Attachments, msg.Extra.Files)
	for _, list := range []struct {
		label string
		texts []string
	}{{"note", msg.Extra.Notes}, {"link", msg.Extra.Links}, {"path", msg.Extra.Paths}} {
		for _, s := range list.texts {
			extra = append(extra, compose.Known{Label: list.label, Text: s})
		}
	}
	return msg, extra
}

// errUnstored returns the error of a write in a turn whose request brings nothing to be kept.
func errUnstored(op string) error {
	return state.Errorf(state.Denied, op, "the request says store_knowledge false: nothing of this turn is stored; answer without it")
}

// keepBrought keeps what the user's message brings: preferences, and extra context where it is to be remembered. What was for this turn
// alone is dropped.
func (e *edits) keepBrought(ctx context.Context, user state.Message) error {
	// Preferences hold for the session from now on, and for the user if they say so.
	if p := user.Preferences; p != nil {
		e.View.Session.Preferences = p.Over(e.View.Session.Preferences)
		if p.Global() {
			if err := e.prefer(ctx, user, p.Facts()); err != nil {
				return err
			}
		}
	}

	switch {
	case user.Extra == nil:
		return nil
	case !user.StoresExtra():
		e.Add(state.Effect{File: &state.MessageEdit{Seq: user.Seq, DropExtra: true}})
		return nil
	}

	// Links, paths and notes are records like any other.
	var changes []Change
	for _, s := range slices.Concat(user.Extra.Links, user.Extra.Paths, user.Extra.Notes) {
		changes = append(changes, Change{Content: s, Trust: state.TrustUser, Author: string(state.RoleUser)})
	}
	if len(changes) == 0 {
		return nil
	}
	_, err := e.m.Write(e.origin(user).In(ctx), e.Scope, changes...)
	return suggest.UnlessWaits(err)
}

// origin says that something comes from the user's message.
func (e *edits) origin(user state.Message) desk.Call {
	return desk.Call{Origin: desk.Origin{Scope: e.Scope, Affair: e.View.Target, Turn: user.Turn, Message: user.ID, Seq: user.Seq, Path: flushPath}, ByRules: true}
}

// prefer makes preferences the user's in all sessions, or suggests them.
func (e *edits) prefer(ctx context.Context, user state.Message, facts state.Facts) error {
	origin := e.origin(user)
	ctx = origin.In(ctx)

	effects, err := e.m.prefer(ctx, e.Scope, origin, facts)
	if err != nil || len(effects) == 0 {
		return err
	}

	var asked []desk.Wish
	for _, effect := range effects {
		if r := effect.Record; r.ValidTo == nil {
			asked = append(asked, desk.Wish{Kind: "prefer", Asks: "remember", Says: r.Subject + ": " + r.Content, Request: preferWish{r.Subject, r.Content}})
		}
	}
	if err := e.m.suggestions.Gate(ctx, e.Scope, asked...); err != nil {
		return suggest.UnlessWaits(err)
	}

	for _, effect := range effects {
		e.Add(effect)
	}
	return nil
}

// prefer returns the edits that make preferences the user's in all sessions. One that differs from the last of its name takes its place, which is
// kept as history; one that does not changes nothing.
func (m *Memory) prefer(ctx context.Context, scope state.Scope, origin desk.Call, facts state.Facts) (effects []state.Effect, err error) {
	own, err := m.desk.Own(ctx, scope)
	if err != nil {
		return nil, err
	}

	// A preference of the same name that says the same stays; another one is replaced.
	for i, f := range facts {
		var had []state.Record
		for _, r := range own {
			if r.Kind == state.PreferenceRecord && r.Subject == f.Label {
				had = append(had, r)
			}
		}
		if len(had) == 1 && had[0].Content == f.Value {
			continue
		}

		next := m.record(scope, origin, Change{
			Kind: state.PreferenceRecord, About: state.AboutUser, Subject: f.Label, Content: f.Value, Trust: state.TrustUser, Author: string(state.RoleUser), Importance: 5,
		}, i)
		for _, old := range had {
			old.ValidTo, old.ReplacedBy, next.Replaces = &next.RecordedAt, next.ID, old.ID
			effects = append(effects, state.Effect{Scope: scope, Record: &old})
		}
		effects = append(effects, state.Effect{Scope: scope, Record: &next})
	}
	return effects, nil
}

// brought returns the texts that a message brings besides what it says, to be masked in place. They are its own since bring.
func brought(msg *state.Message) []*string {
	var out []*string
	if p := msg.Preferences; p != nil {
		out = append(out, &p.StyleNotes)
	}

	if msg.Extra == nil {
		return out
	}

	for i := range msg.Extra.Files {
		out = append(out, &msg.Extra.Files[i].Name, &msg.Extra.Files[i].Text)
	}
	for _, list := range [][]string{msg.Extra.Links, msg.Extra.Paths, msg.Extra.Notes} {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out
}
