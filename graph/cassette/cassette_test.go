package cassette_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/cassette"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a tape in a folder of the test.
func open(t *testing.T, c cassette.Config) *cassette.Model {
	t.Helper()
	m, err := cassette.Open(c)
	must(t, err)
	return m
}

func ask(text string) []*schema.Message {
	return []*schema.Message{schema.SystemMessage("Be brief."), schema.UserMessage(text)}
}

// say is what a stream says, as far as it comes, and in how many chunks.
func say(ctx context.Context, m model.BaseChatModel, in []*schema.Message) (text string, chunks int, err error) {
	r, err := m.Stream(ctx, in)
	if err != nil {
		return "", 0, err
	}
	defer r.Close()
	for {
		chunk, err := r.Recv()
		if errors.Is(err, io.EOF) {
			return text, chunks, nil
		}
		if err != nil {
			return text, chunks, err
		}
		text, chunks = text+chunk.Content, chunks+1
	}
}

// What was recorded is played: whole answers, chunks, calls, usage, errors, one request several times.
func TestRecordAndPlay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	busy := &state.Error{Code: state.Unavailable, Op: "model m", Err: errors.New("limits the rate"), RetryAfter: 3 * time.Second}
	rec := open(t, cassette.Config{File: file, Model: scripted.New([]scripted.Step{
		scripted.Say("First."), scripted.Say("Second of all."), scripted.Fail(busy), scripted.Call("list_affairs", "{}"), scripted.Say("Again."),
	}, nil)})
	for _, text := range []string{"one", "two"} {
		if _, _, err := say(t.Context(), rec, ask(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rec.Generate(t.Context(), ask("three")); !errors.Is(err, state.ErrUnavailable) {
		t.Fatal(err)
	}
	for _, text := range []string{"four", "one"} {
		if _, err := rec.Generate(t.Context(), ask(text)); err != nil {
			t.Fatal(err)
		}
	}

	play := open(t, cassette.Config{File: file})
	for i, want := range []string{"First.", "Again.", "Again."} {
		if got, err := play.Generate(t.Context(), ask("one")); err != nil || got.Content != want {
			t.Errorf("time %d: got %v, %v, want %q", i+1, got, err, want)
		}
	}
	if got, chunks, err := say(t.Context(), play, ask("two")); got != "Second of all." || chunks != 3 || err != nil {
		t.Errorf("got %q in %d chunks, %v", got, chunks, err)
	}
	_, err := play.Generate(t.Context(), ask("three"))
	if !errors.Is(err, state.ErrUnavailable) || state.RetryAfter(err) != 3*time.Second || !strings.Contains(err.Error(), "limits the rate") {
		t.Errorf("got %v with RetryAfter %v, want the recorded error", err, state.RetryAfter(err))
	}
	if _, _, err := say(t.Context(), play, ask("three")); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("stream: got %v, want the recorded error", err)
	}
	got, err := play.Generate(t.Context(), ask("four"))
	if err != nil || len(got.ToolCalls) != 1 || got.ToolCalls[0].Function.Name != "list_affairs" || got.ResponseMeta.Usage == nil {
		t.Errorf("got %+v, %v, want the call with its usage", got, err)
	}
}

// A stream that breaks is played up to where it broke; one that its reader closes, or whose caller has gone, is not on the tape.
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	rec := open(t, cassette.Config{File: file, Model: breaks{}})
	if got, _, err := say(t.Context(), rec, ask("break")); got != "half" || !errors.Is(err, state.ErrUnavailable) {
		t.Fatalf("got %q, %v", got, err)
	}
	r, err := rec.Stream(t.Context(), ask("closed"))
	must(t, err)
	r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := say(ctx, rec, ask("gone")); err == nil {
		t.Fatal("want the error")
	}
	play := open(t, cassette.Config{File: file})
	if got, chunks, err := say(t.Context(), play, ask("break")); got != "half" || chunks != 1 || !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("got %q in %d chunks, %v, want what came and the error", got, chunks, err)
	}
	for _, text := range []string{"closed", "gone"} {
		if _, err := play.Generate(t.Context(), ask(text)); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%s: got %v, want an Invalid", text, err)
		}
	}
}

// breaks is a model whose streams break.
type breaks struct{ *offline.Model }

func (breaks) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	r, w := schema.Pipe[*schema.Message](2)
	w.Send(schema.AssistantMessage("half", nil), nil)
	w.Send(nil, state.Errorf(state.Unavailable, "model m", "stream was cut"))
	w.Close()
	return r, nil
}

func (b breaks) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return b, nil }

