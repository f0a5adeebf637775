package vault_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/vault"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// world is a memory and a vault of it.
type world struct {
	t     *testing.T
	m     *memory.Memory
	store *counted
	c     vault.Config
	now   time.Time
}

// counted is a store that counts its commits.
type counted struct {
	*ram.Store
	commits atomic.Int64
}

func (c *counted) Write(ctx context.Context, docs ...store.Doc) error {
	c.commits.Add(1)
	return c.Store.Write(ctx, docs...)
}

func setup(t *testing.T, changes ...memory.Change) *world {
	t.Helper()
	w := &world{t: t, store: &counted{Store: ram.New()}, now: time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)}
	ids := 0
	m, err := memory.New(memory.Config{
		Store: w.store, Settings: state.DefaultSettings(),
		Now:   func() time.Time { w.now = w.now.Add(time.Second); return w.now },
		NewID: func() string { ids++; return fmt.Sprintf("id%d", ids) },
	})
	must(t, err)
	t.Cleanup(func() { _ = m.Close() })
	w.m, w.c = m, vault.Config{Memory: m, Dir: t.TempDir(), Scope: state.Scope{Client: "c1", User: "anna"}}
	w.write(changes...)
	return w
}

func (w *world) write(changes ...memory.Change) {
	w.t.Helper()
	for _, c := range changes {
		c.About = state.AboutUser
		if _, err := w.m.Write(w.t.Context(), w.c.Scope, c); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) export() {
	w.t.Helper()
	if _, err := vault.Export(w.t.Context(), w.c); err != nil {
		w.t.Fatal(err)
	}
}

// imported takes in what was edited, and says it line by line. Diff has to have said the same.
func (w *world) imported() (lines []string) {
	w.t.Helper()
	diff, err := vault.Diff(w.t.Context(), w.c)
	if err != nil {
		w.t.Fatal(err)
	}
	done, err := vault.Import(w.t.Context(), w.c)
	if err != nil {
		w.t.Fatal(err)
	}
	for i, f := range done.Findings {
		if f.What != diff.Findings[i].What || f.Line != diff.Findings[i].Line {
			w.t.Errorf("diff says %s, import %s", diff.Findings[i], f)
		}
		lines = append(lines, strings.ReplaceAll(f.String(), "agents/main/memory/", ""))
	}
	return lines
}

func (w *world) path(name string) string {
	return filepath.Join(w.c.Dir, "agents", "main", "memory", name)
}

func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// edit changes a file as a person does.
func (w *world) edit(name string, change func(string) string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(change(w.read(name))), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// with puts one text in the place of another, which has to be there.
func (w *world) with(old, text string) func(string) string {
	return func(s string) string {
		if !strings.Contains(s, old) {
			w.t.Fatalf("%q does not stand in:\n%s", old, s)
		}
		return strings.Replace(s, old, text, 1)
	}
}

// brain is what is known of the user, a line each.
func (w *world) brain() (lines []string) {
	w.t.Helper()
	b, err := w.m.Brain(w.t.Context(), w.c.Scope)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range state.BrainParts() {
		for _, r := range b.In(p) {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", p, r.Subject, r.Content))
		}
	}
	return lines
}

func known() []memory.Change {
	return []memory.Change{
		{Subject: "address", Content: "Leeds", Importance: 9},
		{Subject: "job", Content: "baker", Importance: 8},
		{Kind: state.DecisionRecord, Content: "never book flights on Mondays", Importance: 7},
	}
}

func TestEditsAreReadBack(t *testing.T) {
	t.Parallel()
	const gone = "\x00"
	lineOf := func(s, word string) string {
		for line := range strings.Lines(s) {
			if strings.Contains(line, word) {
				return line
			}
		}
		return gone
	}
	tests := []struct {
		name  string
		edit  func(w *world, s string) string
		says  []string
		brain []string
	}{
		{"nothing", func(w *world, s string) string { return s }, nil,
			[]string{"user: address: Leeds", "user: job: baker", "decisions: : never book flights on Mondays"}},
		{"a line edited", func(w *world, s string) string { return w.with("Leeds", "York")(s) },
			[]string{"corrected brain.md:12: address: York (was: address: Leeds)"},
			[]string{"user: address: York", "user: job: baker", "decisions: : never book flights on Mondays"}},
		{"a line deleted", func(w *world, s string) string { return w.with(lineOf(s, "baker"), "")(s) },
			[]string{"forgotten brain.md: job: baker"},
			[]string{"user: address: Leeds", "decisions: : never book flights on Mondays"}},
		{"a line emptied", func(w *world, s string) string { return w.with("job: baker ", "")(s) },
			[]string{"forgotten brain.md:13: job: baker"},
			[]string{"user: address: Leeds", "decisions: : never book flights on Mondays"}},
		{"a line written", func(w *world, s string) string {
			return w.with("## Preferences\n", "## Preferences\n* tone: formal\n")(s)
		},
			[]string{"remembered brain.md:16: tone: formal"},
			[]string{"user: address: Leeds", "user: job: baker", "preferences: tone: formal", "decisions: : never book flights on Mondays"}},
		{"a line moved", func(w *world, s string) string {
			line := lineOf(s, "baker")
			return w.with("## Current\n", "## Current\n"+line)(w.with(line, "")(s))
		}, []string{"moved brain.md:20: job: baker"},
			[]string{"user: address: Leeds", "decisions: : never book flights on Mondays", "current: job: baker"}},
		{"another subject", func(w *world, s string) string { return w.with("job: baker", "trade: baker")(s) },
			[]string{"corrected brain.md:13: trade: baker (was: job: baker)"},
			[]string{"user: trade: baker", "user: address: Leeds", "decisions: : never book flights on Mondays"}},
		{"a secret", func(w *world, s string) string { return w.with("baker", "baker, password: Hunter2!x")(s) },
			[]string{"corrected brain.md:13: job: baker, password: [masked password 04] (was: job: baker)"},
			[]string{"user: job: baker, password: [masked password 04]", "user: address: Leeds", "decisions: : never book flights on Mondays"}},
		{"line ends of Windows", func(w *world, s string) string { return strings.ReplaceAll(w.with("Leeds", "York")(s), "\n", "\r\n") },
			[]string{"corrected brain.md:12: address: York (was: address: Leeds)"},
			[]string{"user: address: York", "user: job: baker", "decisions: : never book flights on Mondays"}},
		{"headings in Polish", func(w *world, s string) string {
			return w.with("## User", "## Użytkownik")(w.with("## Decisions", "## USTALENIA")(s))
		}, nil, []string{"user: address: Leeds", "user: job: baker", "decisions: : never book flights on Mondays"}},
		{"all at once", func(w *world, s string) string {
			return w.with("## Current\n", "## Current\n- address: York\n")(w.with(lineOf(s, "Leeds"), "")(s))
		}, []string{"remembered brain.md:20: address: York", "forgotten brain.md: address: Leeds"},
			[]string{"user: job: baker", "decisions: : never book flights on Mondays", "current: address: York"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, known()...)
			w.export()
			w.edit("brain.md", func(s string) string { return tt.edit(w, s) })
			same(t, "import says", tt.says, w.imported())
			got, want := map[string]bool{}, map[string]bool{}
			for _, line := range w.brain() {
				got[line] = true
			}
			for _, line := range tt.brain {
				want[line] = true
			}
			same(t, "the brain", want, got)

			// Again nothing changes, neither in memory nor in the files.
			before := w.read("brain.md")
			if again := w.imported(); again != nil {
				t.Errorf("imported again: %v", again)
			}
			w.export()
			if diff := cmp.Diff(before, w.read("brain.md")); diff != "" {
				t.Errorf("an export behind it (-before +after):\n%s", diff)
			}
			if changes, err := w.m.History().Audit(t.Context(), w.c.Scope, history.Query{Path: vault.Path}); err != nil || len(tt.says) > 0 == (len(changes) == 0) || len(changes) > 0 && changes[0].By.Who != state.ByUser {
				t.Errorf("audit: %+v, %v", changes, err)
			}
		})
	}
}

// What was changed in the file and in memory is named and left alone, and all else is taken in.
func TestConflicts(t *testing.T) {
	t.Parallel()
	w := setup(t, known()...)
	w.write(memory.Change{Subject: "car", Content: "Skoda", Importance: 3}, memory.Change{Subject: "dog", Content: "Rex", Importance: 2})
	w.export()
	w.edit("brain.md", func(s string) string {
		s = w.with("Leeds", "York")(s)
		s = w.with("baker", "cook")(s)
		s = w.with("Skoda", "Fiat")(s)
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			if strings.Contains(line, "Rex") {
				return strings.Join(append(lines[:i:i], lines[i+1:]...), "\n")
			}
		}
		return s
	})
	edited := w.read("brain.md")
	w.write(memory.Change{Subject: "address", Content: "Bergen"})
	if _, err := w.m.Amend(t.Context(), w.c.Scope, memory.Amendment{Action: memory.ForgetRecord, Match: "Skoda"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.Amend(t.Context(), w.c.Scope, memory.Amendment{Action: memory.CorrectRecord, Match: "Rex", Content: "Azor"}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`conflict brain.md:12: memory says "address: Bergen" since the export, and the line was edited; export --force writes what memory has, then edit it again`,
		`corrected brain.md:13: job: cook (was: job: baker)`,
		`conflict brain.md:14: it is forgotten in memory since the export, and was edited here; export --force writes what memory has, then edit it again`,
		`conflict brain.md: memory says "dog: Azor" since the export, and the line was deleted; export --force writes what memory has, then edit it again`,
	}
	same(t, "import says", want, w.imported())
	if edited != w.read("brain.md") {
		t.Error("a file with conflicts was written anew")
	}
	want = append(want[:1:1], want[2:]...)
	same(t, "the second import says", want, w.imported())
	done, err := vault.Import(t.Context(), w.c)
	if err != nil || state.CodeOf(done.Err()) != state.Conflict {
		t.Errorf("%v, %v, want a conflict", err, done.Err())
	}
	if _, err := vault.Export(t.Context(), w.c); state.CodeOf(err) != state.Conflict || edited != w.read("brain.md") {
		t.Errorf("an export over edits: %v, want a conflict and the file as it was", err)
	}
	w.c.Force = true
	w.export()
	if got := w.read("brain.md"); !strings.Contains(got, "Bergen") || !strings.Contains(got, "Azor") || !strings.Contains(got, "cook") || strings.Contains(got, "Fiat") {
		t.Errorf("exported by force:\n%s", got)
	}
}

// A file that cannot be read is named with its line and left alone; the others are read.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, says string
		edit       func(w *world, s string) string
	}{
		{"cut", `brain.md:13: the file ends in the middle of this line`, func(w *world, s string) string { return s[:strings.Index(s, "baker")] }},
		{"empty", `brain.md:1: is to be "---"`, func(*world, string) string { return "" }},
		{"not UTF-8", `brain.md:12: is not valid UTF-8`, func(w *world, s string) string { return w.with("Leeds", "Le\xffds")(s) }},
		{"front matter of another kind", `brain.md:2: mneme is "brain_archive"`, func(w *world, s string) string { return w.with("mneme: brain", "mneme: brain_archive")(s) }},
		{"front matter without an end", `brain.md:7: is no line of the front matter`, func(w *world, s string) string { return w.with("main\n---\n", "main\n")(s) }},
		{"an unknown name in front matter", `brain.md:7: "tags" is not read back`, func(w *world, s string) string { return w.with("agent: main\n", "agent: main\ntags: x\n")(s) }},
		{"another version", `brain.md:2: is of version "9"`, func(w *world, s string) string { return w.with("version: 1", "version: 9")(s) }},
		{"another user", `brain.md:5: user is "bob" and not "anna"`, func(w *world, s string) string { return w.with("user: anna", "user: bob")(s) }},
		{"another agent", `brain.md:2: is of agent dexter, whose folder is agents/dexter`, func(w *world, s string) string { return w.with("agent: main", "agent: dexter")(s) }},
		{"an unknown heading", `brain.md:11: the heading "Me" is not known`, func(w *world, s string) string { return w.with("## User", "## Me")(s) }},
		{"an unknown id", `brain.md:21: ^000000000000 is of no line`, func(w *world, s string) string {
			return w.with("## Current\n", "## Current\n- x ^000000000000\n")(s)
		}},
		{"an id twice", `stands in brain.md:13 too`, func(w *world, s string) string {
			line := s[strings.Index(s, "- job"):]
			return w.with("## Current\n", "## Current\n"+line[:strings.Index(line, "\n")+1])(s)
		}},
		{"text that is no line", `brain.md:22: is not read back`, func(w *world, s string) string { return w.with("## Current\n", "## Current\n\nCall mum!\n")(s) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, known()...)
			w.export()
			w.edit("brain.md", func(s string) string { return tt.edit(w, s) })
			w.edit("brain_archive.md", w.with("## User\n", "## User\n- shoes: size 41\n"))
			edited := w.read("brain.md")
			got := w.imported()
			if len(got) != 2 || !strings.Contains(strings.Join(got, "\n"), tt.says) || !strings.Contains(strings.Join(got, "\n"), "remembered brain_archive.md:12: shoes: size 41") {
				t.Errorf("import says %q, want %q, and the other file read", got, tt.says)
			}
			if edited != w.read("brain.md") {
				t.Error("the damaged file was written anew")
			}
			if n := len(w.brain()); n != 4 {
				t.Errorf("%d lines in the brain, want three and the new one: %q", n, w.brain())
			}
		})
	}
}

