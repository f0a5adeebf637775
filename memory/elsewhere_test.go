package memory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A turn that was filed under the wrong affair is put where it belongs: its messages, its facts and the session go there, the other affair forgets it.
func TestPutTurn(t *testing.T) {
	t.Parallel()
	store := ram.New()
	g, err := graph.New(t.Context(), graph.Config{Store: store, Model: offline.New()})
	must(t, err)
	defer g.Close()
	scope := state.Scope{}.Default()
	say := func(text, kind, title string) graph.Reply {
		detect := map[string]any{"type": kind, "new_affair_title": title, "confidence": 0.95}
		r, err := g.Invoke(t.Context(), graph.Request{Text: text, AskSmall: true, SmallModel: scripted.Background(map[string]any{"detect": detect}, nil)})
		must(t, err)
		return r
	}
	say("The roof repair costs 4,200 euros.", "NEW_AFFAIR", "Roof")
	say("We fly to Crete on 5 June.", "NEW_AFFAIR", "Holiday")
	wrong := say("The deposit for the roofers is 800 euros.", "CONTINUE", "")

	a, err := g.Memory().Affairs().PutTurn(t.Context(), scope, wrong.Turn, "roof")
	if err != nil || a.Title != "Roof" || a.Status != state.Active || a.Messages != 4 || !strings.Contains(values(a), "800") || !strings.Contains(values(a), "4,200") {
		t.Errorf("the roof is %s with %q, %v", a.Status, values(a), err)
	}
	if a, err = g.Memory().Affairs().Get(t.Context(), scope, "Holiday"); err != nil || a.Status != state.Parked || strings.Contains(values(a), "800") || a.Messages != 2 {
		t.Errorf("the holiday is %s with %q, %v", a.Status, values(a), err)
	}
	said, err := g.Memory().Messages(t.Context(), scope)
	if err != nil || len(said) != 6 {
		t.Fatalf("%d messages, %v", len(said), err)
	}
	roof, holiday := said[0].Affair, said[2].Affair
	if said[4].Affair != roof || said[5].Affair != roof || said[3].Affair != holiday {
		t.Errorf("filed %s, %s, %s", said[3].Affair, said[4].Affair, said[5].Affair)
	}

	// An affair of its own; the one that is left with nothing said in it is gone.
	if a, err = g.Memory().Affairs().PutTurn(t.Context(), scope, said[2].Turn, "Crete"); err != nil || a.Title != "Crete" || !strings.Contains(values(a), "5 June") {
		t.Errorf("the new affair is %+v, %v", a, err)
	}
	if a, err = g.Memory().Affairs().Get(t.Context(), scope, holiday); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("the holiday is %s, %q, %v", a.Status, a.Title, err)
	}

	// What cannot be put.
	if _, err = g.Memory().Affairs().PutTurn(t.Context(), scope, said[2].Turn, "Crete"); !errors.Is(err, state.ErrConflict) {
		t.Errorf("where it is already: %v", err)
	}
	if _, err = g.Memory().Affairs().PutTurn(t.Context(), scope, "no such turn", "Crete"); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("a turn that is not there: %v", err)
	}
	if _, err = g.Memory().Affairs().PutTurn(t.Context(), state.Scope{User: "nobody"}.Default(), "", "Crete"); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("a user who said nothing: %v", err)
	}

	// It is one change, and taken back as one: the holiday is what it was.
	log, err := g.Memory().History().Audit(t.Context(), scope, history.Query{})
	if err != nil || len(log) == 0 || log[0].By.Path != "put_turn" {
		t.Fatalf("the newest of %d changes is %+v, %v", len(log), log[0], err)
	}
	must(t, g.Memory().History().UndoChange(t.Context(), scope, log[0].Seq))
	if _, err = g.Memory().Affairs().Get(t.Context(), scope, "Crete"); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("the affair that was made is there: %v", err)
	}
	if a, err = g.Memory().Affairs().Get(t.Context(), scope, holiday); err != nil || a.Status != state.Parked || !strings.Contains(values(a), "5 June") {
		t.Errorf("the holiday is %s with %q, %v", a.Status, values(a), err)
	}
	if back, err := g.Memory().Messages(t.Context(), scope); err != nil || back[2].Affair != holiday || back[3].Affair != holiday {
		t.Errorf("its messages are filed under %s and %s, %v", back[2].Affair, back[3].Affair, err)
	}
	if a, err = g.Memory().Affairs().Get(t.Context(), scope, "Roof"); err != nil || a.Status != state.Active {
		t.Errorf("the roof is %s, %v", a.Status, err)
	}

	// Who orders it himself is not asked; what is read-only stays as it is.
	for level, want := range map[int]error{0: state.ErrDenied, 1: nil} {
		settings := state.DefaultSettings()
		settings.Autonomy = level
		strict, err := graph.New(t.Context(), graph.Config{Store: store, Model: offline.New(), Settings: settings})
		must(t, err)
		if _, err := strict.Memory().Affairs().PutTurn(t.Context(), scope, said[2].Turn, "Level "+string(rune('0'+level))); !errors.Is(err, want) {
			t.Errorf("autonomy %d: %v, want %v", level, err, want)
		}
		if err := strict.Close(); err != nil {
			t.Error(err)
		}
	}
}

func values(a state.Affair) string {
	var out []string
	for _, f := range a.KeyFacts {
		out = append(out, f.Value)
	}
	return strings.Join(out, "; ")
}
