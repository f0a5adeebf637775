package mongo

import "sync"

// closing counts the calls that are inside, so that Close can wait for them. The zero value is open.
type closing struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// enter lets a call in; it must leave. false when closed.
func (c *closing) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.inside.Add(1)
	return true
}

func (c *closing) leave() { c.inside.Done() }

// begin closes and waits until nobody is inside; false if it was closed already.
func (c *closing) begin() bool {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	c.mu.Unlock()
	c.inside.Wait()
	return !was
}
