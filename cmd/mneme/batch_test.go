package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/batch/batchtest"
	"github.com/mneme-graph/mneme/memory/extraction"
)

// A person has finished sessions read in batches: sees what waits, sends it, sees what came of it, and ends what is under way.
func TestBatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stub := batchtest.New(batchtest.Echo)
	server := httptest.NewServer(stub)
	t.Cleanup(server.Close)
	env := []string{"MNEME_MEMORY_EXTRACTION_MODEL=some-model", "MNEME_MEMORY_EXTRACTION_BASE_URL=" + server.URL + "/v1", "OPENAI_API_KEY=sk-never-shown"}
	run := func(line string) result { return mneme(t, "", env, append(strings.Fields(line), "--dir", dir)...) }

	if got := run("batch status"); got.code != 3 {
		t.Errorf("without a store: %+v", got)
	}
	stub.Set(batchtest.Faults{Runs: true})
	said := "I am a teacher at a grammar school in Olomouc.\n/end\nI keep the violet box in the cellar behind the door.\n/end\n"
	if got := mneme(t, said, env[1:], "chat", "--dir", dir, "--session", "s1", "--set", "memory_extraction_model=other"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	if got := run("batch status"); got.code != 0 || !strings.Contains(got.out, "waiting to be read") {
		t.Errorf("status = %+v", got)
	}
	if got := run("batch run"); got.code != 0 || !strings.Contains(got.out, "under way") {
		t.Errorf("run = %+v", got)
	}
	look := lines[extraction.Standing](t, run("batch status --json"))
	if len(look) != 1 || look[0].Waiting != 2 || look[0].Asked != 2 {
		t.Errorf("status = %+v", look)
	}
	if got := run("doctor --json"); !strings.Contains(got.out, "is under way at openai") || strings.Contains(got.out+got.err, "sk-never-shown") {
		t.Errorf("doctor = %+v", got)
	}
	if got := run("batch cancel"); got.code != 0 || !strings.Contains(got.out, "cancelled") {
		t.Errorf("cancel = %+v", got)
	}
	stub.Set(batchtest.Faults{Refuse: 401})
	if got := run("batch run"); got.code != 1 || !strings.Contains(got.err, "set MNEME_OPENAI_API_KEY") || strings.Contains(got.out+got.err, "sk-never-shown") {
		t.Errorf("a key that is refused: %+v", got)
	}
	stub.Set(batchtest.Faults{Broken: 99})
	if got := run("batch run --json"); got.code != 5 {
		t.Errorf("a service that is broken: %+v", got)
	}
	stub.Set(batchtest.Faults{})
	reports := lines[extraction.Report](t, run("batch run --json"))
	if len(reports) != 1 || reports[0].Counts.Learnt != 2 {
		t.Errorf("run = %+v", reports)
	}
	if got := run("brain"); !strings.Contains(got.out, "violet box") {
		t.Errorf("brain = %+v", got)
	}
	if got := mneme(t, "", nil, "batch", "run", "--dir", dir); got.code != 2 || !strings.Contains(got.err, "MNEME_MEMORY_EXTRACTION_MODEL") {
		t.Errorf("without a model for batches: %+v", got)
	}
	if got := mneme(t, "", env[:1], "batch", "run", "--dir", dir); got.code != 2 || !strings.Contains(got.err, "OPENAI_API_KEY") {
		t.Errorf("without a key: %+v", got)
	}
	if got := mneme(t, "", nil, "batch", "--help"); got.code != 0 || !strings.Contains(got.out, "memory_extraction_model") {
		t.Errorf("help = %+v", got)
	}
}
