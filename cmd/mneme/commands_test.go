package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/e2e"
	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/state"
)

func TestDemoInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, language := range e2e.Languages() {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			got := mneme(t, "", nil, "demo", "--lang", language)
			if got.code != 0 || strings.Contains(got.out, "FAILED") {
				t.Errorf("exit status %d, stderr %q, output:\n%s", got.code, got.err, got.out)
			}
			for _, part := range []string{"1/5", "5/5", "decision", "active", "parked", "tools", "reply", "context", "tokens", "time", "AD_HOC",
				"parked: nothing", "the process was killed", "(mneme explain)", "because ", "no model asked", "(mneme audit undo)", "(mneme forget --topic)", "left of it  nothing",
				"mneme demo --dir", "all as expected"} {
				if !strings.Contains(got.out, part) {
					t.Errorf("output does not show %q", part)
				}
			}
			if strings.Contains(got.out, "$ mneme") || strings.Contains(got.out, "model call") {
				t.Errorf("a command that cannot be followed, or a model where there is none:\n%s", got.out)
			}
			if strings.Contains(got.out, "\x1b[") {
				t.Error("output is coloured though it is no terminal")
			}
			for line := range strings.Lines(got.out) {
				if title := regexp.MustCompile(`[“„«]([^”“»]+)[”“»]`).FindStringSubmatch(line); title != nil && strings.Count(line, title[1]) > 1 {
					t.Errorf("the title stands twice in %s", line)
				}
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 100 && !strings.Contains(line, "://") {
					t.Errorf("line of %d characters: %s", n, line)
				}
			}
		})
	}
}

// What is configured is none of the demo's, nor of the process that it kills.
func TestDemoIsItsOwn(t *testing.T) {
	t.Setenv("MNEME_FOO", "1") // that process has the variables of this one
	t.Setenv("MNEME_MILVUS_ADDR", "nowhere")
	if got := mneme(t, "", os.Environ(), "demo"); got.code != 0 {
		t.Errorf("demo = %+v, want 0", got)
	}
}

func TestDemoKeepsItsStoreAndRunsAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		got := mneme(t, "", nil, "demo", "--dir", dir, "--json")
		if got.code != 0 || strings.Count(got.out, "\n") != 5 {
			t.Fatalf("exit status %d, stderr %q, want 0 and five lines:\n%s", got.code, got.err, got.out)
		}
		for line := range strings.Lines(got.out) {
			var turn struct {
				Decision state.Decision
				Failures []scenario.Failure
			}
			if err := json.Unmarshal([]byte(line), &turn); err != nil || turn.Decision.Kind == "" || len(turn.Failures) > 0 {
				t.Errorf("line %s: %v, want a decision and no failure", line, err)
			}
		}
	}

	// What it says to type can be typed.
	got := mneme(t, "", nil, "demo", "--dir", dir)
	said := regexp.MustCompile(`\$ mneme (explain \S+ --dir \S+ --user \S+)`).FindStringSubmatch(got.out)
	if said == nil || strings.Contains(got.out, "To try these") {
		t.Fatalf("demo = %+v, want a command to explain", got)
	}
	if again := mneme(t, "", nil, strings.Fields(said[1])...); again.code != 0 || !strings.Contains(again.out, "decided  AD_HOC") {
		t.Errorf("mneme %s = %+v", said[1], again)
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "good.yaml"), "name: good\nturns: [{user: Hello, model: [{say: Hi.}], expect: {reply_contains: [Hi.]}}]\n")
	write(t, filepath.Join(dir, "bad.yml"), "name: bad\nturns: [{user: Hello, model: [{say: Hi.}], expect: {reply_contains: [Bye], affairs: 7}}]\n")
	write(t, filepath.Join(dir, "notes.txt"), "no scenario")
	got := mneme(t, "", nil, "replay", dir)
	want := regexp.MustCompile(`^FAIL  .*bad\.yml: bad \(1 turns, \d+ ms\)\n {6}turn 1: affairs: want 7, got 0\n` +
		`ok    .*good\.yaml: good \(1 turns, \d+ ms\)\n1 of 2 scenarios as expected\n$`)
	if got.code != 1 || got.err != "" || !want.MatchString(got.out) {
		t.Errorf("exit status %d, stderr %q, output:\n%s\nwant 1 and\n%s", got.code, got.err, got.out, want)
	}
	got = mneme(t, "", nil, "replay", "--json", filepath.Join(dir, "bad.yml"))
	var line struct {
		File, Name string
		OK         bool
		Turns      int
		Failures   []scenario.Failure
		MS         *int
	}
	if err := json.Unmarshal([]byte(got.out), &line); err != nil || got.code != 1 {
		t.Fatalf("exit status %d, output %q: %v", got.code, got.out, err)
	}
	if line.OK || line.Name != "bad" || line.Turns != 1 || len(line.Failures) != 2 || line.Failures[0].Turn != 1 || line.MS == nil {
		t.Errorf("result %+v, want two failures of turn 1", line)
	}
}

