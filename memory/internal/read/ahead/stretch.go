package ahead

import (
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Stretch is a stretch of time; the zero value is none.
type Stretch struct{ From, Until time.Time } // Until is not in it

// Meets reports whether a stretch has a time in common with another one; without bounds it has all.
func (s Stretch) Meets(o Stretch) bool {
	return s.Until.IsZero() || s.From.Before(o.Until) && o.From.Before(s.Until)
}

// Holds reports whether a time is in a stretch; without bounds it is.
func (s Stretch) Holds(at time.Time) bool {
	return s.Until.IsZero() || !at.Before(s.From) && at.Before(s.Until)
}

// And returns the shortest stretch that has both.
func (s Stretch) And(o Stretch) Stretch {
	if s.Until.IsZero() {
		return o
	}
	if o.From.Before(s.From) {
		s.From = o.From
	}
	if o.Until.After(s.Until) {
		s.Until = o.Until
	}
	return s
}

// reading is a sentence as the phrases of one language read it.
type reading struct {
	words   []text.Word
	now     time.Time
	covered []bool // words that a phrase has
	found   []hit
}

// hit is a phrase that was found, from one word on up to another.
type hit struct {
	meaning
	from, end int
}

// match finds the phrases of a language.
func (r *reading) match(lang string) {
	for i := range r.words {
		for p := range phrases().At(r.words[i]) {
			if p.Is.lang != lang {
				continue
			}
			at := slices.Repeat([]int{-1}, len(p.Places)) // the words between, which are of no place, may be what it is about
			n := p.Match(r.words[i:], false, at)
			if n == 0 {
				continue
			}
			r.found = append(r.found, hit{p.Is, i, i + n})
			for _, place := range at {
				if place >= 0 {
					r.covered[i+place] = true
				}
			}
		}
	}
}

// does reports whether a phrase of a meaning was found.
func (r *reading) does(what string) bool {
	return slices.ContainsFunc(r.found, func(h hit) bool { return h.does == what })
}

// before reports whether a phrase of a meaning ends where a hit begins.
func (r *reading) before(h hit, what string) bool {
	return slices.ContainsFunc(r.found, func(o hit) bool { return o.does == what && o.end == h.from })
}

// question returns what the sentence asks for, and whether it asks for what waits.
func (r *reading) question(sentence string) (Question, bool) {
	if r.does(past) || !r.does(waits) && !r.does(has) {
		return Question{}, false
	}
	q := Question{Stretch: r.stretch(sentence)}
	q.About = r.about() // of the words that name no stretch
	return q, r.does(waits) || !q.Until.IsZero() && len(q.About) == 0
}

// about returns the stems of the words that no phrase has.
func (r *reading) about() []string {
	var rest []string
	for i, w := range r.words {
		if !r.covered[i] {
			rest = append(rest, w.Fold)
		}
	}
	return slices.DeleteFunc(text.Terms(strings.Join(rest, " ")), func(s string) bool { return text.Digits(s) > 0 })
}

// stretch returns all the time that the sentence names; of what is to be over by a day, from today on.
func (r *reading) stretch(sentence string) (out Stretch) {
	for _, h := range r.found {
		s, named := r.named(h)
		if !named || r.inside(h) {
			continue
		}
		if r.before(h, until) {
			return Stretch{r.day(0), s.Until}
		}
		out = out.And(s)
	}

	date := r.dates(sentence)
	asked := text.AskedBy(sentence)
	if date.Until.IsZero() && asked.Month > 0 {
		date = r.dated(asked) // a month
	}
	if date.Until.IsZero() {
		return out
	}
	if asked.Year == 0 && !date.Until.After(r.now) { // what waits is to come
		date = Stretch{date.From.AddDate(1, 0, 0), date.Until.AddDate(1, 0, 0)}
	}
	for i, w := range r.words {
		r.covered[i] = r.covered[i] || text.AskedBy("in "+w.Fold).Month > 0
	}
	if r.does(until) {
		return Stretch{r.day(0), date.Until}
	}
	return out.And(date)
}

// dates returns the stretch from the first to the last day of the calendar that a text names.
func (r *reading) dates(s string) (out Stretch) {
	words := strings.Fields(s)
	for from := range words {
		if date := text.AskedBy(strings.Join(words[from:], " ")); date.Month > 0 && date.Day > 0 {
			out = out.And(r.dated(date))
		}
	}
	return out
}

// inside reports whether a longer phrase that names a stretch has the words of a hit: "next week" has "week".
func (r *reading) inside(h hit) bool {
	return slices.ContainsFunc(r.found, func(o hit) bool {
		_, named := r.named(o)
		return named && o.from <= h.from && o.end >= h.end && o.end-o.from > h.end-h.from
	})
}

// named returns the stretch that a hit names.
func (r *reading) named(h hit) (Stretch, bool) {
	today := r.day(0)
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7+7*h.number)
	month := time.Date(today.Year(), today.Month()+time.Month(h.number), 1, 0, 0, 0, 0, today.Location())
	switch h.does {
	case "day":
		return Stretch{r.day(h.number), r.day(h.number + 1)}, true
	case "days":
		return Stretch{today, r.day(h.number + 1)}, true
	case "week":
		return Stretch{monday, monday.AddDate(0, 0, 7)}, true
	case "weekend":
		return Stretch{monday.AddDate(0, 0, 5), monday.AddDate(0, 0, 7)}, true
	case "month":
		return Stretch{month, month.AddDate(0, 1, 0)}, true
	case "weekday":
		in := (h.number - int(today.Weekday()) + 7) % 7
		if r.before(h, next) && h.number > (int(today.Weekday())+6)%7 { // the next one but this
			in += 7
		}
		return Stretch{r.day(in), r.day(in + 1)}, true
	}
	return Stretch{}, false
}

// day returns when a day begins, so many after today.
func (r *reading) day(after int) time.Time {
	return time.Date(r.now.Year(), r.now.Month(), r.now.Day()+after, 0, 0, 0, 0, r.now.Location())
}

// dated returns the day or the month of a date. Without a year it is of this year, or of the next one where that is nearer: what is said in December of January.
func (r *reading) dated(date text.Asked) Stretch {
	const half = 183 * 24 * time.Hour
	year, days, months := date.Year, 1, 0
	if year == 0 {
		year = r.now.Year()
	}
	if date.Day == 0 {
		date.Day, days, months = 1, 0, 1
	}
	from := time.Date(year, date.Month, date.Day, 0, 0, 0, 0, r.now.Location())
	if date.Year == 0 && from.Before(r.now.Add(-half)) {
		from = from.AddDate(1, 0, 0)
	}
	return Stretch{from, from.AddDate(0, months, days)}
}
