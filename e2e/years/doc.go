// Package years plays two hundred sessions of each of four made-up users, who change their minds forty times, and looks after every
// session at what is known of them: the brain holds the newest value of each thing and stays under its cap, no older value is shown as
// valid, and a look back at an earlier time finds what held then.
//
//	testdata/LANG.txt ──► story ──► sessions of spoken messages ──► graph (offline model, rules) ──► brain, recall, as_of ──► figures
package years

// Design:
//
//   - A file is a table that a person can read: topics with their values in order, what is said of other people, lasting facts, small talk. The
//     sessions are laid out from it in the same way every time.
//   - Every other session is ended by its user, the others end when he has been away and speaks again.
//   - What a text says is told by a part of its words, so that an inflected form counts. A value counts as gone only if no valid record holds
//     it, whatever the record says besides.
//   - Without MNEME_LONG a user has sixty sessions, with the same changes.
