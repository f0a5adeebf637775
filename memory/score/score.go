package score

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/state"
)

// Options of an evaluation; the zero value is detection by words alone, at the product's threshold, with gold enforced.
type Options struct {
	Threshold   float64            // 0 = the product's
	Free        bool               // live with the own decisions instead of enforcing gold
	Product     *Product           // measures the product's own decision, a model's too; nil = by words alone
	Predictions io.Writer          // one JSON line per user message, the first of a conversation too; nil = none
	Now         func() time.Time   // measures how long a decision takes; nil leaves p50_ms at 0
	Progress    func(done, of int) // hears of each conversation that is done; nil = nobody
}

// Figures at the threshold, and the same at argmax, by words alone.
type Figures struct {
	Set
	*Judged
	Argmax Set     `json:"argmax"`
	P50MS  float64 `json:"p50_ms"` // median time of a decision
}

// Judged are the figures of the product's own decision.
type Judged struct {
	Asked     float64 `json:"asked"`      // share of the messages for which the model was asked
	SureWrong float64 `json:"sure_wrong"` // share decided wrongly, in type or affair, without asking
	Failed    int     `json:"failed"`     // how often the model gave no answer that could be used
	LastError string  `json:"last_error,omitempty"`
}

// Set is one set of figures, fractions in [0,1].
type Set struct {
	N           int                `json:"n"`
	Accuracy    float64            `json:"accuracy"`
	RightAffair float64            `json:"right_affair"` // right affair, and NEW_AFFAIR for a new one
	Types       map[state.Kind]PRF `json:"types"`
	FalsePark   float64            `json:"false_park"` // CONTINUE and AD_HOC answered by SWITCH or NEW_AFFAIR
	Boundary    Boundary           `json:"boundary"`
}

// PRF is precision, recall and F1 of one type; 0 where undefined.
type PRF struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Boundary scores any change against none. Pk and WindowDiff are error rates: smaller is better.
type Boundary struct {
	F1         float64 `json:"f1"`
	Pk         float64 `json:"pk"`
	WindowDiff float64 `json:"windowdiff"`
}

// prediction is what is written per message.
type prediction struct {
	Conversation string     `json:"conversation"`
	ID           string     `json:"id"`
	Type         state.Kind `json:"type"`
	Affair       string     `json:"affair"`
	Confidence   float64    `json:"confidence"`
	Asked        bool       `json:"asked"`
	Argmax       Gold       `json:"argmax"`
}

// Evaluate reads labelled conversations and scores detection on them. Bad data is an Invalid error naming the line; a file
// without any scored message is Invalid too.
func Evaluate(ctx context.Context, r io.Reader, o Options) (Figures, error) {
	// Each conversation is replayed from its first message on.
	conversations, err := Read(r)
	if err != nil {
		return Figures{}, err
	}
	e := &evaluation{options: o, detector: detect.New(detect.Config{Threshold: o.Threshold}), aside: hasAside(conversations)}
	for i, c := range conversations {
		if err := e.replay(ctx, c); err != nil {
			return Figures{}, err
		}
		if o.Progress != nil {
			o.Progress(i+1, len(conversations))
		}
	}

	// A file that scores nothing is no measurement.
	if e.threshold.n == 0 {
		return Figures{}, state.Errorf(state.Invalid, "evaluate detection", "no user message but the first of a conversation; nothing to score")
	}

	// The figures, with those of the product and the time where they were taken.
	f := Figures{Set: e.threshold.figures(), Argmax: e.argmax.figures()}
	if o.Product != nil {
		e.judged.Asked, e.judged.SureWrong = ratio(e.asked, e.threshold.n), ratio(e.sureWrong, e.threshold.n)
		f.Judged = &e.judged
	}
	if len(e.times) > 0 {
		slices.Sort(e.times)
		f.P50MS = float64(e.times[len(e.times)/2]) / float64(time.Millisecond)
	}
	return f, nil
}

func hasAside(conversations [][]Line) bool {
	for _, c := range conversations {
		for _, l := range c {
			if l.Gold != nil && l.Gold.Type == state.AdHoc {
				return true
			}
		}
	}
	return false
}

type evaluation struct {
	options   Options
	detector  *detect.Detector
	aside     bool // the gold of this file knows AD_HOC
	threshold tally
	argmax    tally
	times     []time.Duration

	judged           Judged
	asked, sureWrong int
}

// judge decides about the user's messages of one conversation and is told what became of each.
type judge interface {
	// decide judges the next message.
	decide(ctx context.Context, l Line) (verdict, error)
	// file says what the message is: where it belongs, and in which affair the conversation is from then on.
	file(ctx context.Context, l Line, kind state.Kind, affair, current string) error
	// reply is what the assistant said to the last message.
	reply(ctx context.Context, l Line) error
	// take takes in a user's message that nobody judges.
	take(ctx context.Context, l Line) error
	// park sets an affair aside.
	park(ctx context.Context, affair string) error
}

// verdict is what a judge makes of a message.
type verdict struct {
	decided, best state.Decision
	asked         bool   // a model was
	failed        string // why it was of no use
}

// run is one conversation under way.
type run struct {
	judge
	current string            // affair the conversation is in
	labels  map[string]string // own affair -> gold label; the identity unless Free
	own     int               // affairs opened by own decision
	first   bool
}

