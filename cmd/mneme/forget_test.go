package main

import (
	"fmt"
	"slices"
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
		{"shown", "", []string{"--topic", "zx4711q", "--dry-run"}, 0, "would go"},
		{"declined", "n\n", []string{"--topic", "zx4711q"}, 1, "nothing was erased"},
		{"asked", "y\ny\n", []string{"--topic", "zx4711q"}, 0, "is erased"},
		{"twice", "", []string{"--topic", "zx4711q", "--yes"}, 3, "nothing of it"},
		{"of the user", "", []string{"--all", "user", "--yes", "--json"}, 0, `"what":"user"`},
	} {
		got := mneme(t, tt.in, nil, append([]string{"forget", "--dir", dir, "--user", "anna", "--session", "s1"}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.out+got.err, tt.says) {
			t.Errorf("%s: exit status %d, want %d and %q:\n%s%s", tt.name, got.code, tt.code, tt.says, got.out, got.err)
		}
	}
}

// What would go is named, in words. A topic that takes much is asked about twice, and with --yes its number is to be given.
func TestForgetShowsAndAsksTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lines := "The roof costs 4,200 euros. By the way, my blue card runs out on 3 August.\n"
	for i := range 21 {
		lines += fmt.Sprintf("The kindergarten sent letter number %d.\n", i+1)
	}
	if got := mneme(t, lines, nil, "chat", "--dir", dir, "--user", "anna", "--session", "s1"); got.code != 0 {
		t.Fatalf("exit status %d: %s", got.code, got.err)
	}
	for _, tt := range []struct {
		name, in string
		args     []string
		code     int
		says     []string
		not      []string
	}{
		{"one sentence", "n\n", []string{"--topic", "blue card"}, 1, []string{"topic blue card goes for good", "sentence", "By the way, my blue card", "session s1", "nothing was erased"}, []string{"ERASED", "LEFT", "feed", "made again", "All of it?", "opens something"}},
		{"much, declined", "y\nn\n", []string{"--topic", "kindergarten"}, 1, []string{"letter number 1.", "more", "That is 21 messages", "nothing was erased"}, nil},
		{"much, unseen", "", []string{"--topic", "kindergarten", "--yes"}, 4, []string{"takes 21 messages", "--expect 21"}, nil},
		{"another number", "", []string{"--topic", "kindergarten", "--yes", "--expect", "20"}, 4, []string{"takes 21 messages", "not 20"}, nil},
		{"little, with another number", "", []string{"--topic", "blue card", "--yes", "--expect", "2"}, 4, []string{"takes 1 message"}, nil},
		{"little", "", []string{"--topic", "blue card", "--yes"}, 0, []string{"topic blue card is erased", "found nothing of it"}, []string{"pages 0"}},
		{"much, expected", "", []string{"--topic", "kindergarten", "--yes", "--expect", "21"}, 0, []string{"is erased"}, nil},
		{"the rest of the message is there", "", []string{"--all", "session", "--dry-run"}, 0, []string{"The roof costs 4,200 euros."}, []string{"blue card"}},
	} {
		got := mneme(t, tt.in, nil, append([]string{"forget", "--dir", dir, "--user", "anna", "--session", "s1"}, tt.args...)...)
		lacks := slices.ContainsFunc(tt.says, func(s string) bool { return !strings.Contains(got.out+got.err, s) })
		says := slices.ContainsFunc(tt.not, func(s string) bool { return strings.Contains(got.out+got.err, s) })
		if got.code != tt.code || lacks || says {
			t.Errorf("%s: exit status %d, want %d, %q and not %q:\n%s%s", tt.name, got.code, tt.code, tt.says, tt.not, got.out, got.err)
		}
	}
}

