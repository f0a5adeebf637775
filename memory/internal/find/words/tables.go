package words

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// tables is the index without its lock. Documents, words, groups and speakers have numbers, given in order of arrival.
type tables struct {
	entries  []entry
	cells    []cell            // the part of each entry that every search reads
	slots    map[string]uint32 // id -> entry, living ones only
	lists    []list
	words    map[string]uint32 // word -> list
	spelled  spellings
	matters  map[string][]uint32 // concept -> lists
	groups   []group
	named    map[string]uint32 // name -> group
	speakers []speaker
	called   map[string]uint32 // name -> speaker
	affairs  []string
	filed    map[string]uint32 // id -> affair
	kept     map[string]string // strings that many documents share

	stats
	bytes int64
}

// entry is one document; a dead one is a tombstone that postings still name.
type entry struct {
	doc     Doc // without Text
	terms   []tf
	long    *passages // of a text of several passages
	speaker uint32    // none without
	traits
}

// cell is what every search reads of a document.
type cell struct {
	group, before, after     uint32 // the group and the neighbours in it; none
	affair                   uint32
	textLen, ownLen, leadLen uint16 // 65535 is that or more
	role                     role
	instruction, preference  bool // the user states one
	live                     bool
}

type role uint8

const (
	noRole role = iota
	user
	assistant
)

// none is the number of no document, group or speaker.
const none = ^uint32(0)

// tf is a term of a document.
type tf struct {
	list uint32
	counts
}

// passages are a long text's parts, as spans of the numbers of its terms in order.
type passages struct {
	seq   []uint32
	spans []span
}

// list is a word and the documents it occurs in. The counts are of living documents.
type list struct {
	word                             string
	posts                            []post
	textDF, ownDF, leadDF, passageDF uint32
}

// post is one document of a list.
type post struct {
	slot uint32
	counts
}

// speaker is one name that documents were said under.
type speaker struct {
	terms []string
	live  int // documents
}

// Sizes for Bytes: of a struct with its share of a map entry and of spare room in slices.
const (
	entryBytes   = 380
	listBytes    = 110
	groupBytes   = 130
	speakerBytes = 200
	tfBytes      = 8
	postBytes    = 10
	slotBytes    = 5
	filedBytes   = 60
	matterBytes  = 6
)

func newTables() *tables {
	return &tables{
		slots: make(map[string]uint32), words: make(map[string]uint32), matters: make(map[string][]uint32),
		spelled: spellings{ends: make(map[string][]uint32)},
		named:   make(map[string]uint32), called: make(map[string]uint32), filed: make(map[string]uint32), kept: make(map[string]string),
	}
}

// insert adds a document whose id is not there.
func (t *tables) insert(d Doc, a analysis) {
	// Names that many documents have are kept once.
	slot := uint32(len(t.entries))
	d.Affair, d.Project, d.Agent, d.Kind = t.keep(d.Affair), t.keep(d.Project), t.keep(d.Agent), t.keep(d.Kind)
	d.Speaker, d.Weight = t.keep(d.Speaker), held(d.Weight)
	e := entry{doc: d, terms: make([]tf, len(a.terms)), traits: a.traits, speaker: t.speaker(d.Speaker)}

	// Each of its words learns of the document.
	for i, c := range a.terms {
		n := t.list(c.word)
		t.lists[n].posts = append(t.lists[n].posts, post{slot, c.counts})
		e.terms[i] = tf{n, c.counts}
	}
	if a.passages != nil {
		e.long = &passages{spans: a.passages, seq: make([]uint32, len(a.seq))}
		for i, word := range a.seq {
			e.long.seq[i] = t.words[word]
		}
	}

	// The document itself, and what a search needs of it in one place.
	t.entries = append(t.entries, e)
	t.cells = append(t.cells, cell{
		group: none, before: none, after: none, affair: t.affair(d.Affair), live: true, role: roleOf(d.Role),
		textLen: short(e.textLen), ownLen: short(e.ownLen()), leadLen: short(e.leadLen),
		instruction: e.instruction && roleOf(d.Role) == user, preference: e.preference && roleOf(d.Role) == user,
	})

	// It counts in the totals, and in its group it has neighbours.
	t.slots[d.ID] = slot
	t.bytes += e.size() + int64(len(a.terms))*postBytes
	t.count(&t.entries[slot], 1)
	if d.Group != "" {
		t.join(slot)
	}
}

