package transcript

import (
	"cmp"
	"context"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// played is a scenario in the format of mneme replay, of which these are some keys.
type played struct {
	Name  string       `yaml:"name"`
	Now   string       `yaml:"now"`
	Turns []playedTurn `yaml:"turns"`
}

// playedTurn is a message, how it is answered, and what it is to be taken for.
type playedTurn struct {
	User     string         `yaml:"user"`
	At       string         `yaml:"at,omitempty"`
	Language string         `yaml:"preferred_language,omitempty"`
	Tone     string         `yaml:"tone,omitempty"`
	Style    string         `yaml:"style_notes,omitempty"`
	Scope    string         `yaml:"preference_scope,omitempty"`
	Stores   *bool          `yaml:"store_knowledge,omitempty"`
	Model    []playedStep   `yaml:"model,omitempty"`
	Small    *playedAnswers `yaml:"background,omitempty"`
	Expect   *playedExpect  `yaml:"expect,omitempty"`
}

// playedStep is one answer of the model.
type playedStep struct {
	Say   string       `yaml:"say,omitempty"`
	Calls []playedCall `yaml:"calls,omitempty"`
}

type playedCall struct {
	Call string `yaml:"call"`
	Args string `yaml:"args"`
}

// playedAnswers is what the small model answered.
type playedAnswers struct {
	Detect playedDetect `yaml:"detect"`
}

type playedDetect struct {
	Type       string  `yaml:"type"`
	Target     string  `yaml:"target_affair,omitempty"`
	New        string  `yaml:"new_affair_title,omitempty"`
	Confidence float64 `yaml:"confidence"`
}

type playedExpect struct {
	Decision string `yaml:"decision"`
}

// Scenario returns a session as the text of a scenario that comes to the same decisions, to be looked through and completed by a person. A session in which
// nobody spoke is state.ErrNotFound.
func Scenario(ctx context.Context, g *graph.Graph, scope state.Scope) ([]byte, error) {
	scope = scope.Default()
	messages, err := read(ctx, g.Memory(), scope)
	if err != nil {
		return nil, err
	}
	session, err := g.Memory().Sessions().Get(ctx, scope)
	if err != nil {
		return nil, err
	}
	p := player{mask: g.Memory().Mask, titles: map[string]string{}, decisions: map[string]state.Decision{}}
	decisions, err := decided(ctx, g, scope)
	if err != nil {
		return nil, err
	}
	for _, d := range decisions {
		p.decisions[d.Turn] = d.Decision
	}
	affairs, err := g.Memory().Affairs().List(ctx, scope, true)
	if err != nil {
		return nil, err
	}
	for _, a := range affairs {
		p.titles[a.ID] = a.Title
	}
	return yaml.Marshal(played{Name: cmp.Or(session.Title, scope.Session), Now: messages[0].At.UTC().Format(time.RFC3339), Turns: p.turns(messages)})
}

// player makes turns of messages.
type player struct {
	mask      func(text string, messages ...string) string
	decisions map[string]state.Decision // by turn
	titles    map[string]string         // of affairs
}

// turns returns a turn for each message of the user, with the answers behind it.
func (p player) turns(messages []state.Message) (turns []playedTurn) {
	last := messages[0].At
	for _, m := range messages {
		switch {
		case m.Role == state.RoleUser:
			t := playedTurn{User: p.mask(m.Said()), Stores: m.StoreKnowledge}
			if passed := m.At.Sub(last).Round(time.Second); passed > 0 {
				t.At = "+" + passed.String()
			}
			if s := m.Preferences; s != nil {
				t.Language, t.Tone, t.Style, t.Scope = s.Language, string(s.Tone), p.mask(s.StyleNotes), string(s.Scope)
			}
			t.Expect, t.Small = p.decision(m.Turn)
			turns, last = append(turns, t), m.At
		case m.Role == state.RoleAssistant && len(turns) > 0:
			if step := p.step(m); step.Say != "" || len(step.Calls) > 0 {
				turns[len(turns)-1].Model = append(turns[len(turns)-1].Model, step)
			}
		}
	}
	return turns
}

// step returns an answer of the model; beside calls a scenario has no text. What the message itself orders is carried out without the model.
func (p player) step(m state.Message) (step playedStep) {
	for _, c := range m.ToolCalls {
		if !memory.IsSpoken(c.ID) {
			step.Calls = append(step.Calls, playedCall{c.Name, p.mask(c.Arguments)})
		}
	}
	if len(m.ToolCalls) == 0 {
		step.Say = p.mask(m.Text)
	}
	return step
}

// decision returns what a turn's message is to be taken for, and where a model said so its answer.
func (p player) decision(turn string) (*playedExpect, *playedAnswers) {
	d := p.decisions[turn]
	expect := &playedExpect{string(d.Kind)}
	switch {
	case d.Kind == "":
		return nil, nil
	case d.By != "model":
		return expect, nil
	case d.Kind == state.NewAffair:
		return expect, &playedAnswers{playedDetect{Type: string(d.Kind), Confidence: d.Confidence, New: p.titles[d.AffairID]}}
	}
	return expect, &playedAnswers{playedDetect{Type: string(d.Kind), Confidence: d.Confidence, Target: p.titles[d.AffairID]}}
}