// A request that is not on the tape is told what differs from the nearest.
func TestNotOnTheTape(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	rec := open(t, cassette.Config{File: file, Model: scripted.New([]scripted.Step{scripted.Say("a"), scripted.Say("b")}, offline.New())})
	tools := []*schema.ToolInfo{{Name: "list_affairs", Desc: "Lists."}, {Name: "memory_recall", Desc: "Recalls."}}
	offering, err := rec.WithTools(tools)
	must(t, err)
	if _, err := offering.Generate(t.Context(), ask("secret question")); err != nil {
		t.Fatal(err)
	}
	if _, err := rec.Generate(t.Context(), append(ask("long"), schema.AssistantMessage("x", nil), schema.UserMessage("y"))); err != nil {
		t.Fatal(err)
	}
	play := open(t, cassette.Config{File: file})
	for _, tc := range []struct {
		name  string
		in    []*schema.Message
		tools []*schema.ToolInfo
		want  string
	}{
		{"another question", ask("secret answer"), tools, "the nearest is call 1, but message 2 of 2 (user) differs from byte"},
		{"another system prompt", []*schema.Message{schema.SystemMessage("Be long."), schema.UserMessage("x")}, tools, "message 1 of 2 (system) differs"},
		{"fewer messages", append(ask("long"), schema.AssistantMessage("x", nil)), nil, "the nearest is call 2, but it has 3 messages, the tape has 4"},
		{"no tools", ask("secret question"), nil, "only the tape has list_affairs, memory_recall"},
		{"one tool more", ask("secret question"), append(slices.Clone(tools), &schema.ToolInfo{Name: "fetch"}), "only the request has fetch"},
		{"a tool that says otherwise", ask("secret question"), []*schema.ToolInfo{tools[0], {Name: "memory_recall", Desc: "Looks up."}},
			"only the request has memory_recall; only the tape has memory_recall"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m, err := play.WithTools(tc.tools)
			must(t, err)
			_, err = m.Generate(t.Context(), tc.in)
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want an Invalid with %q and no text of the request", err, tc.want)
			}
		})
	}
}

// Keys never reach the file, contacts do not when asked for, and a redacted tape still answers.
func TestRedaction(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	secrets := []string{
		"Bearer abcdef0123456789", "sk-proj-0123456789abcdef", "AIzaSyA0123456789abcdefghijklmn", "AKIAIOSFODNN7EXAMPLE", "ghp_0123456789abcdefghijABCDEFGHIJ",
		"xoxb-123456789012-abc", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0abc.c2lnbmF0dXJl", "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----",
		"jana.nováková@example.cz", "+420 777 123 456", "777 123 456",
	}
	plain := []string{"order 07-14244-53150", "2026-11-24", "task-0123456789ab"}
	question := strings.Join(append(slices.Clone(secrets), plain...), " | ")
	rec := open(t, cassette.Config{File: file, Redact: cassette.Contacts, Model: scripted.New([]scripted.Step{
		scripted.Calls(state.ToolCall{Name: "memory_store", Arguments: fmt.Sprintf("{%q:%q}", "text", question)}),
		scripted.Fail(errors.New("refused " + question)),
	}, nil)})
	if got, err := rec.Generate(t.Context(), ask(question)); err != nil || !strings.Contains(got.ToolCalls[0].Function.Arguments, secrets[1]) {
		t.Fatalf("the recorded model's own answer is changed: %v, %v", got, err)
	}
	if _, err := rec.Generate(t.Context(), ask("again "+question)); err == nil {
		t.Fatal("want the error")
	}
	data, err := os.ReadFile(file)
	must(t, err)
	for _, s := range secrets {
		for line := range strings.SplitSeq(s, "\n") {
			if strings.Contains(string(data), line) {
				t.Errorf("the tape holds %q", line)
			}
		}
	}
	for _, s := range plain {
		if !strings.Contains(string(data), s) {
			t.Errorf("the tape has lost %q", s)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v: others can read it", info.Mode(), err)
	}
	if _, err := open(t, cassette.Config{File: file, Redact: cassette.Contacts}).Generate(t.Context(), ask(question)); err != nil {
		t.Errorf("played: %v", err)
	}
}

// A turn with a tool is recorded and played in another store; what the user is told is the same, and the tool runs both times.
func TestTurns(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	turn := func(m model.ToolCallingChatModel, n int) []string {
		g, err := graph.New(t.Context(), graph.Config{
			Store: ram.New(), Model: m, SmallModel: m, Settings: state.DefaultSettings(),
			Now:   func() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) },
			NewID: func() string { n++; return fmt.Sprintf("%024x", n) },
		})
		must(t, err)
		defer g.Close()
		var said []string
		for _, text := range []string{"I ordered brake pads, order number 07-14244-53150.", "What did I order?", "Thanks!"} {
			reply, err := g.Invoke(t.Context(), graph.Request{Text: text})
			must(t, err)
			said = append(said, fmt.Sprint(reply.Text, len(reply.Tools)))
		}
		return said
	}
	recorded := turn(open(t, cassette.Config{File: file, Model: offline.New()}), 0)
	same(t, "recorded and played", recorded, turn(open(t, cassette.Config{File: file}), 1<<40))
}

