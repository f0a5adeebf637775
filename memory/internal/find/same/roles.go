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

//go:embed data/*.txt
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
	short    // its short form
	weekday  // a day of the week, Monday is 1
	value    // a word of an attribute that has one value at a time
	negates  // denies what follows it
	beside   // with, called: what follows only goes along, or is a name
	away     // behind a verb: what follows is no value
	between  // stands between a verb and its value
	reflexive
	towards  // a preposition of place
	relative // the stem of a word that names a day by today
	contact  // a word for a telephone or an address
	currency // by its code
)

// meaning is a role; with value comes the attribute and "verb" or "noun", with contrast the axis and which end of it,
// with month and weekday a number, with currency its code.
type meaning struct {
	role      role
	attribute string
	side      string
	number    int
}

// lexicon maps folded beginnings of words; a whole word has a point behind it.
type lexicon map[string][]meaning

// roles parses the embedded lists once, on first use; they never change afterwards.
var roles = sync.OnceValue(func() lexicon { //nolint:gochecknoglobals // a constant that is computed once
	out, _ := readRoles(files) // a test reads them too
	return out
})

// readRoles reads roles.txt, and roles_LANG.txt of languages that have a file of their own; the error is a *text.ListError.
func readRoles(from fs.FS) (lexicon, error) {
	out := lexicon{}
	err := text.ReadLists(from, "data/roles*.txt", func(_ string, line text.Line) (err error) {
		// What the line says its words are; each role has its own form.
		about := strings.Fields(line.Key)
		m := meaning{role: roleOf(about[0])}
		switch {
		case m.role == plain:
			return line.Wrong(about[0] + " is not a role")
		case m.role == month || m.role == short || m.role == weekday:
			if m.number, err = strconv.Atoi(line.Key[len(about[0])+1:]); err != nil {
				return line.Wrong("has no number")
			}
		case m.role == currency && len(about) == 2:
			m.attribute = about[1]
		case len(about) == 3:
			m.attribute, m.side = about[1], about[2]
		case m.role == value || m.role == contrast || len(about) > 1:
			return line.Wrong("is not a role, an attribute and a side")
		}

		// A word may have several meanings.
		for _, w := range line.Words() {
			key := text.Fold(w)
			out[key] = append(out[key], m)
		}
		return nil
	})
	return out, err
}

// roleOf returns the role of a name in the list, plain if there is none.
func roleOf(name string) role {
	return role(max(0, slices.Index([]string{
		plain: "", link: "link", fill: "fill", change: "change", end: "end", like: "like", hate: "hate", once: "once", kin: "kin", status: "status",
		doubt: "doubt", contrast: "contrast", month: "month", short: "short", weekday: "weekday", value: "value", negates: "negates", beside: "beside",
		away: "away", between: "between", reflexive: "reflexive", towards: "towards", relative: "relative", contact: "contact", currency: "currency",
	}, name)))
}

// is reports whether a folded word can have a role.
func (l lexicon) is(word string, r role) bool {
	return slices.ContainsFunc(l.of(word), func(m meaning) bool { return m.role == r })
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
