package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// A command line that is wrong is told which one is right, and which help has it.
func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"settings set autonomy=1":            "mneme: settings set: for whom is not said; write mneme settings set autonomy=1 --for user (or client, or global), see mneme settings set --help\n",
		"settings set autonomy 1":            "mneme: settings set: for whom is not said; write mneme settings set autonomy=1 --for user (or client, or global), see mneme settings set --help\n",
		"settings set autonomy 1 --for user": "mneme: settings set autonomy 1: write mneme settings set autonomy=1 --for user\n",
		"settings set autonomy --for user":   "mneme: settings set autonomy: has no value; write NAME=VALUE, see mneme settings set --help\n",
		"settings unset autonomy":            "mneme: settings unset: for whom is not said; write mneme settings unset autonomy --for user (or client, or global), see mneme settings unset --help\n",
		"settings history":                   "mneme: settings history: for whom is not said; write mneme settings history --for user (or client, or global), see mneme settings history --help\n",
		"recall":                             "mneme: usage: expected \"<query> ...\"; see mneme recall --help\n",
		"vault --dir d":                      "mneme: usage: flags stand behind the command: mneme vault export|import|diff; see mneme vault --help\n",
		"--dir d affairs":                    "mneme: usage: flags stand behind the command: mneme demo|chat|resume|approve|...; see mneme --help\n",
		"affairs --dir d park":               "mneme: usage: flags stand behind the command: mneme affairs list|show|create|rename|edit|merge|park|resume|resolve|archive; see mneme affairs --help\n",
		"history --lim 3":                    "mneme: usage: unknown flag --lim, did you mean one of \"--dir\", \"--limit\"?; see mneme history --help\n",
		"affairs park":                       "mneme: usage: expected \"<id>\"; see mneme affairs park --help\n",
		"recall --limit -1 x":                "mneme: usage: --limit takes a whole number, 0 or more, and not \"-1\"; see mneme recall --help\n",
		"affairs --limit abc":                "mneme: usage: --limit takes a whole number, 0 or more, and not \"abc\"; see mneme affairs --help\n",
		"chat --tone loud":                   "mneme: usage: --tone must be one of \"concise\",\"detailed\",\"neutral\" but got \"loud\"; see mneme chat --help\n",
		"recall --kind banana x":             "mneme: --kind: does not take \"banana\"; it is one of fact, decision, order, deadline, contact, preference, procedure, event, insight, summary, lesson, message\n",
		"history --diff 3":                   "mneme: --diff: takes two steps, such as --diff 11,12\n",
		"help nonsense":                      "mneme: usage: unexpected argument nonsense; see mneme --help\n",
		"completion fish":                    "mneme: usage: <shell> must be one of \"bash\",\"zsh\" but got \"fish\"; see mneme completion --help\n",
	} {
		if got := mneme(t, "", nil, strings.Fields(line)...); got.code != 2 || got.out != "" || got.err != says {
			t.Errorf("mneme %s = %+v, want\n%s", line, got, says)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	for line, same := range map[string]string{"help": "--help", "help chat": "chat --help", "help affairs show": "affairs show --help", "version": "--version"} {
		got, want := mneme(t, "", nil, strings.Fields(line)...), mneme(t, "", nil, strings.Fields(same)...)
		if got.code != 0 || got.out == "" || got != want {
			t.Errorf("mneme %s = %+v, want what %s prints, %+v", line, got, same, want)
		}
	}
	got := mneme(t, "", nil, "version", "--json")
	var b build
	if err := json.Unmarshal([]byte(got.out), &b); err != nil || b.Version == "" || b.Go == "" || !strings.HasPrefix(mneme(t, "", nil, "version").out, "mneme "+b.Version) {
		t.Errorf("version --json = %+v, %v", got, err)
	}
}

// The script is run by a shell, which completes commands, commands of these, and flags.
func TestCompletion(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	script := mneme(t, "", nil, "completion", "bash")
	if zsh := mneme(t, "", nil, "completion", "zsh"); zsh.out != "autoload -U +X bashcompinit && bashcompinit\n"+script.out {
		t.Errorf("completion zsh = %+v, want that of bash behind a line", zsh)
	}
	for line, want := range map[string]string{
		"mneme do":                         "doctor",
		"mneme affairs sh":                 "show",
		"mneme affairs --sess":             "--session",
		"mneme affairs resume --sess":      "--session",
		"mneme audit --session x undo --t": "--turn",
		"mneme explain --f":                "--full",
		"mneme recall nothing zzz":         "",
	} {
		words := strings.Fields(line)
		ask := script.out + "\nCOMP_WORDS=(" + line + "); COMP_CWORD=" + string(rune('0'+len(words)-1)) + "; _mneme; echo ${COMPREPLY[*]}"
		out, err := exec.CommandContext(t.Context(), bash, "-c", ask).Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s completes to %q, %v, want %q", line, got, err, want)
		}
	}
}
