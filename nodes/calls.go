package nodes

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Calls runs what may hang: the chat model and tools. One that is given up and does not heed the end of its context is left behind:
// the turn goes on without it, and what it answers later is dropped. The zero value is ready and safe for concurrent use.
type Calls struct {
	After func(time.Duration) <-chan time.Time // default time.After

	mu   sync.Mutex
	open int
	idle chan struct{} // closed when none is at work any more; nil = nobody waits for that
}

// heedWithin is how long work has to end by itself when its context has ended.
const heedWithin = 100 * time.Millisecond

// closeWithin is how long Close waits for what was left behind.
const closeWithin = 5 * time.Second

// Open returns how many are at work, those left behind included.
func (c *Calls) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

// Close waits until none is at work, for five seconds at most; state.ErrUnavailable then says how many are left. It is
// called when no turn runs any more.
func (c *Calls) Close() error {
	c.mu.Lock()
	if c.open == 0 {
		c.mu.Unlock()
		return nil
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()

	select {
	case <-idle:
		return nil
	case <-c.after(closeWithin):
		return state.Errorf(state.Unavailable, "close", "%d models or tools are still at work after %s; they do not heed the end of their context",
			c.Open(), closeWithin)
	}
}

func (c *Calls) after(d time.Duration) <-chan time.Time {
	if c.After == nil {
		return time.After(d)
	}
	return c.After(d)
}

// try runs work on a goroutine of its own. The channel tells how it ended; a panic is a *panicError.
func (c *Calls) try(work func() error) <-chan error {
	c.mu.Lock()
	c.open++
	c.mu.Unlock()
	over := make(chan error, 1)
	go func() {
		defer c.end()
		defer func() {
			if p := recover(); p != nil {
				over <- &panicError{value: p, stack: debug.Stack()}
			}
		}()
		over <- work()
	}()
	return over
}

// await waits until work is over or its context has ended; then the work has a moment more to end by itself, and else is left
// behind with the cause as the error.
func (c *Calls) await(ctx context.Context, over <-chan error) error {
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-over:
		return err
	case <-c.after(heedWithin):
		return context.Cause(ctx)
	}
}

func (c *Calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open--; c.open == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// panicError is what a panic becomes; the stack is for the log only.
type panicError struct {
	value any
	stack []byte
}

// Error tells the value of the panic.
func (p *panicError) Error() string { return fmt.Sprintf("panicked: %v", p.value) }
