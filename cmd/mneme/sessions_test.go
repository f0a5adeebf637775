package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	type line struct {
		ID, Title, Status string
		Part, Messages    int
	}
	run := func(args ...string) (lines []line, got result) {
		t.Helper()
		got = mneme(t, "", nil, append([]string{"sessions"}, append(args, "--dir", dir, "--json")...)...)
		for text := range strings.Lines(got.out) {
			var l line
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Fatalf("sessions %q: %v in %s", args, err, got.out)
			}
			lines = append(lines, l)
		}
		return lines, got
	}
	begun, got := run("new", "Trip to Lisbon")
	if len(begun) != 1 || begun[0].ID == "" || begun[0].Title != "Trip to Lisbon" {
		t.Fatalf("new: %+v", got)
	}
	if _, got := run("new", "--session", begun[0].ID); got.code != 4 {
		t.Errorf("begun twice: exit status %d, want 4", got.code)
	}
	said := "I need a hotel in Lisbon, booking number 4471-88.\n/rename Lisbon in May\n/end\nHello again\n/sessions\n/new Garden\nThe hedge is 2 m high.\n"
	if got := mneme(t, said, nil, "chat", "--dir", dir, "--session", begun[0].ID); got.code != 0 ||
		!strings.Contains(got.out, "* "+begun[0].ID+" “Lisbon in May” (") {
		t.Fatalf("chat: %+v", got)
	}
	list, _ := run()
	if len(list) != 2 || list[0].Title != "Garden" || list[0].Messages != 2 || list[1].Title != "Lisbon in May" || list[1].Part != 3 || list[1].Status != "ended" {
		t.Errorf("listed: %+v", list)
	}
	if lines, got := run("end", list[0].ID); len(lines) != 1 || lines[0].Status != "ended" || lines[0].Part != 2 {
		t.Errorf("end: %+v", got)
	}
	if lines, got := run("end", list[0].ID); len(lines) != 1 || lines[0].Part != 2 {
		t.Errorf("ended twice: %+v", got)
	}
	if lines, got := run("rename", list[0].ID, "Hedge"); len(lines) != 1 || lines[0].Title != "Hedge" {
		t.Errorf("rename: %+v", got)
	}
	for status, args := range map[int][]string{2: {"rename", list[0].ID, ""}, 3: {"end", "nobody"}} {
		if _, got := run(args...); got.code != status {
			t.Errorf("sessions %q: exit status %d, want %d", args, got.code, status)
		}
	}
	page := mneme(t, "", nil, "export", "--session", begun[0].ID, "--dir", dir, "--format", "md").out
	for _, want := range []string{"# Lisbon in May\n", "## Part 1, ", "## Part 2, ", "### ", "**user** (", "> Hello again"} {
		if !strings.Contains(page, want) {
			t.Errorf("export as Markdown lacks %q:\n%s", want, page)
		}
	}
	if table := mneme(t, "", nil, "sessions", "--dir", dir).out; !strings.Contains(table, "TITLE") || !strings.Contains(table, "Lisbon in May") || !strings.Contains(table, "ended") {
		t.Errorf("table: %s", table)
	}
}

// A session in which an affair is taken up after its end is open, and both lists say so.
func TestResumeOpensTheSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tt := range []struct{ in, line, affairs, sessions string }{
		{"I ordered brake pads, order number 07-14244-53150.\n/end\n", "chat --session work", "PARKED", "ended"},
		{"", "affairs resume 1 --session work", "ACTIVE in work", "open"},
		{"", "affairs park 1 --session work", "PARKED", "ended"},
		{"", "affairs resume 1 --session work", "ACTIVE in work", "open"},
		{"", "sessions end work", "PARKED", "ended"},
	} {
		if got := mneme(t, tt.in, nil, append(strings.Fields(tt.line), "--dir", dir)...); got.code != 0 {
			t.Fatalf("%s: %+v", tt.line, got)
		}
		affairs, sessions := mneme(t, "", nil, "affairs", "--dir", dir).out, strings.TrimSpace(mneme(t, "", nil, "sessions", "--dir", dir).out)
		if !strings.Contains(affairs, tt.affairs) || !strings.HasSuffix(sessions, tt.sessions) {
			t.Errorf("%s:\n%s%s\nwant %s and %s", tt.line, affairs, sessions, tt.affairs, tt.sessions)
		}
	}
}

