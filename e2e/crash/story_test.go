package crash_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// The story: an order is placed and parked for a university. The turn that is killed goes back to the order, keeps
// a fact, rings the shop, recalls the fact, and answers.
const (
	ordered   = "I ordered brake pads, order number 07-14244-53150."
	inscribed = "My university wrote, the deadline is 1 March 2026."
	wanted    = "Back to the brake pads: they cost 38.10 EUR. Please ring the shop and tell me what you know."
	answered  = "The brake pads cost 38.10 EUR, the shop was rung."
)

// scope is whose story it is.
func scope() state.Scope { return state.Scope{}.Default() }

func storyTime() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) }

// line is one turn of the story with its models.
type line struct {
	text  string
	chat  []scripted.Step
	small map[string]any
}

// line is the turn that says text.
func lineOf(text string) line {
	detect := func(kind state.Kind, target, title string) map[string]any {
		return map[string]any{"type": kind, "target_affair": target, "new_affair_title": title, "confidence": 0.95, "reasoning": "scripted"}
	}
	switch text {
	case ordered:
		return line{text, []scripted.Step{scripted.Say("Kept.")}, map[string]any{"detect": detect(state.NewAffair, "", "Brake pads")}}
	case inscribed:
		return line{text, []scripted.Step{
			scripted.Call("memory_store", `{"subject":"deadline","content":"1 March 2026","category":"deadline"}`), scripted.Say("Kept, too."),
		}, map[string]any{
			"detect": detect(state.NewAffair, "", "University"),
			"park":   map[string]any{"summary": "Brake pads are on their way.", "key_facts": map[string]string{"order": "07-14244-53150"}},
		}}
	}
	return line{wanted, []scripted.Step{
		scripted.Calls(
			state.ToolCall{Name: "memory_store", Arguments: `{"subject":"price","content":"The brake pads cost 38.10 EUR.","category":"fact"}`},
			state.ToolCall{Name: "ring", Arguments: `{"whom":"shop"}`},
		),
		scripted.Call("memory_recall", `{"query":"price of the brake pads","scope":"all"}`),
		scripted.Say(answered),
	}, map[string]any{
		"detect": detect(state.Switch, "Brake pads", ""),
		"park":   map[string]any{"summary": "The university waits until 1 March.", "pending_actions": []string{"send the papers"}},
	}}
}

// play lives one life of the turn in this process: it begins it, or goes on as a host does after a crash.
// Places go on until all is tidied up behind the turn.
func (j job) play(ctx context.Context, w *crash.Walk, s store.Store) (_ string, err error) {
	l := lineOf(wanted)
	settings := state.DefaultSettings()
	settings.ParallelTools = 1 // else the order of the places differs from run to run
	g, err := graph.New(ctx, graph.Config{
		Settings: settings, Store: w.Store(s), Now: j.clock(s), NewID: j.newID(),
		Model: w.Chat(&billed{scripted.New(l.chat, nil), j.Notes}), Tools: []tool.InvokableTool{ring{j.Notes}}, After: together,
	})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	ctx = w.Context(ctx)
	if !j.Rules {
		ctx = memory.ContextWithSmall(ctx, w.Small(billedSmall{scripted.Background(l.small, nil), j.Notes}))
	}
	if j.Do == "recover" && j.GoOn != "again" {
		if j.GoOn == "sweeps" {
			if _, err := g.Sweep(ctx, "", true); err != nil {
				return "", err
			}
		}
		r, err := g.Resume(ctx, scope())
		if err == nil || !errors.Is(err, state.ErrNotFound) {
			return r.Text, err
		}
		if reply, err := replyTo(ctx, g.Memory(), scope(), wanted); reply != "" || err != nil { // it was done, only nobody was told
			return reply, err
		}
	}
	r, err := g.Invoke(ctx, graph.Request{Text: l.text, AskSmall: !j.Rules, MessageID: "wanted"})
	return r.Text, err
}

// together lets none of the short waits end: results of one answer share a commit, so that the story has one end.
func together(d time.Duration) <-chan time.Time {
	if d <= time.Millisecond {
		return nil
	}
	return time.After(d)
}

