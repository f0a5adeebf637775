package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
)

func TestAdmitRefuses(t *testing.T) {
	t.Parallel()
	long, rules := strings.Repeat("a", state.DefaultSettings().MaxMessageBytes), strings.Repeat("r", limit.ContentBytes)
	for _, c := range []struct {
		name  string
		scope state.Scope
		msg   state.Message
		says  string
	}{
		{"nothing", in("s1"), state.Message{}, "message: is empty; send some text, a part or an attachment"},
		{"a byte too long", in("s1"), state.Message{Text: long + "a"}, "has 4194305 bytes, at most 4194304 are taken; send it in pieces, or see the setting max_message_bytes"},
		{"too long with its parts", in("s1"), state.Message{Text: long, Parts: []state.Part{{Type: "text", Text: "a"}}}, "has 4194305 bytes"},
		{"text is no UTF-8", in("s1"), state.Message{Text: "a\xc3"}, "message: is not valid UTF-8"},
		{"a part is no UTF-8", in("s1"), state.Message{Parts: []state.Part{{Type: "text", Text: "\xff"}}}, "message part 1: is not valid UTF-8"},
		{"an attachment is no UTF-8", in("s1"), state.Message{Attachments: []state.Attachment{{Name: "a", Text: "\xff"}}}, "attachment 1: is not valid UTF-8"},
		{"white space", in("s1"), state.Message{Text: " \n "}, "message: is empty; send some text"},
		{"marks that nobody sees", in("s1"), state.Message{Text: "\u200b\ufeff", Parts: []state.Part{{Type: "text", Text: "\t"}}}, "message: is empty"},
		{"a type nobody knows", in("s1"), state.Message{Text: "look", Parts: []state.Part{{Type: "image", URL: "https://x/y.png"}}},
			`message part 1: has the unknown type "image"; did you mean "image_url"? Known: text, image_url, audio_url, video_url, file_url`},
		{"no type", in("s1"), state.Message{Text: "look", Parts: []state.Part{{Text: "a"}}}, `has the unknown type ""`},
		{"an image without an address", in("s1"), state.Message{Text: "look", Parts: []state.Part{{Type: "text", Text: "a"}, {Type: "image_url"}}},
			"message part 2: is of type image_url and has no URL; fill in URL"},
		{"a text without text", in("s1"), state.Message{Text: "look", Parts: []state.Part{{Type: "text", URL: "https://x"}}}, "message part 1: has no text"},
		{"what none has behind its system prompt", in("s1"), state.Message{Text: strings.Repeat("a b ", 2500), System: strings.Repeat("be brief ", 22000)}, "context_window leaves 44000"},
		{"a system prompt", in("s1"), state.Message{Text: "a", System: rules + "a"}, "message system prompt: has 262145 bytes, at most 262144 are taken; shorten it"},
		{"an id", in("s1"), state.Message{Text: "a", ID: rules}, "message id: has 262144 bytes, at most 256 are taken"},
		{"a speaker", in("s1"), state.Message{Text: "a", Speaker: rules}, "message speaker: has 262144 bytes, at most 256 are taken"},
		{"parts", in("s1"), state.Message{Text: "a", Parts: slices.Repeat([]state.Part{{Type: "text", Text: "a"}}, 65)}, "message parts: are 65, at most 64 are taken"},
		{"attachments", in("s1"), state.Message{Attachments: slices.Repeat([]state.Attachment{{Name: "a", Text: "a"}}, 65)}, "message attachments: are 65, at most 64"},
		{"bytes of attachments", in("s1"), state.Message{Attachments: []state.Attachment{{Data: make([]byte, 5<<20)}, {Data: make([]byte, 4<<20)}}},
			"message attachments and parts: has 9437184 bytes, at most 8388608 are taken"},
		{"a data URL", in("s1"), state.Message{Parts: []state.Part{{Type: "image_url", URL: strings.Repeat("a", 9<<20)}}}, "has 9437184 bytes, at most 8388608"},
		{"the name of an attachment", in("s1"), state.Message{Attachments: []state.Attachment{{Name: rules, Text: "a"}}}, "attachment 1: name: has 262144 bytes, at most 256"},
		{"a MIME type", in("s1"), state.Message{Parts: []state.Part{{Type: "image_url", URL: "https://x", MIME: rules}}}, "message part 1: MIME type: has 262144 bytes"},
		{"keys of metadata", in("s1"), state.Message{Text: "a", Metadata: keyed(65)}, "message metadata keys: are 65, at most 64 are taken"},
		{"a key of metadata", in("s1"), state.Message{Text: "a", Metadata: map[string]string{rules: "a"}}, "message metadata key: has 262144 bytes, at most 128"},
		{"a value of metadata", in("s1"), state.Message{Text: "a", Metadata: map[string]string{"ticket": rules}}, "message metadata ticket: has 262144 bytes, at most 4096"},
		{"a slash in the user", state.Scope{Client: "c", User: "a/b", Session: "s"}, state.Message{Text: "a"}, `user id "a/b": contains '/'`},
		{"a mark in the session that nobody sees", in("s\u200b1"), state.Message{Text: "a"}, "contains the invisible mark U+200B"},
		{"a control character", in("s\n1"), state.Message{Text: "a"}, "contains a control character"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			s := w.begin(t.Context(), m, nil)
			_, err := m.Turn().Admit(s.ctx, c.scope, c.msg)
			if text := code(t, err, state.Invalid); !strings.Contains(text, c.says) {
				t.Errorf("want an error with %q, got %q", c.says, text)
			}
			if n := len(s.effects.List()); n > 0 {
				t.Errorf("a refused message left %d effects", n)
			}
		})
	}
}

func TestAdmitTakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		msg  state.Message
		id   string
	}{
		{"text", state.Message{Text: "hello"}, "m1"},
		{"text parts only", state.Message{Parts: []state.Part{{Type: "text", Text: "hello"}}}, "m1"},
		{"a long text", state.Message{Text: strings.Repeat("a b ", 2500)}, "m1"},
		{"only an image", state.Message{Parts: []state.Part{{Type: "image_url", URL: "https://x/y.png"}}}, "m1"},
		{"only an attachment", state.Message{Attachments: []state.Attachment{{Name: "a.pdf", Data: []byte{0xff, 0}}}}, "m1"},
		{"an id of the host", state.Message{Text: "hello", ID: "D1:3"}, "D1:3"},
		{"white space with an image", state.Message{Text: "  ", Parts: []state.Part{{Type: "image_url", URL: "https://x/y.png"}}}, "m1"},
		{"an image as a data URL", state.Message{Parts: []state.Part{{Type: "image_url", URL: "data:image/png;base64," + strings.Repeat("a", 1<<20)}}}, "m1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			s := w.begin(t.Context(), m, nil)
			msg, err := m.Turn().Admit(s.ctx, in("s1"), c.msg)
			must(t, err)
			if msg.ID != c.id || msg.Seq != 1 || msg.Role != state.RoleUser || !msg.At.Equal(w.clock()) {
				t.Errorf("got id %q, number %d, role %q, at %v", msg.ID, msg.Seq, msg.Role, msg.At)
			}
			must(t, s.commit())
			kept, err := m.Messages(t.Context(), in("s1"))
			must(t, err)
			if diff := cmp.Diff([]state.Message{msg}, kept); diff != "" {
				t.Errorf("kept (-admitted +kept):\n%s", diff)
			}
		})
	}
}

func TestAdmitMasksSecretsEverywhere(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	s := w.begin(t.Context(), m, nil)
	mine := state.Message{
		Text: "password: hunter22", Parts: []state.Part{{Type: "text", Text: "sk-live-4f9a8b7c6d5e"}},
		Attachments: []state.Attachment{{Name: "env", Text: "api_key=abcdefgh12345678"}},
	}
	msg, err := m.Turn().Admit(s.ctx, in("s1"), mine)
	must(t, err)
	if all := fmt.Sprint(msg); strings.Contains(all, "hunter22") || strings.Contains(all, "sk-live") || strings.Contains(all, "abcdefgh") {
		t.Errorf("a secret was kept: %s", all)
	}
	if mine.Parts[0].Text != "sk-live-4f9a8b7c6d5e" || mine.Attachments[0].Text != "api_key=abcdefgh12345678" {
		t.Error("the caller's message was changed")
	}
	same(t, "notes", []string{"intake: 3 secret(s) masked before the message was kept"}, s.trace.Notes())
}

// keyed is metadata of so many keys.
func keyed(n int) map[string]string {
	out := map[string]string{}
	for i := range n {
		out[fmt.Sprint("key", i)] = "a"
	}
	return out
}

// What counts is the system prompt in force: the memory's own where the message brings none.
func TestAdmitCountsTheSystemPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.System = strings.Repeat("be brief ", 22000) })
	s := w.begin(t.Context(), m, nil)
	text := strings.Repeat("a b ", 2500)
	_, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: text})
	code(t, err, state.Invalid)
	if _, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: text, System: "Be brief."}); err != nil {
		t.Error(err)
	}
}
