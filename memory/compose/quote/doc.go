// Package quote makes text that somebody wrote fit to stand in a prompt as what it is: quoted data. A record, a title, a
// file or the result of a tool may hold what looks like a heading, a message of another role or the mark of a chat
// template; quoted, it does none of that.
//
//	b.WriteString("- price: " + quote.Line(value) + "\n")
//	b.WriteString(quote.Block(file))
//
//	Line    one line, to stand behind a label          Item    one line, to begin a list item or a line
//	Items   a text of several lines, an Item each      Block   a file: every line behind "> ", its spaces kept
//	Memory  lines that are quoted already, below the headline that says what they are
//	Result  what a host's own tool answered: a headline, and a Block
//	Marks   as it is, but for the marks of templates: what is quoted already
package quote

// Design:
//
//   - Quoting does not make a model immune to persuasion. It makes the layout unforgeable, so that "in the block" means
//     quoted.
//   - The bracket of a mark is made round, "(|im_start|>". A tokenizer then finds no special token, in any case and
//     spacing, and the text keeps its length.
//   - A file is marked line by line instead of between two fences: no line of it can be the one that ends it, and nothing
//     in it has to be escaped.
//   - Characters that are not seen (Unicode's format characters, tags, selectors) are left out. A joiner stays between two
//     characters beyond ASCII: emoji and the scripts of Persia and India are spelled with it.
