// Package embedded opens the memory in one folder: no server, no key, no network.
//
//	g, err := embedded.Open(ctx, dir)
//	if err != nil {
//		return err
//	}
//	defer g.Close()
//	reply, err := g.Invoke(ctx, graph.Request{Text: "I ordered brake pads, order number 07-14244-53150."})
//
//	Open(ctx, dir) ─► graph.Graph over state/store/sqlite, answering with memory/component/offline
package embedded

// Design:
//
//   - It owns the store it opens: Close ends the graph and closes the store. With graph.New the store is yours.
//   - Several processes may have the folder open, `mneme affairs` beside a program that talks, say. Turns of one session
//     come one after the other all the same: the second is checkpoint.ErrBusy.
