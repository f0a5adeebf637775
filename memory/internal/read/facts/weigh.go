package facts

import (
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// telling is the weight from which on a clause is taken to state a fact: about 2 to 1.
const telling = 0.75

// trait is one thing that speaks for or against a clause stating a fact.
type trait string

// weigh sums up what speaks for a clause stating a fact.
func (t *teller) weigh(c clause) (sum float64) {
	for _, x := range t.traits(c) {
		sum += t.w.telling[string(x)]
	}
	return sum
}

// traits lists what is seen of a clause: where it stands, how long it is, and what quantities and words it holds.
func (t *teller) traits(c clause) []trait {
	out := append(make([]trait, 0, 32), "any", trait(t.lang), length(t.count(c.first, c.last)), extent(len(t.lex)))
	add := func(on bool, name trait) {
		if on {
			out = append(out, name)
		}
	}

	// Where the clause stands, and how it begins and ends.
	add(c.from == 0, "opens the message")
	add(t.starts(c.from), "opens a sentence")
	add(c.end >= len(t.lex)-1, "closes the message")
	add(t.at(c.end).raw == "!", "loud")
	add(t.lex[c.first].shape == number, "number first")
	add(t.lex[c.last-1].shape == number, "number last")
	add(t.lex[c.first].shape == word && t.lex[c.first].is(request), "request")

	// The facts in it.
	for _, f := range c.found {
		add(true, trait(f.Kind))
		add(f.Named && f.Kind == Date, "named date")
		add(f.Named && f.Kind == Price, "named price")
		add(f.Named && f.Kind == Measure, "named measure")
	}

	// How many numbers and words it has; general words say little.
	numbers, content, generals := 0, 0, 0
	for j := c.first; j < c.last; j++ {
		l := t.lex[j]
		switch l.shape {
		case number:
			numbers++
		case word:
			if l.general() {
				generals++
			} else {
				content++
			}
		}
	}
	add(numbers > 0, "number")
	add(numbers > 1, "numbers")
	out = append(out, [...]trait{"content 0", "content 1", "content 2", "content 3", "content 4", "content 5"}[min(content, 5)],
		[...]trait{"general 0", "general 1", "general 2", "general 3", "general 4", "general 5"}[min(generals, 5)])
	return append(out, t.signs(c)...)
}

// signs lists what the single words and numbers of a clause are, each once; commas and dashes count one by one.
func (t *teller) signs(c clause) []trait {
	// Numbers are told by how many digits they have, words by their class, marks by themselves.
	out := make([]trait, 0, 8)
	seen := [13]bool{}
	sign := func(i int, on bool, name trait) {
		if on && !seen[i] {
			seen[i] = true
			out = append(out, name)
		}
	}
	for j := c.first; j < c.last; j++ {
		switch l := t.lex[j]; l.shape {
		case number:
			n := min(text.Digits(l.raw), 5)
			sign(n, n > 0, sizeOf(n))
		case code:
			sign(6, true, "code")
		case word:
			sign(7, l.is(weekday), "weekday")
			sign(8, l.is(monthWord), "month")
			sign(9, l.is(tomorrow), "tomorrow")
			sign(10, l.is(honorific), "title")
			sign(11, !t.starts(j) && startsUpper(l) && utf8.RuneCountInString(l.raw) > 2, "capital")
			sign(12, t.w.counts(l.fold) > 0, "number word")
		case mark:
			switch l.raw {
			case ",":
				out = append(out, "comma")
			case "-":
				out = append(out, "dash")
			case "\"":
				out = append(out, "quote")
			}
		}
	}
	return out
}

// sizeOf names how many digits a number has.
func sizeOf(n int) trait {
	return [...]trait{"", "digit", "two digits", "three digits", "four digits", "five digits"}[n]
}

// length names how many words a clause has.
func length(n int) trait {
	const most = 13
	return [...]trait{"words 0", "words 1", "words 2", "words 3", "words 4", "words 5", "words 6", "words 7", "words 8", "words 9", "words 10", "words 10", "words 10", "words 13"}[min(n, most)]
}

// extent names how long a message is.
func extent(n int) trait {
	switch {
	case n <= 3:
		return "of 3"
	case n <= 6:
		return "of 6"
	case n <= 12:
		return "of 12"
	case n <= 24:
		return "of 24"
	case n <= 48:
		return "of 48"
	}
	return "of more"
}
