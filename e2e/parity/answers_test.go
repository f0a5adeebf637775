package parity_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
)

// answers asks about each conversation in the memory of its own user. All of a user's documents take part in the ranking by
// meaning, so the answers must be the same, and still the same after the index was lost and made again.
func answers(t *testing.T, p *pair) {
	if testing.Short() {
		t.Skip("asks a slow server 300 questions")
	}
	all := talks(t)
	messages, notes, asked := totals(all)
	if messages < 2000 || notes < 200 || asked < 200 {
		t.Fatalf("the corpus has %d messages, %d notes and %d questions", messages, notes, asked)
	}
	for _, k := range all { // before much was told: milvus-lite looks at every row
		for _, c := range k.notes {
			p.note(t, of(k.name, "notes"), c)
		}
	}
	for _, k := range all {
		p.tell(t, k.name, k)
	}
	var before, after likeness
	for i, k := range all {
		before.add(p.compare(t, k.name, k.asked, 10))
		if i%4 == 0 {
			before.add(p.compare(t, k.name, k.asked, 50))
		}
	}
	t.Logf("%d messages and %d notes of %d users: %s", messages, notes, len(all), before)
	p.lose(t)
	for _, k := range all {
		after.add(p.compare(t, k.name, k.asked[:len(k.asked)/4+1], 10))
	}
	t.Logf("after the index was made again: %s", after)
	if before.equal < before.asked || after.equal < after.asked {
		t.Errorf("%d of %d answers differ, and %d of %d after the index was made again",
			before.asked-before.equal, before.asked, after.asked-after.equal, after.asked)
	}
}

// manyDocuments puts all conversations into the memory of one user, more than take part in the ranking by meaning.
func manyDocuments(t *testing.T, p *pair) {
	if testing.Short() {
		t.Skip("asks a slow server 200 questions")
	}
	var asked []string
	for _, k := range talks(t) {
		p.tell(t, "everybody", k)
		asked = append(asked, k.asked...)
	}
	n := len(p.local.list(t, "everybody"))
	if n <= 2000 || len(asked) < 200 {
		t.Fatalf("there are %d documents and %d questions", n, len(asked))
	}
	found := p.compare(t, "everybody", asked, 10)
	t.Logf("%d documents, best 10: %s", n, found)
	if found.overlap() < .95 {
		t.Errorf("the best ten have %.3f in common, want .95", found.overlap())
	}
}

// likeness is how far the answers of the two sides agree.
type likeness struct {
	asked, equal int     // questions, and those with the same ids in the same order
	shared       float64 // sum of the shares of ids that both answers have
	hits         int
	apart        float64 // the largest difference of two scores of one hit
}

func (l *likeness) add(more likeness) {
	l.asked, l.equal, l.hits = l.asked+more.asked, l.equal+more.equal, l.hits+more.hits
	l.shared, l.apart = l.shared+more.shared, max(l.apart, more.apart)
}

func (l likeness) overlap() float64 { return l.shared / float64(l.asked) }

func (l likeness) String() string {
	return fmt.Sprintf("%d of %d answers are the same, overlap %.4f, %d hits, scores at most %.1e apart", l.equal, l.asked, l.overlap(), l.hits, l.apart)
}

// compare asks both sides and reports answers that differ.
func (p *pair) compare(t *testing.T, user string, asked []string, limit int) (l likeness) {
	t.Helper()
	for _, text := range asked {
		q := memory.Query{Scope: of(user, "asks"), Text: text, In: memory.InAll, Limit: limit}
		want, got := p.local.ask(t, q), p.milvus.ask(t, q)
		scores, both := map[string]float64{}, 0
		for _, h := range want {
			scores[h.ID] = h.Score
		}
		for _, h := range got {
			if score, ok := scores[h.ID]; ok {
				both++
				l.apart = max(l.apart, math.Abs(score-h.Score))
			}
		}
		l.asked++
		l.hits += len(want)
		l.shared += float64(both) / float64(max(len(want), len(got), 1))
		if slices.Equal(ids(want), ids(got)) {
			l.equal++
			continue
		}
		t.Logf("%s, best %d of %q (-local +milvus):\n%s", user, limit, text, gocmp.Diff(scored(want), scored(got)))
	}
	return l
}

func (s *side) ask(t *testing.T, q memory.Query) []memory.Hit {
	t.Helper()
	ctx, check := spoken(t)
	hits, err := s.m.Recall(ctx, q)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	check()
	return hits
}

// ids are those of the hits, in order.
func ids(hits []memory.Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}

func scored(hits []memory.Hit) []string {
	out := ids(hits)
	for i, h := range hits {
		out[i] += fmt.Sprintf(" %.9f", h.Score)
	}
	return out
}

// lose takes the index away from both, as somebody at the server can, and has it made again by processes that have just started.
func (p *pair) lose(t *testing.T) {
	t.Helper()
	for _, s := range p.sides() {
		s.stop(t)
		s.drop(t)
		s.start(t)
		made, err := s.m.Vectors().Reindex(t.Context(), nil)
		if err != nil || made < 2000 {
			t.Fatalf("%s: Reindex made %d vectors: %v", s.name, made, err)
		}
	}
}

// drop deletes the embedder's space, after making another live.
func (s *side) drop(t *testing.T) {
	t.Helper()
	shelf, space, _, leave := s.open(t)
	defer leave()
	other := index.Space{Model: "none", Dim: 2}
	_, err := shelf.Open(t.Context(), other)
	must(t, err)
	must(t, shelf.Promote(t.Context(), other))
	dropped, err := shelf.Drop(t.Context())
	if err != nil || !slices.Contains(dropped, space) {
		t.Fatalf("Drop = %v, %v, want %s among them", dropped, err, space)
	}
}
