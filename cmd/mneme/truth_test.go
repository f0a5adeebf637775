package main

import (
	"strings"
	"testing"
)

// A command says what is so: what there is, what was changed, and which session it is about.
func TestCommandsTellTheTruth(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(line string) result { return mneme(t, "", nil, append(strings.Fields(line), "--dir", dir)...) }
	for _, tt := range []struct {
		line string
		code int
		says string
	}{
		{"affairs create Roof --resume", 4, "none was named; name one with --session, there are: none yet"},
		{"affairs create Roof", 0, "Roof"},
		{"affairs resume Roof", 4, "there are: none yet"},
		{"affairs resolve Roof", 0, "“Roof” is resolved. Undo: mneme audit undo "},
		{"affairs resolve Roof", 0, "“Roof” is resolved already; nothing was changed"},
		{"sessions", 0, "no sessions of user default"},
		{"recall zzzz", 0, `nothing found for "zzzz" (scope all); user default has 0 records and 1 affair in `},
		{"sessions new --session one", 0, "one"},
		{"affairs resume Roof", 0, "“Roof” is active in session one. Undo: mneme audit undo "},
		{"affairs resume Roof", 0, "“Roof” is active in session one already; nothing was changed"},
		{"sessions new --session two", 0, "two"},
		{"affairs resume Roof", 4, "there are: two, one"},
		{"affairs", 0, "ACTIVE in one  Roof"},
		{"affairs show Roof", 0, "  status      ACTIVE in one\n"},
		{"affairs --session one", 0, "ACTIVE  Roof"},
		{"affairs resume Roof --session two", 0, "“Roof” is active in session two."},
		{"affairs park 99", 3, "there is no such affair; there are: Roof ("},
		{"sessions new --session default", 0, "default"},
		{"affairs resume Roof", 0, "“Roof” is active in session default."},
		{"resume --session one", 0, "no unfinished turn"},
		{"cancel --session one", 0, "no unfinished turn"},
	} {
		if got := run(tt.line); got.code != tt.code || !strings.Contains(got.out+got.err, tt.says) {
			t.Errorf("mneme %s = %+v, want %d and %q", tt.line, got, tt.code, tt.says)
		}
	}
}
