package same

import (
	"embed"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
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
	out, _ := readRoles(files) // a test reads them too
	return out
}

// readRoles reads the list; the error is a *text.ListError.
func readRoles(from fs.FS) (lexicon, error) {
	out := lexicon{}
	lines, err := text.ReadList(from, "data/roles.txt")
	for _, line := range lines {
		about := strings.Fields(line.Key)
		m := meaning{role: roleOf(about[0])}
		switch {
		case m.role == plain:
			return out, line.Wrong(about[0] + " is not a role")
		case m.role == month || m.role == weekday:
			if m.number, err = strconv.Atoi(line.Key[len(about[0])+1:]); err != nil {
				return out, line.Wrong("has no number")
			}
		case len(about) == 3:
			m.attribute, m.side = about[1], about[2]
		case m.role == value || m.role == contrast || len(about) > 1:
			return out, line.Wrong("is not a role, an attribute and a side")
		}
		for _, w := range line.Words() {
			key := text.Fold(w)
			out[key] = append(out[key], m)
		}
	}
	return out, err
}

// roleOf is the role of a name in the list, plain if there is none.
func roleOf(name string) role {
	return role(max(0, slices.Index([]string{
		plain: "", link: "link", fill: "fill", change: "change", end: "end", like: "like", hate: "hate", once: "once", kin: "kin", status: "status",
		doubt: "doubt", contrast: "contrast", month: "month", weekday: "weekday", value: "value",
	}, name)))
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
