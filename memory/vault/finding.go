package vault

import (
	"fmt"
	"path"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

// What is what a line of a file asks for, or what is wrong with it.
type What string

// What lines ask for, and what is wrong with them.
const (
	Correct  What = "correct"  // a record says something else from now on
	Forget   What = "forget"   // a record holds no longer
	Remember What = "remember" // a new record
	Move     What = "move"     // a record stands in another part of the brain, that is: is of another kind
	Pin      What = "pin"      // a record stays in the brain
	Unpin    What = "unpin"    // it need not

	Conflict What = "conflict" // the line was changed in the file and in memory: nothing was done
	Damaged  What = "damaged"  // the file cannot be read, or memory does not take the line: nothing was done
	Unread   What = "unread"   // what stands there is not read back: nothing was done
	Waits    What = "waits"    // it was suggested, and waits for the user's approval: nothing was done
)

// Finding is what one line of a file comes to.
type Finding struct {
	Path   string `json:"path"` // below the folder
	Line   int    `json:"line"` // 0 = the line is gone
	What   What   `json:"what"`
	Text   string `json:"text,omitempty"`   // of the line
	Was    string `json:"was,omitempty"`    // what memory has
	Record string `json:"record,omitempty"` // id
	Note   string `json:"note,omitempty"`   // what is wrong, and the way out
	Done   bool   `json:"done"`             // false of what is wrong, and of what Diff finds

	part    state.BrainPart
	subject string // of Was
	digest  bool   // it is the active context
}

// wrong reports whether the line was not taken in.
func (f Finding) wrong() bool {
	return f.What == Conflict || f.What == Damaged || f.What == Unread || f.What == Waits
}

// String returns the finding in one line.
func (f Finding) String() string { return f.In("") }

// In is the finding in one line, with the folder before its path.
func (f Finding) In(dir string) string {
	where := path.Join(dir, f.Path)
	if f.Line > 0 {
		where += fmt.Sprintf(":%d", f.Line)
	}
	switch {
	case f.wrong():
		return string(f.What) + " " + where + ": " + f.Note
	case f.Text == "":
		return f.verb() + " " + where + ": " + quote.Line(f.Was)
	case f.Was != "" && f.Was != f.Text:
		return f.verb() + " " + where + ": " + quote.Line(f.Text) + " (was: " + quote.Line(f.Was) + ")"
	}
	return f.verb() + " " + where + ": " + quote.Line(f.Text)
}

// verb says what was done, or would be.
func (f Finding) verb() string {
	past := map[What]string{Correct: "corrected", Forget: "forgotten", Remember: "remembered", Move: "moved", Pin: "pinned", Unpin: "unpinned"}
	if f.Done {
		return past[f.What]
	}
	return "would " + string(f.What)
}

// Report is what Import did, or what Diff found that it would do.
type Report struct {
	Findings []Finding `json:"findings"`
	Files    int       `json:"files"`   // that were read
	Written  int       `json:"written"` // that were brought up to date
}

// Err is nil when all was taken in. A conflict is state.ErrConflict, what waits for approval state.ErrDenied, anything else that was left alone
// state.ErrInvalid.
func (r Report) Err() error {
	count := map[What]int{}
	for _, f := range r.Findings {
		count[f.What]++
	}
	var said []string
	for _, w := range []What{Conflict, Damaged, Unread, Waits} {
		if count[w] > 0 {
			said = append(said, fmt.Sprintf("%d %s", count[w], w))
		}
	}
	if len(said) == 0 {
		return nil
	}
	code := state.Invalid
	switch {
	case count[Conflict] > 0:
		code = state.Conflict
	case count[Damaged]+count[Unread] == 0:
		code = state.Denied
	}
	return state.Errorf(code, "vault", "%s: left alone, as said above; what remains was read", strings.Join(said, ", "))
}
