package words

import (
	"cmp"
	"math"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// brute is the definition of a search, written without an index: documents in a map, every one read for every term. It
// knows no words that stand for a term.
type brute map[string]Doc

// weighed is a term of a query with its weight.
type weighed struct {
	word   string
	weight float64
}

func (x brute) search(q Query, p profile) []Hit {
	terms := x.terms(q, p)
	fields := x.fields(q, terms, p.instruction > 0)
	var most Fields
	for _, f := range fields {
		most = most.max(f)
	}
	asked := x.asks(q.Text)
	var hits []Hit
	for id, f := range fields {
		d := x[id]
		h := Hit{ID: id, Fields: f.over(most), Coverage: x.coverage(terms, d), Share: x.share(q, p, terms, d, f)}
		if q.Around && d.Group == "" {
			h.Fields.Prev, h.Fields.Win, h.Fields.Session, h.Fields.Pair = h.Fields.Own, h.Fields.Own, h.Fields.Own, h.Fields.Lead
		}
		h.Factors = x.factors(q, p, d, asked)
		h.Score = (h.Fields.dot(p.fields) + h.Factors.Bonus) * h.Factors.product()
		if p.fields.Pair == 0 && d.Group != "" { // not measured where it does not count
			h.Fields.Pair = 0
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(x[b.ID].Order, x[a.ID].Order), cmp.Compare(a.ID, b.ID))
	})
	if q.Limit > 0 {
		hits = hits[:min(len(hits), q.Limit)]
	}
	return hits
}

func (x brute) terms(q Query, p profile) []weighed {
	var out []weighed
	all := text.Sought(q.Text)
	topical := slices.ContainsFunc(all, func(w string) bool { return !text.Topical(w) })
	for _, w := range all {
		weight := 1.0
		if topical && text.Topical(w) {
			weight = grain(1 - p.offTopic)
		}
		if weight > 0 && !slices.ContainsFunc(out, func(o weighed) bool { return o.word == w }) {
			out = append(out, weighed{w, weight})
		}
	}
	if m := text.AskedBy(q.Text).Month; m != 0 && !slices.ContainsFunc(out, func(o weighed) bool { return o.word == monthTerm(m) }) {
		out = append(out, weighed{monthTerm(m), 1})
	}
	return out
}

// The fields of a document, as the terms that they are made of.
func ownTerms(d Doc) []string {
	return slices.Concat(textTerms(d), nameTerms(d.Speaker), dateTerms(d.At))
}

func textTerms(d Doc) []string {
	if d.Role == "" && d.Group == "" {
		return text.Sought(d.Text)
	}
	return text.Terms(d.Text)
}

func leadTerms(d Doc) []string { return repeated(analyse(d), func(c counts) uint8 { return c.lead }) }

// fields measures every document that the query touches.
func (x brute) fields(q Query, terms []weighed, standing bool) map[string]Fields {
	kept := func(d Doc) bool { return q.Keep.lets(&d) }
	sessions := x.sessions(terms, kept)
	mean := 0.0
	for _, c := range q.Near {
		mean += max(float64(c), 0) / float64(len(q.Near)+8)
	}
	out := make(map[string]Fields)
	for id := range x.touched(q, terms, sessions, kept, standing) {
		d := x[id]
		f := x.alone(terms, d)
		f.Near = max(float64(q.Near[id])-mean, 0)
		if q.Around && d.Group != "" {
			f.Session = sessions[d.Group]
			x.around(&f, terms, d, kept)
		}
		out[id] = f
	}
	return out
}

// touched are the documents that are found.
func (x brute) touched(q Query, terms []weighed, sessions map[string]float64, kept func(Doc) bool, standing bool) map[string]bool {
	out := make(map[string]bool)
	for id, d := range x {
		_, found := q.Near[id]
		found = found || q.Around && sessions[d.Group] > 0
		for _, t := range terms {
			found = found || slices.Contains(ownTerms(d), t.word)
		}
		if found && kept(d) {
			out[id] = true
		}
	}
	if len(out) == 0 || !standing || !q.Around {
		return out
	}
	for id, d := range x {
		if t := text.TraitsOf(d.Text); kept(d) && d.Role == "user" && (t.Instruction || t.Preference) {
			out[id] = true
		}
	}
	return out
}

