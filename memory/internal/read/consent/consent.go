// Package consent reads whether a message of a person lets a suggestion be carried out.
//
//	consent.Read("Yes, remember that.")     // yes
//	consent.Read("Approve the second one.") // approve
//	consent.Read("What does the page say?") // neither
package consent

// Design:
//
//   - It is asked before a model may answer a suggestion, so it errs on the side of no answer: a message that is long, asks, or says both
//     yes and no says neither.
//
//   - The words are data (data/words.txt), one group a line, in all languages at once: a yes is short in any of them.

import (
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Answer is what a message says to suggestions.
type Answer string

// The answers. Yes and No are to what was asked just now, Approve and Reject to any suggestion.
const (
	None    Answer = ""
	Yes     Answer = "yes"
	No      Answer = "no"
	Approve Answer = "approve"
	Reject  Answer = "reject"
)

//go:embed data/words.txt
var files embed.FS

// words are those of the file by what they do.
var words = sync.OnceValue(func() text.Roles { return text.MustReadRoles(files, "data/words.txt") }) //nolint:gochecknoglobals // a constant that is computed once

// mostWords is how many words an answer has at most: a longer message says something else besides.
const mostWords = 12

// Read returns what a message says. Safe for concurrent use.
func Read(message string) Answer {
	said := split(message)
	if len(said) > mostWords || strings.Contains(message, "?") {
		return None
	}
	has := func(does string) bool {
		return slices.ContainsFunc(said, func(w string) bool { return words().Has(does, w) })
	}
	approves, rejects := has(string(Approve)), has(string(Reject))
	yes, no := has(string(Yes)), has(string(No))
	switch {
	case has("not"), approves && (rejects || no), rejects && yes, yes && no:
		return None
	case approves:
		return Approve
	case rejects:
		return Reject
	case yes:
		return Yes
	case no:
		return No
	}
	return None
}

// Plain is Read of a message that says nothing besides: None for "yes, but keep my address". Safe for concurrent use.
func Plain(message string) Answer {
	for _, w := range split(message) {
		known := func(does string) bool { return words().Has(does, w) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(words())), known) {
			return None
		}
	}
	return Read(message)
}

// split returns the words of a message, folded.
func split(message string) []string {
	return strings.FieldsFunc(text.Fold(message), func(r rune) bool { return strings.ContainsRune(" \t\r\n.,;:!–—-\"„“”()", r) })
}
