package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// A host is told of a task once it is durable (Config.Scheduled), and of all that are not done when it asks at its start (Tell,
// which Graph.Sweep does). There is no mark of who was told: a task may be told twice, and none is lost.

// Task returns the change that stores a task and when it is due, told in the zone that due is in; at midnight it is due on that day.
func Task(title, note string, due time.Time) Change {
	content := title
	if note = strings.TrimPrefix(strings.TrimSpace(note), title+": "); note != "" && note != title {
		content += ": " + note
	}
	content += " (due " + WhenDue(due) + ")" // else two that differ in it would be one
	return Change{
		Kind: state.DeadlineRecord, Subject: title, Content: content, About: state.AboutUser, Trust: state.TrustAgent, Importance: 8, Due: due,
	}
}

// WhenDue returns a due time in words: the day alone at midnight.
func WhenDue(due time.Time) string {
	if due.Format(time.TimeOnly) == "00:00:00" {
		return due.Format(time.DateOnly)
	}
	return due.Format("2006-01-02 15:04 MST")
}

// List returns the user's tasks that are not done, the one due first comes first. A task is done when its record is forgotten.
func (k Tasks) List(ctx context.Context, scope state.Scope) ([]state.Record, error) {
	valid, err := k.m.validRecords(ctx, scope.Default())
	if err != nil {
		return nil, err
	}
	tasks := slices.DeleteFunc(valid, func(r state.Record) bool { return r.Due == nil })
	slices.SortStableFunc(tasks, func(a, b state.Record) int { return a.Due.Compare(*b.Due) })
	return tasks, nil
}

// End ends a task that is done, or another record of the id that is over, and returns what it was: that of the id, else the one that shares most telling words with a text, or what an affair
// waits for that has more of them. What the task's affair and the turn's wait for says it no more, and deadlines that they keep of it end. state.ErrNotFound if there is none.
func (k Tasks) End(ctx context.Context, scope state.Scope, id, about string) (string, error) {
	r, err := k.m.openTask(ctx, scope, id, about)
	asked, title := text.Terms(about), text.Terms(r.Subject)
	if id == "" && (len(title) == 0 || sharedTerms(title, asked) < len(title)) { // it does not name the task
		was, pendingErr := k.m.endPending(ctx, scope, about, sharedTerms(asked, text.Terms(r.Content)))
		if !errors.Is(pendingErr, state.ErrNotFound) {
			return was, pendingErr
		}
		if err != nil {
			return "", err
		}
	}
	if errors.Is(err, state.ErrNotFound) { // another record that is over, a deadline
		r.ID = id
	} else if err != nil {
		return "", err
	}
	done, endErr := k.m.Amend(ctx, scope, Amendment{Action: EndRecord, ID: r.ID})
	if endErr != nil {
		return "", cmp.Or(err, endErr)
	}
	if r = done[0].Record; r.Due == nil {
		return cmp.Or(r.Subject, r.Content), nil
	}
	if err := k.m.endDeadlines(ctx, scope, r); err != nil {
		return "", err
	}
	return r.Subject, k.m.waitNoMore(ctx, scope, r)
}

// endDeadlines ends the deadlines that the turn's affair and the task's own keep of a task that is done: all words of its title, and its day.
func (m *Memory) endDeadlines(ctx context.Context, scope state.Scope, task state.Record) error {
	scope = scope.Default()
	ctx = m.desk.Under(ctx, scope)
	title := text.Terms(task.Subject)
	var effects []state.Effect
	for _, of := range slices.Compact([]string{desk.CallFrom(ctx).Affair, task.Affair}) {
		over, err := m.endDue(ctx, scope, of, func(r state.Record) bool {
			return r.Due == nil && isOn(r.Content, *task.Due) && sharedTerms(title, text.Terms(mind.RecordText(r))) == len(title)
		})
		if err != nil {
			return err
		}
		effects = append(effects, over...)
	}
	if len(effects) == 0 {
		return nil
	}
	return m.desk.Decide(ctx, effects...)
}

// endPending takes out of the affairs that are open what one of them waits for in the words of a text, more of them than a task has, in the turn's first. None is
// state.ErrNotFound.
func (m *Memory) endPending(ctx context.Context, scope state.Scope, about string, than int) (string, error) {
	affairs, err := m.Affairs().List(ctx, scope, false)
	if err != nil {
		return "", err
	}
	origin := desk.CallFrom(ctx)
	asked, best, at, most := text.Terms(about), -1, 0, 0
	for i, a := range affairs {
		for j, pending := range a.PendingActions {
			n := 2 * sharedTerms(asked, text.Terms(pending))
			if n <= 2*than {
				continue
			}
			if n > 0 && a.ID == origin.Affair {
				n++
			}
			if n > most && n >= len(asked) && isOpen(a) {
				best, at, most = i, j, n
			}
		}
	}
	if best < 0 {
		return "", state.Errorf(state.NotFound, "pending action "+about, "is none of an open affair")
	}
	a := affairs[best]
	left := slices.Delete(slices.Clone(a.PendingActions), at, at+1)
	_, err = m.Affairs().Edit(ctx, scope, a.ID, AffairChange{Pending: &left})
	return a.PendingActions[at], err
}