// alone measures a document without its neighbours.
func (x brute) alone(terms []weighed, d Doc) Fields {
	f := Fields{
		Text: x.bm25(terms, textTerms(d), x.mean(textTerms), textTerms, 1),
		Own:  x.bm25(terms, ownTerms(d), x.mean(ownTerms), ownTerms, 1),
		Lead: x.bm25(terms, leadTerms(d), x.mean(leadTerms), leadTerms, 1),
	}
	f.Prev, f.Win, f.Pair = f.Own, f.Own, f.Lead
	f.Passage = f.Text // texts of the test are one passage
	for _, t := range terms {
		if slices.Contains(textTerms(d), t.word) {
			f.Soft += math.Pow(t.weight*x.idfOf(t.word, ownTerms), 2)
		}
	}
	f.Soft /= math.Sqrt(float64(max(len(slices.Compact(slices.Sorted(slices.Values(textTerms(d))))), 1)))
	return f
}

// around measures what stands next to a document.
func (x brute) around(f *Fields, terms []weighed, d Doc, kept func(Doc) bool) {
	said := func(steps ...int) []string {
		words := ownTerms(d)
		for _, s := range steps {
			if o, ok := x.neighbour(d, s); ok && kept(o) {
				words = append(words, textTerms(o)...)
			}
		}
		return words
	}
	f.Prev = x.bm25(terms, said(-1, -2), x.mean(ownTerms)+2*x.mean(textTerms), textTerms, 5)
	f.Win = x.bm25(terms, said(-1, -2, 1, 2), x.mean(ownTerms)+4*x.mean(textTerms), textTerms, 5)
	both := leadTerms(d)
	if o, ok := x.partner(d); ok && kept(o) {
		both = slices.Concat(both, leadTerms(o))
	}
	f.Pair = x.bm25(terms, both, 2*x.mean(leadTerms), leadTerms, 2)
}

func (x brute) mean(field func(Doc) []string) float64 {
	sum := 0
	for _, d := range x {
		sum += len(field(d))
	}
	return float64(sum) / float64(max(len(x), 1))
}

// bm25 scores a list of terms as a run of so many documents in a field.
func (x brute) bm25(terms []weighed, in []string, mean float64, field func(Doc) []string, run float64) float64 {
	sum, n := 0.0, float64(len(x))
	for _, t := range terms {
		df := 0.0
		for _, d := range x {
			if slices.Contains(field(d), t.word) {
				df++
			}
		}
		if run > 1 {
			df = n * (1 - math.Pow(1-df/n, run))
		}
		sum += t.weight * idf(n, df) * saturate(float64(occurrences(in, t.word)), float64(len(in)), mean)
	}
	return sum
}

// repeated lists the terms of an analysis as often as a field has them.
func repeated(a analysis, field func(counts) uint8) []string {
	var out []string
	for _, c := range a.terms {
		for range field(c.counts) {
			out = append(out, c.word)
		}
	}
	return out
}

func (x brute) idfOf(word string, field func(Doc) []string) float64 {
	df := 0
	for _, d := range x {
		if slices.Contains(field(d), word) {
			df++
		}
	}
	return idf(float64(len(x)), float64(df))
}

// sessions scores every group as one text that begins with a date; only what is kept counts as said in it.
func (x brute) sessions(terms []weighed, kept func(Doc) bool) map[string]float64 {
	said, dates, length, dated := map[string][]string{}, map[string][]string{}, map[string]int{}, map[string]bool{}
	total := 0
	for _, d := range x {
		if d.Group == "" {
			continue
		}
		in := slices.Concat(textTerms(d), nameTerms(d.Speaker))
		length[d.Group] += len(in)
		total += len(in)
		if !d.At.IsZero() && !dated[d.Group] {
			dated[d.Group] = true
			length[d.Group] += 3
			total += 3
		}
		if kept(d) {
			said[d.Group] = append(said[d.Group], in...)
			dates[d.Group] = append(dates[d.Group], dateTerms(d.At)...)
		}
	}
	out := make(map[string]float64)
	for _, t := range terms {
		df := 0
		for name := range length {
			if slices.Contains(said[name], t.word) || slices.Contains(dates[name], t.word) {
				df++
			}
		}
		for name := range length {
			times := t.weight * float64(occurrences(said[name], t.word))
			if slices.Contains(dates[name], t.word) {
				times++
			}
			out[name] += idf(float64(len(length)), float64(df)) * saturate(times, float64(length[name]), float64(total)/float64(len(length)))
		}
	}
	return out
}

