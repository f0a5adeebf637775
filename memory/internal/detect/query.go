package detect

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// mostText is how many bytes of a message are read; a pasted document needs no more.
const mostText = 16 << 10

// query is the message being judged.
type query struct {
	text   string
	lang   string
	tokens []text.Token
	terms  []string
	views  [spaceCount][]weighted
	total  [spaceCount]float64 // sum of idf
	unseen float64             // idf-weighted share of stems and roots never seen before
	cues   cues
	names  map[string]float64 // roots of names and numbers -> 1
	then   *then              // what is said behind the first sentence; nil = nothing
}

// then is a message without its first sentence.
type then struct {
	tokens []text.Token
	cues   cues
	words  map[string]bool // roots
	asks   bool
}

// read cuts the text into tokens and terms and finds its language and cues.
func (q *query) read(h *History) *query {
	q.text = text.Head(q.text, mostText)
	q.tokens = text.Tokens(q.text)
	for _, t := range q.tokens {
		if !t.Stop && len(q.terms) < maxTerms {
			q.terms = append(q.terms, t.Stem)
		}
	}
	q.lang = text.Language(text.Head(q.text, 2000), h.language())
	q.cues = book().find(q.lang, q.text, q.tokens)
	if h.users == 0 && len(q.tokens) <= 2 {
		q.greetings() // nothing yet tells the language, a greeting does
	}
	return q
}

// readThen reads what stands behind the first sentence.
func (q *query) readThen() {
	end := firstEnd(q.text)
	at := slices.IndexFunc(q.tokens, func(t text.Token) bool { return t.Start >= end })
	if at <= 0 {
		return
	}
	rest := q.text[end:]
	t := &then{tokens: q.tokens[at:], words: map[string]bool{}, asks: strings.Contains(rest, "?")}
	t.cues = book().find(q.lang, rest, text.Tokens(rest))
	for _, token := range t.tokens {
		if !token.Stop {
			t.words[rootsOf([]string{token.Stem})[0]] = true
		}
	}
	q.then = t
}

// firstEnd returns where the first sentence ends.
func firstEnd(s string) int {
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		if r == '\n' || strings.ContainsRune(".!?…", r) && next < len(s) && (s[next] == ' ' || s[next] == '\n') {
			return next
		}
	}
	return len(s)
}

// greetings looks for a greeting or thanks in every language.
func (q *query) greetings() {
	for _, lang := range slices.Sorted(maps.Keys(book())) {
		if c := book().find(lang, q.text, q.tokens); c.rest == 0 && (c.found[cueGreet] || c.found[cueThanks]) {
			q.cues = c
			return
		}
	}
}

// mostChatter is how many words a greeting has at most that is nothing else: "good evening, how are you today".
const mostChatter = 7

// chatter: a greeting or thanks, perhaps with a word about how much, and nothing else.
func (q *query) chatter() bool {
	friendly := q.cues.found[cueThanks] || q.cues.found[cueGreet]
	return q.cues.rest == 0 || friendly && q.cues.rest == 1 && len(q.tokens) <= mostChatter && !q.cues.found[cueRequest] && !q.cues.found[cueDo]
}

// tells: neither a question, nor the answer to one, nor a word or two.
func (h *History) tells(q *query) bool {
	return !h.asked && !q.asks() && len(q.tokens) > 3 && !q.cues.start[cueYes] && !q.cues.start[cueNo]
}

// Styles of talk. Each has weights of its own or added ones, and its own calibration and operating point.
const (
	inflected = "inflected" // languages whose lists say so: fewer words in common, and all that was there to learn from is of one style
	talking   = "talking"   // nobody answers: people among themselves, no assistant
	telling   = "telling"   // the user tells and orders rather than asks and answers
	asking    = "asking"    // he asks and answers: the style of the English service dialogues, where nothing is added to the weights
)

// style names the style of the talk, this message included, and how much it is of it, in [0,1]: telling grows
// with the share of what was told unasked and is full from 35 %; the rest of it is asking.
func (h *History) style(q *query) (string, float64) {
	if list := book()[q.lang]; list != nil && list.inflected {
		return inflected, 1
	}
	if h.replies == 0 {
		return talking, 1
	}
	told := float64(h.told)
	if h.tells(q) {
		told++
	}
	return telling, min(1, max(0, 5*(told/float64(h.users+1)-0.15)))
}

type weighted struct {
	word   string
	idf    float64
	common int32 // number in its space, -1 = never seen
}

func (h *History) query(s string) *query {
	// The words of the message, and which terms its roots are of.
	q := (&query{text: s}).read(h)
	q.readThen()
	q.names = names(s, q.tokens)
	term := map[string]string{}
	for i, r := range rootsOf(q.terms) {
		term[r], term[q.terms[i]] = q.terms[i], q.terms[i]
	}

	// Each view has its words once, with what they weigh; what is said everywhere counts little.
	for i, words := range views(q.terms) {
		seen := map[string]bool{}
		for _, w := range words {
			if seen[w] {
				continue
			}
			seen[w] = true
			x := weighted{word: w, common: -1}
			messages := int32(0)
			if p, ok := h.spaces[i].ids[w]; ok {
				x.common, messages = p, h.spaces[i].terms[p].messages
			}
			x.idf = h.idf(messages)
			if i == stems || i == roots {
				x.idf *= worth(term[w])
			}
			q.views[i] = append(q.views[i], x)
			q.total[i] += x.idf
		}
	}

	// How much of the message no affair has said.
	for _, x := range q.views[roots] {
		if x.common < 0 {
			q.unseen += x.idf
		}
	}
	q.unseen /= max(q.total[roots], 1e-9)
	return q
}

// names finds what is written like a name inside a sentence, and numbers, by their roots.
func names(s string, tokens []text.Token) map[string]float64 {
	out := map[string]float64{}
	end := 0
	for i, t := range tokens {
		start := i == 0 || strings.ContainsAny(s[end:t.Start], ".!?\n:")
		end = t.End
		if t.Stop {
			continue
		}
		first, _ := utf8.DecodeRuneInString(t.Surface)
		if t.Number || !start && unicode.IsUpper(first) {
			out[rootsOf([]string{t.Stem})[0]] = 1
		}
	}
	return out
}
