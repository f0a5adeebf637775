package scenario

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
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

// Command runs one chat command in a scope and returns what it prints: /help lists them, /clear, or /cler, puts the conversation so far
// out of sight, /end ends it, /new ends it and begins another, in which the scope is then, /rename TITLE names it, /sessions lists
// the user's, /affairs lists what is open, /affair TITLE and /not-this put the last turn under another affair, /why explains the turn of the last reply (last; the zero value before the
// first one: then the session's last turn, which may be of last week). /new takes a TITLE too. /suggestions numbers what waits for the user,
// /approve N and /reject N [REASON] answer one, or all of it. Times are those of zone. What it says is in the session's language, but for /why and errors. An
// unknown command is Invalid and named.
func Command(ctx context.Context, g *graph.Graph, scope *state.Scope, line string, last graph.Reply, zone *time.Location) (string, error) {
	name, title, _ := strings.Cut(line, " ")
	title = strings.TrimSpace(title)
	if name == "/cler" { // as the requirements spell it
		name = "/clear"
	}
	if !slices.Contains(Commands(), name) || title != "" && !slices.Contains([]string{"/new", "/rename", "/affair", "/approve", "/reject"}, name) {
		return "", state.Errorf(state.Invalid, "command "+line, "is not known; there are %s", strings.ReplaceAll(strings.Join(Commands(), ", "), " /cler,", ""))
	}

	session, err := g.Memory().Session(ctx, *scope)
	if err != nil {
		return "", err
	}
	say := wordsOf(session.Language)

	// Commands that read or answer; the rest changes the session.
	switch name {
	case "/help":
		return strings.Join(say.Help, "\n"), nil
	case "/affairs":
		affairs, err := g.Memory().Affairs(ctx, *scope, false)
		return say.affairLines(affairs), err
	case "/affair", "/not-this":
		if name == "/affair" && title == "" {
			return "", state.Errorf(state.Invalid, "command "+name, "needs a title: /affair TITLE")
		}
		a, err := g.Memory().PutTurn(ctx, *scope, last.Turn, title)
		return fill(say.Put, "title", a.Title), err
	case "/sessions":
		sessions, err := g.Memory().Sessions(ctx, *scope)
		return say.sessionLines(sessions, scope.Session, zone), err
	case "/why":
		why, err := Why(ctx, g, *scope, last, zone)
		return cmp.Or(why, say.NoTurn), err
	case "/suggestions":
		waits, err := g.Memory().Suggestions(ctx, *scope, false)
		return say.suggestionLines(waits), err
	case "/approve":
		return answerNamed(ctx, g.Memory(), *scope, title, state.Answer{Choice: state.Approve})
	case "/reject":
		named, reason, _ := strings.Cut(title, " ")
		return answerNamed(ctx, g.Memory(), *scope, named, state.Answer{Choice: state.Reject, Reason: strings.TrimSpace(reason)})
	}
	return say.editSession(ctx, g.Memory(), scope, name, title)
}

// suggestionLines numbers suggestions that wait, the oldest first. One that is over has no number.
func (w *words) suggestionLines(waits []state.Suggestion) string {
	var b strings.Builder
	for i, item := range pick.Suggestions(waits) {
		if s := waits[i]; item.Number > 0 {
			fmt.Fprintf(&b, "%d. %s: %s\n", item.Number, s.Asks, s.Text)
		} else {
			fmt.Fprintf(&b, "-  %s: %s (%s)\n", s.Asks, s.Text, w.Over)
		}
	}
	if b.Len() == 0 {
		return w.NothingWaits
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
func (w *words) editSession(ctx context.Context, m *memory.Memory, scope *state.Scope, name, title string) (string, error) {
	// Each command has a change and a line that says it is done; /clear is what is left.
	change, done := memory.SessionChange{Clear: true}, w.Cleared
	of := *scope
	switch name {
	case "/new":
		_, err := m.EditSession(ctx, *scope, memory.SessionChange{End: true})
		if err != nil && state.CodeOf(err) != state.NotFound { // of a session that was never used there is nothing to end
			return "", err
		}
		of.Session = ""
		change, done = memory.SessionChange{New: true, Title: title}, w.New
	case "/end":
		change, done = memory.SessionChange{End: true}, w.Ended
	case "/rename":
		if title == "" {
			return "", state.Errorf(state.Invalid, "command "+name, "needs a title: /rename TITLE")
		}
		change, done = memory.SessionChange{Title: title}, w.Renamed
	}

	// A new session becomes that of the conversation.
	s, err := m.EditSession(ctx, of, change)
	if err != nil {
		return "", err
	}
	if change.New {
		scope.Session = s.ID
	}
	return fill(done, "id", s.ID), nil
}

// sessionLines lists sessions, last used first: the current one is marked.
func (w *words) sessionLines(sessions []state.Session, current string, zone *time.Location) string {
	var b strings.Builder
	for _, s := range sessions {
		mark := " "
		if s.ID == current {
			mark = "*"
		}
		used := fill(fill(w.Session, "n", strconv.FormatInt(s.Messages, 10)), "at", s.LastAt.In(zone).Format("2006-01-02 15:04"))
		fmt.Fprintf(&b, "%s %s %s (%s)\n", mark, s.ID, s.Title, used)
	}
	if b.Len() == 0 {
		return w.NoSessions
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// affairLines lists affairs that are not archived, one a line: status, title and what is pending first.
func (w *words) affairLines(affairs []*state.Affair) string {
	var b strings.Builder
	for _, a := range affairs {
		if a.Status == state.Archived {
			continue
		}
		fmt.Fprintf(&b, "%-8s %s", a.Status, a.Title)
		if len(a.PendingActions) > 0 && a.Status != state.Resolved {
			b.WriteString(" (" + w.Next + ": " + a.PendingActions[0] + ")")
		}
		b.WriteByte('\n')
	}

	if b.Len() == 0 {
		return w.NoAffairs
	}
	return strings.TrimSuffix(b.String(), "\n")
}
