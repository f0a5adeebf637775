package compose

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/compose/quote"
)

// The sections of a prompt, in its order.
const (
	System         = "System"
	Frame          = "Context" // first line of the context block, and what a message costs beside its text
	Brain          = "Brain"
	Preferences    = "Preferences"
	ActiveContext  = "Active context"
	SessionSummary = "Session summary"
	ActiveAffair   = "Active affair"
	ParkedAffairs  = "Parked affairs"
	UserContext    = "User context"
	ProjectContext = "Project context"
	History        = "History"
	EvidenceLines  = "Evidence"
	Associations   = "Associations"
	ExtraContext   = "Extra context" // of the request
	Attachments    = "Attachments"   // of the question
	Question       = "Question"
	Turn           = "Turn"
)

// Context is a composed prompt and the account of it. Tokens is what all of Prompt costs, the sum of its sections.
type Context struct {
	Prompt   []Message `json:"prompt"`
	Sections []Section `json:"sections"` // those with lines, kept or dropped, in the order of the prompt
	Lines    []Line    `json:"lines"`    // in the order they were decided on
	Tokens   int       `json:"tokens"`
	Limit    int       `json:"limit"` // tokens

	// ToolTokens is what the descriptions of the tools cost beside Tokens.
	ToolTokens int `json:"tool_tokens,omitempty"`
}

// Section says what became of one section. Budget is the most it may take; 0 = whatever others leave.
type Section struct {
	Name    string `json:"name"`
	Tokens  int    `json:"tokens"`
	Budget  int    `json:"budget,omitempty"`
	Lines   int    `json:"lines"`
	Dropped int    `json:"dropped,omitempty"`
}

// Line is one line of the context block, or one message. Why says why it is in, or why it was wanted; Reason why it
// was dropped or, when it was not, shortened. Of is where its text is kept, "" where it is kept nowhere: see Origin. Count is of how
// many lines or messages that are not told apart it speaks, 0 = it is one.
type Line struct {
	Section string `json:"section"`
	Text    string `json:"text"`
	Tokens  int    `json:"tokens"`
	Why     string `json:"why"`
	Of      string `json:"of,omitempty"`
	Count   int    `json:"count,omitempty"`
	Dropped bool   `json:"dropped,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// explainedRunes is how much of a line Explain prints.
const explainedRunes = 88

// Explain prints the account for people: each section with its tokens and budget, below it the lines that are in and
// why, then those left out and why not.
func (c Context) Explain(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d tokens, %d messages", c.Tokens, c.Limit, len(c.Prompt))
	if c.ToolTokens > 0 {
		fmt.Fprintf(&b, "; %d more are the tools'", c.ToolTokens)
	}
	b.WriteByte('\n')

	for _, s := range c.Sections {
		of := ""
		if s.Budget > 0 {
			of = fmt.Sprintf(" of %d", s.Budget)
		}
		fmt.Fprintf(&b, "\n%s: %d%s tokens\n", s.Name, s.Tokens, of)
		for _, dropped := range []bool{false, true} {
			for _, l := range c.Lines {
				if l.Section == s.Name && l.Dropped == dropped {
					l.explain(&b)
				}
			}
		}
	}

	_, err := io.WriteString(w, b.String())
	return err
}

func (l Line) explain(b *strings.Builder) {
	mark, why := "+", l.Why
	if l.Dropped {
		mark = "-"
	}
	if l.Reason != "" {
		why += "; " + l.Reason
	}
	fmt.Fprintf(b, "  %s %5d  %s  [%s]\n", mark, l.Tokens, firstRunes(quote.Line(l.Text), explainedRunes), why)
}

// firstRunes returns at most limit characters of s, the last one "…" if some are missing.
func firstRunes(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	if limit < 1 {
		return ""
	}
	at := 0
	for range limit - 1 {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at] + "…"
}
