// Package state has the plain values of a turn and of memory, and says where each kind is kept. It does no I/O.
//
//	scope := state.Scope{Client: "shop", User: "anna", Session: "s1"}
//	key := scope.Default().Key("a1") // of one document of hers
//	err := state.Errorf(state.NotFound, "affair a1", "is not there")
//	if errors.Is(err, state.ErrNotFound) { ... }
//
// A conversation is a Session of a user. Each user message starts a Turn; the Turn's Decision says what the
// message does to the conversation: go on with the active Affair, switch to another, ask aside, or open a new
// one. What is remembered are Messages, Affairs and Records. Whatever edits them is an Effect: data that a
// step of the log carries and that is merged into documents when the step is committed.
//
//	Request ─► Turn{Input, View, Decision, Journal, ...} ─► Effects ─► documents (scope.go: which under which key)
//
// # Words
//
// The same word means the same thing in every package.
//
//	client      whoever runs an application; nothing of one client is seen by another
//	user        a person of a client, whose memory it is
//	agent       a definition that answers in turns; it may have memory of its own
//	session     a user's conversation; a part of it ends when it was idle for long or is ended
//	thread      the log of a session
//	turn        a user message and all that comes of it, up to the answer
//	node        one of the six functions that a turn goes through
//	step        one commit of a turn
//	affair      a matter that is talked about, set aside and taken up again
//	active      said of the one affair that a session is about now
//	parked      set aside; resolved: settled; archived: out of sight
//	aside       a question that belongs to another affair or to none, and leaves the active one as it is (AD_HOC)
//	decision    what a message does: CONTINUE, SWITCH, AD_HOC, NEW_AFFAIR
//	key fact    a label and a value of an affair
//	pending     what an affair waits for; task: what the user has to do, at a time
//	topic       a word that an affair is recognised by
//	window      the last messages, which a prompt shows whole
//	summary     what the window shows no more, of an affair or a session
//	digest      the summary of a part of a session that is over; L1 and L2 sum up several
//	record      one thing remembered: a fact, a preference, an order, a deadline ...
//	trust       whose words a record has: the user's, an agent's, a tool's, a document's
//	brain       the records that say who the user is and how he wants it
//	evidence    what recall finds for a prompt
//	origin      where a line of a prompt is kept
//	ground      what a model had before it when it made a call
//	effect      an edit of memory, as data; receipt: what came of it
//	ledger      turns effects into documents and the feed, the list of what changed
//	mind        one user's memory in RAM; desk: that, with who asks and what he may do
//	door        the methods of one concern, as Memory.Affairs(); room: a door that is a package of its own
//	autonomy    how far an agent edits memory by itself; suggestion: an edit that waits for its user
//	correct     to put another value in the place of one, which becomes history
//	forget      to end a record and to show it to nobody; erase (an Order): to take it out of every layer
//	mark        what stands in the place of a text that was forgotten, or of a secret
package state

// Design:
//
//   - State is data: no services, functions or any-maps in it. Services travel in configs, the scope and the
//     collectors of a turn (Trace, Effects, events) in the context.
//   - One error type with six codes; callers branch on codes, people read texts.
//   - Ids hold no "/", "$" or control characters, so a key is its ids joined with "/" and no id can reach
//     another's keys. That is checked in one place, ValidateID.
//   - A Decision's title and reasoning are text and kept with the message; the log holds ids only, so that
//     forgetting reaches every text.
//   - The account of a turn is a field of its state: pages that ride in the commits of what they tell of. So it is crash-safe,
//     folded, pruned, forked, sealed and copied with the log, by no mechanism of its own, and costs no commit and no reading. A page is
//     text in rows, so that people can read it with any tool, and small: what is the same in the next prompt is named only.
//   - No account has anybody's text. Of a note only numbers and words of ours are kept (Trace.Note sees to it by the types of its
//     arguments), a label is a sum, and a sum has 16 bits, too few to find a forgotten text out by trying.
//   - Key facts are an ordered list, not a map: people see them in the order they were said, and labels may
//     hold dots. In JSON they are an object.
