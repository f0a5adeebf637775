package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/mind"
	"github.com/mneme-graph/mneme/state"
)

// ownRecords are the user's own valid records, the oldest first: preferences, and what is said of him.
func (m *Memory) ownRecords(ctx context.Context, scope state.Scope) ([]state.Record, error) {
	d, err := m.mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()
	now := m.c.Now()
	var out []state.Record
	for _, r := range d.Own {
		if r.Valid(now) && r.About != state.AboutAffair {
			out = append(out, r)
		}
	}
	return out, nil
}

// preferences are those of the records as a prompt shows them: one that was told twice stands there once, as it was told last.
// Told are the records' words that it stands for.
func preferences(own []state.Record) (out state.Facts, told map[string]bool) {
	told = map[string]bool{}
	for _, r := range own {
		if r.Kind != state.PreferenceRecord {
			continue
		}
		out = slices.DeleteFunc(out, func(f state.Fact) bool {
			again := text.Fold(f.Label) == text.Fold(r.Subject) || repeats(f, r)
			if again {
				told[mind.RecordText(state.Record{Subject: f.Label, Content: f.Value})] = true
			}
			return again
		})
		out = append(out, state.Fact{Label: r.Subject, Value: r.Content})
	}
	return out, told
}

// repeatTerms is how many telling words two preferences have in common at least that say the same under different names.
const repeatTerms = 3

// repeats reports whether a record says the same as a preference under another name.
func repeats(f state.Fact, r state.Record) bool {
	had, says := text.Terms(f.Value), text.Terms(r.Content)
	if !slices.Equal(had, says) {
		return false
	}
	named := text.Terms(r.Subject)
	return len(says) >= repeatTerms || slices.ContainsFunc(text.Terms(f.Label), func(t string) bool { return slices.Contains(named, t) })
}

// mostUserLines bounds what a prompt is offered of what is said of the user.
const mostUserLines = 60

// userLines are what is said of the user, the most important first.
func userLines(own []state.Record) []string {
	list := slices.DeleteFunc(slices.Clone(own), func(r state.Record) bool { return r.Kind == state.PreferenceRecord })
	slices.SortStableFunc(list, func(a, b state.Record) int { return cmp.Compare(b.Importance, a.Importance) })
	var out []string
	for _, r := range list[:min(mostUserLines, len(list))] {
		out = append(out, mind.RecordText(r))
	}
	return out
}

// hearUser keeps what a message says of the user himself as records of his own, whatever affair it is filed under. What a tool
// has stored of it already is left to that. Where writes need a consent there is none.
func (m *Memory) hearUser(ctx context.Context, scope state.Scope, msg state.Message) error {
	if m.c.Settings.Autonomy < 2 {
		return nil
	}
	found := personal.Find(msg.Text)
	if len(found) == 0 {
		return nil
	}
	own, err := m.ownRecords(ctx, scope)
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
		changes = append(changes, Change{Kind: kind, Subject: f.Label, Content: f.Value, About: state.AboutUser, Trust: state.TrustExtracted, Author: string(state.RoleUser)})
	}
	if len(changes) == 0 {
		return nil
	}
	origin := Origin{Scope: scope, Turn: msg.Turn, Message: msg.ID, Seq: msg.Seq, byRules: true}
	_, err = m.Write(ContextWithOrigin(ctx, origin), scope, changes...)
	return err
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
