// Package words finds a user's messages and records by their words, in this process, without a model or a server, and ranks
// what it and a vector index found. It is the one place where recall is ranked.
//
// An Index holds what one user has said and what is remembered about it: it is the scope whose statistics BM25 needs,
// so a word that this user writes every day counts little here and much elsewhere. It is built from the store when first asked,
// or read from a snapshot, and kept up to date by Put and Delete; a Put is seen by the next Search.
//
//	Put ──► analysis ──► postings: term -> (document, times in text, lead, name, date)
//	                     groups:   session -> documents in order; columns of traits; statistics of the scope
//
//	Search ──► terms of the query ──► lists: the word itself, else words spelled alike, words of the same matter
//	       ──► gather: BM25 of every document that has one, session totals; cosines of Query.Near, less their mean
//	       ──► rough: neighbours' scores added, the best 256 by the sum of fields
//	       ──► refine: windows, pairs, passages read word by word; fields / maximum, weighted by the profile; x factors
//	       ──► Hits that say why
package words

// Design:
//
//   - Context beats everything in chats: "it arrived today" is about the order two messages up. A document is ranked by its
//     own words, by those with the two messages before, with two before and two after, and by the whole session. These
//     windows are scored when asked, not written into the documents, so a new message rewrites nothing; and read only for
//     the best of a rough pass that adds up neighbours' scores, which costs a tenth and leaves the first ten as they are.
//   - Fields are divided by the query's maximum and added. Rank fusion was measured too and lost. The vectors' cosine is
//     one more field, so a document found only by vector or only by words has its place.
//   - A cosine counts by how far it lies above the mean of those found. Embedders differ in where theirs lie: for one a stranger is at
//     0, for another at .7, and divided by the maximum alone the second would tell nothing. What is not named counts as the mean, but what waits for
//     its vector (Query.Late) as its words promise: else a record written just now came behind older ones that have vectors.
//   - Vectors weigh as much as a field of words: .3 of one gains half as much. With all-MiniLM-L6-v2 (22 M parameters, int8), words ->
//     with vectors, R@10/NDCG@10 in per cent on e2e/retrieval: friends 54.3/35.5 -> 61.6/40.2, held_people 85.2/66.8 -> 89.3/72.6,
//     texting 32.5/19.5 -> 39.8/23.3, held_texts 80.1/65.0 -> 82.8/66.6, en 86.9/64.0 -> 90.0/69.4, held_essays 87.0/66.3 -> 88.4/70.9. It
//     knows no Russian (alone 19.6) and does not harm there: 83.8/62.8 -> 86.5/64.0. With multilingual-e5-small (4 bits), whose
//     cosines all lie above .7: ru 83.8/62.8 -> 88.5/66.7, cs 78.7/60.5 -> 81.0/62.5. All of these files were looked at when the weights
//     were chosen. Windows of neighbours' vectors, and the message before in the same vector, gained nothing over the speaker's name.
//   - Scores compare within one query. Share compares across queries, for thresholds: the part of the best possible score that a
//     document has by its own words, its surroundings or its vector, bent so that .1 of it counts as a half (share.go). On the
//     questions of e2e/retrieval, .6 keeps 94 (everyday talk in four languages) to 99 % (chats, essays) of the answers among the first
//     five, and .5 98 to 100 %. Asked of other people's conversations, .6 drops 62 % of what is found in everyday talk, 33 % in chats, 14
//     in essays, whose standing instructions hold for any question; .5 48, 20 and 9. A threshold spares a prompt the farfetched; it
//     cannot tell an answer from what speaks of the same matter.
//   - What counts how much is a profile, chosen from the scope's own statistics: people among themselves, an assistant with brief
//     answers, an assistant with long ones, where beginnings, passages and the user's own messages count. Profiles blend, so
//     no single message turns the order over. Levers that help one kind of chat and hurt another are bounded.
//   - A letter of hundreds of words that calls back to something in passing is another kind of query. Its rarest words are accidents, and its
//     commonest are in every other letter: of about 220 the 160 most telling are looked up. From 64 to 128 terms the weight of the surroundings goes
//     over to the own words, and the user's part fades. Facts found among ten hits in a talk of 600 messages, within 50 messages, 50 to 200,
//     beyond (TestCallback of package memory; 160 was chosen on it): plain BM25 .39, .35, .32; 64 terms .34, .29, .18; 160 terms .49, .50,
//     .33, and faded .52, .54, .51; all terms, faded, .46, .46, .37. Behind 3,000 more messages: plain .21, .21, .21; 160 terms .35, .35, .19, and
//     faded .34, .36, .38. The best 30 terms in a row instead of all find less: .26, .25, .26 by plain BM25.
//   - People ask in other words than they wrote. A term is also found by words of the same everyday matter (thesaurus and concepts
//     of package text) and by words spelled alike, at a part of its weight, and a document has a term once, by the best such
//     word: synonyms never add up, and the word itself always counts most. How many may stand in, and how many postings they
//     may cost, is bounded.
//   - Across languages only the thesaurus leads from a question to a text, and only for everyday words: who asks in English what
//     was said in Russian needs a multilingual embedder, whose cosines come in as Query.Near.
//   - Associate is cross-attention over memory: keys are the cosines of Query.Near, or those of tf-idf word vectors; values are word
//     vectors. It is off in the product (setting associations), for three more hits of plain recall cost a prompt the same and bring more.
//     Questions of e2e/retrieval of which an answer is in the prompt, in per cent: five hits, with three associations behind the gate of
//     .3, with three more hits. By words: chats 58.1, 59.0, 64.3; everyday talk in four languages 76.5, 77.1, 82.7; essays 67.5, 68.1,
//     72.3. With all-MiniLM-L6-v2: chats 62.4, 67.7, 70.2; en 83.1, 86.9, 89.2; essays 72.9, 77.1, 79.5.
//   - A term in no document also falls back to words that share a long beginning or differ by one letter. Stemmers
//     miss inflections and people mistype. Numbers and identifiers never fall back: another order number is another order.
//   - A record or an affair stands alone: it is its own context. So one that matches as well as a message comes before it.
//   - Results are the same bits whatever the history of the index: statistics are integers of the living documents and sums
//     run in the order of the query. Equal scores go to the newer document, then by id.
//   - Deleted documents stay as tombstones until they are half of the index; then it is rebuilt. So a write costs its own
//     words, a search the postings of its words, and memory at most twice what lives.
//   - A document that is put again with the same words, because it was filed elsewhere, is not read again: of its text there is a
//     checksum.
//   - Text is not kept: whoever shows a hit reads the document anyway, for rights and freshness.
//   - A snapshot holds what was learnt from each document and no postings: it is small, and reading it is inserting, which
//     is a sixth of the work of reading the texts. Where it is kept, and of what moment it is, is its owner's matter.
