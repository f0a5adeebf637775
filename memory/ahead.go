package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/read/ahead"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// soon is how long a key fact is taken to be to come that says a time of day alone.
const soon = 7 * 24 * time.Hour

// Ahead returns the key facts of an affair that say a day or a time that is not over yet where the user of the context is: appointments, last days,
// deliveries. It reads no store.
func (f Affairs) Ahead(ctx context.Context, a *state.Affair) (out []state.Fact) {
	if a.Status == state.Resolved {
		return nil
	}
	now := f.m.c.Now().In(f.m.desk.Set(ctx).Location())
	for _, fact := range a.KeyFacts {
		if saysWhen(fact) && !isOver(fact, now) {
			out = append(out, fact)
		}
	}
	return out
}

// aheadLines returns what is not due yet, for a prompt. For a question for what waits these are the tasks that it asks for, and what parked affairs wait for and their days, twelve of each at most;
// else the next tasks, as far as they share a telling word with the active affair or the question. A message that names a day of the week to come may move any of them.
func (m *Memory) aheadLines(ctx context.Context, own []state.Record, in compose.Input) (out []compose.Known) {
	const few, most = 3, 12
	asked, asks := ahead.Read(in.Question.Text, in.Now)
	all := asks && len(asked.About) == 0
	moves := !asks && len(same.Weekdays(in.Question.Text)) > 0 && !ahead.Past(in.Question.Text)
	about := text.Terms(in.Question.Text)
	if a := in.Active; a != nil {
		about = append(about, text.Terms(a.Title+" "+strings.Join(a.Topics, " "))...)
	}

	// The tasks, the one due first comes first.
	tasks := slices.DeleteFunc(slices.Clone(own), func(r state.Record) bool {
		shared := func(w string) bool { return !text.General(w) && slices.Contains(about, w) }
		return r.Due == nil || !r.Due.After(in.Now) || asks && !asked.Holds(*r.Due) || !all && !moves && !slices.ContainsFunc(text.Terms(r.Content), shared)
	})
	slices.SortStableFunc(tasks, func(a, b state.Record) int { return cmp.Or(a.Due.Compare(*b.Due), strings.Compare(a.ID, b.ID)) })
	limit := few
	if asks {
		limit = most
	}
	for _, r := range tasks[:min(len(tasks), limit)] {
		out = append(out, compose.Known{Label: "task", Text: r.Content, Of: originOf(r)})
	}
	if asks {
		days := m.waitLines(ctx, in, asked)
		out = append(out, days[:min(len(days), most)]...)
	}
	return out
}

// waitLines returns the days ahead of parked affairs and what these wait for, as far as a question for what waits asks for it: one word at least of what it is about has to
// be the affair's or the line's. What has no day waits today. What the active affair has stands in the prompt anyhow.
func (m *Memory) waitLines(ctx context.Context, in compose.Input, asked ahead.Question) (out []compose.Known) {
	for _, a := range in.Parked {
		add := func(label, says, part string, since time.Time) {
			when, terms := ahead.Named(says, since.In(in.Now.Location())), text.Terms(a.Title+" "+says)
			meets := asked.Meets(when) || when.Until.IsZero() && asked.Holds(in.Now)
			if meets && (len(asked.About) == 0 || slices.ContainsFunc(asked.About, func(w string) bool { return slices.Contains(terms, w) })) {
				of := compose.Origin{Kind: compose.OfAffair, ID: a.ID, Part: part}
				out = append(out, compose.Known{Label: label, Text: a.Title + ", " + says, Of: of.String()})
			}
		}
		for _, f := range m.Affairs().Ahead(ctx, a) {
			add("day", f.Label+": "+f.Value, "facts:"+f.Label, f.Since)
		}
		for _, action := range a.PendingActions {
			if a.Status != state.Resolved {
				add("waits", action, "pending", a.UpdatedAt)
			}
		}
	}
	return out
}

// saysWhen reports whether the value of a key fact is a day or a time.
func saysWhen(f state.Fact) bool {
	return slices.ContainsFunc(facts.Extract(f.Label+": "+f.Value, ""), func(x facts.Fact) bool {
		whole := strings.HasSuffix(f.Value, x.Value) || strings.HasPrefix(f.Value, x.Value)
		return whole && (x.Kind == facts.Date || x.Kind == facts.Deadline || x.Kind == facts.Time)
	})
}

// isOver reports whether the day that a key fact says, of a stretch the last one, is before a time; of a time of day alone, whether it was said long before.
func isOver(f state.Fact, now time.Time) bool {
	named := ahead.Named(f.Value, f.Since.In(now.Location()))
	if named.Until.IsZero() {
		return f.Since.Before(now.Add(-soon))
	}
	return !named.Until.After(now)
}
