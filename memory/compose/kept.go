package compose

import (
	"strings"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// keptAtMost is how many lines of a prompt its kept account names; of more it says how many there are.
const keptAtMost = 200

// Kept returns the account as the turn keeps it: of each line where its text is, and no text. The view is the one composed from. Lines
// that are of one text and fared alike are one.
func (c Context) Kept(v state.View) account.Prompt {
	p := account.Prompt{Tokens: c.Tokens, Limit: c.Limit, Messages: len(c.Prompt)}
	room := keptAtMost
	for _, s := range c.Sections {
		p.Sections = append(p.Sections, account.Section{Name: s.Name, Tokens: s.Tokens, Budget: s.Budget})
	}
	for _, dropped := range []bool{false, true} { // what was in first
		for i, s := range c.Sections {
			lines := &p.Sections[i].Lines
			for _, l := range c.Lines {
				if l.Section != s.Name || l.Dropped != dropped {
					continue
				}
				k := l.kept(v)
				if n := len(*lines); n > 0 && k.Of != "" && alike((*lines)[n-1], k) {
					(*lines)[n-1].Count, (*lines)[n-1].Tokens = max((*lines)[n-1].Count, 1)+1, (*lines)[n-1].Tokens+k.Tokens
					continue
				}
				if room--; room < 0 {
					p.More++
					continue
				}
				*lines = append(*lines, k)
			}
		}
	}
	return p
}

// alike reports whether two lines differ in their tokens at most.
func alike(a, b account.Line) bool {
	a.Tokens, a.Count = b.Tokens, b.Count
	return a == b
}

// kept returns a line without its text.
func (l Line) kept(v state.View) account.Line {
	k := account.Line{Tokens: l.Tokens, Count: l.Count, Dropped: l.Dropped}
	k.Why, _, _ = strings.Cut(l.Why, ": score ")             // it stands with the recall
	k.Reason, _, _ = strings.Cut(l.Reason, ` "`)             // what is quoted may be anybody's
	if !l.Dropped && l.Reason != "" && isSpoken(l.Section) { // it names what was left out
		k.Reason = "shortened"
	}

	from, ok := ParseOrigin(l.Of)
	if !ok {
		return k
	}
	if text, ok := from.Find(v); ok {
		k.Sum = account.Sum(text)
	}
	k.Of = from.Kept(v.Session.ID)
	return k
}

// isSpoken reports whether the lines of a section are messages.
func isSpoken(section string) bool {
	switch section {
	case History, Attachments, Question, Turn:
		return true
	}
	return false
}

// labelMark begins the sum that stands for a label.
const labelMark = "~"

// Kept returns the origin as the turn keeps it: a label, which is the user's text, is a sum, and the turn's own session is left out.
func (o Origin) Kept(session string) string {
	if list, label, ok := strings.Cut(o.Part, ":"); ok {
		o.Part = list + ":" + labelMark + account.Sum(label)
	}
	if o.Kind != OfMessage || o.ID != session {
		return o.String()
	}
	o.ID = ""
	return o.write()
}

// ParseKept reads what Kept wrote in a turn of the session. The label of its part is still a sum, by which Find finds it.
func ParseKept(s, session string) (Origin, bool) {
	if rest, ok := strings.CutPrefix(s, OfMessage+" /"); ok {
		s = OfMessage + " " + session + "/" + rest
	}
	return ParseOrigin(s)
}

// Find returns the text that an origin names in an affair or in the session of a view; ok is false when it is not there, and for
// messages and records, whose text does not change.
func (o Origin) Find(v state.View) (text string, ok bool) {
	switch o.Kind {
	case OfAffair:
		if a, known := v.Affair(o.ID); known {
			return o.inAffair(a)
		}
	case OfSession:
		if v.Session.ID == o.ID {
			return o.inSession(v.Session)
		}
	}
	return "", false
}

func (o Origin) inAffair(a state.Affair) (text string, ok bool) {
	list, label, _ := strings.Cut(o.Part, ":")
	switch list {
	case "facts":
		return FindLabel(a.KeyFacts, label)
	case "pending":
		return strings.Join(a.PendingActions, "; "), len(a.PendingActions) > 0
	case "summary":
		return a.Summary, a.Summary != ""
	}
	return a.Title, true
}

func (o Origin) inSession(s state.Session) (text string, ok bool) {
	list, label, _ := strings.Cut(o.Part, ":")
	if list != "preferences" {
		return s.Summary, s.Summary != ""
	}
	for name, value := range s.Preferences {
		if sameLabel(name, label) {
			return name + ": " + value, true
		}
	}
	return "", false
}

// FindLabel returns the fact that an origin names by its label.
func FindLabel(facts state.Facts, label string) (text string, ok bool) {
	for _, f := range facts {
		if sameLabel(f.Label, label) {
			return f.Label + ": " + f.Value, true
		}
	}
	return "", false
}

// sameLabel reports whether a label is the one that an origin names, by itself or by its sum.
func sameLabel(label, named string) bool {
	sum, ok := strings.CutPrefix(named, labelMark)
	return label == named || ok && account.Sum(label) == sum
}
