package facts_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
)

// Nothing is read out of the placeholder of a secret.
func TestPlaceholdersAreNoFacts(t *testing.T) {
	t.Parallel()
	got := facts.Extract("Heslo k wifi je [masked password 0c], objednal jsem díl 07-14244-53150.", "cs")
	if len(got) != 1 || got[0].Value != "07-14244-53150" {
		t.Errorf("facts %+v, want the order alone", got)
	}
}