func (x brute) coverage(terms []weighed, d Doc) float64 {
	has, all := 0.0, 0.0
	for _, t := range terms {
		worth := t.weight * x.idfOf(t.word, ownTerms)
		all += worth
		if slices.Contains(ownTerms(d), t.word) {
			has += worth * t.weight
		}
	}
	if has == 0 {
		return 0
	}
	return has / all
}

// share is the part of the best possible score, of fields that are not divided yet.
func (x brute) share(q Query, p profile, terms []weighed, d Doc, f Fields) float64 {
	whole, mean := 0.0, 0.0
	for _, t := range terms {
		whole += t.weight * x.idfOf(t.word, ownTerms)
	}
	for _, c := range q.Near {
		mean += max(float64(c), 0) / float64(len(q.Near)+8)
	}
	said := []float64{f.Text, f.Own, f.Prev, f.Win, f.Lead}
	if p.fields.Pair > 0 {
		said = append(said, f.Pair)
	}
	if p.fields.Passage > 0 {
		said = append(said, f.Passage)
	}
	best := x.factors(q, p, d, nil).Bonus
	if whole > 0 {
		best = max(best, slices.Max(said)/whole)
	}
	best = min(max(best, f.Near/(1-mean)*f.Near/(1-mean)), 1)
	return best * 1.1 / (best + .1)
}

func (x brute) neighbour(d Doc, steps int) (Doc, bool) {
	var in []Doc
	for _, other := range x {
		if other.Group == d.Group {
			in = append(in, other)
		}
	}
	slices.SortFunc(in, func(a, b Doc) int { return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID)) })
	at := slices.IndexFunc(in, func(other Doc) bool { return other.ID == d.ID }) + steps
	if at < 0 || at >= len(in) {
		return Doc{}, false
	}
	return in[at], true
}

func (x brute) partner(d Doc) (Doc, bool) {
	steps, want := 1, assistant
	switch roleOf(d.Role) {
	case user:
	case assistant:
		steps, want = -1, user
	default:
		return Doc{}, false
	}
	o, ok := x.neighbour(d, steps)
	return o, ok && roleOf(o.Role) == want
}

// asks lists the speakers that the query names.
func (x brute) asks(query string) []string {
	var named []string
	for _, d := range x {
		for _, t := range text.Tokens(query) {
			if d.Speaker != "" && t.Stem == nameTerms(d.Speaker)[0] && !slices.Contains(named, d.Speaker) {
				named = append(named, d.Speaker)
			}
		}
	}
	return named
}

func (x brute) factors(q Query, p profile, d Doc, named []string) Factors {
	f := Factors{Speaker: 1, Question: 1, Length: 1, Time: 1, Number: 1, Date: 1, Role: 1, Recency: 1, Weight: held(d.Weight)}
	switch {
	case len(named) != 1:
		f.Speaker = 1 + p.speakers
	case d.Speaker == named[0]:
		f.Speaker = 1 + p.speaker
	}
	traits, asked := text.TraitsOf(d.Text), text.AskedBy(q.Text)
	message := d.Role != "" || d.Group != ""
	if message {
		f.Question = 1 - p.question*float64(traits.Questions)/float64(max(traits.Sentences, 1))
		n := float64(len(slices.Compact(slices.Sorted(slices.Values(textTerms(d))))))
		f.Length = lengthFactor(n, p.length)
	}
	if asked.When && traits.Timed {
		f.Time = 1 + p.time
	}
	if asked.Number && slices.ContainsFunc(text.Tokens(d.Text), func(t text.Token) bool { return t.Number }) {
		f.Number = 1 + p.number
	}
	if asked.Month != 0 && asked.Month == d.At.Month() && !d.At.IsZero() && (asked.Year == 0 || asked.Year == d.At.Year()) {
		f.Date = 1 + p.month
		if asked.Day == d.At.Day() {
			f.Date = 1 + p.day
		}
	}
	if d.Role == "user" || !message {
		f.Role = 1 + p.user
	}
	if !q.Now.IsZero() && !d.At.IsZero() {
		days := max(q.Now.Sub(d.At).Hours()/24, 0)
		f.Recency = 1 + p.recency*30/(30+days)
	}
	if d.Role == "user" && traits.Instruction {
		f.Bonus += p.instruction
	}
	if d.Role == "user" && traits.Preference {
		f.Bonus += p.preference
	}
	return f
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
