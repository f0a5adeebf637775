package spoken

import (
	"embed"
	"slices"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/linear"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Action is what is to be done with the memory.
type Action string

// What a user may ask of the memory.
const (
	None          Action = "none"
	Remember      Action = "remember"
	ForgetLast    Action = "forget_last"
	DoNotRemember Action = "do_not_remember"
	ShowAll       Action = "show_all"
	AboutTopic    Action = "about_topic"
	ClearTopic    Action = "clear_topic"
	Correct       Action = "correct"
	Pin           Action = "pin"
	Unclear       Action = "unclear" // what may be an order to forget
)

// Actions returns all actions that the model tells apart, in the order of its weights, None first.
func Actions() []Action {
	return []Action{None, Remember, ForgetLast, DoNotRemember, ShowAll, AboutTopic, ClearTopic, Correct, Pin}
}

// Command is what a message asks of the memory.
type Command struct {
	Action Action
	Object string // what is to be remembered, the topic, the corrected statement; "" = the last thing said

	// IfKnown is that of what may be a question about a topic or a correction: it is a command only if the memory knows what it is about.
	IfKnown bool

	// Order is that of a correction that is surely asked for, and not only said.
	Order bool
}

// Forgets reports whether something is to be forgotten, or may be.
func (c Command) Forgets() bool {
	return slices.Contains([]Action{ForgetLast, DoNotRemember, ClearTopic, Unclear}, c.Action)
}

const (
	mostRead = 4 << 10 // bytes of a message that are read

	// How likely an order must be: to be taken; to be asked back; a question and a correction that hold if the memory knows what they are about; a correction
	// that is ordered, and not only said.
	sure      = .91
	unclear   = .60
	about     = .035
	corrected = .75
	ordered   = .96
)

//go:embed data
var files embed.FS

// The models and the words are read on first use.
var (
	orders  = sync.OnceValue(func() *linear.Model { return linear.MustRead(files, "data/orders.bin") })  //nolint:gochecknoglobals // constants, read once
	objects = sync.OnceValue(func() *linear.Model { return linear.MustRead(files, "data/objects.bin") }) //nolint:gochecknoglobals // constants, read once
	listed  = sync.OnceValue(func() text.Roles { return text.MustReadRoles(files, "data/words.txt") })   //nolint:gochecknoglobals // constants, read once
)

// Find returns what a message asks of the memory; its action is None when it asks nothing. Safe for concurrent use.
func Find(message string) Command {
	message = text.Head(message, mostRead)
	words := split(message)
	return find(message, words).ofTopic(message, words)
}

func find(message string, words []word) Command {
	action, likely := likeliest(orders(), words)
	if action == Remember || action == Pin || likely < sure {
		if what := toForget(message, words); what != "" {
			return Command{Action: ClearTopic, Object: what}
		}
	}
	if what := toKeep(message, words); what != "" {
		return Command{Action: Remember, Object: what}
	}
	forgets := (Command{Action: action}).Forgets()
	if forgets && tellsForgetting(words) {
		return Command{Action: None}
	}
	if from := opening(words); from > 0 && forgets && likely < sure && likely >= unclear { // what is ordered does not hang on whom it is said to, and how politely
		if c := Find(message[words[from].from:]); c.Forgets() && c.Action != Unclear {
			return c
		}
	}
	c := Command{Action: action, Order: action == Correct && likely >= ordered}
	switch {
	case likely >= sure, likely >= unclear && (action == Remember || action == Pin) && notToForget(words), action == Remember && (keepsThat(words) || keepsThat(words[opening(words):])):
	case action == AboutTopic && likely >= about, action == Correct && likely >= corrected:
		c.IfKnown = true
	case (action == ClearTopic || action == ForgetLast) && likely >= unclear:
		c.Action = Unclear
	default:
		return Command{Action: None}
	}
	if action == ShowAll || action == ForgetLast && c.Action != Unclear {
		return c
	}
	likelyOwn := likelyWords(orders(), objects(), message, words, action)
	c.Object = object(likelyOwn, message, words, action)
	if action == ClearTopic && slices.ContainsFunc(words, meansAll) && !slices.ContainsFunc(split(c.Object), telling) {
		c.Object = "" // "everything you know about me"
	}
	if c.Object == "" && (c.Action == Unclear || action == ClearTopic && !slices.ContainsFunc(words, meansAll)) {
		c.Object = object(add(likelyOwn, despair), message, words, action)
	}
	if c.Action == Unclear && c.Object == "" {
		return Command{Action: None}
	}
	return c
}

// telling reports whether a word names something, and not all that is remembered.
func telling(w word) bool { return w.letters && !meansAll(w) && len(text.Terms(w.fold)) > 0 }

// meansAll reports whether a word means all that is remembered, or its memory.
func meansAll(w word) bool { return w.does("all") }

// likeliest returns the likeliest order of a message, and how likely it orders anything.
func likeliest(m *linear.Model, words []word) (Action, float64) {
	p := m.Sum(signsOf(words), linear.Counted)
	linear.Softmax(p)
	best, keeps := 1, notToForget(words)
	for k, action := range Actions() {
		if k > 0 && p[k] > p[best] && !(keeps && (Command{Action: action}).Forgets()) {
			best = k
		}
	}
	return Actions()[best], 1 - p[0]
}

// Corrected returns what holds by a statement that sets it against what does not: "in York" of "not in Leeds, but in York"; else all of it.
func Corrected(statement string) string {
	words := split(text.Head(statement, mostRead))
	if len(words) == 0 {
		return statement
	}
	instead := map[string][]string{
		"not": {"but"}, "ne": {"ale", "nybrz"}, "nie": {"tylko", "ale", "lecz", "a"}, "не": {"а", "но"}, "nicht": {"sondern"},
	}[words[0].fold]
	for i := 1; i+2 < len(words); i++ {
		if !words[i].letters && slices.Contains(instead, words[i+1].fold) {
			return statement[words[i+2].from:]
		}
	}
	return statement
}
