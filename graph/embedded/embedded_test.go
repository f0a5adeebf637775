package embedded_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string) *embedded.Graph {
	t.Helper()
	g, err := embedded.Open(t.Context(), dir)
	must(t, err)
	return g
}

func shut(t *testing.T, g *embedded.Graph) {
	t.Helper()
	must(t, g.Close())
}

func TestReopeningKeepsEverything(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	g := open(t, dir)
	first, err := g.Invoke(t.Context(), graph.Request{Text: "I ordered brake pads, order number 07-14244-53150."})
	must(t, err)
	want, err := g.Memory().Affairs().List(t.Context(), state.Scope{}.Default(), true)
	must(t, err)
	shut(t, g)

	g = open(t, dir)
	defer shut(t, g)
	got, err := g.Memory().Affairs().List(t.Context(), state.Scope{}.Default(), true)
	if err != nil || len(got) != 1 || len(want) != 1 || got[0].Title != first.Active.Title || got[0].ID != want[0].ID {
		t.Fatalf("affairs: before %+v, after %+v, %v", want, got, err)
	}
	hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: state.Scope{}.Default(), Text: "order number of the brake pads"})
	if err != nil || len(hits) == 0 || !strings.Contains(hits[0].Text, "07-14244-53150") {
		t.Errorf("recall: %+v, %v", hits, err)
	}
	small := scripted.Background(map[string]any{"detect": map[string]any{"type": "CONTINUE", "confidence": 0.95}}, nil)
	second, err := g.Invoke(t.Context(), graph.Request{Text: "What is the order number?", SmallModel: small, AskSmall: true})
	if err != nil || second.Active == nil || second.Active.Title != first.Active.Title || second.Message.Seq != 8 {
		t.Errorf("the next turn: %+v, %v", second, err)
	}
}

func TestAFolderIsOpenedTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := open(t, dir), open(t, dir)
	defer shut(t, two)
	defer shut(t, one)
	for i, g := range []*embedded.Graph{one, two, one} { // each sees what the other has written
		reply, err := g.Invoke(t.Context(), graph.Request{Text: "I ordered brake pads, order number 07-14244-53150."})
		if err != nil || reply.Message.Seq != int64(2*i+2) {
			t.Errorf("turn %d: message %d, %v", i, reply.Message.Seq, err)
		}
	}
}

func TestAMistakeInTheConfigClosesTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings := state.DefaultSettings()
	settings.MaxToolRounds = 0
	_, err := embedded.OpenConfig(t.Context(), dir, graph.Config{Settings: settings})
	if state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), "max_tool_rounds") {
		t.Errorf("want invalid, got %v", err)
	}
	shut(t, open(t, dir))
}

func TestPartsOfOnesOwn(t *testing.T) {
	t.Parallel()
	g, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{Model: scripted.New([]scripted.Step{scripted.Say("Mine.")}, nil)})
	must(t, err)
	defer shut(t, g)
	r, err := g.Invoke(t.Context(), graph.Request{Text: "Hello!"})
	if err != nil || r.Text != "Mine." || r.Trace.Bill.Commits != 3 {
		t.Errorf("got %q, bill %+v, %v", r.Text, r.Trace.Bill, err)
	}
	if g.Store() == nil {
		t.Error("there is no store")
	}
}

func TestAFolderThatCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte("x"), 0o600))
	if g, err := embedded.Open(t.Context(), file); err == nil {
		shut(t, g)
		t.Error("a file was opened as a folder")
	}
}

// Many sessions of one user at once: each commit takes the next number of the user's feed, and all get through.
func TestManySessionsOfOneUser(t *testing.T) {
	t.Parallel()
	const sessions, turns = 24, 4
	steps := make([]scripted.Step, sessions*turns)
	for i := range steps {
		steps[i] = scripted.Say("Hello.")
	}
	g, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{Model: scripted.New(steps, nil)})
	must(t, err)
	defer shut(t, g)
	var wg sync.WaitGroup
	errs := make([]error, sessions)
	for i := range sessions {
		wg.Go(func() {
			for range turns {
				if _, err := g.Invoke(t.Context(), graph.Request{Scope: state.Scope{Session: fmt.Sprintf("s%d", i)}, Text: "Hello!"}); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

var must = statetest.Must
