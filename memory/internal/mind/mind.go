package mind

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/read/link"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Mind is what one user's memory holds in RAM. The fields that are not exported, and those that are, are guarded by its one lock:
// who was given the mind by Minds has it, and calls Unlock. Values that maps and slices hold do not change.
type Mind struct {
	scope state.Scope // client and user

	mu sync.Mutex // the mind's lock

	Seq      int64                    // every entry of the feed up to it is in here
	Gen      int64                    // number of the entry of the last order to erase
	Owes     bool                     // which is not carried out yet
	Sessions map[string]state.Session // by id
	Cleared  Cleared                  // what of them is out of sight
	Joined   Joined                   // which affairs were merged into others
	Own      []state.Record           // the user's: preferences and what he says of himself, oldest first
	Projects map[string]Known         // what each project knows by itself
	Parts    Parts                    // of sessions that are over, and what was made of them
	Index    *words.Index             // of all texts; safe for concurrent use
	Faces    *affair.Faces            // of affairs; safe for concurrent use
	Docs     *Held                    // documents as they stand in the store; safe for concurrent use

	loaded       bool
	behind       bool                      // entries of the feed were missed: the next use reads them
	doubted      map[ledger.Ref]bool       // documents that another writer has changed and no entry names: the next use reads them
	sessionsSize int64                     // bytes of the sessions
	affairs      map[string]*state.Affair  // the hot ones
	cold         map[string]*state.Affair  // the others, archived or beyond the bound: what they are recognised by
	coldBytes    int64                     // of these
	hottest      int                       // how many affairs may be hot
	titles       map[string][]string       // ids of affairs by title, folded
	known        map[string]string         // a record's kind, subject and content, folded -> its id
	about        map[uint64][]string       // hash of a subject, folded -> ids of valid records, the latest learnt last
	stated       map[string][]state.Record // by message: what was stored of what it says
	replaced     map[string][]state.Record // by number: the records that say it and were replaced
	over         map[string]replaced       // by id: those that were replaced
	codes        map[string][]string       // code -> ids of the valid records that say it
	named        map[string][]string       // the same of words, once something is forgotten; nil before
	gone         []Gone                    // what was forgotten
	damaged      map[ledger.Ref]error      // documents that are left out, since they cannot be read
	ranks        map[string]rank           // of the records that hold and are not in the archive, by id
	links        *link.Graph               // of affairs and of records that are valid
	unlinked     map[string]state.Affair   // by id: affairs whose links are older than they are
	talks        *talks                    // what detection knows; nil until it is asked
	loading      *loading                  // what the index is to get, while the mind is loaded
	numbers      numbers                   // of messages
	unsaved      atomic.Int64              // documents the index was given that no snapshot has
}

// Lock waits until nobody else uses the mind.
func (d *Mind) Lock() { d.mu.Lock() }

// Unlock lets others use the mind.
func (d *Mind) Unlock() { d.mu.Unlock() }

// takeCommit learns the user's documents of one commit. What the entry names and is not among them an earlier attempt wrote.
func (d *Mind) takeCommit(entry ledger.Entry, user string, docs []store.Doc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.loaded || d.Seq >= entry.Seq { // it was read from the store meanwhile
		return
	}
	own := map[ledger.Ref]bool{}
	for _, doc := range docs {
		own[ledger.Ref{Collection: doc.Collection, ID: doc.ID}] = true
	}
	if d.voids(entry) {
		return
	}
	missed := slices.ContainsFunc(entry.Changed, func(ref ledger.Ref) bool { return !own[ref.In(d.scope)] })
	if missed || d.Seq != entry.Seq-1 {
		d.behind = true // a turn must see its own commits, also behind somebody else's
		return
	}
	d.Seq = entry.Seq
	for _, doc := range docs {
		switch {
		case !strings.HasPrefix(doc.ID, user):
		case doc.Body == nil:
			d.forgetDoc(ledger.Ref{Collection: doc.Collection, ID: doc.ID})
		default:
			doc.Rev++
			d.loaded = d.loaded && d.keepDoc(readDoc(doc)) == nil
		}
	}
}

// document is a document of a user with its value: a session, an affair, a record or a message.
type document struct {
	store.Doc
	value any
	err   error // why there is no value
}

// readDoc reads the value of a document. One of another kind has none.
func readDoc(doc store.Doc) document {
	r := document{Doc: doc}
	switch doc.Collection {
	case state.Sessions:
		r.value, r.err = ledger.Decode[state.Session](doc)
	case state.Affairs:
		r.value, r.err = ledger.Decode[state.Affair](doc)
	case state.Records:
		r.value, r.err = ledger.Decode[state.Record](doc)
	case state.Messages:
		var msg state.Message
		msg, r.err = ledger.Decode[state.Message](doc)
		r.value = msg
		if r.err == nil { // a session's last messages are asked for several times in each of its turns
			r.Value = &msg
		}
	}
	return r
}

