package tools

import (
	"context"
	"strings"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

type scheduleArgs struct {
	Title string `json:"title"`
	Due   string `json:"due"`
	Note  string `json:"note"`
	Moves string `json:"moves"`
	Of    string `json:"affair_id"`
}

// scheduleTool is schedule_task: a task with the time when it is due. From then on it is in every context, until it is done.
func scheduleTool(m *memory.Memory) *bound {
	return bind(describeTool(ScheduleTask, "Remember a task and when it is due; from then on you are reminded. Once it is done: memory_update done.",
		map[string]*schema.ParameterInfo{
			"title":     textParam("What is to be done", true),
			"due":       textParam("2026-03-01 (that day), 2026-03-01 14:30 (the user's clock) or RFC 3339", true),
			"note":      textParam("More about it", false),
			"affair_id": textParam("Id or title of the affair it belongs to, if it is another than the current one", false),
			"moves":     textParam("Id or title of an open task that is to be done at this time instead", false),
		}),
		func(ctx context.Context, scope state.Scope, args scheduleArgs) (string, error) {
			if err := requireText(ScheduleTask, "title", args.Title); err != nil {
				return "", err
			}
			if err := requireText(ScheduleTask, "due", args.Due); err != nil {
				return "", err
			}
			set, err := m.Settings().In(ctx, scope)
			if err != nil {
				return "", err
			}
			due, err := parseDue(args.Due, set.Location())
			if err != nil {
				return "", err
			}

			task := memory.Task(args.Title, args.Note, due)
			if args.Of != "" {
				a, err := m.Affairs().Get(ctx, scope, args.Of)
				if err != nil {
					return "", err
				}
				task.Affair = a.ID
			}
			r, err := m.Tasks().Schedule(ctx, scope, task, strings.TrimSpace(args.Moves))
			if err != nil {
				return "", err
			}
			return "scheduled " + r.ID + ", due " + memory.WhenDue(due) + ": " + quote.Line(args.Title) + tellOutcome(r), nil
		})
}

// parseDue reads a time as a model writes it; one without a zone is of the user's.
func parseDue(s string, zone *time.Location) (time.Time, error) {
	s = strings.TrimSpace(s)
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04", "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.ParseInLocation(form, s, zone); err == nil {
			return at.In(zone), nil
		}
	}
	return time.Time{}, state.Errorf(state.Invalid, ScheduleTask, "due %.40q is no time; write 2026-03-01, 2026-03-01 14:30 or RFC 3339", s)
}
