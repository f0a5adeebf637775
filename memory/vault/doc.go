// Package vault writes a user's memory into a folder of Markdown files, and reads back what was edited there by hand. The files are made for
// an editor such as Obsidian.
//
//	r, err := vault.Export(ctx, vault.Config{Memory: m, Scope: scope, Dir: "notes"})
//	// ... somebody edits notes/agents/main/memory/brain.md ...
//	done, err := vault.Import(ctx, vault.Config{Memory: m, Scope: scope, Dir: "notes"})
//	for _, f := range done.Findings { fmt.Println(f) }
//
// The folder:
//
//	agents/NAME/memory/brain.md            read back   what every prompt of the user has: a line is a record
//	                   brain_archive.md    read back   what found no room there
//	                   active_context.md   read back   what was going on last
//	                   sessions/DATE_NNN.md            what was said, a file for each part of a session
//	                   summaries/L1, L2                what of several parts was made
package vault

// Design:
//
//   - A line of the brain ends in a block id (^3f9a1c2b7d01). A line that is edited corrects its record, one that is gone has it forgotten, one
//     without an id is remembered, one that stands under another heading changes its kind. A line that was moved to brain.md is pinned, one moved
//     to brain_archive.md is not any more. All of it goes through Memory.Write and Memory.Amend, by the user, by the way "vault".
//
//   - The last line of a file says what was exported: a sum of all above it and, in the brain, each line's id with a sum of its text. So an edit is
//     told from a change of memory (three ways), and nothing beside the files is needed. A line that was changed in
//     the file and in memory since is a conflict: it is named and left alone.
//
//   - Each line is read by itself. That last line may stand anywhere, and what is written below it is read too: a new line there is of the kind
//     that it is told as. Where it is gone, what a line was is what its record says, and nothing is forgotten: the file may have been cut.
//
//   - A file whose front matter cannot be read is named with its line and left alone, and the others are read. A file with anything that was not taken in is not
//     written anew by Import; one whose edits all were is, with ids for its new lines. So nothing that was typed is lost, and to import again changes
//     nothing.
//
//   - What memory takes is made durable in batches (Memory.Many). A file of more than 64 MB is not read.
//
//   - A message cannot forge any of it. A text is one line, whatever it holds: a line break is <br>, what is not seen a numeric character
//     reference, and what begins a link, an image, HTML or a block id has a backslash before it, as CommonMark has it. Decoding is exact.
//
//   - No name in memory becomes a path as it is: agents' names are folded to lower-case letters and digits, with a part of their sum where that
//     changes them, and sessions are files of a date and a number. All files are opened below the folder (os.Root); a link is refused.
//
//   - Headings are in the language that the user spoke last with the agent, and read in every language there is.
