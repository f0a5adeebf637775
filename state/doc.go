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
