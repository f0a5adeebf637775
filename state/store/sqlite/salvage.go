package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Salvaged has the documents of a damaged folder that are whole, whatever is damaged around them. It is a store that cannot be
// written: to go on, copy it into a new folder (package transfer). Safe for concurrent use; made by Salvage.
type Salvaged struct {
	dir   string
	files *files
	pack  *packer
	rows  map[state.Collection][]row // in the order of their ids

	mu     sync.Mutex // guards what follows, and files
	closed bool
	damage Damage
}

var _ store.Store = (*Salvaged)(nil)

// Damage tells what is wrong with a folder.
type Damage struct {
	Lost     []Loss `json:"lost"`
	Mended   int    `json:"mended"`   // pages in which one bit was wrong, and which their checksum made whole
	Commits  int64  `json:"commits"`  // acknowledged commits that are not there any more, the newest ones
	Doubtful bool   `json:"doubtful"` // the list of free pages is damaged: documents that were deleted may be among the others
}

// Loss is a page that could not be read, or documents of a page whose values are damaged.
type Loss struct {
	Page       int64            `json:"page"`                 // of store.db, from 1
	Collection state.Collection `json:"collection,omitempty"` // "" = not known
	After      string           `json:"after,omitempty"`      // what is lost stands behind this id; "" = not known
	Before     string           `json:"before,omitempty"`     // and before this one; "" = not known
	IDs        []string         `json:"ids,omitempty"`        // documents of which no more than the id is left
	Saved      int              `json:"saved"`                // documents of the page that are whole
}

// String says in a line what is lost.
func (l Loss) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "page %d", l.Page)
	switch {
	case l.Collection != "":
		b.WriteString(" of " + string(l.Collection))
	case l.Page == 1:
		b.WriteString(", the list of tables")
	}
	if l.After != "" {
		fmt.Fprintf(&b, ", behind %q", l.After)
	}
	if l.Before != "" {
		fmt.Fprintf(&b, ", before %q", l.Before)
	}
	if len(l.IDs) > 0 {
		fmt.Fprintf(&b, ", lost: %q", l.IDs)
	}
	fmt.Fprintf(&b, ", %d documents of it saved", l.Saved)
	return b.String()
}

const salvageOp = "salvage store"

// Salvage reads the files of a folder without SQLite and finds all documents that are as they were written: each has a checksum of its
// own, which covers its collection, id and revision. It changes nothing. Nobody may write there meanwhile, and this process must
// not have the folder open. Errors: state.ErrInvalid for a bad dir, ErrConflict if somebody has written, ErrInternal if no page is
// of a store, ErrDenied and ErrUnavailable as of Open.
func Salvage(ctx context.Context, dir string) (*Salvaged, error) {
	if dir == "" {
		return nil, state.Errorf(state.Invalid, salvageOp, "names no folder")
	}
	path := filepath.Join(dir, "store.db")
	if err := refuseLinks(path); err != nil {
		return nil, err
	}
	pack, err := newPacker()
	if err != nil {
		return nil, explain(salvageOp, path, err)
	}
	f, err := openFiles(path)
	if err != nil {
		pack.close()
		return nil, explain(salvageOp, path, err)
	}

	s := &Salvaged{dir: dir, files: f, pack: pack, rows: map[state.Collection][]row{}}
	if err := s.find(ctx); err != nil {
		return nil, explain(salvageOp, path, errors.Join(err, s.Close()))
	}
	return s, nil
}

// find fills the rows, and tells the damage.
func (s *Salvaged) find(ctx context.Context) error {
	c := &carving{files: s.files, found: s.rows, lost: map[int64]*Loss{}}
	if err := c.carve(ctx); err != nil {
		return err
	}

	// A free page may have an older form of a document when it is not known to be free.
	n := 0
	for kind, rows := range s.rows {
		slices.SortFunc(rows, func(a, b row) int { return cmp.Or(strings.Compare(a.id, b.id), cmp.Compare(b.rev, a.rev)) })
		s.rows[kind] = slices.CompactFunc(rows, func(a, b row) bool { return a.id == b.id })
		n += len(s.rows[kind])
	}
	s.damage = c.damage()
	if last, err := readMark(markPath(s.files.path)); err == nil && c.commits > 0 {
		s.damage.Commits = max(0, int64(last)-c.commits)
	}

	switch {
	case s.files.changed():
		return state.Errorf(state.Conflict, salvageOp, "somebody has written into %s meanwhile; end what uses it and run it again", s.dir)
	case n == 0 && len(s.damage.Lost) > 0:
		return damaged(salvageOp, s.files.path, errors.New("no document in it can be read"))
	}
	return nil
}

// Damage tells what could not be read, in the order of pages.
func (s *Salvaged) Damage() Damage { return s.damage }

// Features are those of a store in a folder.
func (s *Salvaged) Features() store.Features { return store.Features{Atomic: true} }

// Get returns one document.
func (s *Salvaged) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	if err := store.ValidateKey(c, id); err != nil {
		return store.Doc{}, err
	}
	rows := s.rows[c]
	at, found := slices.BinarySearchFunc(rows, id, func(r row, id string) int { return strings.Compare(r.id, id) })
	if !found {
		return store.Doc{}, store.NotFound(c, id)
	}
	docs, err := s.read(ctx, c, rows[at:at+1])
	if err != nil {
		return store.Doc{}, err
	}
	return docs[0], nil
}

// Scan returns what the query selects.
func (s *Salvaged) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}

	rows := s.rows[q.Collection]
	place := func(id string) int {
		at, _ := slices.BinarySearchFunc(rows, id, func(r row, id string) int { return strings.Compare(r.id, id) })
		return at
	}
	low, high := q.Range()
	from, to := place(low), len(rows)
	if high != "" {
		to = place(high)
	}

	rows = slices.Clone(rows[from:max(from, to)])
	if q.Reverse {
		slices.Reverse(rows)
	}
	if q.Limit > 0 {
		rows = rows[:min(q.Limit, len(rows))]
	}
	return s.read(ctx, q.Collection, rows)
}

// read reads documents from their pages.
func (s *Salvaged) read(ctx context.Context, c state.Collection, rows []row) ([]store.Doc, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, state.Errorf(state.Unavailable, "store "+s.dir, "is closed; open it again")
	}

	docs := make([]store.Doc, 0, len(rows))
	for _, r := range rows {
		if ctx.Err() != nil {
			return nil, store.Cancelled(ctx)
		}
		d := store.Doc{Collection: c, ID: r.id, Rev: r.rev}
		now, err := s.files.rowAt(r.page, r.at)
		if err == nil {
			d.Body, err = s.pack.unpack(d, now.value)
		}
		if err != nil {
			return nil, explain("read "+string(c)+" "+r.id, s.files.path, err)
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// Write is refused.
func (s *Salvaged) Write(context.Context, ...store.Doc) error { return s.errReadOnly() }

// Delete is refused.
func (s *Salvaged) Delete(context.Context, state.Collection, string) (int, error) {
	return 0, s.errReadOnly()
}

func (s *Salvaged) errReadOnly() error {
	return state.Errorf(state.Denied, "store "+s.dir, "is damaged, and only read; copy it to a new folder and write there")
}

// Close closes the files; later calls fail. A second Close does nothing.
func (s *Salvaged) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.pack.close()
	return explain("close store", s.files.path, s.files.close())
}
