package words

import (
	"cmp"
	"math"
	"slices"

	"github.com/mneme-graph/mneme/memory/text"
)

// brute is the definition of a search, written without an index: documents in a map, every one read for every term. It
// knows no words that stand for a term.
type brute map[string]Doc

// asked is a term of a query with its weight.
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
		h := Hit{ID: id, Fields: f.over(most), Coverage: x.coverage(terms, d)}
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
	all := text.Terms(q.Text)
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

// fields measures every document that the query touches.
func (x brute) fields(q Query, terms []weighed, standing bool) map[string]Fields {
	kept := func(d Doc) bool { return q.Keep == nil || q.Keep(&d) }
	n := len(x)
	of := func(d Doc, s string) []string { return text.Terms(s) }
	own := func(d Doc) []string { return slices.Concat(of(d, d.Text), nameTerms(d.Speaker), dateTerms(d.At)) }
	plain := func(d Doc) []string { return text.Terms(d.Text) }
	lead := func(d Doc) []string { return repeated(analyse(d), func(c counts) uint8 { return c.lead }) }
	meanOf := func(field func(Doc) []string) float64 {
		sum := 0
		for _, d := range x {
			sum += len(field(d))
		}
		return float64(sum) / float64(max(n, 1))
	}
	bm := func(in []string, mean float64, field func(Doc) []string, run float64) float64 {
		sum := 0.0
		for _, t := range terms {
			df := 0.0
			for _, d := range x {
				if slices.Contains(field(d), t.word) {
					df++
				}
			}
			if run > 1 {
				df = float64(n) * (1 - math.Pow(1-df/float64(n), run))
			}
			sum += t.weight * idf(float64(n), df) * saturate(float64(occurrences(in, t.word)), float64(len(in)), mean)
		}
		return sum
	}
	sessions := x.sessions(terms, kept)
	least := 0.0
	if len(q.Near) > 0 {
		least = 1
		for _, c := range q.Near {
			least = min(least, max(float64(c), 0))
		}
	}
	touched := make(map[string]bool)
	for id, d := range x {
		_, near := q.Near[id]
		found := near || q.Around && sessions[d.Group] > 0
		for _, t := range terms {
			found = found || slices.Contains(own(d), t.word)
		}
		if found && kept(d) {
			touched[id] = true
		}
	}
	any := len(touched) > 0
	for id, d := range x {
		t := text.TraitsOf(d.Text)
		if any && standing && q.Around && kept(d) && d.Role == "user" && (t.Instruction || t.Preference) {
			touched[id] = true
		}
	}
	out := make(map[string]Fields)
	for id := range touched {
		d := x[id]
		cosine, near := q.Near[id]
		f := Fields{Text: bm(plain(d), meanOf(plain), plain, 1), Own: bm(own(d), meanOf(own), own, 1), Lead: bm(lead(d), meanOf(lead), lead, 1), Near: least}
		if near {
			f.Near = max(float64(cosine), 0)
		}
		f.Prev, f.Win, f.Pair = f.Own, f.Own, f.Lead
		f.Passage = f.Text // texts of the test are one passage
		for _, t := range terms {
			if slices.Contains(own(d), t.word) && slices.Contains(plain(d), t.word) {
				f.Soft += t.weight * x.idfOf(t.word, own) * t.weight * x.idfOf(t.word, own)
			}
		}
		f.Soft /= math.Sqrt(float64(max(len(slices.Compact(slices.Sorted(slices.Values(plain(d))))), 1)))
		if q.Around && d.Group != "" {
			said := func(steps ...int) []string {
				var words []string
				for _, s := range steps {
					if o, ok := x.neighbour(d, s); ok && kept(o) {
						words = append(words, plain(o)...)
					}
				}
				return words
			}
			f.Prev = bm(slices.Concat(own(d), said(-1, -2)), meanOf(own)+2*meanOf(plain), plain, 5)
			f.Win = bm(slices.Concat(own(d), said(-1, -2, 1, 2)), meanOf(own)+4*meanOf(plain), plain, 5)
			f.Session = sessions[d.Group]
			both := lead(d)
			if o, ok := x.partner(d); ok && kept(o) {
				both = slices.Concat(both, lead(o))
			}
			f.Pair = bm(both, 2*meanOf(lead), lead, 2)
		}
		out[id] = f
	}
	return out
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
		in := slices.Concat(text.Terms(d.Text), nameTerms(d.Speaker))
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
	own := func(d Doc) []string { return slices.Concat(text.Terms(d.Text), nameTerms(d.Speaker), dateTerms(d.At)) }
	has, all := 0.0, 0.0
	for _, t := range terms {
		worth := t.weight * x.idfOf(t.word, own)
		all += worth
		if slices.Contains(own(d), t.word) {
			has += worth * t.weight
		}
	}
	if has == 0 {
		return 0
	}
	return has / all
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
		n := float64(len(slices.Compact(slices.Sorted(slices.Values(text.Terms(d.Text))))))
		f.Length = lengthFactor(n, p.length)
	}
	if asked.When && traits.Timed {
		f.Time = 1 + p.time
	}
	if asksNumber(text.Tokens(q.Text)) && slices.ContainsFunc(text.Tokens(d.Text), func(t text.Token) bool { return t.Number }) {
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
