package forget_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// mapped is what the data map says of each collection when a user is erased: goes, emptied or stays.
func mapped(t *testing.T) map[state.Collection]string {
	t.Helper()
	text, err := os.ReadFile("../../memory/forget/DATA-MAP.md")
	must(t, err)
	inStore, _, _ := strings.Cut(string(text), "## Outside of the store")
	out := map[state.Collection]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|(.*)\\|$").FindAllStringSubmatch(inStore, -1) {
		columns := strings.Split(row[2], "|")
		if len(columns) != 3 || slices.ContainsFunc(columns, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			t.Errorf("the row of %s does not say all: %q", row[1], row[2])
			continue
		}
		if out[state.Collection(row[1])] != "" {
			t.Errorf("%s stands twice in the data map", row[1])
		}
		out[state.Collection(row[1])] = regexp.MustCompile(`^\w+`).FindString(strings.TrimSpace(columns[2]))
	}
	return out
}

// The data map names every collection, and an erased user leaves documents only where it says so, and no word in any.
func TestDataMapIsTrue(t *testing.T) {
	t.Parallel()
	says := mapped(t)
	for _, c := range store.Collections() {
		if !slices.Contains([]string{"goes", "emptied", "stays"}, says[c]) {
			t.Errorf("the data map says %q of %s", says[c], c)
		}
		delete(says, c)
	}
	for c := range says {
		t.Errorf("the data map has %s, which is no collection", c)
	}

	says = mapped(t)
	w, err := openWorld(t.Context(), places(t, "sqlite"), begins(), "a", true)
	must(t, err)
	defer w.close(t)
	things, err := w.history(t.Context(), rand.New(rand.NewPCG(3, 60)))
	must(t, err)
	w.now = w.now.Add(time.Hour)
	_, err = w.Memory().Forget().Erase(t.Context(), in("anna", "s0"), forget.What{User: true, Pinned: true})
	must(t, err)
	for name, doc := range documents(t, w.store) {
		collection, id, _ := strings.Cut(name, " ")
		if strings.HasPrefix(id, "default/anna/") && says[state.Collection(collection)] == "goes" {
			t.Errorf("%s is there, and the data map says that it goes", name)
		}
		for _, th := range things {
			if th.user == "anna" && len(holding(map[string][]byte{name: doc.Body}, th.canary)) > 0 {
				t.Errorf("%s has %s", name, fmt.Sprint(th.canary))
			}
		}
	}
}