// Schedule writes a task. It takes the place of the open one that moves names, by its id or by words of it; "" = it is new.
func (k Tasks) Schedule(ctx context.Context, scope state.Scope, task Change, moves string) (state.Receipt, error) {
	var old state.Record
	if moves != "" {
		var err error
		if old, err = k.m.openTask(ctx, scope, moves, ""); errors.Is(err, state.ErrNotFound) {
			old, err = k.m.openTask(ctx, scope, "", moves)
		}
		if err != nil {
			return state.Receipt{}, err
		}
		task.corrects, task.Affair = &old, old.Affair
	}
	receipts, err := k.m.Write(ctx, scope, task)
	if err != nil || moves == "" {
		return append(receipts, state.Receipt{})[0], err
	}
	return receipts[0], k.m.waitNoMore(ctx, scope, old)
}

// waitNoMore takes a task that is over, or due at another time, out of what the turn's affair and its own wait for, and the day that it was due on out
// of their key facts and summaries.
func (m *Memory) waitNoMore(ctx context.Context, scope state.Scope, task state.Record) error {
	scope = scope.Default()
	ctx = m.desk.Under(ctx, scope)
	title := text.Terms(task.Subject)
	says := func(s string) bool {
		n := sharedTerms(title, text.Terms(s))
		return n > 0 && (n == len(title) || isOn(s, *task.Due))
	}
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return err
	}
	origin := desk.CallFrom(ctx)
	var effects []state.Effect
	for _, of := range slices.Compact([]string{origin.Affair, task.Affair}) {
		if of = d.Joined.Of(of); of == "" || !d.Knows(of) || d.IsArchived(of) {
			continue
		}
		a, err := asDecided(ctx, d, of)
		if err != nil {
			d.Unlock()
			return err
		}
		edit := state.AffairEdit{ID: of, At: m.c.Now()}
		for _, f := range a.KeyFacts {
			if says(f.Label+" "+f.Value) && isOn(f.Value, *task.Due) {
				edit.Facts = edit.Facts.With(f.Label, "")
			}
		}
		leaveOut(&edit, a, func(s string) bool { return slices.ContainsFunc(facts.Sentences(s), says) }, func(string) string { return "" })
		if len(edit.Facts) > 0 || edit.SetPending {
			effects = append(effects, state.Effect{Scope: scope, Affair: &edit})
		}
	}
	d.Unlock()
	if len(effects) == 0 {
		return nil
	}
	return m.desk.Decide(ctx, effects...)
}

// openTask finds an open task: that of the id, else the one that shares most telling words with a text, half of these at least.
func (m *Memory) openTask(ctx context.Context, scope state.Scope, id, about string) (state.Record, error) {
	tasks, err := m.Tasks().List(ctx, scope)
	if err != nil {
		return state.Record{}, err
	}
	words, best, most := text.Terms(about), -1, 0
	for i, r := range tasks {
		said, n := text.Terms(r.Content), 0
		for _, w := range words {
			if slices.Contains(said, w) {
				n++
			}
		}
		if r.ID == id {
			best = i
			break
		}
		if id == "" && n > most && 2*n >= len(words) {
			best, most = i, n
		}
	}
	if best < 0 {
		return state.Record{}, state.Errorf(state.NotFound, "task "+cmp.Or(id, about), "is none of the %d that are open; name one as it is called, or by its id", len(tasks))
	}
	return tasks[best], nil
}

// dueLines returns the tasks among the user's own records that are due, the one due first comes first. What is not due yet recall finds.
func dueLines(own []state.Record, now time.Time) (due []compose.Known) {
	tasks := slices.DeleteFunc(slices.Clone(own), func(r state.Record) bool { return r.Due == nil || r.Due.After(now) })
	slices.SortStableFunc(tasks, func(a, b state.Record) int { return cmp.Or(a.Due.Compare(*b.Due), strings.Compare(a.ID, b.ID)) })
	for _, r := range tasks {
		due = append(due, compose.Known{Label: "due " + r.Due.In(now.Location()).Format(time.DateOnly), Text: r.Content, Of: originOf(r)})
	}
	return due
}

// Tell calls Config.Scheduled with every task that is not done, of the users of a client or, with "", of all. It is for the start of
// a process: one that died right behind a commit has told nobody. It reads all their records, and nothing where nobody is to be told.
func (k Tasks) Tell(ctx context.Context, client string) error {
	if k.m.c.Scheduled == nil {
		return nil
	}

	users, err := desk.Owners(ctx, k.m.c.Store)
	if err != nil {
		return err
	}

	// The host is told of each task in the scope that it was given in.
	for _, u := range users {
		if client != "" && u.Client != client {
			continue
		}
		user := state.Scope{Client: u.Client, User: u.User}
		records, err := ledger.Scan[state.Record](ctx, k.m.desk.Base, store.Query{Collection: state.Records, Prefix: user.UserPrefix()})
		if err != nil {
			return err
		}
		for _, r := range records {
			if r.Due != nil && r.ValidTo == nil {
				user.Project, user.Agent, user.Session = r.Project, r.Agent, r.Session
				k.m.c.Scheduled(ctx, user, r)
			}
		}
	}
	return nil
}

// tellScheduled tells the host of tasks that became durable.
func (m *Memory) tellScheduled(ctx context.Context, effects []state.Effect, _ []store.Doc) {
	if m.c.Scheduled == nil {
		return
	}
	for _, e := range effects {
		if e.Record != nil && e.Record.Due != nil && e.Record.ValidTo == nil {
			m.c.Scheduled(ctx, e.Scope, *e.Record)
		}
	}
}
