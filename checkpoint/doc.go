// Package checkpoint keeps the log of a thread: what each turn has done, durable step by step, so that a
// turn that was cut short goes on where it stopped, in this process or in another.
//
//	log := checkpoint.New(checkpoint.Config{Store: s, Memory: m, Now: time.Now, NewID: uuid.NewString})
//	turn, err := log.Begin(ctx, thread, "t1")
//	if errors.Is(err, checkpoint.ErrUnfinished) {
//		turn, past, err = log.Take(ctx, thread) // rebuild the state from past, and go on
//	}
//	defer turn.Release()
//	err = turn.Commit(ctx, checkpoint.Commit{Parts: parts, Effects: effects}) // a step: durable when it returns
//	err = turn.Commit(ctx, checkpoint.Commit{Done: true})
//
// A thread is a conversation; a turn is one message and everything done about it. Begin prepares a turn,
// each Commit adds a step to the log, the last one says Done. If the process dies in between, the thread
// has an unfinished turn: Begin refuses with ErrUnfinished, and Take goes on with it, handing out the past
// from which the state is rebuilt. A turn whose id its caller chose is begun with BeginOnce, and runs once only.
//
// What a step holds (deltas of fields, decisions of branches, questions and answers) comes from above, from graph/flow; what
// memory the step changes comes along as decided effects.
//
//	Begin ──► Turn ──► Commit ──► Commit ──► Commit{Done}
//	            │        │          │           │
//	            │        ▼          ▼           ▼          with transactions: one Write each,
//	            │      step 7     step 8      step 9         effects merged into documents in it
//	            │      open +                 open -       without: the step carries its effects, its insert is the
//	            │                               │            commit; documents, then the feed follow at once
//	 crash ─────┴──► Take: the past from the    ▼
//	                 last whole step on,      folded: the turn's steps as one compressed document
//	                 a takeover step, go on
//
// # Beside LangGraph
//
// Its words are used where it has them: thread, checkpoint (a step), parent, source, next, durability, double texting.
//
//	                        LangGraph (2026-08)                         here
//	key                     thread_id, checkpoint_ns, checkpoint_id     same: client, thread (may hold "/"), step number
//	order                   UUIDv6, by the writer's clock               better: numbers without gaps
//	per-node checkpoint     yes; durability sync, async, exit           same; the default is sync, there async
//	two turns at once       both succeed, one is lost                   better: one wins, the other is told (or waits)
//	finished siblings       kept as pending writes                      same, in the one log, also across kill -9
//	inside a node           all runs again                              better: what is committed inside is not done again
//	writes and checkpoint   two writes, unordered                       better: one insert
//	growth                  whole state a checkpoint                    better: deltas, chunks, folding
//	next, mid-turn          empty, and such work can be discarded       better: always what is still to do
//	new input, unfinished   discards the unfinished tasks               different: finished first; or given up if asked to
//	get_state, history      yes                                         same: State(at), History
//	update_state(as_node)   yes                                         same: Update
//	fork, replay            another branch in the same thread           different: a fork is a thread of its own, Rewind a
//	                                                                    step that goes on from an earlier one; one line
//	interrupts              resumed by order, node runs from its start  better: by id, checked, a second answer is no-op
//	prune,                  declared, not implemented in its MongoDB    here, on every store
//	delete_for_runs         savers                                      (Prune, DeleteTurns)
//	copy_thread             the same                                    left out: a fork at the last step goes on as well
//	run_id                  a label; the same one runs again            better: a turn's id is a key of idempotency, its end
//	                                                                    comes back
//	TTL                     a document at a time, cuts threads          better: a thread at a time (Keep, Sweep)
//	subgraph state          namespaces in the saver                     different: a thread of its own, named parent/child
//	Command(update, goto)   returned by a node                          same: flow.Goto; targets are declared, so that the drawing
//	                                                                    and a resumed turn know them; the choice is logged
//	Send (fan-out by data)  tasks made at run time                      same: flow's Items, a durable task an item, merged in the
//	                                                                    list's order; a list is of one node
//	stream modes            values, updates, messages, tasks,           same (flow's Stream), with the namespaces of sub-graphs; a slow
//	                        checkpoints, custom, debug                  reader loses the oldest and is told; no debug mode
//	retry, timeouts, cache  policies of a node                          same; the cache is in memory only
//	parallel writes         InvalidUpdateError                          same, or the later in the graph's order where both
//	of a plain field                                                    declare it
//	encryption              optional; plaintext rows are accepted,      better: state/store/sealed refuses plaintext,
//	                        rows can be moved                           moved and rolled back rows
package checkpoint

