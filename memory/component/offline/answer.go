package offline

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// maxTold is how many facts of an affair one reply tells.
const maxTold = 8

// answer answers what the message asks besides what it told, or asks a tool first.
func (t turn) answer(told statement) (string, []state.ToolCall) {
	c := t.phrases.Cues
	if has(t.words, c.Overview) {
		return t.overview()
	}
	q := ask(t.wanted(), t.lang)
	if g, rest := t.aside(q); g.title != "" {
		return t.fromAside(q, g, rest), nil
	}
	switch {
	case has(t.words, c.Next) && t.memory.active.title == "":
		return t.phrases.say("unknown"), nil
	case has(t.words, c.Next):
		return t.next(ofAffair(t.memory.active, t.lang)), nil
	case has(t.words, c.Howdy):
		return t.phrases.say("howdy"), nil
	}
	return t.fromContext(q, told)
}

// wanted is the message without the sentences that state something; all of it when none asks.
func (t turn) wanted() string {
	var asking []string
	for _, sentence := range facts.Sentences(t.question) {
		if facts.IsQuestion(sentence) {
			asking = append(asking, squeeze(sentence))
		}
	}
	if len(asking) == 0 {
		return squeeze(t.question)
	}
	return strings.Join(asking, " ")
}

// aside returns the affair that the evidence is about, if it is not the active one, and the evidence that
// names no affair. A title "" means the question is no aside.
func (t turn) aside(q asked) (about, rest group) {
	most := -1.0
	for _, g := range grouped(t.memory.evidence, t.lang) {
		switch {
		case g.title == "":
			rest = g
		case same(g.title, t.memory.active.title):
		default:
			if _, sure := q.find(g); sure+q.overlap(g.title) > most {
				about, most = g, sure+q.overlap(g.title)
			}
		}
	}
	return about, rest
}

// fromAside answers from another affair's evidence alone; nothing of the active affair is added.
func (t turn) fromAside(q asked, g, rest group) string {
	if has(t.words, t.phrases.Cues.Next) {
		return t.next(g)
	}
	if found, sure := q.find(g); sure > 0 {
		return t.known(identified(found, g))
	}
	if found, sure := q.find(rest); sure > 0 {
		return t.known(found)
	}
	if len(q.kinds) == 0 {
		return t.about(g)
	}
	return strings.TrimSpace(t.phrases.missing(q.kinds) + " " + t.about(g))
}

// fromContext answers from the active affair, from what belongs to none, from what the user said before, or
// looks it up.
func (t turn) fromContext(q asked, told statement) (string, []state.ToolCall) {
	active, meant := ofAffair(t.memory.active, t.lang), t.meantActive(q)
	places := relevant(q, t.others())
	if !t.meantParked(q) {
		places = append([]group{active}, places...)
	}
	best, most := q.findIn(places)
	switch {
	case most > 0:
		return t.known(best), nil
	case meant:
		return strings.TrimSpace(t.phrases.missing(q.kinds) + " " + t.about(active)), nil
	case told.any():
		return t.phrases.missing(q.kinds), nil
	}
	if c, called := t.called(memoryRecall); called {
		return t.fromRecall(q, c.result), nil
	}
	if scope := t.lookIn(q); scope != "" && t.mayCall(memoryRecall) {
		return "", []state.ToolCall{{Name: memoryRecall, Arguments: recallArguments(t.wanted(), scope)}}
	}
	return t.phrases.say("unknown"), nil
}

// lookIn is the scope in which memory_recall may know the answer, "" when it is not to be asked. Its result stands in the
// prompt, whatever it is: so another affair's facts are let in only when the question looks away from the active affair.
func (t turn) lookIn(q asked) string {
	own := has(t.words, t.phrases.Cues.Own)
	switch active := t.memory.active; {
	case len(q.terms) == 0 || len(q.kinds) == 0 && !own:
		return ""
	case active.title == "" || t.meantParked(q):
		return "all"
	case q.overlap(active.text()+" "+strings.Join(active.recent, " ")) > 0:
		return "current"
	case own:
		return "all"
	}
	return ""
}

// others is what the context holds besides the active affair and parked ones.
func (t turn) others() []group {
	lines := slices.Clone(t.memory.notes)
	for _, l := range t.memory.evidence {
		if title, _ := l.origin(); title == "" || same(title, t.memory.active.title) {
			lines = append(lines, l)
		}
	}
	out := grouped(lines, t.lang)
	var said []line
	for _, s := range slices.Backward(append(slices.Clone(t.memory.active.recent), t.said...)) {
		for _, sentence := range facts.Sentences(s) {
			if !facts.IsQuestion(sentence) {
				said = append(said, line{squeeze(sentence), "said"})
			}
		}
	}
	return append(out, grouped(said, t.lang)...)
}

