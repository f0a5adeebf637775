package facts

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// topicCount is how many topics a message has at most.
const topicCount = 8

// Topics returns up to eight words that tell what a message is about, the most frequent first and otherwise in the
// message's order: nouns and names. They stand as they were said, in small letters but for names, one form of a word; of a link there is the
// name of its host. Words of any affair ("today", "need"), verbs and numbers are none.
func Topics(message, lang string) []string { return Read(message, lang).Topics() }

// Topics is Topics for a message that was read.
func (r *Reading) Topics() []string {
	found := r.topics()
	slices.SortStableFunc(found, func(a, b topic) int { return cmp.Compare(b.count, a.count) })
	var out []string
	for _, t := range found[:min(len(found), topicCount)] {
		out = append(out, t.word)
	}
	return out
}

// AddTopics returns topics with those of the message, at most so many. A name takes the place of the same word in small letters.
func (r *Reading) AddTopics(topics []string, most int) []string {
	out := slices.Clone(topics)
	for _, word := range r.Topics() {
		stem := text.Stem(word)
		at := slices.IndexFunc(out, func(t string) bool { return text.Stem(t) == stem })
		switch {
		case at < 0 && len(out) < most:
			out = append(out, word)
		case at >= 0 && word != strings.ToLower(word):
			out[at] = word
		}
	}
	return out
}

// topic is a word with how often a message says it.
type topic struct {
	word, stem string
	count      int
}

func (r *Reading) topics() (found []topic) {
	// A word is counted by its stem, and shown as a name if it stands as one somewhere.
	at := map[string]int{}
	note := func(word, stem string) {
		if utf8.RuneCountInString(stem) <= 2 || text.Digits(stem) > 0 {
			return
		}
		i, known := at[stem]
		if !known {
			i = len(found)
			at[stem] = i
			found = append(found, topic{word: word, stem: stem})
		}
		found[i].count++
		if word != strings.ToLower(word) {
			found[i].word = word
		}
	}

	// Idle phrases and what is no noun are passed over; of a link the name of its host counts.
	t := r.titler()
	for i := 0; i < len(r.lex); i++ {
		l := r.lex[i]
		if n := r.phrase(i, len(r.lex), idle()); n > 0 {
			i += n - 1
			continue
		}
		switch {
		case l.shape == link:
			host, _ := hostOf(l.raw)
			labels := strings.Split(host, ".")
			if n := len(labels); n >= 2 && utf8.RuneCountInString(labels[n-2]) > 2 {
				note(text.Fold(labels[n-2]), text.Fold(labels[n-2]))
			}
		case l.shape == word:
			if terms := text.Terms(l.raw); len(terms) > 0 && !r.abbreviated(i) && !text.General(terms[0]) && t.topical(i) {
				note(r.lower(i), text.Stem(l.raw))
			}
		}
	}
	return found
}

// topical reports whether lexeme i is a noun or a name, and no number.
func (t titler) topical(i int) bool {
	l := t.lex[i]
	if t.stop(i) || t.w.counts(l.fold) > 0 || t.pieces[i] == "" {
		return false
	}
	switch t.part(i, true) {
	case noun, name:
		return true
	case adjectival: // "účetní", "dovolená": a noun in its place
		return l.is(knownNoun)
	}
	return false
}

// abbreviated reports whether lexeme i is an abbreviation: one with its point within a sentence, or a title before a name.
func (r *Reading) abbreviated(i int) bool {
	if !text.Abbreviation(r.lex[i].raw) {
		return false
	}
	if r.is(i+1, ".") && r.at(i+1).glued {
		return !r.at(i + 1).last
	}
	return r.lex[i].is(honorific) && startsUpper(r.at(i+1))
}

// lower returns a word in small letters, unless it is a name, or a German noun: it has a capital inside, or one at its beginning where no
// sentence begins.
func (r *Reading) lower(i int) string {
	l := r.lex[i]
	_, first := utf8.DecodeRuneInString(l.raw)
	if startsUpper(l) && (r.germanNoun(i) || !r.starts(i)) || strings.ContainsFunc(l.raw[first:], unicode.IsUpper) && l.raw != strings.ToUpper(l.raw) {
		return l.raw
	}
	return strings.ToLower(l.raw)
}

// idle returns the classes of words and phrases that are no topic.
func idle() set {
	return in(numberWord, announces, filler, reminder, obligation, article, opening, pointer, preposition, currencyWord, thousands, monthWord, weekday)
}
