package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// spring is a tool that only streams.
type spring struct {
	flow func(ctx context.Context) (*schema.StreamReader[string], error)
}

func (spring) Info(context.Context) (*schema.ToolInfo, error) {
	return &schema.ToolInfo{Name: "spring"}, nil
}

func (s spring) StreamableRun(ctx context.Context, _ string, _ ...tool.Option) (*schema.StreamReader[string], error) {
	return s.flow(ctx)
}

func (spring) Timeout() time.Duration   { return time.Minute }
func (spring) GetType() string          { return "Spring" }
func (spring) IsCallbacksEnabled() bool { return true }

// pour streams pieces, and then ends with err, or in order.
func pour(err error, pieces ...string) *schema.StreamReader[string] {
	r, w := schema.Pipe[string](len(pieces) + 1)
	defer w.Close()
	for _, p := range pieces {
		w.Send(p, nil)
	}
	if err != nil {
		w.Send("", err)
	}
	return r
}

func TestAToolThatStreams(t *testing.T) {
	t.Parallel()
	gone, cut := context.WithCancelCause(t.Context())
	cut(errors.New("the caller has gone"))
	small := state.DefaultSettings()
	small.ToolResultBytes = 8
	tight := settings.ContextWith(t.Context(), &settings.Set{Settings: small})

	tests := map[string]struct {
		ctx    context.Context
		stream *schema.StreamReader[string]
		begins error // of StreamableRun
		want   string
		err    string
		code   state.Code
	}{
		"pieces are joined":             {stream: pour(nil, "It ", "is ", "", "300 km."), want: "It is 300 km."},
		"an empty stream":               {stream: pour(nil)},
		"an error before the stream":    {begins: errors.New("no line"), err: "no line"},
		"an error in the middle":        {stream: pour(state.Errorf(state.Unavailable, "line", "was lost"), "It "), err: "was lost", code: state.Unavailable},
		"no stream":                     {err: "gave no stream"},
		"an end since the context ends": {ctx: gone, stream: pour(nil, "It "), err: "the caller has gone"},
		"as long as it may be":          {ctx: tight, stream: pour(nil, "1234", "5678"), want: "12345678"},
		"longer":                        {ctx: tight, stream: pour(nil, "1234", "5678", "9"), err: "more than the 8 bytes", code: state.Invalid},
		"longer than the default": {
			stream: pour(nil, strings.Repeat("x", state.DefaultSettings().ToolResultBytes), "x"), err: "ask it for less", code: state.Invalid,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.ctx == nil {
				tt.ctx = t.Context()
			}
			join := tools.Join(spring{func(context.Context) (*schema.StreamReader[string], error) { return tt.stream, tt.begins }})
			got, err := join.InvokableRun(tt.ctx, "{}")
			switch {
			case got != tt.want || (err != nil) != (tt.err != ""):
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			case err != nil && (!strings.Contains(err.Error(), tt.err) || tt.code != "" && state.CodeOf(err) != tt.code):
				t.Errorf("error %v with code %s, want %q with %s", err, state.CodeOf(err), tt.err, tt.code)
			}
		})
	}
}

// What the tool says of itself is said of the joined one; none is an error, not a panic.
func TestWhatAJoinedToolSaysOfItself(t *testing.T) {
	t.Parallel()
	join := tools.Join(spring{})
	kind, _ := components.GetType(join)
	own, _ := join.(interface{ Timeout() time.Duration })
	if info, err := join.Info(t.Context()); err != nil || info.Name != "spring" || kind != "Spring" || !components.IsCallbacksEnabled(join) || own.Timeout() != time.Minute {
		t.Errorf("it is %v, %v, of type %s", info, err, kind)
	}
	if _, err := tools.Join(nil).InvokableRun(t.Context(), "{}"); state.CodeOf(err) != state.Invalid {
		t.Errorf("no tool: %v, want an invalid", err)
	}
}
