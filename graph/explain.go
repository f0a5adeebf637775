package graph

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// Account is how a turn came to its answer: what its log has of it, joined with today's texts.
type Account struct {
	Session  string         `json:"session"`
	Turn     string         `json:"turn"`
	End      string         `json:"end"` // answered, failed, cancelled; waits or unfinished while it has none
	Failure  string         `json:"failure,omitempty"`
	Began    time.Time      `json:"began"`
	Ended    time.Time      `json:"ended,omitzero"`
	Question string         `json:"question"`         // names the user's message among the sources
	Answer   string         `json:"answer,omitempty"` // the assistant's
	Decision state.Decision `json:"decision"`
	PutUnder string         `json:"put_under,omitempty"` // the affair under which a person has put the turn since
	Weighed  string         `json:"weighed,omitempty"`   // what the rules weighed

	Prompts  []account.Prompt   `json:"prompts"`
	Recalls  []account.Recalled `json:"recalls,omitempty"`
	Writes   []account.Write    `json:"writes,omitempty"`
	Receipts []state.Receipt    `json:"receipts,omitempty"`
	Notes    []string           `json:"notes,omitempty"` // what was done in a lesser way than hoped; texts in them are left out

	Nodes    []account.NodeTime `json:"nodes,omitempty"`
	Bill     state.Bill         `json:"bill"`
	Attempts int                `json:"attempts"` // processes that had a part in it

	// Sources are where lines, hits and writes are from, by the names that these give.
	Sources map[string]memory.Source `json:"sources"`
}

// How a turn may have ended.
const (
	Answered   = "answered"
	Failed     = "failed"
	Cancelled  = "cancelled"
	Waits      = "waits"
	Unfinished = "unfinished"
)

// Explain returns the account of a turn of a session, by its id or by the number of a message of it; "" is the last one. It may
// have run in any process, at any time since: the log has kept what happened, and texts are looked up where they are kept, so that
// what was forgotten or taken back since is gone here too. In a fork the turns before it are found with the session that they ran
// in. A turn that is not known, or whose log was pruned, is state.ErrNotFound.
func (g *Graph) Explain(ctx context.Context, scope state.Scope, turn string) (Account, error) {
	return onThread(g, scope, func(state.Thread) (Account, error) { return g.explain(ctx, scope.Default(), turn, mostForks) })
}

// mostForks bounds how many forks back a turn is looked for.
const mostForks = 16

func (g *Graph) explain(ctx context.Context, scope state.Scope, turn string, forks int) (Account, error) {
	id, err := g.findTurn(ctx, scope, turn)
	if err != nil {
		return Account{}, err
	}
	steps, err := g.log.Turn(ctx, scope.Thread(), id)
	if err != nil {
		return Account{}, err
	}

	// A fork has copied one step of it at most.
	if len(steps) == 0 || len(steps) == 1 && steps[0].From != "" {
		from, err := g.forkedFrom(ctx, scope)
		if err != nil {
			return Account{}, err
		}
		if from.Session != "" && forks > 0 {
			a, err := g.explain(ctx, from, id, forks-1)
			if !errors.Is(err, state.ErrNotFound) || len(steps) == 0 {
				return a, err
			}
		}
	}
	if len(steps) == 0 {
		return Account{}, g.noAccountError(ctx, scope, turn, id)
	}
	return g.account(ctx, scope, steps)
}

// findTurn returns the id of the turn that a caller means: the last, the one of that id, or the one that a message number is of.
func (g *Graph) findTurn(ctx context.Context, scope state.Scope, turn string) (string, error) {
	if turn == "" {
		last, err := g.log.History(ctx, scope.Thread(), checkpoint.Which{Limit: 1})
		if err == nil && len(last) == 0 {
			err = state.Errorf(state.NotFound, "session "+scope.Session, "has no turns of user %s", scope.User)
		}
		if err != nil {
			return "", err
		}
		return last[0].Turn, nil
	}
	if strings.Trim(turn, "0123456789") != "" {
		return turn, nil
	}

	// A number may be an id that a host chose.
	if steps, err := g.log.Turn(ctx, scope.Thread(), turn); err != nil || len(steps) > 0 {
		return turn, err
	}
	name := compose.OfMessage + " /" + turn
	found, err := g.memory.Sources(ctx, scope, name)
	if err != nil || found[name].Turn == "" {
		return turn, err
	}
	return found[name].Turn, nil
}

// forkedFrom returns the session that this one was forked from, none if it was not.
func (g *Graph) forkedFrom(ctx context.Context, scope state.Scope) (from state.Scope, err error) {
	forks, err := g.log.History(ctx, scope.Thread(), checkpoint.Which{Source: checkpoint.SourceFork})
	if err != nil {
		return from, err
	}
	for _, s := range slices.Backward(forks) {
		if session, ok := strings.CutPrefix(s.From, scope.UserPrefix()); ok { // only a session of the same user
			from = scope
			from.Session = session
			return from, from.Validate()
		}
	}
	return from, nil
}

// listedTurns is how many turns an error names.
const listedTurns = 5

