package mind

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Unsaid stands in a message for a code that was forgotten.
const Unsaid = "[forgotten]"

// unsaid is a code of a record that was forgotten at a time.
type unsaid struct {
	record, code string
	at           time.Time
}

// Codes are the words of a text that name one thing, as they are written: of letters and digits, or of five digits and more. Dates are none.
func Codes(s string) (out []string) {
	for _, w := range strings.FieldsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(`,;()[]{}"„“”«»'`, c) }) {
		w = strings.Trim(w, ".:!?")
		letters := strings.ContainsFunc(w, unicode.IsLetter)
		_, err := time.Parse(time.DateOnly, w)
		if n := text.Digits(w); err != nil && (n >= 5 || n > 0 && letters && len(w) >= 5) && !strings.Contains(w, "://") && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// keepCodes notes which valid records say a code, and which codes were forgotten with their record. The caller holds the mind.
func (d *Mind) keepCodes(r state.Record) {
	d.unsaid = slices.DeleteFunc(d.unsaid, func(u unsaid) bool { return u.record == r.ID })
	for _, code := range Codes(r.Subject + " " + r.Content) {
		ids := slices.DeleteFunc(d.codes[code], func(id string) bool { return id == r.ID })
		switch {
		case r.ValidTo == nil:
			ids = append(ids, r.ID)
		case r.ReplacedBy == "" && r.EndedIn != "":
			d.unsaid = append(d.unsaid, unsaid{r.ID, code, *r.ValidTo})
		}
		if delete(d.codes, code); len(ids) > 0 {
			d.codes[code] = ids
		}
	}
}

// SaidBesides reports whether a valid record other than that of id says a code. The caller holds the mind.
func (d *Mind) SaidBesides(code, id string) bool {
	return slices.ContainsFunc(d.codes[code], func(other string) bool { return other != id })
}

// Unsay is a message as it is shown: of what was said before a code was forgotten, the order to forget it included, a mark stands in the code's place. A
// code that a valid record says is not forgotten.
func (d *Mind) Unsay(msg state.Message) state.Message {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range d.unsaid {
		if msg.At.After(u.at) || len(d.codes[u.code]) > 0 {
			continue
		}
		msg.Text = strings.ReplaceAll(msg.Text, u.code, Unsaid)
		if slices.ContainsFunc(msg.ToolCalls, func(c state.ToolCall) bool { return strings.Contains(c.Arguments, u.code) }) {
			msg.ToolCalls = slices.Clone(msg.ToolCalls)
			for i := range msg.ToolCalls {
				msg.ToolCalls[i].Arguments = strings.ReplaceAll(msg.ToolCalls[i].Arguments, u.code, Unsaid)
			}
		}
	}
	return msg
}
