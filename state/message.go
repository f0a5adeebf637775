package state

import "time"

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
	Affair      string            `bson:"affair,omitempty" json:"affair,omitempty"`
	Speaker     string            `bson:"speaker,omitempty" json:"speaker,omitempty"`
	At          time.Time         `bson:"at" json:"at"`
	System      string            `bson:"system,omitempty" json:"system,omitempty"` // role user: the system prompt asked for this turn
	Why         string            `bson:"why,omitempty" json:"why,omitempty"`       // role user: the decision's reasoning
	Attachments []Attachment      `bson:"attachments,omitempty" json:"attachments,omitempty"`
	Metadata    map[string]string `bson:"metadata,omitempty" json:"metadata,omitempty"`
	Cut         bool              `bson:"cut,omitempty" json:"cut,omitempty"` // role assistant: the turn ended before the answer did
	Undone      bool              `bson:"undone,omitempty" json:"-"`          // its turn was taken back: nobody is shown it any more
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
