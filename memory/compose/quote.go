package compose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/state"
)

// fold makes s one line of quoted text: white space and control characters become single spaces, characters that
// only reorder or hide text are left out, and the brackets that chat templates mark roles and tool calls with are
// taken apart. Text that is fine comes back as it is.
func fold(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range s { // bytes that are not UTF-8 come as U+FFFD
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			gap = b.Len() > 0
			continue
		case hidden(r):
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
	}
	return disarm(b.String())
}

// plain reports whether fold has nothing to do.
func plain(s string) bool {
	space := true // two spaces, or one at the beginning
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r) || hidden(r) {
				return false
			}
			i += size - 1
			space = false
		case c < ' ', c == 0x7f, c == '<', c == '[', c == '|', c == ' ' && space:
			return false
		default:
			space = c == ' '
		}
	}
	return !space || s == ""
}

// hidden reports whether r changes the direction of text, has no width (joiners, which emoji and some scripts need,
// are let through), or is an invisible tag.
func hidden(r rune) bool {
	return r == '\u200b' || r == '\u2060' || r == '\ufeff' ||
		r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r >= 0xE0000 && r <= 0xE007F
}

// disarm puts a space into what opens or closes a role or a tool call in the templates of common models.
func disarm(s string) string {
	for _, mark := range []string{
		"<|", "|>", "<tool", "</tool", "<function", "</function", "<start_of_turn", "<end_of_turn", "<s>", "</s>", "[INST", "[/INST",
	} {
		if strings.Contains(s, mark) {
			s = strings.ReplaceAll(s, mark, mark[:1]+" "+mark[1:])
		}
	}
	return s
}

// quoted is fold for text that stands at the beginning of a line or list item, where it must not look like a
// heading, a fence, a rule, a role or a command.
func quoted(s string) string {
	s = fold(s)
	if s != "" && (strings.IndexByte("#/=\\", s[0]) >= 0 || fence(s) || rule(s) || role(s)) {
		return `\` + s
	}
	return s
}

func fence(s string) bool { return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") }

// rule reports whether s is a line of dashes: a rule, or what makes a heading of the line above.
func rule(s string) bool { return strings.Trim(s, "-") == "" || strings.Trim(s, "- ") == "" }

// role reports whether s begins as a message of a transcript does.
func role(s string) bool {
	at := strings.IndexByte(s, ':')
	if at < 0 || at > len("**developer** ") {
		return false
	}
	switch state.Role(strings.ToLower(strings.Trim(s[:at], " *"))) {
	case RoleSystem, state.RoleUser, state.RoleAssistant, state.RoleTool, "developer", "human", "ai":
		return true
	}
	return false
}

// paragraph splits a text of several lines into quoted lines; empty ones are left out.
func paragraph(s string) []string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = quoted(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
