package sqlite

import (
	"context"
	"sync"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state/store"
)

// readers hands out the connections that read. The one that was used last is used next, as its cache holds the newest
// pages: those of a connection that rested are void after each commit.
type readers struct {
	inUse chan struct{} // one for each connection that is in use
	mu    sync.Mutex
	idle  []*sqlite.Conn
}

// take waits for a connection; nil stands for one that is to be opened.
func (r *readers) take(ctx context.Context) (*sqlite.Conn, error) {
	select {
	case r.inUse <- struct{}{}:
	case <-ctx.Done():
		return nil, store.Cancelled(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.idle) - 1
	if last < 0 {
		return nil, nil
	}
	conn := r.idle[last]
	r.idle = r.idle[:last]
	return conn, nil
}

// put gives a connection back, or nil if it could not be opened.
func (r *readers) put(conn *sqlite.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if conn != nil {
		r.idle = append(r.idle, conn)
	}
	<-r.inUse
}

// takeAll waits until nobody uses a connection and takes all there are.
func (r *readers) takeAll() []*sqlite.Conn {
	for range cap(r.inUse) {
		r.inUse <- struct{}{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for range cap(r.inUse) {
		<-r.inUse
	}
	conns := r.idle
	r.idle = nil
	return conns
}
