package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

// mcpProcess is mneme mcp in a process of its own, and a client that talks with it.
type mcpProcess struct {
	*sdk.ClientSession
	cmd  *exec.Cmd
	into string // the file of its log
}

func (p *mcpProcess) log() string {
	all, err := os.ReadFile(p.into)
	if err != nil {
		return err.Error()
	}
	return string(all)
}

// startMCP starts it as a client does.
func startMCP(t *testing.T, dir string, args ...string) *mcpProcess {
	t.Helper()
	return startMCPWith(t, nil, dir, args...)
}

func startMCPWith(t *testing.T, environ []string, dir string, args ...string) *mcpProcess {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	defer log.Close()
	p := &mcpProcess{into: log.Name()}
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), self, append([]string{"mcp", "--dir", dir, "--user", "ann"}, args...)...)
	p.cmd.Env = append([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "LANG=de_DE.UTF-8"}, environ...)
	p.cmd.Stderr = log
	p.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: p.cmd, TerminateDuration: 20 * time.Second}, nil)
	if err != nil {
		t.Fatalf("%v; its log: %s", err, p.log())
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// call calls a tool, which is to succeed.
func (p *mcpProcess) call(t *testing.T, name string, args map[string]any) string {
	t.Helper()
	r, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil || r.IsError {
		t.Fatalf("%s %v: %+v, %v; its log: %s", name, args, r, err, p.log())
	}
	return r.Content[0].(*sdk.TextContent).Text
}

// A session over input and output; what it stored the next one finds.
func TestMCPOverInputAndOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := startMCP(t, dir)
	first.call(t, "memory_store", map[string]any{"subject": "parcel", "content": "The parcel \u202eis\u202c at locker 7 \x1b[31m.", "category": "fact"})
	must(t, first.Close()) // its input ends, and so does it, in order
	if state := first.cmd.ProcessState; state == nil || !state.Success() {
		t.Errorf("it ended by %v: %s", state, first.log())
	}

	second := startMCP(t, dir)
	if got := second.call(t, "memory_recall", map[string]any{"query": "where is the parcel?"}); !strings.Contains(got, "locker 7") {
		t.Errorf("recalled: %s", got)
	}
	p, err := second.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "what_waits"})
	must(t, err)
	if got := p.Messages[0].Content.(*sdk.TextContent).Text; !strings.HasPrefix(got, "Was wartet auf mich?") {
		t.Errorf("the prompt: %s", got)
	}
	if log := second.log(); !strings.Contains(log, "tool=memory_recall") || strings.Contains(log, "parcel") {
		t.Errorf("its log: %s", log)
	}
	must(t, second.cmd.Process.Signal(syscall.SIGTERM))
	_ = second.Wait() // the line breaks
	_ = second.Close()
	if state := second.cmd.ProcessState; state == nil || !state.Success() {
		t.Errorf("SIGTERM ended it by %v: %s", state, second.log())
	}

	// Read-only is said with a flag.
	third := startMCP(t, dir, "--set", "autonomy=0")
	r, err := third.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory_store", Arguments: map[string]any{"subject": "x", "content": "x", "category": "fact"}})
	if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "read-only") {
		t.Errorf("autonomy 0: %+v, %v", r, err)
	}
	must(t, third.Close())
}

// The Python client of the protocol holds two sessions with processes that it starts itself.
func TestMCPReferenceClient(t *testing.T) {
	t.Parallel()
	python := filepath.Join(os.Getenv("MNEME_API_CLIENTS"), "bin", "python")
	if _, err := os.Stat(python); err != nil {
		if os.Getenv("MNEME_REQUIRE_CLIENTS") == "1" {
			t.Fatal("run .ci/api-clients and set MNEME_API_CLIENTS to what it prints")
		}
		t.Skip("needs MNEME_API_CLIENTS, the folder that .ci/api-clients prints")
	}
	self, err := os.Executable()
	must(t, err)
	out, err := exec.CommandContext(t.Context(), python, "../../graph/serve/testdata/mcp_client.py", "stdio", self, "mcp", "--dir", t.TempDir(), "--user", "ann").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "20 calls; the next session has what they stored") {
		t.Errorf("%v: %s", err, out)
	}
}

// Several clients' processes on one store is the normal case.
func TestMCPProcessesShareAStore(t *testing.T) {
	t.Parallel()
	for name, environ := range map[string]func(t *testing.T) []string{
		"a folder":  func(*testing.T) []string { return nil },
		"a MongoDB": func(t *testing.T) []string { t.Helper(); return []string{"MNEME_MONGO_URI=" + mongotest.Shared(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shareAStore(t, environ(t))
		})
	}
}

func shareAStore(t *testing.T, environ []string) {
	t.Helper()
	const processes, stores = 8, 5
	dir := t.TempDir()
	all := make([]*mcpProcess, processes)
	for i := range all {
		all[i] = startMCPWith(t, environ, dir)
	}
	var at sync.WaitGroup
	for i, p := range all {
		at.Go(func() {
			for j := range stores {
				r, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory_store", Arguments: map[string]any{
					"subject": fmt.Sprintf("crate %d%d", i, j), "content": fmt.Sprintf("Crate number %d%d stands in hall %d.", i, j, 100+10*i+j), "category": "fact",
				}})
				if err != nil || r.IsError {
					t.Errorf("process %d, store %d: %+v, %v", i, j, r, err)
				}
			}
		})
	}
	at.Wait()

	// Each process finds what all have stored.
	for n, p := range all {
		r, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory_update", Arguments: map[string]any{"action": "show"}})
		must(t, err)
		raw, err := json.Marshal(r.StructuredContent)
		must(t, err)
		found := 0
		for i := range processes {
			for j := range stores {
				if strings.Contains(string(raw), fmt.Sprintf("stands in hall %d.", 100+10*i+j)) {
					found++
				}
			}
		}
		if found != processes*stores {
			t.Errorf("process %d finds %d of %d: %s", n, found, processes*stores, raw)
		}
		got := p.call(t, "memory_recall", map[string]any{"query": fmt.Sprintf("In which hall stands crate number %d%d?", (n+3)%processes, n%stores)})
		if !strings.Contains(got, fmt.Sprintf("hall %d.", 100+10*((n+3)%processes)+n%stores)) {
			t.Errorf("process %d recalls %s", n, got)
		}
	}
	for _, p := range all {
		must(t, p.Close())
	}
}