// To read it: log.go is what callers see, once.go what a chosen id means, turn.go and commit.go the way in, past.go and
// history.go the way out; loose.go is what differs without transactions, hold.go, sign.go and machine.go say who has a
// thread, sweep.go what is worked off later, mend.go what goes on without steps that are lost, fold.go and decode.go are the
// stored form.
//
// Design:
//
//   - The log is the lock. A commit inserts step n+1 under the id that follows from thread and number, and
//     the store refuses a second one. Two turns at once, a holder that was taken over from, a lost race: all
//     are that one conflict, and there is no other lock to lose, to forget or to disagree with the log. Clocks
//     decide nothing: an hour's skew only changes who waits how long.
//   - At a turn's first commit the conflict is ErrBusy (another turn was first, send again; state.RetryAfter says when);
//     later it is state.ErrFenced (another attempt took the turn over, stop). Each attempt at a turn has an id of its own, and a
//     takeover is a step, so the old holder's next insert always meets a foreign attempt.
//   - A chosen id counts once. The last step of its turn comes with a document under the id that says the step's number;
//     it is looked for behind the thread's head, so that of two attempts at one turn one finds it or meets the other's step.
//     Without transactions it is written behind the step, as effects are. Pruning keeps it (the turn is done, its state is
//     gone: ErrDone), deleting the turn or the thread deletes it, and a fork leaves it behind: in another thread the id is
//     new. A turn given up counts as finished.
//   - A lease is what other hosts have to wait for. On its own machine a process looks whether the holder is still there, by
//     process id and start: so one that restarts goes on with its own dead turn at once. A wrong guess costs what a
//     lease that ends too early does: work is done twice, and one of the two is fenced.
//   - A thread with an unfinished turn is not deleted, and no turn is before it has ended: what memory holds of it
//     (a message whose number is not counted yet) would stand in the way of every turn after it.
//   - A failed write is read back. If the step that stands there is of our own attempt, the write had been
//     done and only its reply was lost: the commit succeeded, and nothing is applied twice.
//   - After an error a turn takes no further commit. Otherwise a second commit could find the first one's
//     step, of its own attempt, and take it for its own.
//   - Memory is asked for two things (type Memory): to look what others have written when a turn begins (beside the thread's
//     head, and once more when another process has had the thread), and for the documents of a commit's effects. They are written
//     here, in one loop (Log.write) with one bound: whoever met another writer of a document reads or merges it again.
//   - Where there are no transactions (MongoDB of every kind: nothing here needs a replica set) the insert of one
//     document is the commit. Its effects are carried out right behind it, which makes at most sixteen round trips of a turn with
//     a tool call; each document keeps the mark of the step, so that carrying out again changes nothing.
//     A thread with a running turn has a document in the collection open, its signpost. It stays until all effects of the last step are
//     written; who finds it later writes what is missing. Only the turn that set it deletes it, others do so after its lease: one read a
//     moment ago may be that of the next turn by now, under the same revision. A turn without one is left alone for a lease after its last step.
//   - A cancelled context does not stop a commit that has not begun yet: the node's work is done and paid
//     for, and throwing it away would make the next attempt pay again. It is given five seconds.
//   - Base is the step a state is rebuilt from: a whole step, which says so by being its own base. A turn that starts
//     from a fresh state is whole at once; a state that lives on is put into a turn's first step from time to
//     time, but for the items of growing fields: those go into chunks that are chained and never written again. So
//     what is written grows with what was said, not with its square.
//   - A finished turn is folded by its last commit, or behind it where there are no transactions: its steps become one
//     document, packed with a dictionary of what all turns have in common: of a usual turn it has less than the thousand bytes
//     from which on SQLite gives a row pages of its own. Every step can still be looked at. A placeholder stays under each folded id, so
//     that a process that slept does not find it free. In RAM nothing is folded.
//   - Pruning moves the state first and deletes then; deleting a thread says in the signpost that it goes before it
//     does. Cut short anywhere, the rest is done by the next turn or sweep, and no thread is ever half there.
//   - Erasing (erase.go) takes contents and leaves numbers. An empty step behind the last fences whoever runs a turn: his next insert meets it. The ids of
//     turns that callers chose stay taken, so that a message sent again after its turn was erased runs nothing.
//   - Steps are numbered without gaps, say their number and schema version themselves, and are checked on
//     reading: a lost, moved or newer step is a typed error, never a shorter history.
//   - Steps are written and read field by field with bsoncore (encode.go, decode.go) instead of bson's reflection: loading a
//     thread is nothing but reading steps, and it was most of a turn's time. Tests hold both to what bson does.
