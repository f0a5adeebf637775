package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/transcript"
	"github.com/mneme-graph/mneme/state"
)

const (
	toRemember = "I ordered brake pads, order number 07-14244-53150.\n"
	suggests   = "MNEME_AUTONOMY=1" // every change of memory asks
)

// waiting makes a folder whose session s1 has a turn that waits for an answer.
func waiting(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	got := mneme(t, toRemember, []string{suggests}, "chat", "--dir", dir, "--session", "s1")
	if got.code != 0 || !strings.Contains(got.out, "Run memory_store?") || !strings.Contains(got.out, "mneme approve --session s1") {
		t.Fatalf("chat = %+v, want a question and how to answer it later", got)
	}
	return dir
}

// lines decodes output of one JSON object a line.
func lines[T any](t *testing.T, got result) []T {
	t.Helper()
	var all []T
	for line := range strings.Lines(got.out) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all = append(all, v)
	}
	if got.code != 0 {
		t.Fatalf("%+v, want status 0", got)
	}
	return all
}

func TestApprove(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		args  []string
		says  string // in the reply
		known string // then in memory
	}{
		{"all", nil, "Stored", "07-14244-53150"},
		{"one by a part of its id", []string{"--id", "call-1"}, "Stored", "07-14244-53150"},
		{"edited", []string{"--edit", `{"category":"fact","subject":"tea","content":"Tea with milk."}`}, "", "Tea with milk."},
		{"refused", []string{"--reject", "--reason", "not for ever"}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := waiting(t)
			session := []string{"--dir", dir, "--session", "s1"}
			got := mneme(t, "", nil, append(append([]string{"approve"}, session...), tt.args...)...) // the setting is not needed any more
			if got.code != 0 || got.out == "" || !strings.Contains(got.out, tt.says) {
				t.Fatalf("approve = %+v, want 0 and %q", got, tt.says)
			}
			if got = mneme(t, "", nil, append([]string{"approve"}, session...)...); got.code != 3 || !strings.Contains(got.err, "waits for no answer") {
				t.Errorf("approve once more = %+v, want 3", got)
			}
			o := opens(t, dir)
			records, err := o.Memory().Records(t.Context(), o.scope)
			must(t, errors.Join(err, o.Close()))
			if (len(records) > 0) != (tt.known != "") || len(records) > 0 && !strings.Contains(records[0].Content, tt.known) {
				t.Errorf("records %+v, want %q", records, tt.known)
			}
		})
	}
}

// opens opens the graph over a folder.
func opens(t *testing.T, dir string) *opened {
	t.Helper()
	con := &console{now: time.Now, flags: map[string]string{"dir": dir, "session": "s1"}}
	o, err := con.open(t.Context())
	must(t, err)
	return o
}

func TestApproveLists(t *testing.T) {
	t.Parallel()
	dir := waiting(t)
	got := mneme(t, "", nil, "approve", "--dir", dir, "--session", "s1", "--list")
	if got.code != 0 || !strings.Contains(got.out, "Run memory_store?") || !strings.Contains(got.out, "brake pads") {
		t.Errorf("approve --list = %+v, want the question", got)
	}
	asked := lines[questionLine](t, mneme(t, "", nil, "approve", "--dir", dir, "--session", "s1", "--list", "--json"))
	if len(asked) != 1 || asked[0].Tool != "memory_store" || asked[0].Node != "respond" || !strings.HasSuffix(asked[0].ID, "/call-1") {
		t.Errorf("questions %+v, want one of memory_store", asked)
	}
	got = mneme(t, "", []string{suggests}, "approve", "--dir", dir, "--session", "s1", "--json")
	replies := lines[replyLine](t, got)
	if len(replies) != 1 || replies[0].Session != "s1" || replies[0].Turn == "" || !strings.Contains(replies[0].Text, "Stored") || len(replies[0].Waits) != 0 {
		t.Errorf("approve --json = %+v, want one reply", replies)
	}
	got = mneme(t, "", []string{suggests}, "approve", "--dir", dir, "--session", "s1", "--id", asked[0].ID)
	if got.code != 0 || !strings.Contains(got.out, "Stored") {
		t.Errorf("the same answer once more = %+v, want what came of it", got)
	}
	if got = mneme(t, "", nil, "approve", "--dir", dir, "--session", "s1", "--list"); got.code != 0 || !strings.Contains(got.out, "waits for no answer") {
		t.Errorf("approve --list = %+v, want a sentence", got)
	}
}

