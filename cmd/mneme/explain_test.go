package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
)

// What a conversation did is explained by another process, by the last turn, by a number, by the beginning of an id.
func TestExplain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	where := []string{"--dir", dir, "--session", "s1"}
	explain := func(args ...string) result {
		return mneme(t, "", nil, append(append([]string{"explain"}, args...), where...)...)
	}
	said := "I ordered new tyres for the van, order number TY-4411.\nWhat is the order number of the tyres?\n"
	if got := mneme(t, said, nil, append([]string{"chat"}, where...)...); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}

	// The last turn, in short, whole and as JSON.
	short := mneme(t, "", []string{"TZ=Europe/Prague"}, append([]string{"explain"}, where...)...)
	want := regexp.MustCompile(`^turn     [0-9a-f]{8} of session s1, \d+ \w+ \d{4} \d\d:\d\d CES?T, answered
message  What is the order number of the tyres\?
decided  CONTINUE “New tyres for van” \(\d+ %, by rules\)
because  goes on with “New tyres for van”.*
shown    \d+ of 8000 tokens.*: .*history \d+.*
found    .*“.*
wrote    .+
cost     no model asked \(\d steps? of the offline answers\), \d commits, \d+ reads?, \d+ ms.*
$`)
	if short.code != 0 || !want.MatchString(short.out) {
		t.Errorf("explain = %+v, want\n%s", short, want)
	}
	last := explain("--full")
	for _, part := range []string{"What is the order number of the tyres?", "prompt 1 of", "Active affair", "key fact of the active affair", "<- message 1, user", "bill: "} {
		if !strings.Contains(last.out, part) {
			t.Errorf("it does not say %q:\n%s", part, last.out)
		}
	}
	var a graph.Account
	if got := explain("--json"); got.code != 0 || strings.Count(got.out, "\n") != 1 || json.Unmarshal([]byte(got.out), &a) != nil || len(a.Prompts) == 0 {
		t.Fatalf("explain --json = %+v", got)
	}

	// The same by its id and by what that begins with; another one by a message's number.
	for _, turn := range []string{a.Turn, a.Turn[:8]} {
		if got := explain(turn, "--full"); got.out != last.out {
			t.Errorf("explain %s = %+v, want the last turn", turn, got)
		}
	}
	if got := explain("1"); got.code != 0 || !strings.Contains(got.out, "\nmessage  I ordered new tyres") {
		t.Errorf("explain 1 = %+v", got)
	}

	// What there is not.
	if got := explain("nothing"); got.code != 3 || !strings.Contains(got.err, a.Turn) {
		t.Errorf("explain nothing = %+v, want 3 and the turns that there are", got)
	}
	if got := mneme(t, "", nil, "explain", "--dir", dir, "--session", "other", "--json"); got.code != 3 || !strings.Contains(got.err, `"not_found"`) {
		t.Errorf("explain of a session without turns = %+v", got)
	}
	if got := mneme(t, "/why\n", nil, append([]string{"chat"}, where...)...); got.code != 0 || got.out != explain().out {
		t.Errorf("/why in a later conversation = %+v", got)
	}

	// A fork knows the turns before it; what is pruned is said to be.
	if got := mneme(t, "", nil, append([]string{"fork", "--to", "s2"}, where...)...); got.code != 0 {
		t.Fatalf("fork = %+v", got)
	}
	if got := mneme(t, "", nil, "explain", "1", "--dir", dir, "--session", "s2"); got.code != 0 || !strings.Contains(got.out, "of session s1") {
		t.Errorf("explain in the fork = %+v", got)
	}
	if got := mneme(t, "", nil, append([]string{"prune", "--keep", "1"}, where...)...); got.code != 0 {
		t.Fatalf("prune = %+v", got)
	}
	if got := explain("1"); got.code != 3 || !strings.Contains(got.err, "pruned") {
		t.Errorf("explain of a pruned turn = %+v", got)
	}
}
