package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command sets, lists, takes back and tells who did it; doctor and settings say where a value is from.
func TestSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(code int, want string, args ...string) {
		t.Helper()
		got := mneme(t, "", []string{"USER=olga"}, append(args, "--dir", dir)...)
		if text := got.out + got.err; got.code != code || !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%v: status %d, want %d with %q:\n%s", args, got.code, code, want, text)
		}
	}
	run(0, `max_tokens of global: (not set) -> "4000"`, "settings", "set", "max_tokens=4000", "--for", "global", "--why", "slow")
	run(0, `a process takes it when it starts`, "settings", "set", "hot_budget_mb=7", "--for", "global")
	run(0, `context_window of user: (not set) -> "9000"`, "settings", "set", "context_window_size=9000", "--for", "user", "--user", "anna")
	run(0, "max_tokens 4000 global", "settings")
	run(0, "context_window 9000 user", "settings", "--user", "anna")
	run(0, "context_window 48000 default", "settings", "--user", "bob")
	run(0, "max_tokens 3000 flag", "settings", "--set", "max_tokens=3000")
	run(0, "hot_budget_mb 7 global", "doctor")
	run(0, "context_window (context_window_size) 9000 user", "doctor", "--user", "anna")
	run(0, `olga max_tokens (not set) "4000" slow`, "settings", "history", "--for", "global")
	run(0, `{"name":"max_tokens","value":"4000","origin":"global"}`, "settings", "list", "--for", "global", "--json")
	run(2, `did you mean "max_tokens"`, "settings", "set", "max_tokes=1", "--for", "global")
	run(2, "is a setting of a process", "settings", "set", "hot_budget_mb=7", "--for", "user")
	run(2, "global, client or user", "settings", "set", "max_tokens=4000", "--for", "team")
	run(2, "write NAME=VALUE", "settings", "set", "max_tokens", "--for", "global")
	run(0, "-> (not set)", "settings", "unset", "max_tokens", "--for", "global")
	run(3, "is not set", "settings", "unset", "max_tokens", "--for", "global")
	run(0, "max_tokens 8000 default", "settings")
}

// Whose memory is meant, and where it is, can be said by --set as well; the flag of that name wins.
func TestSetSaysWhoseMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(want string, args ...string) {
		t.Helper()
		got := mneme(t, "I ordered brake pads, order number 07-14244-53150.\n", nil, args...)
		if got.code != 0 || !strings.Contains(got.out+got.err, want) {
			t.Errorf("%v: status %d, want %q:\n%s%s", args, got.code, want, got.out, got.err)
		}
	}
	tape := filepath.Join(dir, "tape.jsonl")
	run("", "chat", "--set", "dir="+dir, "--set", "user=anna", "--set", "session=work", "--set", "record="+tape)
	run("Brake pads", "affairs", "--dir", dir, "--user", "anna")
	run("no affairs of user bob", "affairs", "--dir", dir, "--user", "bob", "--set", "user=anna")
	run("brake pads", "export", "--dir", dir, "--user", "anna", "--session", "work")
	if _, err := os.Stat(tape); err != nil {
		t.Error(err)
	}
}
