package state

import "slices"

// MaxCoreTokens is how many tokens the identity core of an agent may have: what every prompt of the agent begins with.
const MaxCoreTokens = 200

// DefaultAgent is the agent of a scope that names none.
const DefaultAgent = "main"

// Agent is who answers: the definition of an agent, written down by people. It holds nothing of any user.
type Agent struct {
	Name     string      `json:"name"`               // id, as in Scope.Agent
	Role     string      `json:"role"`               // in a line
	Persona  string      `json:"persona,omitempty"`  // what the agent is like
	Style    string      `json:"style,omitempty"`    // how it talks
	Language string      `json:"language,omitempty"` // that it answers in, BCP-47, where the user prefers none; "" = that of the question
	Rules    []string    `json:"rules,omitempty"`    // what it always and never does
	Models   AgentModels `json:"models,omitzero"`    // of its turns
	Autonomy *int        `json:"autonomy,omitempty"` // as the setting; nil = the setting. 0: its turns write nothing into memory
	Writes   []string    `json:"writes,omitempty"`   // agents whose memory it may change besides its own, "*" = all; it reads theirs anyhow
}

// AgentModels names the models of an agent's turns, as whoever opens them calls them; "" = those of all turns.
type AgentModels struct {
	Chat  string `json:"chat,omitempty"`  // answers
	Small string `json:"small,omitempty"` // judges and sums up
}

// MayWrite reports whether the agent called name may change what is the agent of's memory. Its own it may, and what is nobody's.
func MayWrite(all []Agent, name, of string) bool {
	if of == "" || of == name {
		return true
	}
	a, _ := AgentNamed(all, name)
	return slices.Contains(a.Writes, of) || slices.Contains(a.Writes, AnyAgent)
}

// AnyAgent stands for all agents in Agent.Writes.
const AnyAgent = "*"

// AgentNamed returns the definition of that name, and whether there is one.
func AgentNamed(all []Agent, name string) (Agent, bool) {
	for _, a := range all {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// AutonomyOf returns the autonomy of the agent of that name: the setting's, or less where its definition says so.
func AutonomyOf(all []Agent, name string, setting int) int {
	if a, ok := AgentNamed(all, name); ok && a.Autonomy != nil {
		return min(*a.Autonomy, setting)
	}
	return setting
}
