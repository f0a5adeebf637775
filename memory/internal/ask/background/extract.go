package background

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// ExtractInput is the part of a session that is over. Of Messages what the user and the assistant said counts, never results of
// tools, messages taken back, or those of which nothing may be kept.
type ExtractInput struct {
	Agent    string          // name of the assistant; "" = it has none
	Brain    []string        // what is known of the user, a line each
	Messages []state.Message // oldest first
	Language string          // BCP-47 of what is written down; "" = that of the messages
}

// ExtractAnswer is what to keep of the part. Facts come from the user's own words; the most important stand first.
type ExtractAnswer struct {
	Facts   []ExtractedFact
	Summary string
	Lessons []Lesson
}

// ExtractedFact is one thing to be known of the user. Subject is "" where the model named none.
type ExtractedFact struct {
	Label      string // Core, Preference, Decision, Project, Update or Delete
	Text       string
	Subject    string // whom it speaks of; "" = the user
	Importance int    // 1 to 10
	One        bool   // what was known of the subject is over: it has one value at a time
	Old        string // Update and Delete: the line of the brain that is meant, as it stands there; "" = it has no such line
}

// Lesson is what was tried for the user and whether it worked.
type Lesson struct {
	Text   string
	Worked bool
}

// Extract asks what must be known of the user when the part is over. A fact that the user did not tell is left out: see
// grounds. Invalid: an answer with neither a fact nor a summary that can be read.
func (t *Tasks) Extract(ctx context.Context, in ExtractInput) (ExtractAnswer, error) {
	raw, err := t.ask(ctx, prompts.Extract, in.blanks())
	if err != nil {
		return ExtractAnswer{}, err
	}
	return in.Read(raw)
}

// Prompt returns the question that Extract puts, for who has a model answer it elsewhere.
func (in ExtractInput) Prompt() (string, error) { return in.blanks().Prompt() }

// Read reads an answer to the question.
func (in ExtractInput) Read(raw string) (ExtractAnswer, error) {
	said := readExtract(raw)
	if len(said.Facts) == 0 && said.Summary == "" {
		return ExtractAnswer{}, nonsense(prompts.Extract, "the answer holds no fact and no summary: %s", prompts.Excerpt(raw))
	}
	answer := ExtractAnswer{Summary: cut(said.Summary, maxSummary), Lessons: said.Lessons[:min(len(said.Lessons), maxLessons)]}
	g, brain := groundsOf(kept(in.Messages)), readBrain(in.Brain)
	for _, f := range said.Facts[:min(len(said.Facts), maxReadFacts)] {
		if f.Label == Update || f.Label == Delete {
			f.Old = brain.line(f)
		}
		if f.Label != skip && g.hold(f) && !slices.ContainsFunc(answer.Facts, f.repeats) {
			answer.Facts = append(answer.Facts, f)
		}
	}
	slices.SortStableFunc(answer.Facts, func(a, b ExtractedFact) int { return b.Importance - a.Importance })
	answer.Facts = answer.Facts[:min(len(answer.Facts), maxExtracted)]
	return answer, nil
}

// repeats reports whether two facts say the same in the same words.
func (f ExtractedFact) repeats(other ExtractedFact) bool {
	return f.Label == other.Label && text.Fold(f.Text) == text.Fold(other.Text) && text.Fold(f.Subject) == text.Fold(other.Subject)
}

// kept returns the messages that facts may be made of.
func kept(messages []state.Message) []state.Message {
	var out []state.Message
	for _, m := range last(messages, maxPart) {
		if !m.Undone && !m.Unstored() {
			out = append(out, m)
		}
	}
	return out
}

// blanks show the whole part. Where it is long each message is shown in less, the assistant's first.
func (in ExtractInput) blanks() prompts.ExtractBlanks {
	in.Messages = kept(in.Messages)
	users := 0
	for _, m := range in.Messages {
		if m.Role == state.RoleUser {
			users++
		}
	}
	runes := map[state.Role]int{
		state.RoleUser:      min(maxFiledRunes, maxPartRunes*3/4/max(users, 1)),
		state.RoleAssistant: min(maxOtherRunes, maxPartRunes/4/max(len(in.Messages)-users, 1)),
	}
	blanks := prompts.ExtractBlanks{Agent: cut(in.Agent, maxPhrase), Language: cut(in.Language, 35)}
	for _, line := range in.Brain[:min(len(in.Brain), maxBrain)] {
		blanks.Brain = append(blanks.Brain, cut(line, maxPhrase))
	}
	for _, m := range in.Messages {
		blanks.Messages = append(blanks.Messages, prompts.Line{Role: string(m.Role), Text: cut(m.Text, runes[m.Role])})
	}
	return blanks
}
