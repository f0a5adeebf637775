package words

import (
	"sync"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Doc is what is found: a message, a record or an affair's document.
type Doc struct {
	ID      string
	Text    string     // the own words
	Speaker string     // who said it, by name; "" = nobody or not known by name
	Role    state.Role // of a message; "" between people, and for records
	At      time.Time  // when it was said; the zero time has no date
	Group   string     // the session, whose documents are neighbours; "" = stands alone
	Order   int64      // place in the group and age: larger is later
	Weight  float64    // a nudge: 0 counts as 1, all else is held to 0.5 .. 2

	// What Query.Keep can look at besides the above.
	Affair  string
	Project string
	Agent   string
	Kind    string // as the caller likes: of record, of document
}

// Index is one user's words. It is safe for concurrent use.
type Index struct {
	mu      sync.RWMutex
	t       *tables
	scratch sync.Pool // of *pad
}

// New returns an empty Index.
func New() *Index {
	return &Index{t: newTables()}
}

// Put adds documents, or replaces those of the same id; of two with one id the later stands. The next Search sees them.
// Many at once are cheaper than one by one, and so is one that was put before with the same words.
func (x *Index) Put(docs ...Doc) {
	read := x.analyses(docs)
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range docs {
		x.t.remove(docs[i].ID)
		x.t.insert(bare(docs[i]), read[i])
	}
	x.compact()
}

// analyses reads documents. What was read of one before is taken from the tables.
func (x *Index) analyses(docs []Doc) []analysis {
	out := make([]analysis, len(docs))
	var unread []int
	x.mu.RLock()
	for i := range docs {
		if slot, ok := x.t.slots[docs[i].ID]; ok && x.t.entries[slot].sum == sum(&docs[i]) {
			out[i] = x.t.analysis(&x.t.entries[slot])
		} else {
			unread = append(unread, i)
		}
	}
	x.mu.RUnlock()
	analyseAll(docs, unread, out)
	return out
}

// bare returns the document without its text.
func bare(d Doc) Doc {
	d.Text = ""
	return d
}

// Delete removes the document and reports whether it was there.
func (x *Index) Delete(id string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	was := x.t.remove(id)
	x.compact()
	return was
}

// Len returns the number of documents.
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

// Worth returns how much finding a stem tells among the documents: its inverse document frequency, the larger the rarer.
func (x *Index) Worth(stem string) float64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	df := uint32(0)
	if n, ok := x.t.words[stem]; ok {
		df = x.t.lists[n].ownDF
	}
	return idf(float64(len(x.t.slots)), float64(df))
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
		if e := &x.t.entries[i]; x.t.cells[i].live {
			fresh.insert(e.doc, x.t.analysis(e))
		}
	}
	x.t = fresh
}
