package main

import (
	"strings"
	"testing"
)

func TestForget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, line := range []string{"My door code is zx4711q.\n", "The parcel has number 07-14244-53150.\n"} {
		if got := mneme(t, line, nil, "chat", "--dir", dir, "--user", "anna", "--session", "s1"); got.code != 0 {
			t.Fatalf("exit status %d: %s", got.code, got.err)
		}
	}
	for _, tt := range []struct {
		name, in string
		args     []string
		code     int
		says     string
	}{
		{"two things", "", []string{"--topic", "door", "--record", "x"}, 2, "can't be used together"},
		{"nothing of it", "", []string{"--topic", "unicorn"}, 3, "nothing of it"},
		{"nothing named", "", nil, 0, "nothing to go on with"},
		{"json asks nobody", "", []string{"--topic", "zx4711q", "--json"}, 2, "--yes"},
		{"counted", "", []string{"--topic", "zx4711q", "--dry-run"}, 0, "would go"},
		{"declined", "n\n", []string{"--topic", "zx4711q"}, 1, "nothing was erased"},
		{"asked", "y\n", []string{"--topic", "zx4711q"}, 0, "is erased"},
		{"twice", "", []string{"--topic", "zx4711q", "--yes"}, 3, "nothing of it"},
		{"of the user", "", []string{"--all", "user", "--yes", "--json"}, 0, `"what":"user"`},
	} {
		got := mneme(t, tt.in, nil, append([]string{"forget", "--dir", dir, "--user", "anna", "--session", "s1"}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.out+got.err, tt.says) {
			t.Errorf("%s: exit status %d, want %d and %q:\n%s%s", tt.name, got.code, tt.code, tt.says, got.out, got.err)
		}
	}
}
