package mind

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/read/link"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// loadedAtOnce is how many documents the index gets in one call while a mind is loaded.
const loadedAtOnce = 4096

// loading is what the index is to get while its mind is loaded: many documents at a time are read on all processors.
type loading struct {
	docs    []words.Doc
	lacking map[string]bool // by DocID: what the index, a snapshot's, does not have as it is now; nil = there is no snapshot
}

// putText gives the index a document. The caller holds the mind.
func (d *Mind) putText(doc words.Doc) {
	l := d.loading
	switch {
	case l == nil:
		d.Index.Put(doc)
		d.unsaved.Add(1)
		return
	case l.lacking != nil && !l.lacking[doc.ID]:
		return
	}
	delete(l.lacking, doc.ID)
	if l.docs = append(l.docs, doc); len(l.docs) >= loadedAtOnce {
		d.flushTexts()
	}
}

// flushTexts gives the index what it was to get.
func (d *Mind) flushTexts() {
	d.Index.Put(d.loading.docs...)
	d.unsaved.Add(int64(len(d.loading.docs)))
	d.loading.docs = d.loading.docs[:0]
}

// loadMind reads everything of a user, or what its snapshot does not have. The feed is read first: what is committed meanwhile
// is read twice, never missed.
func (m *Minds) loadMind(ctx context.Context, d *Mind) error {
	d.loaded = false
	d.affairs, d.known, d.Own, d.stated = map[string]*state.Affair{}, map[string]string{}, nil, map[string][]state.Record{}
	d.replaced, d.over = map[string][]state.Record{}, map[string]replaced{}
	d.ranks = map[string]rank{}
	d.codes, d.named, d.gone = map[string][]string{}, nil, nil
	d.about, d.Projects = map[uint64][]string{}, map[string]Known{}
	d.cold, d.coldBytes, d.hottest = map[string]*state.Affair{}, 0, m.c.Settings.HotAffairsMax
	d.titles, d.Faces = map[string][]string{}, new(affair.Faces)
	d.links, d.unlinked = link.NewGraph(), map[string]state.Affair{}
	d.Index, d.talks, d.Sessions, d.sessionsSize = words.New(), nil, map[string]state.Session{}, 0
	d.Cleared, d.Joined, d.Parts = nil, nil, newParts()
	d.Docs, d.doubted, d.damaged = newHeld(m.store), nil, map[ledger.Ref]error{}
	d.loading, d.numbers = &loading{}, numbers{highest: map[string]int64{}, all: true}
	defer func() { d.loading = nil }()

	d.unsaved.Store(0)
	if err := m.loadDocuments(ctx, d); err != nil {
		return err
	}
	d.flushTexts()
	d.loaded = true
	m.saveLater(d)
	return nil
}

// loadDocuments is loadMind for a mind that is empty; the index still lacks what is in d.loading.
func (m *Minds) loadDocuments(ctx context.Context, d *Mind) (err error) {
	// Where the feed stands comes first.
	saved, usable := m.findSnapshot(ctx, d.scope)
	if usable {
		d.stand(saved.entries[len(saved.entries)-1].Stand())
	} else {
		head, err := ledger.Head(ctx, m.store, d.scope)
		if err != nil {
			return err
		}
		d.stand(head)
	}

	// The index of the snapshot is read beside the documents; without it the messages are read too, for nothing but the index keeps them.
	lists := make([][]document, len(kept()))
	var restored bool
	var beside errgroup.Group
	for i, c := range kept() {
		if c != state.Messages {
			beside.Go(func() (err error) { lists[i], err = m.readDocs(ctx, d.scope, c); return err })
			continue
		}
		beside.Go(func() (err error) {
			if usable {
				restored = m.restoreIndex(ctx, d, saved)
			}
			if !restored {
				lists[i], err = m.readDocs(ctx, d.scope, c)
			}
			return err
		})
	}
	if err := beside.Wait(); err != nil {
		return err
	}

	d.numbers.all = !restored
	var behind map[ledger.Ref]bool
	if restored {
		behind, d.loading.lacking = changedIn(saved.entries[1:], d.scope), map[string]bool{}
		for ref := range behind {
			d.loading.lacking[DocID(ref.Collection, d.relative(ref.ID))] = true
		}
	}
	for _, list := range lists {
		for _, doc := range list {
			d.keepOrLeaveOut(doc)
		}
	}
	maps.DeleteFunc(behind, func(ref ledger.Ref, _ bool) bool {
		return !d.loading.lacking[DocID(ref.Collection, d.relative(ref.ID))]
	})
	return m.reloadAll(ctx, d, behind)
}

