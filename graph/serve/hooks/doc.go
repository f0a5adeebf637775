// Package hooks tells other programs what waits for a person, by webhooks: a task is due, a turn has asked a question, an edit of memory waits for approval.
//
//	targets, err := hooks.Parse("https://desk.example/mneme acme=https://acme.example/in", "whsec_...", false)
//	...
//	h, err := hooks.New(hooks.Config{Targets: targets, Graph: g, Store: store})
//	if err != nil {
//		return err
//	}
//	h.Run(ctx) // until ctx ends
//
//	records, suggestions ─┐
//	open turns           ─┴► what waits ─► message, kept before it is sent ─► POST, signed ─► 2xx: noted as sent
//	                              │                                             └► else: tried again when its time has come, with the same id and body
//	                              └► what waits no more: its message is deleted
//
// Messages follow the Standard Webhooks specification (webhook-id, webhook-timestamp, webhook-signature), whose libraries verify them.
package hooks

// Design:
//
//   - What is to be told is found in the store, not put into a line: what waits stands there already. So nothing is lost in a crash, and a receiver that is down
//     for a day makes nothing grow: there are at most as many messages as things that wait, times addresses. What was settled before it could be told is not told.
//
//   - A message is kept before it is sent and noted as sent behind the answer. A process that dies in between sends it again: the same id, the same body. It comes at
//     least once, and receivers tell repeats by the id.
//
//   - Users are looked at one by one, and what waits of them is read a page at a time: in RAM are the ids of one user's things for each client, and of others a number and a
//     time. Clients take turns, twenty messages each, and a pass goes on where the last one ended: nobody waits until all is told of somebody with very much.
//
//   - What cannot be read of a session or a user is said once and passed over. Messages about it are kept, so that none of it is told twice when it can be read again.
//
//   - A message has ids and no text. It lies in logs of others, where no forgetting reaches; the text is had from the service, with a key and by who may.
//
//   - Its key begins with client and user, so that erasing a user deletes it.
//
//   - Addresses are the operator's alone, and yet a name may lead inside: what is dialled is checked, not what is written. Redirects are not followed.
//
//   - Waits grow and are spread as those of flow.Retry, for a message and for an address that answers nothing: an address that fails is asked for one message at a time.
