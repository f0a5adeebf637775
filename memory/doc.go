// Package memory is everything remembered, and the one door for reading and writing it.
//
// The pipeline calls it once a node: Admit takes a message in, Load reads what a turn starts from, Decide judges
// the message and parks or takes up affairs, Gather and Compose make the prompt, Flush closes the turn's books.
// Tools and commands use Write, Recall and the affair calls.
//
//	Write, Decide, Flush ... ─► Effects ─► (the step's commit, or at once) Apply ─► documents + feed entry
//	                                                                                      │
//	Load, Recall, Detect ◄── mind (one user's RAM: affairs, word index, histories) ◄──────┘ feed
//
// # Design
//
//   - Deciding and writing are two things. Decisions become effects (data); inside a turn they join the step's
//     commit, outside they are committed at once. Apply loads, merges and writes with compare-and-swap, so a
//     conflict with another writer is merged again, never lost.
//   - RAM is derived. A mind is brought up to the head of the user's feed before each use, so it is never older
//     than the last commit of any process, and dropping it costs only time.
//   - A store without transactions cannot write a step with its documents. There a step's commit is its insertion;
//     what it decided is pending in the mind (replica.go), where this process sees it, and a turn carries it
//     all out at its end (carry.go): documents at a time, then the feed entry. Each document keeps marks of the steps it
//     has, so that a repair after a crash makes every edit once. The mind keeps the documents themselves there, so
//     a turn makes one reading: the feed behind the mind's number, which tells what other processes wrote. An
//     affair or record that vanishes without an entry in the feed is found until the next one.
//   - Another affair's facts never enter a prompt, except as evidence for an AD_HOC question about it. That is
//     decided in one place, Gather.
//   - Summaries follow the same rule: an affair's messages are summed up in the affair, the session's summary
//     covers only what belongs to none.
//   - Without a small model everything works by rule; with one, its errors fall back to the rules and are noted.
//
// Not yet in this release: vectors, deduplication beyond exact repeats, contradiction handling, forgetting,
// extraction at the end of a session, brain and active context.
package memory
