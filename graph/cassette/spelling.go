package cassette

import (
	"fmt"
	"regexp"
	"slices"
	"time"
)

// What is others in each run: ids of documents, days with or without a time of day, and how long ago something was.
const (
	idForm   = `\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{24}\b|\br-[0-9a-f]{6}\b`
	timeForm = `\b(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:[T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?Z?)?\b(?:, a (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b)?`
	agoForm  = `\bjust now\b|\b[0-9]+ (?:minute|hour|day)s? ago\b`
)

var (
	ids   = regexp.MustCompile(idForm)
	times = regexp.MustCompile(timeForm)
	named = regexp.MustCompile(idForm + "|" + timeForm)
	forms = regexp.MustCompile(idForm + "|" + timeForm + "|" + agoForm)
)

// nearby is how far from the day of a recording a day is taken for one that was counted from it.
const nearby = 366 * 24 * time.Hour

// number spells the messages of a request so that those of two stores on two days are equal.
func (r *request) number() {
	r.spelled, r.ids, r.times = nil, nil, nil
	for _, m := range r.Messages {
		r.spelled = append(r.spelled, forms.ReplaceAllFunc(m, func(found []byte) []byte {
			switch {
			case ids.Match(found):
				at := slices.Index(r.ids, string(found))
				if at < 0 {
					at, r.ids = len(r.ids), append(r.ids, string(found))
				}
				return fmt.Appendf(nil, "[id %d]", at+1)
			case times.Match(found):
				r.times = append(r.times, string(found))
				return []byte("[time]")
			}
			return []byte("[ago]")
		}))
	}
}

// pick returns the recording of a request that is played: of those whose days are most like the request's, the first that was not played yet, else the
// last. Nil = there is none.
func (r request) pick(of []*call) (found *call) {
	most := -1
	for _, c := range of {
		switch n := c.Request.alike(r); {
		case n > most:
			found, most = c, n
		case n == most && found.played:
			found = c
		}
	}
	return found
}

// alike counts the days that a recorded request and one that is asked have in common, as they are or counted from the day of each.
func (r request) alike(asked request) (n int) {
	later := r.later(asked)
	for i, was := range r.times {
		if is := asked.times[i]; was == is || dayOf(was).Add(later).Equal(dayOf(is)) {
			n++
		}
	}
	return n
}

// later returns how much later a request is asked than it was recorded: the first day that each names, which in a turn is its own.
func (r request) later(asked request) time.Duration {
	if len(r.times) == 0 || len(asked.times) == 0 {
		return 0
	}
	return dayOf(asked.times[0]).Sub(dayOf(r.times[0]))
}

// dayOf returns the day of a time, zero if there is no such day.
func dayOf(text string) time.Time {
	at, _ := time.Parse(time.DateOnly, text[:len(time.DateOnly)]) // no such day: it is like none
	return at
}

// swaps puts the ids and times of who asks in the place of those that were recorded; nil = they are the same.
func (r request) swaps(asked request) func(string) string {
	if slices.Equal(asked.ids, r.ids) && slices.Equal(asked.times, r.times) {
		return nil
	}
	to := map[string]string{}
	for i, id := range r.ids {
		to[id] = asked.ids[i]
	}
	for i, was := range r.times {
		is := asked.times[i]
		if _, taken := to[was]; !taken {
			to[was] = is
		}
		was, is = was[:len(time.DateOnly)], is[:len(time.DateOnly)]
		if _, taken := to[was]; !taken {
			to[was] = is
		}
	}
	later := r.later(asked)
	return func(text string) string {
		return named.ReplaceAllStringFunc(text, func(found string) string {
			if is, ok := to[found]; ok {
				return is
			}
			if later == 0 || ids.MatchString(found) {
				return found
			}
			day, clock := found[:len(time.DateOnly)], found[len(time.DateOnly):]
			if is, ok := to[day]; ok {
				return is + clock
			}
			if off := dayOf(day).Sub(dayOf(r.times[0])); dayOf(day).IsZero() || off.Abs() > nearby {
				return found
			}
			return dayOf(day).Add(later).Format(time.DateOnly) + clock
		})
	}
}
