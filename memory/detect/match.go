package detect

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/text"
	"github.com/mneme-graph/mneme/state"
)

// maxTerms bounds the terms of one message that are looked at; a pasted document needs no more.
const maxTerms = 400

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
}

// read cuts the text into tokens and finds its cues.
func (q *query) read(h *History) *query {
	q.tokens = text.Tokens(q.text)
	q.lang = text.Language(clip(q.text), h.language())
	q.cues = book().find(q.lang, q.text, q.tokens)
	if h.users == 0 && len(q.tokens) <= 2 {
		q.greetings() // nothing yet tells the language, a greeting does
	}
	return q
}

// greetings looks for a greeting or thanks in every language.
func (q *query) greetings() {
	for lang := range book().byLang {
		if c := book().find(lang, q.text, q.tokens); c.rest == 0 && (c.found[cueGreet] || c.found[cueThanks]) {
			q.cues = c
			return
		}
	}
}

// chatter: a greeting or thanks, perhaps with a word about how much, and nothing else.
func (q *query) chatter() bool {
	friendly := q.cues.found[cueThanks] || q.cues.found[cueGreet]
	return q.cues.rest == 0 || friendly && q.cues.rest == 1 && len(q.tokens) <= 4 && !q.cues.found[cueRequest] && !q.cues.found[cueDo]
}

// tells: neither a question, nor the answer to one, nor a word or two.
func (h *History) tells(q *query) bool {
	return !h.asked && !q.asks() && len(q.tokens) > 3 && !q.cues.start[cueYes] && !q.cues.start[cueNo]
}

// Styles of talk that shift the weights. The rest is asking for information, the style of the English data.
const (
	inflected = "inflected" // cs, pl, ru: fewer words in common, and all that was there to learn from is of one style
	talking   = "talking"   // nobody answers: people among themselves, no assistant
	telling   = "telling"   // the user tells and orders rather than asks and answers
)

