package facts

import (
	"slices"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// mostTold is how many words and numbers a told clause has at most where its sentence can be cut; a fact is a value, not a tale.
const (
	mostTold  = 14
	mostValue = 18
	worth     = 3 // so many words that its facts do not say make a clause worth keeping whole
)

// Told finds the key facts of a message of everyday talk: what Extract finds under words of its own, and beyond that
// the clauses that tell a number, a day, a name or a choice, each quoted as one whole value under the word it is about. Of a clause
// that asks or says only how somebody feels nothing is kept but identifiers and addresses. What a clause says that weighs too little
// is Doubtful. Like Extract it takes time linear in the message.
func (r *Reading) Told() []Fact {
	t := r.teller()
	t.each(t.clause)
	slices.SortStableFunc(t.told, func(a, b Fact) int { return a.Start - b.Start })
	return t.told
}

func (r *Reading) teller() *teller {
	return &teller{Reading: r, found: r.Facts()}
}

// each cuts the message into clauses.
func (t *teller) each(do func(clause)) {
	for i, end := range t.spans() {
		t.sentence(i, end, t.asksIn(i, end), do)
	}
}

// teller goes through a message clause by clause.
type teller struct {
	*Reading
	found []Fact // by the recognisers, those of later clauses
	told  []Fact
}

// sentence tells the clauses of lexemes from to end-1, short ones together.
func (t *teller) sentence(from, end int, asked bool, do func(clause)) {
	for i := from; i < end; {
		stop := t.clauseEnd(i, end)
		for stop < end && !t.is(stop, "()") {
			next := t.clauseEnd(stop, end)
			if t.count(i, next) > mostTold {
				break
			}
			stop = next
		}

		c := clause{from: i, end: stop, asked: asked, found: t.take(t.lex[stop-1].end)}
		c.first, c.last = t.trim(i, stop)
		do(c)

		for i = stop; i < end && t.lex[i].shape == mark && t.lex[i].raw != "+"; {
			i++
		}
	}
}

// clauseEnd returns the index after the clause that begins at lexeme i.
func (t *teller) clauseEnd(i, end int) int {
	for j := i + 1; j < end; j++ {
		l := t.lex[j]
		bound := t.is(j, ",;()") || t.is(j, ":-–—") && !l.glued || l.shape == mark && l.last || l.shape == word && l.is(clauseWord)
		if bound && !t.inside(j) {
			return j
		}
	}
	return end
}

// inside reports whether lexeme j lies within a found fact, but not at its beginning.
func (t *teller) inside(j int) bool {
	at := t.lex[j].start
	for _, f := range t.found {
		if f.Start >= at {
			return false
		}
		if at < f.End {
			return true
		}
	}
	return false
}

// count is how many words and numbers stand from lexeme i to end-1.
func (t *teller) count(i, end int) (n int) {
	for ; i < end; i++ {
		if t.lex[i].shape != mark {
			n++
		}
	}
	return n
}

// clause is a stretch of lexemes as it was cut; first to last-1 are what is left of it without empty words at its edges.
type clause struct {
	from, end   int
	first, last int
	asked       bool
	found       []Fact
}

// clause tells what one clause states.
func (t *teller) clause(c clause) {
	if c.first < c.last && !c.asked && t.weigh(c) >= telling {
		t.tell(c)
		return
	}

	kept := len(t.told)
	for _, f := range c.found {
		if f.Lasting() || !c.asked && (f.Named || f.Kind == Deadline) {
			t.told = append(t.told, f)
		}
	}

	// A clause that states nothing else may still tell something; it is kept as doubtful.
	if len(t.told) == kept && c.first < c.last && !c.asked && !t.due(c) {
		t.tell(c)
		for i := range t.told[kept:] {
			t.told[kept+i].Doubtful = true
		}
	}
}

// take removes the found facts that begin before byte end and returns them.
func (t *teller) take(end int) []Fact {
	n := 0
	for n < len(t.found) && t.found[n].Start < end {
		n++
	}
	taken := t.found[:n]
	t.found = t.found[n:]
	return taken
}

// trim steps over the words at both edges that say nothing.
func (t *teller) trim(from, end int) (first, last int) {
	for from < end && (t.lex[from].shape == mark && t.lex[from].raw != "+" || t.lex[from].shape == word && t.lex[from].is(edgeWord)) {
		from++
	}
	for end > from && (t.lex[end-1].shape == mark && t.lex[end-1].raw != "%" || t.lex[end-1].shape == word && (t.lex[end-1].is(edgeWord) || t.lex[end-1].is(preposition))) {
		end--
	}
	return from, end
}

// Lasting reports whether a fact names one thing or one place to be reached at: it holds also where it is only asked about, and
// another one does not take its place.
func (f Fact) Lasting() bool {
	return f.Kind.IsIdentifier() || f.Kind == Link || f.Kind == Email || f.Kind == Phone
}

// tell files a clause: by its facts where one of them has a word of its own or the clause is a duty, else as one value.
func (t *teller) tell(c clause) {
	lasting := slices.ContainsFunc(c.found, Fact.Lasting)
	named := slices.ContainsFunc(c.found, func(f Fact) bool { return f.Named })
	besides := t.besides(c)

	if t.due(c) || lasting || named && besides < worth {
		for _, f := range c.found {
			f.Besides = besides > 0
			t.told = append(t.told, f)
		}
		return
	}

	c.first, c.last = t.undenied(c.first, c.last)
	label, first := t.about(c)
	last := min(c.last, first+mostValue)
	f := Fact{Kind: Statement, Label: label, Start: t.lex[first].start, End: t.lex[last-1].end}
	if len(c.found) > 0 {
		f.Kind = c.found[0].Kind
	}
	f.Value = squeeze(t.text[f.Start:f.End])
	t.told = append(t.told, f)
}

// besides counts the words of a clause that its facts do not say.
func (t *teller) besides(c clause) (n int) {
	for j := c.first; j < c.last; j++ {
		l := t.lex[j]
		if l.shape != word || l.general() || l.is(possessive) || l.is(cueWord) || t.g.verb(l) {
			continue
		}
		said := func(f Fact) bool {
			return l.start >= f.Start && l.end <= f.End || slices.Contains(text.Terms(f.Label), text.Terms(l.raw)[0])
		}
		if len(text.Terms(l.raw)) > 0 && !slices.ContainsFunc(c.found, said) {
			n++
		}
	}
	return n
}

// undenied leaves out a quantity that does not hold at the end of a clause, "140, not 150", or at its beginning, "instead of 1 May on 6 May".
func (t *teller) undenied(first, last int) (int, int) {
	for j := first; j < last; j++ {
		if !t.lex[j].is(denies) {
			continue
		}
		from := j + 1
		for t.at(from).is(preposition) {
			from++
		}
		_, end := t.mark(from)
		switch {
		case end >= last && j > first:
			return t.trim(first, j)
		case end > 0 && end < last && j == first:
			return t.trim(end, last)
		}
	}
	return first, last
}

// due reports whether a clause says what is to be done, which is kept as a pending action.
func (t *teller) due(c clause) bool {
	return slices.ContainsFunc(t.lex[c.first:c.last], func(l lexeme) bool { return l.is(dutyWord) })
}

// about finds the label of a clause and where its value begins: behind the label where that opens the clause.
func (t *teller) about(c clause) (string, int) {
	for j := c.first; j < c.last && j < c.first+4; j++ {
		if !t.names(j) {
			continue
		}
		next := j + 1
		for next < c.last && (t.lex[next].is(copula) || t.lex[next].shape == mark && t.lex[next].raw != "+") {
			next++
		}
		if j == c.first && (c.last-next >= 2 || next < c.last && t.lex[next].shape != word) {
			return t.words(j, j+1), next
		}
		return t.words(j, j+1), c.first
	}

	if len(c.found) > 0 {
		return c.found[0].Label, c.first
	}
	return t.w.call(string(Statement), t.lang), c.first
}

// names reports whether a word can say what a value is about.
func (t *teller) names(j int) bool {
	l := t.lex[j]
	if l.shape != word || utf8.RuneCountInString(l.raw) < 3 || l.general() || l.is(weekday) || l.is(monthWord) || l.is(tomorrow) || l.points() || t.changes(l) {
		return false
	}
	return !t.g.verb(l) && len(text.Terms(l.raw)) > 0
}

// Changes reports whether a message takes back or changes what was said.
func (r *Reading) Changes() bool { return slices.ContainsFunc(r.lex, r.changes) }

// changes reports whether something takes another's place by a word.
func (r *Reading) changes(l lexeme) bool {
	if l.shape != word {
		return false
	}
	cue := r.called(l, cueWord)
	return cue == "change" || cue == "instead" || l.is(renews)
}

// Decides reports whether a word of the message says that something was decided or chosen.
func (r *Reading) Decides() bool {
	return slices.ContainsFunc(r.lex, func(l lexeme) bool { return l.shape == word && l.set.meets(in(decides, bought)) })
}

// Finished reports whether a message tells of something done: by a word for it, or by the past tense of the speaker.
func (r *Reading) Finished() bool {
	return slices.ContainsFunc(r.lex, func(l lexeme) bool {
		return l.set.meets(in(done, finishes)) || len(l.fold) > 4 && r.w.anyEnds(l.fold, pastEnding, 0)
	})
}

// Done reports whether a word of a message says by itself that something is finished.
func (r *Reading) Done() bool {
	return slices.ContainsFunc(r.lex, func(l lexeme) bool { return l.is(done) })
}
