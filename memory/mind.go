package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/read/link"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// mind is what one user's memory holds in RAM: derived from the store, brought up to date by the user's
// feed before each use, so that it is never older than the last commit of any process.
type mind struct {
	scope state.Scope // client and user

	mu           sync.Mutex
	loaded       bool
	behind       bool                      // entries of the feed were missed: the next use reads them
	seq          int64                     // every feed entry up to it is in here
	sessions     map[string]state.Session  // by id
	sessionsSize int64                     // bytes of them
	cleared      cleared                   // what of them is out of sight
	joined       joined                    // which affairs were merged into others
	affairs      map[string]*state.Affair  // the hot ones
	cold         map[string]*state.Affair  // the others, archived or beyond the bound: what they are recognised by
	coldBytes    int64                     // of these
	hottest      int                       // how many affairs may be hot
	known        map[string]string         // a record's kind, subject and content, folded -> its id
	about        map[uint64][]string       // hash of a subject, folded -> ids of valid records, the latest learnt last
	own          []state.Record            // the user's: preferences and what he says of himself, oldest first
	stated       map[string][]state.Record // by message: what was stored of what it says
	index        *words.Index
	links        *link.Graph             // of affairs and of records that are valid
	unlinked     map[string]state.Affair // by id: affairs whose links are older than they are
	talks        *talks                  // what detection knows; nil until it is asked
	docs         *held                   // documents as they stand in the store
	doubted      map[ledger.Ref]bool     // documents that another writer has changed and no entry names: the next use reads them
	loading      *loading                // what the index is to get, while the mind is loaded
	numbers      numbers                 // of messages
	unsaved      atomic.Int64            // documents the index was given that no snapshot has
}

// applied takes documents that were just written into the minds, so that no one reads them
// back. A mind that has missed an entry of the feed reads what it missed at its next use.
func (m *Memory) applied(docs []store.Doc) {
	defer m.learnt(docs)
	for _, doc := range docs {
		if doc.Collection != state.Feed {
			continue
		}
		entry, err := ledger.Decode[ledger.Entry](doc)
		user := doc.ID[:len(doc.ID)-len(state.SeqKey(entry.Seq))]
		m.mu.Lock()
		d := m.minds[user]
		m.mu.Unlock()
		if err == nil && d != nil {
			d.take(entry, user, docs)
			m.reaccount(d)
		}
	}
}

// take learns the user's documents of one commit. What the entry names and is not among them an earlier attempt wrote.
func (d *mind) take(entry ledger.Entry, user string, docs []store.Doc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.loaded || d.seq >= entry.Seq { // it was read from the store meanwhile
		return
	}
	own := map[ledger.Ref]bool{}
	for _, doc := range docs {
		own[ledger.Ref{Collection: doc.Collection, ID: doc.ID}] = true
	}
	missed := slices.ContainsFunc(entry.Changed, func(ref ledger.Ref) bool { return !own[ref.In(d.scope)] })
	if missed || d.seq != entry.Seq-1 {
		d.behind = true // a turn must see its own commits, also behind somebody else's
		return
	}
	d.seq = entry.Seq
	for _, doc := range docs {
		if strings.HasPrefix(doc.ID, user) {
			doc.Rev++
			d.loaded = d.loaded && d.keep(doc) == nil
		}
	}
}

// keep takes a document into the mind as it stands in the store.
func (d *mind) keep(doc store.Doc) error {
	if doc.Collection == state.Messages && !d.docs.follows(doc.ID) {
		d.begin(doc)
	} else {
		d.docs.put(doc)
	}
	return d.learn(doc)
}

// begin holds the first message of a session that the mind gets to know, if it is the last one there is.
func (d *mind) begin(doc store.Doc) {
	session := sessionOf(doc.ID)
	last, known := d.numbers.highest[session]
	if (known || d.numbers.all) && doc.ID > d.scope.UserPrefix()+session+"/"+state.SeqKey(last) {
		d.docs.begin(doc, last == 0)
	}
}

// refresh brings the mind up to the head of the feed: one reading, and when there is something the documents it names.
func (m *Memory) refresh(ctx context.Context, d *mind) error {
	if !d.loaded {
		return m.loadMind(ctx, d)
	}
	entries, err := m.ledger.After(ctx, d.scope, d.seq)
	if err != nil || len(entries)+len(d.doubted) == 0 {
		return err
	}
	changed := changedIn(entries, d.scope)
	maps.Copy(changed, d.doubted)
	if err := m.reloadAll(ctx, d, changed); err != nil {
		return err
	}
	d.doubted = nil
	if len(entries) > 0 {
		d.seq = entries[len(entries)-1].Seq
	}
	return nil
}