// Each line is read by itself: what is written below the end of a file, an end that is gone, and lines that are wrong cost no other line.
func TestLinesAreReadByThemselves(t *testing.T) {
	t.Parallel()
	footless := func(s string) string { return s[:strings.Index(s, "<!-- mneme:")] }
	var jazz []string
	for _, line := range []string{"likes jazz", "má rád swing", "lubi szachy", "любит джаз"} {
		jazz = append(jazz, "- "+line+"\n")
	}
	for _, tt := range []struct {
		name  string
		edit  func(w *world, s string) string
		says  []string
		brain []string // what is there besides, or in the place of, what was known
	}{
		{"below the end", func(_ *world, s string) string { return s + strings.Join(jazz, "") }, []string{
			"remembered brain.md:23: likes jazz", "remembered brain.md:24: má rád swing", "remembered brain.md:25: lubi szachy", "remembered brain.md:26: любит джаз",
		}, []string{"likes jazz", "má rád swing", "lubi szachy", "любит джаз"}},
		{"below the end, and edited above", func(w *world, s string) string { return w.with("Leeds", "York")(s) + jazz[0] },
			[]string{"corrected brain.md:12: address: York (was: address: Leeds)", "remembered brain.md:23: likes jazz"}, []string{"York", "likes jazz"}},
		{"the end is gone", func(w *world, s string) string { return footless(w.with("Leeds", "York")(s)) + jazz[1] },
			[]string{"corrected brain.md:12: address: York (was: address: Leeds)", "remembered brain.md:22: má rád swing"}, []string{"York", "má rád swing"}},
		{"the end is gone, and a line", func(w *world, s string) string {
			return footless(w.with(s[strings.Index(s, "- job"):strings.Index(s, "\n## Preferences")], "")(s))
		}, nil, []string{"baker"}}, // nobody can tell that it was there
		{"the end stands at the beginning", func(w *world, s string) string {
			end := s[strings.Index(s, "<!-- mneme:"):]
			return w.with("## User", end+"## User")(w.with("Leeds", "York")(footless(s)))
		}, []string{"corrected brain.md:13: address: York (was: address: Leeds)"}, []string{"York"}},
		{"an unknown heading, and edited elsewhere", func(w *world, s string) string { return w.with("## User", "## Me")(w.with("baker", "cook")(s)) }, []string{
			`unread brain.md:11: the heading "Me" is not known; it is one of User, Preferences, Decisions, Current`, "corrected brain.md:13: job: cook (was: job: baker)",
		}, []string{"cook"}},
		{"an unknown id, and edited elsewhere", func(w *world, s string) string { return w.with("baker", "cook")(s) + "- x ^000000000000\n" + jazz[0] }, []string{
			"damaged brain.md:23: ^000000000000 is of no line that was exported here; take it away to have the line remembered",
			"corrected brain.md:13: job: cook (was: job: baker)", "remembered brain.md:24: likes jazz",
		}, []string{"cook", "likes jazz"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, known()...)
			w.export()
			w.edit("brain.md", func(s string) string { return tt.edit(w, s) })
			same(t, "import says", tt.says, w.imported())
			brain := strings.Join(w.brain(), "\n") + "\n"
			for _, want := range append(tt.brain, "never book flights on Mondays") {
				if !strings.Contains(brain, want) {
					t.Errorf("%q is not in the brain:\n%s", want, brain)
				}
			}
			for _, again := range w.imported() {
				if !strings.HasPrefix(again, "unread ") && !strings.HasPrefix(again, "damaged ") {
					t.Errorf("imported again: %s", again)
				}
			}
		})
	}
}

