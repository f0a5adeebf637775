package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/index/words"
	"github.com/mneme-graph/mneme/state"
)

// Where says what a recall looks through.
type Where string

// The places, as the tool memory_recall names them.
const (
	InCurrent Where = "current" // the current affair
	InAll     Where = "all"     // everything of the user
	InKB      Where = "kb_only" // records only
)

// Query asks memory for what it has on a text.
type Query struct {
	Scope  state.Scope
	Text   string
	In     Where     // default all
	Affair string    // the current affair for InCurrent; "" = what is filed under none
	Limit  int       // default settings memory_retrieve_limit
	AsOf   time.Time // zero = now
	Before int64     // > 0: of the scope's session only messages before this number
	keep   func(*words.Doc) bool
}

// Hit is one thing found. Text is its own text, Source says in words where it is from; exactly one of the
// pointers is set.
type Hit struct {
	ID      string         `json:"id"`
	Text    string         `json:"text"`
	Source  string         `json:"source"`
	Affair  string         `json:"affair,omitempty"`
	Score   float64        `json:"score"`
	Message *state.Message `json:"message,omitempty"`
	Record  *state.Record  `json:"record,omitempty"`
	Doc     *state.Affair  `json:"affair_document,omitempty"`
}

// Recall returns what matches best, best first. Each candidate of the index is joined back to its document:
// what is gone, or was not valid at the time asked about, is left out.
func (m *Memory) Recall(ctx context.Context, q Query) ([]Hit, error) {
	if err := q.Scope.Validate(); err != nil {
		return nil, err
	}
	if q.Limit <= 0 {
		q.Limit = m.c.Settings.RetrieveLimit
	}
	keep, err := q.filter()
	if err != nil {
		return nil, err
	}
	d, err := m.mind(ctx, q.Scope)
	if err != nil {
		return nil, err
	}
	found := append(fresh(ctx, q, keep), d.index.Search(words.Query{Text: q.Text, Limit: 4 * q.Limit, Around: true, Keep: keep})...)
	from := d.reads(m)
	d.mu.Unlock()
	hits := make([]Hit, 0, q.Limit)
	for _, f := range found {
		h, err := m.join(ctx, from, q, f)
		switch {
		case errors.Is(err, state.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		if hits = append(hits, h); len(hits) == q.Limit {
			break
		}
	}
	return hits, nil
}

// fresh searches what the running step has decided and not committed: it is found at once, and first.
func fresh(ctx context.Context, q Query, keep func(*words.Doc) bool) []words.Hit {
	records := decided(ctx)
	if len(records) == 0 {
		return nil
	}
	x := words.New()
	for _, r := range records {
		x.Put(recordDoc(q.Scope.Key(r.ID), r))
	}
	return x.Search(words.Query{Text: q.Text, Keep: keep})
}

// filter is what the query lets through, decided on the index's own fields.
func (q Query) filter() (func(*words.Doc) bool, error) {
	var in func(*words.Doc) bool
	switch q.In {
	case InAll, "":
		in = func(*words.Doc) bool { return true }
	case InCurrent:
		in = func(d *words.Doc) bool { return d.Affair == q.Affair }
	case InKB:
		in = func(d *words.Doc) bool { return d.Kind == string(state.Records) }
	default:
		return nil, state.Errorf(state.Invalid, "recall scope "+string(q.In), "is unknown; use current, all or kb_only")
	}
	first := docID(state.Messages, q.Scope.MessageKey(q.Before))
	return func(d *words.Doc) bool {
		if q.Before > 0 && d.Group == q.Scope.SessionKey() && d.ID >= first {
			return false
		}
		return in(d) && (q.keep == nil || q.keep(d))
	}, nil
}

// join loads the document behind a candidate. Records of the running turn that no commit has written yet
// are taken from its effects.
func (m *Memory) join(ctx context.Context, from reader, q Query, f words.Hit) (Hit, error) {
	collection, id, _ := strings.Cut(f.ID, ":")
	hit := Hit{Score: f.Score}
	at := q.AsOf
	switch state.Collection(collection) {
	case state.Messages:
		msg, err := get[state.Message](ctx, from, state.Messages, id)
		if err != nil || !at.IsZero() && msg.At.After(at) {
			return hit, errors.Join(err, gone(err))
		}
		hit.Message, hit.ID, hit.Text, hit.Affair = &msg, msg.ID, msg.Text, msg.Affair
		hit.Source = fmt.Sprintf("message %d, %s, %s", msg.Seq, msg.Role, msg.At.Format(time.DateOnly))
	case state.Records:
		r, err := get[state.Record](ctx, from, state.Records, id)
		if errors.Is(err, state.ErrNotFound) {
			r, err = pending(ctx, q.Scope, id)
		}
		if at.IsZero() {
			at = m.c.Now()
		}
		if err != nil || !r.ValidAt(at) {
			return hit, errors.Join(err, gone(err))
		}
		hit.Record, hit.ID, hit.Affair = &r, r.ID, r.Affair
		hit.Text = r.Content
		if r.Subject != "" {
			hit.Text = r.Subject + ": " + r.Content
		}
		hit.Source = fmt.Sprintf("record %s, %s", r.Kind, r.RecordedAt.Format(time.DateOnly))
	case state.Affairs:
		a, err := get[state.Affair](ctx, from, state.Affairs, id)
		if err != nil || !at.IsZero() && a.UpdatedAt.After(at) { // it may say what was not known then
			return hit, errors.Join(err, gone(err))
		}
		hit.Doc, hit.ID, hit.Affair = &a, a.ID, a.ID
		hit.Text, hit.Source = affairLine(a), fmt.Sprintf("affair %q, %s", a.Title, a.Status)
	}
	return hit, nil
}

// gone is state.ErrNotFound for a document that is there but not to be shown.
func gone(err error) error {
	if err == nil {
		return state.ErrNotFound
	}
	return nil
}

// pending finds a record that the running turn has decided but not committed.
func pending(ctx context.Context, scope state.Scope, key string) (state.Record, error) {
	for _, r := range decided(ctx) {
		if scope.Key(r.ID) == key {
			return r, nil
		}
	}
	return state.Record{}, state.Errorf(state.NotFound, "record "+key, "is gone")
}

// affairLine is an affair in one line.
func affairLine(a state.Affair) string {
	parts := []string{a.Title}
	if a.Summary != "" {
		parts = append(parts, a.Summary)
	}
	for _, f := range a.KeyFacts {
		parts = append(parts, f.Label+": "+f.Value)
	}
	for _, p := range a.PendingActions {
		parts = append(parts, "→ "+p)
	}
	return strings.Join(parts, "; ")
}
