package main

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

type recallCommand struct {
	place
	whose
	Query   []string `arg:"" help:"What is looked for."`
	Scope   string   `default:"all" enum:"all,current,session,kb_only" help:"all, current (the session's active affair), session (what was said in it) or kb_only (records)." placeholder:"NAME"`
	Project string   `help:"Only records of this project." placeholder:"ID"`
	Agent   string   `help:"Only records of this agent." placeholder:"ID"`
	Kind    []string `help:"Only these kinds: fact, preference, deadline, ..., message." placeholder:"NAME"`
	AsOf    string   `name:"as-of" help:"As it was known and valid then: 2026-03-01, or with a time as in RFC 3339." placeholder:"TIME"`
	Archive bool     `name:"archived" help:"What is in the archive, too: see max_memories_per_user."`
	Explain bool     `name:"why" help:"Why each was found: words, fields, factors."`
	Limit   int      `help:"Hits at most (default memory_retrieve_limit)." placeholder:"N"`
	JSON    bool     `name:"json" help:"One JSON object per hit."`
}

// Help is printed by mneme recall --help.
func (recallCommand) Help() string {
	return `Asks what memory_recall asks, best answer first: what it says, and below where it is from, its share and its id. With --why also why it was
found: the words of the question that it has (in brackets the word that stands for one), the fields, each divided by the best of this
question, and what their sum was multiplied with. Share is how much of the best possible score of the question it has: a prompt
shows what has memory_retrieve_threshold of it, here all is shown. No document is written; vectors that are missing are made.

Examples:
  mneme recall "order number of the brake pads"
  mneme recall --why --limit 3 "brake pads"
  mneme recall --scope kb_only --kind deadline,fact boiler
  mneme recall --session s1 --scope session "what did I say about the roof"
  mneme recall --as-of 2026-01-31 --limit 3 --json address`
}

// kinds lists the kinds of record.
func kinds() string {
	var out []string
	for _, k := range state.Kinds() {
		out = append(out, string(k))
	}
	return strings.Join(out, ", ")
}

// mostHits is more than anybody reads.
const mostHits = 1000

// Run asks and prints.
func (r *recallCommand) Run(ctx context.Context, con *console) (err error) {
	q := memory.Query{Text: strings.Join(r.Query, " "), In: memory.Where(r.Scope), Limit: r.Limit, Project: r.Project, Agent: r.Agent, Archived: r.Archive}
	if q.AsOf, err = parseMoment(r.AsOf); err != nil {
		return err
	}
	for _, kind := range r.Kind {
		k := state.RecordKind(strings.ToLower(kind))
		if !k.Known() {
			return state.Errorf(state.Invalid, "--kind", "does not take %q; it is one of %s", kind, kinds())
		}
		q.Kinds = append(q.Kinds, k)
	}
	if r.Limit < 0 || r.Limit > mostHits {
		return state.Errorf(state.Invalid, "--limit", "does not accept %d; it takes a whole number from 1 to %d", r.Limit, mostHits)
	}

	return with(ctx, con.openNamed, func(g *opened) (err error) {
		// Vectors that are still being made would be missing among the answers.
		con.settle(ctx, g)
		if q.Scope = g.scope; q.In == memory.InCurrent {
			if q.Affair, err = g.active(ctx); err != nil {
				return err
			}
		}
		return r.print(ctx, con, g, q)
	})
}

func (r *recallCommand) print(ctx context.Context, con *console, g *opened, q memory.Query) error {
	trace := &state.Trace{}
	hits, err := g.Memory().Recall(state.ContextWithTrace(ctx, trace), q)
	if err != nil {
		return err
	}

	for _, note := range trace.Notes() {
		fmt.Fprintln(con.err, "mneme: "+masked(note))
	}

	// JSON has all of it, people read two lines a hit unless they ask why.
	short := map[string]string{}
	if !r.JSON && !r.Explain {
		records, err := g.shortRecords(ctx)
		if err != nil {
			return err
		}
		affairs, err := g.shortAffairs(ctx)
		if err != nil {
			return err
		}
		maps.Copy(short, records)
		maps.Copy(short, affairs)
	}
	for i, h := range hits {
		switch {
		case r.JSON:
			if err := encode(con.out, h); err != nil {
				return err
			}
		case r.Explain:
			con.hit(i+1, h, q.Text)
		default:
			con.println(fmt.Sprintf("%2d  %s", i+1, clip(h.Text, 110)))
			con.println("    " + con.paint(faint, strings.TrimSuffix(fmt.Sprintf("%s, %.0f %%, %s", h.Source, h.Why.Share*100, short[h.ID]), ", ")))
		}
	}
	if len(hits) > 0 || r.JSON {
		return nil
	}
	return con.nothing(ctx, g, q)
}

