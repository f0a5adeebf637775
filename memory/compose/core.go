package compose

import (
	_ "embed" // the standing instruction
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

//go:embed prompts/agent.txt
var standing string

// Core returns the identity core of an agent: name, role, persona, style, rules and what holds for memory with every agent. It is
// the system prompt of its turns. language and now are as with Identity: both may be zero.
func Core(a state.Agent, language string, now time.Time) string {
	// Who it is.
	var b strings.Builder
	b.WriteString("You are " + line(a.Name) + ", " + sentence(line(a.Role)))
	for _, part := range []string{a.Persona, a.Style} {
		if part = line(part); part != "" {
			b.WriteString("\n" + sentence(part))
		}
	}
	for _, rule := range a.Rules {
		b.WriteString("\n- " + line(rule))
	}

	// What holds for all.
	b.WriteString("\n" + standingOf(language, a.Language, now))
	return b.String()
}

// Standing returns what holds for memory beside any host's system prompt, the day included. language and now are as with Identity.
func Standing(language string, now time.Time) string { return standingOf(language, "", now) }

func standingOf(language, own string, now time.Time) string {
	text := strings.TrimSpace(standing) + " " + answerIn(languageTag(language), own)
	if !now.IsZero() {
		text += " " + today(now)
	}
	return text
}

// answerIn says which language to answer in: the agent's own, or that of the question.
func answerIn(tag, own string) string {
	switch {
	case tag == "":
		return "Answer in the language of the question."
	case tag == own:
		return "Answer in this language: " + tag + "."
	}
	return "Answer in the language of the question (" + tag + ")."
}

// CoreTokens counts the core of an agent as its prompts have it, date and language included.
func CoreTokens(tokens *token.Counter, a state.Agent) int {
	day := time.Date(2026, time.December, 31, 0, 0, 0, 0, time.UTC)
	return max(tokens.Count(Core(a, a.Language, day)), tokens.Count(Core(a, "pt-BR", day)))
}

// CheckCores refuses definitions that no turn can be made with: two of one name, one without name or role, and a core that
// is too long. It is cut nowhere.
func CheckCores(tokens *token.Counter, all []state.Agent) error {
	seen := map[string]bool{}
	for _, a := range all {
		op := "agent " + a.Name
		if err := state.ValidateID("agent", a.Name); err != nil {
			return err
		}
		switch n := CoreTokens(tokens, a); {
		case seen[a.Name]:
			return state.Errorf(state.Invalid, op, "is defined twice; give one of them another name")
		case line(a.Role) == "":
			return state.Errorf(state.Invalid, op, "has no role; say in a line what it is for")
		case a.Autonomy != nil && (*a.Autonomy < 0 || *a.Autonomy > 3):
			return state.Errorf(state.Invalid, op, "autonomy does not accept %d; it takes a whole number from 0 to 3", *a.Autonomy)
		case n > state.MaxCoreTokens:
			return state.Errorf(state.Invalid, op, "has an identity core of %d tokens, at most %d are allowed; shorten persona, style or rules", n, state.MaxCoreTokens)
		}
		seen[a.Name] = true
	}
	return nil
}

// line returns a text in one line, so that no part of a definition looks like another.
func line(s string) string { return strings.Join(strings.Fields(valid(s)), " ") }

// sentence ends a text with a full stop, if nothing ends it.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
