package sqlite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// salvaged reads files as Salvage does: all documents, in the order of everything, and what is lost.
func salvaged(t *testing.T, files map[string][]byte) ([]store.Doc, *Salvaged) {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	s, err := Salvage(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	var docs []store.Doc
	for _, c := range store.Collections() {
		part, err := s.Scan(t.Context(), store.Query{Collection: c})
		must(t, err)
		docs = append(docs, part...)
	}
	return docs, s
}

// TestSalvageOfASoundStore reads what Close leaves and what a crash does: all is there, and no damage is told.
func TestSalvageOfASoundStore(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		docs, files := original(t, crash)
		got, s := salvaged(t, files)
		if !equal(docs, got) {
			t.Errorf("crash %t: %d documents of %d, or others", crash, len(got), len(docs))
		}
		if d := cmp.Diff(Damage{}, s.Damage(), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("crash %t, damage (-want +got):\n%s", crash, d)
		}
	}
}

// TestSalvageMendsABit flips a bit in each page: the checksum tells which, and nothing is lost.
func TestSalvageMendsABit(t *testing.T) {
	t.Parallel()
	docs, files := original(t, false)
	whole, rng, mended := files["store.db"], rand.New(rand.NewPCG(7, 7)), 0
	for page := range len(whole) / pageBytes {
		for range 2 {
			b := bytes.Clone(whole)
			at := page*pageBytes + rng.IntN(pageBytes)
			b[at] ^= 1 << rng.IntN(8)
			got, s := salvaged(t, changed(files, "store.db", b))
			if !equal(docs, got) {
				t.Errorf("byte %d: %d documents of %d, or others", at, len(got), len(docs))
			}
			if mended += s.Damage().Mended; len(s.Damage().Lost) > 0 || s.Damage().Doubtful {
				t.Errorf("byte %d: %+v", at, s.Damage())
			}
		}
	}
	if mended == 0 {
		t.Error("no page was mended")
	}
}

// TestSalvageOfAPage spoils each page in three ways, and each second one at once: all documents that stand elsewhere are as they were,
// nothing that was deleted comes back, and each that is missing is told.
func TestSalvageOfAPage(t *testing.T) {
	t.Parallel()
	docs, files := original(t, false)
	whole := files["store.db"]
	spoils := map[string]func(noise *rand.ChaCha8, page []byte){
		"noise":  func(noise *rand.ChaCha8, page []byte) { _, _ = noise.Read(page) },
		"zeros":  func(_ *rand.ChaCha8, page []byte) { clear(page) },
		"sector": func(noise *rand.ChaCha8, page []byte) { _, _ = noise.Read(page[1024 : 1024+512]) },
	}
	for how, with := range spoils {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			_, sound := salvaged(t, files)
			noise := rand.NewChaCha8([32]byte{3})
			spoil := func(page []byte) { with(noise, page) }
			b := bytes.Clone(whole)
			all := map[int64]bool{}
			for n := int64(1); n <= int64(len(whole)/pageBytes); n++ {
				one := bytes.Clone(whole)
				spoil(one[(n-1)*pageBytes : n*pageBytes])
				checkSalvage(t, fmt.Sprintf("page %d", n), sound, docs, changed(files, "store.db", one), map[int64]bool{n: true})
				if n%2 == 1 {
					spoil(b[(n-1)*pageBytes : n*pageBytes])
					all[n] = true
				}
			}
			checkSalvage(t, "each second page", sound, docs, changed(files, "store.db", b), all)
		})
	}
}

// checkSalvage compares what is saved of damaged files with the documents of the sound ones.
func checkSalvage(t *testing.T, what string, sound *Salvaged, docs []store.Doc, files map[string][]byte, spoiled map[int64]bool) {
	t.Helper()
	got, s := salvaged(t, files)
	byID := func(d store.Doc, w store.Doc) bool { return d.Collection == w.Collection && d.ID == w.ID }
	missing := 0
	for _, want := range docs {
		i := slices.IndexFunc(got, func(d store.Doc) bool { return byID(d, want) })
		if i >= 0 {
			if !equal([]store.Doc{want}, got[i:i+1]) {
				t.Errorf("%s: %s %s is another document", what, want.Collection, want.ID)
			}
			continue
		}
		missing++
		rows := sound.rows[want.Collection]
		at := slices.IndexFunc(rows, func(r row) bool { return r.id == want.ID })
		r, err := sound.files.rowAt(rows[at].page, rows[at].at)
		must(t, err)
		if !spoiled[r.page] && !slices.ContainsFunc(r.chain, func(n int64) bool { return spoiled[n] }) {
			t.Errorf("%s: %s %s is missing, and its page %d is sound", what, want.Collection, want.ID, r.page)
		}
		if !slices.ContainsFunc(s.Damage().Lost, func(l Loss) bool { return tellsLoss(l, r.page, want) }) {
			t.Errorf("%s: %s %s is missing, and not told: %v", what, want.Collection, want.ID, s.Damage().Lost)
		}
	}
	if len(got)+missing != len(docs) && !s.Damage().Doubtful {
		t.Errorf("%s: %d documents, of %d; %d are missing: what was deleted is there again", what, len(got), len(docs), missing)
	}
	if s.Damage().Doubtful && !spoiled[1] && len(spoiled) == 1 && missing > 0 {
		t.Errorf("%s: %+v is doubtful", what, s.Damage())
	}
}

// tellsLoss reports whether a loss is of a document's page, and where it names a place, of its place.
func tellsLoss(l Loss, page int64, d store.Doc) bool {
	if slices.Contains(l.IDs, d.ID) {
		return true
	}
	return l.Page == page && (l.Collection == "" || l.Collection == d.Collection) && l.After < d.ID && (l.Before == "" || d.ID < l.Before)
}

// TestSalvagedStore asks what is salvaged as a store is asked, and tells of commits that are not there.
func TestSalvagedStore(t *testing.T) {
	t.Parallel()
	_, files := original(t, false)
	_, s := salvaged(t, changed(files, "store.mark", append(encodeMark(5), encodeMark(40)...)))
	if n := s.Damage().Commits; n != 40-22 {
		t.Errorf("%d commits are told to be missing, want 18", n)
	}
	page, err := s.Scan(t.Context(), store.Query{Collection: state.Feed, Prefix: "c/u/", After: "c/u/000000000010", Reverse: true, Limit: 3})
	if err != nil || len(page) != 3 || page[0].ID != "c/u/000000000009" {
		t.Errorf("Scan = %v, %v", page, err)
	}
	if _, err := s.Get(t.Context(), state.Feed, "c/u/x"); state.CodeOf(err) != state.NotFound {
		t.Errorf("Get = %v", err)
	}
	if err := s.Write(t.Context(), page...); state.CodeOf(err) != state.Denied {
		t.Errorf("Write = %v", err)
	}
	dir := t.TempDir()
	if _, err := Salvage(t.Context(), dir); state.CodeOf(err) == "" {
		t.Errorf("an empty folder = %v", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "store.db"), bytes.Repeat([]byte("x"), 3*pageBytes), 0o600))
	if _, err := Salvage(t.Context(), dir); state.CodeOf(err) != state.Internal {
		t.Errorf("another file = %v", err)
	}
}
