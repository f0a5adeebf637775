package desk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// MostRead is how many bytes of a text are read for what it is about. The word index reads all of it.
const MostRead = 16 << 10

// Said returns the text of a message with its text parts, as far as it is read for what it is about.
func Said(msg state.Message) string { return text.Head(msg.Said(), MostRead) }

// LookBack bounds how many messages are looked through for the window.
const LookBack = 200

// Reads is where the user's documents are read from: the mind, and what it does not hold the store.
func (k *Desk) Reads(ctx context.Context, scope state.Scope) (ledger.Reader, error) {
	d, err := k.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()
	return d.Docs, nil
}

// MessagesAfter returns the session's messages behind number seq, oldest first.
func MessagesAfter(ctx context.Context, from ledger.Reader, scope state.Scope, seq int64) ([]state.Message, error) {
	q := store.Query{Collection: state.Messages, Prefix: scope.SessionKey() + "/"}
	if seq > 0 {
		q.After = scope.MessageKey(seq)
	}
	found, err := ledger.Scan[state.Message](ctx, from, q)
	return slices.DeleteFunc(found, func(msg state.Message) bool { return msg.Undone }), err
}

// Page is how many messages LastMessages reads at a time.
const Page = 32

// LastMessages returns up to limit messages of the session before number seq that keep accepts, oldest
// first. It looks through at most LookBack messages, newest first.
func (k *Desk) LastMessages(
	ctx context.Context, scope state.Scope, seq int64, limit int, keep func(state.Message) bool,
) ([]state.Message, error) {
	var kept []state.Message
	if limit <= 0 {
		return nil, nil
	}
	err := k.GoBack(ctx, scope, seq, func(msg state.Message) bool {
		if keep(msg) {
			kept = append(kept, msg)
		}
		return len(kept) < limit
	})
	slices.Reverse(kept)
	return kept, err
}

// GoBack goes from the message before number seq of a session back to its first one, but not over more than LookBack, while more wants more. What was
// taken back is passed over, and a mark stands where it says what was forgotten.
func (k *Desk) GoBack(ctx context.Context, scope state.Scope, seq int64, more func(state.Message) bool) error {
	from, err := k.Reads(ctx, scope)
	if err != nil {
		return err
	}
	known, err := k.Mind(ctx, scope)
	if err != nil {
		return err
	}
	known.Unlock()
	for look := LookBack; look > 0 && seq > 1; look -= Page {
		read, err := from.Scan(ctx, store.Query{
			Collection: state.Messages, Prefix: scope.SessionKey() + "/", After: scope.MessageKey(seq), Limit: min(Page, look), Reverse: true,
		})
		if err != nil {
			return err
		}
		for _, doc := range read {
			msg, err := ledger.Decode[state.Message](doc)
			if err != nil {
				ledger.NoteDamage(ctx, state.Messages, err)
				continue
			}
			seq = msg.Seq
			if !msg.Undone && !more(known.Unsay(scope.Session, msg)) {
				return nil
			}
		}
		if len(read) < Page {
			break
		}
	}
	return nil
}

// TextsAtOnce bounds how many documents are in RAM at a time for nothing but their texts.
const TextsAtOnce = 1000

// Owners lists everybody who has something in memory. Every write leaves an entry in its user's feed, so the first entry of
// each feed is looked for, with a leap over the rest.
func Owners(ctx context.Context, s store.Store) ([]index.Owner, error) {
	return OwnersIn(ctx, s, state.Feed)
}

// OwnersIn returns the users who have documents of a collection.
func OwnersIn(ctx context.Context, s store.Store, c state.Collection) ([]index.Owner, error) {
	var out []index.Owner
	for after := ""; ; {
		docs, err := s.Scan(ctx, store.Query{Collection: c, After: after, Limit: 1})
		if err != nil || len(docs) == 0 {
			return out, err
		}
		client, rest, _ := strings.Cut(docs[0].ID, "/")
		user, _, _ := strings.Cut(rest, "/")
		o := index.Owner{Client: client, User: user}
		out = append(out, o)
		after = state.Scope{Client: client, User: user}.UserPrefix() + "~" // behind all of them
	}
}

// ShownSummary returns the record whose text a prompt shows of the session. What was cleared is not shown.
func (k *Desk) ShownSummary(ctx context.Context, s state.Session) (state.Record, error) {
	none := state.Record{Content: s.Summary, Span: &state.Span{}}
	if s.SummaryID == "" {
		return none, nil
	}
	from, err := k.Reads(ctx, ScopeOf(s))
	if err != nil {
		return none, err
	}
	r, err := ledger.Get[state.Record](ctx, from, state.Records, ScopeOf(s).Key(s.SummaryID))
	if errors.Is(err, state.ErrNotFound) || err == nil && (r.Span == nil || r.Span.First <= s.WindowFrom) {
		return none, nil
	}
	return r, err
}

// Blank reports whether a text shows nothing: white space, control and format characters only.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf) })
}

// Records returns the user's records, in the order of their ids; of some that are named those that are there, in that order.
func (k *Desk) Records(ctx context.Context, scope state.Scope, ids ...string) (found []state.Record, err error) {
	if err := CheckScope(ctx, scope); err != nil {
		return nil, err
	}
	if err := Settled(ctx); err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return ledger.Scan[state.Record](ctx, k.Base, store.Query{Collection: state.Records, Prefix: scope.UserPrefix()})
	}
	for _, id := range ids {
		if !utf8.ValidString(id) {
			continue // no id is that
		}
		r, err := ledger.Get[state.Record](ctx, k.Base, state.Records, scope.Key(id))
		switch {
		case err == nil:
			found = append(found, r)
		case !errors.Is(err, state.ErrNotFound):
			return nil, err
		}
	}
	return found, nil
}