// The reference that replay prints can be played.
func TestReplayFormat(t *testing.T) {
	t.Parallel()
	got := mneme(t, "", nil, "replay", "--format")
	if got.code != 0 || got.out != scenario.Format() {
		t.Fatalf("replay --format = %d, %q, want the reference", got.code, got.err)
	}
	file := filepath.Join(t.TempDir(), "all.yaml")
	write(t, file, got.out)
	if got = mneme(t, "", nil, "replay", file); got.code != 0 || !strings.Contains(got.out, "4 of 4 scenarios as expected") {
		t.Errorf("replay of it = %+v, want 0", got)
	}
	if got = mneme(t, "", nil, "replay"); got.code != 2 || !strings.Contains(got.err, "--format") {
		t.Errorf("replay of nothing = %+v, want 2 and the way out", got)
	}
}

// What cannot be played is reported, and the rest is played all the same.
func TestReplayGoesOnAfterABrokenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.yaml"), "turns: [{usr: Hello}]\n")
	write(t, filepath.Join(dir, "b.yaml"), "a: "+strings.Repeat("[", 80_000)+strings.Repeat("]", 80_000))
	write(t, filepath.Join(dir, "c.yaml"), "name: good\nturns: [{user: Hello, model: [{say: Hi.}], expect: {reply_contains: [Hi.]}}]\n")
	write(t, filepath.Join(dir, "d.yaml"), "name: no turn\nsettings: {max_tokens: 30000, context_window: 20000}\nturns: [{user: Hello}]\n")
	write(t, filepath.Join(dir, "e.yaml"), "name: last\nturns: [{user: Hello, model: [{say: Hi.}], expect: {reply_contains: [Hi.]}}]\n")
	must(t, os.Mkdir(filepath.Join(dir, "f.yaml.d"), 0o700))
	got := mneme(t, "", nil, "replay", dir)
	if got.code != 2 || !strings.Contains(got.out, "2 of 2 scenarios as expected, 3 could not be played") {
		t.Errorf("replay = %+v, want 2 and both good ones played", got)
	}
	for _, part := range []string{"a.yaml:1:10: a turn has no key", "b.yaml:1: is nested more than 64 deep", "scenario no turn"} {
		if !strings.Contains(got.err, part) {
			t.Errorf("stderr %q does not say %q", got.err, part)
		}
	}
	got = mneme(t, "", nil, "replay", "--json", dir)
	if strings.Count(got.out, "\n") != 2 || strings.Count(got.err, `{"error":{"code":"invalid"`) != 3 || got.code != 2 {
		t.Errorf("replay --json = %+v, want two results and three errors", got)
	}
}

// Ctrl-C ends a replay with a clear state, and with the sum of what was played.
func TestReplayInterrupted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.yaml")
	write(t, file, "turns: [{user: Hello}]\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"replay", file}, nil, strings.NewReader(""), &out, &errs)
	if code != 5 || !strings.HasPrefix(errs.String(), "mneme: interrupted: what was finished is kept") || !strings.Contains(out.String(), "0 of 0") {
		t.Errorf("replay = %d, %q, %q, want 5 and interrupted", code, out.String(), errs.String())
	}
}