// A turn of another program is left to it: the answer is only written down, and that program goes on with it.
func TestApproveRecord(t *testing.T) {
	t.Parallel()
	dir := waiting(t)
	run := func(environ []string, line string) result {
		return mneme(t, "", environ, append(strings.Fields(line), "--dir", dir, "--session", "s1")...)
	}
	beside := []string{"MNEME_MODEL=openai:gpt-4o-mini", "OPENAI_API_KEY=sk-x"}
	if got := run(beside, "approve"); got.code != 4 || !strings.Contains(got.err, "another program began") {
		t.Errorf("approve with another model = %+v, want 4 and that the turn is another's", got)
	}
	if got := run(beside, "approve --record"); got.code != 0 || got.out != "the answer is written down; the program that began the turn goes on with it\n" {
		t.Errorf("approve --record = %+v, want a sentence", got)
	}
	if got := run(beside, "approve --record --reject"); got.code == 0 {
		t.Errorf("another answer = %+v, want that it is refused", got)
	}
	if got := run(nil, "resume"); got.code != 0 || !strings.Contains(got.out, "Stored") {
		t.Errorf("resume by the program that began it = %+v, want the reply", got)
	}
	got := mneme(t, "", nil, "approve", "--record", "--json", "--dir", waiting(t), "--session", "s1")
	if replies := lines[replyLine](t, got); len(replies) != 1 || replies[0].Session != "s1" || replies[0].Text != "" || len(replies[0].Waits) != 0 {
		t.Errorf("approve --record --json = %+v, want one line without a reply", got)
	}
}

