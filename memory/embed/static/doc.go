// Package static embeds texts with a model of one vector a token, read from a folder: the layout of Model2Vec and of
// sentence-transformers' StaticEmbedding. Nothing is ever downloaded.
//
//	model, err := static.Open("models/potion-multilingual-128M")
//
//	text ──► normaliser ──► pre-tokenizer ──► WordPiece or Unigram ──► rows of the table ──► mean ──► unit length
//	         lower case,     words, signs       token ids; unknown      (mapping, weights)            (if the
//	         accents, NFKC   or "▁words"        ones are dropped                                       config says)
//
// The folder holds model.safetensors (tensor "embeddings" or "embedding.weight" of F32, F16, BF16 or I8; "mapping" and
// "weights" if it has them), tokenizer.json and, if it likes, config.json. A model of 30 MB answers in ten or twenty
// microseconds on one core, and finds meanings, though not word order: "dog bites man" is "man bites dog".
package static

// Design:
//
//   - Everything is checked when it is opened, so that embedding cannot go wrong afterwards: offsets, shapes, NaN, ids
//     behind the table, a mapping that leads nowhere. Every error is a state.Error that names the file; none is a panic.
//   - The table stays in memory as it is on disk: F16 is half the size of F32, I8 a quarter. Rows are widened as they
//     are added up.
//   - Tokenizing is our own, for the parts that such models use, and gives the ids that the tokenizers library gives. What
//     is not known (byte-level BPE, an unknown normaliser) is refused by name, for guessing would quietly give other
//     vectors than the model's.
//   - The charsmap of SentencePiece models ("Precompiled") is handled as its usual content, nmt_nfkc: NFKC, control
//     characters dropped, all white space a space.
//   - Unigram's vocabulary is one string of all tokens in order, searched by narrowing a range byte by byte: 8 bytes a
//     token instead of a tree's 100, and no pointers for the garbage collector.
//   - Special tokens written in a text ("[SEP]") are ordinary text here: what a user types is never a command.
//   - A text none of whose tokens is known (a lone emoji) has no mean. Model2Vec gives zero, which no index takes; here it
//     gets a direction of its own, hashed from its characters, so that it finds its equals and hardly anything else.
//   - seq_length is not a limit here: a mean has none. Window reports it, for whoever cuts long texts.
