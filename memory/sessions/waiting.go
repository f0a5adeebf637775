package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is the door for who has a model read parts of sessions later than when they end: package extraction, in batches. What an answer
// says goes the way of what the small model says at the end of a session, in the commit that says that the part is read. So an answer counts
// once, however often it comes, and not at all once the part was read otherwise.
//
// With memory_extraction_model no part is read as it ends: it waits for a batch, with a digest by rules, and who makes batches goes
// by one door. An answer is taken while the part still says what was asked about, and still waits: the commit that keeps what was
// found says that it was read. So an answer that comes twice, late, or after words were forgotten changes nothing.

// WaitingPart is a part of a session that is over and that no model has read yet.
type WaitingPart struct {
	Scope state.Scope // client and user
	ID    string      // of the part's summary
	Since time.Time   // when the part ended
	Tries int         // in how many batches it was asked about in vain
}

// EachWaiting visits the parts of all users of a client ("" = of all clients) that wait to be read, user by user. It reads every summary of a session and writes
// nothing, so that it may be asked where no Memory is to be opened.
func EachWaiting(ctx context.Context, s store.Store, client string, visit func(WaitingPart) error) error {
	owners, err := desk.Owners(ctx, s)
	if err != nil {
		return err
	}
	for _, o := range owners {
		if o.User == state.ClientUser || client != "" && o.Client != client {
			continue
		}
		user := state.Scope{Client: o.Client, User: o.User}
		q := store.Query{Collection: state.Records, Prefix: user.Key(mind.SummaryPrefix), Limit: desk.TextsAtOnce}
		for docs, err := range store.Pages(ctx, s.Scan, q) {
			if err != nil {
				return err
			}
			for _, doc := range docs {
				r, err := ledger.Decode[state.Record](doc)
				if err != nil || !parts.Waits(r) {
					continue // a damaged one doctor names
				}
				if err := visit(WaitingPart{Scope: user, ID: r.ID, Since: r.Span.EndedAt, Tries: r.Span.Tries}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Waiting asks about parts that wait to be read, and takes the answers.
type Waiting struct{ x *Room }

// Waiting returns the door for who has parts of sessions read later than when they end.
func (x *Room) Waiting() Waiting { return Waiting{x} }

// Question is what a model is to be asked about a part. Words tells which messages the prompt shows; an answer is taken only while the part
// still says the same.
type Question struct{ Prompt, Words string }

// Taken is what became of an answer.
type Taken string

// What may become of an answer.
const (
	TakenLearnt  Taken = "learnt"   // it is remembered
	TakenBefore  Taken = "before"   // the part was read before, or is gone: nothing has changed
	TakenBack    Taken = "back"     // the part waits on
	TakenByRules Taken = "by rules" // it was asked about in vain too often: the rules have read it
)

// mostAnswer bounds the bytes of an answer that are read.
const mostAnswer = 256 << 10

// mostTries is in how many batches a part is asked about in vain before the rules read it.
const mostTries = 3

// Ask returns the question about a part. It reports false of one that waits no more, or of which nothing is left to read.
func (w Waiting) Ask(ctx context.Context, p WaitingPart) (q Question, ok bool, err error) {
	_, err = w.settle(ctx, p, func(e *edits, r *state.Record, said []state.Message) (Taken, error) {
		q.Prompt, err = e.extractInput(ctx, *r, said).Prompt()
		q.Words, ok = wordsOf(said), err == nil
		return TakenBack, err
	})
	return q, ok, err
}

// Answer takes what a model answers to the question about a part. What it says of words that the part says no more is not taken: the part is
// asked about anew. An answer that cannot be read is a failure.
func (w Waiting) Answer(ctx context.Context, p WaitingPart, words, answer string) (Taken, error) {
	return w.settle(ctx, p, func(e *edits, r *state.Record, said []state.Message) (Taken, error) {
		if wordsOf(said) != words {
			return TakenBack, nil
		}
		found, err := e.extractInput(ctx, *r, said).Read(strings.ToValidUTF8(answer[:min(len(answer), mostAnswer)], ""))
		if err != nil {
			return e.failPart(ctx, p, r, said)
		}
		if found, err = e.withoutForgotten(ctx, *r, found); err != nil {
			return "", err
		}
		r.Span.Waits = false
		return TakenLearnt, e.takeAnswer(ctx, r, said, found)
	})
}

// Fail says that the question about a part, asked for the p.Tries-th time, got no answer. Said again it counts once. After the third time the
// rules read the part.
func (w Waiting) Fail(ctx context.Context, p WaitingPart) (Taken, error) {
	return w.settle(ctx, p, func(e *edits, r *state.Record, said []state.Message) (Taken, error) {
		return e.failPart(ctx, p, r, said)
	})
}

// failPart counts a try in vain.
func (e *edits) failPart(ctx context.Context, p WaitingPart, r *state.Record, said []state.Message) (Taken, error) {
	r.Span.Tries = max(r.Span.Tries, p.Tries)
	if r.Span.Tries < mostTries {
		return TakenBack, nil
	}
	r.Span.Waits = false
	return TakenByRules, e.takeAnswer(ctx, r, said, e.extractByRules(ctx, said))
}

// batchPath is the way of what a batch has read: see state.By.
const batchPath = "batch"

// settle has act decide about a part that waits, and commits it if it has changed. One of which nothing is left to read is read.
func (w Waiting) settle(ctx context.Context, p WaitingPart, act func(*edits, *state.Record, []state.Message) (Taken, error)) (Taken, error) {
	p.Scope = p.Scope.Default()
	leave, err := w.x.desk.Alone(ctx, p.Scope)
	if err != nil {
		return "", err
	}
	defer leave()

	// The part as it stands, and its session.
	d, err := w.x.desk.Mind(ctx, p.Scope)
	if err != nil {
		return "", err
	}
	from := d.Docs
	d.Unlock()
	r, err := ledger.Get[state.Record](ctx, from, state.Records, p.Scope.Key(p.ID))
	switch {
	case errors.Is(err, state.ErrNotFound):
		return TakenBefore, nil
	case err != nil:
		return "", err
	case !parts.Waits(r):
		return TakenBefore, nil
	}
	was, span := *r.Span, *r.Span
	r.Span = &span
	e := w.edits(d, p.Scope, r)
	said, err := e.partMessages(ctx, r)
	if err != nil {
		return "", err
	}

	// What becomes of it.
	taken := TakenBefore
	if len(said) == 0 {
		span.Waits = false
	} else if taken, err = act(e, &r, said); err != nil {
		return "", err
	}
	if span.Waits == was.Waits && span.Tries == was.Tries {
		return taken, nil
	}
	e.Add(state.Effect{Record: &r, Part: r.ID})
	if !span.Waits && len(said) > 0 { // an L1 may have been made of what the rules saw in it
		own := len(e.Effects) - 1
		read := e.Effects[own]
		if err := e.reconsolidate(ctx, r.ID); err != nil {
			return "", err
		}
		e.Effects = append(slices.Delete(e.Effects, own, own+1), read) // the part says last that it is read
	}
	return taken, e.x.desk.DecideAll(ctx, e.Edits)
}

// edits returns those of who reads a part late, in the part's own session.
func (w Waiting) edits(d *mind.Mind, user state.Scope, r state.Record) *edits {
	d.Lock()
	defer d.Unlock()
	e := &edits{w.x, &desk.Edits{Scope: user, Behind: true, By: state.By{Who: state.ByPipeline, Path: batchPath}, Path: batchPath}}
	e.Scope.Session, e.Scope.Agent = r.Session, r.Agent
	e.View = state.View{Session: d.Sessions[r.Session], Agent: r.Agent, Affairs: d.Seen(r.Session)}
	return e
}

// withoutForgotten returns an answer without what it says of things that were forgotten since it was asked for. Facts rest on messages, and
// those are not shown any more.
func (e *edits) withoutForgotten(ctx context.Context, r state.Record, found background.ExtractAnswer) (background.ExtractAnswer, error) {
	d, err := e.x.desk.Mind(ctx, e.Scope)
	if err != nil {
		return found, err
	}
	d.Unlock()
	since := r.Span.StartedAt
	found.Summary = d.WithoutForgotten(r.Session, found.Summary, since)
	found.Lessons = slices.DeleteFunc(found.Lessons, func(l background.Lesson) bool {
		return strings.TrimSpace(d.WithoutForgotten(r.Session, l.Text, since)) == ""
	})
	return found, nil
}

// wordsOf tells whether two lists of messages say the same.
func wordsOf(said []state.Message) string {
	sum := sha256.New()
	for _, msg := range said {
		fmt.Fprintf(sum, "%d %d %s", msg.Seq, len(msg.Text), msg.Text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