// nothing says that a question found nothing, and how much there is that was searched.
func (c *console) nothing(ctx context.Context, g *opened, q memory.Query) error {
	records, err := g.Memory().Records(ctx, g.scope)
	if err != nil {
		return err
	}
	affairs, err := g.Memory().Affairs().List(ctx, g.scope, true)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "nothing found for %q (scope %s); user %s has %s and %s in %s\n", clip(q.Text, 60), q.In,
		g.scope.User, counted(len(records), "record"), counted(len(affairs), "affair"), g.where())
	return nil
}

// active returns the id of the session's active affair, "" for none.
func (o *opened) active(ctx context.Context) (string, error) {
	affairs, err := o.Memory().Affairs().List(ctx, o.scope, false)
	for _, a := range affairs {
		if a.Status == state.Active && a.Session == o.scope.Session {
			return a.ID, err
		}
	}
	return "", err
}

// parseMoment reads a day, which means its end, or a time; "" is none.
func parseMoment(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day.AddDate(0, 0, 1).Add(-time.Millisecond), nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return at, state.Errorf(state.Invalid, "--as-of", "does not accept %q; it takes 2026-03-01 or 2026-03-01T12:00:00Z", s)
	}
	return at, nil
}

// hit prints one answer and why it was found.
func (c *console) hit(rank int, h memory.Hit, asked string) {
	fmt.Fprintf(c.out, "%2d  %s  %s\n", rank, c.paint(bold, fmt.Sprintf("%.3f", h.Score)), h.Source)
	c.field("text", clip(h.Text, 400))
	c.fields(
		"share", fmt.Sprintf("%.2f of the best possible score", h.Why.Share), "words", terms(h, asked),
		"linked", strings.Join(viaWords(h.Why.Linked, h.Text, asked), ", "), "fields", fields(h.Why), "factors", factors(h.Why), "id", h.ID,
	)
}

// terms says which words of the question were met, and by which words of the hit, as they are written there.
func terms(h memory.Hit, asked string) string {
	var out []string
	for _, t := range h.Why.Terms {
		word := spelled(t.Term, asked, h.Text)
		if t.Term != t.Word {
			word += fmt.Sprintf(" (%s %s)", t.Via, spelled(t.Word, h.Text))
		}
		out = append(out, word)
	}
	return strings.Join(out, ", ")
}

// figure is a number with a name.
type figure struct {
	name  string
	value float64
}

// fields lists the parts of a score that are not nothing.
func fields(w memory.Why) string {
	f := w.Fields
	return join([]figure{
		{"vectors", f.Near}, {"text", f.Text}, {"own", f.Own}, {"previous", f.Prev}, {"window", f.Win}, {"session", f.Session},
		{"lead", f.Lead}, {"pair", f.Pair}, {"passage", f.Passage}, {"spelling", f.Soft},
	}, 0)
}

// factors lists what changed the score.
func factors(w memory.Why) string {
	f := w.Factors
	text := join([]figure{
		{"speaker", f.Speaker}, {"question", f.Question}, {"length", f.Length}, {"time", f.Time}, {"number", f.Number}, {"date", f.Date},
		{"role", f.Role}, {"recency", f.Recency}, {"weight", f.Weight},
	}, 1)
	if f.Bonus != 0 {
		text = strings.TrimPrefix(text+fmt.Sprintf(", bonus +%.2f", f.Bonus), ", ")
	}
	return text
}

// join writes figures, without those of the value that says nothing.
func join(list []figure, nothing float64) string {
	var out []string
	for _, f := range list {
		if text := fmt.Sprintf("%.2f", f.value); text != fmt.Sprintf("%.2f", nothing) {
			out = append(out, f.name+" "+text)
		}
	}
	return strings.Join(out, ", ")
}
