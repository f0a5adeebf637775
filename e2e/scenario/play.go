package scenario

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// turn plays one turn and compares it. The error is for a store that cannot be read or opened again.
func (p *play) turn(ctx context.Context, number int, t Turn) (Report, error) {
	// Before it time passes, the process starts anew, and documents are damaged.
	p.now.Add(int64(t.At))
	if t.Restart {
		if err := p.reopen(ctx, nil); err != nil {
			return Report{}, err
		}
	}
	scope := p.s.Scope.Merge(t.Scope)
	if err := p.damage(ctx, scope, t); err != nil {
		return Report{}, err
	}

	// The turn may kill a process; then it is played in another one.
	small := t.small()
	report := Report{Number: number, Turn: t}
	started := p.stopwatch()
	if t.Crash != nil {
		if err := p.crashed(ctx, scope, t, &report); err != nil {
			return Report{}, err
		}
	} else {
		report.Reply, report.Output, report.Err = p.act(ctx, scope, t, small)
	}

	// What became of it is read back when all vectors are there.
	report.Took = p.stopwatch().Sub(started)
	if err := p.graph.Memory().Vectors().Settle(ctx, scope); err != nil {
		return Report{}, err
	}
	o, err := p.outcome(ctx, scope, t, report)
	if err != nil {
		return Report{}, err
	}
	if small != nil {
		o.asked = small.Asked()
	}
	report.Affairs = o.affairs
	report.Failures = check(number, t.Expect, o)
	return report, nil
}

// act does what the turn says: a message, a command, or nothing but what was done before it.
func (p *play) act(ctx context.Context, scope state.Scope, t Turn, small *scripted.Small) (graph.Reply, string, error) {
	switch {
	case t.Approve != "" && t.User == nil:
		return p.approve(ctx, scope, t)
	case t.Command != "":
		return p.command(ctx, scope, t, small)
	case t.User == nil:
		return graph.Reply{}, "", nil
	}

	reply, err := p.graph.Invoke(ctx, p.c.request(scope, t, small))
	p.last[scope] = reply
	if err == nil {
		p.said[scope] = t
	}

	if err == nil && t.Approve != "" && len(reply.Waits) > 0 {
		return p.approve(ctx, scope, t)
	}
	return reply, reply.Text, err
}

// command runs a chat command. Of the reply there is what was noted.
func (p *play) command(ctx context.Context, scope state.Scope, t Turn, small *scripted.Small) (reply graph.Reply, output string, err error) {
	last, trace := p.last[scope], &state.Trace{}
	ctx = state.ContextWithTrace(ctx, trace)
	if small != nil {
		ctx = memory.ContextWithSmall(ctx, small)
	}
	output, err = Command(ctx, p.graph.Graph, &scope, t.Command, last, time.UTC)
	reply.Trace.Notes = trace.Notes()
	return reply, output, err
}

// approve answers every question that the session waits for, in a process of its own; the model goes on with the
// script of this turn, or with that of the turn that asked. Where it waits for none, all suggestions of the user are answered.
func (p *play) approve(ctx context.Context, scope state.Scope, t Turn) (graph.Reply, string, error) {
	// Questions of a turn are answered, or else the user's suggestions.
	open, err := p.graph.Waits(ctx, scope)
	if err != nil {
		return graph.Reply{}, "", err
	}
	if len(open) == 0 {
		return graph.Reply{}, "", p.answerSuggestions(ctx, scope, answer(t.Approve))
	}
	answers := map[string]state.Answer{}
	for _, q := range open {
		answers[q.ID] = answer(t.Approve)
	}

	// The model goes on with its script in another process; what the user said is said already.
	asked := p.said[scope]
	asked.User = new(string)
	if t.Model != nil {
		asked.Model = t.Model
	}
	r := p.c.request(scope, asked, asked.small())
	if r.SmallModel != nil {
		ctx = memory.ContextWithSmall(ctx, r.SmallModel)
	}
	if err := p.reopen(ctx, r.Model); err != nil {
		return graph.Reply{}, "", err
	}
	reply, err := p.graph.Answer(ctx, scope, answers)
	p.last[scope] = reply
	return reply, reply.Text, errors.Join(err, p.reopen(ctx, nil))
}

// answerSuggestions answers all suggestions that wait for the user.
func (p *play) answerSuggestions(ctx context.Context, scope state.Scope, a state.Answer) error {
	waits, err := p.graph.Memory().Suggestions().List(ctx, scope, false)
	if err == nil && len(waits) == 0 {
		err = state.Errorf(state.NotFound, "approve", "session %s waits for no answer, and there is no suggestion of user %s", scope.Session, scope.User)
	}
	for _, s := range waits {
		if _, failed := p.graph.Memory().Suggestions().Answer(ctx, scope, s.ID, a); failed != nil {
			return failed
		}
	}
	return err
}

