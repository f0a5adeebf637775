// Package forget erases for good: a record, a topic, an affair, a session, a user, a client, with all that is derived from it, in every layer, and proves it.
//
//	order, err := m.Forget().Erase(ctx, scope, forget.What{Topic: "blue card"})
//	for _, layer := range order.Layers { ... } // how much went, and what a probe found afterwards
//
// It also lets sessions go that nobody has used for as long as the setting keep says (Finish).
//
//	What ─► plan ─► order ─► turns ─► remake ─► feed ─► log ─► documents ─► derived ─► vectors ─► pages
//	        │        (a commit)            a pass: pieces of a commit each, and the order says where it is
//	        └─ what is meant, then all that is derived from it, and what is made again without it
//
// What was ordered may be kept outside of the store too (Config.Ledger, package erasures). Then a store from before, such as a backup, has it erased again
// when it is opened (Restored):
//
//	asked ─► line outside ─► order, as above ─► line outside: done
//	                                            a backup is opened ─► lines that it does not know ─► the same orders, planned from their ids ─► line: again
//
// A person's file may be from before too. It is taken in by Bring, under whatever name, and what was erased of that memory since goes there as well.
package forget

// Design:
//
//   - The order is durable first, and it names documents and no text. From then on nothing that was decided before it is written, in any process.
//
//   - Whoever meets an order that was cut short goes on with it (Owed): the user's next turn, Finish, the next Erase. So each piece is made from the
//     order and from what is still there, by rules alone, and comes out the same whoever makes it.
//
//   - A statement goes wherever it stands (a topic, a record); what was said in one place goes there alone (an affair, a session, a clearing).
//
//   - What a person has pinned stays unless told, and the receipt names it.
//
//   - What is derived is not edited but made again by the same functions that made it (packages affair and parts), without what goes.
//
//   - The line outside is durable before anything goes, and an erasure that cannot be written down is refused. It names documents and no text, as
//     the order does. A store notes the last line that it has seen, so a ledger whose end was cut off is found, and one of another store.
//
//   - In an older store the order is planned again: what the line names, as far as it is there and is what it was, and all that is derived from it. What was
//     said after it is not meant. Where an affair's texts may have been others then, they are made again of what stays.
//
//   - A memory has an origin, the moment of its first change, which all copies of it share. So the orders that mean a file are known whatever its user is
//     called now, and a memory of another store that happens to be under the same name is left alone. They are kept with the stage "plan" before the file is
//     written.
//
//   - A store that was used with a ledger opens with none no more. Who has lost it says so (Adopt), and the store's own orders begin the new one.
