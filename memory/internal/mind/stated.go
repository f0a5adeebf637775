package mind

import (
	"cmp"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// replaced is a record that another one has taken the place of.
type replaced struct {
	state.Record
	heads []string // of its terms
}

func headsIn(s string) (out []string) {
	for _, t := range text.Terms(s) {
		out = append(out, head(t))
	}
	return out
}

// keepStated notes which message a record was stored from, and finds one that was replaced by its numbers and words. The caller holds the mind.
func (d *Mind) keepStated(r state.Record) {
	for _, n := range numbersOf(d.over[r.ID].Content) {
		d.replaced[n] = slices.DeleteFunc(d.replaced[n], func(old state.Record) bool { return old.ID == r.ID })
	}
	if delete(d.over, r.ID); r.ReplacedBy != "" {
		d.over[r.ID] = replaced{r, headsIn(r.Content)}
		for _, n := range numbersOf(r.Content) {
			d.replaced[n] = append(d.replaced[n], r)
		}
	}
	if r.Source.Message == "" {
		return
	}
	for _, key := range []string{r.Session + "/" + r.Source.Message, turnKey(r.Session, r.Source.Turn)} {
		list := slices.DeleteFunc(d.stated[key], func(old state.Record) bool { return old.ID == r.ID })
		d.stated[key] = append(list, r)
	}
}

func turnKey(session, turn string) string { return session + "/turn/" + turn }

// Stated returns the records that were stored from a message, those that hold no longer too. The caller holds the mind.
func (d *Mind) Stated(session, message string) []state.Record { return d.stated[session+"/"+message] }

// Outdated reports whether all that was stored of a message has been replaced since, and was most of what it says: then it
// would only contradict what took its place. So it is when the message says little besides what was forgotten.
func (d *Mind) Outdated(session string, msg state.Message) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mostlyGone(session, msg) {
		return true
	}

	stored := d.stated[session+"/"+msg.ID]
	if len(stored) == 0 {
		return false
	}
	for _, r := range stored {
		if r.ReplacedBy == "" {
			return false
		}
	}
	return coverMost(stored, msg)
}

// Corrected reports whether a number that a text of a message says was corrected since. It stands in a record that was replaced, and in no valid one; and the
// record was stored from the message, or in its turn, or is of the message's affair and the text says another telling word of it.
func (d *Mind) Corrected(session string, msg state.Message, says string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	words := text.Terms(says)
	for _, n := range numbersOf(says) {
		for _, r := range d.replaced[n] {
			g := GoneOf(r)
			own := r.Session == session && (r.Source.Message == msg.ID || msg.Turn != "" && r.Source.Turn == msg.Turn)
			before := len(n) > 1 && r.Affair != "" && d.Joined.Of(r.Affair) == d.Joined.Of(msg.Affair) && r.ValidTo != nil && msg.At.Before(*r.ValidTo)
			tells := slices.ContainsFunc(g.terms, func(t string) bool { return text.Digits(t) == 0 && slices.Contains(words, t) })
			if (own || before && tells) && slices.Contains(g.terms, n) && !d.saidBesides(n, g) {
				return true
			}
		}
	}
	return false
}

// ReplacedSince returns the records that were replaced after a time and that a text may have a word or number of, the first replaced first.
func (d *Mind) ReplacedSince(from time.Time, says string) (out []state.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	has := headsOf(state.Message{Text: says})
	for _, r := range d.over {
		if r.ValidTo != nil && r.ValidTo.After(from) && slices.ContainsFunc(r.heads, func(h string) bool { return has[h] }) {
			out = append(out, r.Record)
		}
	}
	slices.SortFunc(out, func(a, b state.Record) int { return cmp.Or(a.ValidTo.Compare(*b.ValidTo), cmp.Compare(a.ID, b.ID)) })
	return out
}

// numbersOf returns the numbers of a text as its words are compared.
func numbersOf(s string) (out []string) {
	for _, t := range text.Tokens(s) {
		if t.Number && !slices.Contains(out, t.Stem) {
			out = append(out, t.Stem)
		}
	}
	return out
}

// Prefers reports whether most of what a message says was stored as preferences.
func (d *Mind) Prefers(session string, msg state.Message, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	var told []state.Record
	for _, r := range d.stated[session+"/"+msg.ID] {
		if r.Kind == state.PreferenceRecord && r.Valid(now) {
			told = append(told, r)
		}
	}
	return len(told) > 0 && coverMost(told, msg)
}

// coverMost reports whether records hold at least half of the telling words of a message. One with attachments says more.
func coverMost(records []state.Record, msg state.Message) bool {
	if len(msg.Attachments) > 0 {
		return false
	}

	covered := map[string]bool{}
	for _, r := range records {
		for _, stem := range text.Terms(RecordText(r)) {
			covered[stem] = true
		}
	}

	all, told := 0, 0
	for _, stem := range text.Terms(msg.Said()) {
		all++
		if covered[stem] {
			told++
		}
	}
	return 2*told >= all
}
