package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// A person sees who changed what, looks into one change, and takes it back, or a whole turn.
func TestAudit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := "My order number is 07-14244-53150 for the wiper.\nRemember that I drink tea without milk.\n"
	if got := mneme(t, said, nil, "chat", "--dir", dir, "--session", "s1"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	run := func(line string) result {
		return mneme(t, "", nil, append(strings.Fields("audit "+line), "--dir", dir)...)
	}
	type line struct {
		Change int64
		By     struct{ Who, Path, Turn string }
		ID     string
		What   string
		Words  string
		Fields []struct {
			Field         string
			Before, After json.RawMessage
		}
	}
	all := lines[line](t, run("--json"))
	if len(all) < 3 || all[len(all)-1].By.Path != "context_detect" {
		t.Fatalf("%d changes: %+v", len(all), all)
	}
	own := lines[line](t, run("--who user --json"))
	if len(own) != 1 || own[0].By.Path != "memory_update" || own[0].What != "made" || own[0].Words != "Remember that I drink tea without milk." {
		t.Fatalf("what the user asked for: %+v", own)
	}
	if got := run(""); got.code != 0 || !strings.HasPrefix(got.out, "CHANGE") || !strings.Contains(got.out, "I drink tea without milk") {
		t.Errorf("audit = %+v, want a table", got)
	}
	if got := run("show 2"); got.code != 0 || !strings.Contains(got.out, "change 2: affair made") || !strings.Contains(got.out, "pipeline (context_detect)") {
		t.Errorf("show = %+v", got)
	}

	// One change may be of several things: all of them are named when it is undone, and times are for people.
	if got := run("show 2"); strings.Contains(got.out, "$date") || !regexp.MustCompile(`created_at\n +\+ 20..-..-.. ..:.. `).MatchString(got.out) {
		t.Errorf("show = %+v, want plain times", got)
	}

	// Undone, and undone again.
	if got := lines[line](t, run("undo --json "+fmt.Sprint(own[0].Change))); len(got) != 1 || got[0].What != "gone" || got[0].ID != own[0].ID {
		t.Errorf("undo = %+v", got)
	}
	if got := mneme(t, "", nil, "brain", "--dir", dir); strings.Contains(got.out, "tea") {
		t.Errorf("after the undo: %+v", got)
	}
	if got := run("undo --session s1 --turn " + all[len(all)-1].By.Turn[:8]); got.code != 0 || !regexp.MustCompile(`^turn \S+ is undone, its messages are out of sight; that is change \d+, which can be undone too:\n  “.+”: gone\n`).MatchString(got.out) {
		t.Errorf("undo of a turn = %+v", got)
	}
	if got := mneme(t, "", nil, "affairs", "--all", "--dir", dir, "--json"); got.out != "" {
		t.Errorf("the affair that the turn opened is there: %+v", got)
	}
	for _, c := range []struct {
		line string
		code int
		says string
	}{
		{"show 99", 3, "mneme audit lists them"}, {"undo 99", 3, "audit lists them"}, {"undo", 2, "--turn"}, {"--limit=-1", 2, "0 for all"},
		{"--who nobody", 2, "pipeline"}, {"undo --turn zz --session s1", 3, "turn zz"}, {"undo x", 2, "x"},
	} {
		if got := run(c.line); got.code != c.code || got.out != "" || !strings.Contains(got.err, c.says) {
			t.Errorf("audit %s = %+v, want %d and %q", c.line, got, c.code, c.says)
		}
	}
	if got := run("--turn nothing"); got.code != 0 || !strings.HasPrefix(got.out, "no such change") {
		t.Errorf("nothing to list: %+v", got)
	}
}

// What was corrected says when it ended and what stands in its place, and a suggestion has its words.
func TestAuditTellsWhatCameInstead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := "Remember that I live in Leeds.\nThat is wrong, I live in York.\n"
	if got := mneme(t, said, nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	if got := mneme(t, "I ordered brake pads, order number 07-14244-53150.\nl\n", []string{suggests}, "chat", "--dir", dir, "--session", "s2"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	got := mneme(t, "", []string{"TZ=Asia/Tokyo"}, "audit", "--dir", dir)
	for _, want := range []string{
		`you +“.*I live in Leeds\.?”: .*ended 20..-..-.. ..:.. JST`, `you +new record “.*York`, `agent main +new suggestion “order number: `,
	} {
		if got.code != 0 || !regexp.MustCompile(want).MatchString(got.out) {
			t.Errorf("audit = %+v, want %s", got, want)
		}
	}
}

// What was said again says so, and the fields that only the program needs stay away.
func TestAuditOfWhatIsSaidAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := "Remember that my passport expires in 2027.\nRemember that my passport expires in 2027.\nForget that my passport expires in 2027.\n"
	if got := mneme(t, said, nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	got := mneme(t, "", nil, "audit", "--dir", dir)
	if !strings.Contains(got.out, ": said again\n") || strings.Contains(got.out, "seen ") || strings.Contains(got.out, "ended in") || strings.Contains(got.out, "told in") {
		t.Errorf("audit = %+v", got)
	}
}
