package openai

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// Events are those of a turn.
type Events = iter.Seq2[graph.Event, error]

// begun is a turn at work, or one that has ended.
type begun struct {
	run   Run
	scope state.Scope
	id    string // the turn's
	part  string // which answer of the turn it is, "" = the first: a turn that waited has several
	one   bool   // call of a tool at a time
	leave func() // gives back the place among the open streams
}

// begin has the turn of a talk run.
func (f *Face) begin(ctx context.Context, c Caller, t talk) (*begun, error) {
	if err := cmp.Or(c.May(true), c.Open()); err != nil {
		return nil, err
	}
	chat, err := f.modelOf(t.model)
	if err != nil {
		return nil, err
	}
	scope, err := c.Scope(t.user, t.session)
	if err != nil {
		return nil, err
	}

	t.leaveTalk()
	if err := f.hold(&t, scope, chat); err != nil {
		return nil, err
	}

	// Where it goes on is made by one request of a user at a time.
	sought, err := f.seek(ctx, scope, t)
	if err != nil {
		return nil, err
	}
	done, err := f.enter(ctx, scope.Key(""))
	if err != nil {
		return nil, err
	}
	p, err := f.locate(ctx, c, scope, t, sought)
	if err == nil {
		t = p.talk
		err = f.checkResults(ctx, &p, scope)
	}
	if err == nil {
		err = f.settle(ctx, &p, scope, t)
	}
	done()
	if err != nil {
		return nil, err
	}
	scope.Session = p.session
	req := graph.Request{
		Scope: scope, Text: t.last().said, Parts: t.last().parts, MessageID: p.id, System: t.system, Model: chat, ModelOptions: t.options, Tools: t.tools,
	}
	req.ExtraContext.Notes = t.notes
	if t.unstored {
		req.StoreKnowledge = new(bool)
	}
	if p.was == nil && len(t.last().results) > 0 {
		addResults(&req, t.last())
	}
	turn, id, err := f.turnOf(ctx, &p, t, req)
	if err != nil {
		return nil, err
	}
	part := ""
	for _, r := range t.last().results {
		part = "-" + sum(part, r.call)[:8]
	}
	if t.last().choice != "" {
		part += "-" + string(t.last().choice)
	}
	run, err := c.Run(scope, id, sum(id), turn)
	return &begun{run: run, scope: scope, id: p.id, part: part, one: t.one}, err
}

// settle makes the session that a talk goes on in, and takes in what it has not seen of the client's history.
func (f *Face) settle(ctx context.Context, p *place, scope state.Scope, t talk) error {
	if p.was != nil {
		return nil
	}
	if p.fork != "" {
		last := slices.IndexFunc(p.have[p.at:], func(k kept) bool { return k.over }) + p.at
		before := slices.DeleteFunc(slices.Clone(p.have[:last]), func(k kept) bool { return !k.over })
		from, had := scope, p.n
		from.Session, p.session, p.n = p.session, p.fork, 0
		if len(before) > 0 && had+len(t.after) > 0 {
			var err error = state.ErrNotFound // what was said elsewhere is no turn
			if turn := before[len(before)-1].turn; turn != "" {
				err = f.c.Graph.Fork(ctx, from, turn, p.fork)
			}
			switch {
			case err == nil:
				p.n = had
			case !errors.Is(err, state.ErrNotFound) || t.after != "":
				return err
			}
		}
	}
	scope.Session = p.session
	return f.c.Graph.Memory().Turn().Ingest(ctx, scope, messagesOf(t.exchanges[p.n:len(t.exchanges)-1])...)
}

// messagesOf are exchanges as messages that were said elsewhere. What says nothing is left out.
func messagesOf(exchanges []exchange) (out []state.Message) {
	for _, e := range exchanges {
		if bare(e.said) != "" || len(e.parts) > 0 {
			out = append(out, state.Message{Role: state.RoleUser, Text: e.said, Parts: e.parts})
		}
		if bare(e.answer) != "" {
			out = append(out, state.Message{Role: state.RoleAssistant, Text: e.answer})
		}
	}
	return out
}

// addResults quotes results of calls that were not made here: the client has begun with another service.
func addResults(req *graph.Request, e *exchange) {
	for i, r := range e.results {
		name := "a tool"
		if i < len(e.calls) {
			name = e.calls[i]
		}
		if bare(r.text) != "" {
			req.ExtraContext.Notes = append(req.ExtraContext.Notes, "Result of "+name+": "+r.text)
		}
	}
}

