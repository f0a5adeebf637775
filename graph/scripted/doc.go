// Package scripted holds models that say what a scenario wrote down: a chat model that answers from a list
// and a small model that answers by task. Scenarios and tests use them in place of mocks; what they drive is
// the real pipeline.
//
//	chat := scripted.New([]scripted.Step{
//		scripted.Call("memory_recall", `{"query":"car part","scope":"all"}`),
//		scripted.Say("It arrives on 20 February."),
//	}, offline.New())
//	small := scripted.Background(map[string]any{"detect": map[string]any{"type": "AD_HOC"}}, []string{"summary"})
//
// A call takes the next step:
//
//	Generate/Stream ──► step 1, step 2, ... ──► list used up ──► fallback
package scripted

// Design:
//
//   - A step is one answer of the model, not one turn: a call of tools and the words after it are two steps.
//   - When the list runs out the fallback answers, so a scenario scripts only what it is about.
//   - Call ids are numbered on from the calls in the prompt ("call-1", "call-2"): equal in every run, unique in
//     a prompt, and the same whether or not the process died in between.
//   - A model whose first prompt already holds answers of this turn begins after them: a turn that is resumed in
//     a new process with the same list goes on where it stopped.
//   - A model made by WithTools shares list, counter and record with the one it came from: the graph binds
//     tools per turn and the script must go on.
//   - The small model without a scripted answer says not_found. Callers take the rule-based path then, silently;
//     any other error is a failure and noted.
//   - Neither raises eino callbacks (IsCallbacksEnabled is false): the caller does.
