package extract

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// This file reads changes of mind that do not say what of: "I sold the Fiesta, we have a Golf now". What is known of the user tells it by
// the value that ends. Three things come together: words that end something, in their clause a value that is known, and another clause of the
// sentence that says how it is now. What is said of other people, asked, supposed or of one day gives nothing.

// nearEnd is how many words lie between what ends and the words that end it.
const nearEnd = 5

// nameWords is how many words a text has at most whose first is a name if it begins with a capital, and not just a sentence.
const nameWords = 3

// span are words from to end-1 of a sentence.
type span struct{ from, end int }

// contrast looks for the clause that ends a known value, and takes the rest of the sentence for the new one.
func (r *reader) contrast(known []Known) {
	if len(known) == 0 || r.k.contains("oneoff", r.plain) {
		return
	}
	clauses := r.clauses()
	for n, c := range clauses {
		at := r.find("ends", c)
		if at < 0 {
			continue
		}
		old, named, ok := r.named(known, c, at)
		if !ok || r.speaksOfAnother(c, old) {
			continue
		}
		if r.k.contains("trades", r.plain[c.from:c.end]) {
			r.renew(old, c, span{})
			return
		}
		for _, next := range slices.Concat(clauses[n+1:], clauses[:n]) {
			if r.tellsNow(next, old, named) {
				r.renew(old, next, c)
				return
			}
		}
	}
}

// clauses returns the clauses of the sentence; a joining word begins one too.
func (r *reader) clauses() (out []span) {
	for i := range r.words {
		if i == 0 || r.words[i].Starts || r.k.begins("and", r.plain[i:i+1]) {
			out = append(out, span{from: i})
		}
		out[len(out)-1].end = i + 1
	}
	return out
}

// find returns the word at which an expression of a role begins in a clause, -1 for none.
func (r *reader) find(role string, c span) int {
	for i := c.from; i < c.end; i++ {
		if r.k.begins(role, r.plain[i:c.end]) {
			return i
		}
	}
	return -1
}

// named returns what of the known a clause names near word at, and whether that is a name. A name counts before another word, and if both name
// things of two kinds there is none.
func (r *reader) named(known []Known, c span, at int) (old Known, name, ok bool) {
	for _, k := range slices.Backward(known) {
		if r.k.isKin(k) {
			continue // a person has no end
		}
		is, named := r.nearby(k, c, at)
		switch {
		case !is || ok && name && !named:
		case !ok || named && !name:
			old, name, ok = k, named, true
		case old.Subject != k.Subject:
			return old, name, false
		}
	}
	return old, name, ok
}

// nearby reports whether a clause says near word at what is known, and whether that is a name.
func (r *reader) nearby(k Known, c span, at int) (is, name bool) {
	telling := r.k.values(k)
	for i := max(c.from, at-nearEnd); i < min(c.end, at+nearEnd+1); i++ {
		for _, v := range telling {
			if !v.is(r.words[i].Raw) {
				continue
			}
			is, name = true, name || v.name
		}
	}
	return is, name
}

// isKin reports whether what is known is the name of a relative, or else never changes.
func (k *knowledge) isKin(known Known) bool {
	subject := plainOf(cut(known.Subject))
	return len(subject) > 0 && k.begins("kin", subject)
}

// callByKin puts for the name of a relative at the beginning of a clause what he is to the user: "Sophie has changed schools" is said of a daughter.
func (k *knowledge) callByKin(words []word, known []Known) {
	for i := range words {
		if !words[i].Starts || !words[i].capital() {
			continue
		}
		for _, one := range known {
			name := strings.TrimPrefix(one.Text, one.Subject+": ")
			if k.isKin(one) && text.Fold(name) == words[i].Fold {
				words[i].Raw, words[i].Fold = one.Subject, text.Fold(one.Subject)
			}
		}
	}
}

// value is a word by which something known is told from others.
type value struct {
	fold, stem string
	name       bool // or a number
}

