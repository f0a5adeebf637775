// Package hashed turns texts into vectors without a model.
//
//	model, err := hashed.New(hashed.Config{})
//	e, err := embed.New(embed.Config{Model: model, Name: "hashed", Dim: hashed.DefaultDim})
//
//	text ──► words ──► stem (unless a stop word) ──────────┐
//	           └─────► its 3-, 4- and 5-grams ("^invoice$") ┴──► signed buckets ──► unit vector
//
// It finds spellings, not meanings: "invoice" is near "invoices" and "invocie", and as far from "bill" as from "horse".
// The word index beside it finds as much or more, so it is no embedder to run with. It is one for tests, benchmarks and
// for comparing index drivers: no download, no network, and equal vectors wherever and whenever it runs.
package hashed

// Design:
//
//   - Feature hashing with a sign (Weinberger et al., Feature Hashing for Large Scale Multitask Learning, 2009): two
//     features in one bucket cancel out as often as they add up, so collisions cost spread but no bias.
//   - Counts are dampened, 1 + ln n, so that a word said ten times does not drown the rest.
//   - The grams of a word weigh together as much as its stem: a long word is not worth more than a short one.
//   - The hash is FNV-1a behind a mixer, written down here, because hash/maphash differs between processes.
//   - A text without a word (signs, emoji) is hashed by its characters. Only white space has no vector.
