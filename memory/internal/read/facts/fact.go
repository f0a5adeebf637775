package facts

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/mask"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Kind says what a fact is about.
type Kind string

// The kinds of fact.
const (
	Reference Kind = "reference" // a number or code that names one thing: order, invoice, account, plate, flight
	Item      Kind = "item"      // the number of a thing on sale, found inside a link
	Price     Kind = "price"     // an amount with its currency
	Date      Kind = "date"      // a day, perhaps with a time
	Deadline  Kind = "deadline"  // a day up to which something has to happen
	Time      Kind = "time"      // a time of day alone
	Phone     Kind = "phone"
	Email     Kind = "email"
	Link      Kind = "link"
	Address   Kind = "address"
	Name      Kind = "name"
	Measure   Kind = "measure"   // a size, weight or count
	Statement Kind = "statement" // anything else said as "label: value" or "my X is Y"
)

// Fact is one thing a message states. Value is the message's own text from byte Start to End, with runs of
// white space made one space. Label is in the words and language of the message where it has such words (Named), else the usual
// word for the kind.
type Fact struct {
	Kind       Kind
	Label      string
	Value      string
	Start, End int
	Named      bool
}

// Extract finds the facts of a message in the order they stand in it; they overlap only where a link holds
// an item number. lang is cs, pl, ru, en or de and chooses the labels of facts that have none of their own;
// with any other the language is guessed. It takes time linear in the message and never fails.
func Extract(message, lang string) []Fact { return Read(message, lang).Facts() }

// Facts is Extract for a message that was read.
func (r *Reading) Facts() []Fact {
	if r.extracted {
		return r.facts
	}
	for i := 0; i < len(r.lex); {
		if end := r.fact(i); end > i {
			i = end
			r.floor = end
			continue
		}
		i++
	}

	r.statements()
	slices.SortStableFunc(r.facts, func(a, b Fact) int { return a.Start - b.Start })
	r.extracted, r.floor = true, 0
	return r.facts
}

// IsIdentifier reports whether a fact of this kind names one thing, so that another value is another thing.
func (k Kind) IsIdentifier() bool { return k == Reference || k == Item }

// Moment reports whether a fact is a day or a time.
func (f Fact) Moment() bool { return f.Kind == Date || f.Kind == Deadline || f.Kind == Time }

// Reading is a message that is read once, whatever is asked of it. It is for one goroutine.
type Reading struct {
	w         *lexicon
	g         *grammar // of its language
	text      string
	lang      string
	lex       []lexeme
	facts     []Fact
	extracted bool
	floor     int // first lexeme after the last fact, while they are found
}

// Read reads a message, but for the placeholders of secrets in it. lang is one of the languages that have word lists; with any other the language is guessed.
func Read(message, lang string) *Reading { return shipped().read(message, lang) }

func (w *lexicon) read(message, lang string) *Reading {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	if w.langs[lang] == nil {
		lang = text.Language(message, "en")
	}
	return &Reading{w: w, g: w.grammar(lang), text: message, lang: lang, lex: w.scan(mask.Blank(message), lang)}
}

// skim reads a message for what does not depend on its language.
func skim(message string) *Reading {
	w := shipped()
	return &Reading{w: w, g: w.grammar(""), text: message, lex: w.scan(mask.Blank(message), "")}
}

// called returns what the lists call a word of one of the classes; "" if it is of none.
func (r *Reading) called(l lexeme, classes ...class) string {
	if !l.set.meets(in(classes...)) {
		return ""
	}
	return r.w.label(l.fold, r.lang, classes...)
}

// phrase returns how many words from lexeme i on, and before end, are a phrase of one of the classes, the longest one; 0 for none.
func (r *Reading) phrase(i, end int, of set) (longest int) {
	if i >= end || r.lex[i].shape != word {
		return 0
	}
	e := r.w.whole[r.lex[i].fold]
	if e == nil {
		return 0
	}

	if e.set.meets(of) {
		longest = 1
	}
	for _, p := range e.phrases {
		n := len(p.rest) + 1
		if p.entry.set.meets(of) && n > longest && i+n <= end && r.says(i+1, p.rest) {
			longest = n
		}
	}
	return longest
}

