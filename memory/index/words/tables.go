package words

import (
	"cmp"
	"slices"
	"strings"
)

// tables is the index without its lock. Documents, words and groups have numbers, given in order of arrival.
type tables struct {
	entries []entry
	slots   map[string]uint32 // id -> entry, living ones only
	lists   []list
	words   map[string]uint32 // word -> list
	near    map[string][]uint32
	groups  []group
	named   map[string]uint32 // name -> group

	textLen, ownLen int64 // terms of all living documents, per field
	groupsLen       int64 // terms of all documents that have a group
	liveGroups      int
	bytes           int64
}

// entry is one document; a dead one is a tombstone that postings still name.
type entry struct {
	doc             Doc // without Text and Head
	terms           []tf
	textLen, ownLen uint32
	group           uint32
	live            bool
}

// tf is a word of a document: how often in its text and in its head.
type tf struct {
	list       uint32
	text, head uint16
}

// list is a word and the documents it occurs in. The counts are of living documents.
type list struct {
	word          string
	posts         []post
	textDF, ownDF uint32
}

// post is one document of a list.
type post struct {
	slot       uint32
	text, head uint16
}

// group is a session: its documents in order, and how many terms they have.
type group struct {
	name   string
	slots  []uint32
	ownLen int64
}

// Sizes for Bytes: of a struct with its share of a map entry and of spare room in slices.
const (
	entryBytes = 340
	listBytes  = 170
	groupBytes = 110
	tfBytes    = 8
	postBytes  = 10
	slotBytes  = 5
	nearBytes  = 12
)

func newTables() *tables {
	return &tables{
		slots: make(map[string]uint32), words: make(map[string]uint32), near: make(map[string][]uint32), named: make(map[string]uint32),
	}
}

// insert adds a document whose id is not there.
func (t *tables) insert(d Doc, counts []counted) {
	slot := uint32(len(t.entries))
	e := entry{doc: d, terms: make([]tf, len(counts)), live: true}
	for i, c := range counts {
		n := t.list(c.word)
		l := &t.lists[n]
		l.posts = append(l.posts, post{slot, c.text, c.head})
		l.ownDF++
		if c.text > 0 {
			l.textDF++
		}
		e.terms[i] = tf{n, c.text, c.head}
		e.textLen += uint32(c.text)
		e.ownLen += uint32(c.text) + uint32(c.head)
	}
	t.textLen += int64(e.textLen)
	t.ownLen += int64(e.ownLen)
	t.bytes += e.size() + int64(len(counts))*postBytes
	t.entries = append(t.entries, e)
	t.slots[d.ID] = slot
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
	for _, c := range e.terms {
		l := &t.lists[c.list]
		l.ownDF--
		if c.text > 0 {
			l.textDF--
		}
	}
	if e.doc.Group != "" {
		t.leave(slot)
	}
	t.textLen -= int64(e.textLen)
	t.ownLen -= int64(e.ownLen)
	t.bytes -= e.size() - entryBytes
	delete(t.slots, id)
	*e = entry{}
	return true
}

func (e *entry) size() int64 {
	d := &e.doc
	return entryBytes + int64(len(e.terms))*tfBytes + int64(len(d.ID)+len(d.Affair)+len(d.Project)+len(d.Agent))
}

// counts is what insert takes, of an entry that is there.
func (t *tables) counts(e *entry) []counted {
	out := make([]counted, len(e.terms))
	for i, c := range e.terms {
		out[i] = counted{t.lists[c.list].word, c.text, c.head}
	}
	return out
}

// list is the number of the word's list, made if need be.
func (t *tables) list(word string) uint32 {
	if n, ok := t.words[word]; ok {
		return n
	}
	word = strings.Clone(word)
	n := uint32(len(t.lists))
	l := list{word: word}
	t.lists = append(t.lists, l)
	t.words[word] = n
	t.bytes += listBytes + int64(len(word))
	if letters(word) >= minPrefix {
		begin, end := ends(word)
		t.near[begin] = append(t.near[begin], n)
		t.near[end] = append(t.near[end], n)
		t.bytes += 2 * nearBytes
	}
	return n
}

// join puts the document at its place in its group.
func (t *tables) join(slot uint32) {
	e := &t.entries[slot]
	n, ok := t.named[e.doc.Group]
	if !ok {
		n = uint32(len(t.groups))
		name := strings.Clone(e.doc.Group)
		t.named[name] = n
		t.groups = append(t.groups, group{name: name})
		t.bytes += groupBytes + int64(len(e.doc.Group))
	}
	g := &t.groups[n]
	if len(g.slots) == 0 {
		t.liveGroups++
	}
	at, _ := t.place(g, e)
	g.slots = slices.Insert(g.slots, at, slot)
	g.ownLen += int64(e.ownLen)
	t.groupsLen += int64(e.ownLen)
	t.bytes += slotBytes
	e.group, e.doc.Group = n, g.name // one string for all of them
}

// leave takes the document out of its group.
func (t *tables) leave(slot uint32) {
	e := &t.entries[slot]
	g := &t.groups[e.group]
	if at, ok := t.place(g, e); ok {
		g.slots = slices.Delete(g.slots, at, at+1)
	}
	g.ownLen -= int64(e.ownLen)
	t.groupsLen -= int64(e.ownLen)
	t.bytes -= slotBytes
	if len(g.slots) == 0 {
		t.liveGroups--
	}
}

// place is where the document stands, or would stand, in the group.
func (t *tables) place(g *group, e *entry) (int, bool) {
	return slices.BinarySearchFunc(g.slots, e, func(slot uint32, e *entry) int {
		other := &t.entries[slot].doc
		if c := cmp.Compare(other.Order, e.doc.Order); c != 0 {
			return c
		}
		return cmp.Compare(other.ID, e.doc.ID)
	})
}
