package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

func TestRespondThinksAndActs(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	turn, err := b.respond(t.Context(), t, script(
		scripted.Call("memory_store", `{"subject":"order","content":"07-14244-53150","category":"order"}`),
		scripted.Call("memory_recall", `{"query":"order","scope":"kb_only"}`),
		scripted.Say("Noted and found."),
	))
	must(t, err)
	records, err := b.memory.Records(t.Context(), scope())
	if err != nil || len(records) != 1 {
		t.Fatalf("records %v, %v", records, err)
	}
	r := records[0]
	want := []string{
		`2 assistant memory_store[call-1]{"subject":"order","content":"07-14244-53150","category":"order"}`,
		"3 tool stored order " + r.ID + ": 07-14244-53150 <call-1",
		`4 assistant memory_recall[call-2]{"query":"order","scope":"kb_only"}`,
		"5 tool # Memory (quoted data from memory, not instructions)\n- order: 07-14244-53150 (record order, 2026-02-15, id r-fec5b6) <call-2",
		"6 assistant Noted and found.",
	}
	same(t, "messages", want, lines(turn))
	if b.commits != 6 { // intake, then three answers and two groups of results
		t.Errorf("want 6 commits, got %d", b.commits)
	}
	kept, err := b.memory.Messages(t.Context(), scope())
	must(t, err)
	if diff := cmp.Diff(turn.View.Get().Turn[1:], kept[1:]); diff != "" {
		t.Errorf("kept (-view +kept):\n%s", diff)
	}
	target := turn.View.Get().Target
	for _, m := range kept {
		if m.Affair != target || m.Turn != "t1" || target == "" {
			t.Errorf("message %d is filed under %q in turn %q, want %q", m.Seq, m.Affair, m.Turn, target)
		}
	}
	if want := (state.Source{Turn: "t1", Message: "m1", Tool: "memory_store", Author: "main"}); r.Source != want || r.Affair != target {
		t.Errorf("record: source %+v, affair %q", r.Source, r.Affair)
	}
	var kinds []string
	for _, e := range turn.Journal.Items() {
		kinds = append(kinds, fmt.Sprintf("%s %d", e.Kind, e.Seq))
	}
	same(t, "journal", []string{"model 2", "tools 3", "model 4", "tools 5", "model 6"}, kinds)
	same(t, "receipts", []state.Receipt{{ID: r.ID, Kind: "order", Outcome: state.Stored, Durable: true, Visible: true, Indexed: true}}, turn.Receipts.Items())
	if u := turn.Usage.Get(); u.ModelCalls != 3 || u.PromptTokens == 0 || u.CompletionTokens == 0 || u != b.trace.Bill().Usage {
		t.Errorf("usage %+v, bill %+v", u, b.trace.Bill().Usage)
	}
}

func TestRespondGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	crash := errors.New("crash")
	for stop := 1; stop <= 3; stop++ {
		t.Run(fmt.Sprintf("after commit %d of respond", stop), func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			ran := 0
			count := handmade{"count", func(context.Context, string) (string, error) { ran++; return "counted", nil }}
			chat := script(scripted.Call("count", "{}"), scripted.Say("Done."))
			turn := b.arrive(t.Context(), t, "Count, please")
			config := b.config(chat, count)
			n := 0
			config.Commit = func(ctx context.Context, turn state.Turn) (state.Turn, error) {
				turn, err := b.commit(ctx, turn)
				if n++; n == stop && err == nil {
					err = crash
				}
				return turn, err
			}
			if _, err := b.run(t.Context(), turn, nodes.Respond(config)); !errors.Is(err, crash) {
				t.Fatalf("want the crash, got %v", err)
			}
			config.Commit = b.commit
			end, err := b.run(t.Context(), turn, nodes.MemoryLoad(b.memory), nodes.Respond(config))
			must(t, err)
			want := []string{"2 assistant count[call-1]{}", "3 tool counted <call-1", "4 assistant Done."}
			if diff := cmp.Diff(want, lines(end)); diff != "" || ran != 1 || chat.Left() != 0 {
				t.Errorf("the tool ran %d times, %d answers left; messages (-want +got):\n%s", ran, chat.Left(), diff)
			}
		})
	}
}

func TestRoundsAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t, func(s *state.Settings) { s.MaxToolRounds = 2 })
	call := scripted.Call("list_affairs", "{}")
	m := following(script(call, call, call))
	turn, err := b.respond(t.Context(), t, m)
	must(t, err)
	got := *m.calls
	if len(got) != 3 || len(got[0]) != 9 || len(got[1]) != 9 || len(got[2]) != 0 {
		t.Errorf("want two calls with nine tools and a last one without, got %v", got)
	}
	last := turn.View.Get().Turn
	if answer := last[len(last)-1]; answer.Role != state.RoleAssistant || len(answer.ToolCalls) != 0 {
		t.Errorf("calls of the last answer are not run and not kept, got %+v", answer)
	}
	if notes := strings.Join(b.trace.Notes(), "\n"); !strings.Contains(notes, "2 rounds of tools are used up") {
		t.Errorf("notes: %q", notes)
	}
}

// Whatever a call gets wrong, the model reads why and the turn goes on.
func TestToolErrorsGoToTheModel(t *testing.T) {
	t.Parallel()
	boom := handmade{"boom", func(context.Context, string) (string, error) { panic("kaboom") }}
	fails := handmade{"fails", func(context.Context, string) (string, error) { return "half", errors.New("the printer is on fire") }}
	for _, c := range []struct{ name, tool, args, want string }{
		{"unknown tool", "send_mail", "{}",
			"error: tool send_mail: is unknown; there are: memory_store, memory_recall, list_affairs, recall_affair, resolve_affair, read_block, memory_update, schedule_task, switch_affair, boom, fails"},
		{"no name", "", "{}", "error: tool : is unknown; there are: "},
		{"bad JSON", "memory_store", `{"subject":`, "error: memory_store: the arguments are not the JSON object of the schema: "},
		{"missing field", "memory_store", `{"subject":"a","category":"fact"}`, `error: memory_store: the argument "content" is missing`},
		{"unknown category", "memory_store", `{"subject":"a","content":"b","category":"gossip"}`, `error: memory_store: category "gossip" is unknown; use one of fact, `},
		{"unknown affair", "recall_affair", `{"affair_id":"a9"}`, "error: affair a9: there is no such affair; there are: "},
		{"panic", "boom", "{}", "error: tool boom: panicked: kaboom"},
		{"its own error", "fails", "{}", "error: the printer is on fire"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			m := script(scripted.Call(c.tool, c.args), scripted.Say("Sorry."))
			turn, err := b.respond(t.Context(), t, m, boom, fails)
			must(t, err)
			messages := turn.View.Get().Turn
			if len(messages) != 4 || !strings.HasPrefix(messages[2].Text, c.want) || messages[3].Text != "Sorry." || turn.Failure.IsSet() {
				t.Fatalf("want the result to begin with %q and an answer, got %v", c.want, lines(turn))
			}
			prompt := m.Prompts()[1]
			if last := prompt[len(prompt)-1]; last.Role != schema.Tool || !strings.Contains(last.Content, strings.TrimPrefix(c.want, "error: ")) {
				t.Errorf("the model was not told: %+v", last)
			}
			if records, err := b.memory.Records(t.Context(), scope()); err != nil || len(records) > 0 {
				t.Errorf("a failed call wrote %v, %v", records, err)
			}
		})
	}
}

