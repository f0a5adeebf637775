// Package spoken recognises what a user says to the memory itself: remember this, forget it, what do you know about me.
//
//	c := spoken.Find("Hey, could you please remember that I drink tea without milk?")
//	fmt.Println(c.Action, c.Object) // remember I drink tea without milk
//
//	"Hey, could you please remember that I drink tea?"
//	   │ split          words, with where sentences and clauses begin and what is quoted
//	   │ lead           hey | could you | please         are passed over
//	   │ patterns       remember that X                  the longest one decides
//	   ▼ object         I drink tea
//
// # Design
//
//   - The rules are data, one file a language; all are tried, since people mix languages. A line is an action and patterns
//     (text.Pattern) with " / " between them; {name} stands for each of the alternatives of the line "def name".
//   - A pattern holds where a clause begins, behind any number of leads. It ends where a clause ends, tails aside: so "forget the
//     keys" is no "forget". X at its end takes the rest as object, X? may.
//   - Lookalikes are patterns of the action none. The longest pattern wins, and of equal ones none: what is taken for a command by
//     mistake deletes or shows what nobody asked for, a missed one is said again.
//   - What stands in quotes is somebody else's. A question is no order to remember unless its line says so with remember? or a lead stands before it.
//   - A text in which nothing is found is read again with words of one wrong letter mended. Their last two letters must be right,
//     since in Slavic languages they tell an order from a story.
//   - The object is cut out of the message as it was written. When nothing follows "remember that", what stands before it in the message is the object.
package spoken