// Many new lines go in few commits; one that is refused is told of and the others are there.
func TestManyLinesInFewCommits(t *testing.T) {
	t.Parallel()
	w := setup(t, known()...)
	w.export()
	const n = 1500
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- shelf %d: box %d\n", i, 7*i+1)
	}
	b.WriteString("- " + strings.Repeat("x", limit.ContentBytes+1) + "\n- the last one\n")
	w.edit("brain_archive.md", w.with("## User\n", "## User\n"+b.String()))
	before := w.store.commits.Load()
	done, err := vault.Import(t.Context(), w.c)
	if err != nil || len(done.Findings) != n+2 || state.CodeOf(done.Err()) != state.Invalid {
		t.Fatalf("%d findings, %v, %v", len(done.Findings), done.Err(), err)
	}
	for i, f := range done.Findings {
		if f.Done != (i != n) {
			t.Fatalf("%d: %.80s", i, f)
		}
	}
	if made := w.store.commits.Load() - before; made > 60 {
		t.Errorf("%d commits for %d lines", made, n)
	}
}

// A link is not followed, whatever it points to, and neither is a path that leaves the folder.
func TestLinks(t *testing.T) {
	t.Parallel()
	w := setup(t, known()...)
	w.export()
	outside := filepath.Join(t.TempDir(), "brain.md")
	must(t, os.Rename(w.path("brain.md"), outside))
	if err := os.Symlink(outside, w.path("brain.md")); err != nil {
		t.Skip("no links here: ", err)
	}
	got := w.imported()
	if len(got) != 1 || !strings.Contains(got[0], "brain.md:1:") || !strings.Contains(got[0], "is a link") {
		t.Errorf("import says %q", got)
	}
	w.c.Force = true
	if _, err := vault.Export(t.Context(), w.c); state.CodeOf(err) != state.Invalid {
		t.Errorf("an export over a link: %v", err)
	}
}

