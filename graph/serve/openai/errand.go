package openai

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/mneme-graph/mneme/state/limit"
)

// What an errand asks for, and in what form. Chat programs ask in English, in the system prompt or in the last message.
var (
	errandMakes = regexp.MustCompile(`(?i)\b(?:generate|create|write|provide|produce|give|suggest|make)\b[^.\n]{0,100}` +
		`\b(?:title|name|tags|emoji|follow-?ups?)\b[^.\n]{0,100}\b(?:conversation|chat|dialogue|discussion|(?:user|first)\b[^.\n]{0,20} message)\b` +
		`|\b(?:name|title|summari[sz](?:e|ing)) (?:this|the|our|following) (?:conversation|chat|dialogue|discussion)\b` +
		`|\bgive (?:this|the|our) (?:conversation|chat|dialogue|discussion) a (?:\w+ )?(?:name|title)\b`)
	errandForm = regexp.MustCompile(`(?i)\b(?:conversation|chat|dialogue|discussion):\s*\n|\b(?:only|nothing else|json|title case|no (?:quot|punct)\w+|without [^.\n]{0,30}(?:quot|punct)\w+|(?:[0-9]+|two|three|four|five|six|ten)[- ](?:words?|char\w*))\b`)
)

// isErrand reports whether a text has a chat program's own errand done: a title of the talk, tags, what could be asked next. Such words are the
// program's and not the user's.
func isErrand(text string) bool {
	text = strings.TrimSpace(text)
	head := text[:min(len(text), 600)]
	return strings.HasPrefix(text, "### Task:") && !strings.HasPrefix(text, answersUser) || errandMakes.MatchString(head) && errandForm.MatchString(head)
}

// leaveTalk makes an errand a talk of its own, which leaves nothing in memory: what was said before is shown to it. Any other talk is as it was.
func (t *talk) leaveTalk() {
	last, said := *t.last(), ""
	if len(last.saids) > 0 {
		said = last.saids[len(last.saids)-1]
	}
	if t.after != "" || len(t.tools)+len(last.results) > 0 || !isErrand(t.system) && !isErrand(said) {
		return
	}
	const shown, runes = 20, 1000
	before := t.exchanges[:len(t.exchanges)-1]
	name := []string{t.session, t.system, last.said}
	for _, m := range messagesOf(before[max(0, len(before)-shown):]) {
		name = append(name, m.Text)
		whole := []rune(m.Text)
		if len(whole) > runes {
			whole = append(whole[:runes], '…')
		}
		t.notes = append(t.notes, string(m.Role)+": "+string(whole))
	}
	t.exchanges, t.session, t.unstored = []exchange{last}, "errand-"+sum(name...)[:16], true
}

// answersUser begins the text by which a chat program gives the model what it has found for the user: his words stand behind it, and are no errand.
const answersUser = "### Task:\nRespond to the user query"

// unwrap parts the user's words from what a chat program has put before them: how to answer, and what it has found. Later it sends the words alone.
func unwrap(text string) (said, before string) {
	const end = "</context>"
	at := strings.LastIndex(text, end)
	if !strings.HasPrefix(strings.TrimSpace(text), answersUser) || at < 0 {
		return text, ""
	}
	before, said = text[:at+len(end)], text[at+len(end):]
	if _, query, named := strings.Cut(said, "<user_query>"); named {
		query, said, _ = strings.Cut(query, "</user_query>")
		said = cmp.Or(strings.TrimSpace(said), query)
	}
	if said = strings.TrimSpace(said); said == "" {
		return text, ""
	}
	return said, before
}

// NotesOf returns a text as notes of a turn, which are quoted as data: a long one in pieces, none of one that is blank.
func NotesOf(text string) (out []string) {
	for text = strings.TrimSpace(strings.ToValidUTF8(text, "")); text != ""; text = strings.TrimSpace(text) {
		piece := strings.ToValidUTF8(text[:min(len(text), limit.NoteBytes)], "")
		out, text = append(out, piece), text[len(piece):]
	}
	return out
}
