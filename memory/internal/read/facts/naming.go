package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// name sums up what speaks for a phrase naming the matter of its message.
func (t titler) name(p phrase) (sum float64) {
	for _, x := range t.naming(p) {
		sum += t.w.naming[string(x)]
	}
	return sum
}

// naming lists what is seen of a phrase: where it stands, what it holds, and what stands around it.
func (t titler) naming(p phrase) []trait {
	const far = 6
	const reply = 9 // lexemes of a short answer before the matter, its point among them
	out := append(make([]trait, 0, 24), "any", trait(t.lang))
	add := func(on bool, name trait) {
		if on {
			out = append(out, name)
		}
	}
	first, last := p.words[0], p.words[len(p.words)-1]
	head := p.words[t.head(p)]

	// Its place among the phrases, the sentences, and in its own one.
	sentence, start := 0, 0
	for i := range first {
		if t.lex[i].last {
			sentence, start = sentence+1, i+1
		}
	}
	out = append(out, trait("phrase "+strconv.Itoa(min(p.nth, far))), trait("sentence "+strconv.Itoa(min(sentence, 3))))
	answer := sentenceEnd(t.lex, 0)
	answered := answer <= reply && 2*answer < len(t.lex)
	add(sentence == 0 && answered, "in answer")
	add(sentence == 1 && answered, "behind answer")
	add(t.starts(first), "opens sentence")
	end := sentenceEnd(t.lex, last)
	add(t.at(end-1).raw == "?", "asked")

	// Its words.
	add(len(p.words)+len(p.tied) == 1, "one word")
	add(len(p.words) > 2, "many words")
	add(len(p.tied) > 0, "tied")
	add(p.owned, "owned")
	l := t.lex[head]
	terms := text.Terms(t.pieces[head])
	capital := startsUpper(l) && !t.starts(head) && !t.opens(head)
	_, base := t.g.form(l.raw)
	add(text.Listed(l.raw) || text.Listed(base), "known")
	add(len(text.Concepts(terms)) > 0, "everyday")
	add(len(terms) == 0 || text.General(terms[0]), "general")
	add(l.shape != word, "code")
	add(l.is(weakWord), "weak")
	add(t.someone(p) || slices.Contains(text.Concepts(terms), "family"), "person")
	add(capital, "name")
	add(capital && len(p.words) == 1 && len(p.tied) == 0, "name alone")
	add(l.raw == strings.ToUpper(l.raw) && len(l.raw) > 1, "acronym")
	add(slices.Contains(p.parts, adjectival), "adjective")
	add(slices.ContainsFunc(p.words, func(i int) bool {
		return t.g.local[foldWord(text.Stem(t.lex[i].raw))].has(matter) || t.lex[i].set.meets(in(orderWord, referenceWord))
	}), "matter")
	add(t.repeated(head), "said again")

	// What stands around it.
	before := t.at(first - 1)
	add(p.prep < 0 && before.shape == number, "behind number")
	add(t.at(last+1).shape == number, "before number")
	add(t.acts(p), "before verb")
	if p.prep >= 0 {
		prep := t.lex[p.prep]
		add(true, "behind preposition")
		add(prep.is(beforeGenitive), "behind genitive")
		add(prep.is(beforeObject), "behind object")
		add(prep.is(weakWord), "behind weak")
		add(capital, "place")
	}
	wish, act := false, false
	for i := first - 1; i >= max(start, first-5) && t.lex[i].shape != mark; i-- {
		l := t.lex[i]
		wish = wish || l.set.meets(in(obligation, needsVerb)) || t.phrase(i, first, in(filler, reminder, obligation)) > 0
		act = act || l.shape == word && (t.w.infinitive(l) || t.lang == "en" && (t.at(i-1).fold == "to" || t.verbal(i)))
	}
	add(wish, "behind wish")
	add(act, "behind action")
	add(t.way(p) != "", "way")
	return out
}

// acts reports whether a phrase stands before a verb, as what does something.
func (t titler) acts(p phrase) bool {
	end := slices.Max(slices.Concat(p.words, p.tied))
	next := t.at(end + 1)
	if p.prep >= 0 || t.lex[end].last || next.shape != word || next.conjoins() || next.is(copula) || t.phrase(end+1, len(t.lex), in(isCalled)) > 0 {
		return false
	}
	return t.part(end+1, true) == gap
}

// repeated reports whether a word of a message is said again.
func (t titler) repeated(i int) bool {
	stem := text.Stem(t.lex[i].raw)
	return slices.ContainsFunc(t.lex[i+1:], func(l lexeme) bool { return l.shape == word && text.Stem(l.raw) == stem })
}