// is reports whether a word is this one in some form; "for" is none of "Ford".
func (v value) is(raw string) bool {
	fold := text.Fold(raw)
	if fold == v.fold {
		return true
	}
	if v.name {
		n := sharedRunes(fold, v.fold)
		return stemOf(raw) != "" && n >= 3 && len([]rune(fold))-n <= 3 && len([]rune(v.fold))-n <= 3
	}
	stem := stemOf(raw)
	return stem != "" && v.stem != "" && (text.Akin(stem, v.stem, 2) || sharedRunes(stem, v.stem) >= 6)
}

// stemOf returns the stem of a word, "" for a stop word.
func stemOf(raw string) string {
	if terms := text.Terms(raw); len(terms) > 0 {
		return terms[0]
	}
	return ""
}

// sharedRunes counts the letters that two words begin with alike.
func sharedRunes(a, b string) (n int) {
	long := []rune(b)
	for i, r := range []rune(a) {
		if i >= len(long) || long[i] != r {
			break
		}
		n++
	}
	return n
}

// values returns the telling words of something known; the words of its subject, those that end something and a quote in brackets tell nothing.
func (k *knowledge) values(known Known) (out []value) {
	of := text.Terms(known.Subject)
	said, _, _ := strings.Cut(strings.TrimPrefix(known.Text, known.Subject+": "), "(")
	words := cut(said)
	plain := plainOf(words)
	for i, w := range words {
		if k.begins("ends", plain[i:]) {
			continue
		}
		stem := stemOf(w.Raw)
		name := w.capital() && (i > 0 || len(words) <= nameWords) && stem != ""
		if name || stem != "" && !slices.Contains(of, stem) {
			out = append(out, value{w.Fold, stem, name})
		}
	}
	return out
}

// speaksOfAnother reports whether a clause is about somebody whom the known is not about: a relative, "she".
func (r *reader) speaksOfAnother(c span, old Known) bool {
	about := text.Fold(old.Subject + " " + old.Text)
	for i := c.from; i < c.end; i++ {
		if r.k.begins("person", r.plain[i:c.end]) && !strings.Contains(about, r.words[i].Fold) {
			return true
		}
	}
	return false
}

// tellsNow reports whether a clause says how a thing is now: of the user, with a name if the old value was one, and denying nothing.
func (r *reader) tellsNow(c span, old Known, named bool) bool {
	if r.speaksOfAnother(c, old) || r.find("not", c) >= 0 || r.find("ends", c) >= 0 || r.find("past", c) >= 0 {
		return false
	}
	holds, name, other := false, false, false
	for i := c.from; i < c.end; i++ {
		holds = holds || r.k.begins("holds", r.plain[i:c.end])
		other = other || r.k.begins("third", r.plain[i:c.end])
		name = name || r.words[i].capital() && r.words[i].Fold != "i"
	}
	if named {
		return name && (holds || !other)
	}
	return holds
}

// renew says that a clause tells what holds in place of the old. What else was found in the clause that ends it is but its end.
func (r *reader) renew(old Known, c, over span) {
	for c.from+1 < c.end && r.k.begins("and", r.plain[c.from:c.from+1]) {
		c.from++
	}
	content, ended := r.quote(c), r.quote(over)
	r.out = slices.DeleteFunc(r.out, func(f found) bool {
		return !f.One && f.Label != Delete && ended != "" && overlaps(f.Content, ended) && !overlaps(f.Content, content)
	})
	for i := range r.out {
		f := &r.out[i]
		if f.Label != Delete && f.Label != Update && overlaps(f.Content, content) {
			f.Old = old.Text
			return
		}
	}
	r.out = append(r.out, found{Fact: Fact{Update, old.Subject, content, 0, ofPerson, false, old.Text}})
}

// quote returns a clause as it was written.
func (r *reader) quote(c span) string {
	if c.end == c.from {
		return ""
	}
	return r.text[r.words[c.from].start:r.words[c.end-1].end]
}
