package openai

import (
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state/limit"
)

func TestIsErrand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"### Task:\nGenerate 1-3 broad tags":                                                                                    true,
		"### Task:\nRespond to the user query using the provided context":                                                       false,
		"Provide a concise title for the conversation, five words or less, in title case.":                                      true,
		"Please generate a four word title summarizing our conversation without any lead-in, punctuation or quotation marks.":   true,
		"Based on what was said, give this conversation a name. Keep it short: 10 characters, no quotes.":                       true,
		"Generate a short, descriptive title for this conversation based on the user's message.\n\n- 3 to 5 words\n- no quotes": true,
		"You make titles. Create a title for the chat that begins with the message below. Only output the title.":               true,
		"Summarize the discussion briefly in 200 words or less.":                                                                true,
		"Suggest 3 follow-ups that the user might ask next in this chat. Answer in JSON.":                                       true,
		"Create a concise title for this conversation:\n\nUser: I ordered a canoe.\nAI: Noted.":                                 true,
		"Write a title for this conversation with my publisher: we spoke about the novel.":                                      false,
		"You are a friendly chat assistant named Bob. Answer only in English.":                                                  false,
		"You are the assistant of Title Boxing, a gym. Give members an answer to their message, in no more than 50 words.":      false,
		"You write for a newspaper. Create titles and tags for articles. Only use facts.":                                       false,
		"Write a title for my thesis, at most ten words.":                                                                       false,
		"What was the title of the book in our conversation?":                                                                   false,
		"I made a group chat named Kayaks, only five people are in it.":                                                         false,
		"Remember the name of the woman from the chat: Jana. Only her first name.":                                              false,
		"Give my name as Anna Novak in every message to the bank, and nothing else about me.":                                   false,
		"Give me the answer from our chat last week, only the number.":                                                          false,
		"Give me the tags of my dog": false,
		"Please write a message to the tax office: the name is Novak, only the year 2025.": false,
		"Create a discussion thread for the name day of my grandmother, two words":         false,
		"Vymysli název pro tento rozhovor, jen pár slov.":                                  false,
	} {
		if got := isErrand(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// An errand is shown the last of what was said, and what is cut short says so.
func TestAnErrandIsShownTheTalk(t *testing.T) {
	t.Parallel()
	in := talk{exchanges: []exchange{
		{said: strings.Repeat("č", 5000), answer: "Noted.", over: true}, {saids: []string{"Give this chat a name, no quotes."}, said: "Give this chat a name, no quotes."},
	}}
	in.leaveTalk()
	if len(in.exchanges) != 1 || !in.unstored || len(in.notes) != 2 || in.notes[0] != "user: "+strings.Repeat("č", 1000)+"…" || in.notes[1] != "assistant: Noted." {
		t.Errorf("%d exchanges, notes %q", len(in.exchanges), in.notes)
	}
}

// Notes hold all of a text, each within its bound; bytes that are no text are left out.
func TestNotesOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" \n": "", "a note": "a note", "\xff\xfea\xff": "a", strings.Repeat("č", limit.NoteBytes): strings.Repeat("č", limit.NoteBytes),
	} {
		notes := NotesOf(text)
		if got := strings.Join(notes, ""); got != want {
			t.Errorf("%.20q: %d notes of %d bytes, want %d bytes", text, len(notes), len(got), len(want))
		}
		for _, n := range notes {
			if len(n) > limit.NoteBytes {
				t.Errorf("a note of %d bytes", len(n))
			}
		}
	}
}
