package memory

import (
	"context"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/extract"
	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
)

// A record says whose it is. What is the user's (package personal tells) is filed under no affair, and the brain has it. What is an affair's stays there. Said without a tool, it is heard when the turn is flushed.

// preferences returns those of the records as a prompt shows them: one that was told twice stands there once, as it was told last.
// Told are the records' words that it stands for.
func preferences(own []state.Record) (out []compose.Known, told map[string]bool) {
	told = map[string]bool{}
	for _, r := range own {
		if r.Kind != state.PreferenceRecord {
			continue
		}
		out = slices.DeleteFunc(out, func(k compose.Known) bool {
			again := text.Fold(k.Label) == text.Fold(r.Subject) || repeats(k, r)
			if again {
				told[mind.RecordText(state.Record{Subject: k.Label, Content: k.Text})] = true
			}
			return again
		})
		out = append(out, compose.Known{Label: r.Subject, Text: r.Content, Of: originOf(r)})
	}
	return out, told
}

// prefer returns what holds in a turn: the user's preferences, over them those of the session and of the message by name, and the language
// to answer in, which is that of the question where none is preferred.
func prefer(global []compose.Known, s state.Session, msg state.Message, spoken string) (out []compose.Known, answered string) {
	out, answered = global, spoken
	put := func(label, value string, from compose.Origin) {
		from.Part = "preferences:" + label
		own := compose.Known{Label: label, Text: value, Of: from.String()}
		if at := slices.IndexFunc(out, func(k compose.Known) bool { return k.Label == label }); at >= 0 {
			out[at] = own
		} else {
			out = append(out, own)
		}
	}
	for _, label := range slices.Sorted(maps.Keys(s.Preferences)) {
		put(label, s.Preferences[label], compose.Origin{Kind: compose.OfSession, ID: s.ID})
	}
	if msg.Preferences != nil {
		for _, f := range msg.Preferences.Facts() {
			put(f.Label, f.Value, compose.Origin{Kind: compose.OfMessage, ID: s.ID, Seq: msg.Seq})
		}
	}
	at := slices.IndexFunc(out, func(k compose.Known) bool { return k.Label == state.PreferredLanguage })
	if at < 0 {
		return out, answered
	}
	switch tag, err := language.Parse(out[at].Text); {
	case err != nil: // a tool wrote down what is no tag
	case tag == language.Und: // that of the question, whatever was preferred before
		out = slices.Delete(out, at, at+1)
	default:
		answered = out[at].Text
	}
	return out, answered
}

// repeatTerms is how many telling words two preferences have in common at least that say the same under different names.
const repeatTerms = 3

// repeats reports whether a record says the same as a preference under another name.
func repeats(k compose.Known, r state.Record) bool {
	had, says := text.Terms(k.Text), text.Terms(r.Content)
	if !slices.Equal(had, says) {
		return false
	}
	named := text.Terms(r.Subject)
	return len(says) >= repeatTerms || slices.ContainsFunc(text.Terms(k.Label), func(t string) bool { return slices.Contains(named, t) })
}

// mostProjectLines bounds what a prompt is offered of what the turn's project knows.
const mostProjectLines = 40

// projectLines returns what the turn's project knows by itself, the user's own records of it first, then what all users of the client know of
// it and of no project.
func (m *Memory) projectLines(ctx context.Context, v state.View, message string) ([]compose.Known, error) {
	scope := desk.ScopeOf(v.Session)

	// The user's own records of the project.
	var lists []mind.Known
	if v.Project != "" {
		d, err := m.desk.Mind(ctx, scope)
		if err != nil {
			return nil, err
		}
		lists = append(lists, d.Projects[v.Project])
		d.Unlock()
	}

	// What all users of the client know: of the project, then of none.
	shared, err := m.desk.SharedMind(ctx, scope)
	if err != nil {
		return nil, err
	}
	if shared != nil {
		if v.Project != "" {
			lists = append(lists, shared.Projects[v.Project])
		}
		lists = append(lists, shared.Projects[""])
		shared.Unlock()
	}

	// One list, held to the number of lines that a prompt has for it.
	var out []compose.Known
	now, belongs := m.c.Now(), belongsTo(message)
	for _, r := range slices.Concat(lists...) {
		if r.Valid(now) && len(out) < mostProjectLines && (r.Subject != "" || belongs(r.Content)) {
			out = append(out, compose.Known{Label: r.Subject, Text: r.Content, Of: originOf(r)})
		}
	}
	return out, nil
}

