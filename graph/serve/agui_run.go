package serve

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mneme-graph/mneme/state"
)

// aguiEvent is an event of AG-UI 1.0; which of its fields are set depends on its type.
type aguiEvent struct {
	Type     string     `json:"type"`
	Thread   string     `json:"threadId,omitempty"`
	Run      string     `json:"runId,omitempty"`
	Protocol string     `json:"protocolVersion,omitempty"`
	Step     string     `json:"stepName,omitempty"`
	Message  string     `json:"messageId,omitempty"`
	Role     string     `json:"role,omitempty"`
	Delta    string     `json:"delta,omitempty"`
	Call     string     `json:"toolCallId,omitempty"`
	Tool     string     `json:"toolCallName,omitempty"`
	Content  *string    `json:"content,omitempty"`
	Name     string     `json:"name,omitempty"`
	Value    any        `json:"value,omitempty"`
	Messages []any      `json:"messages,omitempty"`
	Result   *TurnReply `json:"result,omitempty"`
	Outcome  any        `json:"outcome,omitempty"`
	Error    string     `json:"message,omitempty"`
	Code     string     `json:"code,omitempty"`
}

// aguiMessage is a message as an interface keeps it.
type aguiMessage struct {
	ID      string         `json:"id"`
	Role    string         `json:"role"`
	Content *string        `json:"content,omitempty"`
	Calls   []aguiToolCall `json:"toolCalls,omitempty"`
	Of      string         `json:"toolCallId,omitempty"`
}

type aguiToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// aguiOutcome says why a run ended that came to no reply.
type aguiOutcome struct {
	Type       string          `json:"type"`
	Interrupts []aguiInterrupt `json:"interrupts,omitempty"`
}

// aguiInterrupt is a question to a person.
type aguiInterrupt struct {
	ID       string          `json:"id"`
	Reason   string          `json:"reason"`
	Message  string          `json:"message,omitempty"`
	Schema   json.RawMessage `json:"responseSchema"`
	Metadata Question        `json:"metadata"`
}

// aguiAnswerSchema describes an answer, for who makes a form of it.
const aguiAnswerSchema = `{"type":"object","required":["choice"],"properties":{"choice":{"enum":["approve","edit","reject","suggest"]},` +
	`"value":{"description":"with edit: what to go on with; the arguments of a call as JSON"},"reason":{"type":"string"}}}`

// aguiRun turns the events of a turn into those of AG-UI. AG-UI has no word for "what came so far is void": where a step is done again, or what was streamed is not
// the reply in the end, MESSAGES_SNAPSHOT says what the messages are, and interfaces drop the others.
type aguiRun struct {
	in      aguiInput
	shown   int // messages of the client's that stand before the turn's
	attempt string
	steps   []string // open
	text    bool     // the last of said is open, and text
	said    []*aguiMessage
	n       int
}

// take returns what an event of the turn is told as.
func (m *aguiRun) take(e TurnEvent) (out []aguiEvent) {
	if e.Attempt != m.attempt {
		m.attempt = e.Attempt
		out = append(m.close(), m.void(nil)...)
	}
	switch state.EventName(e.Event) {
	case state.RunStart:
		out = append(out, aguiEvent{Type: "RUN_STARTED", Thread: m.in.Thread, Run: m.in.Run, Protocol: "1.0"})
		if m.shown < len(m.in.Messages) { // a broken line left them
			out = append(out, m.void(nil)...)
		}
	case state.NodeStart:
		out = append(append(out, m.endStep(e.Node)...), aguiEvent{Type: "STEP_STARTED", Step: e.Node})
		m.steps = append(m.steps, e.Node)
	case state.NodeEnd:
		out = append(append(out, m.endText()...), m.endStep(e.Node)...)
	case state.ContextDecision:
		out = append(out, aguiEvent{Type: "CUSTOM", Name: "mneme.decision", Value: e.Decision})
	case state.TokenEvent:
		out = append(out, m.token(e.Text)...)
	case state.ToolStart:
		out = append(append(out, m.endText()...), m.call(e)...)
	case state.ToolEnd:
		out = append(out, m.endText()...)
		said := &aguiMessage{ID: m.newID(), Role: "tool", Of: m.callID(e), Content: &e.Text}
		m.said = append(m.said, said)
		out = append(out, aguiEvent{Type: "TOOL_CALL_RESULT", Message: said.ID, Call: said.Of, Content: said.Content, Role: "tool"})
	case state.QuestionEvent:
		out = append(out, aguiEvent{Type: "CUSTOM", Name: "mneme.question", Value: e.Question})
	case state.ErrorEvent:
		out = append(out, aguiEvent{Type: "CUSTOM", Name: "mneme.error", Value: e.Text})
	case state.RunEnd:
		out = append(out, m.end(e)...)
	case state.ContextComposed:
	}
	return out
}

