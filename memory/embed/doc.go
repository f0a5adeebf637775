// Package embed turns texts into unit vectors, by whatever eino embedder it is given.
//
//	e, err := embed.New(embed.Config{Model: model, Name: "openai:text-embedding-3-small"}) // any eino embedder
//	vectors, err := e.Embed(ctx, "When does the car part arrive?", "It comes on Friday.")
//	m, err := memory.New(memory.Config{Store: s, Embedder: e, Shelf: shelf})
//
//	texts ──► cache ──► windows of the model's length, overlapping ──► model, in batches, few at a time
//	            ▲                                                        │
//	            └──────── mean of the windows, weighted by length, unit length ◄── checked: dimension, NaN, zero
package embed

// Design:
//
//   - The seam is eino's own embedding.Embedder, so that every eino-ext provider fits; package static loads a
//     model from a folder, package hashed needs none (for tests).
//   - A text longer than the model's window is never cut silently: it is embedded in overlapping windows whose
//     vectors are averaged by length. Windows are counted in tokens of another vocabulary; a model that still finds one too
//     long says ErrTooLong and is asked for halves.
//   - What a model answers is checked here, once: one vector a text, all of one dimension, none without a direction. The
//     first sound answer settles the dimension; another one later is state.ErrConflict, for it would be another space.
//   - A text that is given twice in a call is asked for once.
//   - The cache counts bytes and is keyed by a hash of the text, so it keeps no text.
//   - Few calls run at a time (Config.Parallel), whoever asks: embedding is background work on shared cores.
