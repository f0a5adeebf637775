package crash_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// The story of a session that ends: three sessions are over, of the first two there is an L1. In the fourth the user speaks of an
// affair, of new work, of what is to be forgotten and of a habit. Its end makes a part, facts, an update, a deletion, a lesson, an L1 of the
// last two parts and an L2.
const (
	workedAt = "Kaufmann closed down, so since Monday it is the bakery Baumann for me, as an electrician."
	drankTea = "The matter of green tea is over. On Fridays the cello and a quartet wait for me."
	leaks    = "Something else: the roof leaks above the garage."
)

// How a session ends.
const (
	byCommand   = "by command"   // EditSession
	byReturn    = "by return"    // a message after the pause that does not go on
	byElsewhere = "by elsewhere" // a message in another session
	byClose     = "by close"     // the process that knows the session is closed
	byRetry     = "by retry"     // it has ended, but the small model did not answer; another session ends
)

// inSession is a session of the story's user.
func inSession(id string) state.Scope { return state.Scope{Session: id}.Default() }

// endingSettings make an L1 of two parts and an L2 of two L1.
func endingSettings() state.Settings {
	s := state.DefaultSettings()
	s.L1AfterSessions, s.L2AfterL1 = 2, 2
	return s
}

// endingSmall answers what is asked about a part that is over.
func endingSmall() *scripted.Small {
	fact := func(label, text, subject, old string, importance int) map[string]any {
		return map[string]any{"category": label, "text": text, "subject": subject, "old": old, "importance": importance}
	}
	return scripted.Background(map[string]any{
		"detect": map[string]any{"type": state.NewAffair, "new_affair_title": "Roof", "confidence": 0.95, "reasoning": "scripted"},
		"extract": map[string]any{
			"facts": []map[string]any{
				fact("CORE", "plays the cello in a quartet on Fridays", "music", "", 9),
				fact("UPDATE", "works at the bakery Baumann as an electrician", "work", "work: is with Kaufmann", 8),
				fact("DELETE", "green tea", "tea", "tea: drinks green tea", 8),
			},
			"summary": "The user told of his new work and of his quartet.",
			"lessons": []map[string]any{{"text": "Asking the seller for the order number worked.", "worked": true}},
		},
		"digest":  map[string]any{"summary": "Sessions about a locker, a bicycle, work and brake pads."},
		"summary": map[string]any{"summary": "The user spoke of his work, of tea and of music."},
		"park":    map[string]any{"summary": "Brake pads are on their way.", "pending_actions": []string{"ring the shop"}},
	}, nil)
}

// end lives one life of the end of a session in this process, from the beginning or, after a crash, as a host goes on.
func (j job) end(ctx context.Context, w *crash.Walk, s store.Store) (_ string, err error) {
	now := j.clock(s)
	g, err := graph.New(ctx, graph.Config{
		Settings: endingSettings(), Store: w.Store(s), NewID: j.newID(), After: together,
		Now:   func() time.Time { return now().Add(time.Hour) },
		Model: w.Chat(&billed{scripted.New([]scripted.Step{scripted.Say("Noted.")}, nil), j.Notes}), SmallModel: w.Small(billedSmall{endingSmall(), j.Notes}),
	})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	ctx = w.Context(ctx)
	if j.Do == "recover" && j.GoOn == "sweeps" {
		if _, err := g.Sweep(ctx, "", true); err != nil {
			return "", err
		}
	}
	switch j.End {
	case byRetry:
		_, err := g.Memory().Sessions().Edit(ctx, inSession("s5"), sessions.Change{End: true})
		return "", err
	case byCommand:
		_, err := g.Memory().Sessions().Edit(ctx, inSession("s4"), sessions.Change{End: true})
		return "", err
	case byClose: // the session is known, and ends when the graph is closed
		_, err := g.Memory().Sessions().List(ctx, inSession("s4"))
		return "", err
	}
	in := inSession("s4")
	if j.End == byElsewhere {
		in = inSession("s5")
	}
	if j.Do == "recover" {
		r, err := g.Resume(ctx, in)
		if err == nil || !errors.Is(err, state.ErrNotFound) {
			return r.Text, err
		}
		if reply, err := replyTo(ctx, g.Memory(), in, leaks); reply != "" || err != nil {
			return reply, err
		}
	}
	r, err := g.Invoke(ctx, graph.Request{Scope: in, Text: leaks, AskSmall: true})
	return r.Text, err
}

// preparedEnding makes a store in which the fourth session is still to end.
func preparedEnding(t *testing.T, d driver, by string) (at string) {
	t.Helper()
	at = d.fresh(t)
	s, err := d.open(t.Context(), at)
	must(t, err)
	newID, now := job{Life: 0}.newID(), storyTime().Add(-3*time.Hour)
	g, err := graph.New(t.Context(), graph.Config{
		Settings: endingSettings(), Store: s, NewID: newID, Model: scripted.New(slices.Repeat([]scripted.Step{scripted.Say("Noted.")}, 7), nil),
		Now: func() time.Time { return now },
	})
	must(t, err)
	say := func(session, text string, small model.BaseChatModel) {
		t.Helper()
		now = now.Add(time.Minute)
		if _, err := g.Invoke(t.Context(), graph.Request{Scope: inSession(session), Text: text, SmallModel: small, AskSmall: small != nil}); err != nil {
			t.Fatalf("turn %q: %v", text, err)
		}
	}
	end := func(ctx context.Context, session string) {
		t.Helper()
		if _, err := g.Memory().Sessions().Edit(ctx, inSession(session), sessions.Change{End: true}); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range []string{"The locker at the station has number 7001.", "The bicycle stands in the cellar of house 17.", "The pump was lent to Oleg."} {
		session := []string{"s1", "s2", "s3"}[i]
		say(session, text, nil)
		end(t.Context(), session)
	}
	for _, c := range []memory.Change{
		{Subject: "work", Content: "is with Kaufmann", About: state.AboutUser}, {Subject: "tea", Content: "drinks green tea", About: state.AboutUser, Kind: state.PreferenceRecord},
	} {
		if _, err := g.Memory().Write(t.Context(), inSession("s4"), c); err != nil {
			t.Fatal(err)
		}
	}
	l := lineOf(ordered)
	say("s4", workedAt, nil)
	say("s4", drankTea, nil)
	say("s4", ordered, scripted.Background(l.small, nil))
	if by == byRetry {
		end(memory.ContextWithSmall(t.Context(), scripted.Background(nil, []string{"extract"})), "s4")
		say("s5", "The chain of the bicycle hangs on a nail.", nil)
	}
	must(t, errors.Join(g.Close(), s.Close()))
	return at
}
