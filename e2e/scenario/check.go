package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// Failure is one expectation that did not hold. Turn counts from 1. Want and Got are JSON-ready.
type Failure struct {
	Turn        int    `json:"turn"`
	Expectation string `json:"expectation"`
	Want        any    `json:"want"`
	Got         any    `json:"got"`
}

// String writes the failure on one line.
func (f Failure) String() string {
	return fmt.Sprintf("turn %d: %s: want %s, got %s", f.Turn, f.Expectation, brief(f.Want), brief(f.Got))
}

// brief keeps a failure on one line.
func brief(v any) string {
	text := squeeze(fmt.Sprintf("%v", v))
	if s, ok := v.(string); ok {
		text = fmt.Sprintf("%q", squeeze(s))
	}
	if runes := []rune(text); len(runes) > 300 {
		return string(runes[:300]) + "..."
	}
	return text
}

// checker compares one turn with what was expected of it and collects the differences.
type checker struct {
	turn     int
	o        outcome
	failures []Failure
}

func (c *checker) differ(expectation string, want, got any) {
	c.failures = append(c.failures, Failure{c.turn, expectation, want, got})
}

// check returns what differs, in the order of the format's documentation.
func check(turn int, e Expect, o outcome) []Failure {
	c := &checker{turn: turn, o: o}
	var alive *NotReachedError
	if errors.As(o.err, &alive) { // whatever else is wrong follows from it
		c.differ("crash", alive.Place, alive.Error())
		return c.failures
	}

	c.ended(e)
	c.decided(e)
	c.statuses(e)
	c.facts(e)
	c.said(e)
	c.prompted(e)
	c.noted(e)
	c.remembered(e)
	return c.failures
}

// ended compares how the turn ended. An error nobody expects is a failure of its own.
func (c *checker) ended(e Expect) {
	code := string(state.CodeOf(c.o.err))
	switch {
	case e.Error != nil && code != *e.Error:
		c.differ("error", *e.Error, describe(c.o.err))
	case e.Error == nil && c.o.err != nil:
		c.differ("error", "", describe(c.o.err))
	}
}

func describe(err error) string {
	if err == nil {
		return ""
	}
	return string(state.CodeOf(err)) + ": " + err.Error()
}

func (c *checker) decided(e Expect) {
	if e.Decision != nil && *e.Decision != string(c.o.decision.Kind) {
		c.differ("decision", *e.Decision, string(c.o.decision.Kind))
	}
	if e.Target != nil && !sameAffair(*e.Target, c.o.target()) {
		c.differ("target", *e.Target, c.o.target())
	}
	if e.Active != nil {
		active := strings.Join(c.o.titles(state.Active), ", ")
		if !sameAffair(*e.Active, active) {
			c.differ("active", *e.Active, active)
		}
	}
	if parked := c.o.titles(state.Parked); e.Parked != nil && !sameSet(e.Parked, parked) {
		c.differ("parked", e.Parked, parked)
	}
}

// sameAffair compares the name of an affair with a title; "" means none and only none.
func sameAffair(name, title string) bool {
	if name == "" || title == "" {
		return name == title
	}
	return named(name, title)
}

func (c *checker) statuses(e Expect) {
	for _, want := range e.Status {
		found := find(c.o.affairs, want.Name)
		if !slices.ContainsFunc(found, func(a *state.Affair) bool { return string(a.Status) == want.Value }) {
			got := "no such affair"
			if len(found) > 0 {
				got = string(found[0].Status)
			}
			c.differ("status of "+want.Name, want.Value, got)
		}
	}

	if e.Affairs != nil {
		count := len(c.o.affairs) - len(c.o.titles(state.Archived))
		if count != *e.Affairs {
			c.differ("affairs", *e.Affairs, count)
		}
	}
}

func (c *checker) facts(e Expect) {
	for _, want := range e.Facts {
		found := find(c.o.affairs, want.Affair)
		for _, fact := range want.Facts {
			if !slices.ContainsFunc(found, func(a *state.Affair) bool { return hasFact(a, fact) }) {
				c.differ("facts of "+want.Affair, fact.Label+": "+fact.Value, factsOf(found))
			}
		}
	}

	for _, want := range e.FactsContain {
		found := find(c.o.affairs, want.Affair)
		for _, text := range want.Texts {
			if !slices.ContainsFunc(found, func(a *state.Affair) bool { return contains(affairText(a), text) }) {
				c.differ("facts_contain of "+want.Affair, text, textOf(found))
			}
		}
	}
}

