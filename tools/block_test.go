package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// spoken is a bench whose session s1 has messages with blocks, and s2 one too.
func spoken(t *testing.T) *bench {
	t.Helper()
	b := setup(t, func(s *state.Settings) { s.ToolResultBytes = 4096 })
	code := "```go\n" + strings.Repeat("x := 1\n", 30) + "```"
	notes := strings.Repeat("a line of notes\n", 400) + "The spare key of the garage is with Radovan.\n" + strings.Repeat("a line of notes\n", 400)
	b.commit(t,
		state.Effect{Scope: b.scope, Message: &state.Message{ID: "m1", Seq: 1, Role: state.RoleUser, Text: "Look at\n" + code + "\nand\n" + code}},
		state.Effect{Scope: b.scope, Message: &state.Message{ID: "m2", Seq: 2, Role: state.RoleUser, Text: "My notes.", Attachments: []state.Attachment{
			{Name: "photo.jpg", MIME: "image/jpeg", Data: []byte{1, 2, 3}},
			{Name: "notes.txt", MIME: "text/plain", Text: notes},
		}}},
		state.Effect{Scope: b.scope, Message: &state.Message{ID: "m3", Seq: 3, Role: state.RoleUser, Text: "See this.",
			Parts: []state.Part{{Type: state.TextPart, Text: "## Evidence\nuser: the crypt is under the chapel"}}}},
		state.Effect{Scope: b.scope, Message: &state.Message{ID: "m4", Seq: 4, Role: state.RoleUser, Text: strings.Repeat("č", 9000), Undone: false}},
		state.Effect{Scope: b.scope, Message: &state.Message{ID: "m5", Seq: 5, Role: state.RoleUser, Text: "taken back", Undone: true}},
	)
	other := b.scope
	other.Session = "s2"
	b.commit(t, state.Effect{Scope: other, Message: &state.Message{ID: "m1", Seq: 1, Role: state.RoleUser, Text: "of the other session"}},
		state.Effect{Scope: other, Message: &state.Message{ID: "m6", Seq: 6, Role: state.RoleUser, Text: "of the other session"}})
	return b
}

func TestReadBlock(t *testing.T) {
	t.Parallel()
	b := spoken(t)
	for _, c := range []struct {
		args   string
		holds  []string
		misses string
	}{
		{`{"name":"m1.2"}`, []string{"# Memory (quoted data", "m1.2 (code block, message 1, user, ", "), lines 1 to 30 of 30\n> x := 1\n"}, "go on"},
		{`{"name":"m1.1","from_line":29}`, []string{"lines 29 to 30 of 30\n> x := 1\n> x := 1"}, "go on"},
		{`{"name":"m1.1","from_line":3,"to_line":4}`, []string{"lines 3 to 4 of 30\n"}, "go on"},
		{`{"name":" m1 "}`, []string{"m1 (message, message 1", "> Look at\n> ```go\n", "> and\n"}, "go on"},
		{`{"name":"m2.a2"}`, []string{"m2.a2 (attachment notes.txt, text/plain, 12,845 bytes, message 2", "lines 1 to ", " of 801; go on with from_line "}, "Radovan"},
		{`{"name":"m2.a2","from_line":400,"to_line":402}`, []string{"> The spare key of the garage is with Radovan.\n"}, "go on"},
		{`{"name":"m3"}`, []string{"> See this.\n> ## Evidence\n> user: the crypt"}, "\n## Evidence"},
		{`{"name":"m4"}`, []string{"the first ", " of 18000 bytes of line 1 of 1\n> čč"}, "\ufffd"},
	} {
		got, err := b.call(t, "read_block", c.args)
		if err != nil || strings.Contains(got, c.misses) || len(got) > 4096 {
			t.Errorf("%s: %d bytes, %v:\n%.300s", c.args, len(got), err, got)
		}
		for _, part := range c.holds {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %q:\n%.400s", c.args, part, got)
			}
		}
	}
}

// Names that lead nowhere are told so, with a way out, and none leads out of the session.
func TestReadBlockRefuses(t *testing.T) {
	t.Parallel()
	b := spoken(t)
	const out = "use one from a placeholder of this session, such as m12.1, or memory_recall to look for what was said"
	for _, c := range []struct {
		name string
		code state.Code
		want string
	}{
		{"", state.Invalid, `read_block: the argument "name" is missing`},
		{"m1.3", state.NotFound, `block "m1.3": is not in message 1, which has m1.1, m1.2, m1`},
		{"m1.01", state.NotFound, `block "m1.01": is not in message 1, which has m1.1, m1.2, m1`},
		{"m2.a1", state.Invalid, "block m2.a1: has no text: it is the attachment photo.jpg, image/jpeg, 3 bytes"},
		{"m5", state.NotFound, `block "m5": is of message 5, which this session does not have; ` + out},
		{"m6", state.NotFound, `block "m6": is of message 6, which this session does not have; ` + out},
		{"m99.1", state.NotFound, `block "m99.1": is of message 99, which this session does not have; ` + out},
		{"s2/m1", state.Invalid, `block "s2/m1": is no name of a block; ` + out},
		{"m1/../s2", state.Invalid, `block "m1/../s2": is no name of a block; ` + out},
		{"m01", state.Invalid, `block "m01": is no name of a block; ` + out},
		{"m-1", state.Invalid, `block "m-1": is no name of a block; ` + out},
		{"m0", state.Invalid, `block "m0": is no name of a block; ` + out},
		{"notes.txt", state.Invalid, `block "notes.txt": is no name of a block; ` + out},
		{"m99999999999999999999", state.Invalid, `block "m99999999999999999999": is no name of a block; ` + out},
	} {
		got, err := b.call(t, "read_block", fmt.Sprintf(`{"name":%q}`, c.name))
		if err == nil || state.CodeOf(err) != c.code || err.Error() != c.want {
			t.Errorf("%q: %s %v\nwant %s %s (%.100s)", c.name, state.CodeOf(err), err, c.code, c.want, got)
		}
	}
	_, err := b.call(t, "read_block", `{"name":"m1.1","from_line":31}`)
	if want := "read_block: m1.1 has lines 1 to 30; ask for some of these"; err == nil || err.Error() != want {
		t.Errorf("a line behind the last: %v, want %s", err, want)
	}
}

// A word deep in an attachment or in a text part is found, and the hit says by which name the rest of it is read.
func TestRecallNamesTheBlock(t *testing.T) {
	t.Parallel()
	b := spoken(t)
	for query, holds := range map[string][]string{
		"spare key of the garage Radovan": {"is with Radovan.", ", read_block m2.a2)"},
		"notes.txt":                       {", read_block m2.a2)"},
		"what is under the chapel":        {"the crypt is under the chapel"},
	} {
		ctx := memory.ContextWithOrigin(state.ContextWithScope(t.Context(), b.scope), memory.Origin{Scope: b.scope, Turn: "t9", Seq: 9})
		got, err := b.tools["memory_recall"].InvokableRun(ctx, fmt.Sprintf(`{"query":%q}`, query))
		must(t, err)
		for _, part := range holds {
			if !strings.Contains(got, part) {
				t.Errorf("%q lacks %q:\n%.500s", query, part, got)
			}
		}
	}
}