// remove leaves a tombstone in place of the document and reports whether it was there.
func (t *tables) remove(id string) bool {
	slot, ok := t.slots[id]
	if !ok {
		return false
	}
	e := &t.entries[slot]
	if e.doc.Group != "" {
		t.leave(slot)
	}
	t.count(e, -1)
	t.bytes -= e.size() - entryBytes
	delete(t.slots, id)
	*e, t.cells[slot] = entry{}, cell{}
	return true
}

func (e *entry) size() int64 {
	size := entryBytes + int64(len(e.terms))*tfBytes + int64(len(e.doc.ID))
	if e.long != nil {
		size += 64 + int64(len(e.long.seq))*4 + int64(len(e.long.spans))*8
	}
	return size
}

// analysis returns what insert takes, of an entry that is there.
func (t *tables) analysis(e *entry) analysis {
	a := analysis{terms: make([]counted, len(e.terms)), traits: e.traits}
	for i, c := range e.terms {
		a.terms[i] = counted{t.lists[c.list].word, c.counts}
	}
	if e.long != nil {
		a.passages, a.seq = e.long.spans, make([]string, len(e.long.seq))
		for i, n := range e.long.seq {
			a.seq[i] = t.lists[n].word
		}
	}
	return a
}

// list returns the number of the word's list, made if need be.
func (t *tables) list(word string) uint32 {
	if n, ok := t.words[word]; ok {
		return n
	}
	word = strings.Clone(word)
	n := uint32(len(t.lists))
	t.lists = append(t.lists, list{word: word})
	t.words[word] = n
	t.bytes += listBytes + int64(len(word)) + t.spelled.add(word, n)
	for _, matter := range text.Concepts([]string{word}) {
		if narrow(matter) {
			t.matters[matter] = append(t.matters[matter], n)
			t.bytes += matterBytes
		}
	}
	return n
}

// speaker returns the number of the name, given if need be; none for no name.
func (t *tables) speaker(name string) uint32 {
	if name == "" {
		return none
	}
	n, ok := t.called[name]
	if !ok {
		n = uint32(len(t.speakers))
		t.called[name] = n
		t.speakers = append(t.speakers, speaker{terms: nameTerms(name)})
		t.bytes += speakerBytes
	}
	return n
}

// affair returns the number of the affair, given if need be.
func (t *tables) affair(id string) uint32 {
	n, ok := t.filed[id]
	if !ok {
		n = uint32(len(t.affairs))
		t.filed[id] = n
		t.affairs = append(t.affairs, id)
		t.bytes += filedBytes
	}
	return n
}

// keep returns one copy of equal strings, of which there are few: names, kinds, affairs.
func (t *tables) keep(s string) string {
	if s == "" {
		return ""
	}
	if one, ok := t.kept[s]; ok {
		return one
	}
	s = strings.Clone(s)
	t.kept[s] = s
	t.bytes += 2*int64(len(s)) + 40
	return s
}

func roleOf(r state.Role) role {
	switch r {
	case state.RoleUser:
		return user
	case state.RoleAssistant:
		return assistant
	}
	return noRole
}

// held returns a weight as it counts.
func held(w float64) float64 {
	if w == 0 || w != w {
		return 1
	}
	return min(max(w, 0.5), 2)
}

func short(n uint32) uint16 { return uint16(min(n, 1<<16-1)) }
