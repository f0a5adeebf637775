package mind

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Held are documents of one user as a mind last saw them in the store: all sessions and records, the hot affairs, and the last
// messages of each session. It reads as the store does: what it does not hold it reads there. Nobody changes the bodies.
// It is safe for concurrent use.
type Held struct {
	store ledger.Reader

	mu    sync.RWMutex
	docs  map[ledger.Ref]store.Doc // one without a Body is there, and is read from the store
	said  map[string]*tail         // by what the keys of a session's messages begin with
	read  []store.Doc              // long messages that no tail has and that were read, the last read last
	news  int                      // how often a message was put or dropped
	bytes int64                    // of all, about
}

// tail are the last messages of a session, in the order of their keys and without a gap.
type tail struct {
	docs  []store.Doc
	bytes int64
	whole bool // there are none before them
}

// Bounds of a tail: it is cut from the front when it is longer.
const (
	tailMost  = 256
	tailBytes = 512 << 10
)

// Bounds of what is kept of long messages that were read: a file that is read piece by piece is read from the store once.
const (
	readLeast = 16 << 10 // bytes of one
	readBytes = 16 << 20 // of all, but for the last one
)

// Bytes that are held besides ids and bodies.
const (
	docBytes   = 200
	valueBytes = 500
	tailBase   = 150
)

func newHeld(from ledger.Reader) *Held {
	return &Held{store: from, docs: map[ledger.Ref]store.Doc{}, said: map[string]*tail{}}
}

// sessionPart returns what the keys of a session's messages begin with.
func sessionPart(key string) string { return key[:strings.LastIndexByte(key, '/')+1] }

func docSize(doc store.Doc) int64 {
	size := docBytes + int64(len(doc.ID)+len(doc.Body))
	if doc.Value != nil {
		size += valueBytes + int64(len(doc.Body))
	}
	return size
}

// put takes in a document as it stands now. A message that no tail can take without a gap is left in the store.
func (h *Held) put(doc store.Doc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if doc.Collection != state.Messages {
		ref := ledger.Ref{Collection: doc.Collection, ID: doc.ID}
		if old, was := h.docs[ref]; was {
			h.bytes -= docSize(old)
		}
		h.docs[ref], h.bytes = doc, h.bytes+docSize(doc)
		return
	}
	h.unread(doc.ID)
	if t := h.said[sessionPart(doc.ID)]; t != nil {
		h.bytes += t.put(doc)
	}
}

// readMessage reads a message in the store and keeps it if it is long, but not when there was news meanwhile, which may be of it.
func (h *Held) readMessage(ctx context.Context, id string) (store.Doc, error) {
	h.mu.RLock()
	news := h.news
	h.mu.RUnlock()
	doc, err := h.store.Get(ctx, state.Messages, id)
	if err != nil || len(doc.Body) < readLeast {
		return doc, err
	}

	// It is kept only if nothing came meanwhile: the document may be the one that has changed.
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.news != news {
		return doc, nil
	}
	h.unread(id)
	h.read, h.bytes = append(h.read, doc), h.bytes+docSize(doc)

	// The one read longest ago goes first.
	sum := int64(0)
	for _, d := range h.read {
		sum += docSize(d)
	}
	for sum > readBytes && len(h.read) > 1 {
		sum -= docSize(h.read[0])
		h.unread(h.read[0].ID)
	}
	return doc, nil
}

// unread lets a message that was read go. The caller holds the lock.
func (h *Held) unread(key string) {
	h.news++
	if i := slices.IndexFunc(h.read, func(d store.Doc) bool { return d.ID == key }); i >= 0 {
		h.bytes -= docSize(h.read[i])
		h.read = slices.Delete(h.read, i, i+1)
	}
}

// begin takes in a message behind which there is none in its session. Whole tells that there is none before it either.
func (h *Held) begin(doc store.Doc, whole bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key, t := sessionPart(doc.ID), &tail{whole: whole}
	h.forget(key)
	h.said[key] = t
	h.bytes += tailBase + int64(len(key)) + t.put(doc)
}

// forget lets a tail go. The caller holds the lock.
func (h *Held) forget(key string) {
	if t := h.said[key]; t != nil {
		h.bytes -= tailBase + int64(len(key)) + t.bytes
		delete(h.said, key)
	}
}

// follows reports whether the session of a message has a tail.
func (h *Held) follows(key string) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.said[sessionPart(key)] != nil
}

// shorten leaves of a document that it is there.
func (h *Held) shorten(ref ledger.Ref) { h.put(store.Doc{Collection: ref.Collection, ID: ref.ID}) }

