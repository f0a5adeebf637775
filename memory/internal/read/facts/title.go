package facts

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// titleRunes is how long a title is at most.
const titleRunes = 60

// Title names the affair that a message opens: a noun phrase of the message, two to six words of it where it has as many, with its noun
// in the form that dictionaries give as far as that is sure, and with a capital letter. It holds no verb that the word lists know,
// no order number, price, telephone number or address of a page. It is never empty: a message without content is a "New affair".
func Title(message, lang string) string { return Read(message, lang).Title() }

// Title is Title for a message that was read.
func (r *Reading) Title() string {
	t := r.titler()
	for _, weak := range []bool{false, true} {
		if title := t.best(t.phrases(weak)); title != "" {
			return t.fit(title)
		}
	}
	if rest := t.any(); rest != "" {
		return rest
	}
	return t.w.call(newAffair, t.lang)
}

// Untitled reports whether a title is the one given to messages without content, in any language.
func Untitled(title string) bool {
	w := shipped()
	for lang := range w.langs {
		if text.Fold(title) == text.Fold(w.call(newAffair, lang)) {
			return true
		}
	}
	return false
}

// likely is the weight from which on a phrase may stand in a title beside a better one: about 1 to 4.
const likely = -1.4

// roomy is what a phrase of several words, not all of them names, is worth more in a title than its weight says, and less one whose dictionary form is
// not known.
const roomy = 0.6

// newAffair and shopFrom are what the lists call a message without content, and the word before a shop.
const (
	newAffair = "new"
	shopFrom  = "from"
)

// titler composes a title; pieces holds for every lexeme what a title says instead ("" = nothing).
type titler struct {
	*Reading
	found  []Fact
	pieces []string
}

func (r *Reading) titler() titler {
	found := r.Facts()
	return titler{Reading: r, found: found, pieces: r.pieces(found)}
}

// candidate is a phrase with the words it would be in a title.
type candidate struct {
	phrase

	text   string
	sure   bool // of its form
	words  int
	weight float64 // how well it names the matter
}

// best returns the title that the phrases make: the weightiest one, and where that is a single word also the next or the shop it
// came from; "" if there is none.
func (t titler) best(found []phrase) string {
	// Phrases that make a title, the weightiest first; without one an order may.
	var all []candidate
	for _, p := range found {
		if c := t.candidate(p); c.text != "" {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return t.ordered()
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) })

	// Who wants something, or with whom it is, is not what it is about.
	if p := all[0].phrase; t.someone(p) && (p.prep >= 0 || t.at(p.words[0]-1).is(honorific) || t.acts(p) && !slices.Contains(p.parts, name)) {
		thing := slices.IndexFunc(all, func(c candidate) bool { return !t.someone(c.phrase) })
		if thing > 0 && !slices.ContainsFunc(all[1:], func(c candidate) bool { return t.someone(c.phrase) }) {
			all = all[thing:]
		}
	}

	// One word alone is too little: it gets the shop, or the next phrase, in the order in which they were said.
	first := all[0]
	if first.words > 1 {
		return first.text
	}
	shop := t.shop()
	switch {
	case shop != "" && text.Stem(shop) == text.Stem(first.text):
		return t.ordered()
	case shop != "":
		return first.text + " " + t.w.call(shopFrom, t.lang) + " " + shop
	}
	for _, second := range all[1:] {
		if second.weight < likely || !second.sure || t.at(second.phrase.words[0]-1).is(denies) || t.someone(second.phrase) && !t.someone(first.phrase) || second.words+1 > titleWords || text.Stem(second.text) == text.Stem(first.text) {
			continue
		}
		if second.nth < first.nth {
			first, second = second, first
		}
		return first.text + ", " + lowerFirst(second.text, t.plain(second.phrase))
	}
	return first.text
}

// someone reports whether a phrase says who somebody is.
func (t titler) someone(p phrase) bool {
	head := p.words[t.head(p)]
	return t.lex[head].set.meets(in(personWord, honorific)) || t.at(head-1).is(honorific)
}

// plain reports whether the first word of a phrase is written with a capital only because a sentence begins with it.
func (t titler) plain(p phrase) bool {
	first := p.words[0]
	return t.starts(first) && !t.germanNoun(first) || !startsUpper(t.lex[first])
}

func lowerFirst(s string, plain bool) string {
	r, size := utf8.DecodeRuneInString(s)
	if second, _ := utf8.DecodeRuneInString(s[size:]); !plain || unicode.IsUpper(second) {
		return s
	}
	return string(unicode.ToLower(r)) + s[size:]
}

// candidate weighs a phrase and says what it would be in a title: a journey says where it goes.
func (t titler) candidate(p phrase) candidate {
	words, sure := t.nominative(p)
	c := candidate{phrase: p, weight: t.name(p), sure: sure, text: t.say(p, words)}
	if way := t.way(p); way != "" {
		c.text = strings.Join(append([]string{way, t.lex[p.prep].raw}, t.said(p.words)...), " ")
	}
	c.words = len(strings.Fields(c.text))
	if c.words > 1 && slices.ContainsFunc(p.parts, func(x part) bool { return x != name }) {
		c.weight += roomy
	}
	if !sure {
		c.weight -= roomy
	}
	return c
}

// way returns the noun for a journey or a move when a phrase tells where it goes: "stěhuju se do Brna" is "Stěhování do Brna".
func (t titler) way(p phrase) string {
	const near = 4 // "I am flying with my mum to"
	for i := p.prep - 1; p.prep > 0 && i >= max(p.prep-near, 0) && !t.lex[i].last; i-- {
		if noun := t.g.motion[t.lex[i].fold]; noun != "" && t.lex[p.prep].is(towards) {
			return noun
		}
	}
	return ""
}

// said returns the pieces of lexemes as they stand in the message.
func (t titler) said(words []int) []string {
	out := make([]string, len(words))
	for k, i := range words {
		out[k] = t.pieces[i]
	}
	return out
}

// say renders a phrase with its words as they are to stand in a title. In English what is for a named thing is called by its name:
// "front bumper for my Corolla" is "Corolla front bumper".
func (t titler) say(p phrase, words []string) string {
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	if p.tie < 0 {
		return strings.Join(words, " ")
	}

	var tied []string
	named := true
	for _, i := range p.tied {
		tied = append(tied, t.pieces[i])
		named = named && startsUpper(t.lex[i])
	}

	if t.lang == "en" && t.lex[p.tie].fold == "for" && named && len(tied) <= 2 {
		if t.starts(p.words[0]) {
			words[0] = lowerFirst(words[0], true)
		}
		return strings.Join(append(tied, words...), " ")
	}
	return strings.Join(append(append(words, t.lex[p.tie].raw), tied...), " ")
}

// ordered returns the title of a message that says of what was bought only where: "eBay order".
func (t titler) ordered() string {
	shop := t.shop()
	if shop == "" {
		return ""
	}
	for _, l := range t.lex {
		if label := t.called(l, bought); label != "" {
			if t.lang == "en" {
				return shop + " " + label
			}
			return label + " " + t.w.call(shopFrom, t.lang) + " " + shop
		}
	}
	return shop
}

// shop returns the name of the host that the message's first link leads to.
func (t titler) shop() string {
	for i, l := range t.lex {
		if l.shape != link || t.pieces[i] == "" {
			continue
		}
		labels := strings.Split(t.pieces[i], ".")
		if len(labels) < 2 {
			return t.pieces[i]
		}
		host := labels[len(labels)-2]
		if host == "ebay" {
			return "eBay"
		}
		return capital(host)
	}
	return ""
}

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}
