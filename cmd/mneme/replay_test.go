package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain makes the test binary the program itself when replay starts it to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && slices.Equal(os.Args[1:3], []string{"replay", "--play-turn"}) {
		os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestReplayACrash(t *testing.T) {
	t.Parallel()
	story := `name: killed
turns:
  - user: "Please remember that the boiler service is due on October 2."
    model:
      - call: memory_store
        args: {subject: boiler, content: "Boiler service is due on October 2.", category: deadline}
      - say: "Kept."
    crash: PLACE
    expect: {tools: [memory_store], reply_contains: [Kept.], records: {deadline: 1}}
`
	for _, c := range []struct {
		place string
		code  int
		out   string
	}{
		{"after respond/tool:memory_store", 0, "1 of 1 scenarios as expected"},
		{"before finalize", 0, "1 of 1 scenarios as expected"},
		{"after respond/tool:memory_store#2", 1, `turn 1: crash: want "after respond/tool:memory_store#2", got "never reached; the turn came by intake, memory_load,`},
		{"after lunch", 2, `crash does not accept "after lunch"`},
	} {
		t.Run(c.place, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "killed.yaml")
			write(t, file, strings.Replace(story, "PLACE", c.place, 1))
			got := mneme(t, "", nil, "replay", file)
			if got.code != c.code || !strings.Contains(got.out+got.err, c.out) {
				t.Errorf("exit status %d, want %d and %s; output:\n%s%s", got.code, c.code, c.out, got.out, got.err)
			}
		})
	}
}

func TestPlayTurnNeedsATurn(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "{}", "nonsense"} {
		if got := mneme(t, in, nil, "replay", "--play-turn", "-"); got.code != 2 || got.out != "" {
			t.Errorf("%q: exit status %d, output %q, want 2 and none", in, got.code, got.out)
		}
	}
}
