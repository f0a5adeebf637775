package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/derive"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// inflected is how many letters two forms of a word may differ in behind five that are the same.
const inflected = 3

// answer quotes what memory holds on a question: from memory_recall where it is offered, and from what the prompt shows. A question about the affair at
// hand is looked up there, and elsewhere only if nothing answers it: what is recalled stands in the prompt. What was found is looked up once more, for
// what was said of it since.
func (t turn) answer() (string, []state.ToolCall) {
	q := t.ask()
	found, certain := q.best(t.sayings())
	switch calls := t.callsOf(memoryRecall); {
	case !t.mayCall(memoryRecall) || calls > 1:
	case calls == 0:
		return "", calling(memoryRecall, map[string]string{"query": q.query, "scope": q.scope})
	case certain && found[0].by == byUser:
		return "", calling(memoryRecall, map[string]string{"query": found[0].text, "scope": q.scope})
	case !certain && q.scope == everywhere && len(found) > 0 && found[0].by == byUser:
		return "", calling(memoryRecall, map[string]string{"query": found[0].text, "scope": everywhere})
	case !certain && q.scope != everywhere:
		return "", calling(memoryRecall, map[string]string{"query": q.query, "scope": everywhere})
	}

	if len(found) == 0 {
		return strings.TrimSpace(t.nothing() + "\n" + t.known()), nil
	}
	var out []string
	if !certain {
		out = append(out, t.nothing()+" "+t.phrases.say("nearest_to_it"))
	}
	for _, s := range found {
		out = append(out, t.quote(s))
	}
	if known := t.known(); !certain && known != "" {
		out = append(out, known)
	}
	return strings.Join(out, "\n"), nil
}

// known lists the key facts of another affair that the question is about, as far as the prompt shows them.
func (t turn) known() string {
	var about string
	var listed []string
	for _, l := range t.memory.evidence {
		if title, part := l.origin(); part == "key fact" && (about == "" || title == about) {
			about, listed = title, append(listed, l.text)
		}
	}
	if about == "" {
		return ""
	}
	return t.phrases.say("known", "title", about, "facts", strings.Join(listed, "; "))
}

// nothing says that nothing was found.
func (t turn) nothing() string {
	const most = 80
	if wanted := t.wanted(); len([]rune(wanted)) <= most {
		return t.phrases.say("nothing", "question", wanted)
	}
	return t.phrases.say("nothing_there")
}

// Where memory_recall looks.
const (
	everywhere = "all"
	here       = "current"
)

// asked is what a question is after.
type asked struct {
	text         string
	kinds        []facts.Kind
	about        []derive.Property // of the user
	terms        []term            // its content words
	query, scope string            // for memory_recall
}

// term is a word of a question.
type term struct {
	stem   string
	weight float64
	about  []derive.Property // that it asks for
}

func (t turn) ask() asked {
	q := asked{text: t.wanted()}
	q.kinds, q.about = facts.Asks(q.text, t.lang), derive.Asked(q.text)
	for _, token := range text.Tokens(q.text) {
		filler := slices.ContainsFunc(t.phrases.Cues.Filler, func(c cue) bool { return len(c) == 1 && c[0] == token.Folded })
		switch {
		case token.Stop || filler:
			continue
		case text.General(token.Stem):
			q.terms = append(q.terms, term{token.Stem, 0.3, derive.Asked(token.Folded)})
		default:
			q.terms = append(q.terms, term{token.Stem, 1, derive.Asked(token.Folded)})
		}
	}
	q.query, q.scope = q.text, everywhere
	for _, p := range q.about {
		q.query += " " + strings.Join(derive.Words(p), " ")
	}
	switch a := t.memory.active; {
	case a.title == "":
	case len(q.terms) == 0:
		q.query, q.scope = a.title+": "+q.text, here
	case len(q.about) == 0 && shared(text.Terms(a.text()+" "+t.before()), text.Terms(q.text)) > 0 && t.meant() == a.title:
		q.scope = here
	}
	return q
}

// before returns what the user said last, in the active affair as a rule.
func (t turn) before() string { return strings.Join(t.said[max(0, len(t.said)-1):], " ") }

// sure is the share of a question's words from which on a saying that has them answers it. One that has less is only the nearest there is.
const sure = 0.6

