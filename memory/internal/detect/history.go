package detect

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Message is one message as the history sees it; Affair "" = filed under none.
type Message struct {
	Role   state.Role
	Text   string
	Affair string
}

// History is one session as detection sees it: what was said so far in all of the user's sessions, by affair, and where
// this session stands. It is not safe for concurrent use, nor are two of the same user; Classify reads it.
type History struct {
	*known
	current       int32
	lastAssistant []int32 // stems of the last message, if the assistant said it
	lastUser      []int32
	asked         bool          // the last message is the assistant's and ends in a question
	answered      bool          // the last message is the assistant's
	wonders       bool          // the last message holds a question, whoever said it
	offered       bool          // the last message is the assistant's and asks what else there is
	closed        bool          // the user's last message settles something
	idle          time.Duration // 0 = usualIdle
	spoke         bool          // something was said in this session
	last, next    time.Time     // of the last message, and of the one to be judged; zero = not known
}

// known is what all sessions of a user know: terms instead of texts. Adding costs time linear in the message only.
type known struct {
	spaces       [spaceCount]space
	affairs      []*affair
	byID         map[string]int32
	messages     int
	replies      int // messages that are not the user's
	descriptions int // affairs described
	users        int // messages of the user
	told         int // of these, what was neither a question nor the answer to one
	manners      manners
	languages    map[string]int
	counts       int32 // how often terms were counted: a message, or what is told of an affair
	bytes        int64
}

// affair is what the history knows of one affair besides its postings.
type affair struct {
	id        string
	gone      bool
	status    state.Status
	title     []string // roots
	length    float64  // terms said in it
	messages  int
	numbers   int      // messages that state a long number
	last      int      // number of the last message filed under it
	recent    []int32  // stems
	described []string // terms of title, topics, summary and key facts as last told
}

// The spaces in which affairs and messages are compared.
const (
	stems    = iota
	roots    // first letters of stems: forgives what the stemmer missed
	concepts // everyday domains
	pairs    // two terms that stand together
	spaceCount
)

// recentTerms bounds the terms kept as "lately said" per affair.
const recentTerms = 60

type space struct {
	ids   map[string]int32
	terms []posting
}

// posting is one term: how many messages hold it, and how often it occurs in which affair.
type posting struct {
	messages int32
	counted  int32 // when it was counted last
	uses     []use
}

type use struct {
	affair    int32
	said      float32
	described float32
}

// Bytes that Bytes counts with, of a struct with its share of a map entry and of spare room in slices.
const (
	termBytes    = 100 // and the term
	useBytes     = 16
	affairBytes  = 300 // and the terms of its description
	sessionBytes = 90  // and the stems of its last messages
	stemBytes    = 4
)

// NewHistory returns an empty history, of a user's first session.
func NewHistory() *History {
	k := &known{byID: map[string]int32{}, languages: map[string]int{}}
	for i := range k.spaces {
		k.spaces[i].ids = map[string]int32{}
	}
	return &History{known: k, current: -1}
}

// Beside returns the History of another session of the same user, in which nothing was said yet. What is added to or told
// one of them, all know.
func (h *History) Beside() *History { return &History{known: h.known, current: -1} }

// Bytes estimates the memory that all sessions of the user share.
func (h *History) Bytes() int64 { return h.bytes }

// SessionBytes estimates the memory of this session besides.
func (h *History) SessionBytes() int64 {
	return sessionBytes + int64(cap(h.lastUser)+cap(h.lastAssistant))*stemBytes
}

// Next says when the message was said that is judged or added next; without it, it comes soon after the one before.
func (h *History) Next(at time.Time) { h.next = at }

// longPause is the silence from which it counts as long: a day's end, or a working day.
const longPause = 3 * time.Hour

// shortPause is the silence that somebody needs to read and write, which says nothing.
const shortPause = 10 * time.Minute

// pause returns how long nothing was said before the message to be judged, as a share of a long silence.
func (h *History) pause() float64 {
	silence := h.next.Sub(h.last)
	if h.last.IsZero() || h.next.IsZero() || silence < shortPause {
		return 0
	}
	return min(1, silence.Seconds()/longPause.Seconds())
}

