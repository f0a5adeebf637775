package main

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// What pages show of a command is what it prints today, but for times: every line of a block that begins with "$ mneme", in its order, where "..."
// stands for lines that are left out.
func TestPagesShowWhatIsPrinted(t *testing.T) {
	t.Parallel()
	printed := map[string]string{}
	blocks := 0
	for _, page := range []string{"../../README.md", "README.md", "../../memory/README.md", "../../graph/flow/README.md", "../../e2e/host/README.md"} {
		text, err := os.ReadFile(page)
		must(t, err)
		for _, rest := range strings.Split(string(text), "```text\n$ mneme ")[1:] {
			block, _, _ := strings.Cut(rest, "```")
			command, shown, _ := strings.Cut(block, "\n")
			if _, ran := printed[command]; !ran {
				printed[command] = mneme(t, "", nil, strings.Fields(command)...).out
			}
			if wrong := notShown(shown, printed[command]); wrong != "" {
				t.Errorf("%s shows of mneme %s what it does not print there: %q", page, command, wrong)
			}
			blocks++
		}
	}
	if blocks < 4 {
		t.Errorf("the pages have %d blocks of output, want some", blocks)
	}
}

// notShown is the first line of a block that does not follow in what was printed; "" = all do.
func notShown(block, printed string) string {
	timed := regexp.MustCompile(`\d+(\.\d+)? ms`)
	lines := strings.Split(timed.ReplaceAllString(printed, "N ms"), "\n")
	gap := false
	for line := range strings.Lines(timed.ReplaceAllString(block, "N ms")) {
		line = strings.TrimSuffix(line, "\n")
		if line == "..." {
			gap = true
			continue
		}
		at := slices.Index(lines, line)
		if at < 0 || !gap && at > 0 {
			return line
		}
		lines, gap = lines[at+1:], false
	}
	return ""
}

// TestPagesSee shows the check red on what it is there for.
func TestPagesSee(t *testing.T) {
	t.Parallel()
	for block, want := range map[string]string{
		"a\nb in 3 ms\n": "", "...\nc\n": "", "a\nc\n": "c", "...\nd\n": "d", "...\nc\n...\na\n": "a",
	} {
		if got := notShown(block, "a\nb in 7.5 ms\nc\n"); got != want {
			t.Errorf("notShown(%q) = %q, want %q", block, got, want)
		}
	}
}

// The page of the command names every command and every setting.
func TestPageOfTheCommand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	must(t, err)
	page := string(text)
	for f := range reflect.TypeFor[commands]().Fields() {
		name := cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name))
		if _, is := f.Tag.Lookup("cmd"); is && !regexp.MustCompile("`(mneme )?"+name+"\\b").MatchString(page) {
			t.Errorf("README.md does not name mneme %s", name)
		}
	}

	// The table of settings is that of the catalogue.
	const head, foot = "| name | default | what it is |\n|---|---|---|\n", "\n\n\n`mneme doctor`"
	before, rest, _ := strings.Cut(page, head)
	_, after, found := strings.Cut(rest, foot)
	if !found {
		t.Fatal("README.md has no table of settings")
	}
	var rows []string
	for _, x := range catalogue() {
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |", x.name, cmp.Or(x.fallback, "none"), x.says))
		if x.says == "" {
			t.Errorf("setting %s does not say what it is", x.name)
		}
	}
	want := before + head + strings.Join(rows, "\n") + foot + after
	if *update {
		must(t, os.WriteFile("README.md", []byte(want), 0o600))
	} else if diff := gocmp.Diff(want, page); diff != "" {
		t.Errorf("settings of README.md (-want +got), rewrite with -update:\n%s", diff)
	}
}
