package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// function is one spelling of a function word, in all languages that have it.
type function struct {
	votes  []vote
	polite bool // has a capital wherever it stands, out of courtesy: I, Sie, Вы
	name   bool // with a capital it is a name wherever it stands: Tom
}

// vote is what a function word says for a language.
type vote struct {
	lang   int // place in tables.langs
	weight float64
	stops  bool // it is a stop word of the language
}

// readFunctionWords reads the stop lists. Every folded form of a word stops, with three exceptions: behind = stands a word that is
// another one without its marks (být, byt), behind - one that only tells the language. Behind ^ stands a polite word, behind + a name.
// A word says less for a language when other languages have it too.
func (t *tables) readFunctionWords() map[string]*function {
	out := map[string]*function{}
	for lang, name := range t.langs {
		for _, written := range strings.Fields(strings.Join(t.lines("stop_"+name+".txt"), " ")) {
			w := strings.ToLower(strings.TrimLeft(written, "-=^+"))
			folded := strings.ReplaceAll(Fold(w), "'", "")
			if written[0] == '=' {
				folded = w
			}
			for _, form := range []string{w, folded} {
				f := out[form]
				if f == nil {
					f = &function{}
					out[form] = f
				}
				f.polite, f.name = f.polite || written[0] == '^', f.name || written[0] == '+'
				f.add(vote{lang: lang, stops: form == folded && written[0] != '-'})
			}
		}
	}
	for _, f := range out {
		for i := range f.votes {
			f.votes[i].weight = 1 / float64(len(f.votes))
		}
	}
	return out
}

// add gives a language one vote, which stops when one of its words of this spelling does.
func (f *function) add(v vote) {
	if i := slices.IndexFunc(f.votes, func(has vote) bool { return has.lang == v.lang }); i >= 0 {
		f.votes[i].stops = f.votes[i].stops || v.stops
		return
	}
	f.votes = append(f.votes, v)
}

// stopping returns the stop word that a word is in some language, first as folded, else as written; nil if it is none.
func (t *tables) stopping(folded, surface string) *function {
	stops := func(f *function) bool {
		return f != nil && slices.ContainsFunc(f.votes, func(v vote) bool { return v.stops })
	}
	if f := t.function[folded]; stops(f) {
		return f
	}
	if !ascii(surface) {
		if f := t.function[strings.ToLower(surface)]; stops(f) {
			return f
		}
	}
	return nil
}

// settle takes the stop off words that are none in this text: names, and function words of a language that it is not in. A text of
// which nothing tells the language keeps all.
func (t *tables) settle(s string, tokens []Token) {
	stops := func(t Token) bool { return t.Stop }
	if len(tokens) < 2 || !slices.ContainsFunc(tokens, stops) {
		return
	}
	spoken := t.hear(tokens)
	capitals := capitalsTell(s, tokens)
	for i := range tokens {
		x := &tokens[i]
		if !x.Stop {
			continue
		}
		switch f := x.function; {
		case capitals && x.capital() && (f == nil || !f.polite) && (f != nil && f.name || inSentence(s, tokens, i) || acronym(x.Surface)):
			x.Stop = false
		case f != nil && utf8.RuneCountInString(x.Folded) > 1:
			x.Stop = spoken.has(f)
		}
	}
}

func (t Token) capital() bool {
	r, _ := utf8.DecodeRuneInString(t.Surface)
	return unicode.IsUpper(r)
}

// acronym reports whether a word is written in capitals: US, IT.
func acronym(surface string) bool {
	return utf8.RuneCountInString(surface) > 1 && strings.ToUpper(surface) == surface
}

// inSentence reports whether a token is not the first of its sentence, line, quotation or bracket.
func inSentence(s string, tokens []Token, i int) bool {
	return i > 0 && !strings.ContainsAny(s[tokens[i-1].End:tokens[i].Start], ".!?…:\n\"„“”«([{")
}

// capitalsTell reports whether a capital letter makes a name: not where most small words have one, in titles and in what is shouted.
func capitalsTell(s string, tokens []Token) bool {
	with, without := 0, 0
	for i, t := range tokens {
		switch {
		case !t.Stop || t.function == nil || t.function.polite || !inSentence(s, tokens, i):
		case t.capital():
			with++
		default:
			without++
		}
	}
	return with < 2 || with <= without
}

// speech is how much of a text speaks for each language.
type speech struct {
	t      *tables
	tokens []Token
	score  []float64 // of function words, each once; where these are few, of what the other words look like too
}

// Evidence that decides. A language is spoken that has half as much of it as the best; what is thin is not enough without the looks
// of the words.
const (
	spokenShare  = 0.5
	thinEvidence = 2.0
	knownEnglish = 0.6 // of an English word
	mostLooks    = 40  // words that are looked at
)

// hear adds up the function words of a text.
func (t *tables) hear(tokens []Token) *speech {
	out := &speech{t: t, tokens: tokens, score: make([]float64, len(t.langs))}
	seen := make(map[*function]bool, len(tokens)/2)
	for i := range tokens {
		f := tokens[i].function
		if f == nil || seen[f] {
			continue
		}
		seen[f] = true
		f.speak(out.score, 1)
	}
	if slices.Max(out.score) < thinEvidence {
		out.look()
	}
	return out
}

// speak adds a part of the votes.
func (f *function) speak(score []float64, part float64) {
	for _, v := range f.votes {
		score[v.lang] += part * v.weight
	}
}

// has reports whether the text is in a language in which a word stops; of what the word itself says for that language half counts.
func (p *speech) has(f *function) bool {
	best, own := 0.0, 0.0
	for lang, score := range p.score {
		best = max(best, score)
		for _, v := range f.votes {
			if v.lang == lang && v.stops {
				own = max(own, score-v.weight/2)
			}
		}
	}
	return own >= spokenShare*best
}

// look adds up what the words look like that are no function words; one that is known to be English speaks for it.
func (p *speech) look() {
	english := slices.Index(p.t.langs, "en")
	n := 0
	for _, t := range p.tokens {
		if t.Number || t.function != nil || len(t.Surface) > maxToken {
			continue
		}
		if n++; n > mostLooks {
			return
		}
		p.t.look(p.score, t.Surface)
		if english >= 0 && ascii(t.Surface) && (p.t.english[porter(t.Folded)] || englishShape(t.Folded)) {
			p.score[english] += knownEnglish
		}
	}
}
