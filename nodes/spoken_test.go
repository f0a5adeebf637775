package nodes_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// A command is carried out before the model is asked, takes none of its rounds, and no call of the model passes for one.
func TestWhatIsAskedOfTheMemoryIsDoneFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, func(s *state.Settings) { s.MaxToolRounds = 1 })
	chat := script(scripted.Calls(state.ToolCall{ID: "spoken", Name: "list_affairs", Arguments: "{}"}), scripted.Say("Done."))
	turn := b.arrive(t.Context(), t, "Remember that I drink tea without milk.")
	turn, err := b.run(t.Context(), turn, nodes.Respond(b.config(chat)))
	must(t, err)
	records, err := b.memory.Records(t.Context(), scope())
	if err != nil || len(records) != 1 || records[0].Content != "I drink tea without milk" {
		t.Fatalf("records %+v, %v", records, err)
	}
	want := []string{
		`2 assistant memory_update[spoken]{"action":"remember","text":"I drink tea without milk"}`,
		"3 tool remembered " + string(records[0].Kind) + " " + records[0].ID + ": I drink tea without milk <spoken",
		`4 assistant list_affairs[call-3-1]{}`,
		"6 assistant Done.",
	}
	got := lines(turn)
	if diff := cmp.Diff(want, slices.Delete(got, 3, 4)); diff != "" { // without the affairs
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	first := chat.Prompts()[0]
	if shown := first[1].Content; !strings.Contains(shown, "I drink tea without milk") {
		t.Errorf("the context was not gathered again:\n%s", shown)
	}
	if u := turn.Usage.Get(); u.ModelCalls != 2 {
		t.Errorf("%d calls of the model are charged, want 2", u.ModelCalls)
	}
}

// Without the tool, and where a person approves what is stored, the model alone answers.
func TestACommandIsLeftToTheModel(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*nodes.RespondConfig){
		"no tool": func(c *nodes.RespondConfig) { c.Tools = nil },
		"approval of stores": func(c *nodes.RespondConfig) {
			c.Approve = func(_ context.Context, _, tool, _ string) bool { return tool == tools.MemoryStore }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			turn := b.arrive(t.Context(), t, "Remember that I drink tea without milk.")
			c := b.config(script(scripted.Say("As you say.")))
			change(&c)
			turn, err := b.run(t.Context(), turn, nodes.Respond(c))
			if diff := cmp.Diff([]string{"2 assistant As you say."}, lines(turn)); diff != "" || err != nil {
				t.Errorf("%v; messages (-want +got):\n%s", err, diff)
			}
		})
	}
}
