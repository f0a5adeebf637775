package words

import (
	"cmp"
	"math"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

const (
	mostTerms   = 160   // of a query that count, the most telling ones
	mostLookups = 8     // words that stand for a term
	allLookups  = 96    // of a query
	freePosts   = 1_000 // of words that stand for a term, read in any case
	postShare   = 32    // and one in so many of all documents
)

// term is one term of the query and the lists it leads to, the best first. A document has the term by the first list
// that it is in, so that synonyms never add up.
type term struct {
	word    string
	lookups []lookup
	worth   float64 // idf of the term itself
}

// lookup is a list that a term leads to.
type lookup struct {
	list   uint32
	weight float64 // 1 for the word itself
	via    Via
	worth  // weighted idf
}

// worth is what finding a word tells, by field. Words that stand for a term tell at most what the term does.
type worth struct {
	text, own, lead, window, pair, passage float64
}

// ask reads the query.
func (s *search) ask() {
	seen := make(map[string]bool)
	add := func(word string, weight float64) {
		if !seen[word] && weight > 0 {
			seen[word] = true
			s.terms = append(s.terms, s.term(word, weight))
		}
	}
	for i := range s.words {
		s.words[i].Stem = s.words[i].FindStem()
	}
	says := func(t text.Token) bool { return !t.Stop && !text.Topical(t.Stem) }
	about := slices.ContainsFunc(s.words, says) // something besides the conversation
	s.others = min(max(allLookups/max(len(s.words), 1), 1), mostLookups)
	for _, t := range s.words {
		switch {
		case t.Stop:
		case about && !says(t):
			add(t.Stem, grain(1-s.p.offTopic))
		default:
			add(t.Stem, 1)
		}
	}
	for _, picture := range text.Emoji(s.q.Text) {
		add(picture, 1)
	}
	if s.asked.Month != 0 {
		add(monthTerm(s.asked.Month), 1)
	}
	s.p = s.p.inPassing(len(s.terms))
	if len(s.terms) > mostTerms {
		slices.SortStableFunc(s.terms, func(a, b term) int { return cmp.Compare(b.tells(), a.tells()) })
		s.terms = s.terms[:mostTerms]
	}
	for i := range s.terms {
		s.whole += s.terms[i].worth
	}
}

// tells returns what a term is worth in this index.
func (t *term) tells() float64 {
	if len(t.lookups) == 0 {
		return 0
	}
	return t.worth
}

// term finds the lists of a term: its own, words spelled like it, and words of the same matter.
func (s *search) term(word string, weight float64) term {
	t, n := s.t, float64(len(s.t.slots))
	out := term{word: word, worth: weight * idf(n, 0)}
	own, ok := t.words[word]
	if ok = ok && t.lists[own].ownDF > 0; ok {
		out.worth = weight * idf(n, float64(t.lists[own].ownDF))
		out.lookups = append(out.lookups, lookup{list: own, weight: weight, via: Exact, worth: t.worth(own, weight, math.Inf(1))})
	}
	others := s.standIns(word, ok, weight)
	for i := range others {
		others[i].worth = t.worth(others[i].list, others[i].weight, out.worth)
	}
	slices.SortFunc(others, func(a, b lookup) int {
		return cmp.Or(cmp.Compare(b.own, a.own), cmp.Compare(t.lists[a.list].word, t.lists[b.list].word))
	})
	posts := uint32(freePosts + len(t.slots)/postShare)
	for _, l := range others[:min(len(others), s.others)] {
		if df := t.lists[l.list].ownDF; df <= posts {
			posts -= df
			out.lookups = append(out.lookups, l)
		}
	}
	return out
}

// worth weighs the idf of a list in each field, held to most of a word that stands for another.
func (t *tables) worth(n uint32, weight, most float64) worth {
	l, docs := &t.lists[n], float64(len(t.slots))
	tells := func(docs float64, df float64) float64 { return weight * min(idf(docs, df), most) }
	return worth{
		text: tells(docs, float64(l.textDF)), own: tells(docs, float64(l.ownDF)), lead: tells(docs, float64(l.leadDF)),
		window: tells(docs, spread(docs, float64(l.textDF), 5)), pair: tells(docs, spread(docs, float64(l.leadDF), 2)),
		passage: tells(float64(t.passages), float64(l.passageDF)),
	}
}

// standIns returns the words that may stand for a term, each once, by the way that weighs most.
func (s *search) standIns(word string, found bool, weight float64) []lookup {
	// Only words that documents have; of two ways to one word the better counts.
	var out []lookup
	add := func(n uint32, w float64, via Via) {
		w = grain(weight * w)
		if w <= 0 || s.t.lists[n].ownDF == 0 || s.t.lists[n].word == word {
			return
		}
		at := slices.IndexFunc(out, func(l lookup) bool { return l.list == n })
		switch {
		case at < 0:
			out = append(out, lookup{list: n, weight: w, via: via})
		case w > out[at].weight:
			out[at].weight, out[at].via = w, via
		}
	}

	// Words that are written or used alike.
	for i, like := range s.t.similar(word, !found) {
		if like.closeness > 0 && i < maxNearby {
			add(like.list, nearWeight*like.closeness, Nearby)
		}
		if like.dice >= minDice && i < maxAlike {
			add(like.list, s.p.alike*like.dice, Nearby)
		}
	}

	// Words that a thesaurus knows to be related, and words of the same matter.
	if s.p.kin > 0 {
		for _, k := range text.Related(word) {
			if n, ok := s.t.words[k.Stem]; ok {
				add(n, s.p.kin*k.Weight, Kin)
			}
		}
	}
	if s.p.concept > 0 {
		for _, matter := range text.Concepts([]string{word}) {
			for _, n := range s.t.matters[matter] {
				add(n, s.p.concept, Kin)
			}
		}
	}
	return out
}

// narrow tells a matter from a wider domain, which joins too much.
func narrow(matter string) bool { return matter[0] != '@' }

// spread guesses in how many runs of k documents a term occurs that df of n documents have.
func spread(n, df, k float64) float64 {
	if n == 0 {
		return 0
	}
	return n * (1 - math.Pow(1-df/n, k))
}

// grain rounds to 1/1024, so that sums of weighted counts are exact in any order.
func grain(w float64) float64 { return math.Round(w*1024) / 1024 }
