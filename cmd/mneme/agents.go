package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

type agentsCommand struct {
	place
	defined
	JSON bool `name:"json" help:"One JSON object per agent."`
}

// Help is printed by mneme agents --help.
func (agentsCommand) Help() string {
	return `Lists the agents that are defined, and how many tokens the identity core of each has: what its prompts begin with.
A mistake in a definition is printed with file, line and column, and is status 2; so is a model that cannot be opened.
MODEL answers the agent's turns and SMALL judges and sums up in them, in place of --model and --small-model.

Examples:
  mneme agents --agents agents/
  MNEME_AGENTS=agents mneme agents --json
  mneme chat --agents agents --agent jaskier`
}

// defined is the flags that say who answers.
type defined struct {
	Agents string `option:"" help:"Definitions of agents: a file, or a folder of them (or MNEME_AGENTS)." placeholder:"PATH"`
	Agent  string `option:"" help:"Which agent answers (or MNEME_AGENT)." placeholder:"ID"`
}

// agentLine is an agent as JSON.
type agentLine struct {
	state.Agent
	Tokens int `json:"core_tokens"`
}

// Run prints the agents as a table.
func (a *agentsCommand) Run(ctx context.Context, con *console) error {
	resolved, err := con.resolve()
	if err != nil {
		return err
	}

	// No definitions asked for is a mistake here; elsewhere it is the default identity.
	all, err := resolved.agents()
	switch {
	case err != nil:
		return err
	case resolved.get("agents") == "":
		return state.Errorf(state.Invalid, "agents", "are not said; name a file or folder of definitions with --agents or MNEME_AGENTS")
	}

	// A model that cannot be opened is told before anything is printed.
	if err := resolved.checkModels(ctx, all); err != nil {
		return err
	}

	// One line for each agent, with the tokens it adds to every prompt.
	tokens := token.New()
	head := []string{"NAME", "ROLE", "LANGUAGE", "MODEL", "SMALL", "AUTONOMY", "TOKENS"}
	return printList(con, a.JSON, all, "no agents", head, func(x state.Agent) (any, []string) {
		line := agentLine{x, compose.CoreTokens(tokens, x)}
		autonomy := state.AutonomyOf(all, x.Name, resolved.settings.Autonomy)
		return line, []string{x.Name, clip(x.Role, 40), cmp.Or(x.Language, "-"), cmp.Or(x.Models.Chat, "-"), cmp.Or(x.Models.Small, "-"), fmt.Sprint(autonomy), fmt.Sprint(line.Tokens)}
	})
}

// checkModels opens the models that agents name and tells of all that cannot be opened. Nothing is sent to any.
func (c config) checkModels(ctx context.Context, all []state.Agent) error {
	var wrong []error
	for _, a := range all {
		for _, name := range []string{a.Models.Chat, a.Models.Small} {
			if name == "" {
				continue
			}
			if _, err := c.openModel(ctx, name); err != nil {
				wrong = append(wrong, fmt.Errorf("agent %s: %w", a.Name, err))
			}
		}
	}
	return errors.Join(wrong...)
}

// agentsPart returns what doctor says of the agents, and of the one that answers. The error, which is said too, is what keeps them from being read.
func (c config) agentsPart(ctx context.Context) (finding, error) {
	part := finding{Kind: "part", Name: "agents", Value: "none defined: the default identity answers"}
	all, err := c.agents()
	if err == nil {
		err = c.checkModels(ctx, all)
	}
	if err != nil {
		part.Value = err.Error()
		return part, err
	}

	// The line names each agent with the models of its own.
	var names []string
	for _, a := range all {
		text := a.Name
		if models := strings.TrimSpace(a.Models.Chat + " " + a.Models.Small); models != "" {
			text += " (" + models + ")"
		}
		names = append(names, text)
	}

	// An agent that answers without a definition is worth a word.
	if len(names) > 0 {
		part.Value = strings.Join(names, ", ")
		if _, ok := state.AgentNamed(all, c.get("agent")); !ok {
			part.Value += "; agent " + c.get("agent") + " has no definition and answers with the default identity"
		}
	}
	return part, nil
}
