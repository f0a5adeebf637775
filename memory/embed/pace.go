package embed

import (
	"fmt"
	"time"
)

// Pace is how fast a model has been. A text longer than the window counts once for each window.
type Pace struct {
	Texts int           // answered
	Took  time.Duration // the calls that were answered, added up
	Batch int           // texts that the next call is given at most
}

// String returns the pace in words; "" when the model has answered nothing.
func (p Pace) String() string {
	if p.Texts == 0 || p.Took <= 0 {
		return ""
	}
	return fmt.Sprintf("%.3g texts/s, at most %d at a time", float64(p.Texts)/p.Took.Seconds(), p.Batch)
}

// Pace returns how fast the model has been until now.
func (e *Embedder) Pace() Pace {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pace
}

// answered takes note of a call. A batch as large as they are now makes the next one larger by a text, so that a model that was
// slow for a while gets whole batches again.
func (e *Embedder) answered(texts int, took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pace.Texts, e.pace.Took = e.pace.Texts+texts, e.pace.Took+took
	if texts >= e.pace.Batch {
		e.pace.Batch = min(texts+1, e.c.Batch)
	}
}

// gaveUp halves the batches to come after one that took too long.
func (e *Embedder) gaveUp(texts int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pace.Batch = max(1, min(e.pace.Batch, texts/2))
}
