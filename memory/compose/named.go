package compose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// Block is what a prompt shows of a message as a placeholder or in part, under a name that follows from what is stored:
//
//	m12      all that message 12 of the session says
//	m12.1    its first long block of code, JSON, a log, a table or base64
//	m12.a1   its first attachment
type Block struct {
	Name string
	Kind string // message, attachment, or what a stretch is
	Text string

	from, to int // of the message's FullText
}

// Part returns the block's name within its message; "" = all that it says.
func (b Block) Part() string {
	_, part, _ := strings.Cut(b.Name, ".")
	return part
}

// BlockMessage returns the number of the message that a block's name is of, and whether it is such a name.
func BlockMessage(name string) (seq int64, ok bool) {
	of, _, _ := strings.Cut(name, ".")
	seq, err := strconv.ParseInt(strings.TrimPrefix(of, "m"), 10, 64)
	return seq, err == nil && seq > 0 && of == blockName(seq)
}

// blockName returns the name of a message of the session, or of a part of it; "" when the message has no number.
func blockName(seq int64, part ...string) string {
	if seq == 0 {
		return ""
	}
	return strings.Join(append([]string{"m" + strconv.FormatInt(seq, 10)}, part...), ".")
}

func stretchName(seq int64, i int) string { return blockName(seq, strconv.Itoa(i+1)) }
func fileName(seq int64, i int) string    { return blockName(seq, "a"+strconv.Itoa(i+1)) }

// blocksOf lists what can be read of a message by name: the stretches of its text, its attachments, and all it says.
func blocksOf(m state.Message) []Block {
	var out []Block
	said := m.Said()
	for i, x := range longStretches(said) {
		out = append(out, Block{stretchName(m.Seq, i), x.kind, x.body, x.from, x.to})
	}
	at := len(said)
	for i, a := range m.Attachments {
		end := at + len("\n") + len(a.Name) + len("\n") + len(a.Text)
		out = append(out, Block{fileName(m.Seq, i), attachmentOf(a), a.Text, at, end})
		at = end
	}
	return append(out, Block{blockName(m.Seq), "message", said, 0, len(said)})
}

// FindBlock returns what a name stands for in the message it is of. The error is NotFound when the message has no such block, and
// Invalid when the block has no text.
func FindBlock(m state.Message, name string) (Block, error) {
	var names []string
	for _, b := range blocksOf(m) {
		switch {
		case b.Name != name:
			names = append(names, b.Name)
		case strings.TrimSpace(b.Text) == "":
			return b, state.Errorf(state.Invalid, "block "+name, "has no text: it is the %s", b.Kind)
		default:
			b.Text = valid(b.Text)
			return b, nil
		}
	}
	return Block{}, state.Errorf(state.NotFound, fmt.Sprintf("block %.40q", name), "is not in message %d, which has %s", m.Seq, strings.Join(names, ", "))
}

// BlockOf returns the name of the block that most of the bytes from..to of a message's FullText are in.
func BlockOf(m state.Message, from, to int) string {
	for _, b := range blocksOf(m) {
		if 2*(min(to, b.to)-max(from, b.from)) >= to-from {
			return b.Name
		}
	}
	return blockName(m.Seq)
}

// placeholders replaces each long stretch of a text by a line that says what it is. It has a name where its message, number seq,
// has a number.
func placeholders(s string, seq int64) string {
	var b strings.Builder
	done := 0
	for i, x := range longStretches(s) {
		b.WriteString(s[done:x.from])
		done = x.to
		b.WriteString(x.placeholder(stretchName(seq, i)))
		if strings.HasSuffix(s[x.from:x.to], "\n") {
			b.WriteByte('\n')
		}
	}

	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return strings.TrimRight(b.String(), "\n")
}

// placeholder returns what stands for the stretch: kind, size, name, and how it begins.
func (x stretch) placeholder(name string) string {
	if name != "" {
		name = ", " + name
	}
	return fmt.Sprintf("[%s, %d lines, %s bytes%s: %s]", x.kind, x.lines(), grouped(len(x.body)), name, beginning(x.body))
}

// beginning returns the first line of a text as a placeholder shows it; of JSON, which begins with a bracket, more.
func beginning(s string) string {
	const read, shown = 240, 48 // bytes, characters
	s = strings.TrimSpace(strings.ToValidUTF8(s[:min(len(s), read)], ""))
	if line, _, _ := strings.Cut(s, "\n"); strings.Trim(line, "{[ \r") != "" {
		s = line
	}
	return firstRunes(nameIn(s), shown)
}
