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
		{"nothing named to count", "", []string{"--dry-run"}, 2, "name a record"},
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

// A whole client goes: all its users, and what they share. Another client's memory stays.
func TestForgetClient(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	say := func(client, user, text string) {
		if got := mneme(t, text+"\n", nil, "chat", "--dir", dir, "--client", client, "--user", user); got.code != 0 {
			t.Fatalf("exit status %d: %s", got.code, got.err)
		}
	}
	say("acme", "anna", "My door code is zx4711q.")
	say("acme", "ben", "My locker has number qv9902k.")
	say("other", "anna", "My boat is called wn5533t.")
	shared := mneme(t, "", []string{"MNEME_SHARE_USERS=anna"}, "share", "--dir", dir, "--client", "acme", "--user", "anna", "The office wifi is jr8824p.")
	if shared.code != 0 {
		t.Fatalf("share: exit status %d: %s", shared.code, shared.err)
	}
	for range 2 { // the second time nothing is left
		got := mneme(t, "", nil, "forget", "--dir", dir, "--client", "acme", "--user", "anna", "--all", "client", "--pinned", "--yes")
		if got.code != 0 && got.code != 3 {
			t.Fatalf("exit status %d: %s%s", got.code, got.out, got.err)
		}
	}
	for _, left := range []struct {
		client, user, word string
		found              bool
	}{{"acme", "anna", "zx4711q", false}, {"acme", "ben", "qv9902k", false}, {"acme", "ben", "jr8824p", false}, {"other", "anna", "wn5533t", true}} {
		got := mneme(t, "", nil, "recall", "--dir", dir, "--client", left.client, "--user", left.user, left.word)
		if strings.Contains(got.out, left.word) != left.found {
			t.Errorf("%s/%s: %s found %v, want %v:\n%s%s", left.client, left.user, left.word, !left.found, left.found, got.out, got.err)
		}
	}
}
