package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/graph/transcript"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/person"
)

type exportCommand struct {
	place
	whose
	Format string `help:"json, md or scenario: the session; person: everything of the user." enum:"json,md,scenario,person" default:"json"`
	JSON   bool   `name:"json" help:"The same as --format json."`
}

// Help is printed by mneme export --help.
func (exportCommand) Help() string {
	return `Writes what was said in a session, in order: json for programs, md to read, scenario as a file that mneme replay plays:
with the model's answers and what was decided, to be looked through and completed by you. Attachments and answers to questions are not in it.

Person is everything of the user in one file, a JSON object a line, with a checksum at its end: sessions, messages, affairs, records with what is pinned and
held, suggestions, settings, who changed what, and what was erased. mneme import takes it into a store in which that user has nothing.

Examples:
  mneme export --session work > work.json
  mneme export --session work --format scenario > work.yaml
  mneme export --session work --format md
  mneme export --user anna --format person > anna.jsonl`
}

// Run writes the session that --session or the configuration names. A session nobody spoke in is NotFound.
func (e *exportCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openNamed, func(g *opened) error { return e.export(ctx, con, g) })
}

func (e *exportCommand) export(ctx context.Context, con *console, g *opened) error {
	if e.Format == "person" && !e.JSON {
		// What was to be erased and was cut short goes first.
		if _, err := g.Memory().Forget().Erase(ctx, g.scope, forget.What{}); err != nil {
			return err
		}
		_, err := person.Write(ctx, person.Config{Store: g.store.Store, Scope: g.scope, Now: con.now}, con.out)
		return err
	}
	messages, err := g.Memory().Messages(ctx, g.scope)
	if err != nil {
		return err
	}
	messages = transcript.Said(messages)
	if len(messages) == 0 {
		return state.Errorf(state.NotFound, "session "+g.scope.Session,
			"has no messages of user %s in %s; name another with --session, --user or --dir", g.scope.User, g.where())
	}

	switch {
	case e.Format == "md" && !e.JSON:
		return e.markdown(ctx, con, g, messages)
	case e.Format == "scenario" && !e.JSON:
		text, err := transcript.Scenario(ctx, g.Graph, g.scope)
		if err == nil {
			_, err = con.out.Write(text)
		}
		return err
	}
	out, err := transcript.Of(ctx, g.Memory(), g.scope)
	if err != nil {
		return err
	}
	return encode(con.out, out)
}

// markdown writes the session to be read. What was said is quoted, so that none of it can open a heading.
func (e *exportCommand) markdown(ctx context.Context, con *console, g *opened, messages []state.Message) error {
	titles, err := g.titles(ctx)
	if err != nil {
		return err
	}
	s, err := g.Memory().Sessions().Get(ctx, g.scope)
	if err != nil {
		return err
	}
	begins, err := g.parts(ctx, s)
	if err != nil {
		return err
	}

	p := page{out: con.out, zone: con.zone(), mask: func(s string) string { return g.Memory().Mask(s) }, titles: titles, begins: begins}
	p.head(s, g.scope, messages)
	for _, m := range messages {
		p.message(m)
	}
	return nil
}

// parts says with which message each part of a session begins, none for a session of one part.
func (o *opened) parts(ctx context.Context, s state.Session) (map[int64]int, error) {
	records, err := o.Memory().Records(ctx, o.scope)
	begins := map[int64]int{}
	for _, r := range records {
		if r.Span != nil && r.Session == s.ID {
			begins[r.Span.First] = r.Span.Part
		}
	}
	if begins[s.First()] = s.Part; len(begins) == 1 {
		return nil, err
	}
	return begins, err
}

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
	fmt.Fprintf(p.out, "# %s\n\nSession %s of user %s, %s to %s, %s.\n", title, scope.Session, scope.User, p.at(first), atIn(last, p.zone), counted(len(messages), "message"))

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

// at writes a time; the head names the zone.
func (p *page) at(t time.Time) string { return show(t, p.zone, clock) }

// line writes a text in one line, without its secrets.
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
