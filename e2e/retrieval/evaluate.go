package retrieval

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// Options say what is measured and who is told.
type Options struct {
	Memory *memory.Memory   // required, empty: each conversation becomes a user of the client "eval"
	Clock  func() time.Time // required: measures durations
	At     func(time.Time)  // sets the clock of the Memory: questions are asked a day after the last turn; nil = it has its own

	Predictions io.Writer                   // gets {"id","ranked"} per query, the first 50; nil = nobody
	Progress    func(done, of int)          // is told after each conversation; nil = nobody
	Ranked      func(q Query, ids []string) // sees each ranking; nil = nobody
}

// Result is what is printed: figures of turns, of sessions, by category, and speed.
type Result struct {
	Figures
	Session    Figures             `json:"session"`
	Categories map[string]*Figures `json:"categories"`
	IngestRate float64             `json:"ingest_turns_per_s"`
	QueryP50MS float64             `json:"query_p50_ms"`
	QueryP95MS float64             `json:"query_p95_ms"`
	Pace       string              `json:"pace,omitempty"` // how fast the embedder was
}

// Evaluate takes conversations in and asks their questions. Queries without gold are asked and count in no figure.
func Evaluate(ctx context.Context, conversations []Conversation, o Options) (Result, error) {
	r := run{Options: o, result: Result{Categories: map[string]*Figures{}}}
	for i, c := range conversations {
		if err := r.conversation(ctx, strconv.Itoa(i+1), c); err != nil {
			return r.result, err
		}
		if o.Progress != nil {
			o.Progress(i+1, len(conversations))
		}
	}

	out := &r.result
	if status, ok := o.Memory.Vectors().Status(); ok {
		out.Pace = status.Pace.String()
	}

	// Sums become means, in all and by category.
	out.mean()
	out.Session.mean()
	for _, f := range out.Categories {
		f.mean()
	}

	if r.ingest > 0 {
		out.IngestRate = float64(r.turns) / r.ingest.Seconds()
	}
	slices.Sort(r.took)
	out.QueryP50MS, out.QueryP95MS = at(r.took, .5), at(r.took, .95)
	return *out, nil
}

// at returns a percentile in milliseconds.
func at(sorted []time.Duration, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]) / float64(time.Millisecond)
}

type run struct {
	Options
	result Result
	turns  int
	ingest time.Duration
	took   []time.Duration
}

// batch is how many turns go in at a time.
const batch = 200

func (r *run) conversation(ctx context.Context, number string, c Conversation) error {
	// Turns are taken in by runs of one session, as an import has them; sessions are numbered within the conversation.
	sessions, numbers := map[string]string{}, map[string]string{}
	user := state.Scope{Client: "eval", User: number, Session: "1"}
	began := r.Clock()
	for from := 0; from < len(c.Turns); {
		to := from
		for to < len(c.Turns) && to < from+batch && c.Turns[to].Session == c.Turns[from].Session {
			sessions[c.Turns[to].ID] = c.Turns[to].Session
			to++
		}
		name := c.Turns[from].Session
		if numbers[name] == "" {
			numbers[name] = strconv.Itoa(len(numbers) + 1)
		}
		scope := user
		scope.Session = numbers[name]
		if err := r.Memory.Turn().Ingest(ctx, scope, messages(c.Turns[from:to])...); err != nil {
			return err
		}
		from = to
	}
	r.ingest += r.Clock().Sub(began)
	r.turns += len(c.Turns)

	// Questions are asked when all vectors are there, a day after the last turn.
	if err := r.Memory.Vectors().Settle(ctx, user); err != nil {
		return err
	}
	if r.At != nil && len(c.Turns) > 0 {
		r.At(c.Turns[len(c.Turns)-1].At.AddDate(0, 0, 1))
	}
	for _, q := range c.Queries {
		ranked, err := r.ask(ctx, user, q)
		if err != nil {
			return err
		}
		if err := r.score(q, ranked, sessions); err != nil {
			return err
		}
	}
	return nil
}

// messages are turns as a Memory takes them in. What says nothing is left out.
func messages(turns []Turn) []state.Message {
	var out []state.Message
	for _, t := range turns {
		if t.Text != "" {
			out = append(out, state.Message{ID: t.ID, Role: t.Role, Speaker: t.Speaker, At: t.At, Text: t.Text})
		}
	}
	return out
}

// ask returns the ids of the turns that recall answers with, best first.
func (r *run) ask(ctx context.Context, user state.Scope, q Query) ([]string, error) {
	began := r.Clock()
	hits, err := r.Memory.Recall(ctx, memory.Query{Scope: user, Text: q.Text, In: memory.InAll, Limit: depth})
	r.took = append(r.took, r.Clock().Sub(began))
	if err != nil {
		return nil, err
	}
	ranked := make([]string, 0, len(hits))
	for _, h := range hits {
		if h.Message != nil {
			ranked = append(ranked, h.Message.ID)
		}
	}
	return ranked, nil
}

func (r *run) score(q Query, ranked []string, sessions map[string]string) error {
	if r.Ranked != nil {
		r.Ranked(q, ranked)
	}

	if len(q.Gold) > 0 {
		r.result.add(ranked, q.Gold)
		r.result.Session.add(distinct(named(ranked, sessions)), named(q.Gold, sessions))
		if r.result.Categories[q.Category] == nil {
			r.result.Categories[q.Category] = &Figures{}
		}
		r.result.Categories[q.Category].add(ranked, q.Gold)
	}

	if r.Predictions == nil {
		return nil
	}
	err := json.NewEncoder(r.Predictions).Encode(struct {
		ID     string   `json:"id"`
		Ranked []string `json:"ranked"`
	}{q.ID, ranked})
	if err != nil {
		return state.Errorf(state.Unavailable, "predictions", "cannot be written: %w", err)
	}
	return nil
}

// named returns the sessions of turns.
func named(turns []string, sessions map[string]string) []string {
	out := make([]string, len(turns))
	for i, id := range turns {
		out[i] = sessions[id]
	}
	return out
}
