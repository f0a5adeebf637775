package nodes

import (
	"context"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
	"github.com/mneme-graph/mneme/tools"
)

// think composes the context and asks the model. Its answer becomes a message of the turn. When the turn is stopped
// meanwhile, so does the text that had come.
func (r *responder) think(ctx context.Context, t *state.Turn) error {
	if reason := stopReason(ctx); reason != nil {
		return &modelError{reason}
	}
	if most, used := r.set.TurnTokens, t.Usage.Get(); most > 0 && used.PromptTokens+used.CompletionTokens >= most {
		return &modelError{state.Errorf(state.Denied, "turn", "has used %d tokens, at most %d are allowed; see the setting turn_tokens",
			used.PromptTokens+used.CompletionTokens, most)}
	}

	// What the model is shown: the context, and the tools unless their rounds are used up.
	turn := t.View.Get().Turn
	in, chat, tools := r.input, r.Model, r.tools.infos
	in.Turn = turn[1:]
	if countRounds(turn) >= r.set.MaxToolRounds {
		tools, in.ToolTokens = nil, 0
		state.TraceFrom(ctx).Note("respond: %d rounds of tools are used up, the model must answer without", countRounds(turn))
	}
	prompt, err := r.Memory.Turn().Compose(ctx, in)
	if err != nil {
		return &modelError{err}
	}
	if chat, tools, err = bindTools(chat, tools); err != nil {
		return &modelError{withCode(err)}
	}
	messages := Messages(prompt.Prompt)
	if r.options.Record != nil {
		r.options.Record.Prompts = append(r.options.Record.Prompts, messages)
		r.options.Record.Context = prompt
	}
	shown := prompt.Kept(t.View.Get())
	if before, ok := account.LastPrompt(t.Account.Items()); ok {
		shown = shown.Since(before)
	}
	t.Account.Add(account.Page{Prompts: []account.Prompt{shown}})
	state.Emit(ctx, state.Event{Name: state.ContextComposed, Node: RespondName})

	// What it answers, or had answered by then.
	answer, err := r.ask(ctx, chat, prompt, messages, tools)
	reason := stopReason(ctx)
	if err != nil && reason == nil {
		if ctx.Err() != nil && answer != nil && r.options.Record != nil {
			r.options.Record.Said = r.hideSecrets(state.Message{Text: answer.Content}).Text
		}
		return &modelError{withCode(err)}
	}
	var msg state.Message
	if answer != nil {
		msg = r.takeReply(fromSchema(answer, len(turn)))
		msg.Cut = err != nil
		if isFull(answer) {
			state.TraceFrom(ctx).Note("respond: the answer ends where the longest that the model may give ends")
		}
	}
	if tools == nil || msg.Cut {
		msg.ToolCalls, msg.Sealed = nil, ""
	}
	if err == nil || msg.Text != "" {
		r.fileAnswer(ctx, t, prompt, answer, msg)
	}
	if err != nil {
		return &modelError{reason}
	}
	return nil
}

// bindTools returns the model that offers tools, if there are any, and the descriptions it was given: copies, as some models change them.
func bindTools(chat model.ToolCallingChatModel, infos []*schema.ToolInfo) (model.ToolCallingChatModel, []*schema.ToolInfo, error) {
	if len(infos) == 0 {
		return chat, infos, nil
	}
	infos, err := tools.CopyInfos(infos)
	if err != nil {
		return nil, nil, err
	}
	chat, err = chat.WithTools(infos)
	return chat, infos, err
}

// isFull reports whether an answer ends because it may not be longer: in the words of OpenAI, Anthropic and Google.
func isFull(answer *schema.Message) bool {
	return answer.ResponseMeta != nil && slices.Contains([]string{"length", "max_tokens", "MAX_TOKENS"}, answer.ResponseMeta.FinishReason)
}

// fileAnswer makes an answer a message of the turn, and charges for it.
func (r *responder) fileAnswer(ctx context.Context, t *state.Turn, prompt compose.Context, answer *schema.Message, msg state.Message) {
	turn := t.View.Get().Turn
	usage := r.countUsage(prompt, answer)
	t.Usage.Add(usage)
	state.TraceFrom(ctx).Charge(state.Bill{Usage: usage})
	t.Journal.Add(state.Entry{Kind: entryModel, Seq: turn[len(turn)-1].Seq + 1, Hash: hash(prompt.Prompt...)})
	r.say(ctx, t, msg)
}

// withCode gives a model's error a code when it has none of its own: a failing model is unavailable.
func withCode(err error) error {
	if code := state.CodeOf(err); code != state.Internal {
		return err
	}
	return state.Errorf(state.Unavailable, "chat model", "%w", err)
}

// offlineType is how the offline model names itself.
const offlineType = "Offline"

// isOffline reports whether no model answers, but the rules of the offline one.
func (r *responder) isOffline() bool {
	kind, _ := components.GetType(r.Model)
	return kind == offlineType
}

// countUsage returns what the provider reports, or our own count.
func (r *responder) countUsage(prompt compose.Context, answer *schema.Message) state.Usage {
	u := state.Usage{ModelCalls: 1}
	if r.isOffline() {
		u.OfflineCalls = 1
	}
	if answer.ResponseMeta != nil && answer.ResponseMeta.Usage != nil {
		u.PromptTokens = answer.ResponseMeta.Usage.PromptTokens
		u.CompletionTokens = answer.ResponseMeta.Usage.CompletionTokens
		u.CachedTokens = answer.ResponseMeta.Usage.PromptTokenDetails.CachedTokens
		return u
	}
	u.PromptTokens, u.CompletionTokens = prompt.Tokens, r.Memory.Tokens(answer.Content)
	for _, c := range answer.ToolCalls {
		u.CompletionTokens += r.Memory.Tokens(c.Function.Name + c.Function.Arguments)
	}
	return u
}

// hash names a request in the journal: what was said and called in it.
func hash(messages ...compose.Message) string {
	h := fnv.New64a()
	var line []byte
	quoted := func(before, s string) { line = strconv.AppendQuote(append(line, before...), s) }
	for _, m := range messages {
		line = line[:0]
		quoted("", string(m.Role))
		quoted(" ", m.Text)
		quoted(" ", m.ToolCallID)
		line = append(line, " ["...)
		for i, c := range m.ToolCalls {
			quoted([]string{"{", " {"}[min(i, 1)], c.ID)
			quoted(" ", c.Name)
			quoted(" ", c.Arguments)
			line = append(line, '}')
		}
		_, _ = h.Write(append(line, "]\n"...)) // never fails
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

func messageID(seq int64) string { return "m" + strconv.FormatInt(seq, 10) }
