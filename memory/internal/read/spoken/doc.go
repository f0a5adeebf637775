// Package spoken recognises what a user says to the memory itself: remember this, forget it, what do you know about me.
//
//	c := spoken.Find("Hey, could you please remember that I drink tea without milk?")
//	fmt.Println(c.Action, c.Object) // remember I drink tea without milk
//
//	"Hey, could you please remember that I drink tea?"
//	   │ split          words, with where sentences and clauses begin and what is quoted
//	   │ tag            could: could you; polite: please; keep: remember; that: that
//	   │ leads          hey, could you: are passed over
//	   │ frames         [keep self? this? that?] X?
//	   ▼ object         I drink tea
package spoken

// Design:
//
//   - What people say is the same in every language, the words are not. So a command is a frame of groups of words, one file for all
//     languages (data/frames.txt), and a language is a file of words by group (data/words_LANG.txt): a new language needs no frame.
//   - The words of a frame stand in any order, as in Slavic languages they do, and no other words among them. A frame holds where a
//     clause begins, behind any number of leads. So "forget the keys" is no "forget", and "she told me to forget it" is no order.
//   - All languages are tried, since people mix them. The longest frame at a place decides. Lookalikes are frames of the action none, which
//     win over others as long: what is taken for a command by mistake deletes or shows what nobody asked for, a missed one is said again.
//   - What stands in quotes, in a line of code or beside "the recipe says" is somebody else's. A question is no order unless "could you" stands
//     before it, or all of the question is "all right?" behind it. Infinitives and futures are orders only there.
//   - Another clause of the sentence says whose words a command is: who said it, before, behind or in the middle; whom it calls ("kids"); that it
//     is only imagined ("suppose", "if I told you"). "As I said" does not. Lines of a list, and those that begin with ">", are somebody's text.
//   - A few words that name a thing and are nobody's, without a number or a name, are nothing to remember: the milk, the golden rule. To say that
//     something is wrong corrects what is the user's own (I, my, an appointment, Tom); else the caller has to see whether the memory knows it.
//   - What is worked on or kept elsewhere (files, lists, calendars, five ideas) is none of the memory's: such words count in every form.
//   - An infinitive behind "remember" or "never forget" is a chore, and no fact: Slavic ones are told by their endings.
//   - "What do you know about" asks the memory only of what is the user's own: my car, mum, Tom. First names are listed; of another name, Rex or
//     Einstein, the caller has to see whether the memory knows it. A correction yields to a command that follows it.
//   - A text in which nothing is found is read again with words of one wrong letter mended. Their last two letters must be right,
//     since in Slavic languages they tell an order from a story.
//   - The object is cut out of the message as it was written. When nothing follows "remember that", what stands before it in the message is the object.
