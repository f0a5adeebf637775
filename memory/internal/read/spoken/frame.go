package spoken

import (
	"slices"
	"strings"
)

// frame is one way to say a command.
type frame struct {
	action Action
	parts  []bag
	rest   rest
	begins bool   // only where a sentence begins
	ahead  groups // what the object begins with, none = anything
}

// bag is a part of a frame: words of these groups, in any order. One without groups is a topic in the middle.
type bag struct {
	must []groups // a word of each
	may  groups   // any word of the bag
}

// orders reports whether it asks for a correction in so many words.
func (f *frame) orders(g *grammar) bool {
	return f.action == Correct && slices.ContainsFunc(f.parts, func(b bag) bool {
		return slices.ContainsFunc(b.must, g.fix.or(g.correction).meet)
	})
}

// rest is what may follow a frame.
type rest int

const (
	closed      rest = iota // nothing within the clause
	anything                // an object, or nothing
	object                  // an object
	owned                   // an object that is somebody's own
	likely                  // an object, of which the memory is asked only if it knows it unless it is somebody's own
	apart                   // the clause ends, and an object follows
	apartFree               // the clause ends, and an object may follow
	apartOwned              // the clause ends, and a statement follows that is of the user's own
	apartLikely             // the clause ends, and an object follows, of which the memory is asked only if it knows what it corrects
	few                     // a thing by its name: two or three words that say nothing of anybody
)

// rests are the rests as they are written at the end of a frame.
var rests = map[string]rest{" own? X": likely, " own X": owned, " few X": few, ", own? X": apartLikely, ", own X": apartOwned, ", X?": apartFree, ", X": apart, " X?": anything, " X": object} //nolint:gochecknoglobals // a constant

// room is how many words a topic in the middle has at most. What only looks like a command has a word or two there: five good ideas.
func (f *frame) room() int {
	if f.action == None {
		return 3
	}
	return 6
}

// reader looks for commands in the words of a message in one language.
type reader struct {
	g     *grammar
	v     *vocabulary
	words []word
	found [][]tag
	could []*frame // the frames of which every group is somewhere in the message
	asked bool     // "could you" stood before
	says  sayings
}

// read tags the words and chooses the frames that they may make.
func (g *grammar) read(v *vocabulary, words []word) *reader {
	r := &reader{g: g, v: v, words: words, found: v.tag(words)}
	all := g.colon.or(v.inForms)
	for _, tags := range r.found {
		for _, t := range tags {
			all = all.or(t.groups)
		}
	}
	for k := range g.frames {
		if !slices.ContainsFunc(g.frames[k].parts, func(b bag) bool { return !b.holds(all) }) {
			r.could = append(r.could, &g.frames[k])
		}
	}
	if slices.ContainsFunc(r.could, func(f *frame) bool { return f.action != None }) {
		v.tagForms(words, r.found)
	}
	return r
}

// match is a frame that was found; frame is nil where none was.
type match struct {
	reader   *reader
	frame    *frame
	clause   int // the word with which its clause begins
	start    int
	end      int // the word behind it
	from, to int // its topic, where that stands in the middle; else -1
	unsure   bool
}

// better reports whether a match stands before another, or at its place and is longer.
func (m match) better(than match) bool {
	switch {
	case m.frame == nil || than.frame == nil:
		return than.frame == nil
	case m.weak() != than.weak():
		return than.weak()
	case m.clause != than.clause:
		return m.clause < than.clause
	}
	return m.end > than.end
}

// weak reports whether it yields to a command that follows, as corrections do: "that's wrong, forget it".
func (m match) weak() bool { return m.frame.action == Correct || m.unsure }

// first is the first command, of those that do not yield if there is one.
func (r *reader) first() match {
	var best match
	for i := range r.words {
		if !r.words[i].clause || r.words[i].quoted {
			continue
		}
		m := r.at(i)
		if m.frame == nil || r.reported(i) {
			continue
		}
		if m.frame.action == None {
			if best.frame == nil {
				best = m
			}
			continue
		}
		if !m.weak() {
			return m
		}
		if best.frame == nil || best.frame.action == None {
			best = m
		}
	}
	return best
}

// at is the longest frame that fits at the beginning of a clause or behind the leads there.
func (r *reader) at(begin int) match {
	var best match
	r.asked = false
	for i := begin; i < len(r.words) && (i == begin || !r.words[i].quoted); {
		for _, f := range r.could {
			m := match{reader: r, frame: f, clause: begin, start: i, end: i, from: -1}
			if m.fits() && (best.frame == nil || m.end > best.end) {
				best = m
			}
		}
		n := r.longest(i, r.g.lead, r.g.could)
		if best.frame != nil || n == 0 {
			break
		}
		r.asked = r.asked || r.is(i, r.g.could)
		i += n
	}
	return best
}

