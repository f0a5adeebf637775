package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

// page is a session as Markdown.
type page struct {
	out    io.Writer
	zone   *time.Location
	mask   func(string) string
	titles map[string]string // of affairs, by id
	begins map[int64]int     // parts, by the number of their first message

	affair string // of the message before
	opened bool   // a heading stands above it
}

// head writes what the session is, and the affairs that its messages speak of: there is one at least.
func (p *page) head(s state.Session, scope state.Scope, messages []state.Message) {
	title := "Session " + scope.Session
	if s.Title != "" {
		title = p.line(s.Title)
	}
	first, last := messages[0].At, messages[len(messages)-1].At
	fmt.Fprintf(p.out, "# %s\n\nSession %s of user %s, %s to %s, %s.\n", title, scope.Session, scope.User, p.at(first), last.In(p.zone).Format(clock+" MST"), counted(len(messages), "message"))

	var named []string
	for _, m := range messages {
		if title := p.line(p.titles[m.Affair]); title != "" && !slices.Contains(named, title) {
			named = append(named, title)
		}
	}
	if len(named) > 0 {
		fmt.Fprintf(p.out, "Affairs: %s.\n", strings.Join(named, ", "))
	}
}

// message writes a message under the headings of its part and its affair.
func (p *page) message(m state.Message) {
	if part, begins := p.begins[m.Seq]; begins {
		fmt.Fprintf(p.out, "\n## Part %d, %s\n", part, p.at(m.At))
		p.opened = false
	}

	// A part's first message names its affair again.
	if m.Affair != p.affair || !p.opened {
		p.affair, p.opened = m.Affair, true
		depth := "##"
		if p.begins != nil {
			depth = "###"
		}
		fmt.Fprintf(p.out, "\n%s %s\n", depth, cmp.Or(p.line(p.titles[m.Affair]), "No affair"))
	}

	who := cmp.Or(p.line(m.Speaker), string(m.Role))
	if m.Cut {
		who += ", cut off"
	}
	fmt.Fprintf(p.out, "\n**%s** (%s)\n", who, p.at(m.At))
	if m.Text != "" {
		fmt.Fprintf(p.out, "\n%s\n", quote.Block(p.mask(m.Text)))
	}
	for _, file := range files(m) {
		fmt.Fprintf(p.out, "\nAttached: %s\n", p.line(file))
	}
}

// at is a time; the head names the zone.
func (p *page) at(t time.Time) string { return t.In(p.zone).Format(clock) }

// line is a text in one line, without its secrets.
func (p *page) line(s string) string { return quote.Line(p.mask(s)) }

// files names what came with a message.
func files(m state.Message) []string {
	var out []string
	for _, a := range m.Attachments {
		size := len(a.Text) + len(a.Data)
		out = append(out, fmt.Sprintf("%s (%s%s)", cmp.Or(a.Name, "without a name"), strings.TrimPrefix(a.MIME+", ", ", "), counted(size, "byte")))
	}
	for _, part := range m.Parts {
		if part.Type != state.TextPart {
			out = append(out, strings.TrimSuffix(part.Type, "_url")+strings.TrimSuffix(" "+part.MIME, " "))
		}
	}
	return out
}
