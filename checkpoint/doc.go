// Package checkpoint keeps the log of a thread: what each turn has done, durable step by step, so that a
// turn that was cut short goes on where it stopped, in this process or in another.
//
// A thread is a conversation; a turn is one message and everything done about it. Begin prepares a turn,
// each Commit adds a step to the log, the last one says Done. If the process dies in between, the thread
// has an unfinished turn: Begin refuses with ErrUnfinished, and Take goes on with it, handing out the steps
// from which the state is rebuilt. What a step holds (deltas of fields, decisions of branches) comes from
// above, from graph/flow; what memory the step changes comes along as decided effects and is written in
// the same transaction. So an effect is there exactly when its step is.
//
//	Begin ──► Turn ──► Commit ──► Commit ──► Commit{Done}
//	            │        │          │           │            one Write each:
//	            │        ▼          ▼           ▼
//	            │      step 7     step 8      step 9         insert, conflict if it is there already
//	            │      effects    effects     effects        documents merged, compare-and-swap on each
//	            │      open +                 open -         who has the turn, while it is not done
//	            │
//	 crash ─────┴──► Take: read the steps from the base on, insert a takeover step, go on
//
// # Design
//
//   - The log is the lock. A commit inserts step n+1 under the id that follows from thread and number, and
//     the store refuses a second one. Two turns at once, a holder that was taken over from, a lost race: all
//     are that one conflict, and there is no other lock to lose, to forget or to disagree with the log.
//   - At a turn's first commit the conflict is state.ErrConflict (somebody else was first, send again);
//     later it is state.ErrFenced (somebody took the turn over, stop). Each attempt at a turn has an id of
//     its own, and a takeover is a step, so the old holder's next insert always meets a foreign attempt.
//   - A failed write is read back. If the step that stands there is of our own attempt, the write had been
//     done and only its reply was lost: the commit succeeded, and nothing is applied twice.
//   - After an error a turn takes no further commit. Otherwise a second commit could find the first one's
//     step, of its own attempt, and take it for its own.
//   - Effects are stored as documents, not as intentions: Apply loads and merges, the Write swaps each
//     document only at the revision it was read at. If another writer was faster, they are merged again.
//   - A cancelled context does not stop a commit that has not begun yet: the node's work is done and paid
//     for, and throwing it away would make the next attempt pay again. It is given five seconds.
//   - Base is the step a state is rebuilt from. For a turn that starts from a fresh state it is the turn's
//     own first step, which holds all that was kept: nothing before it is read again, so a thread of
//     10,000 turns opens as fast as one of ten. Otherwise it is the thread's first step.
//   - The open document is a signpost: it tells a sweep which threads have an unfinished turn and others
//     how long to keep off. What is true stands in the steps; an open document that is missing or left
//     over (a store without transactions can do that) is put right by the next turn.
//   - Steps are numbered without gaps, say their number and schema version themselves, and are checked on
//     reading: a lost, moved or newer step is a typed error, never a shorter history.
//   - Steps are read by a small decoder of our own (decode.go) instead of bson's reflection: loading a thread
//     is nothing but reading steps, and it was most of a turn's time. A fuzz test holds it to what bson reads.
//
// # Not in this release
//
// History, fork, rollback and prune; folding a finished turn into one document and snapshots of a state
// that lives on (a thread whose state is never fresh is read from its first step); durability async and
// exit: every commit is durable before it returns. In a Shared store the lease runs from the first commit
// and is not renewed: a turn that works for longer may be taken over, which costs it its work but harms
// nothing, since it is fenced. A Log over a store without transactions does not repair effects yet.
package checkpoint
