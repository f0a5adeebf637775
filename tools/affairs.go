package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

type affairArgs struct {
	Affair string `json:"affair_id"`
	Skip   int    `json:"skip"`
}

// dossierPart is the part of max_tokens that one reading of an affair may take.
const dossierPart = 4

// listTool is list_affairs: the active affair and the parked ones.
func listTool(m *memory.Memory) *bound {
	return bind(describeTool(ListAffairs, "List the user's affairs: the active one, the parked ones, the resolved ones, with what each waits for and its days ahead; and his open tasks. "+
		"Use it when the user wants an overview.",
		map[string]*schema.ParameterInfo{}),
		func(ctx context.Context, scope state.Scope, _ struct{}) (string, error) {
			affairs, err := m.Affairs().List(ctx, scope, false)
			if err != nil {
				return "", err
			}
			if len(affairs) == 0 {
				return "no affairs", nil
			}

			lines := make([]string, 0, len(affairs))
			for _, a := range affairs {
				noteAffair(ctx, a)
				lines = append(lines, AffairLine(a, m.Affairs().Ahead(ctx, a)))
			}
			tasks, err := m.Tasks().List(ctx, scope)
			if err != nil {
				return "", err
			}
			for _, task := range tasks {
				noteRecord(ctx, task, "")
				lines = append(lines, "- task: "+quote.Item(task.Content)+" id "+task.ID)
			}
			return quote.Memory(lines...), nil
		})
}

// recallAffairTool is recall_affair: everything known of one affair.
func recallAffairTool(m *memory.Memory) *bound {
	return bind(describeTool(RecallAffair, "Read everything known about one affair: summary, key facts, what it waits for, stored records, related affairs, last messages. "+
		"It does not change which affair is active.",
		map[string]*schema.ParameterInfo{
			"affair_id": textParam("Id or title of the affair", true),
			"skip":      {Type: schema.Integer, Desc: "How many of the latest messages and records to pass over, to read earlier ones. Default 0"},
		}),
		func(ctx context.Context, scope state.Scope, args affairArgs) (string, error) {
			if err := requireText(RecallAffair, "affair_id", args.Affair); err != nil {
				return "", err
			}
			d, err := m.Affairs().Dossier(ctx, scope, args.Affair, memory.Page{Skip: args.Skip})
			if err != nil {
				return "", err
			}

			origin, _ := memory.OriginFrom(ctx)
			d.Messages = slices.DeleteFunc(d.Messages, func(f memory.Filed) bool { // the model has this turn before it
				return origin.Seq > 0 && f.Session == scope.Session && f.Seq >= origin.Seq
			})
			noteAffair(ctx, &d.Affair)
			for _, r := range d.Records {
				noteRecord(ctx, r, "")
			}
			set, err := m.Settings().In(ctx, scope)
			if err != nil {
				return "", err
			}
			return quote.Memory(d.Markdown(set.MaxTokens/dossierPart, m.Tokens)), nil
		})
}

type switchArgs struct {
	Affair string `json:"affair_id"`
	Title  string `json:"new_title"`
}

// switched begins the result of a call that has put the turn under another affair.
const switched = "the conversation goes on in: "

// switchTool is switch_affair: the turn is about another affair than was assumed.
func switchTool(m *memory.Memory) *bound {
	return bind(describeTool(SwitchAffair, "The user's message was put under the active affair, or under the one asked about. When it takes up another affair, or "+
		"opens a matter that is in none, say so here before you answer: the context is then that affair's. Not for a lone question aside.",
		map[string]*schema.ParameterInfo{
			"affair_id": textParam("Id or title of the affair it takes up", false),
			"new_title": textParam("Of a matter that is in no affair: a title, a noun phrase in the user's language", false),
		}),
		func(ctx context.Context, scope state.Scope, args switchArgs) (string, error) {
			name, was := args.Title, state.Status("")
			if args.Affair != "" {
				a, err := m.Affairs().Get(ctx, scope, args.Affair)
				if err != nil {
					return "", err
				}
				name, was = a.ID, a.Status
			}
			if err := requireText(SwitchAffair, "affair_id", name); err != nil {
				return "", err
			}
			a, err := m.Affairs().PutTurn(ctx, scope, "", name)
			if err != nil {
				return "", err
			}
			said := switched + quote.Line(a.Title)
			if was == state.Resolved {
				said += "; it was settled and is open again: call resolve_affair too if nothing of it is"
			}
			return said, nil
		})
}

// resolveTool is resolve_affair: settle an affair. None is meant by default: what is settled need not be what the turn is filed under.
func resolveTool(m *memory.Memory) *bound {
	return bind(describeTool(ResolveAffair, "Mark an affair as settled, when the user says so.",
		map[string]*schema.ParameterInfo{"affair_id": textParam("Id or title of the affair that the user's words are about", true)}),
		func(ctx context.Context, scope state.Scope, args affairArgs) (string, error) {
			if err := requireText(ResolveAffair, "affair_id", args.Affair); err != nil {
				return "", err
			}
			a, err := m.Affairs().Get(ctx, scope, args.Affair)
			if err != nil {
				return "", err
			}
			if _, err := m.Affairs().Move(ctx, scope, a.ID, state.Resolved, ""); err != nil {
				return "", err
			}
			said := "resolved: " + quote.Line(a.Title)
			if len(a.PendingActions) > 0 {
				said += "; it waits no longer for: " + quote.Line(strings.Join(a.PendingActions, "; "))
			}
			if len(a.PendingActions) > 1 { // what the user calls settled is likely one of them
				said += "; if some of that is still to be done, keep it (schedule_task or memory_store), and " + tellUser
			}
			tasks, err := m.Tasks().List(ctx, scope)
			if err != nil {
				return "", err
			}
			for _, task := range tasks {
				if task.Affair == a.ID {
					said += "; this task of it is still set: " + quote.Line(task.Content) + " (id " + task.ID + "); end it with memory_update done only if it is over too, and " + tellUser
				}
			}
			return said, nil
		})
}
