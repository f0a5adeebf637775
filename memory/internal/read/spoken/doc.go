// Package spoken recognises what a user says to the memory itself: remember this, forget it, what do you know about me.
//
//	c := spoken.Find("Hey, could you please remember that I drink tea without milk?")
//	fmt.Println(c.Action, c.Object) // remember I drink tea without milk
//
//	message
//	   │ split      words and signs, folded; sentences
//	   │ signs      words, pairs, parts of words ...
//	   ▼ orders     how likely each action is (data/orders.bin)
//	action
//	   │ signs of each word, and where it stands
//	   ▼ objects    whether the order is about the word (data/objects.bin)
//	object          the best run of words
package spoken

// Design:
//
//   - Nobody can list how people ask. The frames of words that were here before recognised .93 of what their own authors wrote and .70 to .79 of what others
//     did. So both steps are learnt from messages that many hands have labelled (memory/score/testdata/commands), by linear models: what they know is
//     a number for each sign, a message is read in a pass, and a new language is a file of labelled messages.
//   - Twice as many of those messages order nothing but sound alike. What is taken for an order by mistake deletes or shows what nobody asked for; what is
//     missed is said again. So an order is taken only when it is likely (sure). Where it is only possible, a question about a topic and a correction hold if
//     the memory knows what they are about (IfKnown), an order to forget is answered as one that is not understood (Unclear), and the rest is none.
//   - The object is a run of words as they were written. The words of a statement are stretched over the clause in which they stand, since what is
//     kept has to make sense by itself.
//   - A message may order several things: Several takes it apart where each part surely orders by itself, and another kind of thing than the one before
//     it. Of what other hands wrote that is a tenth; the rest is read as one order, and what else is asked is left to the model that answers.
//   - What few rules stand beside the models find their words in data/words.txt.
//   - The models are made by `go test ./memory/internal/read/spoken -run TestFit -fit`. A feature is known by its hash alone; it is left out when few
//     messages have it. Weights are kept in six bits.
