// Package vectors holds tests that break things between a document and its vector.
//
//	what breaks                                       what must be true afterwards
//	-----------                                       ----------------------------
//	the writer is killed after each acknowledgement   a new process finds all it was told of, by recall and by vectors alone
//	it is killed between document and vector          the next process brings both in step: none too many, none missing
//	the embedder fails, or does not answer            turns are answered from words, in time, and say so; then all is made up for
//	the server of the index is killed                 the same
//	the embedder is changed under eight readers       each of them finds its record, all the time
package vectors

// Design:
//
//   - A child process is the test binary itself, started again (package crash). It tells the parent each acknowledgement on
//     stdout, so that the parent knows what it may hold it to, however the child ends.
//   - Places to die at are the writes of documents, calls of the embedder and calls of the index, before and after, and half
//     a batch. A run that nobody disturbs counts them; the others die at one each.
//   - What the index should hold is worked out from the documents by the tests' own rule, not by asking memory. A second
//     look by a new process must find nothing left to embed.
//   - The look by vectors alone comes first, on the bare store: opening a memory would mend what it is to find.
//   - Rounds and places are few by default; MNEME_LONG=1 tries all. What comes by chance begins at MNEME_SEED.
//   - There is nothing here but tests, so that nothing can depend on it.