func hasFact(a *state.Affair, want state.Fact) bool {
	return slices.ContainsFunc(a.KeyFacts, func(f state.Fact) bool {
		return squeeze(f.Label) == squeeze(want.Label) && squeeze(f.Value) == squeeze(want.Value)
	})
}

func factsOf(found []*state.Affair) any {
	if len(found) == 0 {
		return "no such affair"
	}
	return found[0].KeyFacts
}

func textOf(found []*state.Affair) string {
	if len(found) == 0 {
		return "no such affair"
	}
	return affairText(found[0])
}

func (c *checker) said(e Expect) {
	if e.Tools != nil && !slices.Equal(e.Tools, c.o.tools) {
		c.differ("tools", e.Tools, c.o.tools)
	}
	for _, text := range e.ReplyContains {
		if !contains(c.o.reply, text) {
			c.differ("reply_contains", text, c.o.reply)
		}
	}
	for _, text := range e.ReplyExcludes {
		if contains(c.o.reply, text) {
			c.differ("reply_excludes", text, c.o.reply)
		}
	}
}

func (c *checker) prompted(e Expect) {
	// A text may be in any prompt of the turn, but an excluded one in none.
	holds := func(text string) func(string) bool {
		return func(prompt string) bool { return contains(prompt, text) }
	}
	for _, text := range e.ContextContains {
		if !slices.ContainsFunc(c.o.prompts, holds(text)) {
			c.differ("context_contains", text, "not in any of "+count(len(c.o.prompts), "prompt"))
		}
	}
	for _, text := range e.ContextExcludes {
		if i := slices.IndexFunc(c.o.prompts, holds(text)); i >= 0 {
			c.differ("context_excludes", text, around(c.o.prompts[i], text))
		}
	}

	// An order is one of a single prompt.
	ordered := func(prompt string) bool { return inOrder(prompt, e.ContextOrder) }
	if len(e.ContextOrder) > 0 && !slices.ContainsFunc(c.o.prompts, ordered) {
		c.differ("context_order", e.ContextOrder, "not in this order in any of "+count(len(c.o.prompts), "prompt"))
	}

	// Limits are of the context that was composed.
	if tokens := c.o.context.Tokens; e.MaxContextTokens != nil && tokens > *e.MaxContextTokens {
		c.differ("max_context_tokens", *e.MaxContextTokens, tokens)
	}
	for _, limit := range e.SectionTokens {
		if got := c.o.sectionTokens(limit.Name); got > limit.N {
			c.differ("max_section_tokens "+limit.Name, limit.N, got)
		}
	}
}

// noted compares what the small model was asked, and what was said aloud.
func (c *checker) noted(e Expect) {
	for _, want := range e.Asked {
		if got := c.o.timesAsked(want.Name); got != want.N {
			c.differ("asked "+want.Name, want.N, got)
		}
	}
	for _, text := range e.Notes {
		if !slices.ContainsFunc(c.o.notes, func(note string) bool { return contains(note, text) }) {
			c.differ("notes_contain", text, c.o.notes)
		}
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// around cuts out where part stands in text.
func around(text, part string) string {
	text, part = squeeze(text), squeeze(part)
	i := strings.Index(text, part)
	from, to := max(0, i-60), min(len(text), i+len(part)+60)
	return strings.ToValidUTF8(text[from:to], "")
}

func (c *checker) remembered(e Expect) {
	// What must be found stands near the top; what must not may stand nowhere in the first ten.
	for i, p := range e.Recall {
		var hits []string
		if i < len(c.o.hits) {
			hits = c.o.hits[i]
		}
		holds := func(text string) func(string) bool {
			return func(hit string) bool { return contains(hit, text) }
		}

		name := fmt.Sprintf("recall %q", p.Query)
		if first := hits[:min(p.Rank, len(hits))]; p.Contains != "" && !slices.ContainsFunc(first, holds(p.Contains)) {
			c.differ(name, fmt.Sprintf("%s in the first %d", p.Contains, p.Rank), hits)
		}
		if first := hits[:min(10, len(hits))]; p.Absent != "" && slices.ContainsFunc(first, holds(p.Absent)) {
			c.differ(name, "without "+p.Absent, hits)
		}
	}

	for _, want := range e.Records {
		if got := c.o.valid(want.Kind); got != want.Count {
			c.differ("records "+string(want.Kind), want.Count, got)
		}
	}
	if e.PendingApproval != nil && *e.PendingApproval != c.o.pending {
		c.differ("pending_approval", *e.PendingApproval, c.o.pending)
	}
}