// relevant leaves out facts from lines that have no word in common with the question: with no affair to tell what
// they are about, their kind alone (any date for "when") answers nothing.
func relevant(q asked, groups []group) []group {
	if len(q.terms) == 0 {
		return groups
	}
	for i, g := range groups {
		groups[i].items = slices.DeleteFunc(g.items, func(x item) bool { return q.overlap(x.from.text) == 0 })
	}
	return groups
}

// meantActive reports whether a question that finds no answer still is about the active affair: it shares a
// word with it, or has too few words of its own to be about anything else.
func (t turn) meantActive(q asked) bool {
	a := t.memory.active
	if a.title == "" || len(a.facts)+len(a.pending) == 0 || t.meantParked(q) {
		return false
	}
	return len(q.terms) <= 1 || q.overlap(a.text()) > 0
}

// meantParked reports whether a question has more in common with a parked affair's title than with the active affair.
func (t turn) meantParked(q asked) bool {
	active := q.overlap(t.memory.active.text())
	return slices.ContainsFunc(t.memory.parked, func(title string) bool { return q.overlap(title) > active })
}

// recallArguments are those of memory_recall.
func recallArguments(query, scope string) string {
	data, err := json.Marshal(struct {
		Query string `json:"query"`
		Scope string `json:"scope"`
	}{query, scope})
	if err != nil {
		return "{}" // strings always are JSON
	}
	return string(data)
}

// fromRecall answers from the lines memory_recall found, which have the form of evidence.
func (t turn) fromRecall(q asked, result string) string {
	var lines []line
	for row := range strings.SplitSeq(result, "\n") {
		if entry, ok := strings.CutPrefix(strings.TrimSpace(row), "- "); ok {
			lines = append(lines, cited(strings.TrimPrefix(entry, `\`)))
		}
	}
	best, most := q.findIn(grouped(lines, t.lang))
	if most == 0 {
		return t.phrases.say("unknown")
	}
	return t.known(best)
}

// next says what an affair waits for, else what is known of it.
func (t turn) next(g group) string {
	if waiting := g.waiting(); len(waiting) > 0 {
		return t.phrases.say("next", "title", g.title, "actions", strings.Join(waiting, "; "))
	}
	nothing := t.phrases.say("nothing_next", "title", g.title)
	if told := g.labelled(); len(told) > 0 {
		return nothing + " " + t.about(group{title: g.title, items: told})
	}
	return nothing
}

// about tells what is known of an affair.
func (t turn) about(g group) string {
	var parts []string
	labelled := g.labelled()
	if len(labelled) > 0 {
		told := list(labelled[:min(len(labelled), maxTold)])
		parts = append(parts, t.phrases.say("about", "title", g.title, "facts", told))
	} else if at := slices.IndexFunc(g.items, func(x item) bool { return !x.pending }); at >= 0 {
		parts = append(parts, t.phrases.say("summary", "title", g.title, "facts", g.items[at].value))
	}
	if waiting := g.waiting(); len(waiting) > 0 {
		parts = append(parts, t.phrases.say("waiting", "actions", strings.Join(waiting, "; ")))
	}
	if len(parts) == 0 {
		return t.phrases.say("unknown")
	}
	return strings.Join(parts, " ")
}

// known tells items with where they are from; a sentence is quoted, and one is enough.
func (t turn) known(found []item) string {
	var out []string
	for len(found) > 0 {
		source := t.phrases.source(found[0].from)
		if found[0].label == "" {
			out = append(out, t.phrases.say("quoted", "facts", found[0].value, "source", source))
			break
		}
		same := func(x item) bool { return x.label != "" && t.phrases.source(x.from) == source }
		told := slices.DeleteFunc(slices.Clone(found), func(x item) bool { return !same(x) })
		out = append(out, t.phrases.say("known", "facts", capital(list(told[:min(len(told), maxTold)])), "source", source))
		found = slices.DeleteFunc(slices.Clone(found), func(x item) bool { return same(x) || x.label == "" })
	}
	return strings.Join(out, " ")
}

// identified puts what identifies the affair (its order number) before an answer that does not hold it.
func identified(found []item, g group) []item {
	if found[0].label == "" {
		return found
	}
	var ids []item
	for _, x := range g.labelled() {
		in := slices.ContainsFunc(found, func(y item) bool { return same(x.value, y.value) })
		if slices.Contains(x.kinds, facts.Reference) && !in && len(ids) < 2 {
			ids = append(ids, x)
		}
	}
	return append(ids, found...)
}

// list writes items one after the other; a value is told once.
func list(items []item) string {
	var parts, values []string
	for _, x := range items {
		if value := text.Fold(x.value); !slices.Contains(values, value) {
			values = append(values, value)
			parts = append(parts, shown(x))
		}
	}
	return strings.Join(parts, ", ")
}

// shown is an item in a reply: "cena $38.10", but "barva: modrá" where the value is words.
func shown(x item) string {
	value := strings.TrimRight(x.value, ". ")
	if slices.Contains(x.kinds, facts.Statement) {
		return x.label + ": " + value
	}
	return x.label + " " + value
}

// capital makes the first letter large.
func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}