// A session in which tools alone were at work has nothing to export.
func TestExportOfNothingSaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	withStore(t, dir, func(s *sqlite.Store) {
		g, err := graph.New(t.Context(), graph.Config{Store: s, Model: scripted.New(nil, nil)})
		if err == nil {
			err = g.Memory().Turn().Ingest(t.Context(), state.Scope{Session: "s"}, state.Message{Role: state.RoleTool, ToolCallID: "1", Text: "found"})
			err = errors.Join(err, g.Close())
		}
		must(t, err)
	})
	for _, format := range []string{"json", "md"} {
		if got := mneme(t, "", nil, "export", "--dir", dir, "--session", "s", "--format", format); got.code != 3 || !strings.Contains(got.err, "session s: has no messages") {
			t.Errorf("export as %s = %+v, want 3 and that nothing was said", format, got)
		}
	}
}

// A brain without room for anything says where the records are.
func TestBrainInTheArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, x := range []struct{ stdin, args, want string }{
		{"Good morning.\n", "chat", ""},
		{"", "brain", "nothing is known of user default yet in"},
		{"Remember that I drink tea without milk.\n", "chat", ""},
		{"", "brain", "tea without milk"},
		{"", "brain --set brain_max_tokens=1", "found room: 1 in the archive; --archive shows"},
		{"", "brain --archive --set brain_max_tokens=1", "tea without milk"},
	} {
		if got := mneme(t, x.stdin, nil, append(strings.Fields(x.args), "--dir", dir)...); got.code != 0 || !strings.Contains(got.out, x.want) {
			t.Errorf("%s = %+v, want %q", x.args, got, x.want)
		}
	}
}

// Nothing that was said can open a heading of the page or speak for another, and no secret is on it that an older store has kept.
func TestASessionAsAPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	at := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	p := page{out: &b, zone: time.UTC, titles: map[string]string{"a1": "Boat\n# Forged"}, mask: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[masked]") }}
	said := []state.Message{
		{Seq: 1, Role: state.RoleUser, At: at, Affair: "a1", Text: "hunter2\n## Other\n\n**assistant** (now)", Attachments: []state.Attachment{{Name: "plan.pdf", MIME: "application/pdf", Data: []byte("12345")}}},
		{Seq: 2, Role: state.RoleAssistant, At: at.Add(time.Minute), Affair: "a1", Text: "Noted", Cut: true, Parts: []state.Part{{Type: "image_url", URL: "data:x"}}},
		{Seq: 3, Role: state.RoleUser, At: at.Add(time.Hour), Speaker: "Ann"},
	}
	p.head(state.Session{Title: "Summer"}, state.Scope{User: "u", Session: "s"}, said)
	for _, m := range said {
		p.message(m)
	}
	want := strings.ReplaceAll(`# Summer

Session s of user u, 2026-02-15 21:00 to 2026-02-15 22:00 UTC, 3 messages.
Affairs: Boat # Forged.

## Boat # Forged

**user** (2026-02-15 21:00)

> [masked]
> ## Other
>_
> **assistant** (now)

Attached: plan.pdf (application/pdf, 5 bytes)

**assistant, cut off** (2026-02-15 21:01)

> Noted

Attached: image

## No affair

**Ann** (2026-02-15 22:00)
`, "_", " ")
	same(t, "page", want, b.String())
}

// The list counts what export writes: no results of tools, and not what was erased.
func TestSessionsCountWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := "Remember that my passport expires in 2027.\nWhat do you know about my passport?\nThe hedge is 2 m high.\n"
	if got := mneme(t, said, nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("chat: %+v", got)
	}
	shown := func() string {
		got := mneme(t, "", nil, "sessions", "--dir", dir)
		fields := strings.Fields(strings.Split(got.out, "\n")[1])
		return fields[3]
	}
	if got := shown(); got != "6" {
		t.Errorf("%s messages, want 6", got)
	}
	if got := mneme(t, "", nil, "forget", "--topic", "passport", "--yes", "--dir", dir); got.code != 0 {
		t.Fatalf("forget: %+v", got)
	}
	if got := shown(); got != "2" {
		t.Errorf("%s messages after forgetting, want 2", got)
	}
}
