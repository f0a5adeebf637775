package background

import (
	"context"
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/state"
)

// SameAnswer is the model's verdict on two records: same.Same, same.Refines, same.Replaces or same.Other, never same.Unsure.
type SameAnswer struct {
	Kind      same.Kind
	Stays     string // with same.Replaces: what of the old record still holds and the new one does not say, as the model has it
	Reasoning string
}

type sameReply struct {
	Kind      prompts.Text `json:"kind" also:"type,verdict,relation,answer,decision"`
	Stays     prompts.Text `json:"stays" also:"still_holds,kept,keeps"`
	Reasoning prompts.Text `json:"reasoning" also:"reason,explanation"`
}

// Same asks what a new record is to an old one. One of the four words without JSON counts too. Invalid: anything else.
func (t *Tasks) Same(ctx context.Context, old, next state.Record) (SameAnswer, error) {
	raw, err := t.ask(ctx, prompts.Same, prompts.SameBlanks{Old: showRecord(old), New: showRecord(next)})
	if err != nil {
		return SameAnswer{}, err
	}
	reply, err := prompts.JSON[sameReply](raw)
	if err != nil {
		reply.Kind, _ = firstWord(prompts.Plain(raw))
	}
	kind, ok := sameKind(string(reply.Kind))
	if !ok {
		return SameAnswer{}, nonsense(prompts.Same, "kind %s is none of same, refines, replaces, other: %s",
			prompts.Excerpt(string(reply.Kind)), prompts.Excerpt(raw))
	}
	answer := SameAnswer{Kind: kind, Reasoning: cut(string(reply.Reasoning), maxReasoning)}
	if kind == same.Replaces {
		answer.Stays = cut(string(reply.Stays), maxRecordRunes)
	}
	return answer, nil
}

// showRecord returns what a prompt shows of a record.
func showRecord(r state.Record) prompts.Record {
	return prompts.Record{Kind: cut(string(r.Kind), maxPhrase), Subject: cut(r.Subject, maxPhrase), Content: cut(r.Content, maxRecordRunes)}
}

// sameKind reads a verdict as models spell it: the word alone or in front of others, but not the choice repeated.
func sameKind(said string) (same.Kind, bool) {
	word, rest := firstWord(said)
	if other, _ := firstWord(strings.TrimLeft(rest, " |/,")); rest != "" && strings.ContainsAny(rest[:1], "|/,") {
		if _, choice := verdict(string(other)); choice {
			return "", false
		}
	}
	return verdict(string(word))
}

// firstWord cuts the first run of letters off s.
func firstWord(s string) (word prompts.Text, rest string) {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(s)
	}
	return prompts.Text(s[:end]), s[end:]
}

func verdict(word string) (same.Kind, bool) {
	switch strings.ToLower(word) {
	case "same", "duplicate", "identical", "equal", "equivalent":
		return same.Same, true
	case "refines", "refine", "refined", "refinement", "refining", "extends", "adds":
		return same.Refines, true
	case "replaces", "replace", "replaced", "replacement", "replacing", "supersedes", "updates", "update", "contradicts":
		return same.Replaces, true
	case "other", "different", "distinct", "another", "unrelated", "none":
		return same.Other, true
	}
	return "", false
}
