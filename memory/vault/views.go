package vault

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// sheet is a file that is to be there, and how its page is made.
type sheet struct {
	path string
	page func(ctx context.Context) (page, error)
}

// known returns the sheets of an agent that are read back.
func (v *reading) known(ctx context.Context, agent string) ([]sheet, error) {
	scope := v.scope
	scope.Agent = agent
	b, err := v.m.Brain(ctx, scope)
	if err != nil {
		return nil, err
	}
	lang := v.language(agent)
	is := func(name string, p page) sheet {
		return sheet{path.Join("agents", folderName(agent), "memory", name), func(context.Context) (page, error) { return p, nil }}
	}
	return []sheet{
		is(brainFile, v.brainPage("brain", agent, lang, b.In)),
		is(archiveFile, v.brainPage("brain_archive", agent, lang, listed(b.Archive))),
		is(activeFile, v.activePage(agent, b.Last)),
	}, nil
}

// views returns the sheets of an agent that are not read back.
func (v *reading) views(agent string) []sheet {
	base := path.Join("agents", folderName(agent), "memory")
	var out []sheet
	bySession := slices.Clone(v.parts) // so that each session is read once
	slices.SortStableFunc(bySession, func(a, b part) int { return strings.Compare(a.session, b.session) })
	for _, p := range bySession {
		if p.agent == agent {
			out = append(out, sheet{path.Join(base, "sessions", p.name+".md"), func(ctx context.Context) (page, error) { return v.sessionPage(ctx, p) }})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(v.records)) {
		r := v.records[id]
		if r.Span != nil && r.Span.Level > 0 && r.ValidTo == nil && v.has(r, agent) {
			level := "L" + strconv.Itoa(r.Span.Level)
			name := path.Join(base, "summaries", level, level+"_"+number(r.Span.Part)+".md")
			out = append(out, sheet{name, func(context.Context) (page, error) { return v.summaryPage(r, agent), nil }})
		}
	}
	return out
}

// has reports whether a summary of several parts has one with an agent.
func (v *reading) has(r state.Record, agent string) bool {
	return slices.ContainsFunc(r.Span.Of, func(id string) bool {
		of, ok := v.records[id]
		if ok && of.Span != nil && of.Span.Level > 0 && of.Span.Level < r.Span.Level {
			return v.has(of, agent)
		}
		return slices.ContainsFunc(v.parts, func(p part) bool { return p.record == id && p.agent == agent })
	})
}

func number(n int) string { return fmt.Sprintf("%03d", n) }

// minutes returns a time as it stands in a file.
func minutes(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// sessionPage is what was said in a part of a session.
func (v *reading) sessionPage(ctx context.Context, p part) (page, error) {
	said, err := v.messages(ctx, p)
	if err != nil {
		return page{}, err
	}
	out := page{kind: "session", head: v.head(p.agent), title: p.name}
	out.head = append(out.head, [2]string{"session", value(p.session)}, [2]string{"part", strconv.Itoa(p.span.Part)}, [2]string{"started", value(minutes(p.span.StartedAt))})
	if p.span.Ended() {
		out.head = append(out.head, [2]string{"ended", value(minutes(p.span.EndedAt))})
	}
	out.head = append(out.head, [2]string{"messages", strconv.Itoa(len(said))})
	var b strings.Builder
	for i, msg := range said {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("**" + string(msg.Role) + "** " + minutes(msg.At))
		if title := v.titles[msg.Affair]; title != "" {
			b.WriteString(" · " + encode(title))
		}
		b.WriteString("\n\n" + block(msg.Said()))
	}
	out.body = b.String()
	return out, nil
}

// messages returns what user and agent said in a part.
func (v *reading) messages(ctx context.Context, p part) ([]state.Message, error) {
	if v.saidIn != p.session || v.said == nil {
		scope := v.scope
		scope.Session = p.session
		all, err := v.m.Messages(ctx, scope)
		if err != nil {
			return nil, err
		}
		v.said, v.saidIn = all, p.session
	}
	var out []state.Message
	for _, msg := range v.said {
		spoken := msg.Role != state.RoleTool && msg.Said() != ""
		if spoken && msg.Seq >= p.span.First && (p.next == 0 || msg.Seq < p.next) {
			out = append(out, msg)
		}
	}
	return out, nil
}

// summaryPage returns an L1 or an L2.
func (v *reading) summaryPage(r state.Record, agent string) page {
	p := page{kind: "l" + strconv.Itoa(r.Span.Level), head: v.head(agent)}
	of, names := "sessions", []string{}
	for _, id := range r.Span.Of {
		names = append(names, v.nameOf(id, agent))
	}
	if r.Span.Level > 1 {
		of = "l1_summaries"
	}
	p.title = fmt.Sprintf("%s L%d_%s (%s to %s)", facts.Phrase("heading summary", v.language(agent)), r.Span.Level, number(r.Span.Part),
		r.Span.StartedAt.UTC().Format(time.DateOnly), r.Span.EndedAt.UTC().Format(time.DateOnly))
	p.head = append(p.head, [2]string{of, "[" + strings.Join(names, ", ") + "]"}, [2]string{"created", value(r.RecordedAt.UTC().Format(time.DateOnly))},
		[2]string{"token_count", strconv.Itoa(v.m.Tokens(r.Content))})
	p.body = block(r.Content)
	return p
}

// nameOf returns the name of a summary's file, with its agent where that is another.
func (v *reading) nameOf(id, agent string) string {
	if r, ok := v.records[id]; ok && r.Span != nil && r.Span.Level > 0 {
		return "L" + strconv.Itoa(r.Span.Level) + "_" + number(r.Span.Part)
	}
	for _, p := range v.parts {
		switch {
		case p.record != id:
		case p.agent == agent:
			return p.name
		default:
			return folderName(p.agent) + "/" + p.name
		}
	}
	return "gone"
}