// hearUser keeps what a message says of the user himself as records of his own, whatever affair it is filed under. What a tool
// has stored of it already is left to that.
func (m *Memory) hearUser(ctx context.Context, scope state.Scope, msg state.Message) error {
	if m.desk.Autonomy(ctx, scope) == desk.ReadOnlyLevel {
		return nil
	}

	// What he says of himself by rules; most messages say nothing.
	found := personal.Find(whose.Own(msg.Text))
	if len(found) == 0 {
		return nil
	}

	// What a record tells already is not written again.
	own, err := m.desk.Own(ctx, scope)
	if err != nil {
		return err
	}
	var changes []Change
	for _, f := range found {
		if known := slices.ContainsFunc(own, func(r state.Record) bool { return tells(r, f) }); known {
			continue
		}
		kind := state.FactRecord
		if slices.Contains([]string{"address", "phone", "e-mail"}, f.Property) {
			kind = state.ContactRecord
		}
		changes = append(changes, Change{Kind: kind, Subject: f.Label, Content: f.Said, About: state.AboutUser, Trust: state.TrustExtracted, Author: string(state.RoleUser), slot: slotOf(f.Label, f.One)})
	}
	if len(changes) == 0 {
		return nil
	}

	// The rules write it through the one door, with this message as its source.
	origin := desk.Call{Origin: desk.Origin{Scope: scope, Turn: msg.Turn, Message: msg.ID, Seq: msg.Seq, Path: flushPath}, ByRules: true}
	_, err = m.Write(origin.In(ctx), scope, changes...)
	return suggest.UnlessWaits(err)
}

// tells reports whether a record says already what was found, in other words.
func tells(r state.Record, f personal.Fact) bool {
	if strings.EqualFold(r.Subject, f.Label) && strings.EqualFold(r.Content, f.Value) {
		return false // word for word: Write sees to it
	}
	has := text.Terms(mind.RecordText(r))
	says := text.Terms(f.Value)
	return len(says) > 0 && !slices.ContainsFunc(says, func(t string) bool { return !slices.Contains(has, t) })
}

// slotOf names what has one value at a time, "" for what has several.
func slotOf(subject string, one bool) string {
	if !one {
		return ""
	}
	return text.Fold(subject)
}

// takePlaces makes a plan take the place of all that was known of the user before: the other values of what has one at a time, and the rule
// that it turns round. What says it already is said again.
func (m *Memory) takePlaces(ctx context.Context, scope state.Scope, origin desk.Call, c Change, p *plan) error {
	if c.About != state.AboutUser || c.slot == "" && c.Kind != state.DecisionRecord {
		return nil
	}
	own, err := m.desk.Own(ctx, scope)
	if err != nil {
		return err
	}
	var known *state.Record
	over := func(r state.Record) {
		if origin.Before(r) {
			p.outlive(r)
		} else {
			p.over = append(p.over, r)
		}
	}
	for _, r := range own {
		switch {
		case r.Due != nil || c.corrects != nil && r.ID == c.corrects.ID:
		case c.slot == "" && r.Kind == state.DecisionRecord && extract.Overrules(c.Content, r.Content):
			over(r)
		case c.slot == "" || text.Fold(r.Subject) != c.slot && extract.Slot(r.Subject, r.Content) != c.slot:
		case known == nil && sameValue(r, c):
			known = &r
		default:
			over(r)
		}
	}
	switch last := len(p.over) - 1; {
	case known != nil && c.corrects != nil:
		p.over = append(p.over, *c.corrects)
		p.is, p.old, p.stands, p.said = same.Verdict{Kind: same.Same, Similarity: 1}, *known, true, true
	case c.corrects != nil || known == nil && p.record.ValidTo != nil: // it is said already what it is
	case known != nil:
		p.is, p.old, p.stands, p.said = same.Verdict{Kind: same.Same, Similarity: 1}, *known, true, true
	case last >= 0:
		p.is, p.old, p.stands, p.said = same.Verdict{Kind: same.Replaces, Similarity: 1, Reason: "the newer value"}, p.over[last], true, true
		p.over = p.over[:last]
	}
	return nil
}

// sameValue reports whether a record of a change's slot has all its telling words.
func sameValue(r state.Record, c Change) bool {
	has := text.Terms(mind.RecordText(r))
	return !slices.ContainsFunc(text.Terms(c.Content), func(t string) bool { return !slices.Contains(has, t) })
}
