package words

import (
	"sync"

	"github.com/mneme-graph/mneme/memory/text"
	"github.com/mneme-graph/mneme/state"
)

// Doc is what is found: a message or a record.
type Doc struct {
	ID    string
	Text  string // the own words
	Head  string // who and when: "Ann 8 may 2023"
	Group string // the session, whose documents are neighbours; "" = stands alone
	Order int64  // place in the group and age: larger is later

	// What Query.Keep can look at besides ID, Group and Order.
	Affair  string
	Project string
	Agent   string
	Kind    string // as the caller likes: of record, of document
	Role    state.Role
}

// Index is one user's words. It is safe for concurrent use.
type Index struct {
	mu      sync.RWMutex
	t       *tables
	scratch sync.Pool // of *tally
}

// New returns an empty Index.
func New() *Index {
	return &Index{t: newTables()}
}

// Put adds d, or replaces the document of the same id. The next Search sees it.
func (x *Index) Put(d Doc) {
	counts := count(d.Text, d.Head)
	d.Text, d.Head = "", ""
	x.mu.Lock()
	defer x.mu.Unlock()
	x.t.remove(d.ID)
	x.t.insert(d, counts)
	x.compact()
}

// Delete removes the document and reports whether it was there.
func (x *Index) Delete(id string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	was := x.t.remove(id)
	x.compact()
	return was
}

// Len is the number of documents.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.t.slots)
}

// Bytes estimates the memory that the index holds, tombstones included.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.t.bytes
}

// compact rebuilds the tables once tombstones are half of them. The caller holds the lock.
func (x *Index) compact() {
	const few = 256 // tombstones not worth the work
	dead := len(x.t.entries) - len(x.t.slots)
	if dead <= few || dead <= len(x.t.slots) {
		return
	}
	fresh := newTables()
	for i := range x.t.entries {
		if e := &x.t.entries[i]; e.live {
			fresh.insert(e.doc, x.t.counts(e))
		}
	}
	x.t = fresh
}

// counted is a word of a document and how often it occurs.
type counted struct {
	word       string
	text, head uint16
}

// count lists the terms of a document, each once, in order.
func count(body, head string) []counted {
	var out []counted
	at := make(map[string]int)
	add := func(word string) *counted {
		i, ok := at[word]
		if !ok {
			i = len(out)
			at[word] = i
			out = append(out, counted{word: word})
		}
		return &out[i]
	}
	for _, word := range text.Terms(body) {
		c := add(word)
		c.text = min(c.text, 1<<16-2) + 1
	}
	for _, word := range text.Terms(head) {
		c := add(word)
		c.head = min(c.head, 1<<16-2) + 1
	}
	return out
}
