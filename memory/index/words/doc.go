// Package words finds a user's messages and records by their words, in this process, without a model or a server.
//
// An Index holds what one user has said and what is remembered about it: it is the scope whose statistics BM25 needs,
// so a word that this user writes every day counts little here and much elsewhere. It is built from the store when first asked and
// kept up to date by Put and Delete; a Put is seen by the next Search. Nothing is written to disk: the store is the
// record.
//
//	Put ──► text.Terms ──► postings: word -> (document, times in text, times in head)
//	                       groups:   session -> documents in order
//	Search ──► query terms ──► BM25 of text and of head + text ──► spread to neighbours ──► fields / maximum ──► Hits
//	             └─ a term nobody wrote: nearby words, at half weight or less
//
// # Design
//
//   - Two fields come from one posting: the own words, and the own words after speaker and date ("Ann, 8 May 2023:
//     ..."). The second answers "what did Ann say in May", the first keeps names from drowning the words.
//   - With Query.Around a message also scores for what stands next to it in its session, and for the session as a whole: "it
//     arrived today" is about the order two messages up. Scores are spread when asked, not written into the documents,
//     so a new message rewrites nothing. Of the same fields written into an index the measured recall at ten was
//     1.3 points higher on one set and equal on another.
//   - Fields are divided by the query's maximum and added. Rank fusion was measured too and lost.
//   - A query term in no document falls back to words that share a long beginning or differ by one letter. Stemmers
//     miss inflections and people mistype; a term that is found is never widened, so exact search stays exact.
//     Numbers and identifiers never fall back: another order number is another order.
//   - Results are the same bits whatever the history of the index: statistics are integers of the living documents and sums
//     run in the order of the query. Equal scores go to the newer document, then by id.
//   - Deleted documents stay as tombstones until they are half of the index; then it is rebuilt. So a write costs its own
//     words, a search the postings of its words, and memory at most twice what lives.
//   - Text is not kept: whoever shows a hit reads the document anyway, for rights and freshness.
package words
