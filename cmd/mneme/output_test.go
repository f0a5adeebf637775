package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// What people read, command by command, as they see it after a short conversation.
func TestWhatPeopleRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(stdin, line string) result {
		return mneme(t, stdin, []string{"TZ=Europe/Prague"}, append(strings.Fields(line), "--dir", dir)...)
	}
	said := "I ordered brake pads for the Jeep, order number 07-14244-53150.\nRemember that I drink tea without milk.\n"
	if got := run(said, "chat --session work"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	for _, tt := range []struct{ line, want string }{ // the whole output; times, numbers of changes and ids by patterns
		{"affairs", `NO  STATUS          TITLE            MESSAGES  UPDATED   ID
1   ACTIVE in work  Jeep brake pads  \d+ +just now  [0-9a-f]{4}
`},
		{"affairs --session work --json", `{"id":"[0-9a-f-]{36}",.*"status":"ACTIVE".*}
`},
		{"affairs rename jeep Wiper", `“Jeep brake pads” is called “Wiper” now\. Undo: mneme audit undo \d+ --dir \S+
`},
		{"affairs rename wiper Wiper", `“Wiper” is called so already; nothing was changed
`},
		{"affairs edit wiper --fact price=80 --pending call", `“Wiper”: facts \+ price: 80; pending \+ “call”\. Undo: mneme audit undo \d+ --dir \S+
`},
		{"affairs edit wiper --fact price=85", `“Wiper”: facts price: 85 was 80; past facts \+ price: 80\. Undo: mneme audit undo \d+ --dir \S+
`},
		{"affairs edit wiper --fact price=85", `“Wiper” is so already; nothing was changed
`},
		{"affairs create Boat", `“Boat” is opened, and parked\. Undo: mneme audit undo \d+ --dir \S+
`},
		{"affairs merge boat wiper", `“Boat” is merged into “Wiper”\. Undo: mneme audit undo \d+ --dir \S+
`},
		{"affairs resolve wiper", `“Wiper” is resolved\. Undo: mneme audit undo \d+ --dir \S+
`},
		{"affairs resolve wiper", `“Wiper” is resolved already; nothing was changed
`},
		{"audit --limit 7", `CHANGE +TIME \(CES?T\) +WHO +WHAT
\d+ +20..-..-.. ..:.. +you +“Wiper”: status was ACTIVE, is RESOLVED; pending - “call”
\d+ +20..-..-.. ..:.. +you +“Boat”: status was PARKED, is ARCHIVED; merged into “Wiper”
\d+ +20..-..-.. ..:.. +you +“Wiper”: absorbed \+ “Boat”
\d+ +20..-..-.. ..:.. +you +new affair “Boat”
\d+ +20..-..-.. ..:.. +you +“Wiper”: facts price: 85 was 80; past facts \+ price: 80
\d+ +20..-..-.. ..:.. +you +“Wiper”: facts \+ price: 80; pending \+ “call”
\d+ +20..-..-.. ..:.. +you +“Wiper”: title was “Jeep brake pads”, is “Wiper”
`},
		{"audit --who user --path memory_update", `CHANGE +TIME \(CES?T\) +WHO +WHAT
\d+ +20..-..-.. ..:.. +you +new record “I drink tea without milk”
`},
		{"affairs show wiper", `Wiper
  id          [0-9a-f-]{36}
  status      RESOLVED
(?:  .*
)+  created     20..-..-.. ..:.. CES?T
  updated     20..-..-.. ..:.. CES?T, just now
(?:  linked .*
(?:              .*
)*)*  changed     \d+, 20..-..-.. ..:.. CES?T, you: status was ACTIVE, is RESOLVED;
              pending - “call”
  changed     .*
(?:  .*
)+              mneme audit [0-9a-f]{4} lists all changes
              --all shows topics, records and messages too
`},
		{"recall --limit 1 --scope kb_only tea", ` 1  I drink tea without milk
    record fact, 20..-..-.., 100 %, [0-9a-f]{4,}
`},
		{"recall --limit 1 --scope kb_only --why tea", ` 1  \d+\.\d+  record fact, .*
  text        I drink tea without milk
  share .*
  words       tea
(?:.*
)+  id          [0-9a-f]{24}
`},
		{"brain", `PART  TEXT                      SAID  SINCE       LAST      ID
user  I drink tea without milk  1     20..-..-..  just now  [0-9a-f]{4,}
.*
`},
		{"forget --topic tea --dry-run", `topic tea would go:
  message    20..-..-.. ..:.., session work: Remember that I drink tea without milk\.
  record     20..-..-.. ..:.., session work: .*I drink tea without milk
That is 1 message, 1 record \(--expect 1\)\. With it go 3 more messages \(answers, tool results, what was undone\), what was made of it\.
`},
	} {
		if got := run("", tt.line); got.code != 0 || got.err != "" || !regexp.MustCompile("^"+tt.want+"$").MatchString(got.out) {
			t.Errorf("mneme %s = %+v, want\n%s", tt.line, got, tt.want)
		}
	}
}

