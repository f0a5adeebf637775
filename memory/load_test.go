package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

func TestAdmitRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", state.MaxMessageBytes)
	for _, c := range []struct {
		name  string
		scope state.Scope
		msg   state.Message
		says  string
	}{
		{"nothing", in("s1"), state.Message{}, "message: is empty; send some text, a part or an attachment"},
		{"a byte too long", in("s1"), state.Message{Text: long + "a"}, "has 262145 bytes, at most 262144 are taken"},
		{"too long with its parts", in("s1"), state.Message{Text: long, Parts: []state.Part{{Type: "text", Text: "a"}}}, "has 262145 bytes"},
		{"text is no UTF-8", in("s1"), state.Message{Text: "a\xc3"}, "message: is not valid UTF-8"},
		{"a part is no UTF-8", in("s1"), state.Message{Parts: []state.Part{{Type: "text", Text: "\xff"}}}, "message part: is not valid UTF-8"},
		{"an attachment is no UTF-8", in("s1"), state.Message{Attachments: []state.Attachment{{Name: "a", Text: "\xff"}}}, "attachment: is not valid UTF-8"},
		{"no client", state.Scope{User: "u", Session: "s"}, state.Message{Text: "a"}, "client id: is empty"},
		{"a slash in the user", state.Scope{Client: "c", User: "a/b", Session: "s"}, state.Message{Text: "a"}, `user id "a/b": contains '/'`},
		{"a control character", in("s\n1"), state.Message{Text: "a"}, "contains a control character"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			s := w.begin(t.Context(), m, nil)
			_, err := m.Admit(s.ctx, c.scope, c.msg)
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
		{"the longest text", state.Message{Text: strings.Repeat("a", state.MaxMessageBytes)}, "m1"},
		{"only an image", state.Message{Parts: []state.Part{{Type: "image_url", URL: "https://x/y.png"}}}, "m1"},
		{"only an attachment", state.Message{Attachments: []state.Attachment{{Name: "a.pdf", Data: []byte{0xff, 0}}}}, "m1"},
		{"an id of the host", state.Message{Text: "hello", ID: "D1:3"}, "D1:3"},
		{"white space", state.Message{Text: "  "}, "m1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			s := w.begin(t.Context(), m, nil)
			msg, err := m.Admit(s.ctx, in("s1"), c.msg)
			if err != nil {
				t.Fatal(err)
			}
			if msg.ID != c.id || msg.Seq != 1 || msg.Role != state.RoleUser || !msg.At.Equal(w.clock()) {
				t.Errorf("got id %q, number %d, role %q, at %v", msg.ID, msg.Seq, msg.Role, msg.At)
			}
			if err := s.commit(); err != nil {
				t.Fatal(err)
			}
			kept, err := m.Messages(t.Context(), in("s1"))
			if err != nil {
				t.Fatal(err)
			}
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
	msg, err := m.Admit(s.ctx, in("s1"), mine)
	if err != nil {
		t.Fatal(err)
	}
	if all := fmt.Sprint(msg); strings.Contains(all, "hunter22") || strings.Contains(all, "sk-live") || strings.Contains(all, "abcdefgh") {
		t.Errorf("a secret was kept: %s", all)
	}
	if mine.Parts[0].Text != "sk-live-4f9a8b7c6d5e" || mine.Attachments[0].Text != "api_key=abcdefgh12345678" {
		t.Error("the caller's message was changed")
	}
	if diff := cmp.Diff([]string{"intake: 3 secret(s) masked before the message was kept"}, s.trace.Notes()); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestMessagesAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for i := range 3 {
		w.turn(t, m, in("s1"), nil, fmt.Sprintf("message %d", i))
	}
	w.turn(t, m, in("s2"), nil, "another session")
	kept, err := m.Messages(t.Context(), in("s1"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, msg := range kept {
		got = append(got, fmt.Sprintf("%d %s %s %s", msg.Seq, msg.ID, msg.Role, msg.Text))
	}
	want := []string{
		"1 m1 user message 0", "2 m2 assistant Noted.", "3 m3 user message 1", "4 m4 assistant Noted.",
		"5 m5 user message 2", "6 m6 assistant Noted.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if s, err := m.Session(t.Context(), in("s1")); err != nil || s.Messages != 6 || s.Part != 1 || !s.StartedAt.Equal(w.clock()) {
		t.Errorf("session: got %+v, %v", s, err)
	}
	if s, err := m.Session(t.Context(), in("never")); err != nil || !cmp.Equal(s, state.Session{}) {
		t.Errorf("a session never used: got %+v, %v", s, err)
	}
}

func TestAnAffairIsParkedForOtherSessions(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "A part for the car")
	w.turn(t, m, in("s2"), opens("University"), "The university wrote")
	for _, c := range []struct {
		session string
		active  string
		parked  []string
	}{
		{"s1", "Car part", []string{"University PARKED"}},
		{"s2", "University", []string{"Car part PARKED"}},
		{"s3", "", []string{"University PARKED", "Car part PARKED"}},
	} {
		t.Run(c.session, func(t *testing.T) {
			t.Parallel()
			v, err := m.Load(t.Context(), in(c.session), 1)
			if err != nil {
				t.Fatal(err)
			}
			active := ""
			if a := v.Active(); a != nil {
				active = a.Title
			}
			got := titles(v.Parked())
			slices.Sort(got)
			slices.Sort(c.parked)
			if active != c.active || !slices.Equal(got, c.parked) {
				t.Errorf("want active %q and %v, got %q and %v", c.active, c.parked, active, got)
			}
		})
	}
}

// window are the texts of a session's window before message number seq.
func window(t *testing.T, m *memory.Memory, scope state.Scope, seq int64) []string {
	t.Helper()
	v, err := m.Load(t.Context(), scope, seq)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, msg := range v.Window {
		if msg.Role == state.RoleUser {
			out = append(out, msg.Text)
		}
	}
	return out
}

func TestTheWindowShowsTheActiveAffairAndSmallTalk(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	s1 := in("s1")
	w.turn(t, m, s1, nil, "Hello")
	w.turn(t, m, s1, opens("Car part"), "about the car")
	w.turn(t, m, s1, opens("University"), "about the university")
	w.turn(t, m, s1, judges(state.AdHoc, "Car part", "", 0.9), "aside about the car")
	w.turn(t, m, s1, judges(state.AdHoc, "", "", 0.9), "aside about nothing")
	w.turn(t, m, s1, judges(state.Continue, "", "", 0.9), "more of the university")

	want := []string{"Hello", "about the university", "aside about nothing", "more of the university"}
	if diff := cmp.Diff(want, window(t, m, s1, 13)); diff != "" {
		t.Errorf("under University (-want +got):\n%s", diff)
	}
	w.turn(t, m, s1, judges(state.Switch, "Car part", "", 0.9), "back to the car")
	want = []string{"Hello", "about the car", "aside about the car", "aside about nothing", "back to the car"}
	if diff := cmp.Diff(want, window(t, m, s1, 15)); diff != "" {
		t.Errorf("under Car part (-want +got):\n%s", diff)
	}
	if _, err := m.ParkAffair(t.Context(), s1, "Car part"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Hello", "aside about nothing"}, window(t, m, s1, 15)); diff != "" {
		t.Errorf("under none (-want +got):\n%s", diff)
	}
}

func TestTheWindowIsLimited(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := w.memory(t, func(c *memory.Config) { c.Settings.HistoryLimit = 4 })
	for i := range 5 {
		w.turn(t, m, in("s1"), nil, fmt.Sprintf("hello %d", i))
	}
	if diff := cmp.Diff([]string{"hello 3", "hello 4"}, window(t, m, in("s1"), 11)); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"hello 0"}, window(t, m, in("s1"), 3)); diff != "" {
		t.Errorf("before the second message (-want +got):\n%s", diff)
	}
}

func TestLoadShowsTheTurnSoFar(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), nil, "Hello")
	s := w.begin(t.Context(), m, nil)
	msg, err := m.Admit(s.ctx, in("s1"), state.Message{Text: "How are you?"})
	if err != nil {
		t.Fatal(err)
	}
	m.Say(s.ctx, in("s1"), state.Message{Seq: 4, Role: state.RoleAssistant, ToolCalls: []state.ToolCall{{ID: "c", Name: "x"}}})
	if err := s.commit(); err != nil {
		t.Fatal(err)
	}
	v, err := w.memory(t, nil).Load(t.Context(), in("s1"), msg.Seq)
	if err != nil || len(v.Turn) != 2 || v.Turn[0].Text != "How are you?" || len(v.Turn[1].ToolCalls) != 1 || len(v.Window) != 2 {
		t.Errorf("want two messages of the turn and two before it, got %+v and %+v, %v", v.Turn, v.Window, err)
	}
}

