// Package memory is everything remembered, and the one door for reading and writing it.
//
//	m, err := memory.New(memory.Config{Store: s})
//	if err != nil {
//		return err
//	}
//	defer m.Close()
//	scope := state.Scope{User: "anna", Session: "s1"}
//
//	receipts, err := m.Write(ctx, scope, memory.Change{Kind: state.OrderRecord, Subject: "car part", Content: "order 07-14244-53150"})
//	...
//	hits, err := m.Recall(ctx, memory.Query{Scope: scope, Text: "when does the car part arrive?"})
//	...
//	affairs, err := m.Affairs().List(ctx, scope, false)
//	parked, err := m.Affairs().Move(ctx, scope, "car part", state.Parked, "Waits for the courier.")
//
// The pipeline calls it by its door Turn. Node intake: Admit. memory_load: Load. context_detect: Judge, CarryOut. respond: Asks, Gather and Compose, with
// Load and Gather again after an edit. memory_flush: Flush.
// Tools and commands use Write, Recall and the other doors: Affairs, Sessions, Tasks. What a Scope leaves empty is filled with Scope.Default.
//
// Write, CarryOut and Flush make effects. Inside a turn these wait for the step's commit, outside they are committed at once. The ledger turns them into
// documents and one entry of the user's feed. Readers use the mind, the user's data in RAM, which a turn brings up to date from the feed once, when it begins.
//
//	Write, CarryOut, Flush ─► effects ─► (with the step's commit, or at once) ledger ─► documents + feed entry
//	                                                                            │ ▲           │
//	Load, Recall, Judge ◄──── mind (one user's RAM) ◄───────────────────────────┘ └─ merges   │ names of what
//	          ▲                 ▲                                                  from it    │ changed
//	          │                 └──────────── feed, once a turn ◄─────────────────────────────┤
//	          └──────── vectors, if there is an Embedder ◄────────────────────────────────────┘
//
// Another affair's facts enter a prompt only as evidence, for a question about it. Nothing is overwritten: what a newer record replaces is
// closed and kept. What only tools and documents say becomes no rule or preference of the user's.
//
// # Rooms
//
//	memory            the door, and the heart: decides what is to be edited, and answers
//	memory/forget     erases for good, and proves it: Memory.Forget
//	memory/history    who changed what, and takes it back: Memory.History
//	memory/suggest    the gate that each edit passes, and what waits there for its user: Memory.Suggestions
//	memory/sessions   a user's conversations: their parts, summed up and learnt from: Memory.Sessions
//	memory/compose    the prompt within its budget; token counts
//	memory/embed      embedders; memory/index where vectors are kept; memory/component faces of eino
//	memory/score      how well detection and recall do
//	memory/internal   what no host imports: ledger (effects to documents and the feed; the only writer), mind (one user's RAM), desk (one user's memory at work), affair
//	                  (what an affair learns), detect (what a message does), read (facts, links, masks, whose it is, text),
//	                  find (words, vectors, same), ask (the small model), quick (bytes of RAM)
package memory

// Design:
//
//   - Deciding and writing are two things. Decisions become effects, which are data. Inside a turn they join the step's
//     commit, outside they are committed at once. How they are written and merged again is package ledger's.
//
//   - RAM is derived (package mind). A turn looks at the feed once, when it begins: it has one state of the world, and its own
//     commits. What another process commits meanwhile a commit finds out by a conflict, and merges again.
//
//   - Where the store has no transactions, what is decided outside a turn is a turn of one step in a thread of the user's own. For
//     that the memory has a checkpoint.Log.
//
//   - A document that vanishes without an entry in the feed is found until the next entry that names it.
//
//   - What can never be kept or answered is refused before anything is written, with the limit and the way out: package state/limit.
//
//   - What is in memory holds for every reader at once, and what was replaced is over, whatever the clocks of the processes
//     say: the feed is the order. A clock counts for a date that the caller gives, and for looking back (Query.AsOf).
//
//   - What is forgotten has two ends. The record ends, and whoever shows a text asks the mind to mark what it says of ended records (mind.Gone): so no
//     text is rewritten, an undo brings all back, and what is said later is not touched. What only a message says is forgotten as a record that ends at once.
//
//   - A line that has nothing to do with the message costs attention in each prompt: of the brain only who the user is, manners, pins and what shares
//     a word with the message is shown. The rest recall finds. With a message of a word or two, as a greeting, all of it is shown.
//
//   - Another affair's facts never enter a prompt, except as evidence for an AD_HOC question about it, or for a message that points
//     back ("as I said before": package detect, Refer). That asks the whole session, session_search_top_k messages of it. So does
//     a question of no affair of which nothing is known there, but what it finds must have nearly all of its words. That is
//     decided in one place, Gather.
//
//   - The window has the last exchange, whatever it is filed under, for one message: behind a question aside "yes" and "how much was it?" go on from there, and
//     such a question has the facts of what that was about. It has none for who moves to another affair, and none for who names the active one (turnsBack).
//
//   - Summaries follow the same rule: an affair's messages are summed up in the affair, the session's summary
//     covers only what belongs to none. Without a small model everything works by rule. With one, its errors fall back to the
//     rules and are noted.
//
//   - Of a long text the first 16 KB are read for what it is about, and of a long query. The word index reads all of a text.
//
//   - Where the store has no transactions, what a process that died has left of the user's own thread is carried out before his mind is read.
