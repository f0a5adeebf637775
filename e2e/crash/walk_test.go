package crash_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A walk names nodes, models and tools; a tool that fails has an "after" as well, for the turn goes on.
func TestWalkOverATurn(t *testing.T) {
	t.Parallel()
	var saw []string
	w := &crash.Walk{Saw: func(place string) { saw = append(saw, place) }}
	chat := scripted.New([]scripted.Step{
		scripted.Calls(state.ToolCall{Name: "memory_store", Arguments: "not JSON"}, state.ToolCall{Name: "list_affairs", Arguments: "{}"}),
		scripted.Call("list_affairs", "{}"), scripted.Call("no_such_tool", "{}"), scripted.Say("Done."),
	}, nil)
	g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: w.Chat(chat), Now: storyTime})
	must(t, err)
	small := w.Small(scripted.Background(map[string]any{"detect": map[string]any{"type": "CONTINUE", "confidence": 0.9}}, nil))
	if _, err := g.Invoke(w.Context(t.Context()), graph.Request{Text: "Hello!", SmallModel: small, AskSmall: true}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"intake", "+intake", "memory_load", "+memory_load", "context_detect", "context_detect/model#1", "+context_detect/model#1",
		"+context_detect", "respond", "respond/model#1", "+respond/model#1", "respond/tool:memory_store#1", "+respond/tool:memory_store#1",
		"respond/tool:list_affairs#1", "+respond/tool:list_affairs#1", "respond/model#2", "+respond/model#2",
		"respond/tool:list_affairs#2", "+respond/tool:list_affairs#2", "respond/model#3", "+respond/model#3", "respond/tool:no_such_tool#1",
		"+respond/tool:no_such_tool#1", "respond/model#4", "+respond/model#4", "+respond", "memory_flush", "+memory_flush", "finalize", "+finalize",
	}
	for i, place := range want {
		if after, ok := strings.CutPrefix(place, "+"); ok {
			want[i] = "after " + after
		} else {
			want[i] = "before " + place
		}
	}
	same(t, "places", want, w.Passed())
	same(t, "seen", want, saw)
}

func TestWalkOverAStore(t *testing.T) {
	t.Parallel()
	w := &crash.Walk{}
	s := w.Store(ram.New())
	doc := store.Doc{Collection: state.Meta, ID: "a", Body: []byte{5, 0, 0, 0, 0}}
	if err := s.Write(t.Context(), doc); err != nil {
		t.Error(err)
	}
	if got, err := s.Get(t.Context(), state.Meta, "a"); err != nil || got.Rev != 1 {
		t.Errorf("Get = %+v, %v", got, err)
	}
	if list, err := s.Scan(t.Context(), store.Query{Collection: state.Meta}); err != nil || len(list) != 1 {
		t.Errorf("Scan = %d documents, %v", len(list), err)
	}
	if n, err := s.Delete(t.Context(), state.Meta, "a"); err != nil || n != 1 {
		t.Errorf("Delete = %d, %v", n, err)
	}
	if _, err := s.Get(t.Context(), state.Meta, "a"); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Get of what is gone = %v", err)
	}
	want := "write#1 get#1 scan#1 delete#1 get#2"
	var got []string
	for _, place := range w.Passed() {
		if call, ok := strings.CutPrefix(place, "after store/"); ok {
			got = append(got, call)
		}
	}
	if strings.Join(got, " ") != want || len(w.Passed()) != 10 || s.Features() != ram.New().Features() {
		t.Errorf("places %q, want %s", w.Passed(), want)
	}
}