func TestClear(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	if err := m.Clear(t.Context(), in("s1")); err != nil {
		t.Errorf("clearing a session that was never used: %v", err)
	}
	w.turn(t, m, in("s1"), nil, "Hello")
	w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
	if err := m.Clear(t.Context(), in("s1")); err != nil {
		t.Fatal(err)
	}
	if got := window(t, m, in("s1"), 5); len(got) != 0 {
		t.Errorf("cleared messages are still in sight: %q", got)
	}
	a := named(t, m, in("s1"), "Car part")
	if a.Status != state.Parked || a.Summary == "" {
		t.Errorf("what was active is to be parked with a summary, got %+v", a)
	}
	s, err := m.Session(t.Context(), in("s1"))
	if err != nil || s.Active != "" || s.Part != 2 || s.WindowFrom != 4 || s.Summary != "" {
		t.Errorf("session after clear: %+v, %v", s, err)
	}
	w.turn(t, m, in("s1"), judges(state.Switch, "Car part", "", 0.9), "back to the car part")
	if diff := cmp.Diff([]string{"back to the car part"}, window(t, m, in("s1"), 7)); diff != "" {
		t.Errorf("window after clear (-want +got):\n%s", diff)
	}
	kept, err := m.Messages(t.Context(), in("s1"))
	if err != nil || len(kept) != 6 {
		t.Errorf("nothing is deleted: want 6 messages, got %d, %v", len(kept), err)
	}
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "order number of the part"}); len(got) == 0 || !strings.Contains(strings.Join(got, ""), "07-14244-53150") {
		t.Errorf("cleared messages can still be recalled; got %q", got)
	}
}

func TestIdleSessionEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		pause  time.Duration
		part   int
		active string
		status state.Status
	}{
		{"at thirty minutes it goes on", 30 * time.Minute, 1, "Car part", state.Active},
		{"after thirty minutes it is parked", 30*time.Minute + time.Second, 2, "", state.Parked},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
			w.pass(c.pause)
			got := w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "thanks")
			active := ""
			if a := got.view.Active(); a != nil {
				active = a.Title
			}
			a := named(t, m, in("s1"), "Car part")
			if s := got.view.Session; active != c.active || s.Part != c.part || a.Status != c.status {
				t.Errorf("want active %q in part %d and status %s, got %q in %d and %s", c.active, c.part, c.status, active, s.Part, a.Status)
			}
			if filed := got.view.Turn[0]; (a.Messages == 4) != (c.status == state.Active) {
				t.Errorf("message %+v is filed wrongly: the affair counts %d", filed, a.Messages)
			}
		})
	}
}
