package vectors

import "strings"

// headWords is how much of a message stands for it: of a long answer the beginning says what it is about.
const headWords = 60

// Beginning returns the first words of a text without blocks of code.
func Beginning(s string) string {
	words := strings.Fields(withoutCode(s))
	return strings.Join(words[:min(len(words), headWords)], " ")
}

// withoutCode leaves out what stands between lines of ```; a text of nothing else stays.
func withoutCode(s string) string {
	if !strings.Contains(s, "```") {
		return s
	}
	var kept []string
	for i, part := range strings.Split(s, "```") {
		if i%2 == 0 {
			kept = append(kept, part)
		}
	}
	if rest := strings.Join(kept, " "); strings.TrimSpace(rest) != "" {
		return rest
	}
	return strings.ReplaceAll(s, "```", " ")
}
