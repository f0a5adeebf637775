package account

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Parse reads a page as String wrote it. What it does not know it passes over: an older program may read it.
func Parse(text string) Page {
	var a Page
	r := reader{account: &a}
	for row := range strings.Lines(text) {
		r.columns = strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		r.read()
	}
	return a
}

// reader reads a page row by row.
type reader struct {
	account *Page
	columns []string
	words   []string // reasons of the prompt
	names   []string // of the numbers of the recall
	last    string   // document that was named last
}

// of returns a column that names a text.
func (r *reader) of(i int) string {
	of := r.text(i)
	if rest, ok := strings.CutPrefix(of, "^"); ok {
		return r.last + "/" + rest
	}
	if of == "" || kindOf(of[0]) == "" {
		return of
	}
	of = kindOf(of[0]) + " " + of[1:]
	r.last, _, _ = strings.Cut(of, "/")
	return of
}

// text returns a column, "" where the row has none.
func (r *reader) text(i int) string {
	if i >= len(r.columns) {
		return ""
	}
	return r.columns[i]
}

// number returns a column as a number, 0 where it is none.
func (r *reader) number(i int) int {
	n, err := strconv.Atoi(r.text(i))
	if err != nil {
		return 0
	}
	return n
}

func (r *reader) read() {
	// The kinds of rows in the order of a page. One that is not known is passed over.
	a := r.account
	switch r.text(0) {
	case rowNode:
		a.Nodes = append(a.Nodes, NodeTime{Node: r.text(1), Took: time.Duration(r.number(2)) * time.Microsecond, Again: r.text(3) != ""})
	case rowReads:
		a.Reads += r.number(1)
	case rowWeighed:
		a.Weighed = r.text(1)
	case rowNote:
		a.Notes = append(a.Notes, r.text(1))
	case rowWrote:
		a.Writes = append(a.Writes, Write{Of: r.of(1), What: r.text(2)})
	case rowRecall:
		a.Recalls = append(a.Recalls, Recalled{By: r.text(1), More: r.number(2)})
		r.names = strings.Fields(r.text(3))
	case rowHit:
		r.hit()
	case rowPrompt, rowWords, rowSection, rowSame, rowLine, rowDropped:
		r.prompt()
	}
}

func (r *reader) hit() {
	if len(r.account.Recalls) == 0 {
		return
	}
	to := &r.account.Recalls[len(r.account.Recalls)-1]
	h := Hit{Score: decimal(r.text(1)), Of: r.of(2)}
	for i, text := range strings.Fields(r.text(3)) {
		if i == len(r.names) {
			break
		}
		if value := decimal(text) / 100; value != neutral(r.names[i]) {
			h.Figures = append(h.Figures, Figure{r.names[i], value})
		}
	}
	to.Hits = append(to.Hits, h)
}

// decimal reads a number, 0 where it is none.
func decimal(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// prompt reads a row of a prompt. A row before the one that it belongs to is passed over.
func (r *reader) prompt() {
	// The first row of a prompt begins it, and with it the numbers of words anew.
	prompts := &r.account.Prompts
	if r.text(0) == rowPrompt {
		*prompts, r.words = append(*prompts, Prompt{Tokens: r.number(1), Limit: r.number(2), Messages: r.number(3), More: r.number(4)}), []string{""}
		return
	}

	// The other rows belong to the prompt, and lines to its last section.
	if len(*prompts) == 0 {
		return
	}
	p := &(*prompts)[len(*prompts)-1]
	switch r.text(0) {
	case rowWords:
		r.words = append(r.words, r.text(1))
	case rowSection:
		p.Sections = append(p.Sections, Section{Name: r.text(1), Tokens: r.number(2), Budget: r.number(3)})
	case rowSame:
		p.Sections = append(p.Sections, Section{Name: r.text(1), Same: true})
	default:
		if len(p.Sections) == 0 {
			return
		}
		s := &p.Sections[len(p.Sections)-1]
		s.Lines = append(s.Lines, Line{
			Tokens: r.number(1), Of: r.of(2), Why: r.word(3), Sum: r.text(4), Reason: r.word(5), Count: r.number(6),
			Dropped: r.text(0) == rowDropped,
		})
	}
}

// word returns the reason that a column names by its number.
func (r *reader) word(i int) string {
	if n := r.number(i); n > 0 && n < len(r.words) {
		return r.words[n]
	}
	return ""
}
