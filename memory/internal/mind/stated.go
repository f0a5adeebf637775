package mind

import (
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// keepStated notes which message a record was stored from. The caller holds the mind.
func (d *Mind) keepStated(r state.Record) {
	if r.Source.Message == "" {
		return
	}
	key := r.Session + "/" + r.Source.Message
	list := slices.DeleteFunc(d.stated[key], func(old state.Record) bool { return old.ID == r.ID })
	d.stated[key] = append(list, r)
}

// Stated are the records that were stored from a message, those that hold no longer too. The caller holds the mind.
func (d *Mind) Stated(session, message string) []state.Record { return d.stated[session+"/"+message] }

// keepForgotten notes in which turns a record was stored, listed and forgotten that holds no longer and that no other one replaced. The
// caller holds the mind.
func (d *Mind) keepForgotten(r state.Record) {
	for _, turn := range append([]string{r.Source.Turn, r.EndedIn}, r.ToldIn...) {
		if turn == "" {
			continue
		}
		list := slices.DeleteFunc(d.forgotten[turn], func(old state.Record) bool { return old.ID == r.ID })
		if r.ValidTo != nil && r.ReplacedBy == "" {
			list = append(list, r)
		}
		if delete(d.forgotten, turn); len(list) > 0 {
			d.forgotten[turn] = list
		}
	}
}

// Forgotten are the records of a turn that hold no longer and that no other one replaced: those that it stored, and those that it
// had forgotten.
func (d *Mind) Forgotten(turn string) []state.Record { return d.forgotten[turn] }

// HidesForgotten reports whether a conversation shows a message no more, since it says what was forgotten since, or in its turn. So it
// is with the calls of tools in that turn and their results.
func (d *Mind) HidesForgotten(msg state.Message) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	called := msg.Role == state.RoleTool || len(msg.ToolCalls) > 0
	return called && len(d.forgotten[msg.Turn]) > 0 || d.tellsForgotten(msg)
}

// tellsForgotten reports whether a message has all telling words of a record that was forgotten since, or in its turn, or little else, or a number
// that identifies something in it: a model's words are a paraphrase. The caller holds the mind.
func (d *Mind) tellsForgotten(msg state.Message) bool {
	for _, r := range d.forgotten[msg.Turn] {
		if Tells(msg, r) || len(text.Terms(r.Content)) > 0 && coverMost([]state.Record{r}, msg) || sharesNumber(msg.Said(), r.Content) {
			return true
		}
	}
	return false
}

// sharesNumber reports whether two texts have a number of as many digits as a code has.
func sharesNumber(a, b string) bool {
	const code = 4
	in := text.Words(b)
	return slices.ContainsFunc(text.Words(a), func(w string) bool { return text.Digits(w) >= code && slices.Contains(in, w) })
}

// WithoutForgotten is what a summary of what was said from a time on may still say: the sentences but those with all telling words of a
// record that was forgotten since.
func (d *Mind) WithoutForgotten(summary string, from time.Time) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var gone [][]string
	for _, list := range d.forgotten {
		for _, r := range list {
			if of := text.Terms(r.Content); len(of) > 0 && r.ValidTo.After(from) {
				gone = append(gone, of)
			}
		}
	}

	if len(gone) == 0 {
		return summary
	}

	// Line by line, so that the summary keeps its form.
	var lines []string
	for line := range strings.Lines(summary) {
		kept := slices.DeleteFunc(text.Sentences(line), func(sentence string) bool {
			says := text.Terms(sentence)
			return slices.ContainsFunc(gone, func(of []string) bool { return holdsAll(says, of) })
		})
		if len(kept) > 0 {
			lines = append(lines, strings.Join(kept, " "))
		}
	}
	return strings.Join(lines, "\n")
}

// holdsAll reports whether all of some words are among others.
func holdsAll(words, some []string) bool {
	return !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(words, w) })
}

// Tells reports whether a message has all telling words of a record.
func Tells(msg state.Message, r state.Record) bool {
	of := text.Terms(r.Content)
	return len(of) > 0 && holdsAll(text.Terms(msg.Said()), of)
}

// Outdated reports whether all that was stored of a message has been replaced since, and was most of what it says: then it
// would only contradict what took its place. So it is when the message says what was forgotten.
func (d *Mind) Outdated(session string, msg state.Message) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tellsForgotten(msg) {
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
