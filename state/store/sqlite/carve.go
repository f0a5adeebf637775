package sqlite

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Kinds of pages, of SQLite's file format. The documents stand in trees of the kind that SQLite uses for indexes, in branches and
// leaves alike.
const (
	branchPage = 2
	leafPage   = 10
	tableLeaf  = 13 // has the number of commits
)

// lockPage is the page SQLite never uses: locks are taken on its bytes.
const lockPage = 1<<30/pageBytes + 1

// commitsPage is the root of the table that is made first.
const commitsPage = 2

// carving looks through all pages for documents. Which page stands where in which tree is not asked: what is not free is in use, and a
// document's checksum tells its collection.
type carving struct {
	files   *files
	found   map[state.Collection][]row
	lost    map[int64]*Loss
	commits int64 // 0 = not known

	last     state.Collection // of the document found last: the next one is of it as a rule
	chained  map[int64]bool   // pages that hold the rest of a long document
	branches []int64          // that are right
	doubtful bool
}

func (c *carving) carve(ctx context.Context) error {
	free, known, err := c.freePages()
	if err != nil {
		return err
	}
	c.doubtful, c.chained = !known, map[int64]bool{}

	// Page 1 has no documents; what else is damaged may have some that are whole.
	for n := int64(1); n <= c.files.pages; n++ {
		if ctx.Err() != nil {
			return store.Cancelled(ctx)
		}
		if free[n] || n == lockPage {
			continue
		}
		b, right, err := c.files.page(n)
		if err != nil {
			return err
		}
		if !right {
			c.lost[n] = &Loss{Page: n}
		}
		if n > 1 {
			c.carvePage(n, b, right)
		}
	}
	return c.placeLosses()
}

// carvePage takes the documents of a page that are whole.
func (c *carving) carvePage(n int64, b []byte, right bool) {
	// What is right and of no tree holds the rest of a long document. A page whose kind is damaged is read as a leaf.
	switch {
	case b[0] == tableLeaf && n == commitsPage:
		c.commits = commitsIn(b)
		return
	case right && b[0] == branchPage:
		c.branches = append(c.branches, n)
	case right && b[0] != leafPage:
		return
	}

	saved := 0
	for _, at := range slots(b) {
		r, err := c.files.rowIn(n, b, at)
		kind, ok := c.collection(r)
		switch {
		case err == nil && ok:
			c.found[kind] = append(c.found[kind], row{id: r.id, rev: r.rev, page: n, at: at})
			saved++
		case right || store.ValidateKey(state.Meta, r.id) == nil:
			c.lose(n, r.id)
		}
		for _, next := range r.chain {
			c.chained[next] = true
		}
	}
	if l := c.lost[n]; l != nil {
		if l.Saved = saved; saved > 0 {
			l.Collection = c.last
		}
	}
}

// lose notes a document whose value is damaged.
func (c *carving) lose(page int64, id string) {
	l := c.lost[page]
	if l == nil {
		l = &Loss{Page: page}
		c.lost[page] = l
	}
	if id != "" {
		l.IDs = append(l.IDs, id)
	}
}

// collection returns that of which a row is a document as it was written.
func (c *carving) collection(r row) (state.Collection, bool) {
	if len(r.value) < valueHead || r.id == "" {
		return "", false
	}
	is := func(kind state.Collection) bool {
		return binary.LittleEndian.Uint32(r.value) == checksum(store.Doc{Collection: kind, ID: r.id, Rev: r.rev}, r.value[4:])
	}
	if c.last != "" && is(c.last) {
		return c.last, true
	}
	all := store.Collections()
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return "", false
	}
	c.last = all[i]
	return all[i], true
}

// freePages returns those that hold nothing. They are known when there are as many as page 1 says: then the list of them is whole.
func (c *carving) freePages() (free map[int64]bool, known bool, err error) {
	head, _, err := c.files.page(1)
	if err != nil {
		return nil, false, err
	}
	free = map[int64]bool{}
	trunk, count := int64(binary.BigEndian.Uint32(head[32:])), int64(binary.BigEndian.Uint32(head[36:]))
	for trunk != 0 && trunk <= c.files.pages && !free[trunk] {
		free[trunk] = true
		b, right, err := c.files.page(trunk)
		if err != nil || !right {
			return free, false, err
		}
		leaves := min(int64(binary.BigEndian.Uint32(b[4:])), (pageBytes-reservedBytes-8)/4)
		for i := range leaves {
			free[int64(binary.BigEndian.Uint32(b[8+4*i:]))] = true
		}
		trunk = int64(binary.BigEndian.Uint32(b))
	}
	known = trunk == 0 && int64(len(free)) == count && string(head[:15]) == "SQLite format 3"
	if !known {
		free = map[int64]bool{}
	}
	return free, known, nil
}

// placeLosses tells of each page that is lost between which documents it stands, as far as the branch above it is right.
func (c *carving) placeLosses() error {
	for _, n := range c.branches {
		b, _, err := c.files.page(n)
		if err != nil {
			return err
		}
		var before row
		var kind state.Collection
		for _, at := range slots(b) {
			r, err := c.files.rowIn(n, b, at)
			if err != nil {
				return err
			}
			if k, ok := c.collection(r); ok {
				kind = k
			}
			c.placeLoss(int64(binary.BigEndian.Uint32(b[at:])), kind, before.id, r.id)
			before = r
		}
		c.placeLoss(int64(binary.BigEndian.Uint32(b[8:])), kind, before.id, "")
	}
	return nil
}

func (c *carving) placeLoss(page int64, kind state.Collection, after, before string) {
	if l := c.lost[page]; l != nil {
		l.Collection, l.After, l.Before = kind, after, before
	}
}

// damage returns what was found. A page with the rest of a long document is told by the document's own page.
func (c *carving) damage() Damage {
	d := Damage{Lost: []Loss{}, Mended: len(c.files.mended), Doubtful: c.doubtful}
	for n, l := range c.lost {
		if !c.chained[n] {
			d.Lost = append(d.Lost, *l)
		}
	}
	slices.SortFunc(d.Lost, func(a, b Loss) int { return int(a.Page - b.Page) })
	return d
}
