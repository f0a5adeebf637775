package state

import (
	"strings"
	"time"
)

// Role of a message, as chat models spell it.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of a session: what was said, by whom, and under which affair it is filed.
// Seq numbers the session's messages from 1; ID is unique in the session and is what evaluation data calls id.
type Message struct {
	ID          string            `bson:"id" json:"id"`
	Seq         int64             `bson:"seq" json:"seq"`
	Turn        string            `bson:"turn" json:"turn"`
	Role        Role              `bson:"role" json:"role"`
	Text        string            `bson:"text" json:"text"`
	Parts       []Part            `bson:"parts,omitempty" json:"parts,omitempty"`
	Reasoning   string            `bson:"reasoning,omitempty" json:"reasoning,omitempty"`
	ToolCalls   []ToolCall        `bson:"tool_calls,omitempty" json:"tool_calls,omitempty"`
	ToolCallID  string            `bson:"tool_call_id,omitempty" json:"tool_call_id,omitempty"` // role tool: which call this answers
	ToolName    string            `bson:"tool_name,omitempty" json:"tool_name,omitempty"`
	Answered    *Answered         `bson:"answered,omitempty" json:"answered,omitempty"` // role tool: what a person decided about the call
	Affair      string            `bson:"affair,omitempty" json:"affair,omitempty"`
	Project     string            `bson:"project,omitempty" json:"project,omitempty"`
	Speaker     string            `bson:"speaker,omitempty" json:"speaker,omitempty"`
	At          time.Time         `bson:"at" json:"at"`
	System      string            `bson:"system,omitempty" json:"system,omitempty"` // role user: the system prompt asked for this turn
	Why         string            `bson:"why,omitempty" json:"why,omitempty"`       // role user: the decision's reasoning
	Attachments []Attachment      `bson:"attachments,omitempty" json:"attachments,omitempty"`
	Metadata    map[string]string `bson:"metadata,omitempty" json:"metadata,omitempty"`
	Cut         bool              `bson:"cut,omitempty" json:"cut,omitempty"` // role assistant: the turn ended before the answer did
	Undone      bool              `bson:"undone,omitempty" json:"-"`          // its turn was taken back: nobody is shown it any more

	// Sealed is what the model's provider wants back with the message's calls, as it was (Claude's signed thoughts): a JSON object of
	// texts. It is nobody's words: it is shown to that model while the turn lasts, and to nobody else.
	Sealed string `bson:"sealed,omitempty" json:"-"`

	Preferences *Preferences  `bson:"preferences,omitempty" json:"preferences,omitempty"` // role user: how this turn is to be answered
	Extra       *ExtraContext `bson:"extra,omitempty" json:"-"`                           // role user: what the turn may look at, until it is over

	// StoreKnowledge false keeps the message for its session and nothing of it elsewhere; every message of the turn has it. True
	// keeps Extra too.
	StoreKnowledge *bool `bson:"store_knowledge,omitempty" json:"store_knowledge,omitempty"`
}

// Unstored reports whether nothing of what the message says may be kept but the message itself, for its session.
func (m Message) Unstored() bool { return m.StoreKnowledge != nil && !*m.StoreKnowledge }

// Spoken reports whether a message is what user or assistant say, not a call of tools or its result.
func (m Message) Spoken() bool {
	return m.Role == RoleUser || m.Role == RoleAssistant && m.Text != ""
}

// StoresExtra reports whether what the message brings besides its text is to be remembered.
func (m Message) StoresExtra() bool { return m.StoreKnowledge != nil && *m.StoreKnowledge }

// Said is the message's text with its text parts, those left out that only repeat it.
func (m Message) Said() string {
	said := m.Text
	for _, p := range m.Parts {
		if p.Text == "" || strings.Contains(said, p.Text) {
			continue
		}
		if said != "" {
			said += "\n"
		}
		said += p.Text
	}
	return said
}

// FullText returns all text that came with the message: what it says, and names and texts of its attachments.
func (m Message) FullText() string {
	if len(m.Attachments) == 0 {
		return m.Said()
	}
	var b strings.Builder
	b.WriteString(m.Said())
	for _, a := range m.Attachments {
		b.WriteString("\n" + a.Name + "\n" + a.Text)
	}
	return b.String()
}

// Part is one piece of a multi-part message. Type is one of PartTypes: "text" has a Text, any other a URL, which may be a
// data URL.
type Part struct {
	Type string `bson:"type" json:"type"`
	Text string `bson:"text,omitempty" json:"text,omitempty"`
	URL  string `bson:"url,omitempty" json:"url,omitempty"`
	MIME string `bson:"mime,omitempty" json:"mime,omitempty"`
}

// TextPart is the type of a part that is text.
const TextPart = "text"

// PartTypes lists the types of a part.
func PartTypes() []string {
	return []string{TextPart, "image_url", "audio_url", "video_url", "file_url"}
}

// ToolCall is a call the model asked for; Arguments is the JSON it wrote, right or wrong.
type ToolCall struct {
	ID        string `bson:"id" json:"id"`
	Name      string `bson:"name" json:"name"`
	Arguments string `bson:"arguments" json:"arguments"`

	// Extra is what the model's provider wants back with the call, as it was (Gemini's signature of a thought): a JSON object of texts.
	Extra string `bson:"extra,omitempty" json:"extra,omitempty"`
}

// Attachment is a document that came with a message.
type Attachment struct {
	Name string `bson:"name" json:"name"`
	MIME string `bson:"mime,omitempty" json:"mime,omitempty"`
	Text string `bson:"text,omitempty" json:"text,omitempty"`
	Data []byte `bson:"data,omitempty" json:"data,omitempty"`
}

// MaskOpening begins the placeholder that stands for a secret: "[masked PIN]".
const MaskOpening = "[masked "
