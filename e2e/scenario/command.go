package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

// Commands lists the chat commands that act on a conversation; chat knows /quit besides.
func Commands() []string {
	return []string{"/help", "/clear", "/cler", "/new", "/end", "/sessions", "/rename", "/affairs", "/affair", "/not-this", "/why", "/suggestions", "/approve", "/reject"}
}

// helpText is what /help prints.
const helpText = `/affairs              what is open
/affair TITLE         puts the last turn under that affair; a new one if none is called so
/not-this             puts the last turn under a new affair of its own
/why                  explains the last turn
/sessions             your sessions
/new [TITLE]          ends this session and begins another
/end                  ends this session
/rename TITLE         names this session
/clear                puts what was said out of sight; affairs and records stay
/suggestions          what waits to be remembered
/approve N            has one carried out, or all
/reject N [REASON]    leaves one undone, or all
/quit                 ends the conversation`

// Command runs one chat command in a scope and returns what it prints: /help lists them, /clear, or /cler, puts the conversation so far
// out of sight, /end ends it, /new ends it and begins another, in which the scope is then, /rename TITLE names it, /sessions lists
// the user's, /affairs lists what is open, /affair TITLE and /not-this put the last turn under another affair, /why explains the turn of the last reply (last; the zero value before the
// first one: then the session's last turn, which may be of last week). /new takes a TITLE too. /suggestions numbers what waits for the user,
// /approve N and /reject N [REASON] answer one, or all of it. Times are those of zone. An unknown command is Invalid and named.
func Command(ctx context.Context, g *graph.Graph, scope *state.Scope, line string, last graph.Reply, zone *time.Location) (string, error) {
	name, title, _ := strings.Cut(line, " ")
	title = strings.TrimSpace(title)
	if name == "/cler" { // as the requirements spell it
		name = "/clear"
	}
	if !slices.Contains(Commands(), name) || title != "" && !slices.Contains([]string{"/new", "/rename", "/affair", "/approve", "/reject"}, name) {
		return "", state.Errorf(state.Invalid, "command "+line, "is not known; there are %s", strings.ReplaceAll(strings.Join(Commands(), ", "), " /cler,", ""))
	}

	// Commands that read or answer; the rest changes the session.
	switch name {
	case "/help":
		return helpText, nil
	case "/affairs":
		affairs, err := g.Memory().Affairs(ctx, *scope, false)
		return AffairLines(affairs), err
	case "/affair", "/not-this":
		if name == "/affair" && title == "" {
			return "", state.Errorf(state.Invalid, "command "+name, "needs a title: /affair TITLE")
		}
		a, err := g.Memory().PutTurn(ctx, *scope, last.Turn, title)
		return fmt.Sprintf("The last turn is in %q now, which is active.", a.Title), err
	case "/sessions":
		sessions, err := g.Memory().Sessions(ctx, *scope)
		return sessionLines(sessions, scope.Session, zone), err
	case "/why":
		return Why(ctx, g, *scope, last, zone)
	case "/suggestions":
		waits, err := g.Memory().Suggestions(ctx, *scope, false)
		return suggestionLines(waits), err
	case "/approve":
		return answerNamed(ctx, g.Memory(), *scope, title, state.Answer{Choice: state.Approve})
	case "/reject":
		named, reason, _ := strings.Cut(title, " ")
		return answerNamed(ctx, g.Memory(), *scope, named, state.Answer{Choice: state.Reject, Reason: strings.TrimSpace(reason)})
	}
	return editSession(ctx, g.Memory(), scope, name, title)
}

