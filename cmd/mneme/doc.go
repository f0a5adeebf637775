// Command mneme is the command line of the memory: it shows it (demo), talks to it (chat), plays stories on it
// (replay), looks into it (affairs, export, doctor), into the log of its turns (history, fork, resume, approve,
// prune), carries it elsewhere (copy, backup, keys) and measures it (eval, bench). Each command is one file; what it
// does is done by the packages below, here is only wiring and printing.
//
//	args, environment, file ──resolve──► config ──► store: folder or server, sealed or not ──► graph ──► lines, exit status
//
// # Design
//
//   - main only handles signals; run has no global input or output, so tests call it with buffers.
//   - run takes the whole environment and not a getter, because an unknown MNEME_ name is an error.
//   - Configuration is flag over environment over file over default, resolved once, and each value keeps its
//     origin: doctor prints it.
//   - Errors end on stderr as "mneme: WHAT: WAY OUT", with --json as {"error":{"code","message"}}; the exit
//     status follows the code: 0 ok, 1 failure, 2 usage, 3 not found, 4 conflict, 5 unavailable.
//   - MNEME_MONGO_URI is the whole switch to a server and MNEME_ENCRYPTION_KEYS that to encryption: openStore is the
//     one place that knows, so no command can forget either. It looks at one document first, because a store that
//     is half encrypted, or read without its keys, is found out too late otherwise.
//   - A question that a turn has asked stands until it is answered: a command that goes on with the turn lets the graph
//     ask about the same tools, though its settings may ask for nothing.
//   - A command of a later release is not there: no command that only says so.
package main
