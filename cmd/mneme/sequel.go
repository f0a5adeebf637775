package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/e2e"
	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
)

// sequel is the end of the demo: what a person does at the command line with the memory of the conversation.
type sequel struct {
	con   *console
	o     *opened
	said  []scenario.Report
	where string // flags that name the store where it is kept
	unmet int
}

// The turns that the sequel goes back to, counted from 1.
const (
	asideTurn    = 4
	rememberTurn = 6
	correctTurn  = 7
)

// demoTopic returns what the sequel forgets, in the words of the conversation.
func demoTopic(lang string) string {
	return map[string]string{"en": "student number", "cs": "studentské číslo", "pl": "numer studenta", "ru": "студенческий номер"}[lang]
}

// sequel explains the question aside, undoes the correction and erases what was corrected. It returns how much was not as expected.
func (c *console) sequel(ctx context.Context, s scenario.Scenario, played scenario.Config, said []scenario.Report) (unmet int, err error) {
	// The store is opened anew, at the end of the conversation's own time.
	now, ids := s.Now, 0
	for _, t := range s.Turns {
		now = now.Add(t.At)
	}
	newID := played.NewID
	if newID == nil {
		newID = func() string { ids++; return fmt.Sprintf("later-%06d", ids) }
	}
	g, err := embedded.OpenConfig(ctx, played.Dir, graph.Config{Now: func() time.Time { return now }, NewID: newID})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()

	q := &sequel{con: c, o: &opened{Graph: g.Graph, scope: s.Scope}, said: said}
	if played.NewID != nil {
		q.where = fmt.Sprintf(" --dir %s --user %s", played.Dir, s.Scope.User)
	}
	for _, step := range []func(context.Context) error{
		q.explain, q.undo, func(ctx context.Context) error { return q.forget(ctx, demoTopic(s.Language)) },
	} {
		if err := step(ctx); err != nil {
			return q.unmet, err
		}
		c.println("")
	}
	if q.where == "" {
		c.println("To try these commands yourself, keep the conversation: mneme demo --dir demo")
	}
	return q.unmet, nil
}

// head prints what is done next, and the command that does it: with what it is about where the store is kept, so that it can be typed.
func (q *sequel) head(what, command, of string) {
	if q.where == "" {
		q.con.println(q.con.paint(bold, what) + "   (" + command + ")")
		return
	}
	q.con.println(q.con.paint(bold, what) + "   $ " + command + " " + of + q.where)
}

// expect counts and prints what does not hold.
func (q *sequel) expect(holds bool, what string) {
	if !holds {
		q.unmet++
		q.con.field("FAILED", what)
	}
}

// explain says why the question aside was answered as it was.
func (q *sequel) explain(ctx context.Context) error {
	turn := q.said[asideTurn-1].Reply
	q.head(fmt.Sprintf("Why that answer in %d/%d?", asideTurn, e2e.DemoTurns), "mneme explain", fmt.Sprintf("%.*s", shortTurn, turn.Turn))
	why, err := scenario.Why(ctx, q.o.Graph, q.o.scope, turn, time.UTC)
	if err != nil {
		return err
	}
	for line := range strings.Lines(why) {
		label, text, _ := strings.Cut(line, " ")
		q.con.println(fmt.Sprintf("  %-9s%s", label, clip(text, width-len("  turn     "))))
	}
	q.expect(strings.Contains(why, string(turn.Decision.Kind)), "the explanation names the decision")
	return nil
}

// undo takes the correction back: what it has replaced holds again.
func (q *sequel) undo(ctx context.Context) error {
	m := q.o.Memory()
	made, err := m.History().Audit(ctx, q.o.scope, history.Query{Turn: q.said[rememberTurn-1].Reply.Turn})
	if err != nil {
		return err
	}
	changes, err := m.History().Audit(ctx, q.o.scope, history.Query{Turn: q.said[correctTurn-1].Reply.Turn})
	if err != nil {
		return err
	}
	if len(made) == 0 || len(changes) == 0 {
		return state.Errorf(state.NotFound, "demo", "the audit does not have what was remembered and corrected")
	}

	q.head("Take the correction back", "mneme audit undo", fmt.Sprint(changes[0].Seq))
	if err := m.History().UndoChange(ctx, q.o.scope, changes[0].Seq); err != nil {
		return err
	}
	holds, err := m.Records(ctx, q.o.scope)
	for _, r := range holds {
		q.con.field("known now", recordText(r))
	}
	q.expect(len(holds) == 1 && holds[0].ID == made[0].ID, "what was corrected is known again")
	return err
}

// forget erases what was corrected, in every layer.
func (q *sequel) forget(ctx context.Context, topic string) error {
	m := q.o.Memory()
	would, err := m.Forget().Erase(ctx, q.o.scope, forget.What{Topic: topic, Try: true})
	if err != nil {
		return err
	}
	q.head("Forget it for good", "mneme forget --topic", fmt.Sprintf("%q", topic))
	receipt, err := m.Forget().Erase(ctx, q.o.scope, forget.What{Topic: topic})
	if err != nil {
		return err
	}
	holds, err := m.Records(ctx, q.o.scope)
	if err != nil {
		return err
	}
	affairs, err := m.Affairs().List(ctx, q.o.scope, false)
	if err != nil {
		return err
	}

	// What went, what a look afterwards found, and what stays.
	left := len(holds)
	for _, l := range receipt.Layers {
		left += l.Left
	}
	q.con.field("erased", fmt.Sprintf("%s and %s that state it, with the answers", counted(forget.Items(would, "message"), "message"), counted(forget.Items(would, "record"), "record")))
	q.con.field("left of it", cmp.Or(strings.TrimPrefix(fmt.Sprint(left), "0"), "nothing"))
	q.con.field("stays", cmp.Or(strings.Join(append(titles(affairs, state.Active), titles(affairs, state.Parked)...), ", "), "none"))
	q.expect(left == 0, "nothing is left")
	q.expect(len(affairs) == 2, "both affairs stay")
	return nil
}
