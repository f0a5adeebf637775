package nodes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// Twenty calls of a tool that takes 100 ms, in one answer: eight at once, results in the order of the calls.
func TestCallsRunSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, nil)
		var now, most, commits atomic.Int64
		slow := handmade{"slow", func(ctx context.Context, _ string) (string, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(100 * time.Millisecond)
			return state.IdempotencyKey(ctx), nil
		}}
		var ids, want []string
		for i := range 20 {
			ids = append(ids, fmt.Sprintf("slow.%d", i))
			want = append(want, fmt.Sprintf("%d tool c1/u1/s1/t1/2/slow.%d <slow.%d", i+3, i, i))
		}
		config := b.config(script(calling(ids...), scripted.Say("Done.")), slow)
		config.Commit = func(ctx context.Context, turn state.Turn) (state.Turn, error) {
			commits.Add(1)
			return b.commit(ctx, turn)
		}
		turn := b.arrive(t.Context(), t, "Hello!")
		began := time.Now()
		turn, err := b.run(t.Context(), turn, nodes.Respond(config))
		must(t, err)
		if took := time.Since(began); took > 310*time.Millisecond || most.Load() != 8 {
			t.Errorf("it took %s, with up to %d at once", took, most.Load())
		}
		if diff := cmp.Diff(want, lines(turn)[1:21]); diff != "" || lines(turn)[21] != "23 assistant Done." {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		if n := commits.Load(); n != 5 { // two answers, two times eight results, the rest
			t.Errorf("%d commits, want what ends together to share one", n)
		}
	})
}

// A result is durable when it is there, though others are still at work; after a kill only those run again, and the
// results stand in the order of the calls.
func TestEachResultIsCommittedWhenItIsThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		calls []string
		kept  string // of the first attempt
	}{
		{"the first is over first", []string{"quick", "hang"}, "3 tool quick 1"},
		{"the last is over first", []string{"hang", "quick"}, "4 tool quick 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, killed := setup(t, nil), errors.New("killed")
				var quicks, hangs int
				keys := map[string]bool{}
				var mu sync.Mutex
				note := func(ctx context.Context, n *int) int {
					mu.Lock()
					defer mu.Unlock()
					*n++
					keys[state.IdempotencyKey(ctx)] = true
					return *n
				}
				quick := handmade{"quick", func(ctx context.Context, _ string) (string, error) {
					return fmt.Sprint("quick ", note(ctx, &quicks)), nil
				}}
				hang := handmade{"hang", func(ctx context.Context, _ string) (string, error) {
					if note(ctx, &hangs) == 1 {
						<-ctx.Done()
					}
					return "hang over", nil
				}}
				m := script(calling(c.calls...), scripted.Say("Done."))
				config := b.config(m, quick, hang)
				config.Commit = func(ctx context.Context, turn state.Turn) (state.Turn, error) {
					turn, err := b.commit(ctx, turn)
					if len(b.kept(t)) == 2 {
						err = killed
					}
					return turn, err
				}
				turn := b.arrive(t.Context(), t, "Hello!")
				began := time.Now()
				if _, err := b.run(t.Context(), turn, nodes.Respond(config)); !errors.Is(err, killed) {
					t.Fatalf("got %v", err)
				}
				if got := b.kept(t); time.Since(began) != time.Millisecond || len(got) != 2 || got[1] != c.kept {
					t.Errorf("kept after %s: %q", time.Since(began), got)
				}
				config.Commit = b.commit
				end, err := b.run(t.Context(), b.durable, nodes.MemoryLoad(b.memory), nodes.Respond(config))
				if err != nil || quicks != 1 || hangs != 2 || len(keys) != 2 {
					t.Errorf("%v; quick ran %d times, hang %d, under %d keys", err, quicks, hangs, len(keys))
				}
				want := map[string]string{"quick": "quick 1", "hang": "hang over"}
				for i, name := range c.calls {
					if got := end.View.Get().Turn[2+i]; got.Text != want[name] || got.Seq != int64(3+i) || got.ID != fmt.Sprint("m", 3+i) {
						t.Errorf("result %d: %+v", i+1, got)
					}
				}
				if last := end.View.Get().Turn[4]; last.Text != "Done." || last.Seq != 5 {
					t.Errorf("the answer: %+v", last)
				}
			})
		})
	}
}

// limited is a tool that states its own time.
type limited struct {
	handmade
	time time.Duration
}

func (l limited) Timeout() time.Duration { return l.time }

