package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// The brain is no document: it is the user's own valid records, the most important first, as many as brain_max_tokens hold. So it
// has their sources, dates and history, what replaces one is in it at once, and nothing can differ from the records or be lost
// beside them. What finds no room is the archive; recall finds it. It is the user's: all his agents have the same.

// Brain is what is known of a user for good: his own valid records, the most important first, as many as brain_max_tokens hold. Of it a prompt has who
// he is, how he wants to be answered, what is pinned, and what has to do with the message; with a short one, as a greeting, all of it. A record tells where it is from
// (Source), how many turns said it (Times), and when it was said first and last (RecordedAt, Seen). There is no document of it: a record that is replaced, forgotten or damaged is out of it at once.
type Brain struct {
	User        []state.Record `json:"user"` // who he is
	Preferences []state.Record `json:"preferences"`
	Decisions   []state.Record `json:"decisions"` // what holds from now on
	Current     []state.Record `json:"current"`   // what he is working on, and what is to come
	Archive     []state.Record `json:"archive"`   // found no room: the least used, which recall finds; and those of them that are in the archive (ArchivedAt)
	Tokens      int            `json:"tokens"`    // of what found room

	Last Digest `json:"active_context"` // what was going on last, with the agent of the scope
}

// Digest is what a part of a session that is over came to. ID is that of the part's record, by which Amend corrects it; "" = there is none.
type Digest struct {
	ID   string `json:"id,omitempty"`
	Text string `json:"text,omitempty"`
}

// Brain returns what is known of the scope's user for good.
func (m *Memory) Brain(ctx context.Context, scope state.Scope) (Brain, error) {
	scope = scope.Default()
	ctx = m.desk.Under(ctx, scope)
	own, err := m.desk.Own(ctx, scope)
	if err != nil {
		return Brain{}, err
	}
	b := m.brain(ctx, own)
	if err := m.addArchived(ctx, scope, &b); err != nil {
		return b, err
	}
	b.Last, err = m.lastDigest(ctx, scope, "")
	return b, err
}

// brain chooses among the user's own records; tasks stand in a prompt by themselves, once they are due. Of preferences that say the same the last one counts.
func (m *Memory) brain(ctx context.Context, own []state.Record) Brain {
	prefs, _ := preferences(own)
	shown := map[string]bool{}
	for _, k := range prefs {
		shown[k.Of] = true
	}
	list := slices.DeleteFunc(slices.Clone(own), func(r state.Record) bool {
		return r.Due != nil || r.Kind == state.PreferenceRecord && !shown[originOf(r)]
	})
	slices.SortStableFunc(list, byUse)

	b := Brain{User: []state.Record{}, Preferences: []state.Record{}, Decisions: []state.Record{}, Current: []state.Record{}, Archive: []state.Record{}}
	left := m.desk.Set(ctx).BrainMaxTokens - brainHeadings
	for _, r := range list {
		need := m.c.Tokens.Count("- " + mind.RecordText(r) + "\n")
		if need > left {
			b.Archive = append(b.Archive, r)
			continue
		}
		left -= need
		part := b.part(r.Kind.Part())
		*part = append(*part, r)
	}
	b.Tokens = m.desk.Set(ctx).BrainMaxTokens - brainHeadings - left
	return b
}

// inBrain returns those of the user's own records that are in his brain.
func (m *Memory) inBrain(ctx context.Context, own []state.Record) []state.Record {
	b := m.brain(ctx, own)
	return slices.Concat(b.User, b.Preferences, b.Decisions, b.Current)
}

// brainHeadings is what the headings of the brain cost in a prompt.
const brainHeadings = 20

// preferred returns those of all preferences that have found room, in their order.
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

// besides returns what of the brain stands in the prompt of a message: what is pinned, who the user is, how he wants to be answered, and what has to do
// with the message. The rest is left to recall. To a message of fewer than three telling words, as a greeting is, all
// of it is shown.
func (b Brain) besides(message string) Brain {
	belongs := belongsTo(message)
	shown := func(list []state.Record) []state.Record {
		return slices.DeleteFunc(slices.Clone(list), func(r state.Record) bool {
			identity := r.Subject != "" && r.Kind.Part() == state.BrainUser
			return !r.Pinned && !identity && !belongs(mind.RecordText(r))
		})
	}
	b.User, b.Decisions, b.Current = shown(b.User), shown(b.Decisions), shown(b.Current)
	return b
}

// belongsTo reports of a line whether it has to do with a message: it has a word like one of its, or these are too few to tell.
func belongsTo(message string) func(line string) bool {
	const asks = 3 // telling words
	sought := text.Sought(message)
	return func(line string) bool { return len(sought) < asks || likeness(sought, text.Terms(line)) > 0 }
}

