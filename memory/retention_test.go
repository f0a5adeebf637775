package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
)

// full is a memory that has four records more than may be: eighteen of importance 1 to 5, one pinned and one task of importance 1.
func full(t *testing.T, w *world) *memory.Memory {
	t.Helper()
	m := w.memory(t, func(c *memory.Config) { c.Settings.MaxMemoriesPerUser = 16 })
	for i := range 18 {
		c := memory.Change{Subject: fmt.Sprintf("parcel %d", i), Content: fmt.Sprintf("stands in hall number %d", 400+i), Importance: 1 + i/4}
		if _, err := m.Write(t.Context(), in("s1"), c); err != nil {
			t.Fatal(err)
		}
	}
	kept := []memory.Change{{Content: "The ladder leans on the north wall", Importance: 1, Pinned: true}, memory.Task("Sweep the chimney", "", w.clock())}
	kept[1].Importance = 1
	if _, err := m.Write(t.Context(), in("s1"), kept...); err != nil {
		t.Fatal(err)
	}
	w.pass(1)
	return m
}

// inArchive are the subjects of records that are in the archive.
func inArchive(t *testing.T, m *memory.Memory) (archived map[string]bool, held int) {
	t.Helper()
	records, err := m.Records(t.Context(), in("s1"))
	must(t, err)
	archived = map[string]bool{}
	for _, r := range records {
		switch {
		case r.Span != nil || r.ValidTo != nil:
		case r.ArchivedAt != nil:
			archived[r.Subject] = true
		default:
			held++
		}
	}
	return archived, held
}

func TestLeastImportantGoesIntoTheArchive(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func() *world{"embedded": newWorld, "server": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world()
			m := full(t, w)
			got := w.turn(t, m, in("s1"), nil, "Good morning")
			archived, held := inArchive(t, m)
			if len(archived) != 4 || held != 16 || !archived["parcel 0"] || !archived["parcel 3"] || archived["parcel 17"] || archived["Sweep the chimney"] || archived[""] {
				t.Errorf("%d in the archive, %d held: %v", len(archived), held, archived)
			}
			if !strings.Contains(strings.Join(got.notes, "\n"), "archived: 4 records, the least important of 20") {
				t.Errorf("notes %q", got.notes)
			}

			// Another process finds it so, and archives nothing.
			other := w.memory(t, func(c *memory.Config) { c.Settings.MaxMemoriesPerUser = 16 })
			w.turn(t, other, in("s2"), nil, "Good evening")
			if again, _ := inArchive(t, other); len(again) != 4 {
				t.Errorf("%d in the archive after another turn", len(again))
			}

			// It is found when the archive is asked for, and there only.
			for _, archive := range []bool{false, true} {
				hits, err := other.Recall(t.Context(), memory.Query{Scope: in("s3"), Text: "parcel 3 stands in hall number 403", Archived: archive})
				found := len(hits) > 0 && hits[0].Record != nil && hits[0].Record.Subject == "parcel 3"
				if err != nil || found != archive || found && !strings.Contains(hits[0].Source, "archived") {
					t.Errorf("archive %t: %+v, %v", archive, hits, err)
				}
			}
		})
	}
}

func TestTheArchiveIsLeft(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(m *memory.Memory) error
		out  bool
	}{
		{"said again", func(m *memory.Memory) error {
			_, err := m.Write(t.Context(), in("s2"), memory.Change{Subject: "parcel 3", Content: "stands in hall number 403"})
			return err
		}, true},
		{"pinned", func(m *memory.Memory) error {
			_, err := m.Amend(t.Context(), in("s2"), memory.Amendment{Action: memory.PinRecord, Match: "parcel 3 stands in hall number 403"})
			return err
		}, true},
		{"forgotten", func(m *memory.Memory) error {
			_, err := m.Amend(t.Context(), in("s2"), memory.Amendment{Action: memory.ForgetRecord, Match: "parcel 3 stands in hall number 403"})
			return err
		}, true},
		{"undone", func(m *memory.Memory) error {
			changes, err := m.History().Audit(t.Context(), in("s2"), history.Query{Path: "retention"})
			if err != nil || len(changes) != 4 || changes[0].By.Who != state.ByPipeline {
				return fmt.Errorf("%d changes, %w", len(changes), err)
			}
			return m.History().UndoChange(t.Context(), in("s2"), changes[0].Seq)
		}, true},
		{"nothing", func(*memory.Memory) error { return nil }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m := full(t, w)
			w.turn(t, m, in("s1"), nil, "Good morning")
			w.pass(1)
			must(t, tt.do(m))
			if archived, _ := inArchive(t, m); archived["parcel 3"] == tt.out {
				t.Errorf("in the archive: %t", !tt.out)
			}
		})
	}
}

// What a read-only agent answers archives nothing.
func TestNothingIsArchivedWithoutConsent(t *testing.T) {
	t.Parallel()
	w := newWorld()
	full(t, w)
	m := w.memory(t, func(c *memory.Config) { c.Settings.MaxMemoriesPerUser, c.Settings.Autonomy = 16, 1 })
	w.turn(t, m, in("s1"), nil, "Good morning")
	if archived, _ := inArchive(t, m); len(archived) != 0 {
		t.Errorf("%d in the archive", len(archived))
	}
}