// A tool that hangs, panics or says too much becomes a text for the model; the others are not held up.
func TestToolsHaveLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		tool  func(leave <-chan struct{}) tool.InvokableTool
		after time.Duration
		want  string
		stack bool
		left  int
	}{
		{"hangs", func(<-chan struct{}) tool.InvokableTool {
			return handmade{"bad", func(ctx context.Context, _ string) (string, error) { <-ctx.Done(); return "", ctx.Err() }}
		}, time.Minute, "error: tool bad: gave no result within 1m0s and was given up", false, 0},
		{"hangs and does not heed its context", func(leave <-chan struct{}) tool.InvokableTool {
			return handmade{"bad", func(context.Context, string) (string, error) { <-leave; return "too late", nil }}
		}, time.Minute + 100*time.Millisecond, "error: tool bad: gave no result within 1m0s and was given up", false, 1},
		{"states its own time", func(leave <-chan struct{}) tool.InvokableTool {
			return limited{handmade{"bad", func(context.Context, string) (string, error) { <-leave; return "", nil }}, time.Hour}
		}, time.Hour + 100*time.Millisecond, "error: tool bad: gave no result within 1h0m0s and was given up", false, 1},
		{"streams, and ends in order when its time is over", func(<-chan struct{}) tool.InvokableTool {
			return tools.Join(streaming{"bad", func(ctx context.Context, w *schema.StreamWriter[string]) {
				w.Send("half of ", nil)
				<-ctx.Done()
			}})
		}, time.Minute, "error: tool bad: gave no result within 1m0s and was given up", false, 0},
		{"streams and does not heed its context", func(leave <-chan struct{}) tool.InvokableTool {
			return tools.Join(streaming{"bad", func(_ context.Context, w *schema.StreamWriter[string]) {
				w.Send("half of ", nil)
				<-leave
			}})
		}, time.Minute + 100*time.Millisecond, "error: tool bad: gave no result within 1m0s and was given up", false, 1},
		{"panics", func(<-chan struct{}) tool.InvokableTool {
			return handmade{"bad", func(context.Context, string) (string, error) { panic("kaboom") }}
		}, 0, "error: tool bad: panicked: kaboom", true, 0},
		{"says too much", func(<-chan struct{}) tool.InvokableTool {
			return handmade{"bad", func(context.Context, string) (string, error) { return strings.Repeat("x", 1<<20+1), nil }}
		}, 0, "error: tool bad: answered 1048577 bytes, at most 1048576 are taken; ask it for less", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, leave, h := setup(t, nil), make(chan struct{}), &heard{}
				var log bytes.Buffer
				ids := []string{"bad"}
				for i := range 19 {
					ids = append(ids, fmt.Sprintf("good.%d", i))
				}
				var good atomic.Int64
				fine := handmade{"good", func(context.Context, string) (string, error) { good.Add(1); return "fine", nil }}
				config := b.config(script(calling(ids...), scripted.Say("Done.")), c.tool(leave), fine)
				config.Logger, config.Calls = slog.New(slog.NewJSONHandler(&log, nil)), &nodes.Calls{}
				turn := b.arrive(t.Context(), t, "Hello!")
				began := time.Now()
				ctx := callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "test"}, h.handler())
				turn, err := b.run(ctx, turn, nodes.Respond(config))
				must(t, err)
				synctest.Wait()
				if got := turn.View.Get().Turn[2].Text; got != c.want || time.Since(began) != c.after || good.Load() != 19 {
					t.Errorf("after %s, with %d others: %q", time.Since(began), good.Load(), got)
				}
				if notes := b.trace.Notes(); !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(c.want, strings.TrimPrefix(n, "respond: ")) }) {
					t.Errorf("notes: %q", notes)
				}
				if s := log.String(); !strings.Contains(s, `"level":"WARN"`) || !strings.Contains(s, `"tool":"bad"`) || strings.Contains(s, "goroutine ") != c.stack {
					t.Errorf("log: %s", s)
				}
				if n := config.Calls.Open(); n != c.left {
					t.Errorf("%d are left behind, want %d", n, c.left)
				}
				if !slices.Contains(h.list, "start bad /Tool") || !slices.Contains(h.list, "error bad /Tool") {
					t.Errorf("callbacks: %q", h.list)
				}
				close(leave)
			})
		})
	}
}

// An unknown tool is heard of by callback handlers, too.
func TestCallbacksOfAnUnknownTool(t *testing.T) {
	t.Parallel()
	b, h := setup(t, nil), &heard{}
	ctx := callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "test"}, h.handler())
	if _, err := b.respond(ctx, t, script(calling("bok"), scripted.Say("Done."))); err != nil {
		t.Fatal(err)
	}
	if got := h.list[4:6]; !slices.Equal(got, []string{"start bok /Tool", "error bok /Tool"}) {
		t.Errorf("heard %q", got)
	}
}

