package page_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

var must = statetest.Must

// node runs a program of the page's folder, which needs its packages (.ci/page-tools installs them), and returns what it prints.
func node(t *testing.T, environ []string, args ...string) (string, error) {
	t.Helper()
	if _, err := os.Stat("ui/node_modules/esbuild"); err != nil {
		if os.Getenv("MNEME_REQUIRE_PAGE") != "" {
			t.Fatal("the page's packages are missing; run .ci/page-tools")
		}
		t.Skip("needs Node and the page's packages; .ci/page-tools installs them")
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = "ui"
	cmd.Env = append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// What is served is what ui says: built again it comes to the same bytes, and its texts and types hold together.
func TestDistIsFresh(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "dist")
	if out, err := node(t, []string{"DIST=" + dir}, "node", "build.mjs"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	built, committed := filesOf(t, dir), filesOf(t, "dist")
	for name, body := range built {
		if !bytes.Equal(committed[name], body) {
			t.Errorf("%s is another one; run npm run build in graph/serve/page/ui", name)
		}
	}
	for name := range committed {
		if built[name] == nil {
			t.Errorf("%s is not built any more", name)
		}
	}
	if out, err := node(t, nil, "npm", "run", "--silent", "check"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func filesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	must(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		out[name], err = os.ReadFile(filepath.Join(dir, name))
		return err
	}))
	return out
}

// Each view and what is done in it, in a real browser on a real service: what a person does, what axe says of it, and no error in the console; that no text
// is ever run; and a day from its first message to the next morning. One browser is open at a time.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes minutes")
	}
	for _, try := range []struct {
		name  string
		model model.ToolCallingChatModel
		fill  func(*testing.T, *graph.Graph)
	}{
		{"run", offline.New(), fill},
		{"xss", parrot{offline.New()}, func(*testing.T, *graph.Graph) {}},
		{"day", teller{offline.New()}, func(*testing.T, *graph.Graph) {}},
	} {
		t.Run(try.name, func(t *testing.T) { //nolint:paralleltest // a browser takes what the machine has
			if try.name == "xss" && os.Getenv("MNEME_LONG") == "" {
				t.Skip("opens seven hundred views; MNEME_LONG=1 runs it")
			}
			g, at, key := serveWith(t, ram.New(), try.model)
			try.fill(t, g)
			browse(t, try.name, at, key)
		})
	}
}

// browse has a try do its work in a browser. What it finds wrong fails the test.
func browse(t *testing.T, name, at, key string) {
	t.Helper()
	tries := append([]string{"node", "try/" + name + ".mjs"}, strings.Fields(os.Getenv("MNEME_TRY"))...) // names of some; default all
	out, err := node(t, []string{"PAGE=" + at, "KEY=" + key, "PICTURES=" + pictures(t)}, tries...)
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "WRONG ") {
			t.Error(strings.TrimSpace(line))
		}
	}
	if t.Log(out); err != nil && !t.Failed() {
		t.Error(err)
	}
}

// pictures is where pictures of the page go: MNEME_PICTURES keeps them.
func pictures(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("MNEME_PICTURES"); dir != "" {
		return dir
	}
	return t.TempDir()
}

// serveWith serves a graph over a store, and returns where, and a key of an administrator.
func serveWith(t *testing.T, st store.Store, chat model.ToolCallingChatModel) (g *graph.Graph, at, key string) {
	t.Helper()
	g, err := graph.New(t.Context(), graph.Config{Store: st, Model: chat})
	must(t, err)
	keys := access.New(access.Config{Store: st})
	srv, err := serve.New(serve.Config{
		Graph: g, Store: st, Keys: keys, Version: "test",
		Models: []serve.Model{{ModelAt: serve.ModelAt{Role: "chat", Name: "offline"}, Try: func(context.Context) error { return nil }}},
		Limits: serve.Limits{Rate: 1e4}, Notes: []serve.Note{{Name: "recall", Text: "by words only", Choice: true}},
	})
	must(t, err)
	_, key, err = keys.Create(t.Context(), access.Key{Client: "default", Roles: access.Roles()})
	must(t, err)
	server := httptest.NewServer(srv)
	t.Cleanup(func() {
		must(t, srv.Drain(context.WithoutCancel(t.Context())))
		server.Close()
		must(t, g.Close())
	})
	return g, server.URL, key
}

// fill tells the memory of the default user three matters in a session, and some two hundred facts.
func fill(t *testing.T, g *graph.Graph) {
	t.Helper()
	scope := state.Scope{Client: "default", Session: "monday"}
	for _, text := range []string{
		"I ordered brake pads on eBay, order number 07-14244-53150, they should arrive on Friday.",
		"Also, I must file the application to Unicorn University by 30 March; I live in Brno.",
		"hey, when do the brake pads arrive?",
		"Remember that I drink oolong tea.",
		"I'm planning a trip to Porto on 5 May, the hotel costs 240 euro.",
		"The hotel costs 260 euro, not 240.",
	} {
		_, err := g.Invoke(t.Context(), graph.Request{Scope: scope, Text: text})
		must(t, err)
	}
	write := func(c memory.Change) {
		_, err := g.Memory().Write(t.Context(), scope, c)
		must(t, err)
	}
	for i := range 220 {
		write(memory.Change{Subject: fmt.Sprintf("Shelf %d", i), Content: fmt.Sprintf("Box %d stands on shelf %d.", 100+i, i)})
	}
	for i := range 6 {
		write(memory.Change{Subject: fmt.Sprintf("Form %d", i), Content: fmt.Sprintf("Form %d has to be in by %d May.", i, 3+i), Kind: state.DeadlineRecord})
		write(memory.Change{Subject: fmt.Sprintf("Bed %d", i), Content: fmt.Sprintf("The garden's bed %d is for peas.", i)})
		write(memory.Change{Subject: fmt.Sprintf("Bed %d", i), Content: fmt.Sprintf("The garden's bed %d is for beans.", i)})
	}
}
