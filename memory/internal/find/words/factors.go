package words

import (
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// asks is what a query wants besides its terms.
type asks struct {
	speakers []bool // by speaker: the query names it
	named    int    // speakers that are named
}

func (s *search) asks() asks {
	var out asks
	if len(s.t.speakers) == 0 {
		return out
	}
	out.speakers = make([]bool, len(s.t.speakers))
	for i, who := range s.t.speakers {
		if who.live > 0 && len(who.terms) > 0 && slices.ContainsFunc(s.words, func(t text.Token) bool { return t.Stem == who.terms[0] }) { // the first name
			out.speakers[i] = true
			out.named++
		}
	}
	return out
}

// factors weighs what is not in the words.
func (s *search) factors(slot uint32, a *asks) Factors {
	e, c, p := &s.t.entries[slot], &s.t.cells[slot], &s.p
	f := Factors{
		Speaker: 1, Question: 1, Length: 1, Time: 1, Number: 1, Date: s.date(e.doc.At), Role: s.said(c),
		Recency: s.recency(e.doc.At), Weight: e.doc.Weight, Bonus: s.bonus(c),
	}
	switch {
	case a.named != 1:
		f.Speaker = 1 + p.speakers
	case e.speaker != none && a.speakers[e.speaker]:
		f.Speaker = 1 + p.speaker
	}
	if e.message() {
		f.Question = 1 - p.question*float64(e.questions)/float64(max(e.sentences, 1))
		f.Length = lengthFactor(float64(e.distinct), p.length)
	}
	if s.asked.When && e.timed {
		f.Time = 1 + p.time
	}
	if s.asked.Number && e.number {
		f.Number = 1 + p.number
	}
	return f
}

// bonus is for what the user said to hold from now on, whatever the question.
func (s *search) bonus(c *cell) float64 {
	b := 0.0
	if c.instruction {
		b += s.p.instruction
	}
	if c.preference {
		b += s.p.preference
	}
	return b
}

// lengthFactor grows with the number of terms; it is a half at the given number.
func lengthFactor(terms, half float64) float64 {
	if half == 0 {
		return 1
	}
	return terms / (terms + half)
}

// date favours what was said in the month that the query names, and more on the day.
func (s *search) date(at time.Time) float64 {
	a := &s.asked
	switch {
	case a.Month == 0 || at.IsZero() || at.Month() != a.Month || a.Year != 0 && at.Year() != a.Year:
		return 1
	case a.Day != 0 && at.Day() == a.Day:
		return 1 + s.p.day
	}
	return 1 + s.p.month
}

// recency favours what is new: all of it now, half of it after a month.
func (s *search) recency(at time.Time) float64 {
	if s.q.Now.IsZero() || at.IsZero() {
		return 1
	}
	const month = 30 * 24 * time.Hour
	age := max(s.q.Now.Sub(at), 0)
	return 1 + s.p.recency*float64(month)/float64(month+age)
}