// fits matches the parts of the frame and looks at what follows.
func (m *match) fits() bool {
	r, f := m.reader, m.frame
	asked := f.action == AboutTopic || f.action == ShowAll || f.action == None
	if f.begins && !r.words[m.clause].Starts || !asked && !r.asked && r.asks(m.start) || !m.takeParts() {
		return false
	}
	if m.from >= 0 && m.to == m.from+1 && r.is(m.from, r.g.this) {
		return false // "about that" is no topic
	}
	last := r.skipTails(m.end)
	ends := last == len(r.words) || r.words[last-1].ends
	more := last < len(r.words)
	if !f.ahead.empty() && (!more || !r.is(last, f.ahead)) {
		return false
	}
	switch f.rest {
	case anything:
		return true
	case object:
		return more
	case owned, likely:
		if !more {
			return false
		}
		own, name := r.private(last)
		m.unsure = !own
		return own || name || f.rest == likely
	case apart:
		return ends && more
	case apartLikely:
		m.unsure = more && !r.personal(last)
		return ends && more
	case apartOwned:
		return ends && more && r.personal(last)
	case few:
		return more && !r.words[last-1].ends && r.bare(last)
	}
	return ends && !m.goesOn(last)
}

// goesOn reports whether what ends before a word is not all that is said: "important: the lift is broken", "forget, what they write", but not
// "forget, what I said".
func (m *match) goesOn(i int) bool {
	r := m.reader
	if i == len(r.words) || r.words[i].Starts {
		return false
	}
	if m.frame.action == Pin {
		return strings.Contains(r.words[i-1].after, ":")
	}
	told := r.words[i:min(i+4, len(r.words))]
	said := slices.ContainsFunc(r.found[i:i+len(told)], func(tags []tag) bool { return holds(tags, r.g.say) })
	return r.is(i-1, r.g.drop) && r.is(i, r.g.what, r.g.that) && !said
}

// takeParts takes the words of each part of the frame.
func (m *match) takeParts() bool {
	whole := slices.Contains([]rest{closed, apart, apartFree, apartOwned, apartLikely}, m.frame.rest)
	for k, part := range m.frame.parts {
		if len(part.must) == 0 {
			r := m.reader
			if m.from, m.to = m.end, r.find(m.frame.parts[k+1], m.end+1, m.frame.room()); m.to < 0 || k > 0 && r.words[m.from-1].ends {
				return false
			}
			m.end = m.to
			continue
		}
		end, ok := m.reader.take(part, m.end, whole && k == len(m.frame.parts)-1)
		if !ok {
			return false
		}
		m.end = end
	}
	return true
}

// take takes the words of a bag from word i on, and returns the word behind them: behind the last clause of them, if they are to end one.
func (r *reader) take(part bag, i int, whole bool) (int, bool) {
	const most = 64
	var satisfied groups
	end, closed := i, 0
	for begin := i; i < len(r.words) && i < begin+most && (i == begin || !r.words[i].Starts); {
		n, of := r.widest(i, part.may.or(r.g.polite, r.g.small), satisfied.meet(r.g.not))
		passing := of.without(r.g.polite.or(r.g.small)).empty()
		that := satisfied.meet(r.g.that) // what is said stands behind it
		if n == 0 || r.longest(i, r.g.about) > n || passing && r.is(i, r.g.that) || that && of.meet(r.g.not) {
			break
		}
		satisfied = satisfied.or(of)
		i += n
		if !of.without(r.g.small).empty() && !(that && passing) {
			end = i
		}
		colon := strings.Contains(r.words[i-1].after, ":")
		if colon {
			satisfied = satisfied.or(r.g.colon)
		}
		if whole && r.words[i-1].ends && part.holds(satisfied) {
			closed = i
		}
		if colon {
			break
		}
	}
	if closed > 0 {
		end = closed
	}
	return end, part.holds(satisfied)
}

// holds reports whether there is a word of each group that the bag must have.
func (b bag) holds(satisfied groups) bool {
	return !slices.ContainsFunc(b.must, func(m groups) bool { return !m.meet(satisfied) })
}

// find is the place from word i of a sentence on, the second of a topic, where a part fits, -1 for none. What begins with "that" is no topic.
func (r *reader) find(part bag, i, most int) int {
	for at := i; at < len(r.words) && at < i+most && !r.words[at].Starts && !r.is(at-1, r.g.that); at++ {
		if _, ok := r.take(part, at, false); ok {
			return at
		}
	}
	return -1
}

// widest is how many words the longest expression of some groups takes at word i, and all groups that it is of.
func (r *reader) widest(i int, of groups, asked bool) (n int, found groups) {
	for _, t := range r.found[i] {
		if t.asked && !asked && !r.asked || !t.groups.meet(of) || t.n < n {
			continue
		}
		if t.n > n {
			n, found = t.n, groups{}
		}
		found = found.or(t.groups)
	}
	return n, found
}

// longest is widest without the groups.
func (r *reader) longest(i int, of ...groups) int {
	n, _ := r.widest(i, groups{}.or(of...), false)
	return n
}

// is reports whether an expression of a group begins with word i.
func (r *reader) is(i int, of ...groups) bool { return r.longest(i, of...) > 0 }

// skipTails returns the word behind the tails that stand from word i on, which is i when none ends its clause.
func (r *reader) skipTails(i int) int {
	for j := i; j < len(r.words); {
		n := r.longest(j, r.g.tail, r.g.polite)
		if n == 0 {
			break
		}
		if j += n; r.words[j-1].ends {
			return j
		}
	}
	return i
}

// dropTails returns the end of words[from:to] without the tails there.
func (r *reader) dropTails(from, to int) int {
	for j := from; j < to; j++ {
		n := j
		for n < to {
			m := r.longest(n, r.g.tail, r.g.polite)
			if m == 0 {
				break
			}
			n += m
		}
		if n >= to {
			return j
		}
	}
	return to
}
