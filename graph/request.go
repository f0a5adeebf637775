package graph

import (
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// Request is one user message and what this turn has of its own. Only Text (or Parts, or Attachments) is needed.
type Request struct {
	Scope       state.Scope        // missing parts are "default", agent "main"; give each conversation a session of its own
	Agent       string             // who answers: Scope.Agent in short; two that differ are state.ErrInvalid
	Text        string             // what the user says
	Parts       []state.Part       // further parts: images, audio, files
	Attachments []state.Attachment // documents that come with it; kept with the message
	Metadata    map[string]string  // kept with the message, not shown to the model
	Speaker     string             // who speaks, where several do

	// MessageID is the host's id of the message, and makes sending it again safe: the same id in the session is the same
	// turn. When that has ended, its reply comes back (Cut, when it was cut); a turn whose model failed is state.ErrConflict, and asked
	// again under a new id. When it runs, here or in another process, it is waited for, whatever DoubleTexting says; when a crash, Close
	// or the end of its caller's context left it unfinished, it is gone on with. Another text, part or attachment under the id is state.ErrConflict, and so is an id whose turn was
	// pruned (checkpoint.ErrDone). Up to 128 bytes without "/" and "$", and none of m1, m2, ..., which messages without an
	// id are given.
	MessageID string

	System     string                     // system prompt of this turn; default the core of the scope's agent, else Config.Identity
	Model      model.ToolCallingChatModel // default Config.Model
	SmallModel model.BaseChatModel        // default Config.SmallModel
	Tools      []tool.InvokableTool       // besides Config.Tools

	// ModelOptions go along with each call of the chat model in this turn: a temperature, an option of the provider's own. They are not kept:
	// a turn that is gone on with (Answer, Resume, a message behind one that a crash left) is asked as the model was made, the same message sent
	// again brings them again. Tools among them are state.ErrInvalid: Tools takes these.
	ModelOptions []model.Option

	AskSmall bool // let the small model judge the context whatever the rules say

	// How this turn and those after it are answered. PreferenceScope says for how long: session (default) = until /clear or the end of
	// the session's part, global = in all of the user's sessions. One of the session wins over a global one of the same name; what is
	// empty stays as it was. The language is a BCP-47 tag, and "und" asks for that of the question again.
	PreferredLanguage string
	Tone              state.Tone
	StyleNotes        string
	PreferenceScope   state.PreferenceScope

	// StoreKnowledge is the gate for what this request brings. False: the exchange is kept as messages of its session, where it can be
	// recalled, and that is all. No affair is opened by it, nothing of it becomes a record, a key fact, a summary or a vector, tools
	// cannot write in its turn, and no other session finds it. Nil: the exchange is learnt from, and ExtraContext is shown in this turn
	// and then dropped. True: ExtraContext is remembered too, files as attachments of the message, the rest as records.
	StoreKnowledge *bool
	ExtraContext   state.ExtraContext // files, links, paths and notes, quoted in the prompt; nothing of it is opened or fetched

	DoubleTexting state.DoubleTexting // when the session is busy; default the setting
	Durability    flow.Durability     // of this turn; default the setting
}

// scope returns whose turn it is.
func (r Request) scope() state.Scope {
	return r.Scope.Merge(state.Scope{Agent: r.Agent}).Default()
}

// makeMessage returns what the user says, as it comes to the turn.
func (r Request) makeMessage() state.Message {
	msg := state.Message{
		ID: r.MessageID, Role: state.RoleUser, Text: r.Text, Parts: r.Parts, Attachments: r.Attachments,
		Metadata: r.Metadata, Speaker: r.Speaker, System: r.System, StoreKnowledge: r.StoreKnowledge,
	}
	own := state.Preferences{Language: r.PreferredLanguage, Tone: r.Tone, StyleNotes: r.StyleNotes, Scope: r.PreferenceScope}
	if own != (state.Preferences{}) {
		msg.Preferences = &own
	}
	if !r.ExtraContext.Empty() {
		msg.Extra = &r.ExtraContext
	}
	return msg
}

// Reply is what a turn answers. Its affairs are shared with memory and must not be changed in place.
type Reply struct {
	Text      string          `json:"text"`
	Cut       bool            `json:"cut,omitempty"`       // the turn ended before the text was complete
	Reasoning string          `json:"reasoning,omitempty"` // of the model, where it shows it
	Turn      string          `json:"turn"`
	MessageID string          `json:"message_id,omitempty"` // of the user's message, the Request's or the session's own
	Message   state.Message   `json:"-"`                    // the assistant's message as kept
	Decision  state.Decision  `json:"decision"`
	Active    *state.Affair   `json:"active,omitempty"` // after the turn
	Parked    []*state.Affair `json:"parked,omitempty"` // after the turn, last touched first
	Tools     []ToolUse       `json:"tools,omitempty"`  // every call of the turn, in order
	Receipts  []state.Receipt `json:"receipts,omitempty"`
	Memory    state.Did       `json:"memory"` // what this call did to memory, in words; a turn that had ended before did it then: see Explain
	Usage     state.Usage     `json:"usage"`
	Waits     []Question      `json:"waits,omitempty"` // what a person has to answer before the turn goes on
	Trace     Trace           `json:"trace"`
}

// Question is what the turn asks a person, and the id to answer it by.
type Question = checkpoint.Ask

// ToolUse is one call the model made, refused ones too; their result begins with "error: ". What the user asked of the memory itself was
// carried out as a call of whose ID memory.IsSpoken is true.
type ToolUse struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"` // as the model wrote them
	Result    string          `json:"result"`
	Answered  *state.Answered `json:"answered,omitempty"` // what a person decided about it, and the arguments it ran with if these were changed
}

// Trace shows how a turn came to its answer.
type Trace struct {
	ID      string              `json:"id,omitempty"` // that a tracer knows the turn by; see graph/telemetry
	Nodes   []account.NodeTime  `json:"nodes"`
	Notes   []string            `json:"notes,omitempty"`   // what was done in a lesser way than hoped
	Weighed string              `json:"weighed,omitempty"` // what the rules weighed when they judged the message
	Bill    state.Bill          `json:"bill"`              // the usage of the whole turn, as Reply.Usage and Account.Bill have it; commits and reads of this call
	Charged state.Usage         `json:"-"`                 // what of it this call was charged; nothing where the turn had ended before
	Context compose.Context     `json:"-"`                 // the last prompt, line by line with reasons
	Prompts [][]*schema.Message `json:"-"`                 // every prompt of the turn as the model saw it
	Took    time.Duration       `json:"took_ns"`
}
