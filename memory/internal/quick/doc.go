// Package quick keeps the account of what memory holds in RAM, in four layers with a budget each, and says what has to go
// when one is full.
//
//	hot     the affairs that may come up next: active and parked ones, at most a hundred a user
//	buffer  what is durable and waits for its vector
//	warm    a user's words, links, sessions and what detection knows
//	cold    vectors; all else that is cold is only in the store
package quick

// Design:
//
//   - What is in RAM is derived: it can go at any time and comes back from the store when it is asked for. So an account is
//     all it takes, and whoever holds the bytes lets go of them.
//   - The least recently used goes first, never what is being used. So a layer is above its budget only by the one thing in
//     use, and only if that alone does not fit.
//   - Bytes are what the holders estimate of themselves; a test holds the sum to the heap, within a fifth.
//   - Nothing expires by time: the feed tells when something is out of date.
