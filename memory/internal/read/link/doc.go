// Package link tells which remembered things belong together because they speak of the same order, person, firm, address or
// topic, or are part of one affair. Nothing here reads a store or asks a model: keys are taken from the text when it is
// written, and the graph is made of them in RAM whenever it is needed.
//
// A key stands for one thing of the world. Things that share a key are one step apart; what only shares one with a neighbour is
// two steps apart. The rarer a key, the more it links.
//
//	text ──► Of ──► keys ──► Graph.Put ──► buckets: key ──► things
//	         id: mail: phone:              affair ──► things
//	         host: name: topic:                 │
//	                          Near(id) ◄── one or two steps, weights fall
package link

// Design:
//
//   - The graph holds ids, keys and affairs only, so it is a derived thing: throw it away and Put every document again.
//   - Keys are few and telling. Common words are the word index's business, and a key that more than a twentieth of all
//     things have (and more than twenty) links nothing, because it would link everything.
//   - A name's key is what its cases share, so that "Novák" and "s Novákem" meet. That also joins a few people, Jan and
//     Jana; links rank what is shown and merge nothing, so the price is small.
//   - Passwords and PINs are no keys: keys are shown, in explanations and in exports.
//   - A second step is bounded in both directions, through the eight nearest and by rare keys, so that a walk costs tens of
//     microseconds however the keys are spread.
//   - Weights are summed in the order of keys and ties are broken by id, so the same documents give the same answer, whatever
//     order they came in.
//   - No lock: whoever holds the graph has one for the documents as well, and one is enough.
