package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

type chatCommand struct {
	place
	whose
	defined
	brings
	Page   bool   `help:"Talk in a browser: serve the page on a free port of this machine, and say where."`
	Trace  bool   `help:"Explain each turn after its reply, as mneme explain does."`
	Record string `option:"" help:"Write what models are asked and answer to this file, keys redacted; MNEME_MODEL=cassette:FILE plays it." placeholder:"FILE"`
}

// brings is what every message of a conversation brings besides its text.
type brings struct {
	PreferredLanguage string                `help:"Language of the answers, BCP-47; und = that of each question."`
	Tone              state.Tone            `help:"concise, detailed or neutral." enum:",concise,detailed,neutral" default:"" placeholder:"TONE"`
	StyleNotes        string                `help:"What else an answer has to heed."`
	PreferenceScope   state.PreferenceScope `help:"session (default) or global: for all sessions of the user." enum:",session,global" default:"" placeholder:"PREFERENCE-SCOPE"`
	NoStoreKnowledge  bool                  `help:"Keep the messages for their session, and nothing else of what is said."`
}

// request returns a message with it.
func (b brings) request(scope state.Scope, text string) graph.Request {
	r := graph.Request{
		Scope: scope, Text: text, PreferredLanguage: b.PreferredLanguage, Tone: b.Tone, StyleNotes: b.StyleNotes, PreferenceScope: b.PreferenceScope,
	}
	if b.NoStoreKnowledge {
		r.StoreKnowledge = new(bool)
	}
	return r
}

// Help is printed by mneme chat --help.
func (chatCommand) Help() string {
	return `Commands in the conversation, which answer in its language: /help lists them all, /affairs lists what is open, /why explains the last
turn, /undo takes it back, /affair TITLE and /not-this put it under another affair. /clear puts what was said out of sight, /new [TITLE]
ends this session and begins another, /end ends this one, /rename TITLE names it, /sessions lists them. /suggestions lists what waits to
be remembered, /approve N and /reject N answer it. /quit ends, as the end of input does. A turn that a crash left unfinished is finished
first. Ctrl-C ends the turn and the conversation; what was answered so far is kept, marked as cut.

On a terminal a message can be edited, the arrows up and down bring back earlier ones, and what is pasted is one message, line ends
and all: Enter sends it. Ctrl-C drops what was typed; where nothing was, it ends the conversation, as Ctrl-D does.

A turn that waits for an answer asks: y = do it, n [REASON] = do not, e JSON = do it with these arguments, l = later. Any
other line is your next message. With autonomy=1 every change of memory asks; what is not answered waits as a suggestion
(mneme suggestions). At the end of input a turn goes on waiting, and mneme approve answers it.

Examples:
  mneme chat --session work
  mneme chat --page
  MNEME_MODEL=openai:gpt-4o-mini OPENAI_API_KEY=... mneme chat --trace
  MNEME_MODEL=claude:claude-sonnet-4-5,ollama:qwen2.5 ANTHROPIC_API_KEY=... mneme chat
  mneme chat --record today.jsonl
  mneme chat --set autonomy=1
  mneme chat --preferred-language pl --tone concise --preference-scope global
  mneme chat --no-store-knowledge
  echo "The parcel arrives on Friday." | mneme chat`
}

// Run reads messages line by line until the end of input. A failing turn is printed and the conversation
// goes on; if the last one failed, its code is the exit status.
func (c *chatCommand) Run(ctx context.Context, con *console) error {
	if c.Page {
		s := serveCommand{page: true, Listen: "127.0.0.1:0", Drain: 5 * time.Second}
		return s.Run(ctx, con)
	}
	return with(ctx, con.open, func(g *opened) error { return c.chat(ctx, con, g) })
}

func (c *chatCommand) chat(ctx context.Context, con *console, g *opened) error {
	con.warn(g.config)
	for _, text := range c.noEffect(g) {
		fmt.Fprintln(con.err, "mneme: "+text)
	}
	if err := g.keepAsking(ctx); err != nil {
		return err
	}
	stop := extractBehind(ctx, con.batches(g))
	defer stop()
	defer con.settle(ctx, g)

	// What was left unfinished comes first: a question of an earlier run is put again.
	t := &talk{con: con, lines: &prompter{lines: bufio.NewReader(con.in)}, g: g, trace: c.Trace, brings: c.brings}
	t.greet()
	over, err := t.finish(ctx)
	if err != nil || over {
		return err
	}
	return t.loop(ctx)
}

// noEffect says which flags do less than they say.
func (c *chatCommand) noEffect(g *opened) (out []string) {
	name := g.config.get("agent")
	if _, there := state.AgentNamed(g.made.Agents, name); !there && name != state.DefaultAgent {
		out = append(out, fmt.Sprintf("agent %s: is not defined (--agents), so the default identity answers", name))
	}
	if c.PreferredLanguage != "" && c.PreferredLanguage != "und" && g.config.get("model") == offline {
		out = append(out, "--preferred-language: is kept, but without a model each answer is in the language of its question")
	}
	return out
}