// newID names a message of the run.
func (m *aguiRun) newID() string {
	m.n++
	return m.in.Run + "/" + strconv.Itoa(m.n)
}

// callID names a call: that of a model may be another's in another run.
func (m *aguiRun) callID(e TurnEvent) string { return m.in.Run + "/" + e.Call }

// token adds a piece to the message that is open, or opens one.
func (m *aguiRun) token(piece string) (out []aguiEvent) {
	if piece == "" {
		return nil
	}
	if !m.text {
		said := &aguiMessage{ID: m.newID(), Role: "assistant", Content: new(string)}
		m.said, m.text = append(m.said, said), true
		out = append(out, aguiEvent{Type: "TEXT_MESSAGE_START", Message: said.ID, Role: said.Role})
	}
	said := m.said[len(m.said)-1]
	*said.Content += piece
	return append(out, aguiEvent{Type: "TEXT_MESSAGE_CONTENT", Message: said.ID, Delta: piece})
}

// call tells of a tool's call, whole.
func (m *aguiRun) call(e TurnEvent) []aguiEvent {
	c := aguiToolCall{ID: m.callID(e), Type: "function"}
	c.Function.Name, c.Function.Arguments = e.Tool, e.Text
	m.said = append(m.said, &aguiMessage{ID: c.ID, Role: "assistant", Calls: []aguiToolCall{c}})
	out := []aguiEvent{{Type: "TOOL_CALL_START", Call: c.ID, Tool: e.Tool}}
	if e.Text != "" {
		out = append(out, aguiEvent{Type: "TOOL_CALL_ARGS", Call: c.ID, Delta: e.Text})
	}
	return append(out, aguiEvent{Type: "TOOL_CALL_END", Call: c.ID})
}

func (m *aguiRun) endText() []aguiEvent {
	if !m.text {
		return nil
	}
	m.text = false
	return []aguiEvent{{Type: "TEXT_MESSAGE_END", Message: m.said[len(m.said)-1].ID}}
}

func (m *aguiRun) endStep(name string) []aguiEvent {
	if !slices.Contains(m.steps, name) {
		return nil
	}
	m.steps = slices.DeleteFunc(m.steps, func(s string) bool { return s == name })
	return []aguiEvent{{Type: "STEP_FINISHED", Step: name}}
}

// close ends all that is open.
func (m *aguiRun) close() []aguiEvent {
	out := m.endText()
	for _, name := range slices.Clone(m.steps) {
		out = append(out, m.endStep(name)...)
	}
	return out
}

// void says what the messages are: the client's, and of the run's those that count.
func (m *aguiRun) void(counts []*aguiMessage) []aguiEvent {
	m.said = counts
	snapshot := aguiEvent{Type: "MESSAGES_SNAPSHOT"}
	for _, raw := range m.in.Messages[:m.shown] {
		snapshot.Messages = append(snapshot.Messages, raw)
	}
	for _, x := range counts {
		snapshot.Messages = append(snapshot.Messages, x)
	}
	return []aguiEvent{snapshot}
}

// end tells what the turn came to.
func (m *aguiRun) end(e TurnEvent) []aguiEvent {
	if e.Problem != nil {
		return append(m.close(), aguiEvent{Type: "RUN_ERROR", Error: e.Problem.Detail, Code: e.Problem.Code})
	}
	finished := aguiEvent{Type: "RUN_FINISHED", Thread: m.in.Thread, Run: m.in.Run, Result: e.Reply}
	if e.Reply == nil {
		return append(m.close(), finished)
	}

	// What was streamed is the reply, as a rule.
	out := m.endText()
	if last := len(m.said) - 1; e.Reply.Reply != "" {
		switch {
		case last < 0 || m.said[last].Content == nil || m.said[last].Role != "assistant":
			out = append(append(out, m.token(e.Reply.Reply)...), m.endText()...)
		case *m.said[last].Content != e.Reply.Reply:
			m.said[last].Content = &e.Reply.Reply
			out = append(out, m.void(m.said)...)
		}
	}
	out = append(out, m.close()...)

	var interrupts []aguiInterrupt
	for _, q := range e.Reply.Waits {
		reason := "question"
		if q.Tool != "" {
			reason = "tool_call"
		}
		interrupts = append(interrupts, aguiInterrupt{ID: q.ID, Reason: reason, Message: q.Text, Schema: json.RawMessage(aguiAnswerSchema), Metadata: q})
	}
	switch {
	case len(interrupts) > 0:
		finished.Outcome = aguiOutcome{"interrupt", interrupts}
	case e.Reply.Cut:
		finished.Outcome = aguiOutcome{Type: "cancelled"}
	}
	return append(out, finished)
}
