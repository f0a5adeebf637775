package background

import (
	"context"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// digestWords is what the prompt asks for; in most languages that is about maxDigest tokens.
const digestWords = 160

// Digest asks for one summary of several, oldest first: level 1 of sessions, level 2 of summaries of level 1. Its paragraphs
// stand apart by an empty line. It is at most 300 tokens long: what is more is left out, sentence by sentence from the end.
// Plain text is taken as the summary too. Invalid: an empty answer.
func (t *Tasks) Digest(ctx context.Context, level int, texts []string, language string) (string, error) {
	blanks := prompts.DigestBlanks{Level: level, Words: digestWords, Language: cut(language, 35)}
	for _, s := range texts[max(0, len(texts)-maxDigested):] {
		blanks.Texts = append(blanks.Texts, cut(s, maxDigestRunes))
	}
	raw, err := t.ask(ctx, prompts.Digest, blanks)
	if err != nil {
		return "", err
	}
	said := prompts.Plain(raw)
	if reply, err := prompts.JSON[summaryReply](raw); err == nil {
		said = string(reply.Summary)
	}
	out := t.shorten(paragraphs(cut(said, maxSummary)), maxDigest)
	if out == "" {
		return "", nonsense(prompts.Digest, "the answer says nothing: %s", prompts.Excerpt(raw))
	}
	return out, nil
}

// paragraphs returns those of a text, headings left out.
func paragraphs(s string) (out []string) {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// shorten joins paragraphs as long as their sentences have room; of a first sentence that has none the beginning stays.
func (t *Tasks) shorten(paragraphs []string, tokens int) string {
	var out strings.Builder
	gap := ""
	for _, p := range paragraphs {
		for _, sentence := range text.Sentences(p) {
			more := gap + strings.TrimSpace(sentence)
			if t.tokens(out.String()+more) > tokens {
				if out.Len() == 0 {
					return cut(more, 2*tokens)
				}
				return out.String()
			}
			out.WriteString(more)
			gap = " "
		}
		gap = "\n\n"
	}
	return out.String()
}

// tokens counts by the configured counter, else four bytes as one, which is about right for most languages and scripts.
func (t *Tasks) tokens(s string) int {
	if t.c.Count != nil {
		return t.c.Count(s)
	}
	return (len(s) + 3) / 4
}
