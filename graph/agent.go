package graph

import (
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"log/slog"
	"strings"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
)

// The session values (adk.WithSessionValues) that say whose turn a run of an Agent is. Each is a string; what is missing is "default".
const (
	ClientValue  = "mneme_client"
	UserValue    = "mneme_user"
	SessionValue = "mneme_session"
	MessageValue = "mneme_message" // Request.MessageID, so that the same run again is the same turn
)

// AgentConfig is what a host's agents and its Runner know an Agent by.
type AgentConfig struct {
	Name        string // default "mneme"
	Description string // what another agent reads before it hands over; default a short one of ours

	// Request may change what a run asks, say to read whose turn it is from elsewhere; default: as the session values say. Middleware also calls it
	// before a run's messages are known, with an empty Text: only the scope and the message's id count then.
	Request func(ctx context.Context, req Request) (Request, error)
}

// Agent returns the graph as an agent of eino's ADK, for a host's Runner, as a sub-agent or, with adk.NewAgentTool, as a tool. A run is one turn:
// the user's last message is its question, what other agents have said since comes with it as notes. Its events are the calls and
// results of tools and the answer, as a stream of tokens where the Runner streams. A turn that has to ask a person interrupts the run with
// []Question as Info; the host resumes, in any process, with a state.Answer for all questions, or a map[string]state.Answer by their ids, under
// the id of the interrupt; a state.Choice, or its word ("approve", "reject"), is an answer too. An answer that a question does not allow, and a run
// in a session that waits, interrupt again with the questions: the message of such a run is not taken.
func (g *Graph) Agent(ctx context.Context, c AgentConfig) (adk.ResumableAgent, error) {
	c.Name = cmp.Or(c.Name, "mneme")
	c.Description = cmp.Or(c.Description, "Answers with a long-term memory of the user and of the affairs under way.")
	gob.Register([]Question{}) // for the Runner's checkpoints
	return adk.SetSubAgents(ctx, adk.AgentWithOptions(ctx, &agent{g, c}, adk.WithHistoryRewriter(tellApart)), nil)
}

// agent is a Graph under ADK.
type agent struct {
	*Graph
	config AgentConfig
}

var _ adk.ResumableAgent = (*agent)(nil)

// Name returns how agents and runners call it.
func (a *agent) Name(context.Context) string { return a.config.Name }

// Description is what other agents read of it.
func (a *agent) Description(context.Context) string { return a.config.Description }

// Run runs a turn.
func (a *agent) Run(ctx context.Context, in *adk.AgentInput, _ ...adk.AgentRunOption) *adk.AsyncIterator[*adk.AgentEvent] {
	return a.play(ctx, in.EnableStreaming, func(ctx context.Context) (Reply, string, error) {
		req, err := a.request(ctx, in.Messages)
		if err != nil {
			return Reply{}, "", err
		}
		reply, err := a.Invoke(ctx, req)
		if errors.Is(err, state.ErrWaits) {
			reply, err = a.askAgain(ctx, req.scope(), err)
		}
		return reply, turnForHost(req.scope(), reply), err
	})
}

// Resume goes on with a turn that waits for a person.
func (a *agent) Resume(ctx context.Context, info *adk.ResumeInfo, _ ...adk.AgentRunOption) *adk.AsyncIterator[*adk.AgentEvent] {
	return a.play(ctx, info.EnableStreaming, func(ctx context.Context) (Reply, string, error) {
		saved, _ := info.InterruptState.(string)
		reply, err := a.goOnForHost(ctx, saved, info.IsResumeTarget, info.ResumeData)
		if held := heldForHost(saved); errors.Is(err, state.ErrInvalid) {
			reply, err = a.askAgain(ctx, held.Scope, err)
		}
		return reply, saved, err
	})
}

// askAgain returns a turn that still waits: its questions, and in the log why they come again. Where nothing is asked, why is the error.
func (a *agent) askAgain(ctx context.Context, scope state.Scope, why error) (Reply, error) {
	asked, err := a.Waits(ctx, scope)
	if err != nil || len(asked) == 0 {
		return Reply{}, errors.Join(why, err)
	}
	scope = scope.Default()
	a.c.Logger.LogAttrs(ctx, slog.LevelWarn, "asked again", slog.String("client", scope.Client), slog.String("user", scope.User),
		slog.String("session", scope.Session), slog.String("code", string(state.CodeOf(why))), slog.String("error", why.Error()))
	return Reply{Turn: asked[0].Turn(), Waits: asked}, nil
}

// tellApart gives the agent the user's messages as they are, and those of other agents under their own roles and names.
func tellApart(_ context.Context, entries []*adk.HistoryEntry) ([]adk.Message, error) {
	messages := make([]adk.Message, 0, len(entries))
	for _, e := range entries {
		msg := *e.Message
		if !e.IsUserInput {
			msg.Name = e.AgentName
		}
		messages = append(messages, &msg)
	}
	return messages, nil
}

