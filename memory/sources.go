package memory

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
)

// Sources reads today's texts of what a turn was shown, by the names that its account has kept. They are the user's own documents
// whatever a name says, and what was undone or ended is gone.

// Source is where something that a turn was shown is from, as it is kept today. Of a document that is gone, was taken back or was
// forgotten there is no text.
type Source struct {
	Kind    string    `json:"kind"` // message, record, affair or session
	ID      string    `json:"id,omitempty"`
	Session string    `json:"session,omitempty"`
	Message string    `json:"message,omitempty"` // id of the message; of a record the one that it was stored from
	Seq     int64     `json:"seq,omitempty"`     // of a message: its number in the session
	Turn    string    `json:"turn,omitempty"`    // in which it was said or stored
	Title   string    `json:"title,omitempty"`   // of an affair
	Who     string    `json:"who,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Text    string    `json:"text,omitempty"`
	Why     string    `json:"why,omitempty"`    // of a user's message: the reasoning of the decision
	Affair  string    `json:"affair,omitempty"` // under which a message is filed
	Gone    bool      `json:"gone,omitempty"`
	Ended   bool      `json:"ended,omitempty"`       // something newer has taken the place of the record
	Instead string    `json:"replaced_by,omitempty"` // the record that has
}

// Sources reads today's texts of what a turn of the scope's session was shown. They are named as compose.Origin.Kept writes it, and
// come back under these names; what is no such name is left out. Whatever a name says, only documents of the scope's user are read, and
// records that all users of his client share.
func (m *Memory) Sources(ctx context.Context, scope state.Scope, of ...string) (map[string]Source, error) {
	scope = scope.Default()

	// Only names that are valid count; all documents are read at once.
	origins, refs := map[string]compose.Origin{}, map[ledger.Ref]bool{}
	for _, name := range of {
		if o, ok := compose.ParseKept(name, scope.Session); ok && state.ValidateID(o.Kind, o.ID) == nil {
			origins[name], refs[refOf(scope, o)] = o, true
		}
	}
	var list []ledger.Ref
	for ref := range refs {
		list = append(list, ref)
	}
	from, err := ledger.ReadAhead(ctx, m.desk.Base, list...)
	if err != nil {
		return nil, err
	}

	known, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	known.Unlock() // Unsay locks it itself

	// A record that is not the user's may be shared; what is gone is said to be.
	out := map[string]Source{}
	for name, o := range origins {
		s, err := readSource(ctx, known, from, scope, o)
		if errors.Is(err, state.ErrNotFound) && o.Kind == compose.OfRecord {
			s, err = readSource(ctx, known, m.desk.Base, desk.OfClient(scope), o)
		}
		if errors.Is(err, state.ErrNotFound) {
			s, err = Source{Kind: o.Kind, ID: o.ID, Gone: true}, nil
		}
		if err != nil {
			return nil, err
		}
		out[name] = s
	}
	return out, nil
}

// refOf returns the document of the scope's user that an origin names.
func refOf(scope state.Scope, o compose.Origin) ledger.Ref {
	switch o.Kind {
	case compose.OfMessage:
		scope.Session = o.ID
		return ledger.Ref{Collection: state.Messages, ID: scope.MessageKey(o.Seq)}
	case compose.OfRecord:
		return ledger.Ref{Collection: state.Records, ID: scope.Key(o.ID)}
	case compose.OfAffair:
		return ledger.Ref{Collection: state.Affairs, ID: scope.Key(o.ID)}
	}
	return ledger.Ref{Collection: state.Sessions, ID: scope.Key(o.ID)}
}

// readSource reads what an origin names. What nobody is shown any more is state.ErrNotFound.
func readSource(ctx context.Context, known *mind.Mind, from ledger.Reader, scope state.Scope, o compose.Origin) (Source, error) {
	s, ref, ok := Source{Kind: o.Kind, ID: o.ID}, refOf(scope, o), true

	// Each kind has its document, its text, and what makes it invisible.
	switch o.Kind {
	case compose.OfMessage:
		msg, err := ledger.Get[state.Message](ctx, from, ref.Collection, ref.ID)
		if err != nil || msg.Undone {
			return s, cmp.Or(err, hidden(ref.ID))
		}
		msg = known.Unsay(o.ID, msg)
		s.ID, s.Session, s.Message, s.Seq, s.Turn = "", o.ID, msg.ID, msg.Seq, msg.Turn
		s.Who, s.At, s.Why, s.Affair = cmp.Or(msg.Speaker, string(msg.Role)), msg.At, msg.Why, msg.Affair
		s.Text, ok = messageText(msg, o)
	case compose.OfRecord:
		r, err := ledger.Get[state.Record](ctx, from, ref.Collection, ref.ID)
		done := r.Due != nil && r.EndedIn == "" // a task, and no secret
		if err != nil || r.ValidTo != nil && r.ReplacedBy == "" && !done {
			return s, cmp.Or(err, hidden(ref.ID))
		}
		s.Session, s.Message, s.Turn, s.Who = r.Session, r.Source.Message, r.Source.Turn, r.Source.Author
		s.At, s.Text, s.Ended, s.Instead = r.RecordedAt, mind.RecordText(r), r.ValidTo != nil, r.ReplacedBy
		if o.Part == parts.DigestPart && r.Span != nil {
			s.Text = r.Span.Digest
		}
	case compose.OfAffair:
		a, err := ledger.Get[state.Affair](ctx, from, ref.Collection, ref.ID)
		if err != nil {
			return s, err
		}
		s.Title, s.Session, s.At = a.Title, a.Session, a.UpdatedAt
		s.Text, ok = o.Find(state.View{Affairs: []*state.Affair{&a}})
	default:
		session, err := ledger.Get[state.Session](ctx, from, ref.Collection, ref.ID)
		if err != nil {
			return s, err
		}
		s.Session, s.At = session.ID, session.LastAt
		s.Text, ok = o.Find(state.View{Session: session})
	}

	// The document is there; the part that is named is not.
	if !ok {
		return s, hidden(ref.ID)
	}
	return s, nil
}

// extraPart names what a request brings besides its message, by its place.
func extraPart(i int) string { return "extra." + strconv.Itoa(i) }

// messageText is what of a message an origin names: what it says, the calls that it makes, the files that come with it; or one
// thing of what its request brought.
func messageText(msg state.Message, o compose.Origin) (text string, ok bool) {
	list, label, _ := strings.Cut(o.Part, ":")

	// Parts that have names: preferences and extra context.
	switch {
	case list == "preferences" && msg.Preferences != nil:
		return compose.FindLabel(msg.Preferences.Facts(), label)
	case list == "preferences":
		return "", false
	case strings.HasPrefix(list, "extra."):
		_, extra := withExtra(msg)
		for i, k := range extra {
			if extraPart(i) == list {
				return k.Label + ": " + k.Text, true
			}
		}
		return "", false
	}

	// Else the message as a whole.
	parts := []string{}
	if msg.Text != "" {
		parts = append(parts, msg.Text)
	}
	for _, c := range msg.ToolCalls {
		parts = append(parts, c.Name+"("+c.Arguments+")")
	}
	for _, a := range msg.Attachments {
		parts = append(parts, "["+a.Name+"]")
	}
	return strings.Join(parts, " "), true
}