// says reports whether these words stand from lexeme i on.
func (r *Reading) says(i int, words []string) bool {
	for k, w := range words {
		if l := r.lex[i+k]; l.shape != word || l.fold != w {
			return false
		}
	}
	return true
}

// Languages returns those that have word lists.
func Languages() []string { return slices.Sorted(maps.Keys(shipped().langs)) }

// DefaultLabel is the usual word for a kind of fact in a language, else in English. Facts that no words of the message name get it.
func DefaultLabel(kind Kind, lang string) string { return shipped().call(string(kind), lang) }

// Phrase is how the lists of a language, else those of English, say something that is not a message's own: a heading, a reason.
func Phrase(what, lang string) string {
	base, _, _ := strings.Cut(strings.ToLower(lang), "-")
	return shipped().call(what, base)
}

// fact tries every recogniser at lexeme i, the most certain first, and returns the index after the fact, or 0.
func (r *Reading) fact(i int) int {
	switch l := r.lex[i]; l.shape {
	case link:
		return r.link(i)
	case mail:
		r.add(Email, i, i+1, "")
		return i + 1
	case symbol:
		return r.price(i)
	case mark:
		return r.phone(i)
	case word:
		for _, try := range [](func(int) int){r.moment, r.address, r.person, r.size, r.spelled} {
			if end := try(i); end > 0 {
				return end
			}
		}
		return 0
	}
	for _, try := range [](func(int) int){r.price, r.moment, r.iban, r.phone, r.address, r.measure, r.reference} {
		if end := try(i); end > 0 {
			return end
		}
	}
	return 0
}

// add files the fact that lexemes i to end-1 state; without a label of its own it takes the subject
// standing before it ("my dentist is ...") or the usual word for its kind.
func (r *Reading) add(kind Kind, i, end int, label string) {
	if r.at(i - 1).is(denies) {
		return // "not $41.20"
	}
	f := Fact{Kind: kind, Label: label, Named: label != "", Start: r.lex[i].start, End: r.lex[end-1].end}
	f.Value = squeeze(r.text[f.Start:f.End])
	if !f.Named {
		label, owned := r.owned(i)
		f.Label, f.Named = label, label != "" && (owned || kind != Link)
		if !f.Named {
			f.Label = r.w.call(string(kind), r.lang)
		}
	}
	r.facts = append(r.facts, f)
}

// squeeze makes every run of white space one space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// at returns lexeme i, an empty mark outside the message.
func (r *Reading) at(i int) lexeme {
	if i < 0 || i >= len(r.lex) {
		return lexeme{shape: mark}
	}
	return r.lex[i]
}

// is reports whether lexeme i is one of these signs.
func (r *Reading) is(i int, signs string) bool {
	l := r.at(i)
	return l.raw != "" && (l.shape == mark || l.shape == symbol) && strings.Contains(signs, l.raw)
}

// starts reports whether lexeme i begins a sentence.
func (r *Reading) starts(i int) bool { return i <= 0 || i < len(r.lex) && r.lex[i-1].last }

// words is the message's own text of lexemes from to end-1 as a label: one line, a first letter that is large only
// because a sentence begins made small.
func (r *Reading) words(from, end int) string {
	s := squeeze(r.text[r.lex[from].start:r.lex[end-1].end])
	first, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[size:])
	if r.starts(from) && !r.germanNoun(from) && unicode.IsUpper(first) && !unicode.IsUpper(second) && !unicode.IsDigit(second) {
		return string(unicode.ToLower(first)) + s[size:]
	}
	return s
}

// germanNoun reports whether lexeme i is a German word that is written large wherever it stands, as far as no list says otherwise.
func (r *Reading) germanNoun(i int) bool {
	l := r.lex[i]
	return r.lang == "de" && startsUpper(l) && len(text.Terms(l.raw)) > 0 && !l.set.meets(in(untitled, knownAdjective))
}

func upper(s string) string { return strings.ToUpper(s) }