// drop takes out a document that is gone.
func (h *Held) drop(ref ledger.Ref) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old, was := h.docs[ref]; was {
		h.bytes -= docSize(old)
		delete(h.docs, ref)
	}

	if ref.Collection == state.Messages {
		h.unread(ref.ID)
	}

	if t := h.said[sessionPart(ref.ID)]; t != nil && ref.Collection == state.Messages {
		if i, ok := t.find(ref.ID); ok {
			size := docSize(t.docs[i])
			t.docs, t.bytes, h.bytes = slices.Delete(t.docs, i, i+1), t.bytes-size, h.bytes-size
			if len(t.docs) == 0 {
				h.forget(sessionPart(ref.ID))
			}
		}
	}
}

func (t *tail) find(key string) (int, bool) {
	return slices.BinarySearchFunc(t.docs, key, func(d store.Doc, key string) int { return cmp.Compare(d.ID, key) })
}

// put takes in a message and returns by how many bytes the tail grew.
func (t *tail) put(doc store.Doc) int64 {
	before := t.bytes
	i, was := t.find(doc.ID)

	switch {
	case was:
		t.bytes -= docSize(t.docs[i])
		t.docs[i] = doc
	case i == 0 && len(t.docs) > 0 && !t.whole:
		return 0
	default:
		t.docs = slices.Insert(t.docs, i, doc)
	}

	t.bytes += docSize(doc)
	for len(t.docs) > 1 && (len(t.docs) > tailMost || t.bytes > tailBytes) {
		t.bytes -= docSize(t.docs[0])
		t.docs, t.whole = slices.Delete(t.docs, 0, 1), false
	}
	return t.bytes - before
}

// get returns a document that is held. Known without a Body tells that there is none.
func (h *Held) get(ref ledger.Ref) (doc store.Doc, known bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if ref.Collection != state.Messages {
		doc, is := h.docs[ref]
		return doc, (!is || doc.Body != nil) && slices.Contains(kept(), ref.Collection)
	}

	if t := h.said[sessionPart(ref.ID)]; t != nil {
		if i, was := t.find(ref.ID); was {
			return t.docs[i], true
		} else if t.whole || i > 0 {
			return doc, true
		}
	}

	if i := slices.IndexFunc(h.read, func(d store.Doc) bool { return d.ID == ref.ID }); i >= 0 {
		return h.read[i], true
	}
	return doc, false
}

// scan returns the messages that a query selects, if a tail holds them all.
func (h *Held) scan(q store.Query) ([]store.Doc, bool) {
	// Only a session whose tail is held can be read from it.
	h.mu.RLock()
	defer h.mu.RUnlock()
	t := h.said[q.Prefix]
	if t == nil || q.Collection != state.Messages {
		return nil, false
	}

	// Forwards: what is held counts only when nothing before it could be asked for.
	at, found := t.find(q.After)
	if !q.Reverse {
		if found {
			at++
		}
		docs := t.docs[at:]
		if q.Limit > 0 && len(docs) > q.Limit {
			docs = docs[:q.Limit]
		}
		return slices.Clone(docs), t.whole || at > 0 || q.After != "" && q.After >= t.docs[0].ID
	}

	// Backwards: the tail has the last messages, so it answers when it has as many as are asked for.
	if q.After == "" {
		at = len(t.docs)
	}
	docs := t.docs[:at]
	enough := q.Limit > 0 && at >= q.Limit
	if enough {
		docs = docs[at-q.Limit:]
	}
	docs = slices.Clone(docs)
	slices.Reverse(docs)
	return docs, t.whole || enough
}

var _ ledger.Reader = (*Held)(nil)

// Get returns one document.
func (h *Held) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	doc, known := h.get(ledger.Ref{Collection: c, ID: id})
	switch {
	case !known && c == state.Messages:
		return h.readMessage(ctx, id)
	case !known:
		return h.store.Get(ctx, c, id)
	case doc.Body == nil:
		return doc, store.NotFound(c, id)
	}
	return doc, nil
}

// Scan returns the documents a query selects, in its order.
func (h *Held) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	if docs, ok := h.scan(q); ok {
		return docs, nil
	}
	return h.store.Scan(ctx, q)
}

// ReadAhead reads those documents that are not held, several at a time.
func (h *Held) ReadAhead(ctx context.Context, refs ...ledger.Ref) (ledger.Readings, error) {
	refs = slices.DeleteFunc(refs, func(ref ledger.Ref) bool {
		_, known := h.get(ref)
		return known
	})
	return ledger.ReadAhead(ctx, h, refs...)
}

// size returns what is held, in bytes.
func (h *Held) size() int64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.bytes
}
