package compose

import (
	_ "embed" // the identity text
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// RoleSystem is the role of the first message of a prompt. No message of a session has it.
const RoleSystem state.Role = "system"

//go:embed prompts/identity.txt
var identity string

// Input is everything a prompt may be made of. Only Question is required; what is not set takes no room.
type Input struct {
	System         string          // the host's system prompt; "" = Identity, or its first sentence where room is short
	Standing       string          // comes behind System where there is room: see Standing
	Brain          BrainParts      // what is known of the user for good
	ActiveContext  string          // summary of what was going on last
	ActiveOf       string          // where it is kept, for Line.Of
	Preferences    []Known         // of the user, for this session or for good
	Project        []Known         // what the project knows, best first
	Session        string          // id of the session that History and Summary are of, for Line.Of
	Summary        string          // of the session up to History
	SummaryOf      string          // where it is kept, for Line.Of; "" = in the session itself
	Active         *state.Affair   // nil = none
	Assumed        string          // what was decided about the question, for a model that may put it right; "" = it is not told
	ActiveMessages []state.Message // recent messages filed under Active, oldest first; those in History are left out
	Parked         []*state.Affair // most recent first
	User           []Known         // other lines about the user, such as what is due
	Evidence       []Evidence      // best first
	Associations   []Evidence      // what only resembles what is spoken of, best first
	Extra          []Known         // what the request itself brings: notes, links, paths; files are attachments of Question
	History        []state.Message // last messages of the session, oldest first, without the question
	Question       state.Message
	Turn           []state.Message        // this turn's tool calls and results so far, oldest first
	Foreign        func(tool string) bool // whether a tool is the host's, whose results are quoted here; nil = none: all quote their results themselves
	ToolTokens     int                    // what the descriptions of the tools cost beside the prompt
	Language       string                 // of the question, BCP-47; "" = unknown
	Now            time.Time              // zero = the date is not told
}

// BrainParts are what is known of the user for good, the best first. What he prefers stands in Input.Preferences, where the
// session's own preferences join it.
type BrainParts struct{ User, Decisions, Current []Known }

// brainLeads name the parts of the brain.
func brainLeads() []string { return []string{"About the user:", "Decisions:", "Current:"} }

// parts are the parts of the brain in the order of their leads.
func (b BrainParts) parts() [][]Known { return [][]Known{b.User, b.Decisions, b.Current} }

// Known is one thing that is known, with a label if it has one. Of is where it is from, see Line.
type Known struct{ Label, Text, Of string }

// Evidence is one recalled piece of text. Source says where it is from, as the model is to cite it: `message 3, user,
// 2026-02-15`; Of says it as Line.Of does, Here that it is of this session. Must lets it in even when little room is left: facts of
// the affair a question aside is about.
type Evidence struct {
	Text   string
	Source string
	Of     string
	Trust  state.Trust // whose words it is: of a record its trust, user, tool or document of a message; "" = an answer, a summary
	Here   bool
	Must   bool
	Score  float64 // 0 = not scored
	Why    string  // for people; "" = "recalled"
	Out    string  // why it is not to be shown: it stands in the account alone; "" = it is
}

// Message is one message of a prompt. Text holds all of its text; Parts only what is not text (images, files).
type Message struct {
	Role       state.Role       `json:"role"`
	Text       string           `json:"text"`
	Parts      []state.Part     `json:"parts,omitempty"`
	Reasoning  string           `json:"reasoning,omitempty"` // only with tool calls of the current turn
	Sealed     string           `json:"-"`                   // goes with Reasoning: see state.Message
	ToolCalls  []state.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string           `json:"tool_call_id,omitempty"`
	ToolName   string           `json:"tool_name,omitempty"`
	LeftOut    []string         `json:"left_out,omitempty"` // what of it is not shown, for the trace
	Of         string           `json:"-"`                  // where it is kept, see Origin
}

// Identity returns the system prompt used when the host gives none. now adds the date (not the time: the prompt stays
// the same all day, so providers can cache it), language names the one to answer in; both may be zero.
func Identity(language string, now time.Time) string {
	text := strings.TrimSpace(identity)
	if tag := languageTag(language); tag != "" {
		text = strings.TrimSuffix(text, ".") + " (" + tag + ")."
	}
	if !now.IsZero() {
		text += " " + today(now)
	}
	return text
}

// today says which day it is where the user is.
func today(now time.Time) string {
	text := "Today is " + now.Format("2006-01-02, a Monday")
	if zone := now.Location().String(); zone != "UTC" {
		text += "; time zone " + zone
	}
	return text + "."
}

// languageTag returns language if it is spelled like a BCP-47 tag, else "".
func languageTag(language string) string {
	if len(language) > 35 {
		return ""
	}
	for _, c := range []byte(language) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if c != '-' && (c < '0' || c > '9') {
				return ""
			}
		}
	}
	return language
}

// briefIdentity returns the first line of Identity.
func briefIdentity() string {
	line, _, _ := strings.Cut(identity, "\n")
	return line
}