// best are the sayings that answer a question, at most two: the best one, and another that has what it lacks of what was asked. Of two that
// say the same thing differently the later holds. It reports whether they answer for sure.
func (q asked) best(all []saying) ([]saying, bool) {
	for i := range all {
		all[i].has, all[i].score = q.score(all[i])
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(s saying) bool { return s.has == 0 })
	slices.SortStableFunc(fit, func(a, b saying) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.place, a.place))
	})
	if len(fit) == 0 {
		return nil, false
	}

	out := []saying{q.latest(fit[0], all)}
	for _, s := range fit {
		if s.text != out[0].text && q.adds(out[0], s) && q.latest(s, all).text == s.text {
			out = append(out, s)
			break
		}
	}
	if fit[0].has < sure {
		return out, false
	}
	slices.SortStableFunc(out, func(a, b saying) int { return cmp.Compare(b.place, a.place) })
	return out, true
}

// latest returns the saying that holds in the place of one: a later one that says the same of the user, or that renews what it states and says that
// something has changed or has as much of the question.
func (q asked) latest(s saying, all []saying) saying {
	for _, x := range all {
		if x.place <= s.place || x.by != byUser {
			continue
		}
		if q.again(s, x) || (x.has >= s.has || facts.Read(x.text, "en").Changes()) && facts.Outdates(x.text, s.text) {
			s = x
		}
	}
	return s
}

// again reports whether two sayings state a property of the user that is asked for and that has one value.
func (q asked) again(a, b saying) bool {
	said := derive.Said(b.text)
	return slices.ContainsFunc(derive.Said(a.text), func(p derive.Property) bool {
		return p.One() && slices.Contains(q.about, p) && slices.Contains(said, p)
	})
}

// adds reports whether a saying has a kind or a word of what was asked that another one lacks.
func (q asked) adds(to, s saying) bool {
	for _, k := range q.kinds {
		if s.states(k) && !to.states(k) {
			return true
		}
	}
	had, has := text.Terms(to.text+" "+to.title), text.Terms(s.text)
	return slices.ContainsFunc(q.terms, func(t term) bool { return t.weight == 1 && alike(t.stem, has) == 1 && alike(t.stem, had) == 0 })
}

// score returns how well a saying answers: the share of the question's words that it has, more where it has a value of the kind asked for.
func (q asked) score(s saying) (has, score float64) {
	words, says := text.Terms(s.text+" "+s.title), derive.Said(s.text)
	var got, of float64
	for _, t := range q.terms {
		n := alike(t.stem, words)
		if s.by == byUser && slices.ContainsFunc(t.about, func(p derive.Property) bool { return slices.Contains(says, p) }) {
			n = max(n, 0.8)
		}
		of += t.weight
		got += t.weight * n
	}
	switch {
	case of > 0:
		has = got / of
	case len(q.about) > 0 && !slices.ContainsFunc(q.about, func(p derive.Property) bool { return slices.Contains(says, p) }): // what's my name?
	default:
		has = sure // a question without words of its own
	}

	score = has
	switch {
	case len(q.kinds) > 0 && slices.ContainsFunc(q.kinds, s.states):
		score += 0.4
	case len(q.kinds) > 0 && text.Digits(s.text) == 0:
		score -= 0.3
	}
	switch s.by {
	case byUser:
		score += 0.1
	case byAssistant:
		score -= 0.2
	}
	return has, score
}

// alike returns how near the nearest of several stems is to one: 1 a form of the same word, 0.5 a word of the same matter.
func alike(term string, among []string) float64 {
	if slices.ContainsFunc(among, func(x string) bool { return text.Akin(x, term, inflected) }) {
		return 1
	}
	for _, k := range text.Related(term) {
		if slices.Contains(among, k.Stem) {
			return 0.6
		}
	}
	concepts := text.Concepts(among)
	if slices.ContainsFunc(text.Concepts([]string{term}), func(c string) bool { return c[0] != '@' && slices.Contains(concepts, c) }) {
		return 0.5
	}
	return 0
}

// family joins the kinds that one question word asks for.
func family(k facts.Kind) facts.Kind {
	switch k {
	case facts.Deadline, facts.Time:
		return facts.Date
	case facts.Item:
		return facts.Reference
	}
	return k
}