// What Mneme did not write stays, and so does the vault of another user.
func TestNothingOfOthersIsTouched(t *testing.T) {
	t.Parallel()
	w := setup(t, known()...)
	w.export()
	notes := filepath.Join(w.c.Dir, "agents", "main", "memory", "sessions", "mine.md")
	for _, name := range []string{notes, filepath.Join(w.c.Dir, "diary.md")} {
		must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must(t, os.WriteFile(name, []byte("my own\n"), 0o600))
	}
	w.export()
	if got := w.imported(); got != nil {
		t.Errorf("import says %q", got)
	}
	if text, err := os.ReadFile(notes); err != nil || string(text) != "my own\n" {
		t.Errorf("my own file: %q, %v", text, err)
	}
	bob := w.c
	bob.Scope.User, bob.Force = "bob", true
	if _, err := vault.Export(t.Context(), bob); state.CodeOf(err) != state.Conflict {
		t.Errorf("an export over the vault of another: %v", err)
	}
	done, err := vault.Import(t.Context(), bob)
	if err != nil || len(done.Findings) != 3 || state.CodeOf(done.Err()) != state.Invalid {
		t.Errorf("an import of the vault of another: %+v, %v", done, err)
	}
	other := w.c
	other.Scope.Client = "c2"
	if done, err := vault.Import(t.Context(), other); err != nil || len(done.Findings) != 3 || state.CodeOf(done.Err()) != state.Invalid {
		t.Errorf("an import into another client: %+v, %v", done, err)
	}
	must(t, os.WriteFile(w.path("brain.md"), []byte("# my own\n"), 0o600))
	w.c.Force = true
	if _, err := vault.Export(t.Context(), w.c); state.CodeOf(err) != state.Conflict {
		t.Errorf("an export over a file of one's own: %v", err)
	}
}

