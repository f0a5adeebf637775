package whose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Split cuts a message into what its sender says and what he quotes or has pasted. Safe for concurrent use.
func Split(message string) (own, brought string) {
	s := splitting{letter: lists().finds("regards", words(message))}
	for line := range strings.Lines(message) {
		s.line(line, strings.TrimSpace(line))
	}
	return strings.TrimSpace(s.own.String()), strings.TrimSpace(s.brought.String())
}

// Own returns what the sender of a message says himself.
func Own(message string) string {
	if !strings.ContainsAny(message, ":>`|\"“”„«»\n[<") {
		return message
	}
	own, _ := Split(message)
	return own
}

// splitting is a message on its way through Split.
type splitting struct {
	own, brought strings.Builder
	fenced       bool // within a block of code
	pasted       bool // from here on
	letter       bool // it ends with regards: what begins with "Dear" is a letter
}

func (s *splitting) line(line, bare string) {
	fence := strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")
	if fence {
		s.fenced = !s.fenced
	}
	switch {
	case s.pasted || s.fenced || fence || strings.HasPrefix(bare, ">") || strings.HasPrefix(bare, "|"):
		s.brought.WriteString(line)
	case begins(bare) || s.letter && dear(bare):
		s.pasted = true
		s.brought.WriteString(line)
	default:
		s.introduce(line)
	}
}

// introduce takes a line apart at a colon that introduces what others wrote.
func (s *splitting) introduce(line string) {
	for at, r := range line {
		if r != ':' {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(line[at+1:]); at+1 < len(line) && !unicode.IsSpace(next) && !strings.ContainsRune("\"“„«", next) {
			continue // a time, an address
		}
		from := strings.LastIndexAny(line[:at], ".!?") + 1
		if introduces(line[from:at]) || s.letter && dear(line[at+1:]) {
			s.unquote(line[:at])
			s.brought.WriteString(line[at+1:])
			s.pasted = true
			return
		}
	}
	s.unquote(line)
}

// longQuote is from how many words on a quotation is what somebody else said; a shorter one is a name or an expression.
const longQuote = 5

// unquote takes long quotations out of a line.
func (s *splitting) unquote(line string) {
	for line != "" {
		from := strings.IndexAny(line, "\"“„«")
		if from < 0 {
			break
		}
		open, size := utf8.DecodeRuneInString(line[from:])
		to := strings.IndexAny(line[from+size:], closing(open))
		if to < 0 {
			break
		}
		end := from + size + to
		_, last := utf8.DecodeRuneInString(line[end:])
		if inner := line[from+size : end]; len(strings.Fields(inner)) >= longQuote {
			s.own.WriteString(line[:from])
			s.brought.WriteString(inner + "\n")
		} else {
			s.own.WriteString(line[:end+last])
		}
		line = line[end+last:]
	}
	s.own.WriteString(line)
}

// closing returns the marks that may end a quotation.
func closing(open rune) string {
	switch open {
	case '„', '“':
		return "“”\""
	case '«':
		return "»"
	}
	return "\""
}

// begins reports whether a line is the first of a text that somebody else wrote: the head of a letter, a ruled line, a turn of a dialogue
// with a machine.
func begins(bare string) bool {
	if strings.HasPrefix(bare, "-----") || strings.HasPrefix(bare, "=====") || strings.HasPrefix(bare, "_____") {
		return true
	}
	name := strings.TrimLeft(bare, "[<(*#| \u200b")
	at := strings.IndexAny(name, ":]>)|*")
	if at < 0 || at > 40 {
		return false
	}
	word := text.Fold(strings.TrimSpace(name[:at]))
	if name[at] != ':' && len(name) == len(bare) {
		return false // no bracket was opened
	}
	return lists().heads[word]
}

// dear reports whether a text begins as a letter does.
func dear(s string) bool {
	said := words(s)
	return slices.ContainsFunc(lists().by["dear"], func(e string) bool { return strings.HasPrefix(said, e) })
}

// introduces reports whether a clause before a colon says that what follows are words of somebody else.
func introduces(clause string) bool {
	said := words(clause)
	l := lists()
	switch {
	case l.finds("talk", said):
		return true
	case ofHisOwn(said):
		return false
	}
	return l.finds("paper", said) && l.finds("here", said)
}

// ofHisOwn reports whether a clause ends with what is the speaker's own: "this is my e-mail".
func ofHisOwn(said string) bool {
	const behind = 2 // words from "my" to the end
	list := strings.Fields(said)
	for _, w := range list[max(0, len(list)-1-behind):] {
		if lists().finds("mine", " "+w+" ") {
			return true
		}
	}
	return false
}

// words returns the folded words of a text with blanks around each.
func words(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range strings.FieldsFunc(text.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		b.WriteString(strings.ReplaceAll(w, "'", ""))
		b.WriteByte(' ')
	}
	return b.String()
}
