package account

import (
	"hash/crc32"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// Page is one page of a turn's account: what happened up to a commit, since the page before. It has ids, numbers and words of
// this program, and nobody's text: that stays where it is kept, so forgetting reaches it. Its stored form is text.go.
type Page struct {
	Nodes   []NodeTime
	Reads   int
	Weighed string   // what the rules weighed
	Notes   []string // what was done in a lesser way than hoped, without the texts in it
	Writes  []Write
	Recalls []Recalled
	Prompts []Prompt
}

// NodeTime is one visit of a node.
type NodeTime struct {
	Node  string        `json:"node"`
	Took  time.Duration `json:"took_ns"`
	Again bool          `json:"again,omitempty"` // its result was taken from the log
}

// Empty reports whether nothing stands on the page.
func (a *Page) Empty() bool {
	return len(a.Nodes)+a.Reads+len(a.Weighed)+len(a.Notes)+len(a.Writes)+len(a.Recalls)+len(a.Prompts) == 0
}

// Prompt is what the chat model was shown in one call.
type Prompt struct {
	Tokens   int       `json:"tokens"`
	Limit    int       `json:"limit"` // tokens
	Messages int       `json:"messages"`
	More     int       `json:"not_listed,omitempty"` // lines that the account does not name
	Sections []Section `json:"sections"`
}

// Section is a section of a prompt. Budget is the most it may take; 0 = whatever others leave.
type Section struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
	Budget int    `json:"budget,omitempty"`
	Lines  []Line `json:"lines"`
	Same   bool   `json:"-"` // it is the prompt's before, see Prompt.After
}

// Since returns the prompt as it is kept behind another one of the turn: sections that are the same are named only.
func (p Prompt) Since(before Prompt) Prompt {
	return p.each(func(s Section) Section {
		if x, ok := before.section(s.Name); ok && reflect.DeepEqual(x, s) {
			return Section{Name: s.Name, Same: true}
		}
		return s
	})
}

// After returns the whole prompt again.
func (p Prompt) After(before Prompt) Prompt {
	return p.each(func(s Section) Section {
		if x, ok := before.section(s.Name); ok && s.Same {
			return x
		}
		return s
	})
}

func (p Prompt) each(change func(Section) Section) Prompt {
	sections := make([]Section, 0, len(p.Sections))
	for _, s := range p.Sections {
		sections = append(sections, change(s))
	}
	p.Sections = sections
	return p
}

func (p Prompt) section(name string) (Section, bool) {
	at := slices.IndexFunc(p.Sections, func(s Section) bool { return s.Name == name })
	if at < 0 {
		return Section{}, false
	}
	return p.Sections[at], true
}

// LastPrompt returns the prompt that a turn's pages end with; ok is false when there is none.
func LastPrompt(pages []Page) (last Prompt, ok bool) {
	for _, page := range pages {
		for _, p := range page.Prompts {
			last, ok = p.After(last), true
		}
	}
	return last, ok
}

// Line is a line of the section, or several that are of one text. Of says where that is kept, "" = nowhere: as compose.Origin
// writes it, but for messages of the turn's own session, which is left out ("message /7"), and for labels, which are sums. Sum
// tells whether the text is still what was shown.
type Line struct {
	Of      string `json:"of,omitempty"`
	Sum     string `json:"-"`
	Count   int    `json:"count,omitempty"` // so many lines or messages, where they are not told apart
	Tokens  int    `json:"tokens"`
	Why     string `json:"why"`
	Dropped bool   `json:"dropped,omitempty"`
	Reason  string `json:"reason,omitempty"` // why it was dropped or shortened

	Changed bool `json:"changed,omitempty"` // its text says something else today; not kept
}

// Recalled is what one recall found, best first. By says for what it was asked: the prompt, or a tool.
type Recalled struct {
	By   string `json:"by"`
	More int    `json:"not_listed,omitempty"`
	Hits []Hit  `json:"hits"`
}

// Hit is one thing found: where it is kept, see Line, and the numbers of its score by name.
type Hit struct {
	Of      string   `json:"of"`
	Score   float64  `json:"score"`
	Figures []Figure `json:"figures,omitempty"`
}

// Figure is a number with a name.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Write is one edit of memory: of which document, and what of it changed.
type Write struct {
	Of   string `json:"of"`
	What string `json:"what"` // "stored fact", "PARKED", "facts", ...
}

// Sum tells apart what a text was and what it is. It has 16 bits: enough to see nearly every change, too few to find out by
// trying what a forgotten text was.
func Sum(text string) string {
	return strconv.FormatUint(uint64(crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))>>16), 16)
}