// Ids are others in another store: the request is found all the same, and its answer has the ids of who asks, also where chunks
// divide them.
func TestIds(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	const one, two = "01a20d539c537b1b3f2a2d22", "89230e45-f73f-48e5-b98a-9cec0c41b1fe"
	const three, four = "01a20d539c537b1b3f2a2d23", "89230e45-f73f-48e5-b98a-9cec0c41b1ff"
	question := func(a, b string) []*schema.Message { return ask(a + " or " + b + ", or " + a + "?") }
	rec := open(t, cassette.Config{File: file, Model: pieces{}})
	if _, _, err := say(t.Context(), rec, question(one, two)); err != nil {
		t.Fatal(err)
	}
	play := open(t, cassette.Config{File: file})
	for _, tc := range []struct{ a, b, want string }{
		{one, two, "take " + one + " and 123456789012345678901234"}, {three, four, "take " + three + " and 123456789012345678901234"},
	} {
		if got, _, err := say(t.Context(), play, question(tc.a, tc.b)); got != tc.want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, tc.want)
		}
	}
	if _, _, err := say(t.Context(), play, ask(one+" or "+two+", or "+two+"?")); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("got %v, want an Invalid: it is another request", err)
	}
}

// pieces is a model whose chunks divide an id.
type pieces struct{ *offline.Model }

func (pieces) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return schema.StreamReaderFromArray([]*schema.Message{
		schema.AssistantMessage("take 01a20d539c53", nil), schema.AssistantMessage("7b1b3f2a2d22 and 123456789012345678901234", nil),
	}), nil
}

func (p pieces) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return p, nil }

// Many callers and two models record on one tape, and many play it.
func TestTogether(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	each := func(m ...*cassette.Model) {
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				if _, _, err := say(t.Context(), m[i%len(m)], ask(fmt.Sprint("question ", i))); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	each(open(t, cassette.Config{File: file, Model: offline.New()}), open(t, cassette.Config{File: file, Model: offline.New()}))
	each(open(t, cassette.Config{File: file}))
}

// Files that are no tape, or a damaged one.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	const head = `{"format":"mneme-cassette","version":1}` + "\n"
	for _, tc := range []struct {
		name, text, want string
	}{
		{"empty", "", "no first line"},
		{"not a tape", "hello\n", "is no tape"},
		{"another's JSON", `{"a":1}` + "\n", "is no tape"},
		{"a newer version", `{"format":"mneme-cassette","version":2}` + "\n", "has version 2, and 1 is read"},
		{"a line that is no JSON", head + "{]\n", "line 2 is no call"},
		{"a call without an answer", head + `{"request":{"messages":[]}}` + "\n", "line 2 has no answer"},
		{"an answer that is no message", head + `{"request":{"messages":[]},"answer":[7]}` + "\n", "line 2 has no answer"},
		{"half a line at the end", head + `{"request":{"mess`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "tape.jsonl")
			must(t, os.WriteFile(file, []byte(tc.text), 0o600))
			_, err := cassette.Open(cassette.Config{File: file})
			if tc.want == "" && err != nil || tc.want != "" && (!errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if tc.want != "" {
				return
			}
			if _, err := open(t, cassette.Config{File: file, Model: offline.New()}).Generate(t.Context(), ask("Hello")); err != nil {
				t.Fatal(err)
			}
			if _, err := open(t, cassette.Config{File: file}).Generate(t.Context(), ask("Hello")); err != nil {
				t.Errorf("what was recorded behind half a line: %v", err)
			}
		})
	}
	if _, err := cassette.Open(cassette.Config{File: filepath.Join(t.TempDir(), "nowhere")}); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("no file: got %v, want a NotFound", err)
	}
	if _, err := cassette.Open(cassette.Config{}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("no name: got %v, want an Invalid", err)
	}
}

// Whatever a file holds, it is a tape or an Invalid, and what is played is the same twice.
func FuzzRead(f *testing.F) {
	const head = `{"format":"mneme-cassette","version":1}` + "\n"
	for _, s := range []string{
		"", head, head + `{"request":{"messages":[{"role":"user","content":"x"}]},"answer":[{"role":"assistant","content":"y"}]}` + "\n",
		head + `{"request":{"messages":[null,{"tool_calls":[{}]}],"tools":["a b"]},"error":{"code":"invalid","text":"t"}}` + "\n", head + "null\n", head + `{"answer":[{"extra":{"a":[1]}}]}` + "\n",
	} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(dir, fmt.Sprintf("%x.jsonl", os.Getpid()))
		must(t, os.WriteFile(file, data, 0o600))
		m, err := cassette.Open(cassette.Config{File: file})
		if err != nil {
			if !errors.Is(err, state.ErrInvalid) {
				t.Errorf("got %v, want an Invalid", err)
			}
			return
		}
		got, failed := m.Generate(t.Context(), []*schema.Message{schema.UserMessage("x")})
		if got == nil && failed == nil {
			t.Error("neither an answer nor an error")
		}
	})
}

var must, same = statetest.Must, statetest.Same
