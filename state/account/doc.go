// Package account is how a turn came to what it did, in pages: one for each commit, with what happened since the commit before. It has ids, numbers and
// words of the program, and nobody's text: that stays where it is kept, so that forgetting reaches it.
//
//	page := trace.Page()               // what the nodes noted: see state.Trace
//	stored := page.String()            // rows of columns, which people can read
//	again := account.Parse(stored)
//	last, ok := account.LastPrompt(pages)
package account
