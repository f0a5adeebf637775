package offline

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// suggested begins the result of a call that changes nothing before the user has approved of it.
const suggested = "suggested"

// updated says in words what a call of memory_update came to. Nothing when it knows nothing of a topic: the context may.
func (t turn) updated(c call) string {
	// What was asked for; an error is told as such.
	var asked struct{ Action, Text string }
	if json.Unmarshal([]byte(c.args), &asked) != nil {
		return ""
	}
	if reason, failed := strings.CutPrefix(c.result, "error: "); failed {
		return t.refused(reason)
	}

	// The head of the result says what became of it; some heads have an answer of their own.
	head, listed, _ := strings.Cut(c.result, "\n")
	verb, what, _ := strings.Cut(head, ": ")
	verb, _, _ = strings.Cut(verb, " ")
	switch {
	case verb == "suggested," && asked.Action == "clear_topic" && strings.TrimSpace(asked.Text) == "":
		return t.phrases.say("all_asked", "n", strings.Trim(countForm.FindString(listed), "()"))
	case verb == "approved" && strings.Contains(what, state.Everything):
		return t.phrases.say("all_forgotten")
	case verb == "rejected":
		return t.phrases.say("refused")
	case strings.HasPrefix(head, "nothing is remembered"):
		if asked.Text != "" {
			return ""
		}
		return t.phrases.say("shown_none")
	case strings.HasPrefix(head, suggested):
		return t.phrases.say("approval", "text", plainEnd(asked.Text))
	case strings.HasPrefix(head, "not understood, "):
		return t.phrases.say("unclear_order") + " " + t.nearest(listed)
	case strings.HasPrefix(head, "not found, "):
		return t.phrases.say("nothing_such") + " " + t.nearest(listed)
	case strings.HasPrefix(head, "not remembered: "):
		return t.phrases.say("withheld", "text", plainEnd(what))
	case asked.Action == "show":
		return t.phrases.say("shown") + "\n- " + strings.Join(rows(listed), "\n- ")
	case strings.Contains(what, "(it was known already)"):
		verb = "known_already"
	case verb == "remembered" && asked.Action == "pin":
		verb = "pinned"
	}

	// The facts themselves, as far as the result lists them.
	told := rows(listed)
	if len(told) == 0 {
		told = []string{withoutOutcome(what)}
	}
	if _, ok := t.phrases.Replies[verb]; !ok {
		return ""
	}
	return t.phrases.say(verb, "text", plainEnd(strings.Join(told, "; ")))
}

// nearest tells what is remembered that is most like what was to be forgotten.
func (t turn) nearest(listed string) string {
	if near := rows(listed); len(near) > 0 {
		return t.phrases.say("nearest", "text", plainEnd(near[0]))
	}
	return t.phrases.say("nearest_none")
}

// countForm is how a suggestion to forget everything says how much that is.
var countForm = regexp.MustCompile(`\(\d+\)`)

// refused says why a call of memory_update did nothing.
func (t turn) refused(reason string) string {
	for _, sign := range []struct{ says, reply string }{
		{"read-only", "read_only"}, {"the user refused it", "refused"}, {"no record is meant", "nothing_such"}, {"nothing is remembered that", "nothing_corrected"},
		{"there is none", "unclear"}, {" is missing", "unclear"}, {"no telling word", "unclear"},
	} {
		if strings.Contains(reason, sign.says) {
			return t.phrases.say(sign.reply)
		}
	}
	return t.phrases.say("not_done", "reason", strings.TrimRight(reason, "."))
}

// ownWords is from how many words on a record needs no subject before it.
const ownWords = 3

// rows returns the records of a list as a person reads them: "- said (record fact, 2026-02-15, id r1, due 2026-03-01)".
func rows(listed string) []string {
	var out []string
	for row := range strings.SplitSeq(listed, "\n") {
		entry, ok := strings.CutPrefix(row, "- ")
		if !ok {
			continue
		}
		said, about := entry, ""
		if at := strings.LastIndex(entry, " (record "); at >= 0 {
			said, about = entry[:at], strings.TrimSuffix(entry[at:], ")")
		} else if n, _, more := strings.Cut(strings.TrimPrefix(entry, "and "), " record"); more {
			said = "… +" + n
		}
		said = strings.TrimPrefix(said, `\`)
		if _, words, ok := strings.Cut(said, ": "); ok && len(strings.Fields(words)) >= ownWords { // the user's own words say what it is
			said = words
		}
		if _, due, ok := strings.Cut(about, ", due "); ok {
			said += " (" + due + ")"
		}
		if !slices.Contains(out, said) {
			out = append(out, said)
		}
	}
	return out
}

// withoutOutcome leaves out what became of other records: "(it takes the place of r1, which is history now)".
func withoutOutcome(s string) string {
	for strings.HasSuffix(s, ")") {
		at := strings.LastIndex(s, " (it ")
		if at < 0 {
			break
		}
		s = s[:at]
	}
	return s
}

// plainEnd leaves out the end of a sentence, which the reply has itself.
func plainEnd(s string) string { return strings.TrimRight(withoutOutcome(s), ".! ") }
