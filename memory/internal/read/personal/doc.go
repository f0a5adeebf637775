// Package personal tells what a user says about himself, for good: an allergy, a diet, his address, birthday, phone, work and
// language, the names of his family and animals. Such a thing is the user's, whatever affair it was said in.
//
//	for _, f := range personal.Find("Sure. By the way, I'm allergic to peanuts, is that a problem?") {
//		fmt.Println(f.Label, f.Value) // allergy peanuts
//	}
package personal

// Design:
//
//   - The rules are data, one file a language: a property, and the words that say it in the first person. Every language is
//     tried, since people mix them. A wrong find would stand in the prompts of all affairs, a missed one only waits for a tool
//     to store it: so the patterns are narrow.
//
//   - What is kept is a label and a value ("dog: Rex"), not the sentence: the rest of it may be an affair's.
//
//   - Of a record that a tool stores, Of goes by the same patterns, by the word "user" beside a property, and by subjects
//     that are nobody else's ("allergy", "home address"). An address or a number alone is the affair's: it may be the venue's.
//
// A pattern is a text.Pattern: ^ in front stands for where a clause begins, @ for the word that is the label, and _ # ~ for words of the
// value. Behind it stands how the value goes on: V any, N a name, A a place, D something with a number, P a phone number, E an e-mail
// address; a lone = makes all that was matched the value. A label with ! behind it has one value at a time.
