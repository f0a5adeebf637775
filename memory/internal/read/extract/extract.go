package extract

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Label is what kind of thing a fact is. What is to be skipped is not returned.
type Label string

// The labels, spelled as a model is asked for them.
const (
	Core       Label = "CORE"       // who the user is: name, work, family, place, health
	Preference Label = "PREFERENCE" // what he likes, dislikes, and how he is used to do things
	Decision   Label = "DECISION"   // a standing rule
	Project    Label = "PROJECT"    // what he works on, his goals
	Update     Label = "UPDATE"     // a correction; Content is the new value
	Delete     Label = "DELETE"     // what he wants forgotten
)

// note is the label of a line of a list that says what "remember" is about when no other line knows it.
const note Label = "NOTE"

// Fact is one thing worth keeping about the user.
type Fact struct {
	Label      Label
	Subject    string // a short label in the language of the message
	Content    string // quoted from the message
	Message    int    // index into the messages that were given
	Importance int    // 1 to 10
	One        bool   // the subject has one value at a time: what was known of it is over
	Old        string // the text of what was known before and is over with it, "" for none
}

// Known is what is known of the user before the messages.
type Known struct{ Subject, Text string }

// How much is read and returned.
const (
	mostFacts = 8
	mostHeld  = 64 // facts that are compared with each other
	mostRead  = 4 << 10
)

// The signals of importance.
const (
	ofCorrection = 10
	ofRemember   = 10
	ofPerson     = 8
	ofRepetition = 8
	ofDecision   = 6
)

// Facts returns what the user's messages, oldest first, say that is worth keeping: at most eight facts, the most important first and of
// equals the earlier. Nothing is returned twice and of two that contradict each other the later one. lang is the language of messages that
// do not show their own. What is known of the user, oldest first, tells what it is that a message ends by its value: "I sold the Fiesta".
func Facts(said []string, lang string, known ...Known) []Fact {
	var m merger
	for i, message := range said {
		for _, f := range readMessage(message, lang, m.with(known)) {
			f.Message = i
			m.add(f)
		}
	}
	out := make([]Fact, 0, len(m.held))
	for _, f := range m.held {
		if !f.gone {
			out = append(out, f.Fact)
		}
	}
	slices.SortStableFunc(out, func(a, b Fact) int { return b.Importance - a.Importance })
	return out[:min(len(out), mostFacts)]
}

// found is a fact with what merging needs to know.
type found struct {
	Fact

	side  string // + for what is liked, - for what is not
	loose bool   // a rule or a note: its subject says nothing of what it is about
	gone  bool   // another fact took its place
}

// readMessage finds the facts of one message.
func readMessage(message, lang string, known []Known) []found {
	message = own(text.Head(message, mostRead))
	k := listed(text.Language(message, lang))
	if k == nil || k.contains("joke", plainOf(cut(message))) {
		return nil
	}
	var out []found
	for _, s := range facts.Read(message, lang).Sentences() {
		out = append(out, k.readSentence(s.Text(), s.IsQuestion(), known)...)
	}
	return out
}

// readSentence finds the facts of one sentence.
func (k *knowledge) readSentence(s string, asked bool, known []Known) []found {
	words := cut(s)
	k.join(words)
	k.callByKin(words, known)
	plain := plainOf(words)
	if len(words) == 0 || k.contains("block", plain) || k.contains("imagine", plain) && !k.contains("news", plain) {
		return nil
	}
	r := reader{
		k: k, text: s, words: words, plain: plain, asked: asked,
		remember: k.contains("remember", plain), supposed: k.contains("suppose", plain), past: k.contains("past", plain),
	}
	if !asked && !r.supposed && !r.past {
		r.personal()
	}
	r.patterns()
	if !asked && !r.supposed && !r.past {
		r.contrast(known)
	}
	if r.remember {
		for i := range r.out {
			r.out[i].Importance = ofRemember
		}
	}
	return r.out
}

// reader goes through one sentence.
type reader struct {
	k        *knowledge
	text     string
	words    []word
	plain    []text.Word // words as patterns see them
	out      []found
	asked    bool
	remember bool
	supposed bool
	past     bool
}

// personal takes what the patterns of personal data find.
func (r *reader) personal() {
	for _, f := range personal.Find(r.text) {
		content := strings.TrimSpace(f.Value)
		if r.k.contains("oneoff", plainOf(cut(content))) {
			continue
		}
		if f.Property == "diet" {
			content = r.wholeClause(content)
		}
		r.out = append(r.out, found{Fact: Fact{Core, f.Label, content, 0, ofPerson, f.One, ""}})
	}
}

// wholeClause returns a quote with what stands before it in its clause: "meat" alone does not say whether it is eaten.
func (r *reader) wholeClause(quote string) string {
	at := strings.Index(r.text, quote)
	if at < 0 {
		return quote
	}
	from := at
	for _, w := range r.words {
		if w.Starts && w.start <= at {
			from = w.start
		}
	}
	return r.text[from : at+len(quote)]
}

// patterns takes what the patterns of the language find and personal did not. Within a rule or a note there may be a pattern that knows what
// it is about.
func (r *reader) patterns() {
	for i := 0; i < len(r.words); {
		f, end := r.at(i)
		if end == i {
			i++
			continue
		}
		at := slices.IndexFunc(r.out, func(o found) bool { return overlaps(o.Content, f.Content) })
		switch {
		case at < 0:
			r.out = append(r.out, f)
		case f.One && r.out[at].loose:
			if f.Label == Decision {
				f.Content = r.out[at].Content
			}
			r.out[at] = f
		}
		if i++; !f.loose {
			i = end
		}
	}
}

// overlaps reports whether one of two quotes of a sentence holds the other.
func overlaps(a, b string) bool { return strings.Contains(a, b) || strings.Contains(b, a) }