// Five thousand records: what is edited anywhere is read back, the archive too; a line moved into the brain stays there.
func TestManyRecords(t *testing.T) {
	t.Parallel()
	w := setup(t, known()...)
	const n = 5000
	var all []state.Effect
	for i := range n {
		r := state.Record{
			ID: fmt.Sprintf("r%d", i), Client: "c1", User: "anna", Kind: state.FactRecord, About: state.AboutUser, Importance: 3, RecordedAt: w.now,
			Subject: fmt.Sprintf("shelf %d", i), Content: fmt.Sprintf("box %d", 7*i+1),
		}
		all = append(all, state.Effect{Scope: w.c.Scope, Record: &r})
	}
	must(t, checkpointtest.Append(t.Context(), w.store, w.m.Turn().Commits(), all...))
	w.export()
	archive := w.read("brain_archive.md")
	if got := strings.Count(archive+w.read("brain.md"), "\n- "); got != n+3 {
		t.Fatalf("%d lines, want %d", got, n+3)
	}
	moved := archive[strings.Index(archive, "- shelf 77: "):]
	moved = moved[:strings.Index(moved, "\n")+1]
	w.edit("brain_archive.md", func(s string) string { return w.with(moved, "")(w.with("shelf 78: box 547", "shelf 78: empty")(s)) })
	w.edit("brain.md", w.with("## User\n", "## User\n"+moved))
	got := w.imported()
	if len(got) != 2 || !strings.HasPrefix(got[0], "pinned brain.md:12: shelf 77: box 540") || !strings.HasPrefix(got[1], "corrected brain_archive.md:") {
		t.Errorf("import says %q", got)
	}
	if brain := w.read("brain.md"); !strings.Contains(brain, "shelf 77: ") || strings.Contains(w.read("brain_archive.md"), "shelf 77: ") {
		t.Error("the line that was moved into the brain is not there")
	}
	if again := w.imported(); again != nil {
		t.Errorf("imported again: %q", again)
	}
}

var must, same = statetest.Must, statetest.Same
