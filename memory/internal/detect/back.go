package detect

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Reference is how a message points back at what was said before it.
type Reference struct {
	Phrase  string // "as I said before", as written; "" for none
	First   bool   // the phrase means the beginning of the conversation
	Anaphor bool   // it has a word that stands for something else: it, that, they
	Rest    string // the message without the phrase: what is looked for
}

// Refer reads how a message in a language points back.
func Refer(lang, message string) Reference {
	tokens := text.Tokens(message)
	list := book()[lang]
	if list == nil {
		list = book()["en"]
	}
	r := Reference{Rest: message}
	tokens = tokens[:min(len(tokens), maxCueTokens)]
	words := clauses(message, tokens)
	from, to := 0, 0 // of the phrase in the message
	for i, t := range tokens {
		for p := range list.At(words[i]) {
			n := p.Match(words[i:], true, nil)
			if n == 0 || p.Begins && !words[i].Starts {
				continue
			}
			switch end := tokens[i+n-1].End; p.Is {
			case cueAnaphor:
				r.Anaphor = true
			case cueFirst, cueEarlier:
				r.First = r.First || p.Is == cueFirst
				if to == 0 {
					from = t.Start
				}
				to = max(to, end)
			}
		}
	}
	if to > 0 {
		r.Phrase = message[from:to]
		r.Rest = strings.TrimSpace(message[:from] + " " + message[to:])
	}
	return r
}