// A callback handler that panics beside the turn's own goroutine does not take the process down.
func TestACallbackThatPanics(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	handler := callbacks.NewHandlerBuilder().OnStartFn(func(ctx context.Context, i *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
		if i.Name == "list_affairs" {
			panic("no span")
		}
		return ctx
	}).Build()
	ctx := callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "test"}, handler)
	turn, err := b.respond(ctx, t, script(calling("list_affairs"), scripted.Say("Done.")))
	must(t, err)
	if got := turn.View.Get().Turn[2].Text; got != "error: tool list_affairs: a callback panicked: no span" {
		t.Errorf("got %q", got)
	}
}

// What a call writes to memory becomes durable with its own result, and with no other's; a call that fails, asks or is left
// behind writes nothing, and is heard no more.
func TestWhatACallWritesGoesWithItsResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, leave := setup(t, nil), make(chan struct{})
		write := func(ctx context.Context, what string) {
			if _, err := b.memory.Write(ctx, scope(), memory.Change{Kind: "fact", Subject: what, Content: what}); err != nil {
				t.Error(err)
			}
		}
		list := []tool.InvokableTool{
			handmade{"fast", func(ctx context.Context, _ string) (string, error) { write(ctx, "apples"); return "", nil }},
			handmade{"slow", func(ctx context.Context, _ string) (string, error) {
				write(ctx, "bridges")
				time.Sleep(time.Second)
				return "", nil
			}},
			handmade{"fails", func(ctx context.Context, _ string) (string, error) {
				write(ctx, "candles")
				return "", errors.New("no")
			}},
			handmade{"panics", func(ctx context.Context, _ string) (string, error) { write(ctx, "doors"); panic("no") }},
			handmade{"hangs", func(ctx context.Context, _ string) (string, error) {
				write(ctx, "engines")
				<-leave
				write(ctx, "feathers")
				state.Emit(ctx, state.Event{Name: "late"})
				return "", nil
			}},
		}
		var seen []string
		config := b.config(script(calling("slow", "hangs", "fails", "panics", "fast"), scripted.Say("Done.")), list...)
		config.Commit = func(ctx context.Context, turn state.Turn) (state.Turn, error) {
			turn, err := b.commit(ctx, turn)
			records, _ := b.memory.Records(t.Context(), scope())
			var names []string
			for _, r := range records {
				names = append(names, r.Content)
			}
			seen = append(seen, fmt.Sprint(len(b.kept(t)), names))
			return turn, err
		}
		turn := b.arrive(t.Context(), t, "Hello!")
		turn, err := b.run(t.Context(), turn, nodes.Respond(config))
		must(t, err)
		close(leave)
		synctest.Wait()
		want := []string{"1 []", "4 [apples]", "5 [apples bridges]", "6 [apples bridges]", "7 [apples bridges]"}
		same(t, "messages and records at each commit", want, seen)
		if n := len(turn.Receipts.Items()); n != 2 || slices.Contains(b.names(), "late") {
			t.Errorf("%d receipts; events %v", n, b.names())
		}
	})
}

// Memory tools of one answer run one after the other, beside the host's: a recall finds what the call before it stored.
func TestMemoryToolsSeeEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, nil)
		tick := handmade{"tick", func(context.Context, string) (string, error) { return "", nil }}
		tock := handmade{"tock", func(context.Context, string) (string, error) { time.Sleep(time.Second); return "", nil }}
		m := script(scripted.Calls(
			state.ToolCall{ID: "tock", Name: "tock"}, state.ToolCall{ID: "tick", Name: "tick"},
			state.ToolCall{ID: "a", Name: "memory_store", Arguments: `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`},
			state.ToolCall{ID: "b", Name: "memory_search", Arguments: `{"query":"seat"}`},
		), scripted.Say("Done."))
		turn, err := b.respond(t.Context(), t, m, tick, tock)
		must(t, err)
		if got := turn.View.Get().Turn[5].Text; !strings.Contains(got, "14C") {
			t.Errorf("the recall: %q", got)
		}
	})
}

// A call that is begun again and again without a result is given up for good; what waits for a person does not count.
func TestAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	waits, ran, paid := 2, 0, 0
	var cancel context.CancelFunc
	poison := handmade{"poison", func(ctx context.Context, _ string) (string, error) {
		if waits > 0 {
			waits--
			return "", state.ErrWaits
		}
		ran++
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	}}
	pay := handmade{"pay", func(context.Context, string) (string, error) { paid++; return "paid", nil }}
	config := b.config(script(calling("poison", "pay"), scripted.Say("Done.")), poison, pay)
	b.durable = b.arrive(t.Context(), t, "Hello!")
	var end state.Turn
	var err error
	for attempt := 1; attempt <= 6; attempt++ {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		before := b.commits
		end, err = b.run(ctx, b.durable, nodes.MemoryLoad(b.memory), nodes.Respond(config))
		switch n := b.commits - before; {
		case attempt <= 2 && !errors.Is(err, state.ErrWaits), attempt > 2 && attempt < 6 && state.CodeOf(err) != state.Unavailable:
			t.Errorf("attempt %d: %v", attempt, err)
		case attempt > 2 && attempt < 6 && n != 1:
			t.Errorf("attempt %d made %d commits, want one that notes it", attempt, n)
		}
	}
	if err != nil || ran != 3 || paid != 1 {
		t.Fatalf("%v; it was begun %d times, the other paid %d times", err, ran, paid)
	}
	want := []string{"3 tool error: tool poison: was begun 3 times and never came to a result; it is not begun again <poison", "4 tool paid <pay", "5 assistant Done."}
	same(t, "messages", want, lines(end)[1:])
}

