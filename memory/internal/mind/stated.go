package mind

import (
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// keepStated notes which message a record was stored from. The caller holds the mind.
func (d *Mind) keepStated(r state.Record) {
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

// Corrected reports whether a number that a text of a message says was corrected since: it stands in a record that was stored from the message, or in
// its turn, and replaced, and in no valid one.
func (d *Mind) Corrected(session string, msg state.Message, says string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range slices.Concat(d.stated[session+"/"+msg.ID], d.stated[turnKey(session, msg.Turn)]) {
		if r.ReplacedBy == "" {
			continue
		}
		g := GoneOf(r)
		for _, t := range text.Tokens(says) {
			if t.Number && slices.Contains(g.names, t.Stem) && !d.saidBesides(t.Stem, g) {
				return true
			}
		}
	}
	return false
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
