// Package ahead reads what a message asks of what waits for its user: tasks, appointments, last days.
//
//	q, asks := ahead.Read("What do I have to do by Friday?", now) // from today on, until Saturday begins
//	q, asks = ahead.Read("What's left to do about the kitchen?", now) // at any time, about the kitchen
//	q, asks = ahead.Read("What's the weather this week?", now) // asks for nothing that waits
package ahead

// Design:
//
//   - A prompt gets lines for it, so it errs on the side of no: besides the phrase, the stretch of time and words that say nothing, what else is in the sentence
//     is what it is about, and only that is shown.
//
//   - The phrases are data (data/LANG.txt), one language a file: a stretch counts in the language of the phrase that asks.

import (
	"embed"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Question is what is asked for.
type Question struct {
	Stretch
	About []string // the stems of what it is about, nil = anything
}

// mostWords is how long a sentence is at most that asks: longer ones are pasted.
const mostWords = 40

// Read returns what a message asks for at a time, in the time's zone, and whether it asks for what waits. Safe for concurrent use.
func Read(message string, now time.Time) (q Question, asks bool) {
	for _, sentence := range text.Sentences(message) {
		words := wordsOf(sentence)
		if len(words) > mostWords {
			continue
		}
		for _, lang := range phrases().languages {
			r := reading{words: words, now: now, covered: make([]bool, len(words))}
			r.match(lang)
			if found, does := r.question(sentence); does && (!asks || len(found.About) < len(q.About)) {
				q, asks = found, true
			}
		}
	}
	return q, asks
}

// Named returns the stretch of time that a text names, which was said at a time: "Friday", "6 March at 9:00", "22 February to 5 March". What is to be over by a day
// has all the time up to it. A date goes before a word. Safe for concurrent use.
func Named(s string, at time.Time) (out Stretch) {
	r := reading{words: wordsOf(s), now: at}
	dates, by := r.dates(s), false
	for _, lang := range phrases().languages {
		r.covered, r.found = make([]bool, len(r.words)), nil
		r.match(lang)
		for _, h := range r.found {
			by = by || h.does == until && h.end < len(r.words) && text.Digits(r.words[h.end].Fold) > 0
			if named, ok := r.named(h); ok && !r.inside(h) {
				if r.before(h, until) {
					named.From = r.day(0)
				}
				out = out.And(named)
			}
		}
	}
	if dates.Until.IsZero() {
		return out
	}
	if by && r.day(0).Before(dates.From) {
		dates.From = r.day(0)
	}
	return dates
}

// Past reports whether a message names a stretch that is over, such as last Friday. Safe for concurrent use.
func Past(message string) bool {
	words := wordsOf(message)
	for i := range words {
		for p := range phrases().At(words[i]) {
			if p.Is.does == past && p.Match(words[i:], false, nil) > 0 {
				return true
			}
		}
	}
	return false
}

// wordsOf cuts a text for patterns.
func wordsOf(s string) (out []text.Word) {
	for _, w := range text.Words(s) {
		out = append(out, text.Word{Fold: strings.ReplaceAll(w, "'", "")})
	}
	return out
}

//go:embed data/*.txt
var files embed.FS

// What a phrase does; any other one names a stretch of time.
const (
	waits = "waits" // asks for what waits
	has   = "has"   // asks for it where a stretch stands beside it
	fill  = "fill"  // says nothing of what is asked for
	until = "until" // makes what is behind it the end
	next  = "next"  // puts the day of the week behind it into the next week
	past  = "past"
)

// meaning is what a phrase of a language does, and the number that it has: of days or weeks from now, of the day of the week.
type meaning struct {
	lang, does string
	number     int
}

// known are the phrases of all languages.
type known struct {
	text.Patterns[meaning]
	languages []string
}

// phrases parses the files once, on first use; what it returns never changes.
var phrases = sync.OnceValue(func() *known { //nolint:gochecknoglobals // a constant that is computed once
	k, _ := readPhrases(files) // a test reads them too
	return k
})

// readPhrases reads data/LANG.txt; the error is a *text.ListError.
func readPhrases(from fs.FS) (*known, error) {
	k := &known{}
	err := text.ReadLists(from, "data/*.txt", func(lang string, line text.Line) error {
		if !slices.Contains(k.languages, lang) {
			k.languages = append(k.languages, lang)
		}
		is := meaning{lang: lang}
		does, number, numbered := strings.Cut(line.Key, " ")
		if is.does = does; numbered {
			n, err := strconv.Atoi(number)
			if err != nil {
				return line.Wrong("has no number")
			}
			is.number = n
		}
		written := strings.Split(line.Value, " | ")
		if is.does == fill {
			written = strings.Fields(line.Value)
		}
		for _, w := range written {
			k.Add(strings.TrimSpace(w), is)
		}
		return nil
	})
	return k, err
}