// keepDoc takes a document into the mind as it stands in the store.
func (d *Mind) keepDoc(doc document) error {
	if !slices.Contains(kept(), doc.Collection) {
		return nil
	}
	delete(d.damaged, ledger.Ref{Collection: doc.Collection, ID: doc.ID})
	d.Docs.put(doc.Doc)
	if doc.Collection == state.Messages && !d.Docs.follows(doc.ID) {
		d.beginTail(doc.Doc)
	}
	if doc.err == nil {
		d.learnDoc(doc)
	}
	return doc.err
}

// beginTail holds the first message of a session that the mind gets to know, if it is the last one there is.
func (d *Mind) beginTail(doc store.Doc) {
	session := SessionOf(doc.ID)
	last, known := d.numbers.highest[session]
	if (known || d.numbers.all) && doc.ID > d.scope.UserPrefix()+session+"/"+state.SeqKey(last) {
		d.Docs.begin(doc, last == 0)
	}
}

// refreshMind brings the mind up to the head of the feed: one reading, and when there is something the documents it names.
func (m *Minds) refreshMind(ctx context.Context, d *Mind) error {
	if !d.loaded {
		return m.loadMind(ctx, d)
	}

	entries, err := ledger.After(ctx, m.store, d.scope, d.Seq)
	if err != nil || len(entries)+len(d.doubted) == 0 {
		return err
	}

	// An entry that voids what is known, or a record that went, makes the mind anew.
	if slices.ContainsFunc(entries, d.voids) {
		return m.loadMind(ctx, d)
	}

	changed := changedIn(entries, d.scope)
	maps.Copy(changed, d.doubted)
	if err := m.reloadAll(ctx, d, changed); err != nil {
		return err
	}
	if d.doubted = nil; !d.loaded {
		return m.loadMind(ctx, d)
	}

	if len(entries) > 0 {
		d.Seq = entries[len(entries)-1].Seq
	}
	return nil
}

// voids reports whether an entry is of an order to erase: then nothing of the mind may be used any more, and it is loaded anew.
func (d *Mind) voids(e ledger.Entry) bool {
	if e.Owes || d.Owes || e.Gen != d.Gen {
		d.loaded = false
	}
	return !d.loaded
}

// stand takes in where the feed stands that the mind is of.
func (d *Mind) stand(s ledger.Stand) { d.Seq, d.Gen, d.Owes = s.Seq, s.Gen, s.Owes }

// Stand is where the feed stands that the mind is of.
func (d *Mind) Stand() ledger.Stand { return ledger.Stand{Seq: d.Seq, Gen: d.Gen, Owes: d.Owes} }

// forgetDoc takes a document that is gone out of the mind. What is known of records is made anew at the next use: it is seldom that one goes.
func (d *Mind) forgetDoc(ref ledger.Ref) {
	delete(d.damaged, ref)
	d.Docs.drop(ref)
	d.Index.Delete(DocID(ref.Collection, d.relative(ref.ID)))
	d.links.Delete(DocID(ref.Collection, d.relative(ref.ID)))
	if ref.Collection == state.Affairs {
		delete(d.unlinked, d.relative(ref.ID))
	}
	if ref.Collection == state.Messages {
		d.unhear(ref.ID)
	}
	if ref.Collection == state.Records {
		d.Parts.Drop(d.relative(ref.ID))
		delete(d.ranks, d.relative(ref.ID))
		d.loaded = false
	}
	if ref.Collection == state.Affairs {
		d.dropAffair(d.relative(ref.ID))
		d.talks.untell(d.relative(ref.ID))
	}
}

// learnDoc takes the value of a document into the mind: each kind goes where it is asked for.
func (d *Mind) learnDoc(doc document) {
	switch v := doc.value.(type) {
	case state.Session:
		d.sessionsSize += sessionSize(v) - sessionSize(d.Sessions[v.ID])
		d.Sessions[v.ID] = v
		d.Cleared = d.Cleared.with(v)
	case state.Affair:
		d.learnAffair(doc.Doc, v)
	case state.Record:
		d.learnRecord(doc.Doc, v)
	case state.Message:
		d.learnMessage(doc.Doc, v)
	}
}

