package main

import (
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// What a person names is what he means: the middle of an id and a digit inside one name nothing, and what fits several is refused.
func TestSuggestionsAreNamed(t *testing.T) {
	t.Parallel()
	list := []state.Suggestion{
		{ID: "se9be2b137b132993", Status: state.Approved}, {ID: "s81c44d01fe00a2b1", Status: state.Waiting},
		{ID: "s81c4fe2b90bb01aa", Status: state.Waiting}, {ID: "0198c2f4", Status: state.Expired},
	}
	for _, tt := range []struct {
		name, asked, want string
		code              state.Code
	}{
		{"all that wait", "", "s81c44d01fe00a2b1 s81c4fe2b90bb01aa", ""},
		{"by numbers of the list", "2 1", "s81c4fe2b90bb01aa s81c44d01fe00a2b1", ""},
		{"by a number that is in an id only", "9", "", state.NotFound},
		{"by the beginning", "s81c44", "s81c44d01fe00a2b1", ""},
		{"by too little of it", "s81c4", "", state.Conflict},
		{"by a part of an id", "132993", "", state.NotFound},
		{"one that has its answer", "se9b", "se9be2b137b132993", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := chooseSuggestions(list, strings.Fields(tt.asked))
			if strings.Join(got, " ") != tt.want || state.CodeOf(err) != tt.code {
				t.Errorf("%q = %v, %v, want %s and %q", tt.asked, got, err, tt.want, tt.code)
			}
		})
	}
}

// Each command that takes a name takes the same names, and refuses what fits two things.
func TestCommandsTakeNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) result { return mneme(t, "", nil, append(args, "--dir", dir)...) }
	type doc struct{ ID, Title, Turn string }
	one := func(args ...string) doc { return lines[doc](t, run(append(args, "--json")...))[0] }
	roof, boat := one("affairs", "create", "Roof repair"), one("affairs", "create", "Boat trip 1")
	if got := mneme(t, "Please remember that I like tea.\n", nil, "chat", "--dir", dir, "--session", "talk"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	record := lines[struct {
		ID   string
		Kind string
	}](t, run("recall", "--scope", "kb_only", "tea", "--json"))[0].ID
	turn := lines[checkpointLine](t, run("history", "--session", "talk", "--json"))[0].Turn

	for _, tt := range []struct {
		line string
		code int
		says string // on stdout, or in the error
	}{
		{"affairs show 1", 0, "Boat trip 1"}, // the last touched comes first
		{"affairs show " + roof.ID[:4], 0, "Roof repair"},
		{"affairs show " + roof.ID[:13], 0, "Roof repair"},
		{"affairs show " + roof.ID[9:23], 3, "there is no such affair"},
		{"affairs park oo", 0, "Roof repair"},
		{"affairs rename " + boat.ID + " Boat", 0, "Boat"},
		{"affairs merge r roof", 3, "affair r"},
		{"affairs show o", 3, "there is no such affair"},
		{"affairs show oa --all", 0, "Boat"},
		{"audit " + roof.ID[:13], 0, "new affair “Roof repair”"},
		{"audit --turn " + turn[:13], 0, "new record “I like tea”"},
		{"audit undo --session talk --turn " + turn[:3], 3, "turn " + turn[:3]},
		{"history --session talk --turn " + turn[:4], 0, turn[:8]},
		{"history --session talk --turn " + turn[:3], 3, "does not belong"},
		{"explain --session talk " + turn[:8], 0, ""},
		{"fork --session talk --to t2 --turn " + turn[1:20], 3, "does not belong"},
		{"sessions rename 1 Drinks", 0, "talk"},
		{"sessions rename drinks Tea", 0, "talk"},
		{"sessions end tal", 3, "there is no such session"},
		{"forget --dry-run --record " + record[:13], 0, "I like tea"},
		{"forget --dry-run --affair 1", 0, "Boat"},
	} {
		got := run(strings.Fields(tt.line)...)
		if got.code != tt.code || !strings.Contains(got.out+got.err, tt.says) {
			t.Errorf("mneme %s = %+v, want %d and %q", tt.line, got, tt.code, tt.says)
		}
	}
}

// A session is named as everything else is, where it must be there. A whole id comes first, and what may make a session takes the name as it is.
func TestSessionsAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(line string) result {
		return mneme(t, "Good morning.\n", nil, append(strings.Fields(line), "--dir", dir)...)
	}
	for _, line := range []string{
		"chat --session work-at-home", "chat --session work-abroad", "chat --session garden", "chat --session garden-2", "sessions rename garden-2 Tulips",
	} {
		if got := run(line); got.code != 0 {
			t.Fatalf("mneme %s = %+v", line, got)
		}
	}

	for _, tt := range []struct {
		line string
		code int
		says string
	}{
		{"export --session work-at", 0, `{"session":"work-at-home"`},
		{"export --session work", 4, "work-abroad"},
		{"export --session wor", 3, "session wor: has no messages"}, // too little of an id
		{"export --session garden", 0, `{"session":"garden"`},
		{"export --session tulips", 0, `{"session":"garden-2"`},
		{"export --session 4", 0, `{"session":"work-at-home"`},
		{"export --session nobody", 3, "session nobody: has no messages"},
		{"history --json --limit 1 --session work-ab", 0, `"step"`},
		{"explain --json --session work-ab", 0, `{"session":"work-abroad"`},
		{"fork --json --session work-ab --to fork-1", 0, `{"session":"work-abroad","to":"fork-1"`},
		{"resume --session tuli", 0, "session garden-2 has no unfinished turn"},
		{"cancel --session tuli", 0, "session garden-2 has no unfinished turn"},
		{"approve --list --session tuli", 0, "session garden-2 waits for no answer"},
		{"audit --session work", 4, "work-abroad"},
		{"recall --scope session --session work-ab morning", 0, "Good morning."},
		{"recall --session work morning", 4, "work-abroad"},
		{"forget --all session --dry-run --session work-ab", 0, "session work-abroad"},
		{"prune --all --json --session work-ab", 0, `{"session":"work-abroad"`},
		{"chat --session gard", 0, ""},
		{"export --session gard", 0, `{"session":"gard"`}, // the conversation before was a new one
		{"prune --all --json --session fork", 0, `{"session":"fork-1"`},
	} {
		if got := run(tt.line); got.code != tt.code || !strings.Contains(got.out+got.err, tt.says) {
			t.Errorf("mneme %s = %+v, want %d and %q", tt.line, got, tt.code, tt.says)
		}
	}
}