// suggestionLines numbers suggestions that wait, the oldest first. One that is over has no number.
func suggestionLines(waits []state.Suggestion) string {
	var b strings.Builder
	for i, item := range pick.Suggestions(waits) {
		if s := waits[i]; item.Number > 0 {
			fmt.Fprintf(&b, "%d. %s: %s\n", item.Number, s.Asks, s.Text)
		} else {
			fmt.Fprintf(&b, "-  %s: %s (over: nobody has answered in time)\n", s.Asks, s.Text)
		}
	}
	if b.Len() == 0 {
		return "Nothing waits for you."
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// answerNamed answers the suggestion of a number that /suggestions gives, of an id or its beginning, or all.
func answerNamed(ctx context.Context, m *memory.Memory, scope state.Scope, name string, a state.Answer) (string, error) {
	waits, err := m.Suggestions(ctx, scope, false)
	if err != nil {
		return "", err
	}

	var ids, lines []string
	for _, item := range pick.Suggestions(waits) {
		if item.Number > 0 {
			ids = append(ids, item.ID)
		}
	}
	if name != "all" {
		id, err := pick.One("suggestion", name, pick.Suggestions(waits))
		switch state.CodeOf(err) {
		case state.NotFound:
			return "", state.Errorf(state.Invalid, fmt.Sprintf("suggestion %.40q", name), "is none of the %d that wait; give a number of /suggestions, or all", len(ids))
		case state.Conflict:
			return "", err
		}
		ids = []string{id}
	}

	for _, id := range ids {
		done, err := m.Answer(ctx, scope, id, a)
		if err != nil {
			return strings.Join(lines, "\n"), err
		}
		lines = append(lines, strings.ToLower(string(done.Status))+": "+done.Asks+": "+done.Text)
	}
	return strings.Join(lines, "\n"), nil
}

// editSession runs a command that changes the session.
func editSession(ctx context.Context, m *memory.Memory, scope *state.Scope, name, title string) (string, error) {
	// Each command has a change and a line that says it is done; /clear is what is left.
	change, done := memory.SessionChange{Clear: true}, "The conversation so far is out of sight; affairs and records stay."
	of := *scope
	switch name {
	case "/new":
		_, err := m.EditSession(ctx, *scope, memory.SessionChange{End: true})
		if err != nil && state.CodeOf(err) != state.NotFound { // of a session that was never used there is nothing to end
			return "", err
		}
		of.Session = ""
		change, done = memory.SessionChange{New: true, Title: title}, "This is session %s now."
	case "/end":
		change, done = memory.SessionChange{End: true}, "Session %s has ended; what was active is parked, and the next message begins another part of it."
	case "/rename":
		if title == "" {
			return "", state.Errorf(state.Invalid, "command "+name, "needs a title: /rename TITLE")
		}
		change, done = memory.SessionChange{Title: title}, "Session %s has that title now."
	}

	// A new session becomes that of the conversation.
	s, err := m.EditSession(ctx, of, change)
	if err != nil {
		return "", err
	}
	if change.New {
		scope.Session = s.ID
	}
	return strings.ReplaceAll(done, "%s", s.ID), nil
}

// sessionLines lists sessions, last used first: the current one is marked.
func sessionLines(sessions []state.Session, current string, zone *time.Location) string {
	var b strings.Builder
	for _, s := range sessions {
		mark := " "
		if s.ID == current {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s %s (%d messages, last %s)\n", mark, s.ID, s.Title, s.Messages, s.LastAt.In(zone).Format("2006-01-02 15:04"))
	}
	if b.Len() == 0 {
		return "No sessions yet."
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// AffairLines lists affairs that are not archived, one a line: status, title and what is pending first.
func AffairLines(affairs []*state.Affair) string {
	var b strings.Builder
	for _, a := range affairs {
		if a.Status == state.Archived {
			continue
		}
		fmt.Fprintf(&b, "%-8s %s", a.Status, a.Title)
		if len(a.PendingActions) > 0 {
			b.WriteString(" (next: " + a.PendingActions[0] + ")")
		}
		b.WriteByte('\n')
	}

	if b.Len() == 0 {
		return "No affairs yet."
	}
	return strings.TrimSuffix(b.String(), "\n")
}
