package detect

import (
	"math"
	"strings"

	"github.com/mneme-graph/mneme/state"
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
	number    bool                // an identifier of the message occurs in it
	score     float64             // of the target model
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
