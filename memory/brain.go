package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/memory/mind"
	"github.com/mneme-graph/mneme/state"
)

// Brain is what is known of a user for good and stands in every prompt of his: his own valid records, the most important first, as many
// as brain_max_tokens hold. A record tells where it is from (Source), how many turns said it (Times), and when it was said first
// and last (RecordedAt, Seen). There is no document of it: a record that is replaced, forgotten or damaged is out of it at once.
type Brain struct {
	User        []state.Record `json:"user"` // who he is
	Preferences []state.Record `json:"preferences"`
	Decisions   []state.Record `json:"decisions"` // what holds from now on
	Current     []state.Record `json:"current"`   // what he is working on, and what is to come
	Archive     []state.Record `json:"archive"`   // found no room: the least used; recall finds them
	Tokens      int            `json:"tokens"`    // of what found room
}

// Brain returns what is known of the scope's user for good.
func (m *Memory) Brain(ctx context.Context, scope state.Scope) (Brain, error) {
	own, err := m.ownRecords(ctx, scope.Default())
	if err != nil {
		return Brain{}, err
	}
	return m.brain(own), nil
}

// brain chooses among the user's own records; tasks stand in a prompt by themselves, once they are due. Of preferences that say the same the last one counts.
func (m *Memory) brain(own []state.Record) Brain {
	prefs, _ := preferences(own)
	shown := map[string]bool{}
	for _, k := range prefs {
		shown[k.Of] = true
	}
	list := slices.DeleteFunc(slices.Clone(own), func(r state.Record) bool {
		return r.Due != nil || r.Kind == state.PreferenceRecord && !shown[originOf(r)]
	})
	slices.SortStableFunc(list, byUse)

	var b Brain
	left := m.c.Settings.BrainMaxTokens - brainHeadings
	for _, r := range list {
		need := m.c.Tokens.Count("- " + mind.RecordText(r) + "\n")
		if need > left {
			b.Archive = append(b.Archive, r)
			continue
		}
		left -= need
		part := b.part(r)
		*part = append(*part, r)
	}
	b.Tokens = m.c.Settings.BrainMaxTokens - brainHeadings - left
	return b
}

// brainHeadings is what the headings of the brain cost in a prompt.
const brainHeadings = 20

// preferred are those of all preferences that have found room, in their order.
func (b Brain) preferred(all []compose.Known) []compose.Known {
	return slices.DeleteFunc(all, func(k compose.Known) bool {
		return !slices.ContainsFunc(b.Preferences, func(r state.Record) bool { return originOf(r) == k.Of })
	})
}

// byUse orders what is pinned, important, often said and lately said first.
func byUse(a, b state.Record) int {
	pin := func(r state.Record) int {
		if r.Pinned || slices.Contains([]string{state.PreferredLanguage, state.PreferredTone, state.StyleNotes}, r.Subject) {
			return 1
		}
		return 0
	}
	return cmp.Or(pin(b)-pin(a), b.Importance-a.Importance, slices.Index(state.Trusts(), a.Trust)-slices.Index(state.Trusts(), b.Trust), b.Times-a.Times, b.Seen().Compare(a.Seen()))
}

// part is where a record stands in the brain.
func (b *Brain) part(r state.Record) *[]state.Record {
	switch r.Kind {
	case state.PreferenceRecord:
		return &b.Preferences
	case state.DecisionRecord, state.ProcedureRecord:
		return &b.Decisions
	case state.EventRecord, state.InsightRecord, state.DeadlineRecord, state.OrderRecord:
		return &b.Current
	case state.FactRecord, state.ContactRecord, state.SummaryRecord, state.LessonRecord, state.MessageRecord:
	}
	return &b.User
}

// knownLines are records as a prompt shows them.
func knownLines(list []state.Record) []compose.Known {
	var out []compose.Known
	for _, r := range list {
		out = append(out, compose.Known{Label: r.Subject, Text: r.Content, Of: originOf(r)})
	}
	return out
}

// activeContext is what was going on last, before this part of the session: the digest of the last part of a session with the same
// agent that is over, and where it is kept. A part of this very session stands in its summary already.
func (m *Memory) activeContext(ctx context.Context, s state.Session, agent string) (text, of string, err error) {
	d, err := m.mind(ctx, scopeOf(s))
	if err != nil {
		return "", "", err
	}
	last, from := d.Parts.Last[agent], d.Docs
	hidden := d.Cleared
	d.Unlock()
	if last.ID == "" || last.Session == s.ID {
		return "", "", nil
	}
	r, err := ledger.Get[state.Record](ctx, from, state.Records, scopeOf(s).Key(last.ID))
	switch {
	case errors.Is(err, state.ErrNotFound):
		return "", "", nil
	case err != nil || r.Span == nil || hidden.Hides(last.Session, r.Span.Last):
		return "", "", err
	}
	return d.WithoutForgotten(r.Span.Digest, r.Span.StartedAt), compose.Origin{Kind: compose.OfRecord, ID: r.ID, Part: digestPart}.String(), nil
}
