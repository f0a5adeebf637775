package words

import (
	"cmp"
	"slices"
	"strings"
)

// group is a session: its documents in order, and how many terms they have.
type group struct {
	name  string
	slots []uint32
	said  int64 // terms of texts and speakers
	dated int64 // documents with a date
}

// length of the group as one text: what was said, and a date once.
func (g *group) length() int64 {
	const date = 3
	if g.dated > 0 {
		return g.said + date
	}
	return g.said
}

// join puts the document at its place in its group.
func (t *tables) join(slot uint32) {
	d := &t.entries[slot].doc
	n, ok := t.named[d.Group]
	if !ok {
		n = uint32(len(t.groups))
		name := strings.Clone(d.Group)
		t.named[name] = n
		t.groups = append(t.groups, group{name: name})
		t.bytes += groupBytes + int64(len(name))
	}
	g := &t.groups[n]
	if len(g.slots) == 0 {
		t.liveGroups++
	}
	at, _ := t.place(g, d)
	g.slots = slices.Insert(g.slots, at, slot)
	t.resize(g, slot, 1)
	t.bytes += slotBytes
	d.Group, t.cells[slot].group = g.name, n // one string for all of them
	if at > 0 {
		t.link(g.slots[at-1], slot)
	}
	if at+1 < len(g.slots) {
		t.link(slot, g.slots[at+1])
	}
}

// leave takes the document out of its group.
func (t *tables) leave(slot uint32) {
	c := t.cells[slot]
	g := &t.groups[c.group]
	if at, ok := t.place(g, &t.entries[slot].doc); ok {
		g.slots = slices.Delete(g.slots, at, at+1)
	}
	t.resize(g, slot, -1)
	t.bytes -= slotBytes
	if len(g.slots) == 0 {
		t.liveGroups--
	}
	t.link(c.before, c.after)
}

// link makes two documents neighbours; either may be none.
func (t *tables) link(before, after uint32) {
	if before != none {
		t.cells[before].after = after
	}
	if after != none {
		t.cells[after].before = before
	}
}

func (t *tables) resize(g *group, slot uint32, sign int64) {
	e, was := &t.entries[slot], g.length()
	g.said += sign * (int64(e.textLen) + int64(e.whoLen))
	if e.whenLen > 0 {
		g.dated += sign
	}
	t.groupsLen += g.length() - was
}

// place returns where the document stands, or would stand, in the group.
func (t *tables) place(g *group, d *Doc) (int, bool) {
	return slices.BinarySearchFunc(g.slots, d, func(slot uint32, d *Doc) int {
		other := &t.entries[slot].doc
		return cmp.Or(cmp.Compare(other.Order, d.Order), cmp.Compare(other.ID, d.ID))
	})
}

// partner returns the other half of a question and its answer, none without.
func (t *tables) partner(slot uint32) uint32 {
	c := &t.cells[slot]
	switch {
	case c.role == user && c.after != none && t.cells[c.after].role == assistant:
		return c.after
	case c.role == assistant && c.before != none && t.cells[c.before].role == user:
		return c.before
	}
	return none
}

// around returns the documents up to two steps before and after, none where there are none.
func (t *tables) around(slot uint32) (before2, before, after, after2 uint32) {
	c := &t.cells[slot]
	before2, before, after, after2 = none, c.before, c.after, none
	if before != none {
		before2 = t.cells[before].before
	}
	if after != none {
		after2 = t.cells[after].after
	}
	return before2, before, after, after2
}
