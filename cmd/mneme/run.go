package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/uuid"
	"golang.org/x/term"

	"github.com/mneme-graph/mneme/state"
)

// commands is the command line.
type commands struct {
	Demo    demoCommand    `cmd:"" group:"talk" help:"Show what it does: a conversation, a correction, a crash, why, undo, forget. No key, no network."`
	Chat    chatCommand    `cmd:"" group:"talk" help:"Talk. The model is MNEME_MODEL; without one, answers are quotes from memory."`
	Resume  resumeCommand  `cmd:"" group:"talk" help:"Go on with a turn that a crash left unfinished."`
	Approve approveCommand `cmd:"" group:"talk" help:"Answer what a turn waits for."`
	Cancel  cancelCommand  `cmd:"" group:"talk" help:"End a turn that is unfinished, or that waits for an answer."`

	Recall   recallCommand   `cmd:"" group:"look" help:"Ask memory, and see where each answer is from and why it was found."`
	Affairs  affairsCommand  `cmd:"" group:"look" help:"List affairs (what the user is busy with); show or change one."`
	Sessions sessionsCommand `cmd:"" group:"look" help:"List sessions; begin, end or rename one."`
	Brain    brainCommand    `cmd:"" group:"look" help:"Show the lasting facts that go into every prompt."`
	Audit    auditCommand    `cmd:"" group:"look" help:"List changes of memory and who made them; undo one."`
	History  historyCommand  `cmd:"" group:"look" help:"List the turns of a session, and what each step of them did."`
	Explain  explainCommand  `cmd:"" group:"look" help:"Explain a turn: what was decided, shown to the model, found and written, and why."`
	Export   exportCommand   `cmd:"" group:"look" help:"Write the messages of a session, or everything of a user."`
	Agents   agentsCommand   `cmd:"" group:"look" help:"List the agents that are defined."`
	Graph    graphCommand    `cmd:"" group:"look" help:"Print the nodes of a turn and the ways between them, as a Mermaid flowchart."`

	Forget   forgetCommand      `cmd:"" group:"change" help:"Erase for good: a record, a topic, an affair, a session, a user."`
	Hold     holdCommand        `cmd:"" group:"change" help:"Keep a record from being erased, or release it; list what is held."`
	Suggest  suggestionsCommand `cmd:"" name:"suggestions" group:"change" help:"List, approve, edit or reject what waits to be remembered."`
	Share    shareCommand       `cmd:"" group:"change" help:"Add or list facts that all users of a client share."`
	Vault    vaultCommand       `cmd:"" group:"change" help:"Write memory as Markdown files, and read back what was edited there."`
	Import   importCommand      `cmd:"" group:"change" help:"Take in chats, LangGraph's checkpoints or memories of mem0."`
	Fork     forkCommand        `cmd:"" group:"change" help:"Begin a new session with the turns of another."`
	Prune    pruneCommand       `cmd:"" group:"change" help:"Delete turns from the log of a session."`
	Settings settingsCommand    `cmd:"" group:"change" help:"List and change the settings that are kept in the store."`

	Serve    serveCommand      `cmd:"" group:"operate" help:"Serve the memory over HTTP."`
	MCP      mcpCommand        `cmd:"" name:"mcp" group:"operate" help:"Serve the memory to one client of the Model Context Protocol, over input and output."`
	Access   accessCommand     `cmd:"" group:"operate" help:"List, make and end the keys by which clients of the service are known."`
	Doctor   doctorCommand     `cmd:"" group:"operate" help:"Say what is degraded, what is set up, and where each setting comes from."`
	Copy     copyCommand       `cmd:"" group:"operate" help:"Copy a store to another folder or server and compare."`
	Backup   backupCommand     `cmd:"" group:"operate" help:"Write a copy of the store into a new folder."`
	Keys     keysCommand       `cmd:"" group:"operate" help:"Make and change the keys that encrypt the store."`
	Reindex  reindexCommand    `cmd:"" group:"operate" help:"Make the vectors that are missing, or move to another embedder."`
	Batch    batchCommand      `cmd:"" group:"operate" help:"Let a model read finished sessions in batches: run, status, cancel."`
	Replay   replayCommand     `cmd:"" group:"operate" help:"Play scenario files and compare what happens with what they expect."`
	Eval     evalCommand       `cmd:"" group:"operate" help:"Measure quality on labelled data."`
	Bench    benchCommand      `cmd:"" group:"operate" help:"Measure speed and size on this machine."`
	Complete completionCommand `cmd:"" name:"completion" group:"operate" help:"Print shell completions."`
	Topic    helpCommand       `cmd:"" name:"help" group:"operate" help:"Print the help of a command."`
	Built    versionCommand    `cmd:"" name:"version" group:"operate" help:"Print the version."`

	Version kong.VersionFlag `hidden:"" help:"Print the version."` // every command has it, and help lists it once
}

