package memory_test

import (
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// shownOf is what a judge is shown of a message.
func (w *world) shownOf(t *testing.T, m *memory.Memory, scope state.Scope, text string) string {
	t.Helper()
	prompt := ""
	s := w.begin(t.Context(), m, nil)
	ctx := memory.ContextWithSmall(s.ctx, prompted{&prompt})
	msg, err := m.Turn().Admit(ctx, scope, state.Message{Text: text})
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	view, err := m.Turn().Load(ctx, state.Input{Scope: scope, Seq: msg.Seq})
	must(t, err)
	if _, err := m.Turn().Detect(ctx, view, msg, true); err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(prompt, "\n## Current affair")
	return shown
}

// An affair that is too young to have a summary is shown with one, however many asides came since.
func TestTheJudgeSeesAYoungAffairSummedUp(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Roof repair"), "The roof leaks above the stairs. Mr Kowal comes on Friday at ten.")
	for range 4 {
		w.turn(t, m, in("s1"), judges(state.AdHoc, "", "", 0.9), "What is seven times seven?")
	}
	if shown := w.shownOf(t, m, in("s1"), "He has come"); !strings.Contains(shown, `title "Roof repair", summary "The roof leaks above the stairs. Mr Kowal comes on Friday at ten."`) {
		t.Errorf("the prompt shows no summary:\n%s", shown)
	}
}
