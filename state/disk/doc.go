// Package disk opens what somebody has named, and refuses what would keep the opener waiting.
//
//	f, err := disk.Open("chat.jsonl")
//	root, err := disk.OpenFolder("notes")
package disk

// Design:
//
//   - To open a pipe waits for a writer, and a read of a device may have no end; neither can be broken off, also not by the end of a context. So
//     what is opened is looked at first. There is no flag for opening without waiting that all systems have.
//   - What lies in a folder that somebody else may have made is opened by its os.Root, which no link leaves.