// What ends well counts, also when the interrupt comes just then; what it may have spoiled does not.
func TestReplayInterruptedAtTheEnd(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.yaml")
	write(t, file, "turns: [{user: Hello}]\n")
	for name, c := range map[string]struct {
		result scenario.Result
		err    error
		played int
		want   error
	}{
		"well":   {result: scenario.Result{OK: true}, played: 1},
		"spoilt": {result: scenario.Result{Failures: []scenario.Failure{{}}}, want: context.Canceled},
		"failed": {err: state.ErrInvalid, want: state.ErrInvalid},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r := &replayed{con: &console{out: io.Discard, err: io.Discard}}
		err := r.file(ctx, file, func(scenario.Scenario) (scenario.Result, error) { cancel(); return c.result, c.err })
		if !errors.Is(err, c.want) || r.played != c.played || r.good != c.played {
			t.Errorf("%s: %v, %d of %d, want %v, %d", name, err, r.good, r.played, c.want, c.played)
		}
	}
}

// failsOnce is an output of which the first write fails.
type failsOnce struct{ failed bool }

func (f *failsOnce) Write(p []byte) (int, error) {
	if !f.failed {
		f.failed = true
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

// A line that could not be written fails the command, also when those after it could.
func TestDemoOnAFullDisk(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	if code := run(t.Context(), []string{"demo", "--json"}, nil, strings.NewReader(""), &failsOnce{}, &errs); code == 0 || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("demo = %d, %q, want what the output failed with", code, errs.String())
	}
}

// The flags of a conversation go with each of its messages.
func TestChatBrings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := mneme(t, "Good morning.\n", nil, "chat", "--dir", dir, "--tone", "concise", "--preference-scope", "global")
	if got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	got = mneme(t, "I ordered brake pads for the Jeep.\n", nil, "chat", "--dir", dir, "--session", "s2", "--no-store-knowledge")
	if got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	if got = mneme(t, "", nil, "recall", "tone", "--dir", dir, "--session", "s3"); !strings.Contains(got.out, "concise") {
		t.Errorf("recall = %+v, want the global preference", got)
	}
	if got = mneme(t, "", nil, "recall", "brake pads", "--dir", dir, "--session", "s3"); strings.Contains(got.out, "Jeep") {
		t.Errorf("recall = %+v, want nothing of what was not to be stored", got)
	}
	if got = mneme(t, "", nil, "affairs", "--dir", dir); !strings.Contains(got.out, "no affairs") {
		t.Errorf("affairs = %+v, want none", got)
	}
	if got = mneme(t, "Hi.\n", nil, "chat", "--dir", dir, "--tone", "loud"); got.code != 2 || !strings.Contains(got.err, "neutral") {
		t.Errorf("chat with an unknown tone = %+v, want status 2 and the tones", got)
	}
}

// What is shared is written by whom the host lets alone, and found by every user of the client.
func TestShare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	share := func(environ []string, args ...string) result {
		return mneme(t, "", environ, append([]string{"share", "--dir", dir, "--client", "acme"}, args...)...)
	}
	const text = "Call 02-11-900 at night."
	if got := share(nil, "--user", "anna", text); got.code != 1 || !strings.Contains(got.err, "user anna may not") {
		t.Errorf("share = %+v, want that it is denied", got)
	}
	may := []string{"MNEME_SHARE_USERS=anna,carl"}
	if got := share(may, "--user", "bob", text); got.code != 1 {
		t.Errorf("share = %+v, want that it is denied", got)
	}
	if got := share(may, "--user", "anna", "--subject", "emergency line", text); got.code != 0 || !strings.Contains(got.out, "stored fact") {
		t.Errorf("share = %+v", got)
	}
	if got := share(nil, "--user", "bob"); !strings.Contains(got.out, "02-11-900") || !strings.Contains(got.out, "anna") {
		t.Errorf("list = %+v", got)
	}
	if got := mneme(t, "", nil, "recall", "emergency line", "--dir", dir, "--client", "acme", "--user", "bob"); !strings.Contains(got.out, "02-11-900") {
		t.Errorf("recall = %+v, want what is shared", got)
	}
	if got := mneme(t, "", nil, "recall", "emergency line", "--dir", dir, "--client", "other"); strings.Contains(got.out, "02-11-900") {
		t.Errorf("recall of another client = %+v", got)
	}
	if got := share(may, "--user", "$client", text); got.code != 2 {
		t.Errorf("share as the reserved user = %+v, want status 2", got)
	}
}

