package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// Two affairs are made one by a pointer (mind.Joined): what is filed under the merged one keeps its id and is found under the other,
// also what another process files there meanwhile. Who changed what is in the feed: see Audit.

// join loads the document behind a candidate. Records of the running turn that no commit has written yet
// are taken from its effects.
func (v *vista) join(ctx context.Context, f words.Hit) (Hit, error) {
	collection, key := mind.DocumentKey(v.q.Scope, f.ID)
	hit := Hit{Score: f.Score, Why: Why{Share: f.Share, Fields: f.Fields, Factors: f.Factors, Terms: f.Terms, Linked: v.via[f.ID]}}
	var err error
	switch collection {
	case state.Messages:
		err = v.message(ctx, key, &hit)
	case state.Records:
		err = v.record(ctx, key, &hit)
	case state.Affairs:
		err = v.affair(ctx, key, &hit)
	}
	if err == nil && hit.Doc == nil && v.q.AsOf.IsZero() {
		switch v.mind.Stands(hit.Affair) { // what it says is due, or to be done, is so no more
		case state.Resolved:
			hit.Source += ", of a settled affair"
		case state.Archived:
			hit.Source += ", of an archived affair"
		case state.Active, state.Parked:
		}
	}
	return hit, err
}

// hidden returns what a document that is there but not to be shown comes to.
func hidden(key string) error { return state.Errorf(state.NotFound, key, "is not to be shown") }

func (v *vista) message(ctx context.Context, key string, hit *Hit) error {
	msg, err := ledger.Get[state.Message](ctx, v.from, state.Messages, key)
	switch {
	case err != nil:
		return err
	case msg.Undone, !v.q.AsOf.IsZero() && msg.At.After(v.q.AsOf):
		return hidden(key)
	case v.q.AsOf.IsZero() && !v.q.outdated && v.mind.Outdated(mind.SessionOf(key), msg):
		return hidden(key)
	case v.q.besidePreferences && v.mind.Prefers(mind.SessionOf(key), msg, v.m.c.Now()):
		return hidden(key)
	}

	before := msg.FullText()
	msg = v.mind.Unsay(mind.SessionOf(key), msg)
	all := msg.FullText()
	if all != before && len(hit.Why.Terms) > 0 && !words.Tells(all, hit.Why.Terms) { // that it is found would tell what was forgotten
		return hidden(key)
	}
	passage, from, to := words.Passage(all, hit.Why.Terms)
	hit.Message, hit.ID, hit.Text, hit.Affair, hit.Turn = &msg, msg.ID, passage, v.into.Of(msg.Affair), msg.Turn
	if mind.SessionOf(key) == v.q.Scope.Session && (passage != all || len(msg.Attachments) > 0) {
		hit.Block = compose.BlockOf(msg, from, to)
	}

	hit.Source = messageSource(msg)
	if v.q.AsOf.IsZero() && v.mind.Corrected(mind.SessionOf(key), msg, passage) {
		hit.Source += ", corrected since"
	}
	hit.Of = compose.Origin{Kind: compose.OfMessage, ID: mind.SessionOf(key), Seq: msg.Seq}.String()
	return nil
}

// messageSource says in words which message it is.
func messageSource(msg state.Message) string {
	return fmt.Sprintf("message %d, %s, %s", msg.Seq, cmp.Or(msg.Speaker, string(msg.Role)), msg.At.Format(time.DateOnly))
}

func (v *vista) record(ctx context.Context, key string, hit *Hit) error {
	// The record: a draft of the running step goes before what is stored.
	r, err := ledger.Get[state.Record](ctx, v.from, state.Records, key)
	if p, ok := desk.DraftsOf(ctx, v.q.Scope).Get(strings.TrimPrefix(key, v.q.Scope.UserPrefix())); ok {
		r, err = p, nil
	}

	// It has to hold now, or at the time asked about.
	valid := r.Valid(v.m.c.Now()) || v.q.Archived && r.Holds(v.m.c.Now())
	if !v.q.AsOf.IsZero() {
		valid = r.ValidAt(v.q.AsOf) && r.EndedIn == "" // what was forgotten is known at no time
	}

	// A summary may still say what was corrected or forgotten since: it is shown as it is now, and not at all if nothing is left.
	if err == nil && r.Span != nil && v.q.AsOf.IsZero() {
		scope := v.q.Scope
		scope.Session = r.Session
		r.Content, err = current(ctx, v.mind, scope, r.Content, r.Span.StartedAt)
		valid = valid && r.Content != ""
	}
	if err == nil && !valid {
		err = hidden(key)
	}
	if err != nil {
		return err
	}

	// What the hit shows, and where it is from.
	hit.Record, hit.ID, hit.Affair, hit.Turn, hit.Text = &r, r.ID, v.into.Of(r.Affair), r.Source.Turn, mind.RecordText(r)
	hit.Source = fmt.Sprintf("record %s, %s", r.Kind, r.RecordedAt.Format(time.DateOnly))
	if r.User == state.ClientUser {
		hit.Source = fmt.Sprintf("shared record %s, %s", r.Kind, r.RecordedAt.Format(time.DateOnly))
	}
	if r.ArchivedAt != nil {
		hit.Source += ", archived"
	}
	hit.Source += trustMark(r.Trust)
	hit.Of = originOf(r)
	return nil
}

func (v *vista) affair(ctx context.Context, key string, hit *Hit) error {
	a, err := ledger.Get[state.Affair](ctx, v.from, state.Affairs, key)
	if err == nil && !v.q.AsOf.IsZero() && a.UpdatedAt.After(v.q.AsOf) { // it may say what was not known then
		err = hidden(key)
	}
	if err != nil {
		return err
	}
	hit.Doc, hit.ID, hit.Affair = &a, a.ID, a.ID
	hit.Text, hit.Source = affairLine(a), fmt.Sprintf("affair %q, %s", a.Title, a.Status)
	hit.Of = compose.Origin{Kind: compose.OfAffair, ID: a.ID}.String()
	return nil
}

// affairLine returns an affair in one line.
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

// originOf returns where a record is kept.
func originOf(r state.Record) string {
	from := compose.Origin{Kind: compose.OfRecord, ID: r.ID}
	if r.User == state.ClientUser {
		from.Part = "client"
	}
	return from.String()
}
