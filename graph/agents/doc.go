// Package agents reads definitions of agents, as people write them: who answers, what it is like, how it talks and what it
// always and never does.
//
//	all, err := agents.Load("agents") // a folder, or a file
//	...
//	g, err := graph.New(ctx, graph.Config{Store: s, Model: m, Agents: all, OpenModel: open})
//	...
//	reply, err := g.Invoke(ctx, graph.Request{Agent: "jaskier", Text: "Good evening."})
//
// # The file
//
//	# agents/jaskier.yaml: one definition a file, or several as YAML documents behind each other
//	name: jaskier                      # id, as in the scope of a turn; needed
//	role: a travelling singer          # in a line; needed
//	persona: Vain, witty, brave when it counts.
//	style: Talks in short, colourful sentences.
//	language: pl                       # to answer in, BCP-47, where the user prefers none; default that of the question
//	rules: ["always name the price", "never sing for free"]
//	models: {chat: openai:gpt-4o-mini, small: ollama:qwen3}   # of its turns, in place of those of all turns; either may be missing
//	autonomy: 2                        # 0 = its turns write no records; 1 = they ask first; default the setting
//	writes: [dexter]                   # agents whose memory it may change besides its own; "*" = all; default none
//
// The definition becomes the identity core: the system prompt of the agent's turns, with what holds for memory with every
// agent behind it (compose.Core). It has state.MaxCoreTokens at most, by the tokenizer that prompts are counted with.
package agents

// Design:
//
//   - A core that is too long is refused with its count and never cut: half a rule is another rule.
//   - A folder is read whole, and not what is below it. One definition with a mistake refuses all: an agent that is missing
//     would answer as another.
//   - Keys that are not known are errors with file, line and column, and so are two agents of one name.
//   - Models are opened by the host's graph.Config.OpenModel, each name once, when the graph is built: one that cannot be opened is an error
//     there, with the agent's name, and not in the middle of a turn. What a Request brings wins over the agent's, that over Config.Model and
//     SmallModel. Parts spoken with an agent are read, summed up and consolidated by its small model, whoever ends them.
//   - The command reaches a model of an agent as --model or --small-model are reached if it is of their provider, else with that provider's key.
//   - An agent that no definition names answers with the default identity: names of agents are filters first.
