package faults_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// job is what a child process has to do.
type job struct {
	Do     string // "turn", "fill", "share" or "look"
	Name   string // begins the ids it makes
	Where  string // the URI of a database, or a folder
	Skew   time.Duration
	Text   string
	Policy state.DoubleTexting
	Stop   int    // the store call before which it stands still until its stdin is closed; 0 = none
	Notes  string // folder of what it does outside
}

// result is how the turn of a child ended.
type result struct {
	Text   string
	Code   state.Code
	Fenced bool
	Error  string
	Calls  int    // of the store, until the reply
	Again  string // what went wrong when there was room on the disk again
}

const stopped = "stopped"

// child is the main function of a child process; what it has to do is its second argument.
func child(ctx context.Context) error {
	var j job
	if err := json.Unmarshal([]byte(os.Args[2]), &j); err != nil {
		return err
	}
	switch j.Do {
	case "turn":
		r, err := j.turn(ctx)
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(r))
	case "share":
		return j.share(ctx)
	case "look":
		s, err := j.look(ctx)
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(s))
	case "fill":
		r, err := j.fill(ctx)
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(r))
	}
	return errors.New("unknown job " + j.Do)
}

// turn runs a turn of the story.
func (j job) turn(ctx context.Context) (r result, err error) {
	s, err := mongo.Open(ctx, mongo.Config{URI: j.Where, Timeout: time.Minute})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	f := storetest.Wrap(s, nil)
	g, err := j.graph(ctx, f)
	if err != nil {
		return r, err
	}
	f.Set(storetest.Before(j.Stop, func() {
		fmt.Println(stopped)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}))
	reply, failed := g.Invoke(ctx, graph.Request{Text: j.Text, DoubleTexting: j.Policy})
	r = result{Text: reply.Text, Code: state.CodeOf(failed), Fenced: errors.Is(failed, state.ErrFenced), Error: fmt.Sprint(failed), Calls: f.Calls()}
	return r, g.Close()
}

func (j job) graph(ctx context.Context, over store.Store) (*graph.Graph, error) {
	c := graph.Config{
		Store: over, Model: chat(answers), SmallModel: decisions(), Settings: state.DefaultSettings(), After: soon,
		Now: func() time.Time { return storyTime().Add(j.Skew) }, NewID: numbered(j.Name),
		Tools: ringing(func() {}),
	}
	c.Settings.Detect = "model"
	return graph.New(ctx, c)
}

// process is a child process that runs.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.Closer
	out   *bufio.Scanner
}

// text is the job as a child reads it.
func (j job) text(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(j)
	must(t, err)
	return string(text)
}

// start runs a job in a process of its own.
func (j job) start(t *testing.T) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0], childWord, j.text(t))}
	p.cmd.Stderr = os.Stderr
	var err error
	p.stdin, err = p.cmd.StdinPipe()
	must(t, err)
	out, err := p.cmd.StdoutPipe()
	must(t, err)
	p.out = bufio.NewScanner(out)
	must(t, p.cmd.Start())
	return p
}

// line is the next line the process says, "" at its end.
func (p *process) line() string {
	p.out.Scan()
	return p.out.Text()
}

// end waits for what the process has to say at its end.
func (p *process) end() (r result) {
	p.t.Helper()
	must(p.t, p.stdin.Close())
	line := p.line()
	if err := p.cmd.Wait(); err != nil {
		p.t.Fatalf("child: %v, it said %q", err, line)
	}
	must(p.t, json.Unmarshal([]byte(line), &r))
	return r
}
