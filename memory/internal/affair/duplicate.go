package affair

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// From which similarity on two affairs are sure, or perhaps, the same. Of two titles that each have a word the other
// lacks ("car insurance", "home insurance") more must agree.
const (
	sureSimilarity    = 0.85
	perhapsSimilarity = 0.5
	rivalSimilarity   = 0.7
)

// Duplicate looks for the existing affair that candidate most resembles by title and topics, without regard to
// case, diacritics and inflection; rare words weigh more. It returns that affair's id and the similarity in [0,1], and whether the two are
// surely the same; without sure, somebody who understands the titles has to confirm. id is "" when no affair is near. A
// differing identifier, in the title or under the same label of the key facts, makes another affair, a shared one the
// same. The candidate itself is passed over.
func Duplicate(candidate state.Affair, existing []*state.Affair) (id string, similarity float64, sure bool) {
	return new(Faces).Duplicate(candidate, existing)
}

// Faces does what Duplicate does, and remembers how affairs are recognised: of many affairs only those are read whose title, topics or
// facts have changed since. Safe for concurrent use; the zero value is ready.
type Faces struct {
	mu sync.Mutex
	by map[string]face // by id
}

// Duplicate is Duplicate.
func (k *Faces) Duplicate(candidate state.Affair, existing []*state.Affair) (id string, similarity float64, sure bool) {
	if facts.Untitled(candidate.Title) {
		return "", 0, false
	}
	c := faceOf(&candidate)
	faces := make([]face, 0, len(existing)+1)
	k.mu.Lock()
	for _, a := range existing {
		if candidate.ID == "" || a.ID != candidate.ID {
			faces = append(faces, k.face(a))
		}
	}
	k.mu.Unlock()
	weigh := weights(append(faces, c))
	for _, f := range faces {
		got, certain, near := c.compare(f, weigh)
		if got > similarity || certain && !sure {
			if similarity = got; near {
				id, sure = f.id, certain
			}
		}
		if sure {
			break
		}
	}
	return id, similarity, sure
}

// face returns the face of an affair. The caller holds the lock.
func (k *Faces) face(a *state.Affair) face {
	if f, known := k.by[a.ID]; known && f.is(a) {
		return f
	}
	if k.by == nil {
		k.by = map[string]face{}
	}
	f := faceOf(a)
	k.by[a.ID] = f
	return f
}

// Bytes is about what the faces take.
func (k *Faces) Bytes() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return int64(len(k.by)) * faceBytes
}

// faceBytes is about what a face takes: its words, and the texts it was read from.
const faceBytes = 700

// face is what an affair is recognised by.
type face struct {
	of      state.Affair // title, topics and facts it was read from
	id      string
	terms   []string // of title and topics, each once
	title   []string // content stems
	topics  []string
	numbers []string          // in the title
	keys    map[string]string // identifiers of the key facts: packed value -> label without number
}

// is reports whether the face is of the affair as it is now.
func (f *face) is(a *state.Affair) bool {
	return f.of.Title == a.Title && slices.Equal(f.of.Topics, a.Topics) && slices.Equal(f.of.KeyFacts, a.KeyFacts)
}

func faceOf(a *state.Affair) face {
	f := face{id: a.ID, keys: map[string]string{}, of: state.Affair{Title: a.Title, Topics: a.Topics, KeyFacts: a.KeyFacts}}
	for _, t := range text.Tokens(a.Title) {
		switch {
		case t.Number:
			f.numbers = append(f.numbers, t.Folded)
		case !t.Stop && !slices.Contains(f.title, t.Stem):
			f.title = append(f.title, t.Stem)
		}
	}
	for _, topic := range a.Topics {
		f.topics = append(f.topics, text.Terms(topic)...)
	}
	for _, t := range slices.Concat(f.title, f.topics) {
		if !slices.Contains(f.terms, t) {
			f.terms = append(f.terms, t)
		}
	}
	for _, k := range a.KeyFacts {
		for _, x := range facts.Extract(k.Label+": "+k.Value, anyLanguage) {
			if x.Kind.IsIdentifier() {
				f.keys[text.Packed(x.Value)] = k.Label
			}
		}
	}
	return f
}

// compare returns how alike two affairs are, and whether they are surely or perhaps the same.
func (f face) compare(g face, weigh func(string) float64) (similarity float64, sure, near bool) {
	titles, mine, yours := overlap(f.title, g.title, weigh)
	topics, _, _ := overlap(f.topics, g.topics, weigh)
	similarity = titles
	if titles < 1 && len(f.topics) > 0 && len(g.topics) > 0 {
		similarity = 0.75*titles + 0.25*topics
	}
	shared, differ := f.identifiers(g)
	switch {
	case differ:
		return similarity / 2, false, false
	case shared && titles > 0:
		return max(similarity, sureSimilarity), true, true
	case len(f.title) == 0 || len(g.title) == 0:
		return 0, false, false
	}
	sameNumbers := len(f.numbers) == len(g.numbers)
	sure = sameNumbers && similarity >= sureSimilarity && mine == 0 && yours == 0
	if len(f.title) == 1 && len(f.topics) > 0 && len(g.topics) > 0 && topics < 0.5 {
		sure = false // one common word ("order") is no name
	}
	least := perhapsSimilarity
	if mine > 0 && yours > 0 {
		least = rivalSimilarity
	}
	return similarity, sure, sure || similarity >= least
}

// identifiers reports whether two affairs share an identifier, and whether they differ in one of the same sort.
func (f face) identifiers(g face) (shared, differ bool) {
	if len(f.numbers) > 0 && len(g.numbers) > 0 {
		shared = slices.ContainsFunc(f.numbers, func(n string) bool { return utf8.RuneCountInString(n) > 4 && slices.Contains(g.numbers, n) })
		differ = !slices.Equal(f.numbers, g.numbers)
	}
	for value, label := range f.keys {
		if _, same := g.keys[value]; same {
			return true, false
		}
		for _, other := range g.keys {
			differ = differ || other == label
		}
	}
	return shared, differ
}

// overlap returns the weighted share of terms that two sets have in common, and the weight each has alone.
func overlap(a, b []string, weigh func(string) float64) (share, onlyA, onlyB float64) {
	var common float64
	for _, t := range a {
		if slices.ContainsFunc(b, func(u string) bool { return akin(t, u) }) {
			common += weigh(t)
		} else {
			onlyA += weigh(t)
		}
	}
	for _, u := range b {
		if !slices.ContainsFunc(a, func(t string) bool { return akin(t, u) }) {
			onlyB += weigh(u)
		}
	}
	if common == 0 {
		return 0, onlyA, onlyB
	}
	return common / (common + onlyA + onlyB), onlyA, onlyB
}

// akin reports whether two stems are of one word, up to five letters of its ending apart; numbers only if they are equal.
func akin(a, b string) bool {
	const digits = "0123456789"
	return a == b || text.Akin(a, b, 5) && !strings.ContainsAny(a, digits) && !strings.ContainsAny(b, digits)
}

// weights returns the weight of a term: ln(1 + N/df) over the titles and topics of all affairs.
func weights(all []face) func(string) float64 {
	df := map[string]int{}
	for _, f := range all {
		for _, t := range f.terms {
			df[t]++
		}
	}
	n := float64(len(all))
	return func(t string) float64 { return math.Log(1 + n/float64(max(df[t], 1))) }
}