// All calls of an answer that need a person ask together; the others are over and kept by then.
func TestCallsAskTogether(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	answers := map[string]state.Answer{}
	asker := func(_ context.Context, q state.Question) (state.Answer, error) {
		if a, ok := answers[q.Call]; ok || q.IfAsked {
			return a, nil
		}
		return state.Answer{}, fmt.Errorf("question %s: %w", q.Call, state.ErrWaits)
	}
	paid := map[string]int{}
	var mu sync.Mutex
	pay := handmade{"pay", func(ctx context.Context, _ string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		paid[state.IdempotencyKey(ctx)]++
		return "paid", nil
	}}
	look := handmade{"look", func(context.Context, string) (string, error) { return "seen", nil }}
	config := b.config(script(calling("pay.1", "look", "pay.2"), scripted.Say("Done.")), pay, look)
	config.Approve = func(_ context.Context, _, name, _ string) bool { return name == "pay" }
	ctx := state.ContextWithAsker(t.Context(), asker)
	b.durable = b.arrive(t.Context(), t, "Hello!")
	_, err := b.run(ctx, b.durable, nodes.Respond(config))
	if !errors.Is(err, state.ErrWaits) || !strings.Contains(err.Error(), "question 2/pay.1") || !strings.Contains(err.Error(), "question 2/pay.2") {
		t.Fatalf("want both questions, got %v", err)
	}
	if got := b.kept(t); len(got) != 2 || got[1] != "4 tool seen" || len(paid) > 0 {
		t.Errorf("kept %q, paid %v", got, paid)
	}
	answers["2/pay.1"], answers["2/pay.2"] = state.Answer{Choice: state.Approve}, state.Answer{Choice: state.Reject, Reason: "too much"}
	end, err := b.run(ctx, b.durable, nodes.MemoryLoad(b.memory), nodes.Respond(config))
	if err != nil || len(paid) != 1 {
		t.Fatalf("paid %v, %v", paid, err)
	}
	want := []string{"3 tool paid <pay.1", "4 tool seen <look", "5 tool error: tool pay: the user refused it. too much <pay.2", "6 assistant Done."}
	same(t, "messages", want, lines(end)[1:])
}

// Whether the turn is stopped or its context ends: what was over is kept. A stop closes the turn; else the rest runs later.
func TestToolsAreGivenUp(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{false, true} {
		t.Run(fmt.Sprintf("resume %v", resume), func(t *testing.T) {
			t.Parallel()
			b, stop, leave := setup(t, nil), state.NewStop(), make(chan struct{})
			defer close(leave)
			ctx, cancel := context.WithCancel(state.ContextWithStop(t.Context(), stop))
			defer cancel()
			end := func() { stop.Now(errors.New("the caller went away")) }
			if resume {
				end = cancel
			}
			var hung atomic.Int64
			began := make(chan struct{})
			quick := handmade{"quick", func(context.Context, string) (string, error) { <-began; end(); return "seen", nil }}
			hang := handmade{"hang", func(context.Context, string) (string, error) {
				if hung.Add(1) == 1 {
					close(began)
					<-leave
				}
				return "over", nil
			}}
			config := b.config(script(calling("hang", "quick"), scripted.Say("Done.")), hang, quick)
			turn := b.arrive(t.Context(), t, "Hello!")
			turn, err := b.run(ctx, turn, nodes.Respond(config))
			cut := "3 tool error: the turn was cut short before this call was over <hang"
			if resume {
				if got := b.kept(t); state.CodeOf(err) != state.Unavailable || !errors.Is(err, context.Canceled) || len(got) != 2 || got[1] != "4 tool seen" {
					t.Fatalf("kept %q, %v", got, err)
				}
				cut = "3 tool over <hang"
				turn, err = b.run(t.Context(), b.durable, nodes.MemoryLoad(b.memory), nodes.Respond(config))
			}
			got := lines(turn)
			if err != nil || got[1] != cut || got[2] != "4 tool seen <quick" || turn.Failure.IsSet() == resume || resume != (len(got) == 4) {
				t.Errorf("%v, failure %+v, messages %q", err, turn.Failure.Get(), got)
			}
		})
	}
}