func TestShortIDs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		ids  []string
		want string
	}{
		{"none", nil, ""},
		{"one", []string{"0b9c2f41"}, "0b9c"},
		{"one twice", []string{"0b9c2f41", "0b9c2f41"}, "0b9c 0b9c"},
		{"neighbours", []string{"01a21631b2ae6b", "01a21631b2c4c6", "01a3"}, "01a21631b2a 01a21631b2c 01a3"},
		{"one begins another", []string{"work", "work-2"}, "work work-"},
		{"inside a character", []string{"abcčd", "x"}, "abcčd x"},
	} {
		short := shortIDs(tt.ids...)
		var got []string
		for _, id := range tt.ids {
			got = append(got, short[id])
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %s", tt.name, got, tt.want)
		}
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	con := &console{environ: []string{"TZ=Europe/Prague"}, now: func() time.Time { return now }}
	for gone, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 2*time.Hour + time.Minute: "2 h ago", 25 * time.Hour: "1 day ago",
		6 * 24 * time.Hour: "6 days ago", 7 * 24 * time.Hour: "2026-02-08", -3 * time.Hour: "2026-02-16",
	} {
		if got := con.ago(now.Add(-gone)); got != want {
			t.Errorf("ago(%s) = %q, want %q", gone, got, want)
		}
	}
	if got := con.ago(time.Time{}) + con.at(time.Time{}) + con.column(time.Time{}); got != "" {
		t.Errorf("no time = %q, want nothing", got)
	}
	if got := con.at(now); got != "2026-02-15 22:00 CET" {
		t.Errorf("at = %q, want it in the zone", got)
	}
}

// Lists can be cut, in what people read and in JSON.
func TestLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(line string) result { return mneme(t, "", nil, append(strings.Fields(line), "--dir", dir)...) }
	for _, line := range []string{"affairs create Boat", "affairs create Roof", "affairs create Car", "sessions new", "sessions new", "sessions new"} {
		if got := run(line); got.code != 0 {
			t.Fatalf("mneme %s = %+v", line, got)
		}
	}
	said := "Remember that I drink tea without milk.\nRemember that I live in Leeds.\nRemember that I am left-handed.\n"
	if got := mneme(t, said, nil, "chat", "--dir", dir, "--session", "s1"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	for line, want := range map[string]int{ // lines, the head counts
		"affairs --json --limit 2": 2, "affairs --limit 2": 3, "affairs": 4, "sessions --json --limit 1": 1, "sessions --limit 1": 2, "brain --limit 1": 3, "brain": 5,
	} {
		if got := run(line); got.code != 0 || strings.Count(got.out, "\n") != want {
			t.Errorf("mneme %s = %+v, want %d lines", line, got, want)
		}
	}
	for _, line := range []string{"affairs", "sessions", "brain", "suggestions", "history --session s1", "audit"} {
		if got := run(line + " --limit=-1"); got.code != 2 || got.out != "" {
			t.Errorf("mneme %s --limit=-1 = %+v, want 2", line, got)
		}
	}
}