// A write of several documents has places amid it where it is no transaction.
func TestWalkAmidAWrite(t *testing.T) {
	t.Parallel()
	empty := []byte{5, 0, 0, 0, 0}
	docs := []store.Doc{
		{Collection: state.Steps, ID: "a", Body: empty}, {Collection: state.Open, ID: "b", Body: empty}, {Collection: state.Feed, ID: "c", Body: empty},
	}
	for _, tt := range []struct {
		name  string
		store store.Store
		docs  []store.Doc
		want  []string
	}{
		{"a transaction", ram.New(), docs, nil},
		{"one document", ram.NewLoose(), docs[:1], nil},
		{"two", ram.NewLoose(), docs[:2], []string{"only 1 steps", "only 2 open"}},
		{"three", ram.NewLoose(), docs, []string{
			"only 1 steps", "all but 1 steps", "only 2 open", "all but 2 open", "only 3 feed", "all but 3 feed",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := &crash.Walk{}
			if err := w.Store(tt.store).Write(t.Context(), tt.docs...); err != nil {
				t.Error(err)
			}
			want := []string{"before store/write#1"}
			for _, part := range tt.want {
				want = append(want, "amid store/write#1, "+part)
			}
			same(t, "places", append(want, "after store/write#1"), w.Passed())
			for _, d := range tt.docs {
				if got, err := tt.store.Get(t.Context(), d.Collection, d.ID); err != nil || got.Rev != 1 {
					t.Errorf("%s = %+v, %v, want it written once", d.ID, got, err)
				}
			}
		})
	}
}

// The wrapped models answer as those in them do, errors included.
func TestWalkOverModels(t *testing.T) {
	t.Parallel()
	w := &crash.Walk{}
	chat, err := w.Chat(scripted.New([]scripted.Step{
		scripted.Say("one"), scripted.Say("two"), scripted.Fail(state.Errorf(state.Unavailable, "model", "down")), scripted.Fail(state.Errorf(state.Unavailable, "model", "down")),
	}, nil)).WithTools(nil)
	must(t, err)
	prompt := []*schema.Message{schema.UserMessage("?")}
	if out, err := chat.Generate(t.Context(), prompt); err != nil || out.Content != "one" {
		t.Errorf("Generate = %v, %v", out, err)
	}
	if text, err := streamed(t, chat, prompt); err != nil || text != "two" {
		t.Errorf("Stream = %q, %v", text, err)
	}
	if _, err := chat.Generate(t.Context(), prompt); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Generate of a failing model = %v", err)
	}
	if _, err := streamed(t, chat, prompt); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Stream of a failing model = %v", err)
	}
	if n := len(w.Passed()); n != 8 {
		t.Errorf("%d places, want 8: %q", n, w.Passed())
	}
}

func streamed(t *testing.T, m model.BaseChatModel, prompt []*schema.Message) (string, error) {
	t.Helper()
	r, err := m.Stream(t.Context(), prompt)
	if err != nil {
		return "", err
	}
	out, err := schema.ConcatMessageStream(r)
	if err != nil {
		return "", err
	}
	return out.Content, nil
}

func TestRun(t *testing.T) {
	t.Parallel()
	here := job{Do: "nothing", Driver: "sqlite", At: t.TempDir(), Notes: t.TempDir(), Life: 1}
	dies, unknown := here, here
	dies.Die, unknown.Do = "only place", "dance"
	dies.At, unknown.At = t.TempDir(), t.TempDir()
	self := []string{os.Args[0], childWord}
	for _, c := range []struct {
		name    string
		command []string
		job     any
		killed  bool
		want    string // in the error
	}{
		{"lives", self, here, false, ""},
		{"dies", self, dies, true, ""},
		{"fails", self, unknown, false, "unknown job dance"},
		{"is not there", []string{"/no/such/binary"}, here, false, "/no/such/binary"},
		{"answers nonsense", []string{"echo", "hello"}, here, false, "answers no JSON"},
		{"has no job", self, func() {}, false, "is no JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var a answer
			killed, err := crash.Run(t.Context(), c.command, c.job, &a)
			if killed != c.killed || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("Run = %v, %v, want %v and %q", killed, err, c.killed, c.want)
			}
		})
	}
}