// noAccountError says that the log has no such turn, and what there is: that it was pruned, if its messages are there.
func (g *Graph) noAccountError(ctx context.Context, scope state.Scope, turn, id string) error {
	messages, err := g.memory.Messages(ctx, scope)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(messages, func(m state.Message) bool { return m.Turn == id }) {
		return state.Errorf(state.NotFound, "turn "+turn, "has no account any more: its part of the log was pruned or deleted; its messages are there")
	}

	var last []string
	for _, m := range slices.Backward(messages) {
		if m.Role == state.RoleUser && len(last) < listedTurns {
			last = append(last, m.Turn+" (message "+strconv.FormatInt(m.Seq, 10)+")")
		}
	}
	if len(last) == 0 {
		return state.Errorf(state.NotFound, "session "+scope.Session, "has no turns of user %s", scope.User)
	}
	return state.Errorf(state.NotFound, "turn "+turn, "is not known in session %s; the last ones are %s", scope.Session, strings.Join(last, ", "))
}

// account joins what the steps of a turn, newest first, have of it with today's texts.
func (g *Graph) account(ctx context.Context, scope state.Scope, steps []checkpoint.Step) (Account, error) {
	last, first := steps[0], steps[len(steps)-1]
	snapshot, err := g.flow.State(ctx, scope.Thread(), last.Seq)
	if err != nil {
		return Account{}, err
	}

	// What the log has.
	t := &snapshot.State
	in := t.Input.Get()
	a := Account{
		Session: scope.Session, Turn: last.Turn, End: Unfinished, Failure: t.Failure.Get().Text, Began: first.At,
		Question: messageName(in.Seq), Decision: t.Decision.Get(), Receipts: t.Receipts.Items(),
		Bill: state.Bill{Commits: len(steps), Usage: t.Usage.Get()}, Attempts: countAttempts(steps),
	}
	switch {
	case len(snapshot.Waits) > 0:
		a.End = Waits
	case last.Done && last.Source == checkpoint.SourceCancel:
		a.End = Cancelled
	case last.Done && t.Failure.IsSet():
		a.End = Failed
	case last.Done:
		a.End = Answered
	}
	if last.Done {
		a.Ended = last.At
	}
	for _, e := range t.Journal.Items() {
		if e.Kind == "model" {
			a.Answer = messageName(e.Seq)
		}
	}
	for _, page := range t.Account.Items() {
		a.add(page)
	}
	return a, g.joinTexts(ctx, scope, &a)
}

// messageName names a message of the turn's own session.
func messageName(seq int64) string { return compose.OfMessage + " /" + strconv.FormatInt(seq, 10) }

// countAttempts counts the runs that had a part in the steps.
func countAttempts(steps []checkpoint.Step) int {
	seen := map[string]bool{}
	for _, s := range steps {
		seen[s.Attempt] = true
	}
	return len(seen)
}

// add adds a page.
func (a *Account) add(page account.Page) {
	if page.Weighed != "" {
		a.Weighed = page.Weighed
	}

	a.Bill.Reads += page.Reads
	a.Nodes = append(a.Nodes, page.Nodes...)
	a.Notes = append(a.Notes, page.Notes...)
	a.Writes = append(a.Writes, page.Writes...)
	a.Recalls = append(a.Recalls, page.Recalls...)

	for _, p := range page.Prompts {
		var before account.Prompt
		if n := len(a.Prompts); n > 0 {
			before = a.Prompts[n-1]
		}
		a.Prompts = append(a.Prompts, p.After(before))
	}
}

// joinTexts looks up where everything is from, and which of it says something else than it did.
func (g *Graph) joinTexts(ctx context.Context, scope state.Scope, a *Account) (err error) {
	affair := compose.Origin{Kind: compose.OfAffair, ID: a.Decision.AffairID}.Kept("")
	names := []string{a.Question, a.Answer, affair}
	for _, w := range a.Writes {
		names = append(names, w.Of)
	}
	for _, r := range a.Recalls {
		for _, h := range r.Hits {
			names = append(names, h.Of)
		}
	}
	a.eachLine(func(l *account.Line) { names = append(names, l.Of) })
	if a.Sources, err = g.memory.Sources(ctx, scope, names...); err != nil {
		return err
	}
	a.eachLine(func(l *account.Line) {
		s := a.Sources[l.Of]
		l.Changed = s.Ended || !s.Gone && l.Sum != "" && l.Sum != account.Sum(s.Text)
	})

	// The decision's texts are kept with the affair and with the message.
	a.Decision.Title = a.Sources[affair].Title
	question := a.Sources[a.Question]
	a.Decision.Reasoning = question.Why
	if question.Affair != a.Decision.AffairID {
		a.PutUnder = question.Affair
	}
	return nil
}

// eachLine visits the lines of the prompts.
func (a *Account) eachLine(visit func(l *account.Line)) {
	for _, p := range a.Prompts {
		for _, s := range p.Sections {
			for i := range s.Lines {
				visit(&s.Lines[i])
			}
		}
	}
}
