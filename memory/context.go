package memory

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// What a project knows (records of its scope that are no affair's and not the user's own) is offered to every prompt of its turns.
// What is of another project enters no prompt by itself: messages carry the project they were said in. Each project has its own
// truth: the same subject with another value in another project replaces nothing.

// Gather collects what the model is to see of memory: the active affair, headers of the parked ones, the
// user's preferences, and evidence. On an AD_HOC question the evidence is what is known of the affair asked
// about; on any other turn it comes from the active affair and from what belongs to no affair, so that no
// other affair's facts mix in.
func (t Turn) Gather(ctx context.Context, v state.View, d state.Decision, system string) (compose.Input, error) {
	ctx = t.m.desk.Under(ctx, desk.ScopeOf(v.Session))

	// The conversation: what the window shows, and the summary of what it does not.
	msg, err := question(v)
	if err != nil {
		return compose.Input{}, err
	}
	v.Window = steady(v, t.m.desk.Set(ctx).HistoryLimit)
	summary, of, err := t.m.sessions.Summary(ctx, v.Session)
	if err != nil {
		return compose.Input{}, err
	}
	in := compose.Input{
		System: system, Session: v.Session.ID, Summary: summary, SummaryOf: of, Active: v.Active(), Parked: v.Parked(),
		History: v.Window, Question: msg, Language: t.m.language(v, msg), Now: t.m.c.Now().In(t.m.desk.Set(ctx).Location()),
	}

	if t.m.desk.Set(ctx).Detect == "tool" {
		in.Assumed = assumed(v, d)
	}

	// What is known of the user himself: preferences, what is due, the brain.
	own, err := t.m.desk.Own(ctx, desk.ScopeOf(v.Session))
	if err != nil {
		return in, err
	}
	prefs, told := preferences(own)
	in.User = append(dueLines(own, in.Now), t.m.aheadLines(ctx, own, in)...)
	brain := t.m.brain(ctx, own).besides(msg.Text)
	in.Brain = compose.BrainParts{User: knownLines(brain.User), Decisions: knownLines(brain.Decisions), Current: knownLines(brain.Current)}
	in.Preferences, in.Language = prefer(brain.preferred(prefs), v.Session, msg, in.Language)
	if in.ActiveContext, in.ActiveOf, err = t.m.activeContext(ctx, v.Session, v.Agent); err != nil {
		return in, err
	}

	// What the request brought, and what the project knows.
	in.Question, in.Extra = withExtra(msg)
	for i := range in.Extra {
		in.Extra[i].Of = compose.Origin{Kind: compose.OfMessage, ID: v.Session.ID, Seq: msg.Seq, Part: extraPart(i)}.String()
	}
	if in.Project, err = t.m.projectLines(ctx, v, msg.Text); err != nil {
		return in, err
	}

	// Evidence: of the affair asked about first, then what recall finds and nothing above has told.
	if asked, ok := t.m.askedAbout(v, d, msg); ok {
		in.Evidence = about(asked)
	}
	recalled, err := t.m.recalled(ctx, v, d, msg)
	untold := slices.DeleteFunc(recalled.out, func(e compose.Evidence) bool { return told[e.Text] })
	in.Evidence, in.Associations = append(in.Evidence, untold...), recalled.associations
	return in, err
}

// askedAbout returns the affair that a question aside is about: the one that it was decided to be about, or, of a question that goes on from one ("and how much
// was it?"), that of the last exchange, which the window shows.
func (m *Memory) askedAbout(v state.View, d state.Decision, msg state.Message) (state.Affair, bool) {
	of, said := d.AffairID, desk.Said(msg)
	if d.Kind == state.Continue && len(v.Window) > 0 && facts.IsQuestion(said) && detect.Refer(m.language(v, msg), said).Anaphor {
		of = v.Window[len(v.Window)-1].Affair
	}
	if of == v.Session.Active {
		return state.Affair{}, false
	}
	return v.Affair(of)
}

// assumed tells the answering model what was decided about the message, which it may put right.
func assumed(v state.View, d state.Decision) string {
	about := "about this affair"
	if a, ok := v.Affair(d.AffairID); d.Kind == state.AdHoc {
		if about = "a question aside about no affair"; ok {
			about = "a question aside about " + strconv.Quote(a.Title)
		}
	}
	return fmt.Sprintf("the new message is taken to be %s (%.0f %% sure); if it takes up another affair or opens a new matter, call switch_affair first", about, 100*d.Confidence)
}

// steady leaves out of a full window the messages that a summary has passed, half of them at most: so it begins with the
// same message of the user for some turns, and a provider's prompt cache takes the history as far as it is the same. The session's summary has those of no
// affair; one of the active affair goes only where that has a summary too.
func steady(v state.View, limit int) []state.Message {
	window, said := v.Window, 0
	for _, msg := range window {
		if msg.Spoken() {
			said++
		}
	}
	if said < max(limit, 2) {
		return window
	}
	active := v.Active()
	summed := active != nil && active.Summary != ""
	for at, msg := range window[:len(window)/2+1] {
		if passed := msg.Seq <= v.Session.Summarised && (msg.Affair == "" || summed); !passed && msg.Role == state.RoleUser {
			return window[at:]
		}
	}
	return window
}

// Compose makes the prompt within its budget. What of its messages it shows shortened or not at all is noted in the trace,
// once a turn.
func (t Turn) Compose(ctx context.Context, in compose.Input) (compose.Context, error) {
	out, err := t.m.composer.With(t.m.desk.Set(ctx).Settings).Compose(in)
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
	add := func(text, what, part string) {
		if text != "" {
			out = append(out, compose.Evidence{
				Text: text, Source: name + ", " + what, Must: true, Why: what + " of the affair asked about",
				Of: compose.Origin{Kind: compose.OfAffair, ID: a.ID, Part: part}.String(),
			})
		}
	}

	for _, f := range a.KeyFacts {
		add(f.Label+": "+f.Value, "key fact", "facts:"+f.Label)
	}
	for _, p := range a.PendingActions {
		add(p, "pending", "pending")
	}
	add(a.Summary, "summary", "summary")
	return out
}
