// Package settings says which settings hold: for everybody, for a client, for a user. What people change while processes run stands in
// documents of the store.
//
//	d := settings.New(settings.Config{Store: s})
//	_, err := d.Change(ctx, settings.ForUser, scope, settings.Edit{Set: map[string]string{"max_tokens": "4000"}, By: "anna"})
//	...
//	set, err := d.In(ctx, scope)
//	fmt.Println(set.MaxTokens, set.Origin("max_tokens")) // 4000 user
//
//	what the operator has fixed > user > client > global > default
//
// A turn begins with In and carries the Set in its context (ContextWith), so that it has one set from beginning to end, also behind the
// reply, whatever is changed meanwhile. One that is resumed has the set of the time when it is resumed.
package settings

// Design:
//
//   - The operator fixes a setting by flag, environment or file, or by giving a host's Config another value than the default. No document
//     changes it.
//
//   - autonomy is the lowest of what the operator, the global, the client's and the user's document say. Only the operator and the global
//     document may say more than the default. A document that cannot be read might have said less, so autonomy is 0 until it is mended.
//
//   - A setting of a process (budgets of RAM, the embedder and the like) stands in the global document only. It counts for processes that
//     start afterwards: AtStart, which the command and graph/embedded go by; another host calls it before it makes its graph. An embedding_model is
//     opened by the command, and by nobody else.
//
//   - A document that is damaged, or holds what this release refuses, costs that value only. Set.Notes tells, each turn's trace has them, and
//     so has mneme doctor. No turn is refused for it.
//
//   - Looking costs one reading in half a second, of the global document: it counts the changes of all documents, so those of a client and a
//     user are read again only when the count has moved, and every ten minutes in case the writer of a change died before he counted it.
//     So a process sees a change within a second, at the beginning of a turn.
//
//   - What a change of a document replaces stays in its history: who, when, before, after. The document has the last 64 changes at most, older
//     ones stand behind it in documents of their own, 32 in each. None is dropped.
//
//   - These documents are written here and not by the ledger: they are no memory, no turn writes them, and a user's undo leaves them.