// part returns where records of a part of the brain are listed.
func (b *Brain) part(p state.BrainPart) *[]state.Record {
	switch p {
	case state.BrainPreferences:
		return &b.Preferences
	case state.BrainDecisions:
		return &b.Decisions
	case state.BrainCurrent:
		return &b.Current
	case state.BrainUser:
	}
	return &b.User
}

// In returns the records of a part of the brain.
func (b Brain) In(p state.BrainPart) []state.Record { return *b.part(p) }

// knownLines are records as a prompt shows them.
func knownLines(list []state.Record) []compose.Known {
	var out []compose.Known
	for _, r := range list {
		out = append(out, compose.Known{Label: r.Subject, Text: r.Content, Of: originOf(r)})
	}
	return out
}

// activeContext returns what was going on last, before this part of the session: the digest of the last part of a session with the same
// agent that is over, and where it is kept; of a session that was left and not ended yet, the digest it will have. A part of this very
// session stands in its summary already.
func (m *Memory) activeContext(ctx context.Context, s state.Session, agent string) (text, of string, err error) {
	scope := desk.ScopeOf(s)
	scope.Agent = agent
	if text, of, err = m.sessions.Wake(ctx, scope); err != nil || text != "" {
		return text, of, err
	}
	last, err := m.lastDigest(ctx, scope, s.ID)
	if err != nil || last.ID == "" {
		return "", "", err
	}
	return last.Text, compose.Origin{Kind: compose.OfRecord, ID: last.ID, Part: parts.DigestPart}.String(), nil
}

// lastDigest returns the digest of the last part of a session with the scope's agent that is over, unless it is one of the session here, or was
// cleared. What was forgotten since is left out.
func (m *Memory) lastDigest(ctx context.Context, scope state.Scope, here string) (Digest, error) {
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return Digest{}, err
	}
	last, from := d.Parts.Last[scope.Agent], d.Docs
	hidden := d.Cleared
	d.Unlock()

	if last.ID == "" || here != "" && last.Session == here {
		return Digest{}, nil
	}
	r, err := ledger.Get[state.Record](ctx, from, state.Records, scope.Key(last.ID))
	switch {
	case errors.Is(err, state.ErrNotFound):
		return Digest{}, nil
	case err != nil || r.Span == nil || hidden.Hides(last.Session, r.Span.Last):
		return Digest{}, err
	}
	scope.Session = r.Session
	digest, err := current(ctx, d, scope, r.Span.Digest, r.Span.StartedAt)
	return Digest{r.ID, digest}, err
}

// hasDigest reports whether a record is the summary of a part of a session that is over.
func hasDigest(r state.Record) bool { return r.Span != nil && r.Span.Level == 0 && r.Span.Ended() }

// redigest puts a text in the place of the digest of a part of a session. It is refused when it is longer than a digest may be.
func (m *Memory) redigest(ctx context.Context, scope state.Scope, id, digest string) ([]Amended, error) {
	// The text is held to the limits of a digest that a model makes.
	digest = m.desk.Mask(strings.TrimSpace(digest))
	if n := m.c.Tokens.Count(digest); n > parts.DigestTokens {
		return nil, state.Errorf(state.Invalid, "active context", "has %d tokens, at most %d are taken; shorten it", n, parts.DigestTokens)
	}
	asked := amendWish{Action: CorrectRecord, IDs: []string{id}, Digest: digest}
	wish := desk.Wish{Kind: "amend", Asks: string(CorrectRecord), Says: digest, Of: asked.IDs, Request: asked}
	if err := m.suggestions.Gate(ctx, scope, wish); err != nil {
		return nil, err
	}

	// The digest is read and changed by one writer at a time.
	leave, err := m.desk.Alone(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer leave()
	from, err := m.desk.Reads(ctx, scope)
	if err != nil {
		return nil, err
	}
	r, err := ledger.Get[state.Record](ctx, from, state.Records, scope.Key(id))
	if err != nil {
		return nil, err
	}

	// The span is copied: the one that was read may be in a cache.
	span := *r.Span
	span.Digest, span.UpdatedAt = digest, m.c.Now()
	r.Span = &span
	done := Amended{m.receipt(r), r}
	done.Outcome, done.Durable = state.Replaced, true
	return []Amended{done}, m.desk.Decide(ctx, state.Effect{Scope: scope, Record: &r})
}

// addArchived adds to a brain's archive what of the user's own records is in the archive.
func (m *Memory) addArchived(ctx context.Context, scope state.Scope, b *Brain) error {
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return err
	}
	defer d.Unlock()
	now := m.c.Now()
	for _, r := range d.Own {
		if r.ArchivedAt != nil && r.Holds(now) && r.About != state.AboutAffair && r.About != state.AboutProject {
			b.Archive = append(b.Archive, r)
		}
	}
	return nil
}
