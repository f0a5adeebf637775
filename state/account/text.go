package account

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The stored form of a page: rows of columns with a tab between them. What a row is says its first column. No id holds a control
// character, so no id can begin a column or a row. Rows of a kind that is not known are passed over.
//
//	n  node  microseconds  again|
//	r  reads
//	w  what the rules weighed
//	!  note
//	e  of  what
//	h  by  not listed  names      the recall that the rows . are of, and what their numbers are
//	.  score  of  numbers         in hundredths
//	p  tokens  limit  messages  not listed
//	=  words                      the next of the prompt's reasons, which its lines name by number
//	#  name  tokens  budget       a section; ~ if its lines are those of the prompt before
//	+  tokens  of  why  sum  reason  count     - if it was dropped
//
// In the column of, the kind of the document is its first letter, and ^ stands for the document that was named last.
const (
	rowNode    = "n"
	rowReads   = "r"
	rowWeighed = "w"
	rowNote    = "!"
	rowWrote   = "e"
	rowRecall  = "h"
	rowHit     = "."
	rowPrompt  = "p"
	rowWords   = "="
	rowSection = "#"
	rowSame    = "~"
	rowLine    = "+"
	rowDropped = "-"
)

// MarshalBSONValue stores the page as a string, so that people can read it with any tool.
func (a Page) MarshalBSONValue() (kind byte, value []byte, err error) {
	t, value, err := bson.MarshalValue(a.String())
	return byte(t), value, err
}

// UnmarshalBSONValue reads what MarshalBSONValue wrote.
func (a *Page) UnmarshalBSONValue(kind byte, value []byte) error {
	text, ok := bson.RawValue{Type: bson.Type(kind), Value: value}.StringValueOK()
	if !ok {
		return errors.New("account: is damaged: a page of it is no text")
	}
	*a = Parse(text)
	return nil
}

// String returns the page in its stored form.
func (a Page) String() string {
	// The rows of one kind stand together; what is empty has none.
	var w rows
	for _, n := range a.Nodes {
		again := ""
		if n.Again {
			again = "again"
		}
		w.row(rowNode, n.Node, number(int(n.Took.Microseconds())), again)
	}
	if a.Reads != 0 {
		w.row(rowReads, number(a.Reads))
	}
	if a.Weighed != "" {
		w.row(rowWeighed, a.Weighed)
	}
	for _, note := range a.Notes {
		w.row(rowNote, note)
	}
	for _, e := range a.Writes {
		w.row(rowWrote, w.of(e.Of), e.What)
	}
	for _, r := range a.Recalls {
		w.recall(r)
	}
	for _, p := range a.Prompts {
		w.prompt(p)
	}
	return w.String()
}

// rows is a page being written.
type rows struct {
	strings.Builder
	last string // document that was named last
}

// row writes a row; columns at its end that are empty are left out.
func (w *rows) row(columns ...string) {
	for len(columns) > 1 && columns[len(columns)-1] == "" {
		columns = columns[:len(columns)-1]
	}
	for i, c := range columns {
		if i > 0 {
			w.WriteByte('\t')
		}
		if strings.ContainsAny(c, "\t\n") {
			c = strings.Join(strings.Fields(c), " ")
		}
		w.WriteString(c)
	}
	w.WriteByte('\n')
}

// number writes a number, "" for none.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// kindOf returns the kind of document that a letter stands for, "" for none.
func kindOf(letter byte) string {
	switch letter {
	case 'm':
		return "message"
	case 'r':
		return "record"
	case 'a':
		return "affair"
	case 's':
		return "session"
	}
	return ""
}

// of returns the name of a text in few letters.
func (w *rows) of(of string) string {
	kind, rest, ok := strings.Cut(of, " ")
	if !ok || kind == "" || kindOf(kind[0]) != kind {
		return of
	}
	doc, part, _ := strings.Cut(of, "/")
	if doc == w.last && part != "" {
		return "^" + part
	}
	w.last = doc
	return kind[:1] + rest
}

func (w *rows) recall(r Recalled) {
	// The names of all numbers.
	var names []string
	for _, h := range r.Hits {
		for _, f := range h.Figures {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	w.row(rowRecall, r.By, number(r.More), strings.Join(names, " "))

	// The numbers, hit by hit.
	for _, h := range r.Hits {
		values := make([]string, len(names))
		for i, name := range names {
			value := neutral(name)
			if at := slices.IndexFunc(h.Figures, func(f Figure) bool { return f.Name == name }); at >= 0 {
				value = h.Figures[at].Value
			}
			values[i] = strconv.Itoa(int(math.Round(value * 100)))
		}
		w.row(rowHit, strconv.FormatFloat(h.Score, 'g', 3, 64), w.of(h.Of), strings.Join(values, " "))
	}
}

// factorMark begins the name of a number that a score was multiplied with.
const factorMark = "×"

// neutral returns the value of a figure that says nothing.
func neutral(name string) float64 {
	if strings.HasPrefix(name, factorMark) {
		return 1
	}
	return 0
}

func (w *rows) prompt(p Prompt) {
	// A word is written where it is first used, and has a number from then on.
	w.row(rowPrompt, number(p.Tokens), number(p.Limit), number(p.Messages), number(p.More))
	words := map[string]int{"": 0}
	name := func(s string) string {
		if _, ok := words[s]; !ok {
			words[s] = len(words)
			w.row(rowWords, s)
		}
		return number(words[s])
	}

	for _, s := range p.Sections {
		if s.Same {
			w.row(rowSame, s.Name)
			continue
		}
		w.row(rowSection, s.Name, number(s.Tokens), number(s.Budget))
		for _, l := range s.Lines {
			kind, why, reason := rowLine, name(l.Why), name(l.Reason)
			if l.Dropped {
				kind = rowDropped
			}
			w.row(kind, number(l.Tokens), w.of(l.Of), why, l.Sum, reason, number(l.Count))
		}
	}
}
