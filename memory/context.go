package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/mind"
	"github.com/mneme-graph/mneme/state"
)

// Gather collects what the model is to see of memory: the active affair, headers of the parked ones, the
// user's preferences, and evidence. On an AD_HOC question the evidence is what is known of the affair asked
// about; on any other turn it comes from the active affair and from what belongs to no affair, so that no
// other affair's facts mix in.
func (m *Memory) Gather(ctx context.Context, v state.View, d state.Decision, system string) (compose.Input, error) {
	msg, err := question(v)
	if err != nil {
		return compose.Input{}, err
	}
	in := compose.Input{
		System: system, Summary: v.Session.Summary, Active: v.Active(), Parked: v.Parked(),
		History: v.Window, Question: msg, Language: m.language(v, msg), Now: m.c.Now(),
	}
	own, err := m.ownRecords(ctx, scopeOf(v.Session))
	if err != nil {
		return in, err
	}
	prefs, told := preferences(own)
	in.Preferences, in.User = prefs, userLines(own)
	for label, value := range v.Session.Preferences {
		in.Preferences = in.Preferences.With(label, value)
	}
	slices.SortFunc(in.Preferences[len(prefs):], func(a, b state.Fact) int { return strings.Compare(a.Label, b.Label) })
	if d.Kind == state.AdHoc && d.AffairID != "" {
		if asked, ok := v.Affair(d.AffairID); ok {
			in.Evidence = about(asked)
		}
	}
	recalled, err := m.evidence(ctx, v, d, msg)
	recalled = slices.DeleteFunc(recalled, func(e compose.Evidence) bool { return told[e.Text] })
	in.Evidence = append(in.Evidence, recalled...)
	return in, err
}

// Compose makes the prompt within its budget. What of its messages it shows shortened or not at all is noted in the trace,
// once a turn.
func (m *Memory) Compose(ctx context.Context, in compose.Input) (compose.Context, error) {
	out, err := m.composer.Compose(in)
	trace := state.TraceFrom(ctx)
	for _, what := range out.LeftOut() {
		if note := "context: " + what; !slices.Contains(trace.Notes(), note) {
			trace.Note("%s", note)
		}
	}
	return out, err
}

// about is everything an affair's own document says, as evidence that enters even when little is left.
func about(a state.Affair) []compose.Evidence {
	name := `affair "` + a.Title + `"`
	var out []compose.Evidence
	add := func(text, what string) {
		if text != "" {
			out = append(out, compose.Evidence{Text: text, Source: name + ", " + what, Must: true, Why: what + " of the affair asked about"})
		}
	}
	for _, f := range a.KeyFacts {
		add(f.Label+": "+f.Value, "key fact")
	}
	for _, p := range a.PendingActions {
		add(p, "pending")
	}
	add(a.Summary, "summary")
	return out
}

// evidence recalls what fits the question, from the affair the turn is filed under and from what belongs to
// none. What the window shows anyway is left out, and so is what was cleared, and what says a
// preference once more.
func (m *Memory) evidence(ctx context.Context, v state.View, d state.Decision, msg state.Message) ([]compose.Evidence, error) {
	allowed := v.Session.Active
	if d.Kind == state.AdHoc && d.AffairID != "" {
		allowed = d.AffairID
	}
	gone, err := m.cleared(ctx, scopeOf(v.Session))
	if err != nil {
		return nil, err
	}
	into, err := m.joined(ctx, scopeOf(v.Session))
	if err != nil {
		return nil, err
	}
	hits, err := m.Recall(ctx, Query{
		Scope: scopeOf(v.Session), Text: said(msg), Before: msg.Seq, besidePreferences: true,
		keep: words.Filter{
			Affair: func(affair string) bool { return affair == "" || into.Of(affair) == allowed },
			Doc:    func(doc *words.Doc) bool { return doc.Kind != mind.AffairKind && !gone.HidesDoc(doc) },
		},
	})
	if err != nil {
		return nil, err
	}
	var out []compose.Evidence
	for _, h := range hits {
		if h.Message != nil && slices.ContainsFunc(v.Window, func(w state.Message) bool { return w.Turn == h.Message.Turn && w.Seq == h.Message.Seq }) {
			continue
		}
		out = append(out, compose.Evidence{Text: h.Text, Source: h.Source, Score: h.Score, Why: "recalled"})
	}
	return out, nil
}
