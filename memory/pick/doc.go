// Package pick finds the one thing of a list that a person names: an affair, a suggestion, a session, a turn, a record.
//
//	id, err := pick.One("affair", "car part", []pick.Item{{ID: a.ID, Title: a.Title, Number: 1}})
//
// Design:
//
//   - A whole id comes first, then a number of the list that was printed or a whole title, then the first four or more
//     characters of an id or a part of a title. What matches later is looked at only when nothing matches earlier.
//   - What fits several is refused with all of them (state.ErrConflict): a command that guesses approves or erases
//     another thing than was meant. The middle of an id names nothing.
//   - A few digits are a number and no part of anything: 1 is the first of the list, never an id or a title with a 1 in it.
package pick
