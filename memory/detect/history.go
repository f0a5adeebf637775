package detect

import (
	"math"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/text"
	"github.com/mneme-graph/mneme/state"
)

// Message is one message as the history sees it; Affair "" = filed under none.
type Message struct {
	Role   state.Role
	Text   string
	Affair string
}

// History is what was said so far and by affair, in terms instead of texts. Adding costs time linear in the
// message only. It is not safe for concurrent use; Classify reads it.
type History struct {
	spaces       [spaceCount]space
	affairs      []*affair
	byID         map[string]int32
	current      int32
	messages     int
	replies      int // messages that are not the user's
	descriptions int // affairs described
	users        int // messages of the user
	told         int // of these, what was neither a question nor the answer to one
	languages    map[string]int

	lastAssistant map[string]bool // terms of the last message, if the assistant said it
	lastUser      map[string]bool
	asked         bool // the last message is the assistant's and ends in a question
}

// affair is what the history knows of one affair besides its postings.
type affair struct {
	id        string
	gone      bool
	status    state.Status
	length    float64 // terms said in it
	messages  int
	last      int // number of the last message filed under it
	recent    []string
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
	messages int
	uses     []use
}

type use struct {
	affair    int32
	said      float32
	described float32
}

// NewHistory returns an empty history.
func NewHistory() *History {
	h := &History{byID: map[string]int32{}, current: -1, languages: map[string]int{}}
	for i := range h.spaces {
		h.spaces[i].ids = map[string]int32{}
	}
	return h
}

// Add appends a message; its affair is known from then on.
func (h *History) Add(m Message) {
	q := (&query{text: m.Text}).read(h)
	h.messages++
	at := int32(-1)
	if m.Affair != "" {
		at = h.affair(m.Affair)
		a := h.affairs[at]
		a.messages++
		a.last = h.messages
		a.length += float64(len(q.terms))
		a.recent = append(a.recent, q.terms...)
		if over := len(a.recent) - recentTerms; over > 0 {
			a.recent = slices.Delete(a.recent, 0, over)
		}
	}
	h.count(q.terms, at)
	h.remember(m, q)
}

// count enters the terms of one message into the three spaces.
func (h *History) count(terms []string, at int32) {
	for i, words := range views(terms) {
		s := &h.spaces[i]
		seen := make(map[int32]bool, len(words))
		for _, w := range words {
			p := s.intern(w)
			if !seen[p] {
				seen[p] = true
				s.terms[p].messages++
			}
			if at >= 0 {
				s.terms[p].use(at).said++
			}
		}
	}
}

// remember keeps the last message of either side, and what it tells of language and style.
func (h *History) remember(m Message, q *query) {
	set := make(map[string]bool, len(q.terms))
	for _, t := range q.terms {
		set[t] = true
	}
	if m.Role != state.RoleUser {
		h.replies++
		h.lastAssistant = set
		h.asked = strings.HasSuffix(strings.TrimRight(m.Text, " \n\t\"”)"), "?")
		return
	}
	h.languages[q.lang]++
	h.users++
	if h.tells(q) {
		h.told++
	}
	h.lastUser, h.lastAssistant, h.asked = set, nil, false
}

// Describe tells title, topics, summary, key facts and status of an affair, new or changed. It is the only
// way in for affairs of other sessions.
func (h *History) Describe(a state.Affair) {
	at := h.affair(a.ID)
	x := h.affairs[at]
	x.gone = a.Status == state.Archived
	x.status = a.Status
	x.messages = max(x.messages, a.Messages)
	h.tell(x, at, -1)
	x.described = text.Terms(description(a))
	if len(x.described) > maxTerms {
		x.described = x.described[:maxTerms]
	}
	h.tell(x, at, 1)
}

// tell enters what is described of an affair (by = 1), or takes it out again (by = -1).
func (h *History) tell(x *affair, at int32, by int) {
	if len(x.described) == 0 {
		return
	}
	h.descriptions += by
	for i, words := range views(x.described) {
		seen := map[int32]bool{}
		for _, w := range words {
			p := h.spaces[i].intern(w)
			h.spaces[i].terms[p].use(at).described += float32(by)
			if !seen[p] {
				seen[p] = true
				h.spaces[i].terms[p].messages += by
			}
		}
	}
}

// description is all that is told of an affair besides its messages.
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

// Forget takes an archived affair out of sight; Describe or Add brings it back.
func (h *History) Forget(affairID string) {
	if at, ok := h.byID[affairID]; ok {
		h.affairs[at].gone = true
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
	}
}

// affair returns the number of an affair, taking it up when it is new.
func (h *History) affair(id string) int32 {
	at, ok := h.byID[id]
	if !ok {
		at = int32(len(h.affairs))
		h.byID[id] = at
		h.affairs = append(h.affairs, &affair{id: id, status: state.Parked})
	}
	h.affairs[at].gone = false
	return at
}

// language is the commonest of the user's messages so far; "en" before any told.
func (h *History) language() string {
	best := "en"
	for _, lang := range []string{"en", "cs", "pl", "ru", "de"} {
		if h.languages[lang] > h.languages[best] {
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

func pairsOf(terms []string) []string {
	var out []string
	for i := 1; i < len(terms); i++ {
		out = append(out, terms[i-1]+" "+terms[i])
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

func (s *space) intern(w string) int32 {
	p, ok := s.ids[w]
	if !ok {
		p = int32(len(s.terms))
		s.ids[strings.Clone(w)] = p
		s.terms = append(s.terms, posting{})
	}
	return p
}

// use finds the entry of an affair, looking at the newest first: messages come in runs.
func (p *posting) use(at int32) *use {
	for i := len(p.uses) - 1; i >= 0; i-- {
		if p.uses[i].affair == at {
			return &p.uses[i]
		}
	}
	p.uses = append(p.uses, use{affair: at})
	return &p.uses[len(p.uses)-1]
}

// idf is the rarity of a term among the messages so far; unseen terms are the rarest.
func (h *History) idf(messages int) float64 {
	return math.Log(1 + (float64(h.messages+h.descriptions)+1)/(float64(messages)+0.5))
}
