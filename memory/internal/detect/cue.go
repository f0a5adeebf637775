package detect

import (
	"embed"
	"io/fs"
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
	cueTopic    cue = "topic"    // as for, regarding, what about the
	cueClosed   cue = "closed"   // settled, done, thanks that is all
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
	cueYou      cue = "you"     // do you, are you: asks the other, in talk among people
	cueLikes    cue = "likes"   // any, ever, favourite: what people ask each other to start with
)

// cues are those found in one message.
type cues struct {
	found   map[cue]bool
	start   map[cue]bool   // found at the start of the message
	said    map[cue]string // the phrase of a deciding class, as written
	phrases []string       // the same, in the order found
	rest    int            // words outside yes, no, thanks and greetings
}

// cueBook holds the phrases of all languages.
type cueBook struct {
	byLang map[string]*cueList
}

type cueList struct {
	byFirst map[string][]pattern // first two letters of the first word -> patterns
}

// pattern is one phrase: words after folding. See data/README.md for the signs.
type pattern struct {
	class  cue
	clause bool // only at the start of a clause
	end    bool // only at the end of a clause
	words  []slot
}

type slot struct {
	any      int // so many arbitrary words at most (0 = this is a word)
	forms    []string
	optional bool
}

// book parses the cue files once, on first use.
var book = sync.OnceValue(loadCues) //nolint:gochecknoglobals // a constant that is computed once

func loadCues() *cueBook {
	b, _ := readCues(files) // a test reads them too
	return b
}

// readCues reads cues_LANG.txt of as many languages as there are files. The error is a *text.ListError.
func readCues(from fs.FS) (*cueBook, error) {
	b := &cueBook{byLang: map[string]*cueList{}}
	names, err := fs.Glob(from, "data/cues_*.txt")
	if err != nil {
		return b, err
	}
	for _, name := range names {
		list := &cueList{byFirst: map[string][]pattern{}}
		lines, err := text.ReadList(from, name)
		if err != nil {
			return b, err
		}
		for _, line := range lines {
			list.add(parsePattern(cue(line.Key), line.Value))
		}
		b.byLang[strings.TrimSuffix(strings.TrimPrefix(name, "data/cues_"), ".txt")] = list
	}
	return b, nil
}

func parsePattern(class cue, line string) pattern {
	p := pattern{class: class}
	line, p.clause = strings.CutPrefix(line, "^")
	line, p.end = strings.CutSuffix(line, "$")
	for _, f := range strings.Fields(text.Fold(line)) {
		switch f {
		case "_":
			p.words = append(p.words, slot{any: 1})
		case "..":
			p.words = append(p.words, slot{any: 4})
		default:
			f, optional := strings.CutSuffix(f, "?")
			p.words = append(p.words, slot{forms: strings.Split(strings.ReplaceAll(f, "'", ""), "|"), optional: optional})
		}
	}
	return p
}

// add files a pattern under the first letters of every word it can begin with.
func (l *cueList) add(p pattern) {
	for i, s := range p.words {
		rest := pattern{class: p.class, clause: p.clause, end: p.end, words: p.words[i:]}
		for _, f := range s.forms {
			key := first(f)
			one := rest
			one.words = append([]slot{{forms: []string{f}}}, p.words[i+1:]...)
			l.byFirst[key] = append(l.byFirst[key], one)
		}
		if !s.optional {
			return
		}
	}
}

// first is the key of a word: its first two letters, one for words of a single letter.
func first(w string) string {
	n := 0
	for i := range w {
		if n == 2 {
			return w[:i]
		}
		n++
	}
	return w
}

// maxCueTokens bounds how far into a message cues are looked for.
const maxCueTokens = 120

// find looks for the cues of one language in a tokenized message.
func (b *cueBook) find(lang, s string, tokens []text.Token) cues {
	c := cues{found: map[cue]bool{}, start: map[cue]bool{}, said: map[cue]string{}}
	list := b.byLang[lang]
	if list == nil {
		list = b.byLang["en"]
	}
	if len(tokens) > maxCueTokens {
		tokens = tokens[:maxCueTokens]
	}
	clause := clauses(s, tokens)
	chatter := make([]bool, len(tokens))
	for i, t := range tokens {
		for _, p := range list.byFirst[first(t.Folded)] {
			if p.clause && !clause[i] {
				continue
			}
			n, ok := p.match(tokens[i:], clause[i:])
			if !ok {
				continue
			}
			c.note(p.class, s[t.Start:tokens[i+n-1].End], leading(chatter[:i]))
			if p.class == cueThanks || p.class == cueGreet || p.class == cueYes || p.class == cueNo {
				for j := i; j < i+n; j++ {
					chatter[j] = true
				}
			}
		}
	}
	for i, t := range tokens {
		if !chatter[i] && (!t.Stop || t.Number) {
			c.rest++
		}
	}
	return c
}

// leading tells whether nothing but chatter stands before.
func leading(chatter []bool) bool {
	for _, x := range chatter {
		if !x {
			return false
		}
	}
	return true
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

// clauses marks the tokens that begin a clause: the first and those behind a punctuation mark.
func clauses(s string, tokens []text.Token) []bool {
	out := make([]bool, len(tokens)+1)
	end := 0
	for i, t := range tokens {
		out[i] = i == 0 || strings.ContainsAny(s[end:t.Start], ".,;:!?…–—-()\n\"„“")
		end = t.End
	}
	out[len(tokens)] = true
	return out
}

// match tries a pattern at the beginning of tokens and returns how many it took. clause has one entry more
// than tokens has.
func (p pattern) match(tokens []text.Token, clause []bool) (int, bool) {
	n, ok := matchSlots(p.words, tokens, 0)
	if !ok || n == 0 || p.end && !clause[n] {
		return 0, false
	}
	return n, true
}

func matchSlots(words []slot, tokens []text.Token, n int) (int, bool) {
	if len(words) == 0 {
		return n, true
	}
	w := words[0]
	if w.any == 1 {
		if n >= len(tokens) {
			return 0, false
		}
		return matchSlots(words[1:], tokens, n+1)
	}
	if w.any > 1 {
		for k := 0; k <= w.any && n+k <= len(tokens); k++ {
			if end, ok := matchSlots(words[1:], tokens, n+k); ok {
				return end, true
			}
		}
		return 0, false
	}
	if n < len(tokens) && w.fits(tokens[n].Folded) {
		if end, ok := matchSlots(words[1:], tokens, n+1); ok {
			return end, true
		}
	}
	if w.optional {
		return matchSlots(words[1:], tokens, n)
	}
	return 0, false
}

func (s slot) fits(w string) bool {
	for _, f := range s.forms {
		if prefix, ok := strings.CutSuffix(f, "*"); ok {
			if strings.HasPrefix(w, prefix) {
				return true
			}
		} else if f == w {
			return true
		}
	}
	return false
}
