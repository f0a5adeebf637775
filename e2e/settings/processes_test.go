package settings_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// childWord, as the first argument, makes the test binary a child process.
const childWord = "child-of-a-settings-test"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == childWord {
		if err := child(context.Background(), os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// open opens a store: a database, or a folder.
func open(ctx context.Context, where string) (store.Store, func() error, error) {
	if strings.HasPrefix(where, "mongodb://") {
		s, err := mongo.Open(ctx, mongo.Config{URI: where})
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	}
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: where})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// child talks: each line it is given is a turn. A turn that says "hold" waits in its model until the next line.
func child(ctx context.Context, where, user string) (err error) {
	s, closes, err := open(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closes()) }()
	lines := bufio.NewScanner(os.Stdin)
	g, err := graph.New(ctx, graph.Config{Store: s, Model: heard{lines}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	for lines.Scan() {
		r, err := g.Invoke(ctx, graph.Request{Scope: state.Scope{User: user}, Text: lines.Text()})
		if err != nil {
			return err
		}
		fmt.Println("said", r.Text)
	}
	return lines.Err()
}

// heard is a model that answers with a setting as its turn has it.
type heard struct{ lines *bufio.Scanner }

func (h heard) Generate(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	before := settings.From(ctx).ParkedMax
	if strings.Contains(in[len(in)-1].Content, "hold") {
		fmt.Println("held")
		h.lines.Scan()
	}
	return schema.AssistantMessage(fmt.Sprint(before, " ", settings.From(ctx).ParkedMax), nil), nil
}

func (h heard) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	msg, err := h.Generate(ctx, in, opts...)
	return schema.StreamReaderFromArray([]*schema.Message{msg}), err
}

func (h heard) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return h, nil }

// process is a child that runs.
type process struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

func start(t *testing.T, where, user string) process {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self, childWord, where, user)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	must(t, errors.Join(err1, err2, cmd.Start()))
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return process{t, in, bufio.NewScanner(out)}
}

// say gives the process a line and returns what it prints next.
func (p process) say(line string) string {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		p.t.Fatal(err)
	}
	if !p.out.Scan() {
		p.t.Fatalf("the process ended: %v", p.out.Err())
	}
	return p.out.Text()
}

// slack is what a loaded machine may take for turns besides the second; a change that is not seen at all takes longer.
const slack = 20 * time.Second

func TestTwoProcessesSeeAChange(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(*testing.T) string{
		"a folder": func(t *testing.T) string { t.Helper(); return t.TempDir() },
		"MongoDB":  func(t *testing.T) string { t.Helper(); return mongotest.Shared(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where := place(t)
			s, closes, err := open(t.Context(), where)
			must(t, err)
			t.Cleanup(func() { must(t, closes()) })
			one, two := start(t, where, "anna"), start(t, where, "bob")
			for _, p := range []process{one, two} {
				if got := p.say("Hello!"); got != "said 5 5" {
					t.Fatalf("before: %q", got)
				}
			}
			if got := one.say("Please hold on."); got != "held" {
				t.Fatalf("got %q", got)
			}

			// A third one changes it while a turn is under way.
			d := settings.New(settings.Config{Store: s})
			if _, err := d.Change(t.Context(), settings.ForAll, state.Scope{}, settings.Edit{Set: map[string]string{"context_parked_max": "3"}, By: "olga"}); err != nil {
				t.Fatal(err)
			}
			changed := time.Now()
			until := func(p process) time.Duration {
				for {
					asked := time.Since(changed)
					switch got := p.say("And now?"); {
					case got == "said 3 3":
						return asked
					case got != "said 5 5" || asked > time.Second+slack:
						t.Fatalf("%s after the change: %q", asked, got)
					}
				}
			}
			two3 := until(two)
			if got := one.say("go on"); got != "said 5 5" {
				t.Errorf("the turn that was under way: %q, want what it began with", got)
			}
			one3 := until(one)
			t.Logf("the change was seen by turns that began %s and %s after it", two3.Round(time.Millisecond), one3.Round(time.Millisecond))
		})
	}
}

var must = statetest.Must
