package detect

import (
	"math"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// features describe one message against the history, in names that reasons can be given with. The order
// is fixed, so that sums are the same to the last bit on every run.
type features []feature

type feature struct {
	name  string
	value float64
}

func (f *features) add(name string, value float64) {
	if value != 0 {
		*f = append(*f, feature{name, value})
	}
}

func (f *features) flag(name string, on bool) {
	if on {
		*f = append(*f, feature{name, 1})
	}
}

// compute fills the features of the choice between going on, an older affair and a new one. cur and other
// are never nil; an absent affair is a match without overlap.
func (h *History) compute(q *query, cur, other *match, margin float64) features {
	n := math.Log1p(float64(len(q.views[stems])))
	f := make(features, 0, 48)
	f.add("bias", 1)
	f.add("words of this affair", cur.said[stems])
	f.add("words of another affair", other.said[stems])
	f.add("words, difference", other.said[stems]-cur.said[stems])
	f.add("words, difference x size", (other.said[stems]-cur.said[stems])*n)
	f.add("words, best", max(cur.said[stems], other.said[stems]))
	f.add("roots of this affair", cur.said[roots])
	f.add("roots of another affair", other.said[roots])
	f.add("roots, difference x size", (other.said[roots]-cur.said[roots])*n)
	f.add("roots, best", max(cur.said[roots], other.said[roots]))
	f.add("pairs of this affair", cur.said[pairs])
	f.add("pairs of another affair", other.said[pairs])
	f.add("domain of this affair", cur.said[concepts])
	f.add("domain of another affair", other.said[concepts])
	if len(q.views[concepts]) > 0 {
		f.add("domain of neither", 1-max(cur.said[concepts], other.said[concepts]))
	}
	only := h.only(q, cur, other)
	f.add("only said there", only.there)
	f.add("only said here", only.here)
	f.add("only there x size", only.there*n)
	f.add("name said there only", only.nameThere)
	f.add("name said here only", only.nameHere)
	f.add("new name", only.nameNew)
	f.add("domains not here", math.Log1p(only.domainsNotHere))
	f.add("domains only there", math.Log1p(only.domainsThere))
	f.add("new words", q.unseen)
	f.add("new words x size", q.unseen*n)
	f.add("size in terms", n)
	f.add("size in words", math.Log1p(float64(len(q.tokens))))
	if len(q.views[stems]) > 0 {
		f.add("rare words", q.total[stems]/float64(len(q.views[stems])))
	}
	f.add("bm25 here", cur.bm25)
	f.add("bm25 there", other.bm25)
	f.add("bm25, difference", other.bm25-cur.bm25)
	f.add("lately said here", cur.recent)
	f.add("lately said there", other.recent)
	f.add("told of this affair", cur.described)
	f.add("told of another affair", other.described)
	f.add("like the last reply", q.overlap(h.lastAssistant))
	f.add("like the last question", q.overlap(h.lastUser))
	f.add("clear target", margin)
	if h.current >= 0 {
		// What was hardly begun is seldom left; beyond some sentences, length says nothing.
		f.add("length of this affair", math.Log1p(min(h.affairs[h.current].length, fullLength)))
	}
	h.manners.features(&f)
	h.form(q, &f, cur)
	h.turning(q, &f, cur, other)
	h.andThen(q, &f, cur, other)
	q.opensWith(&f)
	return f
}

// fullLength is where the length of an affair, in terms, stops to count.
const fullLength = 60

// form adds what the message looks like, whatever it is about.
func (h *History) form(q *query, f *features, cur *match) {
	short := len(q.tokens) <= 3
	turns := q.cues.found[cueNew] || q.cues.found[cueBack] || q.cues.found[cueAside]
	f.flag("begins with yes", q.cues.start[cueYes] && !turns) // "great, something else now" answers nothing
	f.flag("begins with no", q.cues.start[cueNo] && !turns)
	f.flag("begins with thanks", q.cues.start[cueThanks] && !turns)
	f.flag("begins with a greeting", q.cues.start[cueGreet])
	f.flag("begins with a question word", q.cues.start[cueQuestion])
	f.flag("begins with a request", q.cues.start[cueRequest])
	f.flag("begins with an order", q.cues.start[cueDo])
	f.flag("holds a request", q.cues.found[cueRequest])
	f.flag("holds an order", q.cues.found[cueDo])
	f.flag("holds a question word", q.cues.found[cueQuestion])
	f.flag("has a question mark", q.mark())
	f.flag("question of one clause", q.asks() && len(q.tokens) <= 10 && !q.cues.found[cueRequest])
	f.flag("begins with and, so, but", q.cues.start[cueAnd])
	f.flag("points back (it, that)", q.cues.found[cueAnaphor])
	f.flag("a question", q.asks())
	f.flag("three words or fewer", short)
	asked := h.asked && !h.begins()
	f.flag("answers a question", asked)
	f.flag("answers shortly", asked && short)
	f.flag("brings news", q.cues.found[cueNews])
	f.flag("identifier of this affair", cur.number)
	if h.tells(q) {
		f.add("says unasked", 1)
		f.add("says unasked, new words", q.unseen)
		f.add("says unasked, size", math.Log1p(float64(len(q.tokens))))
		f.flag("says unasked, news", q.cues.found[cueNews])
		f.flag("says unasked, order", q.cues.start[cueDo])
		f.flag("says unasked, request", q.cues.found[cueRequest])
		f.flag("says unasked, points back", q.cues.found[cueAnaphor])
		f.add("says unasked, words of this affair", cur.said[roots])
	}
	if asked {
		f.add("answers in words of this affair", cur.said[roots])
		f.add("answers, new words", q.unseen)
		f.add("answers, size", math.Log1p(float64(len(q.tokens))))
		f.flag("answers with a question", q.asks())
		f.flag("answers with a request", q.cues.start[cueRequest] || q.cues.start[cueDo])
		f.flag("answers with yes or no, and more", (q.cues.start[cueYes] || q.cues.start[cueNo]) && q.cues.rest > 2)
	}
	f.flag("after an offer of more", h.offered && !h.begins())
	closed := h.closed && !h.begins()
	f.flag("after a closing", closed)
	if closed {
		f.add("after a closing, new words", q.unseen)
	}
	f.flag("closes", q.cues.found[cueClosed])
}

// andThen adds what the message says behind its first sentence: what stands first often answers or thanks, and another matter follows.
func (h *History) andThen(q *query, f *features, cur, other *match) {
	if q.then == nil {
		return
	}
	total, here, there, unseen := 0.0, 0.0, 0.0, 0.0
	for _, w := range q.views[roots] {
		if !q.then.words[w.word] {
			continue
		}
		total += w.idf
		here += w.idf * one(h.has(roots, w.common, cur.at))
		there += w.idf * one(h.has(roots, w.common, other.at))
		unseen += w.idf * one(w.common < 0)
	}
	total = max(total, 1e-9)
	f.flag("several sentences", true)
	f.add("last, new words", unseen/total)
	f.add("last, words of this affair", here/total)
	f.add("last, words of another affair", there/total)
	f.flag("last, a request", q.then.cues.found[cueRequest])
	f.flag("last, an order", q.then.cues.start[cueDo])
	f.flag("last, a question", q.then.asks)
	f.flag("last, begins with and, so, but", q.then.cues.start[cueAnd])
}

// opensWith adds the words that the message opens with, and those that its last sentence does: whether they are those of somebody who goes on or of one
// who turns to something else is learnt from what people write, not listed.
func (q *query) opensWith(f *features) {
	if len(q.cues.phrases) > 0 {
		return
	}
	words := func(name string, tokens []text.Token) {
		for i, t := range tokens[:min(len(tokens), openers)] {
			f.add(name+t.Folded, 1)
			if i > 0 {
				f.add(name+tokens[i-1].Folded+" "+t.Folded, 1)
			}
		}
	}
	words("opens: ", q.tokens)
	if q.then != nil {
		words("then: ", q.then.tokens)
	}
}

// openers is how many words a message opens with.
const openers = 3

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// turning adds what makes it likely that the message leaves, beside its words: what it asks to do, and how long nothing was said.
func (h *History) turning(q *query, f *features, cur, other *match) {
	f.flag("asks a general fact", q.cues.found[cueTrivia])
	if q.cues.found[cueNote] {
		f.add("asks to note", 1)
		f.add("asks to note, words of another affair", other.said[roots])
	}
	if p := h.pause(); p > 0 {
		f.add("after a pause", p)
		f.add("after a pause, words of another affair", p*other.said[roots])
		f.add("after a pause, words of this affair", p*cur.said[roots])
	}
	f.flag("says more", h.users > 0 && !h.answered)
	if h.begins() {
		f.add("begins a session", 1)
		f.add("begins a session, new words", q.unseen)
		f.add("begins a session, words of this affair", cur.said[roots])
		f.add("begins a session, words of another affair", other.said[roots])
		f.flag("begins a session, points back", q.cues.found[cueAnaphor])
		f.flag("begins a session, brings news", q.cues.found[cueNews])
		f.flag("begins a session, request", q.cues.found[cueRequest] || q.cues.start[cueDo])
		f.add("begins a session, size", math.Log1p(float64(len(q.tokens))))
	}
}

// talk fills the features of talk among people: whether what is said leaves what was talked of.
func (h *History) talk(q *query, cur, other *match) features {
	f := make(features, 0, 12)
	f.add("bias", 1)
	f.add("roots of this affair", cur.said[roots])
	f.add("bm25 here", cur.bm25)
	if len(q.views[concepts]) > 0 {
		f.add("domain of neither", 1-max(cur.said[concepts], other.said[concepts]))
	}
	f.add("new words", q.unseen)
	f.add("like what was said last", q.overlap(h.lastUser))
	f.add("size in words", math.Log1p(float64(len(q.tokens))))
	if h.current >= 0 {
		f.add("length of this affair", math.Log1p(min(h.affairs[h.current].length, fullLength)))
	}
	f.flag("a question", q.asks())
	f.flag("answers a question", h.wonders)
	f.flag("asks the other", q.cues.found[cueYou])
	f.flag("asks for likes", q.cues.found[cueLikes])
	f.flag("points back (it, that)", q.cues.found[cueAnaphor])
	return f
}

// asks tells whether the message is a question, by its sign or its first word.
func (q *query) asks() bool { return q.mark() || q.cues.start[cueQuestion] }

// mark tells whether there is a question mark (not one inside a URL).
func (q *query) mark() bool {
	end := 0
	for _, t := range q.tokens {
		if hasMark(q.text[end:t.Start]) {
			return true
		}
		end = t.End
	}
	return hasMark(q.text[end:])
}

func hasMark(gap string) bool {
	for _, r := range gap {
		if r == '?' {
			return true
		}
	}
	return false
}