// request returns what a run asks.
func (a *agent) request(ctx context.Context, said []adk.Message) (Request, error) {
	last := lastOfUser(said)
	if last < 0 {
		return Request{}, state.Errorf(state.Invalid, "agent "+a.config.Name, "was given no message of the user's; run it with one")
	}
	req := whose(ctx)
	req.Text = said[last].Content
	if err := req.takeParts(said[last]); err != nil {
		return Request{}, err
	}
	for _, msg := range said[last+1:] {
		if msg.Content != "" && msg.Name != a.config.Name {
			req.ExtraContext.Notes = append(req.ExtraContext.Notes, cmp.Or(msg.Name, string(msg.Role))+": "+msg.Content)
		}
	}
	return a.change(ctx, req)
}

// whose returns a request with nothing but what the session values say.
func whose(ctx context.Context) Request {
	value := func(key string) string {
		v, _ := adk.GetSessionValue(ctx, key)
		text, _ := v.(string)
		return text
	}
	return Request{Scope: state.Scope{Client: value(ClientValue), User: value(UserValue), Session: value(SessionValue)}, MessageID: value(MessageValue)}
}

// change returns the request as the host wants it.
func (a *agent) change(ctx context.Context, req Request) (Request, error) {
	if a.config.Request == nil {
		return req, nil
	}
	return a.config.Request(ctx, req)
}

// play runs a turn beside, and hands out its events.
func (a *agent) play(ctx context.Context, stream bool, run func(ctx context.Context) (Reply, string, error)) *adk.AsyncIterator[*adk.AgentEvent] {
	out, gen := adk.NewAsyncIteratorPair[*adk.AgentEvent]()
	go func() {
		defer gen.Close()
		t := &teller{gen: gen, stream: stream}
		reply, saved, err := run(state.ContextWithEvents(ctx, t.hear))
		said := t.stop()
		switch {
		case err != nil:
			gen.Send(&adk.AgentEvent{Err: err})
		case len(reply.Waits) > 0:
			gen.Send(adk.StatefulInterrupt(ctx, reply.Waits, saved))
		case !said:
			gen.Send(adk.EventFromMessage(schema.AssistantMessage(reply.Text, nil), nil, schema.Assistant, ""))
		}
	}()
	return out
}

// teller makes of a turn's events those of a run. Its methods are called one after the other.
type teller struct {
	gen    *adk.AsyncGenerator[*adk.AgentEvent]
	stream bool
	tokens *adk.AsyncGenerator[string] // of the answer that is being told; it takes any number, so a slow reader delays no turn
}

func (t *teller) hear(e state.Event) {
	switch {
	case e.Name == state.TokenEvent && t.stream:
		t.token(e.Text)
	case e.Name == state.ToolStart:
		t.stop()
		call := schema.ToolCall{ID: e.Call, Type: "function", Function: schema.FunctionCall{Name: e.Tool, Arguments: e.Text}}
		t.gen.Send(adk.EventFromMessage(schema.AssistantMessage("", []schema.ToolCall{call}), nil, schema.Assistant, ""))
	case e.Name == state.ToolEnd:
		t.gen.Send(adk.EventFromMessage(schema.ToolMessage(e.Text, e.Call, schema.WithToolName(e.Tool)), nil, schema.Tool, e.Tool))
	}
}

// token tells the next piece of an answer. The pieces pass through a goroutine that ends with the answer, or when its reader closes the stream.
func (t *teller) token(text string) {
	if t.tokens == nil {
		pieces, tokens := adk.NewAsyncIteratorPair[string]()
		t.tokens = tokens
		reader, writer := schema.Pipe[adk.Message](1)
		reader.SetAutomaticClose()
		t.gen.Send(adk.EventFromMessage(nil, reader, schema.Assistant, ""))
		go func() {
			defer writer.Close()
			for {
				piece, ok := pieces.Next()
				if !ok || writer.Send(schema.AssistantMessage(piece, nil), nil) {
					return
				}
			}
		}()
	}
	t.tokens.Send(text)
}

// stop ends the answer that is being told, and reports whether there was one.
func (t *teller) stop() bool {
	if t.tokens == nil {
		return false
	}
	t.tokens.Close()
	t.tokens = nil
	return true
}

// takeParts takes over a user's message of several parts.
func (r *Request) takeParts(msg adk.Message) error {
	var texts []string
	for i, p := range msg.UserInputMultiContent {
		var c schema.MessagePartCommon
		switch {
		case p.Type == schema.ChatMessagePartTypeText:
			texts = append(texts, p.Text)
			continue
		case p.Image != nil:
			c = p.Image.MessagePartCommon
		case p.Audio != nil:
			c = p.Audio.MessagePartCommon
		case p.Video != nil:
			c = p.Video.MessagePartCommon
		case p.File != nil:
			c = p.File.MessagePartCommon
		}
		part := nodes.Part(p.Type, c)
		if part.URL == "" {
			return state.Errorf(state.Invalid, "message", "its part %d, %s, has neither an URL nor data", i+1, p.Type)
		}
		r.Parts = append(r.Parts, part)
	}
	if r.Text == "" {
		r.Text = strings.Join(texts, "\n")
	}
	return nil
}
