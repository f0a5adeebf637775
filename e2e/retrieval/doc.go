// Package retrieval measures recall on conversations with questions whose answers are known.
//
//	JSON Lines ─► Read ─► conversations ─► Memory.Turn().Ingest, turn by turn ─► Memory.Recall, question by question ─► Figures
package retrieval

// Design:
//
//   - Nothing is measured beside the product: turns go in where an import goes in, questions where memory_recall asks.
//   - One conversation is one user, so the statistics of its words are its own.
//   - Figures compare with what the field publishes: recall, hit, MRR and NDCG at turn level and at the level of the
//     session an answer stands in. Predictions can be written out, so that anyone can score again.
//   - The data under testdata is our own, written by hand in cs, pl, ru and en: everyday things told to an assistant over
//     weeks and asked for later in other words, chats of friends, texting, and long answers. What begins with held was written
//     last and decided nothing. The test holds floors on all; public test sets are for others to measure with.
//   - testdata/precision are 35 memories and 80 questions in each of four languages, by hands that have not seen the rules: how much of what a prompt
//     shows belongs to the question (TestPromptPrecision). The figures were looked at while the rule was made.
//   - testdata/callback are letters that call back in passing to what was told long ago, in four languages. TestCallback of package memory lays
//     them among everyday talk and holds recall to plain BM25; it is there because the words of that come from memory's own reading.
