package nodes_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
)

func TestIntake(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	turn, err := b.run(t.Context(), begin(state.Message{Text: "Hello, password: hunter22", Speaker: "Ann"}), nodes.Intake(b.memory))
	must(t, err)
	same(t, "input", state.Input{Scope: scope(), Turn: "t1", Seq: 1}, turn.Input.Get())
	if len(b.riding) != 1 || b.riding[0].Message == nil {
		t.Fatalf("want the message as the only effect, got %+v", b.riding)
	}
	msg := *b.riding[0].Message
	if msg.Turn != "t1" || msg.Seq != 1 || msg.ID != "m1" || msg.Speaker != "Ann" || strings.Contains(msg.Text, "hunter22") {
		t.Errorf("got %+v", msg)
	}
}

func TestIntakeRefuses(t *testing.T) {
	t.Parallel()
	var nothing state.Turn
	nothing.Input.Set(state.Input{Scope: scope(), Turn: "t1"})
	for _, c := range []struct {
		name string
		turn state.Turn
		says string
	}{
		{"an empty message", begin(state.Message{}), "message: is empty"},
		{"no message", nothing, "has no message"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			_, err := b.run(t.Context(), c.turn, nodes.Intake(b.memory))
			if state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), c.says) || len(b.riding) > 0 {
				t.Errorf("want an invalid with %q, got %v and effects %v", c.says, err, b.riding)
			}
		})
	}
}

func TestMemoryLoad(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	turn := b.arrive(t.Context(), t, "I ordered brake pads for the Jeep, order number 07-14244-53150.")
	d := turn.Decision.Get()
	if d.Kind != state.NewAffair || turn.View.Get().Target != d.AffairID || turn.View.Get().Active() == nil {
		t.Fatalf("want a new affair as the target, got %+v, %+v", d, turn.View.Get())
	}
	// Another attempt at the turn, after a commit: the view shows what was carried out.
	if _, err := b.run(t.Context(), turn, b.commit, nodes.MemoryLoad(b.memory)); err != nil {
		t.Fatal(err)
	}
	again, err := b.run(t.Context(), turn, nodes.MemoryLoad(b.memory))
	must(t, err)
	v := again.View.Get()
	if v.Target != d.AffairID || v.Active() == nil || v.Active().ID != d.AffairID || len(v.Turn) != 1 || v.Turn[0].Affair != d.AffairID {
		t.Errorf("want the affair active and the message filed, got target %q, %+v", v.Target, v)
	}
}

func TestContextDetect(t *testing.T) {
	t.Parallel()
	answer := map[string]any{"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": "Garden", "confidence": 0.9}}
	for _, c := range []struct {
		name    string
		small   *scripted.Small
		commits int
	}{
		{"the rules' decision rides", scripted.Background(nil, nil), 1},
		{"what a model was paid for is committed", scripted.Background(answer, nil), 2},
		{"a failed call was paid for, too", scripted.Background(nil, []string{"detect"}), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(s *state.Settings) { s.Detect = "model" })
			ctx := memory.ContextWithSmall(t.Context(), c.small)
			turn := b.arrive(ctx, t, "I ordered brake pads for the Jeep, order number 07-14244-53150.")
			if rides := c.commits == 1; b.commits != c.commits || rides != (len(b.riding) > 0) {
				t.Errorf("want %d commits, and what it led to riding: %v; got %d and %d effects", c.commits, rides, b.commits, len(b.riding))
			}
			d := turn.Decision.Get()
			if diff := cmp.Diff([]string{"context.decision"}, b.names()); diff != "" || b.events[0].Decision.Kind != d.Kind {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if d.Kind != state.NewAffair || d.AffairID == "" {
				t.Errorf("got %+v", d)
			}
		})
	}
}

// A decision that is in the log stands: a resumed turn neither asks again nor carries it out twice.
func TestContextDetectIsNotRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t, func(s *state.Settings) { s.Detect = "model" })
	small := scripted.Background(map[string]any{
		"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": "Garden", "confidence": 0.9},
	}, nil)
	ctx := memory.ContextWithSmall(t.Context(), small)
	turn := b.arrive(ctx, t, "about the garden")
	asked := len(small.Asked())
	again, err := b.run(ctx, turn, nodes.MemoryLoad(b.memory), nodes.ContextDetect(b.memory, b.commit))
	must(t, err)
	if n := len(small.Asked()); n != asked {
		t.Errorf("the small model was asked again: %v", small.Asked())
	}
	if diff := cmp.Diff(turn.Decision.Get(), again.Decision.Get()); diff != "" {
		t.Errorf("decision (-first +again):\n%s", diff)
	}
	if _, err := b.run(ctx, again, b.commit); err != nil {
		t.Fatal(err)
	}
	if all, err := b.memory.Affairs().List(t.Context(), scope(), true); err != nil || len(all) != 1 {
		t.Errorf("want one affair, got %v, %v", all, err)
	}
}

func TestMemoryFlushAndFinalize(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	turn, err := b.respond(t.Context(), t, script(scripted.Say("Noted.")))
	must(t, err)
	end, err := b.run(t.Context(), turn, nodes.MemoryFlush(b.memory), nodes.Finalize(), b.commit)
	must(t, err)
	a := end.View.Get().Active()
	if a == nil || a.Messages != 2 {
		t.Fatalf("view: %+v", end.View.Get())
	}
	if stored, err := b.memory.Affairs().Get(t.Context(), scope(), a.ID); err != nil || stored.Messages != 2 || len(stored.KeyFacts) == 0 {
		t.Errorf("stored: %+v, %v", stored, err)
	}
}

// The nodes work in a host's own graph as well: without a listener, a trace or options.
func TestNodesAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	turn := begin(state.Message{Text: "Hello!"})
	ctx := t.Context()
	respond := b.config(script(scripted.Say("Hello.")))
	respond.Commit = func(_ context.Context, t state.Turn) (state.Turn, error) { return t, nil }
	for _, node := range []nodes.Func{
		nodes.Intake(b.memory), nodes.MemoryLoad(b.memory), nodes.ContextDetect(b.memory, respond.Commit), nodes.Respond(respond),
		nodes.MemoryFlush(b.memory), nodes.Finalize(),
	} {
		var err error
		if turn, err = node(ctx, turn); err != nil {
			t.Fatal(err)
		}
	}
	if v := turn.View.Get(); len(v.Turn) != 2 || v.Turn[1].Text != "Hello." {
		t.Errorf("got %+v", v.Turn)
	}
	s, err := b.memory.Sessions().Get(ctx, scope())
	if err != nil || s.Messages != 2 {
		t.Errorf("session: %+v, %v", s, err)
	}
}
