package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/state"
)

// width is how long printed lines get: readable on a terminal of 80 columns.
const width = 80

// paint colours text on a terminal; elsewhere it is left as it is.
func (c *console) paint(code, text string) string {
	if c.brush == "" || text == "" {
		return text
	}
	return c.brush + code + "m" + text + c.brush + "0m"
}

// println prints one line.
func (c *console) println(line string) { fmt.Fprintln(c.out, line) }

// The colours in use.
const (
	bold  = "1"
	faint = "2"
	red   = "31"
	green = "32"
)

// field prints "label  text", wrapped, with the following lines under the text. A label that is too long
// stands on a line of its own.
func (c *console) field(label, text string) {
	const indent = 14
	if utf8.RuneCountInString(label) > indent-3 {
		for _, line := range wrap(label, width-2) {
			fmt.Fprintf(c.out, "  %s\n", c.paint(faint, line))
		}
		label = ""
	}
	for _, line := range wrap(text, width-indent) {
		gap := strings.Repeat(" ", indent-2-utf8.RuneCountInString(label))
		fmt.Fprintln(c.out, strings.TrimRight("  "+c.paint(faint, label)+gap+line, " "))
		label = ""
	}
}

// fields prints labels and texts in turn, without the texts that are empty.
func (c *console) fields(pairs ...string) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			c.field(pair[0], pair[1])
		}
	}
}

// wrap breaks text at blanks into lines of at most limit characters; a longer word stays whole. Line breaks
// of the text are kept. There is at least one line.
func wrap(text string, limit int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			switch {
			case line == "":
				line = word
			case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > limit:
				lines = append(lines, line)
				line = word
			default:
				line += " " + word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// table prints rows in columns as wide as their widest cell.
func table(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}

	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// printList prints a list: with JSON an object a line, else a table with a row for each but those that are nil. Of a list without rows
// it says what there is none of.
func printList[T any](con *console, asJSON bool, list []T, empty string, head []string, line func(T) (object any, row []string)) error {
	rows := [][]string{head}
	for _, x := range list {
		object, row := line(x)
		switch {
		case asJSON:
			if err := encode(con.out, object); err != nil {
				return err
			}
		case row != nil:
			rows = append(rows, row)
		}
	}

	if !asJSON {
		con.rows(empty, rows)
	}
	return nil
}

// rows prints a table, or says that it has no row below its head.
func (c *console) rows(empty string, rows [][]string) {
	if len(rows) == 1 {
		c.println(empty)
		return
	}
	table(c.out, rows)
}

// tell prints what was done: as JSON, or in a line to be read.
func (c *console) tell(asJSON bool, object any, format string, args ...any) error {
	if asJSON {
		return encode(c.out, object)
	}
	fmt.Fprintf(c.out, format+"\n", args...)
	return nil
}

// firstOnly returns the first of a list; 0 = all.
func firstOnly[T any](list []T, limit int) ([]T, error) {
	switch {
	case limit < 0:
		return nil, state.Errorf(state.Invalid, "--limit", "is %d; give 0 for all, or how many", limit)
	case limit == 0:
		return list, nil
	}
	return list[:min(limit, len(list))], nil
}

// amount is how many there are of something.
type amount struct {
	n    int
	what string
}

// amounts lists those that are not 0.
func amounts(list ...amount) (out []string) {
	for _, x := range list {
		if x.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return out
}

// percent writes a share.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// counted writes a number of things.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// clip shortens text to limit characters on one line.
func clip(text string, limit int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= limit {
		return string(runes)
	}
	return string(runes[:limit-1]) + "…"
}

// paced tells when a second is over since it began, and since it has told so.
func (c *console) paced() (due func() bool) {
	last := c.now()
	return func() bool {
		now := c.now()
		over := now.Sub(last) >= time.Second
		if over {
			last = now
		}
		return over
	}
}

// progress prints how far long work is to stderr, and with pace how fast, at most once a second.
func (c *console) progress(what string, pace func() string) func(done, of int) {
	due := c.paced()
	return func(done, of int) {
		if due() || done == of {
			line := fmt.Sprintf("%d of %d %s", done, of, what)
			if pace != nil && pace() != "" {
				line += ", " + pace()
			}
			fmt.Fprintln(c.err, line)
		}
	}
}

// isChoice reports whether what is degraded may well be meant so.
func isChoice(name string) bool {
	return slices.Contains([]string{"model", "small model", "recall", "erasure ledger"}, name)
}
