package detect

import (
	"math"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// maxTerms bounds the terms of one message that are looked at; a pasted document needs no more.
const maxTerms = 400

// match is how well one affair fits the message. Coverages are idf-weighted shares in [0,1].
type match struct {
	at        int32
	said      [spaceCount]float64 // coverage by what was said in the affair or is told of it
	described float64             // coverage (roots) by title, topics, summary and key facts
	recent    float64             // coverage by its last terms
	bm25      float64             // per term
	number    bool                // a number of the message occurs in it
	long      bool                // one of five digits or more does
	seen      bool                // a message may turn to it
	score     float64             // of the target model
}

// touches tells whether the message and the affair have something in common: a word, a root, or a good part of what they are about.
func (m *match) touches() bool {
	return m.at >= 0 && (m.said[stems]+m.said[roots] > 0 || m.said[concepts] >= sameDomain)
}

// ownsMost tells whether the message is said mostly in words of an affair, and more so than in those of another.
func (m *match) ownsMost(other *match) bool {
	const most = 0.4
	return m.said[stems] >= most && m.said[stems] > other.said[stems]
}

// sameDomain is the share of a message's everyday domains from which on an affair of the same is something in common.
const sameDomain = 0.3

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
					m.long = m.long || text.Digits(w.word) >= longNumber
				}
			}
		}
	}
	for i := range out {
		out[i].bm25 /= max(float64(len(q.views[stems])), 1)
		a := h.affairs[i]
		if out[i].seen = h.sees(q, a); out[i].seen && out[i].said[stems] > 0 { // else nobody asks, or none of its words can be among the last
			out[i].recent = h.recent(q, a)
		}
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

// size returns the text known of an affair, in terms.
func (a *affair) size() float64 { return a.length + float64(len(a.described)) }

// recent is the coverage by the terms lately said in an affair.
func (h *History) recent(q *query, a *affair) float64 {
	if len(a.recent) == 0 || q.total[stems] == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range q.views[stems] {
		if slices.Contains(a.recent, w.common) {
			sum += w.idf
		}
	}
	return sum / q.total[stems]
}

// overlap returns the coverage of the message by stems that were said.
func (q *query) overlap(said []int32) float64 {
	if len(said) == 0 || q.total[stems] == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range q.views[stems] {
		if slices.Contains(said, w.common) {
			sum += w.idf
		}
	}
	return sum / q.total[stems]
}

// longNumber is how many digits a number has that two affairs hardly share.
const longNumber = 5

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// others returns the affairs a message could turn to.
func (h *History) others(ms []match) []*match {
	var out []*match
	for i := range ms {
		if int32(i) != h.current && ms[i].seen {
			out = append(out, &ms[i])
		}
	}
	return out
}

// sees reports whether an affair is in sight: an archived one only of a message that says its title.
func (h *History) sees(q *query, a *affair) bool {
	if !a.gone || len(a.title) == 0 {
		return !a.gone
	}
	said := func(root string) bool {
		return slices.ContainsFunc(q.views[roots], func(w weighted) bool { return w.word == root })
	}
	for _, root := range a.title {
		if !said(root) {
			return false
		}
	}
	return len(a.title) > 1 || q.cues.found[cueBack]
}

// logGap returns how long ago an affair was last spoken of, in messages, on a log scale.
func (h *History) logGap(a *affair) float64 { return math.Log1p(float64(h.messages - a.last)) }

// onlyIn says which part of the message occurs in just one of two affairs.
type onlyIn struct {
	here, there                  float64 // shares of the roots by idf
	nameHere, nameThere, nameNew float64 // names and numbers
	domainsNotHere, domainsThere float64
}

func (h *History) only(q *query, cur, other *match) onlyIn {
	var o onlyIn

	// Roots and names: what one of the two affairs has and the other does not.
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

	// Concepts of the message that are strange to the first affair.
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
	for _, u := range slices.Backward(h.spaces[space].terms[term].uses) { // the newest first: messages come in runs
		if u.affair == at {
			return u.said+u.described > 0
		}
	}
	return false
}
