package graph

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state/account"
)

// printedRunes is how much of a text Explain prints.
const printedRunes = 72

// Explain prints the account for people: the decision, each prompt by sections with what is in and what is not and why, what was
// found and written, and the bill. Of a prompt after the first, sections that are as they were are named only.
func (a Account) Explain(w io.Writer) error {
	p := &printer{account: a}
	p.decision()
	for i, prompt := range a.Prompts {
		p.prompt(i, prompt)
	}
	p.recalls()
	p.writes()
	p.bill()
	_, err := io.WriteString(w, p.String())
	return err
}

// printer writes an account.
type printer struct {
	strings.Builder
	account Account
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *printer) decision() {
	a := p.account
	p.line("turn %s of session %s, %s: %s", a.Turn, a.Session, a.Began.UTC().Format(time.DateTime), a.End)
	if a.Failure != "" {
		p.line("failure: %s", quote.Line(a.Failure))
	}
	p.line("message: %s", p.text(a.Question, 0))
	if a.Answer != "" {
		p.line("answer: %s", p.text(a.Answer, 0))
	}

	if d := a.Decision; d.Kind != "" {
		title := ""
		if d.Title != "" {
			title = fmt.Sprintf(" %q", d.Title)
		}
		p.line("%s%s (confidence %.2f, by %s): %s", d.Kind, title, d.Confidence, d.By, d.Reasoning)
	}
	if a.PutUnder != "" {
		p.line("put since under %s, by a person", a.PutUnder)
	}

	if a.Weighed != "" {
		p.line("rules: %s", a.Weighed)
	}
	for _, note := range a.Notes {
		p.line("note: %s", note)
	}
}

// text is today's text of a source, shortened; count is of how many things without one it speaks.
func (p *printer) text(of string, count int) string {
	s, known := p.account.Sources[of]
	switch {
	case of == "" && count > 0:
		return fmt.Sprintf("(%d of them)", count)
	case of == "":
		return "(is kept with no message, record or affair)"
	case !known || s.Gone:
		return "(the text is gone)"
	}
	text := quote.Line(s.Text)
	if utf8.RuneCountInString(text) > printedRunes {
		text = string([]rune(text)[:printedRunes-1]) + "…"
	}
	return text
}

// from says where a source is kept: what, when, who.
func (p *printer) from(of string) string {
	s, known := p.account.Sources[of]
	if !known {
		return ""
	}
	return " <- " + describeSource(s, p.account.Session)
}

// describeSource names a document; one of the given session without the session.
func describeSource(s memory.Source, session string) string {
	what := s.Kind + " " + s.ID
	switch s.Kind {
	case compose.OfMessage:
		what = fmt.Sprintf("message %d", s.Seq)
		if s.Session != session {
			what += " of session " + s.Session
		}
	case compose.OfRecord:
		if s.Message != "" {
			what += " stored from message " + s.Message + " of session " + s.Session
		}
	case compose.OfAffair:
		what = fmt.Sprintf("affair %q %s", s.Title, s.ID)
	}

	if s.Who != "" {
		what += ", " + quote.Line(s.Who)
	}
	if !s.At.IsZero() {
		what += ", " + s.At.UTC().Format("2006-01-02 15:04")
	}
	return what
}

func (p *printer) prompt(i int, prompt account.Prompt) {
	p.line("\nprompt %d of %d: %d of %d tokens, %d messages", i+1, len(p.account.Prompts), prompt.Tokens, prompt.Limit, prompt.Messages)
	for at, s := range prompt.Sections {
		of := ""
		if s.Budget > 0 {
			of = fmt.Sprintf(" of %d", s.Budget)
		}
		if i > 0 && hasSection(p.account.Prompts[i-1], prompt.Sections[at]) {
			p.line("%s: %d%s tokens, as before", s.Name, s.Tokens, of)
			continue
		}
		p.line("%s: %d%s tokens", s.Name, s.Tokens, of)
		for _, l := range s.Lines {
			p.promptLine(s.Name, l)
		}
	}

	if prompt.More > 0 {
		p.line("and %d lines that are not listed", prompt.More)
	}
}

func (p *printer) promptLine(section string, l account.Line) {
	mark, why, text := "+", l.Why, p.text(l.Of, l.Count)
	if l.Dropped {
		mark = "-"
	}
	if l.Reason != "" {
		why += "; " + l.Reason
	}
	if section == compose.System && l.Of == "" {
		text = "(the system prompt)"
	}
	changed := ""
	if l.Changed {
		changed = " (changed since)"
	}

	p.line("  %s %5d  %s  [%s]%s%s", mark, l.Tokens, text, why, changed, p.from(l.Of))
}

// hasSection reports whether a prompt has the very same section.
func hasSection(prompt account.Prompt, s account.Section) bool {
	for _, x := range prompt.Sections {
		if x.Name == s.Name {
			return reflect.DeepEqual(x, s)
		}
	}
	return false
}

func (p *printer) recalls() {
	for _, r := range p.account.Recalls {
		p.line("\nrecall for the %s: %d hits", r.By, len(r.Hits)+r.More)
		for _, h := range r.Hits {
			var figures []string
			for _, f := range h.Figures {
				figures = append(figures, fmt.Sprintf("%s %.2f", f.Name, f.Value))
			}
			p.line("  %5.3f  %s  [%s]%s", h.Score, p.text(h.Of, 0), strings.Join(figures, ", "), p.from(h.Of))
		}
	}
}

func (p *printer) writes() {
	a := p.account
	if len(a.Writes) > 0 {
		p.line("\nwritten:")
	}
	for _, w := range a.Writes {
		p.line("  %s%s", w.What, p.from(w.Of))
	}
	for _, r := range a.Receipts {
		p.line("  %s %s %s", r.Outcome, r.Kind, r.ID)
	}
}

func (p *printer) bill() {
	a := p.account
	var times []string
	for _, n := range a.Nodes {
		again := ""
		if n.Again {
			again = " from the log"
		}
		times = append(times, fmt.Sprintf("%s %.2f ms%s", n.Node, float64(n.Took.Microseconds())/1000, again))
	}
	p.line("\ntimes: %s", strings.Join(times, ", "))

	u, offline := a.Bill.Usage, ""
	if u.OfflineCalls > 0 {
		offline = fmt.Sprintf(" (%d by the offline answers, which ask none)", u.OfflineCalls)
	}
	p.line("bill: %d commits, %d reads, %d model calls%s, %d of the small model, %d + %d tokens", a.Bill.Commits, a.Bill.Reads,
		u.ModelCalls, offline, u.SmallModelCalls, u.PromptTokens, u.CompletionTokens)
	if a.Attempts > 1 {
		p.line("attempts: %d", a.Attempts)
	}
}