// groups returns the parts of the list of commands, in the order of their first ones, and of a command's flags: those that many have stand behind its own.
func groups() []kong.Group {
	return []kong.Group{
		{Key: "talk", Title: "Talk:"}, {Key: "look", Title: "Look:"}, {Key: "change", Title: "Change:"}, {Key: "operate", Title: "Operate:"},
		{Key: "whose", Title: "Whose memory, and where:"}, {Key: "store", Title: "Settings and stores:"},
	}
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// Colours are for a terminal only, and for one that has them.
	con := &console{in: readUntil(ctx, stdin), environ: environ, now: time.Now}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		con.tty, con.pager = true, newPager(f, environ)
		stdout = con.pager
		if from, ok := stdin.(*os.File); ok && term.IsTerminal(int(from.Fd())) {
			con.answers = true // con.in does not show any more what it reads
			if lookup(environ, "TERM") != "dumb" {
				con.edit = newEditor(from, f)
			}
		}
		if lookup(environ, "NO_COLOR") == "" && lookup(environ, "TERM") != "dumb" {
			con.brush = uuid.NewString() // what memory holds cannot know it, so it paints nothing
		}
	}
	con.out, con.err = &screen{w: stdout, brush: con.brush}, &screen{w: stderr}

	// The parser prints help itself; it must not end the process, so its status is noted.
	exited := -1
	var c commands
	parser, err := kong.New(&c,
		kong.Name("mneme"),
		kong.Description("A memory for agents. It keeps apart the matters (affairs) that a person is busy with, sets one aside, answers from it, and comes back to it. Begin with: mneme demo"),
		kong.Writers(con.out, con.err),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 90}),
		kong.ExplicitGroups(groups()),
		kong.Vars{"version": built().String()},
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(con),
	)
	if err != nil {
		return con.fail(err, false)
	}

	// The groups are of the commands, and not of what these take.
	for _, command := range parser.Model.Children {
		for _, part := range command.Children {
			part.Group = &kong.Group{Key: "parts", Title: "Commands:"}
		}
	}

	// Errors are JSON where the result would be.
	asJSON := slices.Contains(args, "--json")
	parsed, err := parser.Parse(askedHelp(args))
	switch {
	case exited >= 0: // --help or --version was printed
		return exited
	case err != nil:
		return con.fail(usageError(err), asJSON)
	}

	// Flags say options by the names of these.
	con.flags = readFlags(parsed.Flags())

	// An interrupt is told as one, whatever it was that noticed it.
	con.pager.pages(parsed.Command())
	err = parsed.Run()
	if closed := con.pager.Close(); err == nil {
		err = closed
	}
	if err != nil && ctx.Err() != nil {
		why := ": " + err.Error()
		if errors.Is(err, context.Canceled) { // says the same in other words
			why = ""
		}
		err = state.Errorf(state.Unavailable, "interrupted", "what was finished is kept%s", why) // also one that is printed
	}
	return con.fail(err, asJSON)
}
