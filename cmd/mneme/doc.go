// Command mneme is the command line of the memory: it shows it (demo), talks to it (chat), plays stories on it
// (replay), asks it (recall), looks into it (affairs, export, doctor), into the log of its turns (history, explain, fork, resume,
// approve, prune), has sessions read in batches (batch), carries it elsewhere (copy, backup, keys, reindex) and measures it (eval, bench). Each command stands in a file or two;
// what it does is done by the packages below, here is only wiring and printing.
//
//	args, environment, file ──resolve──► config ──► store: folder or server, sealed or not ──► graph ──► lines, exit status
package main

// Design:
//
//   - main only handles signals; run has no global input or output, so tests call it with buffers.
//   - run takes the whole environment and not a getter, because an unknown MNEME_ name is an error.
//   - Only run.go names all commands. What they are given (console, configuration, open graph) stands in files that name none of them, so that each
//     command can be read alone; e2e/ratchet_test.go holds it.
//   - Configuration is flag over environment over file over default, resolved once, and each value keeps its
//     origin: doctor prints it.
//   - What can be configured is in one catalogue: settings say in the tags of state.Settings what they are, options in one list. A flag that says one
//     has the tag option, and run collects what they say. A test writes the table of README.md (-update).
//   - Errors end on stderr as "mneme: WHAT: WAY OUT", with --json as {"error":{"code","message"}}; the exit
//     status follows the code: 0 ok, 1 failure, 2 usage, 3 not found, 4 conflict, 5 unavailable.
//   - MNEME_MONGO_URI is the whole switch to a server and MNEME_ENCRYPTION_KEYS that to encryption: openStore is the
//     one place that knows, so no command can forget either. It looks at one document first, because a store that
//     is half encrypted, or read without its keys, is found out too late otherwise.
//   - MNEME_MILVUS_ADDR is the whole switch to Milvus; config.meaning is the one place that knows embedder and index, for the
//     graph, replay and eval alike. A server is asked when vectors are first needed and not at the start, so that one that
//     is down leaves every command its words; only reindex and doctor need it. What is configured in vain is said.
//   - Commands that end at once after a message wait a few seconds for its vectors; what is not made by then is made by the
//     next command that asks or writes.
//   - A question that a turn has asked stands until it is answered: a command that goes on with the turn lets the graph
//     ask about the same tools, though its settings may ask for nothing.
//   - Everything goes through one screen, which writes control characters, escape sequences and marks of direction so that
//     they are seen and not obeyed: memory holds what strangers said. JSON escapes them. The command's own colours begin
//     with a word that is new in each run, so that nothing printed can paint.
//   - An address is printed without user, password and options, wherever it stands in an error or a report.
//   - What is read has a bound: a line of chat 1 MB, a scenario or a config.yaml 4 MB and 64 levels, data for eval 1 GB.
//   - Only chat, demo, copy and backup make a folder; what looks back or changes what is there is NotFound without a store.
//   - Ctrl-C and SIGTERM end a command in order, with "interrupted" and status 5, also one that waits for input or for a pipe; a
//     second one ends the process at once, and so do 40 seconds. At the prompt of a terminal Ctrl-C is a key: it drops the line, or
//     ends the conversation with status 0.
//   - A turn that another program began, with other tools or another model, is that program's: no command goes on with it
//     (graph.Config.OwnTurns). approve --record writes an answer down for it, cancel ends it.
//   - A person names things in one way in all commands: package pick. Lists show ids as short as tells them apart, but those of sessions:
//     chat begins a session of any name that it is given, so a beginning would be a new one.
//   - A person reads what a command was asked for, in a line a thing: the whole is behind --full, --steps, --why, --all or show. JSON always has
//     all of it, and never changes with what people read. Times are the user's, with their zone; lists say how long ago.
//   - What changes an affair says how it is undone, with the flags that find the same memory.
//   - Help has a command's own flags first, those of many commands behind them in groups. An error of usage names the help of its command.
//   - Only commands that print and ask nothing go through PAGER, and only on a terminal.
//   - Nothing to do is no failure: resume and cancel say so, with status 0.
//   - Messages are typed with golang.org/x/term, which is here for colours already: it edits, has a history and knows where a paste
//     begins. What it does not do, keyReader does in front of it. It counts each character as one column: beside signs of two columns
//     the cursor may stand in a wrong place, and what is sent is right.
//   - A command of a later release is not there: no command that only says so.