func answer(approve string) state.Answer {
	switch approve {
	case "yes":
		return state.Answer{Choice: state.Approve}
	case "no":
		return state.Answer{Choice: state.Reject}
	}
	return state.Answer{Choice: state.Edit, Value: approve}
}

// reopen returns a new process with a model of its own; nil = the configured one.
func (p *play) reopen(ctx context.Context, chat model.ToolCallingChatModel) error {
	if err := p.close(); err != nil {
		return err
	}
	return p.open(ctx, chat)
}

// request returns the turn with its scripted models. Without a script those of the graph answer.
func (c Config) request(scope state.Scope, t Turn, small *scripted.Small) graph.Request {
	p := t.Request.Preferences
	r := graph.Request{
		Scope: scope, Text: *t.User, PreferredLanguage: p.Language, Tone: p.Tone, StyleNotes: p.StyleNotes, PreferenceScope: p.Scope,
		StoreKnowledge: t.Request.StoreKnowledge, ExtraContext: t.Request.ExtraContext,
	}

	if t.Model != nil {
		r.Model = scripted.New(steps(t.Model), c.fallback())
	}
	if slices.Contains(t.Fail, "respond") {
		r.Model = failingModel()
	}
	if small != nil {
		r.SmallModel, r.AskSmall = small, small.Has("detect")
	}
	return r
}

// small returns the turn's small model, nil if nothing is scripted.
func (t Turn) small() *scripted.Small {
	answers := map[string]any{}
	for _, a := range t.Background {
		answers[a.Task] = a.Text
	}
	fail := slices.DeleteFunc(slices.Clone(t.Fail), func(task string) bool { return task == "respond" })
	if len(answers)+len(fail)+len(t.Hang) == 0 {
		return nil
	}
	return scripted.Background(answers, fail).Silence(t.Hang...)
}

func steps(list []Step) []scripted.Step {
	var out []scripted.Step
	for _, s := range list {
		if s.Calls == nil {
			out = append(out, scripted.Say(s.Say))
			continue
		}
		var calls []state.ToolCall
		for _, c := range s.Calls {
			calls = append(calls, state.ToolCall{Name: c.Name, Arguments: c.Args})
		}
		out = append(out, scripted.Calls(calls...))
	}
	return out
}

// failingModel fails more often than any turn may ask.
func failingModel() *scripted.Model {
	broken := scripted.Fail(state.Errorf(state.Unavailable, "chat model", "fails by script"))
	return scripted.New(slices.Repeat([]scripted.Step{broken}, 200), nil)
}

// outcome reads back what the turn came to.
func (p *play) outcome(ctx context.Context, scope state.Scope, t Turn, r Report) (outcome, error) {
	// The user's own commands are no tools that the model has used.
	m := p.graph.Memory()
	o := outcome{
		decision: r.Reply.Decision, tools: []string{}, reply: r.Output, prompts: append(r.earlier, promptTexts(r.Reply.Trace.Prompts)...),
		context: r.Reply.Trace.Context, notes: r.Reply.Trace.Notes, now: p.clock(), err: r.Err,
	}
	for _, use := range r.Reply.Tools {
		if !memory.IsSpoken(use.ID) { // nobody's but the user's own
			o.tools = append(o.tools, use.Name)
		}
	}

	// Affairs and records are read back from memory.
	affairs, err := m.Affairs().List(ctx, scope, true)
	if err != nil {
		return o, err
	}
	o.affairs = affairs
	if o.records, err = m.Records(ctx, scope); err != nil {
		return o, err
	}

	// Questions of the turn and suggestions of memory both wait for an answer.
	open, err := p.graph.Waits(ctx, scope)
	if err != nil {
		return o, err
	}
	waits, err := m.Suggestions().List(ctx, scope, false)
	if err != nil {
		return o, err
	}
	o.pending = len(open) + len(waits)

	// Recall is asked as the user would ask it.
	for _, probe := range t.Expect.Recall {
		texts, err := recall(ctx, m, scope, o.activeID(), probe)
		if err != nil {
			return o, err
		}
		o.hits = append(o.hits, texts)
	}
	return o, nil
}

// recall asks memory as a tool of the turn would; current is the active affair.
func recall(ctx context.Context, m *memory.Memory, scope state.Scope, current string, p Probe) ([]string, error) {
	hits, err := m.Recall(ctx, memory.Query{
		Scope: scope, Text: p.Query, In: memory.Where(p.In), Affair: current, Limit: max(10, p.Rank), AsOf: p.AsOf,
	})
	if err != nil {
		return nil, err
	}
	texts := []string{}
	for _, h := range hits {
		texts = append(texts, h.Text)
	}
	return texts, nil
}
