package forget

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file lets sessions go that nobody has used for as long as the setting keep says: their messages, the summaries of their parts, and what is known
// of the session itself. What was learnt from them stays: records, affairs, L1 and L2. It goes by the clock of Config on every store; a server's own
// clock deletes nothing. It is no forgetting: what others have said of the same stays, and so does what audit tells.

// keepPath is the way by which sessions go: see state.By.
const keepPath = "keep"

// expire lets sessions go whose last turn is longer ago than keep, of the users of a client or, with "", of all. One that was never ended is ended
// first, so that what it says of the user is kept. One in which a turn waits stays, and one that waits for a batch stays as long again.
func (r *Room) expire(ctx context.Context, client string) error {
	if r.desk.Settings.Keep == 0 {
		return nil
	}
	return r.each(ctx, state.Sessions, client, func(doc store.Doc) error {
		s, err := ledger.Decode[state.Session](doc)
		if part := strings.Split(doc.ID, "/"); err == nil && len(part) == 3 && r.isOver(s) {
			err = r.expireSession(ctx, state.Scope{Client: part[0], User: part[1], Session: part[2]}.Default())
		}
		if errors.Is(err, state.ErrConflict) || errors.Is(err, state.ErrNotFound) { // somebody uses it, or has let it go
			return nil
		}
		return err
	})
}

// isOver reports whether a session was used last longer ago than keep.
func (r *Room) isOver(s state.Session) bool {
	return !s.LastAt.IsZero() && r.desk.Now().Sub(s.LastAt) > r.desk.Settings.Keep
}

// expireSession lets a session go: first its messages, and its own document last, so that whoever is cut short is gone on with.
func (r *Room) expireSession(ctx context.Context, scope state.Scope) error {
	// It ends first, so that what was said is learnt before it goes.
	ended, err := r.end(ctx, scope)
	if err != nil {
		return err
	}
	its, err := r.ofSession(ctx, scope)
	if err != nil {
		return err
	}

	// A part that waits for the small model holds the session back, but not for ever.
	overdue := r.desk.Now().Sub(ended.LastAt) > 2*r.desk.Settings.Keep
	for _, doc := range its {
		if r, err := ledger.Decode[state.Record](doc); doc.Collection == state.Records && err == nil && parts.Waits(r) && !overdue {
			return nil
		}
	}

	// Piece by piece; each commit leaves a session that can be gone on with.
	by := state.By{Who: state.ByPipeline, Path: keepPath, Why: "nobody has used session " + scope.Session + " since " + ended.LastAt.Format(time.DateOnly)}
	for part := range slices.Chunk(its, erasePiece) {
		var effects []state.Effect
		for _, doc := range part {
			key := strings.TrimPrefix(doc.ID, scope.UserPrefix())
			effects = append(effects, state.Effect{Scope: scope, Erase: &state.Erase{Collection: doc.Collection, ID: key, Rev: doc.Rev}, By: &by})
		}
		if err := r.desk.Commit(ctx, effects); err != nil {
			return err
		}
	}

	// The vectors go last. What a stop here leaves behind the next purge of this user takes out.
	r.desk.Logger.Info("session let go", "session", scope.SessionKey(), "documents", len(its), "last", ended.LastAt)
	if r.desk.Vectors != nil {
		_, err = r.desk.Vectors.Purge(ctx, index.Of(scope))
	}
	return err
}

// ofSession returns the documents of a session: messages, the summaries of its parts, and last itself.
func (r *Room) ofSession(ctx context.Context, scope state.Scope) (its []store.Doc, err error) {
	// All messages, page by page.
	for docs, err := range store.Pages(ctx, r.desk.Store.Scan, store.Query{Collection: state.Messages, Prefix: scope.SessionKey() + "/", Limit: erasePiece}) {
		if err != nil {
			return nil, err
		}
		its = append(its, docs...)
	}

	// Of the user's records the summaries of this session's own parts, by their ids, damaged ones too; L1 and L2 stay.
	for docs, err := range store.Pages(ctx, r.desk.Store.Scan, store.Query{Collection: state.Records, Prefix: scope.Key(mind.SummaryPrefix), Limit: erasePiece}) {
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			if mind.SummarySession(strings.TrimPrefix(doc.ID, scope.UserPrefix())) == scope.Session {
				its = append(its, doc)
			}
		}
	}

	// Its own document last: see expireSession.
	doc, err := r.desk.Store.Get(ctx, state.Sessions, scope.SessionKey())
	return append(its, doc), err
}