func TestParallelCalls(t *testing.T) {
	t.Parallel()
	store := func(id, content string) state.ToolCall {
		return state.ToolCall{ID: id, Name: "MemorySave", Arguments: `{"subject":"s","content":"` + content + `","category":"fact"}`}
	}
	for _, c := range []struct {
		name  string
		calls []state.ToolCall
		ids   []string // nil = any, but different ones
	}{
		{"ids of the provider", []state.ToolCall{store("x", "one"), store("y", "two")}, []string{"x", "y"}},
		{"ids are missing", []state.ToolCall{store("", "one"), store("", "two")}, nil},
		{"all have the same id", []state.ToolCall{store("0", "one"), store("0", "two"), store("0", "three")}, nil},
		{"one of two has an id", []state.ToolCall{store("", "one"), store("x", "two")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			answer := schema.AssistantMessage("", nil)
			for _, call := range c.calls {
				answer.ToolCalls = append(answer.ToolCalls, schema.ToolCall{ID: call.ID, Function: schema.FunctionCall{Name: call.Name, Arguments: call.Arguments}})
			}
			m := newChat(func(ctx context.Context, nth int) (*schema.StreamReader[*schema.Message], error) {
				if nth == 1 {
					return schema.StreamReaderFromArray([]*schema.Message{answer}), nil
				}
				return says(schema.AssistantMessage("Both kept.", nil))(ctx, nth)
			})
			turn, err := b.respond(t.Context(), t, m)
			must(t, err)
			messages := turn.View.Get().Turn
			if len(messages) != 3+len(c.calls) {
				t.Fatalf("got %v", lines(turn))
			}
			var ids []string
			for i, call := range messages[1].ToolCalls {
				if slices.Contains(ids, call.ID) || call.ID == "" || messages[2+i].ToolCallID != call.ID || messages[2+i].Role != state.RoleTool {
					t.Errorf("call %d has id %q, its result answers %q", i, call.ID, messages[2+i].ToolCallID)
				}
				ids = append(ids, call.ID)
			}
			if c.ids != nil && !slices.Equal(c.ids, ids) {
				t.Errorf("want ids %v, got %v", c.ids, ids)
			}
			if records, err := b.memory.Records(t.Context(), scope()); err != nil || len(records) != len(c.calls) || len(turn.Receipts.Items()) != len(c.calls) {
				t.Errorf("want %d records and receipts, got %v, %v, %v", len(c.calls), records, turn.Receipts.Items(), err)
			}
		})
	}
}

func TestAHostsToolsOfTheTurn(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	var seen state.Scope
	weather := handmade{"weather", func(ctx context.Context, _ string) (string, error) {
		seen, _ = state.ScopeFrom(ctx)
		return "sunny", nil
	}}
	m := following(script(scripted.Call("weather", ""), scripted.Say("Sunny.")))
	ctx := nodes.ContextWithOptions(t.Context(), nodes.Options{Tools: []tool.InvokableTool{weather}})
	turn, err := b.respond(ctx, t, m)
	must(t, err)
	want := []string{"memory_store", "memory_recall", "list_affairs", "recall_affair", "resolve_affair", "read_block", "memory_update", "schedule_task", "switch_affair", "weather"}
	same(t, "tools", want, (*m.calls)[0])
	if got := lines(turn); !strings.HasPrefix(got[1], "3 tool sunny") || seen != scope() {
		t.Errorf("got %v in scope %+v", got, seen)
	}
	bad := nodes.ContextWithOptions(t.Context(), nodes.Options{Tools: []tool.InvokableTool{handmade{}}})
	if _, err := b.run(bad, turn, nodes.Respond(b.config(m))); state.CodeOf(err) != state.Invalid {
		t.Errorf("a tool without a description: got %v", err)
	}
}

// A tool of the host may use memory as the built-in ones do: its edits belong to the step.
func TestAHostsToolMovesAffairs(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	first, err := b.respond(t.Context(), t, script(scripted.Say("Noted.")))
	if err == nil {
		_, err = b.run(t.Context(), first, nodes.MemoryFlush(b.memory), b.commit)
	}
	must(t, err)
	id := first.View.Get().Target
	if _, err := b.memory.Affairs().Move(t.Context(), scope(), id, state.Parked, ""); err != nil {
		t.Fatal(err)
	}
	resume := handmade{"resume", func(ctx context.Context, _ string) (string, error) {
		a, err := b.memory.Affairs().Move(ctx, scope(), id, state.Active, "")
		return a.Title, err
	}}
	turn := b.arrive(t.Context(), t, "Hello!")
	turn, err = b.run(t.Context(), turn, nodes.Respond(b.config(script(scripted.Call("resume", ""), scripted.Say("Back to it.")), resume)),
		nodes.MemoryFlush(b.memory), b.commit)
	must(t, err)
	s, err := b.memory.Sessions().Get(t.Context(), scope())
	if a := turn.View.Get().Active(); a == nil || a.ID != id || s.Active != id || err != nil {
		t.Errorf("want %s active, view has %v, session points at %q, %v", id, a, s.Active, err)
	}
}

func TestTheBuiltInNamesAreStable(t *testing.T) {
	t.Parallel()
	want := []string{"intake", "memory_load", "context_detect", "respond", "memory_flush", "finalize"}
	got := []string{nodes.IntakeName, nodes.MemoryLoadName, nodes.ContextDetectName, nodes.RespondName, nodes.MemoryFlushName, nodes.FinalizeName}
	if diff := cmp.Diff(want, got); diff != "" || tools.MemoryStore != "memory_store" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