// learnAffair takes an affair into the mind. One that was merged away only leads to the other one.
func (d *Mind) learnAffair(doc store.Doc, a state.Affair) {
	before := d.affairs[a.ID]
	d.holdAffair(a)
	if a.MergedInto != "" {
		d.mergeAffair(doc, a)
		return
	}
	d.talks.tell(a)
	d.putText(affairDoc(d.relative(doc.ID), a))
	if before == nil || d.unlinked[a.ID].ID != "" || !linksAlike(*before, a) {
		d.unlinked[a.ID] = a
	}
}

// learnRecord takes a record into what is known of records.
func (d *Mind) learnRecord(doc store.Doc, r state.Record) {
	if r.ValidTo == nil {
		d.known[sameness(r)] = r.ID
	} else if d.known[sameness(r)] == r.ID {
		delete(d.known, sameness(r))
	}

	if r.Span == nil || r.Content != "" { // a part of a session in which all belonged to affairs
		d.putText(RecordDoc(d.relative(doc.ID), r))
	}

	d.Parts.Take(r)
	d.keepRank(r)
	d.fileSubject(r)
	d.keepStated(r)
	d.keepGone(r)
	d.linkRecord(r)

	switch {
	case (r.Project != "" || d.scope.User == state.ClientUser) && OfProject(r):
		d.Projects[r.Project] = d.Projects[r.Project].with(r)
	case r.Kind == state.PreferenceRecord || r.About == state.AboutUser:
		d.keepOwn(r)
	}
}

// learnMessage takes a message into numbers, talks and the index, or out of them once it is undone.
func (d *Mind) learnMessage(doc store.Doc, msg state.Message) {
	d.numbers.learn(SessionOf(doc.ID), msg.Seq)
	switch {
	case msg.Undone:
		d.Index.Delete(DocID(doc.Collection, d.relative(doc.ID)))
		d.unhear(doc.ID)
	case d.talks != nil:
		d.talks.take(SessionOf(doc.ID), msg)
	}
	if text := messageDoc(d.relative(doc.ID), msg); !msg.Undone && msg.Role != state.RoleTool && text.Text != "" {
		d.putText(text)
	}
}

// mergeAffair takes an affair out of what can be found or decided for: what it held is found under the one it was merged into. What was heard is
// heard anew, under that one.
func (d *Mind) mergeAffair(doc store.Doc, a state.Affair) {
	if next := d.Joined.with(a); len(next) != len(d.Joined) {
		d.Joined, d.talks = next, nil
	}
	id := DocID(doc.Collection, d.relative(doc.ID))
	d.Index.Delete(id)
	d.links.Delete(id)
	d.links.Merge(a.ID, d.Joined.Of(a.ID))
	delete(d.unlinked, a.ID)
}

// fileSubject keeps a record under its subject while it is valid, the latest few of a subject.
func (d *Mind) fileSubject(r state.Record) {
	if r.Subject == "" {
		return
	}
	h := subjectHash(r.Subject)
	d.about[h] = slices.DeleteFunc(d.about[h], func(id string) bool { return id == r.ID })
	if r.ValidTo == nil {
		d.about[h] = append(d.about[h], r.ID)
	}
	d.about[h] = d.about[h][max(0, len(d.about[h])-aboutMost):]
}

// keepOwn keeps a record that is the user's, in the order they were recorded.
func (d *Mind) keepOwn(r state.Record) {
	d.Own = slices.DeleteFunc(d.Own, func(old state.Record) bool { return old.ID == r.ID })
	at, _ := slices.BinarySearchFunc(d.Own, r, func(a, b state.Record) int {
		return cmp.Or(a.RecordedAt.Compare(b.RecordedAt), strings.Compare(a.ID, b.ID))
	})
	d.Own = slices.Insert(d.Own, at, r)
}

// aboutMost is how many records a mind knows of one subject.
const aboutMost = 64

// Known returns the id of the user's valid record that says the same as r.
func (d *Mind) Known(r state.Record) (id string, ok bool) {
	id, ok = d.known[sameness(r)]
	return id, ok
}

// About returns the ids of valid records about a subject, the latest learnt last.
func (d *Mind) About(subject string) []string { return d.about[subjectHash(subject)] }

// Titled are the ids of the user's affairs of a title, case and diacritics aside.
func (d *Mind) Titled(title string) []string { return d.titles[foldTitle(title)] }

func foldTitle(title string) string { return text.Fold(strings.TrimSpace(title)) }

// sameness is equal for two records that say the same.
func sameness(r state.Record) string {
	project := ""
	if OfProject(r) {
		project = r.Project
	}
	whose := ""
	if r.Trust.Foreign() { // said by the user it is another thing
		whose = string(r.Trust)
	}
	return whose + string(r.Kind) + "\x00" + r.Affair + "\x00" + project + "\x00" + text.Fold(r.Subject) + "\x00" + text.Fold(r.Content)
}
