package quick

import (
	"container/list"
	"sync"
)

// Layer is one of the four.
type Layer int

// The layers.
const (
	Hot Layer = iota
	Buffer
	Warm
	Cold
	layers
)

// String returns the layer's name.
func (l Layer) String() string { return [...]string{"hot", "buffer", "warm", "cold"}[l] }

// Budgets are the bytes that each layer may take, in the order of the layers.
type Budgets [layers]int64

// Usage is how much of a layer is taken.
type Usage struct {
	Layer  string `json:"layer"`
	Bytes  int64  `json:"bytes"`
	Things int    `json:"things"`
	Budget int64  `json:"budget"`
	Gone   int64  `json:"gone"` // how often something had to go
}

// Account is the account of all four. It is safe for concurrent use.
type Account struct {
	mu     sync.Mutex
	layers [layers]layer
}

type layer struct {
	budget, used, gone int64
	things             map[string]*list.Element
	order              list.List // of *thing, the last used first
}

type thing struct {
	key   string
	bytes int64
}

// New makes an empty Account.
func New(b Budgets) *Account {
	a := &Account{}
	for i := range a.layers {
		a.layers[i] = layer{budget: b[i], things: map[string]*list.Element{}}
	}
	return a
}

// Hold notes that a thing is used now and takes so many bytes. It returns the keys of what has to go, the least recently used
// first: they are off the account, and the caller lets go of them. The thing itself is never among them.
func (a *Account) Hold(l Layer, key string, bytes int64) (gone []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := &a.layers[l]
	if e, ok := at.things[key]; ok {
		t := e.Value.(*thing)
		at.used += bytes - t.bytes
		t.bytes = bytes
		at.order.MoveToFront(e)
	} else {
		at.things[key] = at.order.PushFront(&thing{key, bytes})
		at.used += bytes
	}
	for at.used > at.budget && at.order.Len() > 1 {
		gone = append(gone, at.remove(at.order.Back()))
		at.gone++
	}
	return gone
}

// Release notes that a thing is gone. One that is not on the account is passed over.
func (a *Account) Release(l Layer, key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := &a.layers[l]
	if e, ok := at.things[key]; ok {
		at.remove(e)
	}
}

func (l *layer) remove(e *list.Element) string {
	t := l.order.Remove(e).(*thing)
	delete(l.things, t.key)
	l.used -= t.bytes
	return t.key
}

// Usage tells how much of each layer is taken.
func (a *Account) Usage() []Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []Usage
	for i := range a.layers {
		l := &a.layers[i]
		out = append(out, Usage{Layer(i).String(), l.used, l.order.Len(), l.budget, l.gone})
	}
	return out
}
