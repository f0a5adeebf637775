package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/transcript"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// Commands lists the chat commands that act on a conversation; chat knows /quit besides.
func Commands() []string {
	return []string{"/help", "/clear", "/cler", "/new", "/end", "/sessions", "/rename", "/affairs", "/affair", "/not-this", "/undo", "/why", "/suggestions", "/approve", "/reject"}
}

// Command runs one chat command in a scope and returns what it prints: /help lists them, /clear, or /cler, puts the conversation so far
// out of sight, /end ends it, /new ends it and begins another, in which the scope is then, /rename TITLE names it, /sessions lists
// the user's, /affairs lists what is open, /affair TITLE and /not-this put the last turn under another affair, /undo takes it back with all that was learnt
// from it, and then the one before, /why explains the turn of the last reply (last; the zero value before the
// first one: then the session's last turn, which may be of last week). /new takes a TITLE too. /suggestions numbers what waits for the user,
// /approve N and /reject N [REASON] answer one, or all of it. Times are those of zone. What it says is in the session's language, but for /why and errors.
// Upper case counts as lower. An unknown command is Invalid and named.
func Command(ctx context.Context, g *graph.Graph, scope *state.Scope, line string, last graph.Reply, zone *time.Location) (string, error) {
	name, title, _ := strings.Cut(line, " ")
	name, title = strings.ToLower(name), strings.TrimSpace(title)
	if name == "/cler" { // as the requirements spell it
		name = "/clear"
	}
	switch {
	case !slices.Contains(Commands(), name):
		return "", state.Errorf(state.Invalid, name, "is not known; %s/help lists the commands", insteadOf(name))
	case title != "" && !slices.Contains([]string{"/new", "/rename", "/affair", "/approve", "/reject"}, name):
		return "", state.Errorf(state.Invalid, name, "takes nothing after it")
	case title == "" && slices.Contains([]string{"/rename", "/affair"}, name):
		return "", state.Errorf(state.Invalid, name, "needs a title: %s TITLE", name)
	}

	session, err := g.Memory().Sessions().Get(ctx, *scope)
	if err != nil {
		return "", err
	}
	say := wordsOf(session.Language)

	// Commands that read or answer; the rest changes the session.
	switch name {
	case "/help":
		return strings.Join(say.Help, "\n"), nil
	case "/affairs":
		affairs, err := g.Memory().Affairs().List(ctx, *scope, false)
		return say.affairLines(affairs), err
	case "/affair", "/not-this":
		a, err := g.Memory().Affairs().PutTurn(ctx, *scope, "", title)
		if errors.Is(err, state.ErrConflict) && a.Title != "" {
			return "", state.Errorf(state.Conflict, name, "the last turn is in “%s” already; name another affair", a.Title)
		}
		return fill(say.Put, "title", a.Title), err
	case "/undo":
		return say.undo(ctx, g.Memory(), *scope)
	case "/sessions":
		return say.sessionLines(ctx, g.Memory(), *scope, zone)
	case "/why":
		why, err := Why(ctx, g, *scope, last, zone)
		return cmp.Or(why, say.NoTurn), err
	case "/suggestions":
		waits, err := g.Memory().Suggestions().List(ctx, *scope, false)
		return say.suggestionLines(waits), err
	case "/approve":
		return answerNamed(ctx, g.Memory(), *scope, title, state.Answer{Choice: state.Approve})
	case "/reject":
		named, reason, _ := strings.Cut(title, " ")
		return answerNamed(ctx, g.Memory(), *scope, named, state.Answer{Choice: state.Reject, Reason: strings.TrimSpace(reason)})
	}
	return say.editSession(ctx, g.Memory(), scope, name, title)
}

// insteadOf says how that is done which a command that is not there seems to mean.
func insteadOf(name string) string {
	switch name {
	case "/forget":
		return "say “forget that ...” to have something no longer hold, or erase it for good with mneme forget; "
	case "/resolve", "/done", "/close":
		return "say that it is done, or write mneme affairs resolve; "
	}
	return ""
}

// undo takes the last turn of the session back, of those that were not.
func (w *words) undo(ctx context.Context, m *memory.Memory, scope state.Scope) (string, error) {
	messages, err := m.Messages(ctx, scope)
	if err != nil {
		return "", err
	}
	if len(messages) == 0 {
		return w.NoTurn, nil
	}
	turn, said := messages[len(messages)-1].Turn, ""
	for _, msg := range slices.Backward(messages) {
		if msg.Turn == turn && msg.Role == state.RoleUser {
			said = msg.Text
		}
	}
	return fill(w.Undone, "title", clipped(quote.Line(said), briefLine)), m.History().UndoTurn(ctx, scope, turn)
}

