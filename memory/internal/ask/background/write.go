package background

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
	"github.com/mneme-graph/mneme/state"
)

// ParkInput is an affair that is set aside and what was said in it, oldest first; the prompt shows the last thirty messages.
type ParkInput struct {
	Affair   state.Affair // in the state that it gets
	Messages []state.Message
	Left     string         // the user's message with which the talk turned to another affair; "" = none
	Records  []state.Record // what is remembered of it
	Now      time.Time
}

// ParkAnswer is what to keep. Summary is "" if the model gave none. KeyFacts are in the order of the answer; Ended are those that the model was
// shown and left out, without their values. Over are places in Records of what is no longer so.
type ParkAnswer struct {
	Summary         string
	KeyFacts, Ended state.Facts
	PendingActions  []string
	Over            []int
}

type parkReply struct {
	Summary prompts.Text   `json:"summary"`
	Facts   prompts.Facts  `json:"key_facts" also:"facts"`
	Pending *prompts.Texts `json:"pending_actions" also:"pending,actions,next_steps"`
	Over    prompts.Texts  `json:"over"`
}

// Park asks what must be known to take the affair up again. Invalid: no JSON, or nothing in it.
func (t *Tasks) Park(ctx context.Context, in ParkInput) (ParkAnswer, error) {
	raw, err := t.ask(ctx, prompts.Park, prompts.ParkBlanks{
		Affair: show(in.Affair, maxSummary, maxFacts), Messages: lines(in.Messages, maxFiled, maxFiledRunes), Today: day(in.Now),
		Left: cut(in.Left, maxFiledRunes), Records: contents(in.Records),
	})
	if err != nil {
		return ParkAnswer{}, err
	}
	reply, err := prompts.JSON[parkReply](raw)
	if err != nil {
		return ParkAnswer{}, nonsense(prompts.Park, "%w", err)
	}
	var pending prompts.Texts
	if reply.Pending != nil {
		pending = *reply.Pending
	}
	if reply.Summary == "" && len(reply.Facts) == 0 && len(pending) == 0 {
		return ParkAnswer{}, nonsense(prompts.Park, "the answer says nothing: %s", prompts.Excerpt(raw))
	}
	answer := ParkAnswer{Summary: cut(string(reply.Summary), maxSummary)}
	for _, f := range reply.Facts[:min(len(reply.Facts), maxFacts)] {
		answer.KeyFacts = append(answer.KeyFacts, state.Fact{Label: cut(f.Label, maxValue), Value: cut(f.Value, maxValue)})
	}
	for _, f := range in.Affair.KeyFacts[:min(len(in.Affair.KeyFacts), maxFacts)] {
		if _, stays := answer.KeyFacts.Get(f.Label); !stays && len(answer.KeyFacts) > 0 && reply.Pending != nil { // an answer that was cut off ends nothing
			answer.Ended = append(answer.Ended, state.Fact{Label: f.Label})
		}
	}
	for _, p := range pending[:min(len(pending), maxPending)] {
		answer.PendingActions = append(answer.PendingActions, cut(p, maxValue))
	}
	for _, over := range reply.Over {
		if n, err := strconv.Atoi(strings.TrimPrefix(over, "r")); err == nil && n >= 0 && n < len(in.Records) {
			answer.Over = append(answer.Over, n)
		}
	}
	return answer, nil
}

// contents returns what records say.
func contents(records []state.Record) (out []prompts.Kept) {
	for _, r := range records {
		out = append(out, prompts.Kept{Text: cut(r.Content, maxValue), Reminder: r.Due != nil})
	}
	return out
}

type summaryReply struct {
	Summary prompts.Text `json:"summary" also:"updated_summary,text"`
}

// Summary folds messages, oldest first, into the summary so far ("" = none). About is the title of the affair that is summed up, "" for a conversation. The prompt shows the last thirty. A plain text
// is taken as the summary too. Invalid: an empty answer.
func (t *Tasks) Summary(ctx context.Context, about, prev string, messages []state.Message) (string, error) {
	raw, err := t.ask(ctx, prompts.Summary, prompts.SummaryBlanks{
		About:    cut(about, maxTitle),
		Previous: cut(prev, maxSummary), Messages: lines(messages, maxFiled, maxFiledRunes),
	})
	if err != nil {
		return "", err
	}
	said := prompts.Plain(raw)
	if reply, err := prompts.JSON[summaryReply](raw); err == nil {
		said = string(reply.Summary)
	}
	if said == "" {
		return "", nonsense(prompts.Summary, "the answer says nothing: %s", prompts.Excerpt(raw))
	}
	return cut(said, maxSummary), nil
}

// title is s on one line, without the full stop that models add.
func title(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if !strings.HasSuffix(s, "..") {
		s = strings.TrimSuffix(s, ".")
	}
	return cut(s, maxTitle)
}
