// Package storetest is the suite every store driver passes. A driver's test is three lines:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return ram.New() })
//	}
//
// Each case gets an empty store of its own and says in its name what it promises; what fails names the
// document and shows what came back and what should have.
package storetest

// Design:
//
//   - The suite is the contract in executable form: what package store promises and no case asks for is
//     not promised. Nothing in it looks at a driver's inside; durability across crashes is the driver's own
//     test.
//   - Hand-written cases come first, because they say what is broken; a random walk compared with a map
//     (pgregory.net/rapid) comes last and finds what nobody thought of.
//   - A driver that lacks something says so in its Features, never by silence: without Atomic the cases of
//     atomicity give way to those that look for a document that was touched and should not have been.
//   - Faulty is for the tests of what stands on a store: it fails a call by its number, before or after it is done or by
//     half, for once or from then on, or does what a test wants around it.
//   - Large bodies stand on both sides of 256 KB, where drivers change from one form to another.