// Suggested says in a language what a suggestion asks for, as it is told when it is made.
func Suggested(language string, s state.Suggestion) string {
	say := wordsOf(language)
	asks, text := say.suggestion(s)
	return fill(fill(say.Suggested, "asks", asks), "text", text)
}

// suggestion returns what a suggestion asks for, and its text.
func (w *words) suggestion(s state.Suggestion) (asks, text string) {
	text = s.Text
	if n, ok := strings.CutPrefix(text, state.Everything+" ("); ok {
		text = w.Everything + " (" + n
	}
	return cmp.Or(w.Asks[s.Asks], s.Asks), text
}

// suggestionLines numbers suggestions that wait, the oldest first. One that is over has no number.
func (w *words) suggestionLines(waits []state.Suggestion) string {
	var b strings.Builder
	for i, item := range pick.Suggestions(waits) {
		if asks, text := w.suggestion(waits[i]); item.Number > 0 {
			fmt.Fprintf(&b, "%d. %s: %s\n", item.Number, asks, text)
		} else {
			fmt.Fprintf(&b, "-  %s: %s (%s)\n", asks, text, w.Over)
		}
	}
	if b.Len() == 0 {
		return w.NothingWaits
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// answerNamed answers the suggestion of a number that /suggestions gives, of an id or its beginning, or all.
func answerNamed(ctx context.Context, m *memory.Memory, scope state.Scope, name string, a state.Answer) (string, error) {
	waits, err := m.Suggestions().List(ctx, scope, false)
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
			if len(ids) == 0 {
				return "", state.Errorf(state.Invalid, fmt.Sprintf("suggestion %.40q", name), "is not there: none waits")
			}
			return "", state.Errorf(state.Invalid, fmt.Sprintf("suggestion %.40q", name), "is none of the %d that wait; give a number of /suggestions, or all", len(ids))
		case state.Conflict:
			return "", err
		}
		ids = []string{id}
	}

	for _, id := range ids {
		done, err := m.Suggestions().Answer(ctx, scope, id, a)
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
	change, done := sessions.Change{Clear: true}, w.Cleared
	of := *scope
	switch name {
	case "/new":
		_, err := m.Sessions().Edit(ctx, *scope, sessions.Change{End: true})
		if err != nil && state.CodeOf(err) != state.NotFound { // of a session that was never used there is nothing to end
			return "", err
		}
		of.Session = ""
		change, done = sessions.Change{New: true, Title: title}, w.New
	case "/end":
		change, done = sessions.Change{End: true}, w.Ended
	case "/rename":
		change, done = sessions.Change{Title: title}, w.Renamed
	}

	// A new session becomes that of the conversation.
	s, err := m.Sessions().Edit(ctx, of, change)
	if err != nil {
		return "", err
	}
	if change.New {
		scope.Session = s.ID
	}
	return fill(done, "session", w.called(s)), nil
}

// called returns how a session is named: by its title, or its id while it has none.
func (w *words) called(s state.Session) string {
	if s.Title == "" {
		return s.ID
	}
	return fill(w.Quoted, "title", s.Title)
}

// sessionLines lists sessions, last used first, with their ids, titles and what was said in them: the current one is marked.
func (w *words) sessionLines(ctx context.Context, m *memory.Memory, scope state.Scope, zone *time.Location) (string, error) {
	sessions, err := m.Sessions().List(ctx, scope)
	if err != nil {
		return "", err
	}
	current := scope.Session
	var b strings.Builder
	for _, s := range sessions {
		mark, title := " ", ""
		if s.ID == current {
			mark = "*"
		}
		if s.Title != "" {
			title = " " + fill(w.Quoted, "title", s.Title)
		}
		scope.Session = s.ID
		messages, err := m.Messages(ctx, scope)
		if err != nil {
			return "", err
		}
		used := fill(w.Session, "n", strconv.Itoa(len(transcript.Said(messages))))
		if !s.LastAt.IsZero() { // one that was begun by name and not used yet
			used += ", " + fill(w.Last, "at", s.LastAt.In(zone).Format("2006-01-02 15:04"))
		}
		fmt.Fprintf(&b, "%s %s%s (%s)\n", mark, s.ID, title, used)
	}
	if b.Len() == 0 {
		return w.NoSessions, nil
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
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