// turnOf returns what is to be run for a talk at its place, and the name by which it is known again while it is at work.
func (f *Face) turnOf(ctx context.Context, p *place, t talk, req graph.Request) (turn func(context.Context) Events, id string, err error) {
	g, last := f.c.Graph, t.last()
	if p.was != nil && p.was.over {
		req.MessageID, req.Text, req.Parts, req.Attachments = p.id, p.was.msg.Text, p.was.msg.Parts, p.was.msg.Attachments
		return f.again(req), p.id, nil
	}
	open := len(p.have) > 0 && !p.have[len(p.have)-1].over
	var waits []graph.Question
	if open {
		if waits, err = g.Waits(ctx, req.Scope); err != nil {
			return nil, "", err
		}
	}
	goOn := func(answers map[string]state.Answer) func(context.Context) Events {
		return func(ctx context.Context) Events { return g.StreamAnswerWith(ctx, req, answers) }
	}

	// The turn is there and waits: for results, or for a word.
	if p.was != nil {
		if last.asked != "" && !showed(last.asked, waits) { // he has decided about something else: what waits is shown
			last.choice = ""
		}
		if answers := answersOf(waits, last.results, last.choice, req.Scope.User); len(answers) > 0 && waits[0].Turn() == p.id {
			req.MessageID = ""
			return goOn(answers), answerID(answers), nil
		}
		req.Text, req.Parts, req.Attachments = p.was.msg.Text, p.was.msg.Parts, p.was.msg.Attachments
		return f.attempts(req), req.MessageID, nil
	}
	choice, _ := choiceOf(last.said)
	n := len(t.exchanges)
	unseen := n > 1 && t.exchanges[n-2].over && len(approvals(waits)) > 0 && !showed(t.exchanges[n-2].answer, waits)
	if choice != "" && (unseen || t.retried && len(waits) > 0) { // the first delivery may have decided about what waited then: what waits is shown
		w := p.have[len(p.have)-1]
		p.id, req.MessageID, req.Text, req.Parts, req.Attachments = w.turn, w.turn, w.msg.Text, w.msg.Parts, w.msg.Attachments
		return f.attempts(req), req.MessageID, nil
	}
	if answers := answersOf(waits, nil, choice, req.Scope.User); len(answers) > 0 {
		p.id, last.choice, req.MessageID = waits[0].Turn(), choice, ""
		return goOn(answers), answerID(answers), nil
	}

	turn, id = f.behindWaits(waits, t, req)
	return turn, id, nil
}

// behindWaits returns the turn of a message that comes while the one before it waits: what waits is answered with what the client has, or given up.
func (f *Face) behindWaits(waits []graph.Question, t talk, req graph.Request) (turn func(context.Context) Events, id string) {
	before := map[string]state.Answer{}
	if n := len(t.exchanges); n > 1 {
		before = answersOf(waits, t.exchanges[n-2].results, "", req.Scope.User)
	}
	if slices.ContainsFunc(waits, func(a graph.Question) bool { return !tools.BuiltIn(a.Question.Tool) }) {
		req.DoubleTexting = state.InterruptTexting
	}
	fresh := f.attempts(req)
	if len(before) == 0 || len(before) < len(waits) {
		return fresh, req.MessageID
	}
	ended := req
	ended.MessageID, ended.DoubleTexting = "", ""
	return func(ctx context.Context) Events {
		return func(yield func(graph.Event, error) bool) {
			for e, err := range f.c.Graph.StreamAnswerWith(ctx, ended, before) { // what it came to is the session's
				if err != nil {
					yield(e, err)
					return
				}
			}
			fresh(ctx)(yield)
		}
	}, req.MessageID
}

// again hands out the end of a turn that has its answer. One that its process left behind the answer is gone on with.
func (f *Face) again(req graph.Request) func(context.Context) Events {
	return func(ctx context.Context) Events {
		return func(yield func(graph.Event, error) bool) {
			for e, err := range f.c.Graph.Follow(ctx, req.Scope, req.MessageID) {
				if errors.Is(err, state.ErrUnavailable) && ctx.Err() == nil {
					f.attempts(req)(ctx)(yield)
					return
				}
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

// attempts runs a turn. One whose model failed before has its id used up: the same message again is another attempt, under a name of its own.
func (f *Face) attempts(req graph.Request) func(context.Context) Events {
	const most = 16
	return func(ctx context.Context) Events {
		return func(yield func(graph.Event, error) bool) {
			name, nth, _ := strings.Cut(req.MessageID, ".")
			n, _ := strconv.Atoi(nth)
			for n = max(n, 1); ; n++ {
				failed := false
				for e, err := range f.c.Graph.Stream(ctx, req) {
					if failed = errors.Is(err, graph.ErrUsedUp) && n < most; failed {
						break
					}
					if !yield(e, err) {
						return
					}
				}
				if !failed {
					return
				}
				req.MessageID = name + "." + strconv.Itoa(n+1)
			}
		}
	}
}
