// Package statetest has what the tests of most packages need: a clock that stands still, ids that count, and two ways to fail.
//
//	clock := &statetest.Clock{At: time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)}
//	m, err := memory.New(memory.Config{Store: ram.New(), Now: clock.Now, NewID: clock.NewID})
//	statetest.Must(t, err)
package statetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Clock is a time that passes only when it is told to, and ids that were never given before: id1, id2. It is safe for concurrent use.
type Clock struct {
	At  time.Time // set before the first use
	IDs int       // how many ids were given; the same

	mu sync.Mutex
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.At
}

// Pass sets the clock on.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.At = c.At.Add(d)
}

// NewID returns an id.
func (c *Clock) NewID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.IDs++
	return fmt.Sprintf("id%d", c.IDs)
}

// T is a test, or the check of a property (rapid.T).
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Must stops the test at an error.
func Must(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Same fails the test where what was got is not what is wanted.
func Same(t T, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