// usualIdle is the usual session_idle_minutes.
const usualIdle = 30 * time.Minute

// Idle sets the silence from which on a message begins a session: it answers nothing.
func (h *History) Idle(after time.Duration) { h.idle = after }

// begins tells whether the message to be judged is the first of a session, or comes after a long silence.
func (h *History) begins() bool {
	return h.last.IsZero() && !h.spoke || h.next.Sub(h.last) >= cmp.Or(h.idle, usualIdle) && !h.next.IsZero() && !h.last.IsZero()
}

// Add appends a message of this session; its affair is known from then on.
func (h *History) Add(m Message) {
	q := (&query{text: m.Text}).read(h)
	h.messages++
	at := int32(-1)
	if m.Affair != "" {
		at = h.affair(m.Affair)
	}
	said := h.count(q.terms, at)
	if at >= 0 {
		a := h.affairs[at]
		a.messages++
		if m.Role == state.RoleUser && q.detail() {
			a.numbers++
		}
		a.last = h.messages
		a.length += float64(len(q.terms))
		a.recent = append(a.recent, said...)
		if over := len(a.recent) - recentTerms; over > 0 {
			a.recent = slices.Delete(a.recent, 0, over)
		}
	}
	h.remember(m, q, said)
}

// count enters the terms of one message into the spaces and returns its stems.
func (k *known) count(terms []string, at int32) []int32 {
	said := make([]int32, 0, len(terms))
	k.each(terms, 1, func(space int, p *posting, n int32) {
		if at >= 0 {
			k.use(p, at).said++
		}
		if space == stems {
			said = append(said, n)
		}
	})
	return said
}

// each enters terms into the spaces, counts every one once (by = 1) or no more (by = -1), and shows its postings.
func (k *known) each(terms []string, by int32, show func(space int, p *posting, n int32)) {
	k.counts++
	for i, words := range views(terms) {
		for _, w := range words {
			n := k.intern(i, w)
			p := &k.spaces[i].terms[n]
			if p.counted != k.counts {
				p.counted = k.counts
				p.messages += by
			}
			show(i, p, n)
		}
	}
}

// remember keeps the last message of either side, and what it tells of language and style.
func (h *History) remember(m Message, q *query, said []int32) {
	if !h.next.IsZero() {
		h.last, h.next = h.next, time.Time{}
	}
	h.spoke = true
	h.answered, h.wonders = m.Role != state.RoleUser, q.mark()
	h.manners.count(q, h.answered)
	if h.answered {
		h.replies++
		h.lastAssistant = said
		h.offered = q.cues.found[cueOffer]
		h.asked = strings.HasSuffix(strings.TrimRight(m.Text, " \n\t\"”)"), "?")
		return
	}
	h.languages[q.lang]++
	h.users++
	if h.tells(q) {
		h.told++
	}
	h.lastUser, h.lastAssistant, h.asked, h.offered = said, nil, false, false
	h.closed = q.cues.found[cueClosed]
}

// Describe tells title, topics, summary, key facts and status of an affair, new or changed, to all sessions.
func (h *History) Describe(a state.Affair) {
	at := h.affair(a.ID)
	x := h.affairs[at]
	x.gone = a.Status == state.Archived
	x.status = a.Status
	x.title = rootsOf(text.Terms(a.Title))
	x.messages = max(x.messages, a.Messages)
	h.tell(x, at, -1)
	x.described = text.Terms(text.Head(description(a), mostText))
	x.described = x.described[:min(len(x.described), maxTerms)]
	h.tell(x, at, 1)
}

// tell enters what is described of an affair (by = 1), or takes it out again (by = -1).
func (k *known) tell(x *affair, at int32, by int32) {
	if len(x.described) == 0 {
		return
	}
	k.descriptions += int(by)
	k.each(x.described, by, func(_ int, p *posting, _ int32) { k.use(p, at).described += float32(by) })
	for _, t := range x.described {
		k.bytes += int64(by) * int64(len(t)+16)
	}
}

