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
//   - Another affair's facts never enter a prompt, except as evidence for an AD_HOC question about it. That is
//     decided in one place, Gather.
//   - Summaries follow the same rule: an affair's messages are summed up in the affair, the session's summary
//     covers only what belongs to none.
//   - Without a small model everything works by rule; with one, its errors fall back to the rules and are noted.
//
// Not yet in this release: vectors, deduplication beyond exact repeats, contradiction handling, forgetting,
// extraction at the end of a session, brain and active context.
package memory