// readDocs reads the user's documents of a collection, on all processors.
func (m *Minds) readDocs(ctx context.Context, user state.Scope, c state.Collection) ([]document, error) {
	docs, err := m.store.Scan(ctx, store.Query{Collection: c, Prefix: user.UserPrefix()})
	if err != nil {
		return nil, err
	}

	read := make([]document, len(docs))
	var beside sync.WaitGroup
	size := len(docs)/runtime.GOMAXPROCS(0) + 1
	for from := 0; from < len(docs); from += size {
		beside.Go(func() {
			for i := from; i < min(from+size, len(docs)); i++ {
				read[i] = readDoc(docs[i])
			}
		})
	}
	beside.Wait()
	return read, nil
}

// changedIn returns the documents that entries of the user's feed name.
func changedIn(entries []ledger.Entry, user state.Scope) map[ledger.Ref]bool {
	changed := map[ledger.Ref]bool{}
	for _, e := range entries {
		for _, ref := range e.Changed {
			changed[ref.In(user)] = true
		}
	}
	return changed
}

// reloadAll takes documents into the mind as they stand in the store now.
func (m *Minds) reloadAll(ctx context.Context, d *Mind, changed map[ledger.Ref]bool) error {
	refs := slices.SortedFunc(maps.Keys(changed), byKey)
	refs = slices.DeleteFunc(refs, func(ref ledger.Ref) bool { return !slices.Contains(kept(), ref.Collection) })
	docs, err := ledger.Fetch(ctx, m.store, refs...)
	if err != nil {
		return err
	}
	for i, doc := range docs {
		if doc.Body == nil {
			d.forgetDoc(refs[i])
			continue
		}
		d.keepOrLeaveOut(readDoc(doc))
	}
	return nil
}

// keepOrLeaveOut takes a document into the mind. One that is damaged is left out: who writes it anew finds its revision in the store, and the
// number of a message is not given again.
func (d *Mind) keepOrLeaveOut(doc document) {
	err := d.keepDoc(doc)
	if err == nil {
		return
	}
	ref := ledger.Ref{Collection: doc.Collection, ID: doc.ID}
	d.forgetDoc(ref)
	if doc.Collection == state.Messages {
		d.numbers.learn(SessionOf(doc.ID), seqOf(doc.ID))
	} else {
		d.Docs.shorten(ref)
	}
	d.damaged[ref] = err
}

// NoteDamage says aloud which documents are left out because they cannot be read. The caller holds the mind.
func (d *Mind) NoteDamage(ctx context.Context) {
	for _, ref := range slices.SortedFunc(maps.Keys(d.damaged), byKey) {
		ledger.NoteDamage(ctx, ref.Collection, d.damaged[ref])
	}
}

// kept returns the collections a mind knows, in the order it learns them.
func kept() []state.Collection {
	return []state.Collection{state.Sessions, state.Affairs, state.Records, state.Messages}
}

// byKey orders documents as a mind learns them.
func byKey(a, b ledger.Ref) int {
	if a.Collection != b.Collection {
		return slices.Index(kept(), a.Collection) - slices.Index(kept(), b.Collection)
	}
	return strings.Compare(a.ID, b.ID)
}
