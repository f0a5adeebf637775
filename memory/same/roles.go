package same

import (
	"embed"
	"strconv"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/text"
)

//go:embed data/roles.txt
var files embed.FS

// role is what a word does in a record, besides naming something.
type role uint8

const (
	plain  role = iota // names something
	link               // joins a noun and its value: is, je, jest, это
	fill               // says nothing that another record would have to say too
	change             // says that a value is a new one
	end                // says that a thing holds no more: cancelled, sold
	like
	hate
	once     // a single act, of which there may be many alike: paid, visited
	kin      // somebody or some animal by what it is to somebody
	status   // a state that another state of the same list may follow: shipped, married
	doubt    // what is said does not simply hold: perhaps, if, formerly
	contrast // a function word with an opposite: before, after
	month    // a month, by number
	weekday  // a day of the week, Monday is 1
	value    // a word of an attribute that has one value at a time
)

// meaning is a role; with value comes the attribute and "verb" or "noun", with contrast the axis and which end of it,
// with month and weekday a number.
type meaning struct {
	role      role
	attribute string
	side      string
	number    int
}

// lexicon maps folded beginnings of words; a whole word has a point behind it.
type lexicon map[string][]meaning

// roles parses the embedded list once, on first use; it never changes afterwards.
var roles = sync.OnceValue(load) //nolint:gochecknoglobals // a constant that is computed once

func load() lexicon {
	out := lexicon{}
	raw, err := files.ReadFile("data/roles.txt")
	if err != nil {
		return out
	}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] == "#" || fields[0][0] == '#' {
			continue
		}
		m, words := meaning{role: named(fields[0])}, fields[1:]
		if m.role == month || m.role == weekday {
			m.number, _ = strconv.Atoi(fields[1])
			words = fields[2:]
		}
		if (m.role == value || m.role == contrast) && len(fields) > 3 {
			m.attribute, m.side, words = fields[1], fields[2], fields[3:]
		}
		for _, w := range words {
			key := text.Fold(w)
			out[key] = append(out[key], m)
		}
	}
	return out
}

func named(s string) role {
	switch s {
	case "link":
		return link
	case "fill":
		return fill
	case "change":
		return change
	case "end":
		return end
	case "like":
		return like
	case "hate":
		return hate
	case "once":
		return once
	case "kin":
		return kin
	case "status":
		return status
	case "doubt":
		return doubt
	case "month":
		return month
	case "weekday":
		return weekday
	case "contrast":
		return contrast
	case "value":
		return value
	}
	return plain
}

// of lists what a folded word means: the whole word's roles, or those of its longest known beginning of three letters
// and more.
func (l lexicon) of(folded string) []meaning {
	if found := l[folded+"."]; found != nil {
		return found
	}
	for n := len(folded); n >= 3; n-- {
		if found := l[folded[:n]]; found != nil {
			return found
		}
	}
	return nil
}
