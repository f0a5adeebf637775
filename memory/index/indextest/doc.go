// Package indextest is the suite that every driver of package index passes: about a hundred small cases, a crowd, and random
// sequences of calls that are compared with a plain map.
//
//	func TestDriver(t *testing.T) {
//		indextest.Run(t, func(t *testing.T) index.Shelf { return openEmpty(t) })
//	}
//
//	driver's test ──► Run(t, open) ──► group ──open──► Shelf ──Open(Space)──► Vectors
//	                                     └─ case, case, ...  one after another, each with an owner of its own
package indextest

// Design:
//
//   - Cases of a group share a shelf and a space: on a server opening them costs more than the case. An owner of its own keeps
//     each of them apart, which is what owners are for.
//   - Where order matters, vectors have one coordinate, or four of equal size. Their cosines are multiples of a quarter, exact in
//     every order of summation, so equal is equal on every driver and ties are ties.
//   - Every search asks for Fresh answers; what a driver may miss without it is its own affair.
//   - Cases run one after another, not in parallel: the first that fails names the fault, and a small server keeps up.
