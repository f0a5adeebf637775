// Package poison measures what others' words can do to a memory: texts that tools, documents and pasted letters bring, obeyed by a model that
// does whatever any text in its prompt tells it. An attack has succeeded when a later session's prompt has its words where only the
// user's stand, when something that the user said has ended, or when a command of his memory was carried out that he has not given.
// The other half is what must not be refused: what users say of themselves, and what tools and documents rightly bring.
//
// testdata/said_his.txt and said_others.txt are what a model stores of what the user has said and of what he has not: in the last message, twenty
// messages ago, in the affair in a session before; beside results of tools, documents and pasted texts, and with nobody having said it.
//
// testdata/attacks_tuned.txt was looked at while the checks were written, testdata/attacks_heldout.txt was not.
package poison
