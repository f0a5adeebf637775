package offline

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// item is one thing known: a labelled value, an action that waits, or a sentence (label "").
type item struct {
	label   string
	value   string
	kinds   []facts.Kind
	pending bool
	from    line
	title   string // of the affair it is from, where the source names one
}

// group is what is known from one affair, or from one place that is none (title "").
type group struct {
	title string
	items []item
}

// ofAffair is the active affair as a group.
func ofAffair(a affair, lang string) group {
	g := group{title: a.title}
	from := line{source: `affair "` + a.title + `"`}
	for _, f := range a.facts {
		g.items = append(g.items, item{label: f.Label, value: f.Value, kinds: kindsOf(f, lang), from: from, title: a.title})
	}
	for _, p := range a.pending {
		g.items = append(g.items, item{value: p, pending: true, from: from, title: a.title})
	}
	return g
}

// grouped sorts lines by the affair they are from, in order of appearance; what is known twice is kept once.
func grouped(lines []line, lang string) []group {
	var out []group
	for _, l := range lines {
		title, part := l.origin()
		at := slices.IndexFunc(out, func(g group) bool { return same(g.title, title) })
		if at < 0 {
			out, at = append(out, group{title: title}), len(out)
		}
		for _, it := range itemsOf(l, part, lang) {
			it.title = title
			if !slices.ContainsFunc(out[at].items, func(x item) bool { return x.label != "" == (it.label != "") && same(x.value, it.value) }) {
				out[at].items = append(out[at].items, it)
			}
		}
	}
	return out
}

// itemsOf takes a line apart: a key fact is one labelled value; of anything else the facts it states and its
// sentences. Questions state nothing, and words of the model itself are not quoted.
func itemsOf(l line, part, lang string) []item {
	label, value, labelled := strings.Cut(l.text, ": ")
	if part == "key fact" && labelled {
		f := state.Fact{Label: label, Value: value}
		return []item{{label: label, value: value, kinds: kindsOf(f, lang), from: l}}
	}
	if strings.HasPrefix(part, "pending") || strings.HasPrefix(part, "waiting") {
		return []item{{value: l.text, pending: true, from: l}}
	}
	var out []item
	for _, sentence := range facts.Sentences(l.text) {
		if facts.IsQuestion(sentence) {
			continue
		}
		for _, f := range facts.Extract(sentence, lang) {
			out = append(out, item{label: f.Label, value: f.Value, kinds: []facts.Kind{f.Kind}, from: l})
		}
		if !strings.Contains(l.source, ", "+string(state.RoleAssistant)) {
			out = append(out, item{value: squeeze(sentence), from: l})
		}
	}
	return out
}

// kindsOf says of which kinds a labelled value is: those found in it, where a date is a date whatever its label.
func kindsOf(f state.Fact, lang string) []facts.Kind {
	var out []facts.Kind
	for _, x := range facts.Extract(f.Label+": "+f.Value, lang) {
		out = append(out, x.Kind)
	}
	if len(out) == 0 {
		return []facts.Kind{facts.Statement}
	}
	return out
}

// labelled are the group's items that can be told as "label value".
func (g group) labelled() []item {
	return slices.DeleteFunc(slices.Clone(g.items), func(x item) bool { return x.label == "" })
}

// waiting are the actions that wait.
func (g group) waiting() []string {
	var out []string
	for _, x := range g.items {
		if x.pending {
			out = append(out, x.value)
		}
	}
	return out
}

// same compares two texts regardless of case, marks and space.
func same(a, b string) bool {
	return text.Fold(strings.TrimSpace(a)) == text.Fold(strings.TrimSpace(b))
}

// asked is what a question is after.
type asked struct {
	kinds []facts.Kind
	terms []string // stems of its content words
}

func ask(question, lang string) asked {
	return asked{kinds: facts.Asks(question, lang), terms: text.Terms(question)}
}

// overlap counts the question's terms that the text has; another word of the same matter counts half.
func (a asked) overlap(s string) float64 {
	have := text.Terms(s)
	concepts := text.Concepts(have)
	var n float64
	for _, t := range a.terms {
		switch {
		case slices.Contains(have, t):
			n++
		case slices.ContainsFunc(text.Concepts([]string{t}), func(c string) bool { return slices.Contains(concepts, c) }):
			n += 0.5
		}
	}
	return n
}

// find returns the items of a group that answer the question, and how sure that is: 0 = none do.
func (a asked) find(g group) ([]item, float64) {
	if len(a.kinds) > 0 {
		return a.ofKind(g)
	}
	for _, by := range []func(item) string{
		func(x item) string { return x.label },
		func(x item) string { return whole(x) },
	} {
		if found, n := a.best(g.items, by); n > 0 {
			return found, n
		}
	}
	return nil, 0
}

// findIn returns what answers the question best in several groups; of equals the first.
func (a asked) findIn(groups []group) (best []item, most float64) {
	for _, g := range groups {
		if found, sure := a.find(g); sure > most {
			best, most = found, sure
		}
	}
	return best, most
}

// ofKind returns the items of the kinds asked for; where labels tell which of several is meant, only those.
func (a asked) ofKind(g group) ([]item, float64) {
	var out []item
	var sure float64
	var done []facts.Kind
	for _, k := range a.kinds {
		k = family(k)
		if slices.Contains(done, k) || instead(k, done) {
			continue
		}
		fit := slices.DeleteFunc(g.labelled(), func(x item) bool { return !a.fits(x, k) })
		if named, n := a.best(fit, func(x item) string { return x.label }); n > 0 {
			fit, sure = named, sure+n
		}
		if len(fit) > 0 {
			out, sure, done = append(out, fit...), sure+2, append(done, k)
		}
	}
	return out, sure
}

// fits reports whether an item may be meant by a question for kind k.
func (a asked) fits(x item, k facts.Kind) bool {
	if !slices.ContainsFunc(x.kinds, func(have facts.Kind) bool { return family(have) == k }) {
		return false
	}
	switch k {
	case facts.Statement:
		return a.overlap(x.label) > 0
	case facts.Date:
		return !a.elsewhere(x)
	}
	return true
}

// instead reports whether k is only a second guess at what a question word asks for ("how much": a price,
// else a measure) and the first was found.
func instead(k facts.Kind, found []facts.Kind) bool {
	return k == facts.Measure && slices.Contains(found, facts.Price) || k == facts.Link && slices.Contains(found, facts.Address)
}

// elsewhere reports whether a time is that of another event than the question asks for: its label names one,
// the question names one, and they have nothing in common.
func (a asked) elsewhere(x item) bool {
	return len(a.terms) > 0 && len(text.Terms(x.label)) > 1 && a.overlap(x.label) == 0
}

// best returns the items whose text has most in common with the question, and how much that is.
func (a asked) best(items []item, by func(item) string) ([]item, float64) {
	var out []item
	var most float64
	for _, x := range items {
		switch n := a.overlap(by(x)); {
		case n > most:
			out, most = []item{x}, n
		case n == most && n > 0:
			out = append(out, x)
		}
	}
	return out, most
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

// whole is an item as one text.
func whole(x item) string { return x.label + " " + x.value }
