package memory_test

import (
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// Records that are named are read alone, as they stand; what is not there, or another user's, is left out.
func TestRecordsByTheirIDs(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	for _, text := range []string{"Parks the car at level 3", "Drinks oolong tea", "Works at Acme"} {
		write(t, m, in("s1"), memory.Change{Content: text})
	}
	all, err := m.Records(t.Context(), in("s1"))
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	got, err := m.Records(t.Context(), in("s1"), all[2].ID, "nope", "\xff", all[0].ID)
	if ids := idsOf(got); err != nil || !slices.Equal(ids, []string{all[2].ID, all[0].ID}) {
		t.Errorf("%v, %v", ids, err)
	}
	other := in("s1")
	other.User = "somebody"
	if got, err := m.Records(t.Context(), other, all[0].ID); err != nil || len(got) != 0 {
		t.Errorf("another user's: %v, %v", got, err)
	}
}

func idsOf(records []state.Record) (ids []string) {
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	return ids
}
