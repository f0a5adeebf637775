// Package token counts text the way chat models are charged for it, offline.
//
//	c := token.New()
//	n := c.Count("Číslo objednávky je 07-14244-53150.")
//	short := c.Cut(long, 20) // 20 tokens of it
//
// A budget that is guessed at four characters a token is wrong by almost a factor of two for Czech with
// numbers. So every budget of the module is counted in tokens of o200k_base, the vocabulary of current OpenAI
// models; other providers' counts differ by some per cent, which is what the distance between max_tokens and
// context_window is for. The vocabulary is compiled in: nothing is read or fetched.
//
//	text ──► cache of texts ──► splitter ──► cache of pieces ──► byte pairs ──► sum
//	         (messages, lines)  (words, runs) (words come back)  (the library)
package token

// Design:
//
//   - The byte-pair merging is tiktoken-go's. Its splitting of text into pieces is replaced: the library runs a
//     backtracking regular expression, which is slow on ordinary text (5 MB/s) and takes minutes on a megabyte
//     of " \n". The splitter here reads each rune at most three times and gives the same pieces; a fuzz test
//     holds it to the library's counts.
//   - Runs without a boundary (a megabyte of one letter, base64) are counted in chunks of 512 bytes. At the
//     seams the count may differ from the exact one by a token or so; it is the same each time, and linear.
//   - The package codec is imported, not its parent: the linker then leaves the other vocabularies out, which
//     halves what is added to a binary.
//   - Two caches, of whole texts and of pieces, forget by generations: a full young generation becomes the old
//     one and the old one is dropped. That needs no list, no clock and no lock beyond one per shard, and the bound
//     holds in bytes, whatever is asked.
//   - The vocabulary is loaded at the first count, 25 ms and 10 MB: a process that never counts pays nothing.