func TestSessionCommandsRefuse(t *testing.T) {
	t.Parallel()
	dir, empty := waiting(t), t.TempDir()
	tests := []struct {
		line string
		code int
		says string
	}{
		{"approve --id nothing", 3, "nothing"},
		{"approve --edit {", 2, "--edit"},
		{"approve --edit {}", 2, "does not fit"},
		{"approve --reason x", 2, "--reject"},
		{"approve --reject --edit {}", 2, "--edit"},
		{"approve --session s2", 3, "mneme resume"},
		{"resume --session a/b", 2, "session"},
		{"history --session s2", 3, "--session"},
		{"history --turn nothing", 3, "turn nothing"},
		{"history --limit=-1", 2, "Limit"},
		{"history --state 99", 3, "99"},
		{"history --session s2 --state 0", 3, "s2"},
		{"history --diff 1", 2, "11,12"},
		{"history --diff 1,99", 3, "99"},
		{"history --diff a,b", 2, "diff"},
		{"history --diff 1,2 --state 1", 2, "--state"},
		{"fork", 2, "--to"},
		{"fork --to a/b", 2, "--to"},
		{"fork --to s1", 3, "no finished turn"},
		{"fork --to s2 --turn nothing", 3, "turn nothing"},
		{"prune", 2, "--keep"},
		{"prune --keep 0", 2, "--all"},
		{"prune --keep 1 --all", 2, "--all"},
		{"prune --before soon", 2, "2026-02-15"},
		{"prune --session s2 --all", 3, "s2"},
	}
	for _, tt := range tests {
		args := append(strings.Fields(tt.line), "--dir", dir)
		if !strings.Contains(tt.line, "--session") {
			args = append(args, "--session", "s1")
		}
		got := mneme(t, "", nil, args...)
		if got.code != tt.code || got.out != "" || !strings.HasPrefix(got.err, "mneme: ") || !strings.Contains(got.err, tt.says) {
			t.Errorf("mneme %s = %+v, want %d and %q", tt.line, got, tt.code, tt.says)
		}
	}
	for _, line := range []string{"history", "resume", "resume --all", "approve", "fork --to x", "prune --all", "keys rotate"} {
		got := mneme(t, "", []string{"MNEME_ENCRYPTION_KEYS=" + key(t, "k1")}, append(strings.Fields(line), "--dir", empty)...)
		if got.code != 3 || !strings.Contains(got.err, "holds no store") {
			t.Errorf("mneme %s without a store = %+v, want 3", line, got)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	dir := waiting(t)
	history := func(args ...string) result {
		return mneme(t, "", nil, append([]string{"history", "--dir", dir, "--session", "s1"}, args...)...)
	}
	steps := lines[checkpointLine](t, history("--json"))
	for i, s := range steps {
		if s.Step != int64(len(steps)-i) || s.Parent != s.Step-1 || s.Turn != steps[0].Turn || s.Attempt == "" || s.Done || len(s.Next) == 0 || s.At.IsZero() {
			t.Errorf("step %+v, want them newest first and something to do after each", s)
		}
	}
	if len(steps) < 3 || len(steps[0].Waits) != 1 || steps[0].Next[0] != "respond" || steps[len(steps)-1].Source != "input" {
		t.Fatalf("steps %+v, want them to begin with input and end with a question", steps)
	}
	if got := history("--steps"); got.code != 0 || !strings.HasPrefix(got.out, "STEP") || !strings.Contains(got.out, "for 1") || strings.Count(got.out, "\n") != len(steps)+1 {
		t.Errorf("history = %+v, want a table", got)
	}
	if got := history(); !strings.Contains(got.out, ", waits for 1 answer\n") {
		t.Errorf("history = %+v, want that the turn waits", got)
	}
	if got := mneme(t, "y\nHello.\n", []string{suggests}, "chat", "--dir", dir, "--session", "s1"); got.code != 0 || !strings.Contains(got.out, "Stored") {
		t.Fatalf("chat = %+v", got)
	}
	for _, tt := range []struct {
		args []string
		want string // a line each
	}{
		{nil, `TIME \(CES?T\) +TURN +SAID +DECISION +STEPS
....-..-.. ..:..  [0-9a-f]{8}  Hello\. +CONTINUE.* +\d+
....-..-.. ..:..  [0-9a-f]{8}  I ordered brake pads, order number 07-14244-53150\. +NEW_AFFAIR “.*” +\d+
`},
		{[]string{"--limit", "1"}, `TIME .*
.* Hello\. .*
older turns: --limit 0 lists all
`},
		{[]string{"--turn", steps[0].Turn[:8]}, `TIME .*
.* I ordered brake pads.*
`},
	} {
		got := mneme(t, "", []string{"TZ=Europe/Prague"}, append([]string{"history", "--dir", dir, "--session", "s1"}, tt.args...)...)
		if got.code != 0 || !regexp.MustCompile("^"+tt.want+"$").MatchString(got.out) {
			t.Errorf("history %v = %+v, want\n%s", tt.args, got, tt.want)
		}
	}
	one := lines[checkpointLine](t, history("--json", "--turn", steps[0].Turn[:8]))
	if len(one) <= len(steps) || one[0].Turn != steps[0].Turn || !one[0].Done || len(one[0].Next) != 0 {
		t.Errorf("steps of one turn %+v, want its last one done", one)
	}
	if got := lines[checkpointLine](t, history("--json", "--limit", "2")); len(got) != 2 || got[0].Turn == steps[0].Turn {
		t.Errorf("two steps %+v, want those of the last turn", got)
	}
	testStates(t, history, int64(len(steps)))
}

// testStates looks at states of a session whose step number asked ended with a question.
func testStates(t *testing.T, history func(...string) result, asked int64) {
	t.Helper()
	docs := lines[struct {
		Step      int64
		Questions []questionLine
		State     map[string]any
	}](t, history("--json", "--state", "4"))
	if len(docs) != 1 || docs[0].Step != 4 || len(docs[0].Questions) != 1 || docs[0].State["decision"].(map[string]any)["type"] != "NEW_AFFAIR" {
		t.Errorf("state after step %d: %+v, want a question and a decision", asked, docs)
	}
	if got := history("--state", "0"); got.code != 0 || !strings.Contains(got.out, "\n  \"state\": {") {
		t.Errorf("last state = %+v, want JSON to be read", got)
	}
	changes := lines[struct {
		Field         string
		Before, After json.RawMessage
	}](t, history("--json", "--diff", "1,2"))
	if len(changes) == 0 || changes[0].Field != "decision" || string(changes[0].Before) != "null" || !strings.Contains(string(changes[0].After), "NEW_AFFAIR") {
		t.Errorf("difference %+v, want a decision where there was none", changes)
	}
	if got := history("--diff", "1,2"); got.code != 0 || !strings.HasPrefix(got.out, "decision\n- null\n+ {") {
		t.Errorf("difference = %+v", got)
	}
	if got := history("--diff", "2,2"); got.code != 0 || got.out != "no field differs\n" {
		t.Errorf("difference of a step with itself = %+v", got)
	}
}

func TestForkThenPrune(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := "I ordered brake pads, order number 07-14244-53150.\nMy university is the Unicorn University.\nWhen do the brake pads arrive?\n"
	if got := mneme(t, said, nil, "chat", "--dir", dir, "--session", "s1"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	run := func(line string) result { return mneme(t, "", nil, append(strings.Fields(line), "--dir", dir)...) }
	steps := lines[checkpointLine](t, run("history --session s1 --json"))
	first := steps[len(steps)-1].Turn
	if got := run("fork --session s1 --to s2 --turn " + first[:8] + " --json"); got.code != 0 || lines[forked](t, got)[0] != (forked{"s1", "s2", first}) {
		t.Errorf("fork = %+v", got)
	}
	if got := run("fork --session s1 --to s3"); got.code != 0 || got.out != "forked session s1 to s3\n" {
		t.Errorf("fork = %+v", got)
	}
	if got := run("fork --session s1 --to s2"); got.code != 4 {
		t.Errorf("fork to a session that is there = %+v, want 4", got)
	}
	for session, messages := range map[string]int{"s1": 6, "s2": 2, "s3": 6} {
		if got := lines[transcript.Transcript](t, run("export --session "+session)); len(got[0].Messages) < messages || session == "s2" && len(got[0].Messages) != messages {
			t.Errorf("session %s has %d messages, want %d", session, len(got[0].Messages), messages)
		}
	}
	if got := run("prune --session s1 --keep 1 --json"); got.code != 0 || lines[pruned](t, got)[0].Documents < 2 {
		t.Errorf("prune = %+v, want the steps of two turns deleted", got)
	}
	if left := lines[checkpointLine](t, run("history --session s1 --json")); left[len(left)-1].Turn == first {
		t.Error("the first turn is still in the log")
	}
	if got := run("prune --session s1 --before 2020-01-01"); got.code != 0 || !strings.HasPrefix(got.out, "deleted 0 documents") {
		t.Errorf("prune of what is older than everything = %+v", got)
	}
	if got := run("prune --session s1 --all"); got.code != 0 || !strings.Contains(got.out, "messages and what was learnt stay") {
		t.Errorf("prune --all = %+v", got)
	}
	if got := run("history --session s1"); got.code != 3 {
		t.Errorf("history of a deleted log = %+v, want 3", got)
	}
	if got := lines[transcript.Transcript](t, run("export --session s1")); len(got[0].Messages) < 6 {
		t.Error("messages went with the log")
	}
}

// cutOff makes a turn of session s1 that its process left unfinished: it ended while the model was asked. The model, which the
// environment that is returned names, answers from then on.
func cutOff(t *testing.T, environ []string, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then the server does not notice that nobody waits
		if ctx.Err() != nil {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"07-14244-53150 it is."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
			return
		}
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	environ = append([]string{"MNEME_MODEL=openai:gpt-4o-mini", "OPENAI_API_KEY=sk-x", "MNEME_BASE_URL=" + server.URL}, environ...)
	var out, errs bytes.Buffer
	args = append([]string{"chat", "--session", "s1", "--set", "on_cancel=resume"}, args...)
	run(ctx, args, environ, strings.NewReader("I ordered brake pads, order number 07-14244-53150.\n"), &out, &errs)
	if ctx.Err() == nil || out.Len() > 0 {
		t.Fatalf("chat was not cut off: %s%s", out.String(), errs.String())
	}
	return append(environ, "MNEME_SMALL_MODEL=none")
}

// A log with an unfinished turn is not deleted by accident, and the session goes on afterwards.
func TestPruneOfAnUnfinishedTurn(t *testing.T) {
	t.Parallel()
	dir := waiting(t)
	run := func(line string) result {
		return mneme(t, "hello\n", nil, append(strings.Fields(line), "--dir", dir, "--session", "s1")...)
	}
	if got := run("prune --all"); got.code != 4 || !strings.Contains(got.err, "mneme cancel") {
		t.Errorf("prune --all = %+v, want 4 and the ways out", got)
	}
	if got := run("prune --keep 1 --force"); got.code != 2 {
		t.Errorf("prune --keep --force = %+v, want 2", got)
	}
	if got := run("prune --all --force"); got.code != 0 {
		t.Errorf("prune --all --force = %+v", got)
	}
	for range 2 {
		if got := run("chat"); got.code != 0 || got.out == "" {
			t.Errorf("chat = %+v", got)
		}
	}
	if got := lines[transcript.Transcript](t, run("export")); len(got[0].Messages) != 5 {
		t.Errorf("export = %+v, want the messages of three turns", got)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	t.Run("a turn that waits", func(t *testing.T) {
		t.Parallel()
		dir := waiting(t)
		run := func(line string) result {
			return mneme(t, "", nil, append(strings.Fields(line), "--dir", dir, "--session", "s1")...)
		}
		if got := run("cancel"); got.code != 0 || !strings.Contains(got.out, "ended the turn of session s1") {
			t.Errorf("cancel = %+v", got)
		}
		if got := run("cancel"); got.code != 0 || !strings.Contains(got.out, "no unfinished turn") {
			t.Errorf("cancel once more = %+v, want 0 and a sentence", got)
		}
	})
	t.Run("a turn that was cut off", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		cutOff(t, nil, "--dir", dir)
		got := lines[replyLine](t, mneme(t, "", nil, "cancel", "--dir", dir, "--session", "s1", "--json"))
		if len(got) != 1 || got[0].Turn == "" || got[0].Text != "" {
			t.Errorf("cancel --json = %+v", got)
		}
	})
}

func TestResume(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var environ []string
	run := func(line string) result { return mneme(t, "", environ, append(strings.Fields(line), "--dir", dir)...) }
	same := cutOff(t, nil, "--dir", dir)
	if got := run("resume --session s1"); got.code != 4 || !strings.Contains(got.err, "the model openai:gpt-4o-mini (here: Offline)") {
		t.Errorf("resume with another model = %+v, want 4 and what differs", got)
	}
	if got := mneme(t, "Hello.\n", nil, "chat", "--session", "s1", "--dir", dir); got.code != 4 || got.out != "" || !strings.Contains(got.err, "another program began") {
		t.Errorf("chat with another model = %+v, want 4 and what differs", got)
	}
	environ = same
	if got := run("doctor"); got.code != 0 || !strings.Contains(got.out, "1 unfinished: 1 cut off") {
		t.Errorf("doctor = %+v, want the turn counted", got)
	}
	got := run("resume --session s1")
	if got.code != 0 || !strings.Contains(got.out, "07-14244-53150") {
		t.Errorf("resume = %+v, want the reply", got)
	}
	if got = run("resume --session s1"); got.code != 0 || !strings.Contains(got.out, "session s1 has no unfinished turn") {
		t.Errorf("resume once more = %+v, want 0 and a sentence", got)
	}
	if got := lines[replyLine](t, run("resume --session s1 --json")); len(got) != 1 || got[0].Turn != "" {
		t.Errorf("resume once more = %+v, want a reply of no turn", got)
	}
	if got = run("resume --all"); got.code != 0 || !strings.HasPrefix(got.out, "no unfinished turns") {
		t.Errorf("resume --all = %+v, want a sentence", got)
	}
	environ = cutOff(t, nil, "--dir", dir)
	if got := mneme(t, toRemember, []string{suggests}, "chat", "--dir", dir, "--session", "s2"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	outcomes := map[string]string{}
	for _, l := range lines[sweptLine](t, run("resume --all --json")) {
		outcomes[l.Thread] = l.Outcome
	}
	if len(outcomes) != 2 || outcomes["default/s1"] != "finished" || outcomes["default/s2"] != "waits" {
		t.Errorf("resume --all = %v, want s1 finished and s2 to wait", outcomes)
	}
	environ = nil
	if got = run("resume --all"); got.code != 0 || !strings.Contains(got.out, "waits    default/s2") {
		t.Errorf("resume --all = %+v, want a table", got)
	}
	if got = run("resume --session s2"); got.code != 0 || !strings.Contains(got.out, "Run memory_store?") {
		t.Errorf("resume of a turn that waits = %+v, want its question", got)
	}
}

func TestChatAsks(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, said, out, err string }{
		{"yes", toRemember + "y\n", "Stored", ""},
		{"without a line end", toRemember + "yes", "Stored", ""},
		{"no", toRemember + "n not for ever\n", "", ""},
		{"edited", toRemember + `e {"category":"fact","subject":"tea","content":"Tea with milk."}` + "\n", "Stored", ""},
		{"what is no answer is asked again", toRemember + "e {\ny\n", "Stored", "no JSON"},
		{"anything else is the next message", toRemember + "What time is it?\n", "Would like to remember: order number", ""},
		{"put off", toRemember + "l\n", "Would like to remember: order number", ""},
		{"what does not fit is asked again", toRemember + "e {}\ny\n", "Stored", "does not fit"},
		{"later", toRemember + "/quit\n", "goes on waiting", ""},
		{"the end", toRemember, "goes on waiting", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got := mneme(t, tt.said, []string{suggests}, "chat", "--dir", dir)
			if got.code != 0 || !strings.Contains(got.out, "The turn waits for an answer:") || !strings.Contains(got.out, tt.out) || !strings.Contains(got.err, tt.err) {
				t.Errorf("chat = %+v, want %q and on stderr %q", got, tt.out, tt.err)
			}
			later := strings.Contains(got.out, "goes on waiting")
			got = mneme(t, "n\nHello.\n", nil, "chat", "--dir", dir)
			if got.code != 0 || strings.HasPrefix(got.out, "The turn waits") != later || strings.Contains(got.out, "Stored") {
				t.Errorf("the next chat = %+v, want the question first: %v, and nothing stored", got, later)
			}
		})
	}
}

func FuzzAnswer(f *testing.F) {
	for _, line := range []string{"y", "Yes", "n", "no because", "e {}", "edit [1]", "e {", "", "y please"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		a, err := parseAnswer(line)
		if (err == nil) == (a.Choice == "") || err != nil && !errors.Is(err, state.ErrInvalid) {
			t.Errorf("parseAnswer(%q) = %+v, %v", line, a, err)
		}
		if a.Choice == state.Edit && !json.Valid([]byte(a.Value)) {
			t.Errorf("parseAnswer(%q) lets %q through", line, a.Value)
		}
	})
}

func FuzzTime(f *testing.F) {
	for _, text := range []string{"2026-02-15", "2026-02-15T21:00:00Z", "2026-02-15T21:00:00.5+01:00", "soon", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if at, err := parseTime(text); err != nil && (!errors.Is(err, state.ErrInvalid) || !at.IsZero()) {
			t.Errorf("parseTime(%q) = %v, %v", text, at, err)
		}
	})
}