// style names the style of the talk, this message included, and how much it is of it, in [0,1]: telling grows
// with the share of what was told unasked and is full from 35 %.
func (h *History) style(q *query) (string, float64) {
	if q.lang == "cs" || q.lang == "pl" || q.lang == "ru" {
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

// generalWeight is what a word that occurs in any affair counts, against one of its own.
const generalWeight = 0.4

type weighted struct {
	word   string
	idf    float64
	common int32 // number in its space, -1 = never seen
}

// match is how well one affair fits the message. Coverages are idf-weighted shares in [0,1].
type match struct {
	at        int32
	said      [spaceCount]float64 // coverage by what was said in the affair or is told of it
	described float64             // coverage (roots) by title, topics, summary and key facts
	recent    float64             // coverage by its last terms
	bm25      float64             // per term
	number    bool                // an identifier of the message occurs in it
	score     float64             // of the target model
}

func (h *History) query(s string) *query {
	q := (&query{text: s}).read(h)
	for _, t := range q.tokens {
		if !t.Stop && len(q.terms) < maxTerms {
			q.terms = append(q.terms, t.Stem)
		}
	}
	q.names = names(s, q.tokens)
	general := map[string]string{}
	for i, r := range rootsOf(q.terms) {
		general[r], general[q.terms[i]] = q.terms[i], q.terms[i]
	}
	for i, words := range views(q.terms) {
		seen := map[string]bool{}
		for _, w := range words {
			if seen[w] {
				continue
			}
			seen[w] = true
			x := weighted{word: w, common: -1}
			messages := 0
			if p, ok := h.spaces[i].ids[w]; ok {
				x.common, messages = p, h.spaces[i].terms[p].messages
			}
			x.idf = h.idf(messages)
			if i != concepts && text.General(general[w]) {
				x.idf *= generalWeight
			}
			q.views[i] = append(q.views[i], x)
			q.total[i] += x.idf
		}
	}
	for _, x := range q.views[roots] {
		if x.common < 0 {
			q.unseen += x.idf
		}
	}
	q.unseen /= max(q.total[roots], 1e-9)
	return q
}

// clip keeps the beginning of a long text, cut between runes.
func clip(s string) string {
	const n = 2000
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// matches compares the message with every affair in sight; the result has one entry per affair, in order.
func (h *History) matches(q *query) []match {
	out := make([]match, len(h.affairs))
	mean := h.meanLength()
	for i := range out {
		out[i].at = int32(i)
	}
	for i, words := range q.views {
		for _, w := range words {
			if w.common < 0 {
				continue
			}
			share := w.idf / q.total[i]
			for _, u := range h.spaces[i].terms[w.common].uses {
				m := &out[u.affair]
				if u.said+u.described <= 0 {
					continue
				}
				m.said[i] += share
				if i == roots && u.described > 0 {
					m.described += share
				}
				if i == stems {
					tf := float64(u.said + u.described)
					norm := 1.2 * (0.25 + 0.75*h.affairs[u.affair].size()/mean)
					m.bm25 += w.idf * tf * 2.2 / (tf + norm)
					m.number = m.number || hasDigit(w.word)
				}
			}
		}
	}
	for i := range out {
		out[i].bm25 /= max(float64(len(q.views[stems])), 1)
		out[i].recent = h.recent(q, h.affairs[i])
	}
	return out
}

func (h *History) meanLength() float64 {
	sum, n := 0.0, 0.0
	for _, a := range h.affairs {
		if !a.gone {
			sum += a.size()
			n++
		}
	}
	return max(sum/max(n, 1), 1)
}

// size is the text known of an affair, in terms.
func (a *affair) size() float64 { return a.length + float64(len(a.described)) }

// recent is the coverage by the terms lately said in an affair.
func (h *History) recent(q *query, a *affair) float64 {
	if len(a.recent) == 0 || q.total[stems] == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range q.views[stems] {
		for _, r := range a.recent {
			if r == w.word {
				sum += w.idf
				break
			}
		}
	}
	return sum / q.total[stems]
}

// overlap is the coverage of the message by a set of terms.
func (q *query) overlap(set map[string]bool) float64 {
	if len(set) == 0 || q.total[stems] == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range q.views[stems] {
		if set[w.word] {
			sum += w.idf
		}
	}
	return sum / q.total[stems]
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// others returns the affairs a message could turn to.
func (h *History) others(ms []match) []*match {
	var out []*match
	for i := range ms {
		if a := h.affairs[i]; !a.gone && int32(i) != h.current && a.status != state.Archived {
			out = append(out, &ms[i])
		}
	}
	return out
}

// logGap is how long ago an affair was last spoken of, in messages, on a log scale.
func (h *History) logGap(a *affair) float64 { return math.Log1p(float64(h.messages - a.last)) }

// onlyIn says which part of the message occurs in just one of two affairs.
type onlyIn struct {
	here, there                  float64 // shares of the roots by idf
	nameHere, nameThere, nameNew float64 // names and numbers
	domainsNotHere, domainsThere float64
}

func (h *History) only(q *query, cur, other *match) onlyIn {
	var o onlyIn
	for _, w := range q.views[roots] {
		here, there := h.has(roots, w.common, cur.at), h.has(roots, w.common, other.at)
		share := w.idf / q.total[roots]
		name := q.names[w.word]
		switch {
		case here && !there:
			o.here += share
			o.nameHere += name
		case there && !here:
			o.there += share
			o.nameThere += name
		case w.common < 0:
			o.nameNew += name
		}
	}
	for _, w := range q.views[concepts] {
		here, there := h.has(concepts, w.common, cur.at), h.has(concepts, w.common, other.at)
		if !here {
			o.domainsNotHere++
			if there {
				o.domainsThere++
			}
		}
	}
	return o
}

// has tells whether an affair holds a term.
func (h *History) has(space int, term, at int32) bool {
	if term < 0 || at < 0 {
		return false
	}
	for _, u := range h.spaces[space].terms[term].uses {
		if u.affair == at {
			return u.said+u.described > 0
		}
	}
	return false
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
