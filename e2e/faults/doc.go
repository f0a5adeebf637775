// Package faults holds tests of the whole: graphs over real stores, while something breaks.
//
//	what breaks                          where                        what must be true afterwards
//	-----------                          -----                        ----------------------------
//	eight messages at once               one session, two processes   one line of turns, none lost, each policy kept
//	a store call, each in turn           ram, loose, sqlite            the end is that of an undisturbed run
//	the line to the server               MongoDB behind a proxy       the same, and no call outlives its deadline
//	a process that is stopped            two processes, MongoDB       the one that slept is fenced, one reply is kept
//	clocks an hour apart                 two processes, MongoDB       the order of turns is that of the log
//	two processes for one user           loose, MongoDB               each sees the other's memory in its next turn
//	thirty-two callers                   all stores                   every thread is linearizable, and alone
//	every second turn, by its caller     sqlite, MongoDB              each next message is answered, nothing is lost
//	ten thousand turns that are cut      ram                          no goroutine and no more memory is left behind
//	a full disk, a file cut short        sqlite                       typed errors, nothing acknowledged is lost
//
// The last test counts sequential round trips of a turn.
package faults

// Design:
//
//   - An oracle without clocks and ids: what people and models can see of a store after the story has ended
//     (picture_test.go), compared with a run that nobody disturbed.
//   - Faults are put where they can be numbered: at the n-th call of a store, for every n. What comes by chance comes from
//     a printed seed; MNEME_SEED sets it, MNEME_LONG=1 tries more of them.
//   - A client does what a client can do: it sees an error, goes on with Resume, and sends again what had not begun.
//   - Nothing sleeps. Clocks and waiting are handed in; a turn that has to stand still waits at a gate.
//   - There is nothing here but tests, so that nothing can depend on it.
