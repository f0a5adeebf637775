package quote

import "strings"

// Marks takes the marks of chat templates apart: what opens or closes a role, a tool call or a thought in the prompt of a
// common model, in any case and with inner spaces. Its bracket is made round; nothing else changes, the length included.
func Marks(s string) string { return takeApart(s, false) }

// takeApart is Marks; with tags it also does what only looks like a mark of the conversation.
func takeApart(s string, tags bool) string {
	var out []byte
	for i := range len(s) {
		if c := s[i]; (c == '<' || c == '[') && opens(s[i:], tags) {
			if out == nil {
				out = []byte(s)
			}
			out[i] = '('
		}
	}
	if out == nil {
		return s
	}
	return string(out)
}

// opens reports whether s, which begins with a bracket, begins with a mark.
func opens(s string, tags bool) bool {
	inner := strings.TrimLeft(s[1:], " \t")
	inner = strings.TrimLeft(strings.TrimPrefix(inner, "/"), " \t")
	if s[0] == '[' {
		name, rest := nameOf(inner)
		return strings.HasPrefix(strings.TrimLeft(rest, " \t"), "]") && section(name)
	}
	for _, bar := range []string{"|", "｜"} {
		if token, ok := strings.CutPrefix(inner, bar); ok {
			return special(token, bar)
		}
	}
	name, rest := nameOf(inner)
	if rest != "" && !strings.ContainsRune("> /:=-\t\n", rune(rest[0])) {
		return false // an address: <user@example.com>
	}
	return token(name) || tags && (roleTag(name) || name == "memory")
}

// longestName bounds what is looked at behind a bracket.
const longestName = 48

// nameOf returns the name that s begins with, in small letters, and the rest.
func nameOf(s string) (name, rest string) {
	end := 0
	for end < min(len(s), longestName) && (s[end] == '_' || s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z') {
		end++
	}
	return strings.ToLower(s[:end]), s[end:]
}

// special reports whether s goes on as a special token whose inside stands between two bars: "im_start|>".
func special(s, bar string) bool {
	inside, rest, found := strings.Cut(s[:min(len(s), longestName)], bar)
	return found && inside != "" && !strings.ContainsAny(inside, "<>[](){};=\"'\n") && strings.HasPrefix(strings.TrimLeft(rest, " \t"), ">")
}

// token reports whether a name in angle brackets is one of templates: Llama's, Gemma's, Qwen's, Anthropic's.
func token(name string) bool {
	switch name {
	case "s", "bos", "eos", "sys", "im_start", "im_end", "start_of_turn", "end_of_turn", "think", "thinking", "tool", "tools",
		"function", "functions", "invoke", "antml":
		return true
	}
	return strings.HasPrefix(name, "tool_") || strings.HasPrefix(name, "function_")
}

// section reports whether a name in square brackets is one of Mistral's or Llama's templates.
func section(name string) bool {
	switch name {
	case "inst", "system_prompt", "available_tools", "tool_calls", "tool_results", "tool_content", "think":
		return true
	}
	return false
}

// roleTag reports whether a name is that of a role, as prompts write it.
func roleTag(name string) bool {
	switch name {
	case "system", "user", "assistant", "developer", "human":
		return true
	}
	return false
}
