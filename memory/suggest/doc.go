// Package suggest is the gate that every edit of memory passes, and what waits there for its user where autonomy is 1.
//
//	err := room.Gate(ctx, scope, wish)                  // a door asks, once it knows that the edit is possible
//	var waits *suggest.WaitsError
//	if errors.As(err, &waits) { ... }                   // nothing was changed
//	...
//	list, err := m.Suggestions().List(ctx, scope, false)
//	done, err := m.Suggestions().Answer(ctx, scope, list[0].ID, state.Answer{Choice: state.Approve})
//
//	a door ─► Wish ─► Gate ─┬─► it may: the door goes on ─► desk.Decide
//	            ▲           └─► a suggestion, kept ─► List ─► Answer ─► Fulfil: the door again, approved ─► effects, made while it waits
//	            └────────────────────────────────────────────────────────┘
package suggest

// Design:
//
//   - A suggestion holds the request and not its effects: what it comes to is judged anew when it is answered.
//
//   - It is carried out once, in two processes and after a crash too: its effects are made only while it waits (state.Effect.Answers).
//
//   - Nobody answers for the user. A model's answer needs his words in the message of the turn.
//
//   - What waits is in no mind, no index and no prompt. What is answered goes after a while, and the audit goes on telling that it was there.