// greet says, where a person sits, whom he talks with, as whom, and how to go on. A pipe is not greeted: its output is the replies.
func (t *talk) greet() {
	if !t.con.tty {
		return
	}
	scope, name := t.g.scope, t.g.config.get("model")
	lines := []string{fmt.Sprintf("mneme: session %s of user %s. Model: %s. /help lists commands, /quit ends.", scope.Session, scope.User, name)}
	if name == offline {
		lines = []string{
			fmt.Sprintf("mneme: session %s of user %s. /help lists commands, /quit ends.", scope.Session, scope.User),
			"No model is set: answers are fixed words out of memory. To talk with one: MNEME_MODEL=openai:NAME mneme chat, see mneme chat --help.",
		}
	}
	for _, line := range lines {
		t.con.println(t.con.paint(faint, line))
	}
}

// finish completes the turn that a crash left unfinished, or that waits for an answer, if there is one.
func (t *talk) finish(ctx context.Context) (over bool, err error) {
	reply, err := t.g.Resume(ctx, t.g.scope)
	switch {
	case errors.Is(err, state.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	}
	if len(reply.Waits) == 0 {
		fmt.Fprintln(t.con.out, t.con.paint(faint, "The last turn was unfinished; its reply:"))
	}
	t.show(ctx, reply, false)
	return t.settle(ctx, reply)
}

func (t *talk) loop(ctx context.Context) error {
	var failed error // of the last line
	for {
		line, err := t.read(ctx, "> ")
		switch {
		case isQuit(line):
			return nil
		case errors.Is(err, io.EOF):
			return failed
		case errors.Is(err, state.ErrInvalid): // a line that is too long
			t.con.complain(err)
			failed = printed{err}
			continue
		case err != nil:
			return err
		case line == "":
			continue
		}

		over, err := t.one(ctx, line)
		if failed = err; over || ctx.Err() != nil {
			return failed
		}
	}
}

// isQuit reports whether a line ends the conversation.
func isQuit(line string) bool { return strings.EqualFold(line, "/quit") }

// one runs a line, a message or a command. Its error is printed already. Over = there will be no further line.
func (t *talk) one(ctx context.Context, line string) (over bool, err error) {
	if strings.HasPrefix(line, "/") {
		err = t.command(ctx, line)
	} else {
		over, err = t.say(ctx, line)
	}
	if err == nil {
		return over, nil
	}
	t.con.complain(err)
	return over, printed{err}
}

func (t *talk) command(ctx context.Context, line string) error {
	if word, _, _ := strings.Cut(line, " "); isQuit(word) {
		return state.Errorf(state.Invalid, "/quit", "takes nothing after it")
	}
	output, err := scenario.Command(ctx, t.g.Graph, &t.g.scope, line, t.last, t.con.zone())
	if err != nil {
		return err
	}
	fmt.Fprintln(t.con.out, output)
	return nil
}

// say runs one turn; on a terminal the reply is printed as it comes.
func (t *talk) say(ctx context.Context, text string) (over bool, err error) {
	streamed := false
	var reply graph.Reply
	for e, err := range t.g.Stream(ctx, t.brings.request(t.g.scope, text)) {
		if err != nil {
			if e.Reply.Cut {
				t.show(ctx, *e.Reply, streamed)
			}
			return false, err
		}
		if e.Name == state.TokenEvent && t.con.tty {
			streamed = true
			fmt.Fprint(t.con.out, e.Text)
		}
		if e.Reply != nil {
			reply = *e.Reply
		}
	}

	t.show(ctx, reply, streamed)
	return t.settle(ctx, reply)
}

// show prints a reply, but for the text if that was printed as it came.
func (t *talk) show(ctx context.Context, reply graph.Reply, streamed bool) {
	switch {
	case streamed:
		fmt.Fprintln(t.con.out)
	case len(reply.Waits) == 0 || reply.Text != "":
		fmt.Fprintln(t.con.out, reply.Text)
	}
	t.after(ctx, reply)
}

// after keeps the reply for /why and prints the account of its turn if asked for.
func (t *talk) after(ctx context.Context, reply graph.Reply) {
	t.last = reply
	t.suggested(ctx)
	if !t.trace {
		return
	}
	why, err := scenario.Why(ctx, t.g.Graph, t.g.scope, reply, t.con.zone())
	if err != nil {
		t.con.complain(err)
	}
	for line := range strings.Lines(why) {
		t.con.println("  " + strings.TrimSuffix(line, "\n"))
	}
}

// mostShown is how many suggestions are shown behind a reply.
const mostShown = 3

// suggested says what waits to be remembered, each suggestion once.
func (t *talk) suggested(ctx context.Context) {
	waits, err := t.g.Memory().Suggestions().List(ctx, t.g.scope, false)
	if err != nil {
		t.con.complain(err)
		return
	}
	if t.told == nil {
		t.told = map[string]bool{}
	}

	session, err := t.g.Memory().Sessions().Get(ctx, t.g.scope)
	if err != nil && len(waits) > 0 {
		t.con.complain(err)
	}

	fresh := 0
	for i, item := range pick.Suggestions(waits) {
		s := waits[i]
		if t.told[s.ID] || item.Number == 0 {
			continue
		}
		if t.told[s.ID], fresh = true, fresh+1; fresh <= mostShown {
			t.con.println(t.con.paint(faint, fmt.Sprintf("%s (/approve %d, /reject %d)", scenario.Suggested(session.Language, s), item.Number, item.Number)))
		}
	}
	if fresh > mostShown {
		t.con.println(t.con.paint(faint, fmt.Sprintf("and %d more: /suggestions", fresh-mostShown)))
	}
}
