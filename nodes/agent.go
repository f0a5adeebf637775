package nodes

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// beAgent lets the turn be answered by the agent of its scope, if there is a definition: with its core as system prompt,
// unless the message brings one, and in its language, unless the user prefers another.
func (r *responder) beAgent(t state.Turn) {
	r.agent = t.Input.Get().Scope.Agent
	view := t.View.Get()
	a, ok := state.AgentNamed(r.Agents, r.agent)
	if !ok || view.Turn[0].System != "" {
		return
	}
	if a.Language != "" && !prefersLanguage(r.input, view) {
		r.input.Language = a.Language
	}
	r.input.System, r.input.Standing = compose.Core(a, r.input.Language, r.input.Now), "" // the core has it
}

// prefersLanguage reports whether the user has said what to answer in, the language of the question too.
func prefersLanguage(in compose.Input, v state.View) bool {
	own := v.Turn[0].Preferences
	return own != nil && own.Language != "" || v.Session.Preferences[state.PreferredLanguage] != "" ||
		slices.ContainsFunc(in.Preferences, func(k compose.Known) bool { return k.Label == state.PreferredLanguage })
}
