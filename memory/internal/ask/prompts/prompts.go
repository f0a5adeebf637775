package prompts

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

//go:embed *.md
var files embed.FS

// Task names a question: its file is NAME.md and the first line of the prompt is "Task: NAME".
type Task string

// The tasks.
const (
	Detect  Task = "detect"  // what does a message do to the conversation
	Park    Task = "park"    // what must be known to take an affair up again
	Summary Task = "summary" // fold messages into the summary of a conversation
	Same    Task = "same"    // what is a new record to an old one
	Extract Task = "extract" // what must be known of the user when a part of a session is over
	Digest  Task = "digest"  // make one summary of several
)

// Affair is what a prompt shows of an affair.
type Affair struct {
	ID      string
	Title   string
	Status  string
	Summary string
	Facts   []string // "label: value"
	Pending []string

	Active string // when it was last, in words; "" = unknown
	Words  string // names and things it speaks of
	Said   []Line // what was said in it last
}

// Line is one message of a conversation.
type Line struct {
	Role  string
	Text  string
	Aside bool   // it did not go on with the current affair
	On    string // id of the affair it is about, where that is not the current one
}

// DetectBlanks fills detect.md. Current is nil when no affair is active; Affairs are the others.
type DetectBlanks struct {
	Language string // of the message, BCP-47; "" = unknown
	Current  *Affair
	Affairs  []Affair
	Recent   []Line // before the message, oldest first
	Message  string
	Typed    string // what the user himself says around what he has pasted; "" = nothing is pasted
	Said     string // day and time of the message, in words; "" = unknown
}

// Prompt returns the question.
func (b DetectBlanks) Prompt() (string, error) { return fill(Detect, b) }

// Kept is what a park prompt shows of a record.
type Kept struct {
	Text     string
	Reminder bool // it is kept by itself, and comes back when it is due
}

// ParkBlanks fills park.md. Messages are the affair's, oldest first; Left is the one with which the user left it, "" = none.
type ParkBlanks struct {
	Affair   Affair
	Messages []Line
	Left     string
	Records  []Kept // what is remembered of the affair
	Today    string // "" = unknown
}

// Prompt returns the question.
func (b ParkBlanks) Prompt() (string, error) { return fill(Park, b) }

// SummaryBlanks fills summary.md. About is the affair that is summed up, "" for none; Previous is the summary so far, "" for none.
type SummaryBlanks struct {
	About    string
	Previous string
	Messages []Line
}

// Prompt returns the question.
func (b SummaryBlanks) Prompt() (string, error) { return fill(Summary, b) }

// Record is what a prompt shows of a record.
type Record struct {
	Kind    string
	Subject string
	Content string
}

// SameBlanks fills same.md.
type SameBlanks struct{ Old, New Record }

// Prompt returns the question.
func (b SameBlanks) Prompt() (string, error) { return fill(Same, b) }

// ExtractBlanks fills extract.md. Messages are those of the part, oldest first.
type ExtractBlanks struct {
	Agent    string   // name of the assistant; "" = it has none
	Brain    []string // what is known of the user, a line each
	Messages []Line
	Language string // BCP-47; "" = that of the messages
}

// Prompt returns the question.
func (b ExtractBlanks) Prompt() (string, error) { return fill(Extract, b) }

// DigestBlanks fills digest.md. Texts are the summaries, oldest first; Level above 1 says that they are of several summaries
// each.
type DigestBlanks struct {
	Level    int
	Words    int // at most
	Texts    []string
	Language string // BCP-47; "" = that of the summaries
}

// Prompt returns the question.
func (b DigestBlanks) Prompt() (string, error) { return fill(Digest, b) }

// fill is the file of the task with its blanks filled; {{quote x}} writes x as a JSON string.
func fill(task Task, blanks any) (string, error) {
	name := string(task) + ".md"
	t, err := template.New(name).Funcs(template.FuncMap{"quote": quote}).ParseFS(files, name)
	if err != nil {
		return "", fmt.Errorf("prompt %s: %w", task, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, blanks); err != nil {
		return "", fmt.Errorf("prompt %s: %w", task, err)
	}
	return b.String(), nil
}

// quote writes s as a JSON string on one line. Letters of all scripts stay as they are; bytes that are not UTF-8 become U+FFFD.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // no string fails to encode; an empty one is the safe answer
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
