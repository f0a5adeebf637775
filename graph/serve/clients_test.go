package serve_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
)

// clients returns the command of a Python environment that .ci/api-clients has made. Without it the test is skipped, or fails where MNEME_REQUIRE_CLIENTS says so.
func clients(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("MNEME_API_CLIENTS"), "bin", name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if os.Getenv("MNEME_REQUIRE_CLIENTS") == "1" {
			t.Fatalf("%s is not there: run .ci/api-clients and set MNEME_API_CLIENTS to what it prints", path)
		}
		t.Skip("needs MNEME_API_CLIENTS, the folder that .ci/api-clients prints")
	}
	return path
}

// run runs a command and returns what it printed; it is to succeed.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = t.TempDir() // schemathesis writes beside itself
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// TestAGeneratedClientTalks has a client made of the committed document, and a session scripted with it (testdata/client.py).
func TestAGeneratedClientTalks(t *testing.T) {
	t.Parallel()
	generate, python := clients(t, "openapi-python-client"), clients(t, "python")
	document, err := filepath.Abs("testdata/openapi.json")
	must(t, err)
	folder := t.TempDir()
	run(t, generate, "generate", "--path", document, "--output-path", filepath.Join(folder, "mneme_client"), "--meta", "none")
	s := begin(t, graph.Config{}, serve.Limits{})
	said := run(t, python, filepath.Join(filepath.Dir(document), "client.py"), folder, s.URL, s.key)
	t.Log(strings.TrimSpace(said))
	if !strings.HasSuffix(strings.TrimSpace(said), "answers as the document says") {
		t.Errorf("it said %q", said)
	}
}

// TestTheReferenceClientOfMCPTalks has the Python client of the Model Context Protocol hold two sessions (testdata/mcp_client.py).
func TestTheReferenceClientOfMCPTalks(t *testing.T) {
	t.Parallel()
	python := clients(t, "python")
	script, err := filepath.Abs("testdata/mcp_client.py")
	must(t, err)
	s := begin(t, graph.Config{}, serve.Limits{})
	if said := run(t, python, script, "http", s.URL+"/mcp", s.key); !strings.Contains(said, "20 calls; the next session has what they stored") {
		t.Errorf("it said %q", said)
	}
}

// TestSchemathesis sends what the document allows, and what it does not, to every operation: no answer has a status 5xx, and none is other than the document
// says, but for what package net/http itself says to a header that is none.
func TestSchemathesis(t *testing.T) {
	t.Parallel()
	fuzz := clients(t, "schemathesis")
	document, err := filepath.Abs("testdata/openapi.json")
	must(t, err)
	s := begin(t, graph.Config{}, serve.Limits{Rate: 1e5})
	cmd := exec.CommandContext(t.Context(), fuzz, "run", document, "--url", s.URL, "-H", "Authorization: Bearer "+s.key, "--phases", "examples,fuzzing", "--max-examples", "25",
		"--seed", "1", "--generation-codec", "ascii", "--continue-on-failure", "--request-timeout", "20", "--no-color",
		"--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance")
	cmd.Dir = t.TempDir() // it writes beside itself
	raw, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	said := string(raw)
	if !strings.Contains(said, "Selected: 70/70") || !strings.Contains(said, "Tested: 70\n") {
		t.Fatalf("not every operation was tried:\n%s", said)
	}

	// Each failure is a line of its own, with what was answered below it.
	const plain = "Undocumented Content-Type"
	for _, f := range regexp.MustCompile(`(?m)^- (.+)$`).FindAllStringSubmatch(said, -1) {
		if f[1] != plain {
			t.Errorf("%s", f[1])
		}
	}
	if n, none := strings.Count(said, "- "+plain), strings.Count(said, "`400 Bad Request`"); n != none {
		t.Errorf("%d answers of another type, %d of them to a header that is none", n, none)
	}
	if t.Failed() {
		t.Log(said)
	}
}
