package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

type chatCommand struct {
	place
	whose
	Trace bool `help:"Print nodes, notes and the bill after each reply."`
}

// Help is printed by mneme chat --help.
func (chatCommand) Help() string {
	return `Commands in the conversation: /affairs lists what is open, /why explains the last reply, /clear puts
what was said out of sight, /quit ends. The end of input is /quit. A turn that a crash left unfinished is
finished first.

Examples:
  mneme chat --session work
  MNEME_MODEL=openai:gpt-4o-mini OPENAI_API_KEY=... mneme chat --trace
  echo "The parcel arrives on Friday." | mneme chat`
}

// Run reads messages line by line until the end of input. A failing turn is printed and the conversation
// goes on; if the last one failed, its code is the exit status.
func (c *chatCommand) Run(ctx context.Context, con *console) (err error) {
	g, err := con.open(ctx, c.whose.flags(c.place.flags()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	t := &talk{con: con, g: g, trace: c.Trace}
	if err := t.finish(ctx); err != nil {
		return err
	}
	return t.loop(ctx)
}

// talk is one conversation on the console.
type talk struct {
	con   *console
	g     *opened
	trace bool
	last  graph.Reply
}

// finish completes the turn that a crash left unfinished, if there is one.
func (t *talk) finish(ctx context.Context) error {
	reply, err := t.g.Resume(ctx, t.g.scope)
	switch {
	case errors.Is(err, state.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	fmt.Fprintf(t.con.out, "%s\n%s\n", t.con.paint(faint, "The last turn was unfinished; its reply:"), reply.Text)
	t.after(reply)
	return nil
}

func (t *talk) loop(ctx context.Context) error {
	lines := bufio.NewReader(t.con.in)
	var failed error // of the last line
	for {
		if t.con.tty {
			fmt.Fprint(t.con.out, t.con.paint(bold, "> "))
		}
		line, err := lines.ReadString('\n')
		line = strings.TrimSpace(line)
		if line == "/quit" {
			return nil
		}
		if line != "" {
			failed = t.one(ctx, line)
		}
		switch {
		case errors.Is(err, io.EOF) || ctx.Err() != nil:
			return failed
		case err != nil:
			return state.Errorf(state.Unavailable, "input", "cannot be read: %w", err)
		}
	}
}

// one runs a line, a message or a command. Its error is printed already.
func (t *talk) one(ctx context.Context, line string) error {
	do := t.say
	if strings.HasPrefix(line, "/") {
		do = t.command
	}
	err := do(ctx, line)
	if err == nil {
		return nil
	}
	fmt.Fprintf(t.con.err, "mneme: %v\n", err)
	return printed{err}
}

func (t *talk) command(ctx context.Context, line string) error {
	output, err := scenario.Command(ctx, t.g.Graph.Graph, t.g.scope, line, t.last)
	if err != nil {
		return fmt.Errorf("%w, /quit", err)
	}
	fmt.Fprintln(t.con.out, output)
	return nil
}

// say runs one turn; on a terminal the reply is printed as it comes.
func (t *talk) say(ctx context.Context, text string) error {
	streamed := false
	var reply graph.Reply
	for e, err := range t.g.Stream(ctx, graph.Request{Scope: t.g.scope, Text: text}) {
		if err != nil {
			return err
		}
		if e.Name == state.TokenEvent && t.con.tty {
			streamed = true
			fmt.Fprint(t.con.out, e.Text)
		}
		if e.Reply != nil {
			reply = *e.Reply
		}
	}
	if !streamed {
		fmt.Fprint(t.con.out, reply.Text)
	}
	fmt.Fprintln(t.con.out)
	t.after(reply)
	return nil
}

// after keeps the reply for /why and prints its trace if asked for.
func (t *talk) after(reply graph.Reply) {
	t.last = reply
	if !t.trace {
		return
	}
	for _, n := range reply.Trace.Nodes {
		again := ""
		if n.Again {
			again = " (from the log)"
		}
		fmt.Fprintf(t.con.out, "  %-16s %8.2f ms%s\n", n.Node, float64(n.Took.Microseconds())/1000, again)
	}
	for _, line := range strings.Split(scenario.Why(reply), "\n") {
		fmt.Fprintf(t.con.out, "  %s\n", line)
	}
	b := reply.Trace.Bill
	fmt.Fprintf(t.con.out, "  bill: %d commits, %d reads, %d model calls, %d + %d tokens\n", b.Commits, b.Reads,
		reply.Usage.ModelCalls+reply.Usage.SmallModelCalls, reply.Usage.PromptTokens, reply.Usage.CompletionTokens)
}
