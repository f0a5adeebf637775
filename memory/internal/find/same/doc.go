// Package same tells what a new record is to one that is there: the same thing said again, a refinement, a new value
// of the same thing, another thing, or not to be told from the words. Nothing here reads a clock or a store and no model
// is asked; who gets Unsure may ask one, and until then both records stay.
//
// The two texts are read into faces: words with what they do in a record, and values with what sort they are. The faces are
// compared word by word and value by value, and a list of rules looks at what differs, the costly errors first.
//
//	record ─► read ─► words: names, relatives, likes, denials, attributes ─┐
//	                  values: identifiers, amounts, moments, contacts ─────┴─► compare ─► difference
//	                                                                                           │
//	 another thing? ◄── another value or denial? ◄── rival words? ◄── all alike: more, or no more ◄┘
//	 Other, Unsure      Replaces, Unsure             Unsure, Other    Refines, Same
package same

// Design:
//
//   - A wrong merge loses what somebody said, two records for one thing cost a line of context. So every rule that
//     separates comes before every rule that joins, and what no rule knows is Unsure.
//   - An identifier and whoever is spoken of make the thing; amounts, days, numbers and contacts are what it has. That the same
//     subject has another value is a new value only if nothing else differs that may say which thing has it.
//   - Attributes that have one value at a time (employer, home, boss, state) are listed by their words; what stands behind their
//     verb, or behind their noun and "is", is the value. Whatever can hold twice (likes, owns, is allergic to) is not listed.
//   - People say what is new in few words: "dentist is actually Friday 11am". So what has most of its words in an old record may give that another value,
//     however much more the old one tells; but two that share no word have nothing to do with each other, whatever differs between them.
//   - A cosine alone joins only texts that differ in wording throughout. Where a word stands in the place of another the
//     vectors are near whatever the two words are, so they prove nothing.
//   - Without vectors a refinement has all words and values of the old record, which is more than 0.85 of their weight: what
//     replaces the old text has to hold all of it.
//   - A denied word, a dislike, an end ("cancelled") and a small word's opposite (before, after) are differences of
//     value, never of wording, because stop words and stems hide them.
//   - The lists are a text file for all languages under data/, beside which a language may have one of its own, parsed once, on first use. Words of several languages that
//     look alike have the same role in all of them.
