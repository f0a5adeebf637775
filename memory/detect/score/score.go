package score

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/mneme-graph/mneme/memory/detect"
	"github.com/mneme-graph/mneme/state"
)

// Options of an evaluation; the zero value is the product's threshold with gold enforced.
type Options struct {
	Threshold   float64          // 0 = the product's
	Free        bool             // live with the own decisions instead of enforcing gold
	Predictions io.Writer        // one JSON line per user message, the first of a conversation too; nil = none
	Now         func() time.Time // measures Classify; nil leaves p50_ms at 0
}

// Figures at the threshold, and the same at argmax.
type Figures struct {
	Set
	Argmax Set     `json:"argmax"`
	P50MS  float64 `json:"p50_ms"` // median time of Classify
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
	Argmax       Gold       `json:"argmax"`
}

// Evaluate reads labelled conversations and scores the detector on them. Bad data is an Invalid error
// naming the line; a file without any scored message is Invalid too.
func Evaluate(r io.Reader, o Options) (Figures, error) {
	conversations, err := Read(r)
	if err != nil {
		return Figures{}, err
	}
	e := &evaluation{options: o, detector: detect.New(detect.Config{Threshold: o.Threshold}), aside: hasAside(conversations)}
	for _, c := range conversations {
		if err := e.replay(c); err != nil {
			return Figures{}, err
		}
	}
	if e.threshold.n == 0 {
		return Figures{}, state.Errorf(state.Invalid, "evaluate detection", "no user message but the first of a conversation; nothing to score")
	}
	f := Figures{Set: e.threshold.figures(), Argmax: e.argmax.figures()}
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
}

// run is one conversation under way.
type run struct {
	history *detect.History
	current string            // affair the conversation is in
	last    string            // affair the last user message is filed under; replies follow it
	labels  map[string]string // own affair -> gold label; the identity unless Free
	own     int               // affairs opened by own decision
	first   bool
}

func (e *evaluation) replay(lines []Line) error {
	c := &run{history: detect.NewHistory(), labels: map[string]string{}, first: true}
	e.threshold.open()
	e.argmax.open()
	for _, l := range lines {
		if l.Role == state.RoleAssistant {
			c.history.Add(detect.Message{Role: l.Role, Text: l.Text, Affair: c.last})
			continue
		}
		if err := e.message(c, l); err != nil {
			return err
		}
	}
	e.threshold.close()
	e.argmax.close()
	return nil
}

// message classifies one user message, counts it and moves the conversation on.
func (e *evaluation) message(c *run, l Line) error {
	var start time.Time
	if e.options.Now != nil {
		start = e.options.Now()
	}
	result := e.detector.Classify(c.history, l.Text)
	if e.options.Now != nil {
		e.times = append(e.times, e.options.Now().Sub(start))
	}
	decided, best := e.outcome(c, result.Decision), e.outcome(c, result.Best)
	if err := e.write(l, decided, best); err != nil {
		return err
	}
	gold := *l.Gold
	if !c.first {
		e.threshold.count(gold, decided)
		e.argmax.count(gold, best)
	}
	if e.options.Free && !c.first {
		c.live(l, result.Decision)
	} else {
		c.enforce(l)
	}
	c.first = false
	return nil
}

// outcome is a decision in gold labels.
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
func (c *run) enforce(l Line) {
	g := l.Gold
	if g.Affair != "" {
		c.labels[g.Affair] = g.Affair
	}
	c.last = g.Affair
	c.history.Add(detect.Message{Role: l.Role, Text: l.Text, Affair: g.Affair})
	if g.Type != state.AdHoc && g.Affair != "" {
		c.current = g.Affair
	}
	c.history.SetCurrent(c.current)
}

// live files the message as decided; an affair opened gets the label of the message that opened it.
func (c *run) live(l Line, d state.Decision) {
	id := d.AffairID
	if d.Kind == state.NewAffair {
		c.own++
		id = "own-" + strconv.Itoa(c.own)
		c.labels[id] = l.Gold.Affair
	}
	c.last = id
	c.history.Add(detect.Message{Role: l.Role, Text: l.Text, Affair: id})
	if d.Kind != state.AdHoc {
		c.current = id
	}
	c.history.SetCurrent(c.current)
}

func (e *evaluation) write(l Line, decided, best Gold) error {
	if e.options.Predictions == nil {
		return nil
	}
	raw, err := json.Marshal(prediction{l.Conversation, l.ID, decided.Type, decided.Affair, best})
	if err == nil {
		_, err = e.options.Predictions.Write(append(raw, '\n'))
	}
	if err != nil {
		return state.Errorf(state.Unavailable, "write predictions", "message %s: %w", l.ID, err)
	}
	return nil
}