// after is the next turn of the session, in a graph that knows only what is in the store: what it decides and what the
// model is shown.
func (j job) after(ctx context.Context, s store.Store) (_ string, err error) {
	now := j.clock(s)
	j.Life += 1000 // ids of its own
	g, err := graph.New(ctx, graph.Config{
		Store: s, Now: now, NewID: j.newID(), Model: scripted.New([]scripted.Step{scripted.Say("It is 1 March.")}, nil),
	})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	r, err := g.Invoke(ctx, graph.Request{Text: "By the way, what did the university say about the deadline?"})
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s %q\n", r.Decision.Kind, r.Decision.Title)
	if r.Active != nil {
		text += fmt.Sprintf("active %q\n", r.Active.Title)
	}
	for _, m := range r.Trace.Prompts[0] {
		text += fmt.Sprintf("%s: %s\n", m.Role, m.Content)
	}
	return text, nil
}

// replyTo is the reply to a message of a session if it is kept, "" if there is none.
func replyTo(ctx context.Context, m *memory.Memory, in state.Scope, text string) (string, error) {
	list, err := m.Messages(ctx, in)
	if err != nil {
		return "", err
	}
	reply, asked := "", false
	for _, msg := range list {
		asked = asked || msg.Text == text
		if asked && msg.Role == state.RoleAssistant {
			reply = msg.Text
		}
	}
	if asked && reply == "" {
		return "", errors.New("the message is kept, but its turn neither goes on nor has an answer")
	}
	return reply, nil
}

// prepared makes a store that is ready for the turn.
func prepared(t *testing.T, d driver) (at string) {
	t.Helper()
	at = d.fresh(t)
	s, err := d.open(t.Context(), at)
	must(t, err)
	newID := job{Life: 0}.newID()
	for _, text := range []string{ordered, inscribed} {
		l := lineOf(text)
		g, err := graph.New(t.Context(), graph.Config{
			Store: s, Now: storyTime, NewID: newID, Model: scripted.New(l.chat, nil), SmallModel: scripted.Background(l.small, nil),
		})
		must(t, err)
		_, err = g.Invoke(t.Context(), graph.Request{Text: text, AskSmall: true})
		if err := errors.Join(err, g.Close()); err != nil {
			t.Fatalf("turn %q: %v", text, err)
		}
	}
	must(t, s.Close())
	return at
}

// ring is a host's tool with an effect outside: a line in a file, on the disk before it returns.
type ring struct{ notes string }

func (r ring) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: "ring", Desc: "Rings somebody."}, nil
}

func (r ring) InvokableRun(ctx context.Context, args string, _ ...tool.Option) (string, error) {
	f, err := os.OpenFile(filepath.Join(r.notes, "rung"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(f, "%s %s\n", state.IdempotencyKey(ctx), args)
	return "rung", errors.Join(err, f.Sync(), f.Close())
}

// billed notes each answer of a chat model: it costs money from then on.
type billed struct {
	model.ToolCallingChatModel
	notes string
}

func (b *billed) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, err := b.ToolCallingChatModel.Stream(ctx, in, opts...)
	return out, errors.Join(err, note(b.notes, "billed", fmt.Sprintf("chat %d", spoken(in))))
}

// spoken counts the messages of a prompt that are no quotes of memory: an attempt that goes on may find more in memory than the one
// before it, and asks the same.
func spoken(in []*schema.Message) (n int) {
	for _, m := range in {
		if !strings.HasPrefix(m.Content, "# Context") {
			n++
		}
	}
	return n
}

func (b *billed) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	m, err := b.ToolCallingChatModel.WithTools(tools)
	return &billed{m, b.notes}, err
}

// billedSmall does so for a small model, whose tasks without a script cost nothing.
type billedSmall struct {
	model.BaseChatModel
	notes string
}

func (b billedSmall) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	out, err := b.BaseChatModel.Generate(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	return out, note(b.notes, "billed", "small "+scripted.TaskOf(in))
}
