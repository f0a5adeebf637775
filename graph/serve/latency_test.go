package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

// late is a model whose first word comes after a while, as one far away does.
type late struct {
	model.ToolCallingChatModel
	by time.Duration
}

func (l late) wait(ctx context.Context) error {
	select {
	case <-time.After(l.by):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l late) Generate(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	return l.ToolCallingChatModel.Generate(ctx, in, opts...)
}

func (l late) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	return l.ToolCallingChatModel.Stream(ctx, in, opts...)
}

// WithTools leaves the tools out: the answer comes at once, as that of a model that needs none.
func (l late) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return l, nil }

// firstToken is how long the first word of an answer takes.
func (s *service) firstToken(t *testing.T, body object) (took time.Duration, decision string) {
	t.Helper()
	raw, _ := json.Marshal(body)
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/turns", bytes.NewReader(raw))
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	began := time.Now()
	resp, err := s.Client().Do(r)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	in := bufio.NewScanner(io.Reader(resp.Body))
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		data, ok := strings.CutPrefix(in.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Event    string
			Decision struct{ Type string }
		}
		must(t, json.Unmarshal([]byte(data), &e))
		switch {
		case e.Event == "context.decision":
			decision = e.Decision.Type
		case e.Event == "token" && took == 0:
			took = time.Since(began)
		}
	}
	if took == 0 {
		t.Fatalf("%v: no word came", body)
	}
	return took, decision
}

// With a small model of half a second and a chat model whose first word comes after one, the first word comes within three seconds after a change of affair and
// within two after a question in passing (requirements, section 7).
func TestTheFirstWordComesInTime(t *testing.T) {
	if os.Getenv("MNEME_LONG") == "" {
		t.Skip("takes ten seconds; MNEME_LONG=1 runs it")
	}
	c := graph.Config{Model: late{offline.New(), time.Second}, SmallModel: late{offline.New(), time.Second / 2}}
	c.Settings = state.DefaultSettings()
	s := begin(t, c, serve.Limits{})
	for _, said := range []struct {
		text   string
		within time.Duration
	}{
		{"I ordered brake pads, order number 07-14244-53150.", 3 * time.Second},
		{"Something else: we plan the summer holiday in Rome, the flights are on 4 July.", 3 * time.Second},
		{"Let's go back to the brake pads, have they come?", 3 * time.Second},
		{"By the way, when are the flights to Rome?", 2 * time.Second},
	} {
		took, decision := s.firstToken(t, object{"message": said.text, "session_id": "s1"})
		t.Logf("%-10s %v: %s", decision, took.Round(time.Millisecond), said.text)
		if took > said.within {
			t.Errorf("%s took %v, want %v", said.text, took, said.within)
		}
	}
}
