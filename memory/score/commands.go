package score

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Commanded are the figures of a reader of spoken commands, as fractions.
type Commanded struct {
	N           int                    `json:"n"`
	Accuracy    float64                `json:"accuracy"`
	Actions     map[string]PRF         `json:"actions"` // all but none
	NoneTaken   float64                `json:"none_taken"`
	ObjectRight float64                `json:"object_right"` // share of the objects whose words are all found
	ByLang      map[string]CommandedIn `json:"by_lang"`
}

// CommandedIn are the figures of one language.
type CommandedIn struct {
	Accuracy  float64 `json:"accuracy"`
	NoneTaken float64 `json:"none_taken"`
}

// CommandPrediction is what was read in one message.
type CommandPrediction struct {
	ID     string `json:"id"`
	Action string `json:"action"`
	Object string `json:"object"`
}

// commanded counts messages.
type commanded struct {
	right, of, none, taken map[string]int // by language; taken of none
	gold, said, both       map[string]int // by action
	objects, found         int
}

// none is the action of a message that is no command.
const none = string(spoken.None)

// Commands measures what find reads in messages, one JSON object a line: id, lang, text, action, object; a nil find is the product's own.
// Each prediction goes to say, unless it is nil. A line that is none is state.ErrInvalid and names its number.
func Commands(r io.Reader, find func(text string) (action, object string), say func(CommandPrediction) error) (Commanded, error) {
	if find == nil {
		find = ownCommands
	}

	c := commanded{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, 0, 0}
	for line, err := range eachLine(r) {
		if err != nil {
			return Commanded{}, err
		}
		var l struct{ ID, Lang, Text, Action, Object string }
		if err := json.Unmarshal(line.raw, &l); err != nil {
			return Commanded{}, line.refuse(err)
		}
		if l.ID == "" || l.Text == "" || !isAction(l.Action) {
			return Commanded{}, line.refuse(errors.New("lacks its id or its text, or its action is unknown"))
		}

		// What was found in it counts, and is told if anybody wants it.
		action, object := find(l.Text)
		c.count(l.Lang, l.Action, action, l.Object, object)
		if say == nil {
			continue
		}
		if err := say(CommandPrediction{l.ID, action, object}); err != nil {
			return Commanded{}, err
		}
	}
	return c.figures(), nil
}

// ownCommands returns the product's reader. What holds only if the memory knows it, and what is answered as an order that is not understood, is none here: nothing
// is carried out.
func ownCommands(text string) (action, object string) {
	c := spoken.Find(spoken.Several(text)[0])
	if c.IfKnown || c.Action == spoken.Unclear {
		return none, ""
	}
	return string(c.Action), c.Object
}

// isAction reports whether a name is that of an action.
func isAction(name string) bool {
	return slices.Contains(spoken.Actions(), spoken.Action(name))
}

// count takes one message in.
func (c *commanded) count(lang, gold, said, object, found string) {
	c.of[lang]++
	c.gold[gold]++
	c.said[said]++
	if gold == said {
		c.right[lang]++
		c.both[gold]++
	}
	if gold == none {
		c.none[lang]++
		c.taken[lang] += one(said != none)
	}
	if words := text.Words(object); len(words) > 0 {
		have := text.Words(found)
		c.objects++
		c.found += one(!slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(have, w) }))
	}
}

// figures returns the shares of what was counted.
func (c *commanded) figures() Commanded {
	out := Commanded{Actions: map[string]PRF{}, ByLang: map[string]CommandedIn{}}
	right, taken := 0, 0
	for lang, n := range c.of {
		out.N += n
		right += c.right[lang]
		taken += c.taken[lang]
		out.ByLang[lang] = CommandedIn{ratio(c.right[lang], n), ratio(c.taken[lang], c.none[lang])}
	}
	for _, action := range slices.Sorted(maps.Keys(c.gold)) {
		if action != none {
			out.Actions[action] = prf(c.both[action], c.said[action], c.gold[action])
		}
	}
	out.Accuracy, out.NoneTaken, out.ObjectRight = ratio(right, out.N), ratio(taken, c.gold[none]), ratio(c.found, c.objects)
	return out
}
