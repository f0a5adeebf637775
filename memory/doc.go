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
//	affairs, err := m.Affairs(ctx, scope, false)
//	parked, err := m.MoveAffair(ctx, scope, "car part", state.Parked, "Waits for the courier.")
//
// The pipeline calls it once a node: Admit takes a message in, Load reads what a turn starts from, Judge decides what the
// message does and CarryOut parks or takes up affairs, Gather and Compose make the prompt, Flush closes the turn's books.
// Tools and commands use Write, Recall and the affair calls. What a Scope leaves empty is filled with Scope.Default.
//
//	Write, CarryOut, Flush ─► effects ─► (with the step's commit, or at once) ledger ─► documents + feed entry
//	                                                                            │ ▲           │
//	Load, Recall, Judge ◄──── mind (one user's RAM) ◄───────────────────────────┘ └─ merges   │ names of what
//	          ▲                 ▲                                                  from it    │ changed
//	          │                 └──────────── feed, once a turn ◄─────────────────────────────┤
//	          └──────── vectors, if there is an Embedder ◄────────────────────────────────────┘
//
// # Rooms
//
//	memory            the door: decides what is to be edited, and answers
//	memory/compose    the prompt within its budget; token counts
//	memory/embed      embedders; memory/index where vectors are kept; memory/component faces of eino
//	memory/score      how well detection and recall do
//	memory/internal   what no host imports: ledger (effects to documents and the feed; the only writer), mind (one user's RAM), affair
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
//   - A message number is never given again. A new message comes behind the last one there is, whether the session counts
//     it or not: a turn whose log was deleted leaves its messages, and Load never takes one for another turn's.
//
//   - What can never be kept or answered is refused before anything is written, with the limit and the way out: state/limits.go.
//
//   - What is in memory holds for every reader at once, and what was replaced is over, whatever the clocks of the processes
//     say: the feed is the order. A clock counts for a date that the caller gives, and for looking back (Query.AsOf).
//
//   - Another affair's facts never enter a prompt, except as evidence for an AD_HOC question about it, or for a message that points
//     back ("as I said before": package detect, Refer). That asks the whole session, session_search_top_k messages of it. So does
//     a question of no affair of which nothing is known there, but what it finds must have nearly all of its words. That is
//     decided in one place, Gather.
//
//   - Evidence below memory_retrieve_threshold, of this session session_search_threshold, stands in the account of the prompt and not
//     in the prompt. Both compare with Why.Share, the share of the best possible score (package words). Recall by a tool, a command
//     or in Go shows everything, with the share.
//
//   - A message is judged against what was active, however long ago that was. After session_idle_minutes the session had ended, so
//     the likeliest decision counts, not only one that is sure: a message that does not go on with the affair parks it.
//
//   - An affair that is resolved keeps a last summary and key facts, as one that is parked. What is resolved is archived by a turn's
//     CarryOut once it was left untouched for archive_after_days, or when more affairs are in sight than may be hot: sixteen a turn
//     at most, in the turn's commit, with a note in the trace. To name it opens it again.
//
//   - What /clear put out of sight enters no prompt by itself, of any session, and stands in no summary made later; the L1 and L2 that held
//     it are made again (reconsolidate). Recall finds it
//     when it is asked for it. Records learnt from it and affairs stay.
//
//   - How the user wants to be answered is a record of his (global) or stands in the session's document (session). There it costs no
//     commit and no reading, is in no index, and goes when the user begins something else in the session, or ends it: another mechanism
//     would have to end it. What was set stays with its message, so undo and fork find what stood before. Both are kept when the turn
//     is flushed, in its commit.
//
//   - store_knowledge false marks every message of the turn (Message.Unstored). It stays in its session: window, recall there, export,
//     a fork. It is not heard by detection, opens no affair, and enters no summary, key fact, record or vector; Write refuses within
//     the turn. What a later message or answer repeats of it is that message's. Extra context is dropped from the user's message when
//     the turn is flushed, so an attempt in another process has it until then; with store_knowledge true it is kept.
//
//   - What a project knows (records of its scope that are no affair's and not the user's own) is offered to every prompt of its turns.
//     What is of another project enters no prompt by itself: messages carry the project they were said in. Each project has its own
//     truth: the same subject with another value in another project replaces nothing.
//
//   - What all users of a client know is kept under a user of its own (state.ClientUser), whose id no scope can have, with its own feed,
//     mind and vectors; Recall and Gather join the two. Only Share writes there, outside turns, for whom Config.MayShare lets. Its feed
//     is looked at beside the user's when a turn begins, once in 30 seconds, so another process's Share is seen that much later.
//
//   - A record says whose it is. What is the user's (package personal tells) is filed under no affair, and stands in every prompt of his.
//     What is an affair's stays there. Said without a tool, it is heard when the turn is flushed.
//
//   - The door knows whose words a model's call has (trust.go): it compares them with what the user says and with what the prompt showed of
//     others (Ground): results of tools, documents, what is pasted in a message (package whose), answers, summaries. What only others say
//     is a fact of the affair with trust tool or document, marked in prompts; it is in no brain, and ends or raises nothing that the user
//     said. A rule, a preference, an identity, a task, or the end of a record that he has not asked for is state.ErrDenied, and the error
//     says to ask him; a question that he says yes to is his word. What a person approves or writes, in Go too, is not questioned.
//
//   - Where the prompt shows nothing of others, what a model concludes is trust agent as it always was, unless most of it stands only in an
//     answer or a summary. Telling words are compared, and the thesaurus for other languages: so a rule said in one language and stored in
//     another beside the result of a tool may be refused, rather than a page be obeyed.
//
//   - The brain is no document: it is the user's own valid records, the most important first, as many as brain_max_tokens hold. So it has
//     their sources, dates and history, what replaces one is in it at once, and nothing can differ from the records or be lost beside
//     them. What finds no room is the archive; recall finds it. It is the user's: all his agents have the same.
//
//   - What a user has one of at a time (his address, work, doctor, how long answers are to be) is a slot, told by what the text says, whoever
//     writes it: a tool, a command, extraction. A new value ends all records of the slot (takePlaces), and the same value is said again.
//
//   - What a model has stored for an affair of the same message, and which says the value that ended, ends with it. Recall as of a time puts behind a
//     message the records made of it that held then: a record's few words may be none of the question's.
//
//   - A user has max_memories_per_user records that hold. A turn that finds more puts the least important into the archive (retention.go), a sixteenth
//     more than it must and 16 at most, in its own commit: so few turns do, and it reads only what it archives. The mind knows the ranks. The record stays as it is, with
//     a mark (ArchivedAt); an edit of its own sets the mark, so that nothing that others change at the same time is lost.
//
//   - A person edits the brain as Markdown (package vault): every line through Write and Amend, by the user, by the way "vault" (Origin.Who).
//     A digest is edited in place: Amend with the id of the part's summary. L1 and L2 made of it before stay as they are.
//
//   - What was going on last is the digest of the last part of a session with the same agent (Span.Digest). It is made when the part ends,
//     in the commit that writes the part's document. It names affairs and how they stand, and none of their facts.
//
//   - Consolidation goes by volume (consolidate.go): an L1 of l1_after_sessions parts, an L2 of l2_after_l1 of those, made in the commit that
//     ends a part, one of each at most. What waits are the summaries that no L1 names; there is no queue beside them. An L1 has the first
//     free number for its id, so of two processes that make one at once one makes it, and no part is in two.
//
//   - Two affairs are made one by a pointer (mind.Joined): what is filed under the merged one keeps its id and is found under the other,
//     also what another process files there meanwhile. Who changed what is in the feed: see Audit.
//
//   - Summaries follow the same rule: an affair's messages are summed up in the affair, the session's summary
//     covers only what belongs to none. Without a small model everything works by rule. With one, its errors fall back to the
//     rules and are noted.
//
//   - The summary of a session is a record of kind summary, one for each part of the session, written anew in place (sliding.go). Behind
//     the reply it takes in what the next prompt's window does not show, sliding_summary_window messages at a time. When the last
//     messages fill 70 per cent of the smaller of context_window and max_tokens, it takes in all but four. Its length grows with the
//     logarithm of the number of messages, up to sliding_summary_max_tokens. A prompt shows it in its section and not as evidence, behind
//     what earlier parts come to in short. An undone turn's messages are taken out of it: the rules make it anew.
//
//   - A part of a session ends when somebody ends or clears it, or after session_idle_minutes: with the user's next message in the session
//     that does not go on with what was active, with his next message in any other session, or when the memory is closed. Who comes back
//     and goes on, having done nothing else, is still in the same part; a changed topic parks whatever the clock says. The part's record
//     then says what it covers (state.Span). It is written behind the reply; until then the session lists the part (Session.Ending), so
//     that a turn that is cut off loses none.
//
//   - A session ends quietly when its user is elsewhere (idle.go): its part is learnt from, and what was active stays, with the window and
//     the preferences of the session. So he finds all as he left it. There is no timer: a turn ends two such sessions at most, Close what
//     it can in five seconds. The documents say which they are, so whatever is left the next turn ends, in any process. A session
//     in which nobody has answered was brought from elsewhere, and ends when somebody ends it.
//
//   - A part is read once. Who comes second, another process that ends it at the same time, finds it read, and what he learnt from it is
//     dropped when it is merged (state.Effect.Part). So what two models say of one part is never mixed.
//
//   - What is written is found by its words at once, by every recall, whatever its priority. The priority says how soon it
//     has its vector; an affair that was parked or resolved is CRITICAL. Vectors are made behind the turn and mended by
//     comparing, see package vectors. Without them, and while they are away, recall goes by words and says so.
//
//   - The final ranking is the word index's, with the nearest vectors as one more field. So an index in this process and one on a
//     server answer in the same order.
//
//   - A write is judged before it is made (package same): said again, said better, a new value, another thing. Nothing is
//     overwritten: what is refined or replaced is closed and kept, and names what took its place. When unsure, both stay.
//     Said again is an edit (Effect.Repeat): when it was seen last, how many turns said it, the highest importance. Its
//     words are the same, so it needs no new vector. Outside turns, calls of Write to one user's memory wait for each other in a
//     process, from judging to writing; two turns at once may both write.
//
//   - Autonomy acts at one gate (gate.go), which every door passes with what it was asked for. Below the doors decide has a fence: an edit that came
//     around the gate is an error. What the pipeline learns of an affair from its own messages, sessions and their summaries are bookkeeping
//     and pass at every level.
//
//   - A suggestion holds the request and not its effects (request.go, suggest.go). Its answer runs the request anew as one step, whose effects are made only
//     while the suggestion waits (Effect.Answers): twice, in two processes or after a crash it is made once. An amendment names the records that
//     were meant when it was asked for. What waits is in no mind, no index and no prompt. Nobody answers for the user: a model's answer needs
//     his words in the message of the turn (package consent).
//
//   - A record is the memory of one agent. All read it. A tool call that nobody has approved of ends or changes another agent's only if the definition
//     grants it (Agent.Writes); what the user says himself, and what the pipeline hears from him, changes any.
//
//   - At autonomy 3 memory is put in order when a part of a session ends (reorganise.go), in the commit that ends it, bounded, and each edit can be undone.
//
//   - A message of which all that was stored has been replaced, and that said little else, leaves recall with it.
//
//   - Sources reads today's texts of what a turn was shown, by the names that its account has kept. They are the user's own
//     documents whatever a name says, and what was undone or ended is gone.
//
//   - Links are keys of identifiers, names and topics, made when something is written. Recall adds what shares a key with
//     its best hits, at half their score at most. Being filed under one affair is no link.
//
//   - Of a long text the first 16 KB are read for what it is about, and of a long query. The word index reads all of a text.
//
//   - Every affair is a target of a message, also one that is not hot: the rest of it is read when a decision names it. An archived
//     one is a target only of a message that says its title, before a restart and after it.
//
//   - What a finished part says of the user is extracted in the commit that writes the part's document (ending.go): by one question to the small
//     model, else by rules. While the model does not answer, the part waits (Span.Waits) and is tried again when another one ends, the oldest
//     first and three at most; a turn that got no answer asks about no further part. The trace says how many wait. Only what the user said is
//     taken, and it goes through the same judging as any other write.
//
//   - With memory_extraction_model no part is read as it ends: it waits for a batch, with a digest by rules, and who makes batches goes by one
//     door (waiting.go). An answer is taken while the part still says what was asked about, and still waits: the commit that keeps what was
//     found says that it was read. So an answer that comes twice, late, or after words were forgotten changes nothing.
//
//   - A host is told of a task once it is durable (Config.Scheduled), and of all that are not done when it asks at its start (TellTasks, which
//     Graph.Sweep does). There is no mark of who was told: a task may be told twice, and none is lost.
//
//   - Where the store has no transactions, what a process that died has left of the user's own thread is carried out before his mind is read.
//
//   - Erasing (forget.go) is an order, then a pass. The order is one commit: it names documents and no text, and takes a number of the user's feed, which
//     every later entry repeats (ledger.Entry.Gen). So it fences by what each commit compares anyway: whoever decided on older knowledge (state.Effect.Seen)
//     meets the number and is refused. A turn is told so, and ends. There are no hashes of texts in it: nothing has to be compared with them.
//
//   - While an order is carried out nobody else writes to the user's memory, and who would read it goes on with it first, a bounded part. So what is
//     erased is exactly what was planned, and the pass needs no second look. What may wait (vectors on a server, free pages) keeps nobody out.
//
//   - A suggestion goes with the record or affair that it is of, the turn that it was made in, or the words that it has; answered ones too.
//
//   - What was made of what goes is made again by the rules alone (remake.go): whoever goes on with an order that was cut short makes the same. A
//     turn goes as a whole when what the user said in it goes. Numbers of steps, of the feed and ids of turns stay taken.
//
//   - The process whose snapshot of words, or vector, is on its way when the order comes takes it back when it is there (snapshot.go); one that dies in between
//     leaves words without their texts until the next snapshot.