// Everything of an affair comes in one call, as one object or as a document.
func TestAffairsShowAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := mneme(t, "I ordered brake pads for the Jeep, order number 07-14244-53150.\n", nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	got := mneme(t, "", nil, "affairs", "show", "brake pads", "--all", "--json", "--dir", dir)
	var whole struct {
		Affair   struct{ Title string }
		Records  []struct{ Content string }
		Messages []struct{ Session, Text string }
		LeftOut  map[string]int `json:"left_out"`
	}
	if err := json.Unmarshal([]byte(got.out), &whole); err != nil || len(whole.Messages) < 2 || whole.Messages[0].Session != "default" || whole.LeftOut["messages"] != 0 {
		t.Errorf("show --all --json = %+v (%v), want the messages with their session", got, err)
	}
	got = mneme(t, "", nil, "affairs", "show", "brake pads", "--all", "--limit", "1", "--dir", dir)
	if !strings.Contains(got.out, "  left out    1 message and 0 records; --limit") || !strings.Contains(got.out, "  said        ") {
		t.Errorf("show --all = %+v, want one message, and what is left out", got)
	}

	// All of it begins as the short form does, and goes on.
	short := mneme(t, "", nil, "affairs", "show", "brake pads", "--dir", dir)
	head, _, _ := strings.Cut(short.out, "  linked")
	if got = mneme(t, "", nil, "affairs", "show", "brake pads", "--all", "--dir", dir); head == short.out || !strings.HasPrefix(got.out, head) {
		t.Errorf("show --all = %s\nwant it to begin with\n%s", got.out, head)
	}
	if strings.Contains(got.out, "topic:") || !strings.Contains(got.out, "  topics      ") {
		t.Errorf("show --all = %s, want topics as they were said", got.out)
	}
}

// A recorded conversation is played in another store, without the model; doctor says what is recorded, and writes nothing.
func TestChatRecorded(t *testing.T) {
	t.Parallel()
	tape := filepath.Join(t.TempDir(), "tape.jsonl")
	if got := mneme(t, "", []string{"MNEME_RECORD=" + tape}, "doctor", "--dir", t.TempDir()); !strings.Contains(got.out, "offline; recorded in") || !strings.Contains(got.out, filepath.Base(tape)) {
		t.Errorf("doctor = %+v", got)
	}
	if _, err := os.Stat(tape); err == nil {
		t.Error("doctor began a tape")
	}
	said := "I ordered new tyres for the van, order number TY-4411.\nWhat did I order?\n"
	recorded := mneme(t, said, nil, "chat", "--dir", t.TempDir(), "--record", tape)
	played := mneme(t, said, []string{"MNEME_MODEL=cassette:" + tape, "MNEME_SMALL_MODEL=none"}, "chat", "--dir", t.TempDir())
	if recorded.code != 0 || played.code != 0 || recorded.out != played.out {
		t.Errorf("recorded %+v, played %+v", recorded, played)
	}
	other := mneme(t, "Hello.\n", []string{"MNEME_MODEL=cassette:" + tape, "MNEME_SMALL_MODEL=none"}, "chat", "--dir", t.TempDir())
	if !strings.Contains(other.out+other.err, "does not hold this request") {
		t.Errorf("another conversation = %+v", other)
	}
}

func TestChatThenAffairsThenExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := "I ordered new tyres for the van, order number TY-4411.\n/affairs\n/why\n/nonsense\n/quit\nnever read\n"
	got := mneme(t, said, nil, "chat", "--dir", dir, "--session", "s1", "--trace")
	if got.code != 0 || !strings.Contains(got.out, "ACTIVE") || !strings.Contains(got.out, "NEW_AFFAIR") || strings.Count(got.out, "\ncost  ") != 1 {
		t.Fatalf("chat: exit status %d, output:\n%s", got.code, got.out)
	}
	if !strings.Contains(got.err, "/nonsense") || !strings.Contains(got.err, "/help lists the commands") {
		t.Errorf("chat: stderr %q does not explain the unknown command", got.err)
	}
	got = mneme(t, "", nil, "affairs", "--dir", dir, "--session", "s1", "--json")
	var a state.Affair
	if err := json.Unmarshal([]byte(got.out), &struct {
		ID     *string
		Status *state.Status
	}{&a.ID, &a.Status}); err != nil || a.Status != state.Active {
		t.Fatalf("affairs: %v, output %q, want one active affair", err, got.out)
	}
	for _, step := range []struct {
		args   []string
		status string
	}{
		{[]string{"show"}, "ACTIVE"}, {[]string{"park"}, "is parked. Undo: mneme audit undo "}, {[]string{"resume"}, "is active in session s1. Undo: "},
		{[]string{"resolve"}, "is resolved. Undo: "}, {[]string{"archive"}, "is archived. Undo: "},
	} {
		got = mneme(t, "", nil, append(append([]string{"affairs"}, step.args...), a.ID, "--dir", dir, "--session", "s1")...)
		if got.code != 0 || !strings.Contains(got.out, step.status) {
			t.Errorf("affairs %v: exit status %d, stderr %q, output %q, want %s", step.args, got.code, got.err, got.out, step.status)
		}
	}
	testExport(t, dir)
}

func testExport(t *testing.T, dir string) {
	t.Helper()
	got := mneme(t, "", nil, "export", "--session", "s1", "--dir", dir)
	var session map[string]any
	if err := json.Unmarshal([]byte(got.out), &session); err != nil || got.code != 0 {
		t.Fatalf("export: exit status %d, %v, output %q", got.code, err, got.out)
	}
	messages, _ := session["messages"].([]any)
	if len(session) != 2 || session["session"] != "s1" || len(messages) != 2 {
		t.Fatalf("export: %q, want session s1 with two messages and nothing else", got.out)
	}
	first, _ := messages[0].(map[string]any)
	if len(first) != 5 || first["role"] != "user" || !strings.Contains(first["text"].(string), "TY-4411") {
		t.Errorf("export: first message %v, want id, role, text, at, affair", first)
	}
	if got = mneme(t, "", nil, "export", "--session", "s1", "--dir", dir, "--format", "md"); !strings.HasPrefix(got.out, "# Session s1\n") {
		t.Errorf("export --format md: %q, want a document", got.out)
	}
	file := filepath.Join(t.TempDir(), "s1.yaml")
	got = mneme(t, "", nil, "export", "--session", "s1", "--dir", dir, "--format", "scenario")
	must(t, os.WriteFile(file, []byte(got.out), 0o600))
	if played := mneme(t, "", nil, "replay", file); played.code != 0 || !strings.Contains(got.out, "decision: NEW_AFFAIR") {
		t.Errorf("export --format scenario: %q is played as %+v", got.out, played)
	}
	if got = mneme(t, "", nil, "export", "--session", "nobody", "--dir", dir); got.code != 3 {
		t.Errorf("export of an unknown session: exit status %d, want 3", got.code)
	}
}

func TestAffairsOfNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := mneme(t, "Hello!", nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	if got := mneme(t, "", nil, "affairs", "--dir", dir, "--user", "nobody"); got.code != 0 || !strings.Contains(got.out, "no affairs of user nobody") {
		t.Errorf("affairs = %+v, want status 0 and a sentence", got)
	}
	if got := mneme(t, "", nil, "affairs", "show", "nothing", "--dir", dir); got.code != 3 {
		t.Errorf("affairs show = %+v, want status 3", got)
	}
}

