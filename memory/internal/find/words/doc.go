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
//	       ──► gather: BM25 of every document that has one, session totals; cosines of Query.Near
//	       ──► rough: neighbours' scores added, the best 256 by the sum of fields
//	       ──► refine: windows, pairs, passages read word by word; fields / maximum, weighted by the profile; x factors
//	       ──► Hits that say why
//
// # Design
//
//   - Context beats everything in chats: "it arrived today" is about the order two messages up. A document is ranked by its
//     own words, by those with the two messages before, with two before and two after, and by the whole session. These
//     windows are scored when asked, not written into the documents, so a new message rewrites nothing; and read only for
//     the best of a rough pass that adds up neighbours' scores, which costs a tenth and leaves the first ten as they are.
//   - Fields are divided by the query's maximum and added. Rank fusion was measured too and lost. The vectors' cosine is
//     one more field, so a document found only by vector or only by words has its place.
//   - What counts how much is a profile, chosen from the scope's own statistics: people among themselves, an assistant with brief
//     answers, an assistant with long ones, where beginnings, passages and the user's own messages count. Profiles blend, so
//     no single message turns the order over. Levers that help one kind of chat and hurt another are bounded.
//   - People ask in other words than they wrote. A term is also found by words of the same everyday matter (thesaurus and concepts
//     of package text) and by words spelled alike, at a part of its weight, and a document has a term once, by the best such
//     word: synonyms never add up, and the word itself always counts most. How many may stand in, and how many postings they
//     may cost, is bounded.
//   - Across languages only the thesaurus leads from a question to a text, and only for everyday words: who asks in English what
//     was said in Russian needs a multilingual embedder, whose cosines come in as Query.Near.
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
package words
