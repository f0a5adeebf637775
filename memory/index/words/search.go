package words

import (
	"cmp"
	"math"
	"slices"

	"github.com/mneme-graph/mneme/memory/text"
)

// BM25. Both were varied widely without moving recall at ten by a point.
const (
	bm25K1 = 1.2  // how soon repeating a word stops to help
	bm25B  = 0.75 // how much long documents are held back
)

// Query asks for documents.
type Query struct {
	Text   string
	Limit  int  // hits at most; 0 = all
	Around bool // score for the neighbours in the group and for the group as well

	// Keep, unless nil, chooses. What it refuses is not found and lends no score to its neighbours. The Doc has
	// neither Text nor Head and must not be changed; Keep must not call the Index.
	Keep func(*Doc) bool
}

// Fields are the parts of a score, each divided by the largest of this query: 1 is the best document in that respect.
type Fields struct {
	Text    float64 // BM25 of the own words
	Own     float64 // BM25 of head and own words
	Prev    float64 // Own, and less so the two documents before; 0 unless Query.Around
	Win     float64 // Own, and less so the two before and after; 0 unless Query.Around
	Session float64 // BM25 of the whole group; 0 unless Query.Around, or without a group
}

// Hit is a document found. Score compares hits of one query only: it is Text + Own, with Query.Around Own + Prev +
// Win + Session. Coverage compares across queries: the share of the query's terms that the document itself has, in [0,1],
// rare terms weighing more and nearby words less.
type Hit struct {
	ID       string
	Score    float64
	Coverage float64
	Fields   Fields
	Terms    []string // terms of the query that the document has, itself or by a nearby word
}