// What somebody has pinned is spared, and everything says so: the question, the dry run, the receipt, its JSON and the status.
func TestForgetNamesWhatIsPinned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := mneme(t, "Never forget that my locker has number qv9902k.\nThe locker qv9902k needs oil.\n/end\n", nil, "chat", "--dir", dir, "--user", "anna", "--session", "s1"); got.code != 0 {
		t.Fatalf("exit status %d: %s", got.code, got.err)
	}
	for _, tt := range []struct {
		name, in string
		args     []string
		code     int
		says     string
	}{
		{"dry run", "", []string{"--topic", "locker", "--dry-run"}, 4, "Pinned, so it stays: 1"},
		{"dry run, JSON", "", []string{"--topic", "locker", "--dry-run", "--json"}, 4, `"spared":["records/`},
		{"question", "n\n", []string{"--topic", "locker"}, 1, "Pinned, so it stays: 1"},
		{"receipt, JSON", "", []string{"--topic", "locker", "--yes", "--json", "--expect", "2"}, 4, `"spared":["records/`},
		{"again", "", []string{"--topic", "locker", "--yes"}, 4, "pinned"},
		{"all of the user", "", []string{"--all", "user", "--yes"}, 4, "Pinned, so it stays: 1"},
		{"pinned too", "", []string{"--all", "user", "--yes", "--pinned"}, 0, "found nothing of it"},
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
		got := mneme(t, "", nil, "recall", "--dir", dir, "--client", left.client, "--user", left.user, "--json", left.word)
		if strings.Contains(got.out, left.word) != left.found {
			t.Errorf("%s/%s: %s found %v, want %v:\n%s%s", left.client, left.user, left.word, !left.found, left.found, got.out, got.err)
		}
	}
}

// The number that is shown is the one that --expect takes and the one that the receipt has; what goes besides is counted apart.
func TestForgetCountsOneWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := "remember that my passport expires in 2027\nWhat did I tell you about my passport?\nI like tea.\n"
	if got := mneme(t, said, nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatalf("exit status %d: %s", got.code, got.err)
	}
	for _, tt := range []struct {
		args []string
		says []string
		not  string
	}{
		{[]string{"--dry-run"}, []string{"That is 2 messages, 1 record (--expect 2). With it go 6 more messages (answers, tool results, what was undone), what was made of it."}, "8 messages"},
		{[]string{"--yes", "--expect", "2"}, []string{"is erased: 2 messages, 1 record, and with it 6 more messages (answers, tool results, what was undone)\n"}, "vectors"},
	} {
		got := mneme(t, "", nil, append([]string{"forget", "--topic", "passport", "--dir", dir}, tt.args...)...)
		lacks := slices.ContainsFunc(tt.says, func(s string) bool { return !strings.Contains(got.out, s) })
		if got.code != 0 || lacks || strings.Contains(got.out, tt.not) {
			t.Errorf("forget %q = %+v, want %q and not %q", tt.args, got, tt.says, tt.not)
		}
	}
}

// Where there is nothing to erase that is said, and is not found.
func TestForgetNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := mneme(t, "I like tea.\n", nil, "chat", "--dir", dir, "--user", "anna"); got.code != 0 {
		t.Fatalf("exit status %d: %s", got.code, got.err)
	}
	for _, line := range []string{
		"--all session --session nosuch --user anna --dry-run", "--clear session --session nosuch --user anna --dry-run", "--all user --user nobody --yes", "--all user --user nobody --dry-run",
	} {
		got := mneme(t, "", nil, append([]string{"forget", "--dir", dir}, strings.Fields(line)...)...)
		if got.code != 3 || got.out != "" || !strings.Contains(got.err, "nothing of it") {
			t.Errorf("forget %s = %+v, want 3", line, got)
		}
	}

	// What is only set for a user is something.
	if got := mneme(t, "", nil, "settings", "set", "autonomy=1", "--for", "user", "--user", "ben", "--dir", dir); got.code != 0 {
		t.Fatalf("settings set: %+v", got)
	}
	if got := mneme(t, "", nil, "forget", "--all", "user", "--user", "ben", "--yes", "--dir", dir); got.code != 0 || !strings.Contains(got.out, "user ben is erased: 1 setting") {
		t.Errorf("forget = %+v, want the setting gone", got)
	}
}