// Who only looks makes no folder and no store.
func TestReadingMakesNothing(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"affairs", "affairs --json", "affairs show x", "affairs park x", "export", "export --format md", "history", "recall x", "resume", "approve",
		"prune --all", "fork --to s2", "reindex --embedder hashed",
	} {
		for _, there := range []bool{false, true} {
			dir := t.TempDir()
			if !there {
				dir = filepath.Join(dir, "nowhere")
			}
			got := mneme(t, "", nil, append(strings.Split(args, " "), "--dir", dir)...)
			if got.code != 3 || got.out != "" || !strings.Contains(got.err, dir) || !strings.Contains(got.err, "--dir") {
				t.Errorf("mneme %s = %+v, want 3 and the folder named", args, got)
			}
			if made, _ := filepath.Glob(dir + "/*"); len(made) > 0 {
				t.Errorf("mneme %s made %v", args, made)
			}
			if _, err := os.Stat(dir); there != (err == nil) {
				t.Errorf("mneme %s: folder there = %v before, then %v", args, there, err)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "nowhere")
	if got := mneme(t, "", nil, "doctor", "--dir", dir); got.code != 0 || !strings.Contains(got.out, "first turn makes it") {
		t.Errorf("doctor = %+v, want 0 and that there is no store yet", got)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("doctor made the folder")
	}
}

func TestEvalDetect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, out := filepath.Join(dir, "d.jsonl"), filepath.Join(dir, "p.jsonl")
	write(t, data, `{"conversation":"c","id":"1","role":"user","text":"My bicycle has a flat tyre.","gold":{"type":"NEW_AFFAIR","affair":"a"}}
{"conversation":"c","id":"2","role":"assistant","text":"Which size is the bicycle tyre?"}
{"conversation":"c","id":"3","role":"user","text":"The bicycle tyre is 28 inches.","gold":{"type":"CONTINUE","affair":"a"}}
`)
	got := mneme(t, "", nil, "eval", "detect", "--data", data, "--predictions", out, "--json")
	var figures map[string]any
	if err := json.Unmarshal([]byte(got.out), &figures); err != nil || got.code != 0 || figures["n"] != 1.0 {
		t.Errorf("exit status %d, stderr %q, output %q: %v; want n 1", got.code, got.err, got.out, err)
	}
	for _, key := range []string{"accuracy", "right_affair", "types", "false_park", "boundary", "argmax", "p50_ms"} {
		if _, ok := figures[key]; !ok {
			t.Errorf("output has no %s", key)
		}
	}
	if got = mneme(t, "", nil, "eval", "detect", "--data", data); !strings.Contains(got.out, "false park") {
		t.Errorf("table %q does not show false park", got.out)
	}
}

func TestBench(t *testing.T) {
	t.Parallel()
	got := mneme(t, "", nil, "bench", "--quick", "--json", "--only", "disk.fdatasync_ms,detect.p50_ms", "--dir", t.TempDir())
	if got.code != 0 || strings.Count(got.out, "\n") != 3 || !strings.Contains(got.out, `{"name":"disk.fdatasync_ms","labels":{},"value":`) {
		t.Errorf("bench = %+v, want status 0 and three figures", got)
	}
	if got = mneme(t, "", nil, "bench", "--quick", "--only", "disk.fdatasync_ms"); !strings.HasPrefix(got.out, "FIGURE") {
		t.Errorf("bench as a table = %q", got.out)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	got := strings.Join(wrap("čtyři slova na řádku\nodstavec  verylongwordindeed", 12), "|")
	if want := "čtyři slova|na řádku|odstavec|verylongwordindeed"; got != want {
		t.Errorf("wrap = %q, want %q", got, want)
	}
	if got := wrap("", 10); len(got) != 1 {
		t.Errorf("wrap of nothing = %q, want one empty line", got)
	}
	if got := clip("a  b\nc def", 6); got != "a b c…" {
		t.Errorf("clip = %q, want it on one line of six characters", got)
	}
}

// The history of a turn that its user has put elsewhere says so, and the affair that it had opened is not there any more.
func TestHistoryOfATurnPutElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := "We fly to Porto on 5 June.\nSomething else: my bike needs a new chain, it costs 30 euros.\n/affair Trip to Portugal\n"
	if got := mneme(t, said, nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("chat: %+v", got)
	}
	if got := mneme(t, "", nil, "history", "--dir", dir); !strings.Contains(got.out, "put under “Trip to Portugal” by you") || strings.Count(got.out, "NEW_AFFAIR") != 1 {
		t.Errorf("history = %+v", got)
	}
	if got := mneme(t, "", nil, "affairs", "--all", "--dir", dir); strings.Contains(got.out, "ARCHIVED") || strings.Contains(got.out, "Bike") {
		t.Errorf("affairs = %+v, want none of the bike", got)
	}
}
