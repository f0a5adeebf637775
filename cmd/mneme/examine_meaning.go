package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// meantReport is what doctor says about finding by meaning.
type meantReport struct {
	embedder, vectors string
	made              string // how many documents have their vector; "" = not counted
	degraded          [][2]string
	err               error // what does not answer
}

// answerWithin bounds how long an embedder or an index is waited for.
const answerWithin = 8 * time.Second

// countedAtMost is how many documents are compared with their vectors; the rest is left to mneme reindex.
const countedAtMost = 100_000

// examineMeaning asks the embedder for a word and the index what is in use. It makes no space; s is nil where there is no
// store.
func (c config) examineMeaning(ctx context.Context, s store.Store, now func() time.Time) meantReport {
	// The embedder is asked for a word: a name alone does not say that it answers.
	r := meantReport{embedder: "none", vectors: "none: there is no embedder"}
	e, open, err := c.meaning(ctx, s)
	if err != nil {
		r.embedder, r.vectors, r.err = err.Error(), c.keptIn(), err
		return r
	}
	var own index.Space
	if e != nil {
		own = r.ask(ctx, e, now)
		r.vectors = c.keptIn()
	}
	if c.get("embedder") == "hashed" {
		r.degraded = append(r.degraded, [2]string{"embedder",
			"hashed is for trying out: it knows spellings and no meanings, as words do; set MNEME_EMBEDDER=ollama:NAME or the like"})
	}

	// The index is looked at where there is one; a server may hold vectors even without an embedder.
	switch {
	case e == nil && !c.onMilvus():
	case open == nil || s == nil && !c.onMilvus():
		r.vectors += ", nothing there yet"
	default:
		if e == nil {
			s = nil // nothing waits for vectors that nobody makes
		}
		r.look(ctx, c, s, open, own, now)
	}
	return r
}

// ask has the embedder embed a word, and then some at a time, to see how fast it is.
func (r *meantReport) ask(ctx context.Context, e *embed.Embedder, now func() time.Time) (own index.Space) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()

	asked := now()
	_, err := e.Embed(ctx, "doctor")
	if err == nil {
		own, err = e.Space(ctx)
	}
	if err != nil {
		r.embedder, r.err = err.Error(), errors.Join(r.err, err)
		return index.Space{}
	}

	r.embedder = fmt.Sprintf("%s, %d dimensions, answers in %s", e, own.Dim, now().Sub(asked).Round(time.Millisecond/10))
	if _, err := e.Embed(ctx, "one", "two", "three", "four", "five", "six", "seven", "eight"); err == nil {
		r.embedder += "; " + e.Pace().String()
	}
	return own
}

// look asks the index which space is in use, and counts what the user has in it and, unless s is nil, what documents wait for it.
func (r *meantReport) look(ctx context.Context, c config, s store.Store, open shelfOpener, own index.Space, now func() time.Time) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()

	at := c.keptIn()
	asked := now()
	shelf, err := open(ctx)
	if err == nil {
		var live index.Space
		var promoted bool
		if live, promoted, err = shelf.Live(ctx); err == nil {
			r.vectors = fmt.Sprintf("%s, answers in %s", at, now().Sub(asked).Round(time.Millisecond/10))
			if err = r.inUse(ctx, shelf, c.scope(), live, promoted, own); err == nil && s != nil {
				err = r.count(ctx, shelf, s, live, promoted)
			}
		}
		err = errors.Join(err, shelf.Close())
	}

	if err != nil {
		r.vectors, r.err = at+": "+err.Error(), errors.Join(r.err, err)
		r.degraded = append(r.degraded, [2]string{"vectors",
			"cannot be reached: recall goes on by words, and what is written meanwhile gets its vectors afterwards"})
	}
}

// inUse says which space readers use and whether it is the embedder's; promoted is false when none is in use.
func (r *meantReport) inUse(ctx context.Context, shelf index.Shelf, scope state.Scope, live index.Space, promoted bool, own index.Space) error {
	switch {
	case !promoted:
		r.vectors += ", holds none yet"
		return nil
	case own == (index.Space{}):
		r.vectors += ", in use: " + live.String()
		return nil
	case live != own:
		r.vectors += ", in use: " + live.String()
		r.degraded = append(r.degraded, [2]string{"vectors",
			"those in use are of another embedder (" + live.String() + "); `mneme reindex` makes those of " + own.Model + " the ones in use"})
		return nil
	}

	v, err := shelf.Open(ctx, live)
	if err != nil {
		return err
	}
	entries, err := v.List(ctx, index.Of(scope))
	if err == nil {
		r.vectors += fmt.Sprintf("; %d of user %s, %s", len(entries), scope.User, live)
	}
	return err
}

// count compares all users' documents with their vectors in the space that readers use.
func (r *meantReport) count(ctx context.Context, shelf index.Shelf, s store.Store, live index.Space, promoted bool) error {
	var v index.Vectors
	if promoted {
		var err error
		if v, err = shelf.Open(ctx, live); err != nil {
			return err
		}
	}
	r.made = made(memory.CountVectors(ctx, s, v, countedAtMost))
	return nil
}

// made says how many documents have their vector, as far as they were counted.
func made(t index.Tally, err error) string {
	text := fmt.Sprintf("%d of %d documents have their vector", t.Made, t.Documents)
	switch {
	case err != nil:
		text = fmt.Sprintf("%d of at least %d documents have their vector, then counting ended: %v", t.Made, t.Documents, err)
	case t.More:
		text = fmt.Sprintf("%d of at least %d documents have their vector", t.Made, t.Documents)
	}
	if t.Made < t.Documents {
		text += "; `mneme reindex` makes the others"
	}
	return text
}