func (e *evaluation) replay(ctx context.Context, lines []Line) error {
	words := &byWords{detector: e.detector, history: detect.NewHistory()}
	c := &run{judge: words, labels: map[string]string{}, first: true}
	if e.options.Product != nil {
		c.judge = e.options.Product.begin(words)
	}
	e.threshold.open()
	e.argmax.open()
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(a.order(), b.order()) })
	for _, l := range lines {
		do := e.message
		switch {
		case l.Op != "":
			do = func(ctx context.Context, c *run, l Line) error { return c.before(ctx, l) }
		case l.Role == state.RoleAssistant:
			do = func(ctx context.Context, c *run, l Line) error { return c.reply(ctx, l) }
		}
		if err := do(ctx, c, l); err != nil {
			return err
		}
	}
	e.threshold.close()
	e.argmax.close()
	return nil
}

// order puts affairs of before first, and of these the one in which the conversation begins last.
func (l Line) order() int {
	switch {
	case l.Op == "":
		return 2
	case l.Status == state.Active:
		return 1
	}
	return 0
}

// before takes in an affair of before: what was said in it is filed there, and the conversation begins in it if it is active. Then its first message is judged.
func (c *run) before(ctx context.Context, l Line) error {
	c.first, c.current, c.labels[l.ID] = false, l.ID, l.ID
	kind := state.NewAffair
	for i, m := range l.Messages {
		said := Line{Conversation: l.Conversation, ID: l.ID + "-" + strconv.Itoa(i+1), Role: m.Role, Text: m.Text, At: l.At}
		if m.Role == state.RoleAssistant {
			if err := c.reply(ctx, said); err != nil {
				return err
			}
			continue
		}
		if err := c.take(ctx, said); err != nil {
			return err
		}
		if err := c.file(ctx, said, kind, l.ID, l.ID); err != nil {
			return err
		}
		kind = state.Continue
	}
	if l.Status == state.Active {
		return nil
	}
	c.current = ""
	return c.park(ctx, l.ID)
}

// message classifies one user message, counts it and moves the conversation on.
func (e *evaluation) message(ctx context.Context, c *run, l Line) error {
	// what is decided, and how long that takes
	var start time.Time
	if e.options.Now != nil {
		start = e.options.Now()
	}
	v, err := c.decide(ctx, l)
	if err != nil {
		return err
	}
	if e.options.Now != nil {
		e.times = append(e.times, e.options.Now().Sub(start))
	}

	// what that is worth
	decided, best := e.outcome(c, v.decided), e.outcome(c, v.best)
	if err := e.write(l, decided, best, v); err != nil {
		return err
	}
	if v.failed != "" {
		e.judged.Failed++
		e.judged.LastError = v.failed
	}
	if !c.first {
		e.threshold.count(*l.Gold, decided)
		e.argmax.count(*l.Gold, best)
		e.asked += one(v.asked)
		e.sureWrong += one(!v.asked && (decided.Type != l.Gold.Type || !rightAffair(*l.Gold, decided)))
	}

	// how it goes on
	free := e.options.Free && !c.first
	c.first = false
	if free {
		return c.live(ctx, l, v.decided)
	}
	return c.enforce(ctx, l)
}

// outcome returns a decision in gold labels.
func (e *evaluation) outcome(c *run, d state.Decision) Gold {
	g := Gold{Type: d.Kind, Affair: c.labels[d.AffairID]}
	if d.Kind == state.AdHoc && !e.aside {
		g.Type = state.Switch
		if d.AffairID == "" {
			g = Gold{Type: state.Continue, Affair: c.labels[c.current]}
		}
	}
	return g
}

// enforce files the message as gold says.
func (c *run) enforce(ctx context.Context, l Line) error {
	g := l.Gold
	if g.Affair != "" {
		c.labels[g.Affair] = g.Affair
	}
	if g.Type != state.AdHoc && g.Affair != "" {
		c.current = g.Affair
	}
	return c.file(ctx, l, g.Type, g.Affair, c.current)
}

// live files the message as decided; an affair opened gets the label of the message that opened it.
func (c *run) live(ctx context.Context, l Line, d state.Decision) error {
	id := d.AffairID
	if d.Kind == state.NewAffair {
		c.own++
		id = "own-" + strconv.Itoa(c.own)
		c.labels[id] = l.Gold.Affair
	}
	if d.Kind != state.AdHoc {
		c.current = id
	}
	return c.file(ctx, l, d.Kind, id, c.current)
}

func (e *evaluation) write(l Line, decided, best Gold, v verdict) error {
	if e.options.Predictions == nil {
		return nil
	}
	raw, err := json.Marshal(prediction{l.Conversation, l.ID, decided.Type, decided.Affair, v.decided.Confidence, v.asked, best})
	if err == nil {
		_, err = e.options.Predictions.Write(append(raw, '\n'))
	}
	if err != nil {
		return state.Errorf(state.Unavailable, "write predictions", "message %s: %w", l.ID, err)
	}
	return nil
}

// byWords is detection by what was said in the conversation, and nothing else.
type byWords struct {
	detector *detect.Detector
	history  *detect.History
	last     string // affair the last user message is filed under; replies follow it
}

var _ judge = (*byWords)(nil)

func (b *byWords) decide(_ context.Context, l Line) (verdict, error) {
	b.history.Next(l.At)
	r := b.detector.Classify(b.history, l.Text)
	return verdict{decided: r.Decision, best: r.Best}, nil
}

func (b *byWords) take(context.Context, Line) error { return nil }

func (b *byWords) park(context.Context, string) error {
	b.history.SetCurrent("")
	b.last = ""
	return nil
}

func (b *byWords) file(_ context.Context, l Line, _ state.Kind, affair, current string) error {
	b.last = affair
	b.history.Next(l.At)
	b.history.Add(detect.Message{Role: l.Role, Text: l.Text, Affair: affair})
	b.history.SetCurrent(current)
	return nil
}

func (b *byWords) reply(_ context.Context, l Line) error {
	b.history.Next(l.At)
	b.history.Add(detect.Message{Role: l.Role, Text: l.Text, Affair: b.last})
	return nil
}