// Search returns the documents that share a term with the query, or with Query.Around stand next to one that does, best first;
// the newer first among equals, then by id. A query of stop words finds nothing. It takes time in proportion to the documents
// that have a term of the query.
func (x *Index) Search(q Query) []Hit {
	terms := distinct(text.Terms(q.Text))
	if len(terms) == 0 {
		return nil
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := search{t: x.t, q: q, terms: terms, tally: x.tally()}
	defer x.scratch.Put(s.tally)
	defer s.reset()
	for i, term := range terms {
		s.term(i, term)
	}
	if q.Around {
		s.around()
	}
	return s.hits()
}

// tally takes a scratch pad that is large enough.
func (x *Index) tally() *tally {
	a, ok := x.scratch.Get().(*tally)
	if !ok {
		a = new(tally)
	}
	if n := len(x.t.entries); len(a.at) < n {
		a.at = make([]int32, n+n/4)
	}
	a.sessions.room(len(x.t.groups))
	return a
}

// tally keeps the scores of the documents met. It is used again, so that a search need not clear a cell for every document.
type tally struct {
	at      []int32 // slot -> 1 + place in scores; -1 = refused; 0 = not met
	scores  []score
	refused []uint32
	sessions
}

// score is what one document has collected.
type score struct {
	slot   uint32
	place  int32 // in its group; set by around
	last   int32 // 1 + number of the term counted last
	Fields       // not yet divided
	cover  float64
	terms  uint64 // bit i = has term i; terms from the 64th on are not listed
}

// search is one search under way.
type search struct {
	t     *tables
	q     Query
	terms []string
	*tally
	weight float64 // of all terms, for Coverage
}

// met returns the place of the document in scores, -1 if it is dead or refused.
func (s *search) met(slot uint32) int32 {
	if at := s.at[slot]; at != 0 {
		return max(at, 0) - 1
	}
	e := &s.t.entries[slot]
	if !e.live {
		return -1
	}
	if s.q.Keep != nil && !s.q.Keep(&e.doc) {
		s.at[slot] = -1
		s.refused = append(s.refused, slot)
		return -1
	}
	s.scores = append(s.scores, score{slot: slot})
	s.at[slot] = int32(len(s.scores))
	return int32(len(s.scores)) - 1
}

// reset leaves the tally as it was found.
func (s *search) reset() {
	s.sessions.reset()
	for i := range s.scores {
		s.at[s.scores[i].slot] = 0
	}
	for _, slot := range s.refused {
		s.at[slot] = 0
	}
	s.scores, s.refused = s.scores[:0], s.refused[:0]
}

// term adds what the i-th term of the query gives to each document.
func (s *search) term(i int, term string) {
	n := len(s.t.slots)
	lookups := s.t.lookups(term)
	worth := idf(n, 0)
	if len(lookups) > 0 && lookups[0].weight == 1 {
		worth = idf(n, int(s.t.lists[lookups[0].list].ownDF))
	}
	s.weight += worth
	textMean, ownMean := mean(s.t.textLen, n), mean(s.t.ownLen, n)
	for _, l := range lookups {
		found := &s.t.lists[l.list]
		textIDF, ownIDF := l.weight*idf(n, int(found.textDF)), l.weight*idf(n, int(found.ownDF))
		for _, p := range found.posts {
			at := s.met(p.slot)
			if at < 0 || s.scores[at].last == int32(i+1) { // dead, refused, or a nearer word has counted
				continue
			}
			c, e := &s.scores[at], &s.t.entries[p.slot]
			own := float64(p.text) + float64(p.head)
			c.last = int32(i + 1)
			c.Text += textIDF * saturate(float64(p.text), float64(e.textLen), textMean)
			c.Own += ownIDF * saturate(own, float64(e.ownLen), ownMean)
			c.cover += l.weight * worth
			if i < 64 {
				c.terms |= 1 << i
			}
			if s.q.Around && e.doc.Group != "" {
				s.sessions.count(e.group, l.weight*own)
			}
		}
	}
	s.sessions.add(s.t)
}

// idf is how much a word in df of n documents tells.
func idf(n, df int) float64 { return math.Log1p((float64(n-df) + 0.5) / (float64(df) + 0.5)) }

// saturate is BM25's share of a word that occurs tf times in a document of length terms.
func saturate(tf, length, mean float64) float64 {
	if tf == 0 {
		return 0
	}
	return tf * (bm25K1 + 1) / (tf + bm25K1*(1-bm25B+bm25B*length/mean))
}

func mean(sum int64, n int) float64 { return float64(sum) / float64(max(n, 1)) }

// hits divides, adds, sorts and cuts.
func (s *search) hits() []Hit {
	var most Fields
	for i := range s.scores {
		f := &s.scores[i].Fields
		most = Fields{max(most.Text, f.Text), max(most.Own, f.Own), max(most.Prev, f.Prev), max(most.Win, f.Win), max(most.Session, f.Session)}
	}
	best := ranking{t: s.t, limit: s.q.Limit}
	for i := range s.scores {
		c := &s.scores[i]
		c.Fields = c.Fields.dividedBy(most)
		best.add(ranked{c.total(s.q.Around), c})
	}
	var out []Hit
	for _, r := range best.sorted() {
		c := r.score
		out = append(out, Hit{
			ID: s.t.entries[c.slot].doc.ID, Score: r.total, Coverage: min(c.cover/s.weight, 1), Fields: c.Fields, Terms: s.has(c.terms),
		})
	}
	return out
}

func (f Fields) dividedBy(most Fields) Fields {
	part := func(x, of float64) float64 {
		if of == 0 {
			return 0
		}
		return x / of
	}
	return Fields{part(f.Text, most.Text), part(f.Own, most.Own), part(f.Prev, most.Prev), part(f.Win, most.Win), part(f.Session, most.Session)}
}

func (c *score) total(around bool) float64 {
	if around {
		return c.Own + c.Prev + c.Win + c.Session
	}
	return c.Text + c.Own
}

// has lists the terms whose bits are set.
func (s *search) has(bits uint64) []string {
	var out []string
	for i, term := range s.terms {
		if i < 64 && bits&(1<<i) != 0 {
			out = append(out, term)
		}
	}
	return out
}

// ranked is a document with its final score.
type ranked struct {
	total float64
	score *score
}

// ranking keeps the best documents, sorting only now and then.
type ranking struct {
	t     *tables
	limit int
	kept  []ranked
	floor float64 // what falls below it is not among the best
}

func (r *ranking) add(x ranked) {
	if x.total < r.floor {
		return
	}
	r.kept = append(r.kept, x)
	if r.limit > 0 && len(r.kept) >= 4*r.limit+64 {
		r.kept = r.sorted()
		r.floor = r.kept[len(r.kept)-1].total
	}
}

// sorted is the best so far in order, limit at most.
func (r *ranking) sorted() []ranked {
	slices.SortFunc(r.kept, r.compare)
	if r.limit > 0 {
		return r.kept[:min(len(r.kept), r.limit)]
	}
	return r.kept
}

// compare is negative if x comes before y.
func (r *ranking) compare(x, y ranked) int {
	if c := cmp.Compare(y.total, x.total); c != 0 {
		return c
	}
	a, b := &r.t.entries[x.score.slot].doc, &r.t.entries[y.score.slot].doc
	if c := cmp.Compare(b.Order, a.Order); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// distinct drops repeated terms.
func distinct(terms []string) []string {
	seen := make(map[string]bool, len(terms))
	return slices.DeleteFunc(terms, func(term string) bool {
		was := seen[term]
		seen[term] = true
		return was
	})
}
