package detect

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed data
var files embed.FS

// cue is a class of phrases that say what a message does, whatever it is about.
type cue string

const (
	cueNew      cue = "new"      // something else now, another thing
	cueMore     cue = "more"     // I have another question: often a change, often not
	cueAside    cue = "aside"    // by the way, just quickly
	cueBack     cue = "back"     // back to, let's go on with
	cueNames    cue = "names"    // let's talk about, moving on to: says what comes now, of this affair or another
	cueTopic    cue = "topic"    // as for, regarding, what about the
	cueClosed   cue = "closed"   // settled, done, thanks that is all
	cueShut     cue = "shut"     // close: an order
	cueYet      cue = "yet"      // will, if, when, almost: what closed says is not so yet
	cueQuestion cue = "question" // question words
	cueRequest  cue = "request"  // I need, we are planning
	cueDo       cue = "do"       // write, find, can you
	cueYes      cue = "yes"
	cueNo       cue = "no"
	cueThanks   cue = "thanks"
	cueGreet    cue = "greet"
	cueAnaphor  cue = "anaphor" // it, that, they
	cueAnd      cue = "and"     // and, so, but at the start
	cueNews     cue = "news"    // has arrived, they called, was refused
	cueTrivia   cue = "trivia"  // what time is it, the capital of
	cueNote     cue = "note"    // write down, remind me, for later
	cueTask     cue = "task"    // remind me on Wednesday to: where a phrase begins that is one, no aside begins ("remind me, when was it?")
	cueYou      cue = "you"     // do you, are you: asks the other, in talk among people
	cueLikes    cue = "likes"   // any, ever, favourite: what people ask each other to start with
	cueEarlier  cue = "earlier" // as I said before: points back at what was said
	cueOffer    cue = "offer"   // anything else? in an answer: asks what there is besides
	cueNone     cue = "none"    // my name is, what is open, answer briefly: nothing that is about an affair
	cueFirst    cue = "first"   // at the beginning of our conversation
)

// anyAffair are words for an affair, whatever it is about.
const anyAffair = "matter topic affair záležitost téma sprawa temat тема дело Thema Sache Angelegenheit"

// Shuts reports whether a message orders an affair to be closed, and which: by the stems of the telling words besides that of the order itself.
func Shuts(s, lang string) (orders bool, which []string) {
	if !book().find(lang, s, text.Tokens(s)).found[cueShut] {
		return false, nil
	}
	every := text.Terms(anyAffair)
	telling := slices.DeleteFunc(text.Terms(s), func(t string) bool { return text.General(t) || slices.Contains(every, t) })
	return true, telling[min(1, len(telling)):]
}

// cues are those found in one message.
type cues struct {
	found   map[cue]bool
	start   map[cue]bool   // found at the start of the message
	said    map[cue]string // the phrase of a deciding class, as written
	phrases []string       // the same, in the order found
	rest    int            // words outside yes, no, thanks and greetings
}

// cueBook holds the phrases of each language.
type cueBook map[string]*cueList

type cueList struct {
	text.Patterns[cue]
	inflected bool // the language's words have many forms
}

// book parses the cue files once, on first use.
var book = sync.OnceValue(func() cueBook { //nolint:gochecknoglobals // a constant that is computed once
	b, _ := readCues(files) // a test reads them too
	return b
})

// readCues reads cues_LANG.txt of as many languages as there are files. The error is a *text.ListError.
func readCues(from fs.FS) (cueBook, error) {
	b := cueBook{}
	err := text.ReadLists(from, "data/cues_*.txt", func(lang string, line text.Line) error {
		if b[lang] == nil {
			b[lang] = &cueList{}
		}
		if line.Key == "style" {
			b[lang].inflected = line.Value == inflected
			return nil
		}
		b[lang].Add(line.Value, cue(line.Key))
		return nil
	})
	return b, err
}

// maxCueTokens bounds how far into a message cues are looked for.
const maxCueTokens = 120

// find looks for the cues of one language in a tokenized message.
func (b cueBook) find(lang, s string, tokens []text.Token) cues {
	// The cues of the language; a language without a list has the English ones.
	c := cues{found: map[cue]bool{}, start: map[cue]bool{}, said: map[cue]string{}}
	list := b[lang]
	if list == nil {
		list = b["en"]
	}
	tokens = tokens[:min(len(tokens), maxCueTokens)]
	words := clauses(s, tokens)

	// Every place where one may begin. Greetings and the like are chatter: they open a message without saying anything.
	chatter := make([]bool, len(tokens))
	for i, t := range tokens {
		task := list.task(words[i:])
		for p := range list.At(words[i]) {
			if p.Begins && !words[i].Starts || task && p.Is == cueAside {
				continue
			}
			n := p.Match(words[i:], true, nil)
			if n == 0 || p.Ends && i+n < len(words) && !words[i+n].Starts {
				continue
			}
			c.note(p.Is, s[t.Start:tokens[i+n-1].End], !slices.Contains(chatter[:i], false))
			if p.Is == cueThanks || p.Is == cueGreet || p.Is == cueYes || p.Is == cueNo {
				for j := i; j < i+n; j++ {
					chatter[j] = true
				}
			}
		}
	}

	// What is left says what the message is about.
	for i, t := range tokens {
		if !chatter[i] && (!t.Stop || t.Number) {
			c.rest++
		}
	}
	return c
}

// task reports whether words begin with an order to be reminded of something some time.
func (l *cueList) task(words []text.Word) bool {
	for p := range l.At(words[0]) {
		if p.Is == cueTask && p.Match(words, true, nil) > 0 {
			return true
		}
	}
	return false
}

func (c *cues) note(class cue, phrase string, start bool) {
	if start {
		c.start[class] = true
	}
	if !c.found[class] {
		c.found[class] = true
		switch class {
		case cueNew, cueMore, cueAside, cueBack, cueTopic, cueClosed:
			c.said[class] = phrase
			c.phrases = append(c.phrases, phrase)
		}
	}
}

// clauses returns the tokens as words of patterns: those that begin a clause are the first and those behind a punctuation mark.
func clauses(s string, tokens []text.Token) []text.Word {
	out := make([]text.Word, len(tokens))
	end := 0
	for i, t := range tokens {
		out[i] = text.Word{Fold: t.Folded, Raw: t.Surface, Number: t.Number, Starts: i == 0 || strings.ContainsAny(s[end:t.Start], ".,;:!?…–—-()\n\"„“")}
		end = t.End
	}
	return out
}