// description returns all that is told of an affair besides its messages.
func description(a state.Affair) string {
	var b strings.Builder
	for _, part := range append(append([]string{a.Title, a.Summary}, a.Topics...), a.PendingActions...) {
		b.WriteString(part + "\n")
	}
	for _, f := range a.KeyFacts {
		b.WriteString(f.Label + " " + f.Value + "\n")
	}
	return b.String()
}

// Forget takes an affair that is gone out of sight of all sessions; Describe or SetCurrent brings it back.
func (h *History) Forget(affairID string) {
	if at, ok := h.byID[affairID]; ok {
		h.affairs[at].gone, h.affairs[at].title = true, nil
		if h.current == at {
			h.current = -1
		}
	}
}

// SetCurrent names the active affair; "" = none. An id never heard of is taken up as an empty affair.
func (h *History) SetCurrent(affairID string) {
	h.current = -1
	if affairID != "" {
		h.current = h.affair(affairID)
		h.affairs[h.current].gone = false
	}
}

// affair returns the number of an affair, taking it up when it is new.
func (k *known) affair(id string) int32 {
	at, ok := k.byID[id]
	if !ok {
		at = int32(len(k.affairs))
		k.byID[id] = at
		k.affairs = append(k.affairs, &affair{id: id, status: state.Parked})
		k.bytes += affairBytes + recentTerms*stemBytes + int64(len(id))
	}
	return at
}

// language returns the commonest of the user's messages so far; "en" before any told.
func (k *known) language() string {
	best := "en"
	for _, lang := range slices.Sorted(maps.Keys(k.languages)) {
		if k.languages[lang] > k.languages[best] {
			best = lang
		}
	}
	return best
}

// views writes the same terms in the three spaces.
func views(terms []string) [spaceCount][]string {
	short := rootsOf(terms)
	return [spaceCount][]string{stems: terms, roots: short, concepts: text.Concepts(terms), pairs: pairsOf(short)}
}

// pairsOf returns each two terms that follow each other, as parts of one text.
func pairsOf(terms []string) []string {
	all, at := strings.Join(terms, " "), 0
	out := make([]string, max(0, len(terms)-1))
	for i := range out {
		next := at + len(terms[i]) + 1
		out[i] = all[at : next+len(terms[i+1])]
		at = next
	}
	return out
}

// rootLetters is how much of a stem its root keeps.
const rootLetters = 5

func rootsOf(terms []string) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		n := 0
		for j := range t {
			if n == rootLetters {
				t = t[:j]
				break
			}
			n++
		}
		out[i] = t
	}
	return out
}

// intern returns the number of a term in a space, given if need be.
func (k *known) intern(space int, w string) int32 {
	s := &k.spaces[space]
	n, ok := s.ids[w]
	if !ok {
		n = int32(len(s.terms))
		s.ids[strings.Clone(w)] = n
		s.terms = append(s.terms, posting{})
		k.bytes += termBytes + int64(len(w))
	}
	return n
}

// use finds the entry of an affair, looking at the newest first: messages come in runs.
func (k *known) use(p *posting, at int32) *use {
	for i := len(p.uses) - 1; i >= 0; i-- {
		if p.uses[i].affair == at {
			return &p.uses[i]
		}
	}
	p.uses = append(p.uses, use{affair: at})
	k.bytes += useBytes
	return &p.uses[len(p.uses)-1]
}

// fittedSize is how many messages and descriptions the dialogues have that the weights are fitted on, at most.
const fittedSize = 100

// beyondFit tells whether the history is larger than the dialogues that the weights are fitted on.
func (h *History) beyondFit() bool { return h.messages+h.descriptions > fittedSize }

// idf is the rarity of a term among the messages so far; unseen terms are the rarest. Where there is more than the weights are
// fitted on, an unseen term is worth what it is worth there: of a thousand affairs every word is rare, which says nothing.
func (k *known) idf(messages int32) float64 {
	size := float64(k.messages + k.descriptions)
	rarity := math.Log(1 + (size+1)/(float64(messages)+0.5))
	if size > fittedSize {
		rarity *= math.Log(1+(fittedSize+1)/0.5) / math.Log(1+(size+1)/0.5)
	}
	return rarity
}
