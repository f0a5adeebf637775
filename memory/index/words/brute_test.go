package words_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/mneme-graph/mneme/memory/index/words"
	"github.com/mneme-graph/mneme/memory/text"
)

// brute is the definition of a search, written without an index: documents in a map, every one scored for every term. It
// knows no nearby words.
type brute map[string]words.Doc

func (x brute) search(q words.Query) []words.Hit {
	terms := slices.Compact(slices.Sorted(slices.Values(text.Terms(q.Text))))
	if len(terms) == 0 {
		return nil
	}
	kept := func(d words.Doc) bool { return q.Keep == nil || q.Keep(&d) }
	textScore := x.bm25(terms, func(d words.Doc) string { return d.Text })
	ownScore := x.bm25(terms, func(d words.Doc) string { return d.Head + "\n" + d.Text })
	sessions := x.sessions(terms, kept)
	raw := make(map[string]words.Fields)
	for id, d := range x {
		near := func(steps int) float64 {
			n, ok := x.neighbour(d, steps)
			if !ok || !kept(n) {
				return 0
			}
			return textScore[n.ID]
		}
		touched := ownScore[id] > 0
		if q.Around {
			for _, steps := range []int{-2, -1, 1, 2} {
				n, ok := x.neighbour(d, steps)
				touched = touched || ok && kept(n) && ownScore[n.ID] > 0
			}
		}
		if !touched || !kept(d) {
			continue
		}
		f := words.Fields{Text: textScore[id], Own: ownScore[id]}
		if q.Around {
			f.Prev = f.Own + .8*near(-1) + .6*near(-2)
			f.Win = f.Own + .7*near(-1) + .5*near(-2) + .6*near(1) + .4*near(2)
			f.Session = sessions[d.Group]
		}
		raw[id] = f
	}
	return x.rank(q, terms, raw)
}

func (x brute) rank(q words.Query, terms []string, raw map[string]words.Fields) []words.Hit {
	var most words.Fields
	for _, f := range raw {
		most = words.Fields{Text: max(most.Text, f.Text), Own: max(most.Own, f.Own), Prev: max(most.Prev, f.Prev), Win: max(most.Win, f.Win), Session: max(most.Session, f.Session)}
	}
	over := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	var hits []words.Hit
	for id, f := range raw {
		h := words.Hit{ID: id, Fields: words.Fields{Text: over(f.Text, most.Text), Own: over(f.Own, most.Own), Prev: over(f.Prev, most.Prev), Win: over(f.Win, most.Win), Session: over(f.Session, most.Session)}}
		h.Score = h.Fields.Text + h.Fields.Own
		if q.Around {
			h.Score = h.Fields.Own + h.Fields.Prev + h.Fields.Win + h.Fields.Session
		}
		h.Coverage = x.coverage(terms, x[id])
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b words.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(x[b.ID].Order, x[a.ID].Order), cmp.Compare(a.ID, b.ID))
	})
	if q.Limit > 0 {
		hits = hits[:min(len(hits), q.Limit)]
	}
	return hits
}

// bm25 scores every document by one field.
func (x brute) bm25(terms []string, field func(words.Doc) string) map[string]float64 {
	total := 0
	for _, d := range x {
		total += len(text.Terms(field(d)))
	}
	out := make(map[string]float64)
	for _, term := range terms {
		df := 0
		for _, d := range x {
			if slices.Contains(text.Terms(field(d)), term) {
				df++
			}
		}
		for id, d := range x {
			in := text.Terms(field(d))
			out[id] += okapi(occurrences(in, term), len(in), df, len(x), total)
		}
	}
	return out
}

// sessions scores every group as one document; only what is kept counts as said in it.
func (x brute) sessions(terms []string, kept func(words.Doc) bool) map[string]float64 {
	said, length, total := make(map[string][]string), make(map[string]int), 0
	for _, d := range x {
		if d.Group == "" {
			continue
		}
		in := text.Terms(d.Head + "\n" + d.Text)
		length[d.Group] += len(in)
		total += len(in)
		if kept(d) {
			said[d.Group] = append(said[d.Group], in...)
		}
	}
	out := make(map[string]float64)
	for _, term := range terms {
		df := 0
		for _, in := range said {
			if slices.Contains(in, term) {
				df++
			}
		}
		for name, in := range said {
			out[name] += okapi(occurrences(in, term), length[name], df, len(length), total)
		}
	}
	return out
}

func okapi(tf, length, df, n, total int) float64 {
	if tf == 0 {
		return 0
	}
	const k1, b = 1.2, .75
	idf := math.Log(1 + (float64(n-df)+.5)/(float64(df)+.5))
	return idf * float64(tf) * (k1 + 1) / (float64(tf) + k1*(1-b+b*float64(length)*float64(n)/float64(total)))
}

func (x brute) coverage(terms []string, d words.Doc) float64 {
	has, all := 0.0, 0.0
	for _, term := range terms {
		df := 0
		for _, other := range x {
			if slices.Contains(text.Terms(other.Head+"\n"+other.Text), term) {
				df++
			}
		}
		worth := math.Log(1 + (float64(len(x)-df)+.5)/(float64(df)+.5))
		all += worth
		if slices.Contains(text.Terms(d.Head+"\n"+d.Text), term) {
			has += worth
		}
	}
	return has / all
}

func (x brute) neighbour(d words.Doc, steps int) (words.Doc, bool) {
	if d.Group == "" {
		return words.Doc{}, false
	}
	var in []words.Doc
	for _, other := range x {
		if other.Group == d.Group {
			in = append(in, other)
		}
	}
	slices.SortFunc(in, func(a, b words.Doc) int { return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID)) })
	at := slices.IndexFunc(in, func(other words.Doc) bool { return other.ID == d.ID }) + steps
	if at < 0 || at >= len(in) {
		return words.Doc{}, false
	}
	return in[at], true
}

func occurrences(in []string, term string) int {
	n := 0
	for _, t := range in {
		if t == term {
			n++
		}
	}
	return n
}
