package scenario

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

// Why explains a reply in the lines of Brief; "" = nothing was said yet.
func Why(ctx context.Context, g *graph.Graph, scope state.Scope, r graph.Reply, zone *time.Location) (string, error) {
	a, err := g.Explain(ctx, scope, r.Turn)
	if r.Turn != "" && state.CodeOf(err) == state.NotFound { // it is of another session
		a, err = g.Explain(ctx, scope, "")
	}
	switch {
	case state.CodeOf(err) == state.NotFound:
		return "", nil
	case err != nil:
		return "", err
	}
	return Brief(a, zone), nil
}

// Bounds of what Brief prints, in characters but for the last.
const (
	briefLine = 110
	briefText = 40
	briefMost = 3 // things named in a line
)

// Brief returns an account in eight lines: the turn, its message, what was decided and why, what the model was shown last, what recall found, what was
// written, and the cost. Account.Explain prints all of it.
func Brief(a graph.Account, zone *time.Location) string {
	b := digest{a}
	d := a.Decision
	decided := "nothing"
	if d.Kind != "" {
		decided = strings.TrimSuffix(fmt.Sprintf("%s “%s”", d.Kind, quote.Line(d.Title)), " “”") + fmt.Sprintf(" (%.0f %%, by %s)", d.Confidence*100, d.By)
	}
	end := strings.TrimSuffix(a.End+": "+quote.Line(a.Failure), ": ")

	var out []string
	for _, l := range [][2]string{
		{"turn", fmt.Sprintf("%s of session %s, %s, %s", shortTurn(a.Turn), a.Session, a.Began.In(zone).Format("2 Jan 2006 15:04 MST"), end)},
		{"message", b.text(a.Question, briefLine)},
		{"decided", decided}, {"because", cmp.Or(d.Reasoning, "no reason is kept")}, {"shown", b.shown()}, {"found", b.found()}, {"wrote", b.wrote()}, {"cost", b.cost()},
	} {
		out = append(out, fmt.Sprintf("%-9s%s", l[0], clipped(quote.Line(l[1]), briefLine)))
	}
	return strings.Join(out, "\n")
}

// shortTurn returns a turn's id as lists show it: the beginning of a long one.
func shortTurn(id string) string {
	const long, shown = 12, 8
	if len(id) <= long {
		return id
	}
	return id[:shown]
}

// digest words the lines of an account.
type digest struct{ graph.Account }

// text is today's text of a source in one line.
func (b digest) text(of string, limit int) string {
	s, known := b.Sources[of]
	if !known || s.Gone {
		return "(the text is gone)"
	}
	return clipped(quote.Line(cmp.Or(s.Title, s.Text)), limit)
}

// shown returns the last prompt, which has what those before it have: its sections with their tokens, but for the system prompt that is always there.
func (b digest) shown() string {
	if len(b.Prompts) == 0 {
		return "nothing: no model was asked"
	}
	p := b.Prompts[len(b.Prompts)-1]
	var sections []string
	out := 0
	for _, s := range p.Sections {
		if s.Tokens > 0 && s.Name != compose.System {
			sections = append(sections, fmt.Sprintf("%s %d", strings.ToLower(s.Name), s.Tokens))
		}
		for _, l := range s.Lines {
			if l.Dropped {
				out++
			}
		}
	}
	text := fmt.Sprintf("%d of %d tokens", p.Tokens, p.Limit)
	if out > 0 {
		text += fmt.Sprintf(", %s left out", counted(out, "line"))
	}
	return strings.TrimSuffix(text+": "+strings.Join(sections, ", "), ": ")
}

// found names the best of what all recalls of the turn found.
func (b digest) found() string {
	best := map[string]float64{}
	for _, r := range b.Recalls {
		for _, h := range r.Hits {
			best[h.Of] = max(best[h.Of], h.Score)
		}
	}
	var names []string
	for of := range best {
		names = append(names, of)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(best[y], best[x]), cmp.Compare(x, y)) })
	return b.few(names, func(of string) string { return "“" + b.text(of, briefText) + "”" })
}

// wrote names what was written, and of each thing what was written of it.
func (b digest) wrote() string {
	var names []string
	what := map[string][]string{}
	for _, w := range b.Writes {
		if _, known := what[w.Of]; !known {
			names = append(names, w.Of)
		}
		if text := singular(w.What); !slices.Contains(what[w.Of], text) {
			what[w.Of] = append(what[w.Of], text)
		}
	}
	return b.few(names, func(of string) string {
		if b.Sources[of] == (memory.Source{}) {
			return strings.Join(what[of], ", ")
		}
		return fmt.Sprintf("“%s” (%s)", b.text(of, briefText), strings.Join(what[of], ", "))
	})
}

// few names the first things, and how many more there are.
func (digest) few(list []string, name func(string) string) string {
	var out []string
	for _, x := range list[:min(briefMost, len(list))] {
		out = append(out, name(x))
	}
	if more := len(list) - briefMost; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return cmp.Or(strings.Join(out, ", "), "nothing")
}

// singular sets right what was counted as several.
func singular(text string) string {
	if text == "1 key facts" {
		return "1 key fact"
	}
	return text
}

func (b digest) cost() string {
	u := b.Bill.Usage
	parts := []string{counted(u.ModelCalls, "model call")}
	offline := u.ModelCalls > 0 && u.OfflineCalls == u.ModelCalls // fixed words, and no model
	if offline {
		parts[0] = "no model asked (" + counted(u.ModelCalls, "step") + " of the offline answers)"
	}
	if u.SmallModelCalls > 0 {
		parts = append(parts, fmt.Sprintf("%d of the small model", u.SmallModelCalls))
	}
	took := time.Duration(0)
	for _, n := range b.Nodes {
		took += n.Took
	}
	if !offline || u.SmallModelCalls > 0 {
		parts = append(parts, fmt.Sprintf("%d + %d tokens", u.PromptTokens, u.CompletionTokens))
	}
	parts = append(parts, counted(b.Bill.Commits, "commit"), counted(b.Bill.Reads, "read"))
	if took > 0 { // a clock that stands still measures nothing
		parts = append(parts, fmt.Sprintf("%d ms", took.Milliseconds()))
	}
	if b.Attempts > 1 {
		parts = append(parts, counted(b.Attempts, "attempt"))
	}
	if n := len(b.Notes); n > 0 {
		parts = append(parts, counted(n, "note")+" (mneme explain --full)")
	}
	return strings.Join(parts, ", ")
}

// counted returns a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// clipped shortens a text to so many characters.
func clipped(text string, limit int) string {
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}
