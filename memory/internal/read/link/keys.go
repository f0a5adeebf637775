package link

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// How many keys a text has at most, in all and of a sort.
const (
	mostText     = 16 << 10 // bytes of the content that are read
	mostKeys     = 12
	mostNumbers  = 5
	mostContacts = 3
	mostHosts    = 2
	mostNames    = 5
	mostTopics   = 4
)

// Of returns what a text is linked by, the most telling first and at most twelve: "id:07-14244-53150", "mail:eva@firm.cz",
// "phone:777123456", "host:ebay.com", "name:unicorn university", "topic:car". Keys are folded, and words of a name brought to what
// their cases share, so that inflected mentions meet. kind is the record's (state.ContactRecord makes a name of the subject) or ""
// for other texts; lang is as in facts.Extract. Passwords and codes of cards are never keys. Of a long content the first
// 16 KB are read. Equal input gives equal keys.
func Of(kind, subject, content string, topics []string, lang string) []string {
	// Facts are read of subject and content together, for a label may stand in the one and its value in the other.
	content = text.Head(content, mostText)
	body := subject
	if body != "" && content != "" {
		body += ": "
	}
	found := facts.Extract(body+content, lang)

	// Keys of facts, of a contact's name, of names that are said, of topics.
	c := collection{kinds: map[string]int{}}
	for _, f := range found {
		c.fact(f)
	}
	opening := len(body)
	if subject == "" {
		opening = 0
	}
	if kind == string(state.ContactRecord) {
		c.contact(subject)
	}
	c.names(body+content, opening, found)
	for _, topic := range topics {
		if words := text.Terms(topic); len(words) > 0 {
			c.add("topic:", strings.Join(words, " "), mostTopics)
		}
	}

	// The most telling first: what is left out is what many things share.
	slices.SortStableFunc(c.keys, func(a, b string) int { return rank(a) - rank(b) })
	return c.keys[:min(len(c.keys), mostKeys)]
}

// rank orders the sorts of keys; names that may be none come last.
func rank(key string) int {
	sort, _, _ := strings.Cut(key, ":")
	return slices.Index([]string{"id", "mail", "phone", "host", "name", "topic"}, sort)
}

// collection gathers keys without repeats.
type collection struct {
	keys  []string
	kinds map[string]int
}

func (c *collection) add(sort, key string, most int) {
	const longest = 80 // bytes; what is longer names nothing
	if key == "" || len(key) > longest || c.kinds[sort] >= most || slices.Contains(c.keys, sort+key) {
		return
	}
	c.kinds[sort]++
	c.keys = append(c.keys, sort+key)
}

func (c *collection) fact(f facts.Fact) {
	switch f.Kind {
	case facts.Reference, facts.Item:
		if key := number(f.Value); len(key) > 2 && !facts.Secret(f.Label) {
			c.add("id:", key, mostNumbers)
		}
	case facts.Email:
		c.add("mail:", text.Fold(f.Value), mostContacts)
	case facts.Phone:
		c.add("phone:", facts.PhoneKey(f.Value), mostContacts)
	case facts.Link:
		c.add("host:", facts.Host(f.Value), mostHosts)
	}
}

// number returns an identifier in lower case without spaces.
func number(s string) string { return strings.Join(strings.Fields(text.Fold(s)), "") }

// contact makes a name of a short subject: "Eva Nováková", "plumber".
func (c *collection) contact(subject string) {
	var words []string
	for _, t := range text.Cut(subject) {
		if !t.Number && !t.Stop && !facts.Honorific(t.Folded) {
			words = append(words, base(t))
		}
	}
	if len(words) > 0 && len(words) <= 3 {
		c.add("name:", strings.Join(words, " "), mostNames)
	}
}

// names files the runs of words with capital letters: people, places, firms, products. content is the byte where the content begins. A
// run that a sentence begins with counts without its first word as well, and a single word there only if the subject has it.
func (c *collection) names(body string, content int, found []facts.Fact) {
	r := run{c: c}
	var first []string
	for _, t := range text.Cut(body) {
		if len(r.words) > 0 && strings.Trim(body[r.end:t.Start], " \u00a0-&") != "" {
			r.flush()
		}
		starts := opens(body, content, t.Start) && !r.titled
		r.end, r.titled = t.End, facts.Honorific(t.Folded)
		switch {
		case !named(t, found) || starts && (t.Stop || !followed(body[t.End:]) && !unknown(t)):
			r.flush()
		case starts && !followed(body[t.End:]):
			if t.Start < content || slices.Contains(first, base(t)) {
				first = append(first, base(t))
			}
		default:
			r.words, r.opens = append(r.words, base(t)), r.opens || starts
		}
	}
	r.flush()
	for _, word := range append(r.tails, first...) { // perhaps only a sentence begins
		c.add("name:", word, mostNames)
	}
}

// run is the words of one name while they are read.
type run struct {
	c      *collection
	words  []string
	opens  bool // a sentence begins with it
	titled bool // the token before was a title, whose point ends no sentence
	end    int
	tails  []string
}

func (r *run) flush() {
	r.c.add("name:", strings.Join(r.words, " "), mostNames)
	if r.opens && len(r.words) > 1 {
		r.tails = append(r.tails, strings.Join(r.words[1:], " "))
	}
	r.words, r.opens = nil, false
}

// named reports whether a token is written as a name is: with a capital letter, no value, no title, month or day.
func named(t text.Token, found []facts.Fact) bool {
	if t.Number || !strings.ContainsFunc(t.Surface, unicode.IsUpper) || len(t.Folded) < 2 || facts.Nameless(t.Folded) {
		return false
	}
	return !slices.ContainsFunc(found, func(f facts.Fact) bool {
		word := f.Kind == facts.Name || f.Kind == facts.Address || f.Kind == facts.Statement
		return !word && t.Start >= f.Start && t.Start < f.End
	})
}

// opens reports whether a sentence begins at byte at.
func opens(body string, content, at int) bool {
	before := strings.TrimRight(body[:at], " \t\"'„“”«(")
	return before == "" || at == content || strings.ContainsAny(before[len(before)-1:], ".!?\n:")
}

// followed reports whether another word with a capital letter comes next, which makes the first word of a sentence part of a name.
func followed(rest string) bool {
	word := strings.TrimLeft(rest, " \u00a0")
	if len(word) == len(rest) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// unknown reports whether the first word of a sentence is none that everybody uses.
func unknown(t text.Token) bool {
	stem := t.FindStem()
	return len(t.Folded) > 2 && !text.General(stem) && text.Related(stem) == nil && len(text.Concepts([]string{stem})) == 0
}

// base returns what the cases of a word in a name share; English endings stay, since they are no cases.
func base(t text.Token) string {
	folded := strings.TrimSuffix(text.Fold(t.Surface), "'s")
	for _, end := range []string{"ity", "tion", "sion", "ment", "ness", "ing", "ship", "ogy", "phy", "ies", "ers", "ics"} {
		if len(folded) > len(end)+2 && strings.HasSuffix(folded, end) {
			return folded
		}
	}
	return t.FindStem()
}