// forget takes a document that is gone out of the mind.
func (d *mind) forget(ref ledger.Ref) {
	d.docs.drop(ref)
	d.index.Delete(docID(ref.Collection, d.relative(ref.ID)))
	d.links.Delete(docID(ref.Collection, d.relative(ref.ID)))
	if ref.Collection == state.Affairs {
		delete(d.unlinked, d.relative(ref.ID))
	}
	if ref.Collection == state.Messages {
		d.unhear(ref.ID)
	}
	if ref.Collection == state.Affairs {
		d.drop(d.relative(ref.ID))
		d.talks.untell(d.relative(ref.ID))
	}
}

// learn takes one document into the mind.
func (d *mind) learn(doc store.Doc) error {
	switch doc.Collection {
	case state.Sessions:
		s, err := ledger.Decode[state.Session](doc)
		if err != nil {
			return err
		}
		d.sessionsSize += sessionSize(s) - sessionSize(d.sessions[s.ID])
		d.sessions[s.ID] = s
		d.cleared = d.cleared.with(s)
	case state.Affairs:
		a, err := ledger.Decode[state.Affair](doc)
		if err != nil {
			return err
		}
		d.hold(a)
		if a.MergedInto != "" {
			d.merge(doc, a)
			break
		}
		d.talks.tell(a)
		d.put(affairDoc(d.relative(doc.ID), a))
		d.unlinked[a.ID] = a
	case state.Records:
		r, err := ledger.Decode[state.Record](doc)
		if err != nil {
			return err
		}
		if r.ValidTo == nil {
			d.known[sameness(r)] = r.ID
		} else if d.known[sameness(r)] == r.ID {
			delete(d.known, sameness(r))
		}
		d.put(recordDoc(d.relative(doc.ID), r))
		d.file(r)
		d.states(r)
		d.linkRecord(r)
		if r.Kind == state.PreferenceRecord || r.About == state.AboutUser {
			d.owns(r)
		}
	case state.Messages:
		msg, err := ledger.Decode[state.Message](doc)
		if err != nil {
			return err
		}
		d.numbers.learn(sessionOf(doc.ID), msg.Seq)
		switch {
		case msg.Undone:
			d.index.Delete(docID(doc.Collection, d.relative(doc.ID)))
			d.unhear(doc.ID)
		case d.talks != nil:
			d.talks.take(sessionOf(doc.ID), msg)
		}
		if !msg.Undone && msg.Role != state.RoleTool && msg.Text != "" {
			d.put(messageDoc(d.relative(doc.ID), msg))
		}
	}
	return nil
}

// merge takes an affair out of what can be found or decided for: what it held is found under the one it was merged into. What was heard is
// heard anew, under that one.
func (d *mind) merge(doc store.Doc, a state.Affair) {
	if next := d.joined.with(a); len(next) != len(d.joined) {
		d.joined, d.talks = next, nil
	}
	id := docID(doc.Collection, d.relative(doc.ID))
	d.index.Delete(id)
	d.links.Delete(id)
	d.links.Merge(a.ID, d.joined.of(a.ID))
	delete(d.unlinked, a.ID)
}

// file keeps a record under its subject while it is valid, the latest few of a subject.
func (d *mind) file(r state.Record) {
	if r.Subject == "" {
		return
	}
	h := subjectHash(r.Subject)
	d.about[h] = slices.DeleteFunc(d.about[h], func(id string) bool { return id == r.ID })
	if r.ValidTo == nil {
		d.about[h] = append(d.about[h], r.ID)
	}
	d.about[h] = d.about[h][max(0, len(d.about[h])-looked):]
}

// owns keeps a record that is the user's, in the order they were recorded.
func (d *mind) owns(r state.Record) {
	d.own = slices.DeleteFunc(d.own, func(old state.Record) bool { return old.ID == r.ID })
	at, _ := slices.BinarySearchFunc(d.own, r, func(a, b state.Record) int {
		return cmp.Or(a.RecordedAt.Compare(b.RecordedAt), strings.Compare(a.ID, b.ID))
	})
	d.own = slices.Insert(d.own, at, r)
}

// note is the edit that brings what a record states into the key facts of its affair, nil for nothing new.
func (d *mind) note(ctx context.Context, from ledger.Reader, r state.Record, now time.Time) (*state.AffairEdit, error) {
	if r.Affair == "" || d.isArchived(r.Affair) { // what is put away does not change
		return nil, nil
	}
	a := state.Affair{ID: r.Affair} // opened in this very turn
	if d.knows(r.Affair) {
		var err error
		if a, err = d.whole(ctx, from, r.Affair); err != nil {
			return nil, err
		}
	}
	found := novel(a, extracted(r.Content, text.Language(r.Content, "en")))
	if len(found) == 0 {
		return nil, nil
	}
	return &state.AffairEdit{ID: r.Affair, Facts: found, At: now}, nil
}

// sameness is equal for two records that say the same.
func sameness(r state.Record) string {
	return string(r.Kind) + "\x00" + r.Affair + "\x00" + text.Fold(r.Subject) + "\x00" + text.Fold(r.Content)
}
