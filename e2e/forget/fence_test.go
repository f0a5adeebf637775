package forget_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// TestNothingComesBack erases while other processes, here other graphs over the same store, hold the memory as it was.
func TestNothingComesBack(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sqlite", "mongo"} {
		for _, what := range []forget.What{{User: true}, {Session: "s1"}, {Topic: "kx77canary"}} {
			t.Run(kind+" "+nameOf(what), func(t *testing.T) {
				t.Parallel()
				ctx, p, scope := t.Context(), places(t, kind), in("anna", "s1")
				w, err := openWorld(ctx, p, begins(), "a", false)
				must(t, err)
				th := &thing{canary: "kx77canary", subject: "door code", user: "anna", session: "s1", stored: true}
				must(t, w.tell(ctx, th))

				// Another process has read everything, and a turn of it runs while the first one erases.
				old, err := openWorld(ctx, p, begins().Add(time.Minute), "b", false)
				must(t, err)
				if _, err := old.Memory().Recall(ctx, memory.Query{Scope: scope, Text: "door code"}); err != nil {
					t.Fatal(err)
				}
				forgot := false
				erase := func(context.Context) {
					if _, err := w.Memory().Forget().Erase(ctx, scope, what); err != nil {
						t.Errorf("forget: %v", err)
					}
					forgot = true
				}
				_, err = old.Invoke(ctx, graph.Request{Scope: scope, Text: "and the code again, kx77canary", MessageID: "sent-1", Model: meanwhile{scripted.New([]scripted.Step{
					scripted.Call("memory_store", `{"subject":"door code","content":"the door code is kx77canary","category":"fact"}`), scripted.Say("It is kx77canary."),
				}, nil), sync.OnceFunc(func() { erase(ctx) })}})
				if !forgot || !errors.Is(err, state.ErrConflict) {
					t.Errorf("the turn that ran: %v, want a conflict", err)
				}

				// What it knew it cannot write.
				if th.record != "" {
					_, err := old.Memory().Amend(ctx, scope, memory.Amendment{Action: memory.PinRecord, ID: th.record})
					if !errors.Is(err, state.ErrNotFound) {
						t.Errorf("pin what is erased: %v, want not found", err)
					}
				}
				hits, err := old.Memory().Recall(ctx, memory.Query{Scope: scope, Text: "door code kx77canary"})
				for _, h := range hits {
					if strings.Contains(h.Text, th.canary) {
						t.Errorf("the other process still finds %q, %v", h.Text, err)
					}
				}
				if _, err := old.say(ctx, scope, "what is new?"); err != nil {
					t.Errorf("its next turn: %v", err)
				}
				old.close(t)
				w.close(t)
				if at := holding(everything(t, p), th.canary); len(at) > 0 {
					t.Errorf("%s is left in %q", th.canary, at)
				}
			})
		}
	}
}

// meanwhile is a model during whose answer something else happens.
type meanwhile struct {
	model.ToolCallingChatModel
	happens func()
}

func (m meanwhile) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	m.happens()
	return m.ToolCallingChatModel.Generate(ctx, in, opts...)
}

func (m meanwhile) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	m.happens()
	return m.ToolCallingChatModel.Stream(ctx, in, opts...)
}

func (m meanwhile) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	with, err := m.ToolCallingChatModel.WithTools(tools)
	return meanwhile{with, m.happens}, err
}

func nameOf(what forget.What) string {
	switch {
	case what.User:
		return "user"
	case what.Session != "":
		return "session"
	}
	return "topic"
}

// TestSentAgain sends a message again whose turn was erased: it does not come back.
func TestSentAgain(t *testing.T) {
	t.Parallel()
	for _, what := range []forget.What{{User: true}, {Session: "s1"}, {Topic: "kx88canary"}} {
		t.Run(nameOf(what), func(t *testing.T) {
			t.Parallel()
			ctx, p, scope := t.Context(), places(t, "sqlite"), in("anna", "s1")
			w, err := openWorld(ctx, p, begins(), "a", false)
			must(t, err)
			sent := graph.Request{Scope: scope, Text: "the boat is called kx88canary", MessageID: "sent-1", Model: scripted.New([]scripted.Step{scripted.Say("Noted.")}, nil)}
			if _, err := w.Invoke(ctx, sent); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Memory().Forget().Erase(ctx, scope, what); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Invoke(ctx, sent); !errors.Is(err, state.ErrConflict) {
				t.Errorf("sent again: %v, want a conflict", err)
			}
			if _, err := w.say(ctx, scope, "hello"); err != nil {
				t.Errorf("the next turn: %v", err)
			}
			w.close(t)
			if at := holding(everything(t, p), "kx88canary"); len(at) > 0 {
				t.Errorf("the word is left in %q", at)
			}
		})
	}
}
