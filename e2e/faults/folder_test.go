package faults_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/schema"
	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// Two processes serve one user from one folder, each a session, as fast as they can. One of them is killed ten times; each
// time a third lists, recalls and makes a backup meanwhile. Each turn finds what the other process had acknowledged before it,
// and in the end every turn is there once.
func TestTwoProcessesOneFolder(t *testing.T) {
	t.Parallel()
	turns, kills := 40, 10
	if long() {
		turns = 1000
	}
	dir, notes := t.TempDir(), t.TempDir()
	by := rand.New(rand.NewPCG(seed(t), 12))
	var whole sync.WaitGroup
	defer whole.Wait()
	whole.Go(func() { (job{Do: "share", Name: "b", Where: dir, Notes: notes, Stop: turns}).lives(t, turns) })
	for range kills {
		(job{Do: "share", Name: "a", Where: dir, Notes: notes, Stop: turns}).lives(t, 1+by.IntN(turns/kills))
		looks(t, dir, notes)
	}
	(job{Do: "share", Name: "a", Where: dir, Notes: notes, Stop: turns}).lives(t, turns)
	whole.Wait()
	all(t, dir, turns)
}

// lives runs the child that serves a session until it has acknowledged so many turns, and kills it if it has more to do.
func (j job) lives(t *testing.T, turns int) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], childWord, j.text(t))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return
	}
	lines, last := bufio.NewScanner(out), ""
	for n := 0; n < turns && lines.Scan(); n++ {
		last = lines.Text()
	}
	if last != fmt.Sprint(j.Stop) {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says that it was killed
		return
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("process %s: %v", j.Name, err)
	}
}

// share serves a session of the user: each turn keeps a note and looks for the newest one of the other session. It goes on
// behind the last turn it has acknowledged, and says so after each.
func (j job) share(ctx context.Context) (err error) {
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: j.Where})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	other := map[string]string{"a": "b", "b": "a"}[j.Name]
	asked := 0
	c := graph.Config{Store: s, Settings: state.DefaultSettings(), Model: chat(func(_ context.Context, question string, n int) (*schema.Message, error) {
		if n > 0 {
			return says("done"), nil
		}
		var own int
		if _, err := fmt.Sscanf(question, "entry "+j.Name+"%d", &own); err != nil {
			return nil, fmt.Errorf("the message %q is none of the test's: %w", question, err)
		}
		return calls("memory_recall", fmt.Sprintf(`{"query":"nickname of note%s%d","scope":"all"}`, other, asked),
			"memory_store", fmt.Sprintf(`{"subject":"note%s%d","category":"fact","content":%q}`, j.Name, own, noteOf(j.Name, own))), nil
	})}
	c.Settings.Detect = "model"
	g, err := graph.New(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	for n := acknowledged(j.Notes, j.Name) + 1; n <= j.Stop; n++ {
		asked = acknowledged(j.Notes, other)
		decides := `{"type":"CONTINUE","confidence":0.95}`
		if n%20 == 1 {
			decides = fmt.Sprintf(`{"type":"NEW_AFFAIR","new_affair_title":"Affair %s%d","confidence":0.95}`, j.Name, n)
		}
		r, err := g.Invoke(ctx, graph.Request{
			Scope: state.Scope{Session: j.Name}, MessageID: fmt.Sprint(j.Name, n), Text: fmt.Sprintf("entry %s%d", j.Name, n),
			SmallModel: judge{"": decides}, AskSmall: true,
		})
		if err != nil {
			return fmt.Errorf("turn %s%d: %w", j.Name, n, err)
		}
		mine := len(r.Tools) == 2 && strings.Contains(r.Tools[0].Arguments, fmt.Sprintf(`note%s%d"`, other, asked)) // no killed process had asked already
		if mine && asked > 0 && !strings.Contains(r.Tools[0].Result, noteOf(other, asked)) {
			return fmt.Errorf("turn %s%d does not find %q:\n%s", j.Name, n, noteOf(other, asked), r.Tools[0].Result)
		}
		if err := acknowledge(j.Notes, j.Name, n); err != nil {
			return err
		}
		fmt.Println(n)
	}
	return nil
}

func noteOf(name string, n int) string {
	return fmt.Sprintf("The nickname of note%s%d is zebra%d.", name, n, n*n+7)
}

// acknowledge notes how many turns of a session were acknowledged. The file grows by a byte a turn.
func acknowledge(notes, name string, n int) error {
	f, err := os.OpenFile(filepath.Join(notes, name), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{'.'}, int64(n-1))
	return errors.Join(err, f.Close())
}

func acknowledged(notes, name string) int {
	info, err := os.Stat(filepath.Join(notes, name))
	if err != nil {
		return 0
	}
	return int(info.Size())
}

// seen is what a third process finds in the folder.
type seen struct {
	Records, Copied, Affairs int
	Hit                      string
}

// looks has a third process look at the folder while others write, and make a backup.
func looks(t *testing.T, dir, notes string) {
	t.Helper()
	a, b := acknowledged(notes, "a"), acknowledged(notes, "b")
	j := job{Do: "look", Where: dir, Notes: filepath.Join(t.TempDir(), "backup"), Text: fmt.Sprint("nickname of notea", a)}
	cmd := exec.CommandContext(t.Context(), os.Args[0], childWord, j.text(t))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	must(t, err)
	var s seen
	must(t, json.Unmarshal(out, &s))
	if s.Records < a+b || s.Copied < a+b || a > 0 && (s.Affairs == 0 || !strings.Contains(s.Hit, noteOf("a", a))) {
		t.Errorf("%d and %d turns were acknowledged, a third process finds %+v", a, b, s)
	}
}

// look does what the commands affairs, recall and backup do.
func (j job) look(ctx context.Context) (s seen, err error) {
	over, err := sqlite.Open(ctx, sqlite.Config{Dir: j.Where})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, over.Close()) }()
	m, err := memory.New(memory.Config{Store: over, Now: time.Now, NewID: uuid.NewString, Settings: state.DefaultSettings()})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	affairs, err := m.Affairs().List(ctx, scope(), true)
	if err != nil {
		return s, err
	}
	hits, err := m.Recall(ctx, memory.Query{Scope: scope(), Text: j.Text, In: memory.InAll, Limit: 1})
	if err != nil {
		return s, err
	}
	records, err := m.Records(ctx, scope())
	if err != nil {
		return s, err
	}
	if s.Affairs, s.Records = len(affairs), len(records); len(hits) > 0 {
		s.Hit = hits[0].Text
	}
	if err := over.Backup(ctx, j.Notes); err != nil {
		return s, err
	}
	backup, err := sqlite.Open(ctx, sqlite.Config{Dir: j.Notes})
	if err != nil {
		return s, err
	}
	copied, err := memory.New(memory.Config{Store: backup, Now: time.Now, NewID: uuid.NewString, Settings: state.DefaultSettings()})
	if err == nil {
		records, err = copied.Records(ctx, scope())
		s.Copied = len(records)
		err = errors.Join(err, copied.Close())
	}
	return s, errors.Join(err, backup.Close())
}

// all checks that every turn of both sessions is in the folder, once.
func all(t *testing.T, dir string, turns int) {
	t.Helper()
	over := openFolder(t, dir)
	must(t, over.Check(t.Context()))
	m, err := memory.New(memory.Config{Store: over, Now: time.Now, NewID: uuid.NewString, Settings: state.DefaultSettings()})
	must(t, err)
	defer m.Close()
	records, err := m.Records(t.Context(), scope())
	must(t, err)
	kept := map[string]int{}
	for _, r := range records {
		kept[r.Content]++
	}
	affairs, err := m.Affairs().List(t.Context(), scope(), true)
	must(t, err)
	for _, name := range []string{"a", "b"} {
		var said []string
		messages, err := m.Messages(t.Context(), state.Scope{Session: name}.Default())
		must(t, err)
		for _, message := range messages {
			if message.Role == state.RoleUser {
				said = append(said, message.Text)
			}
		}
		for n := 1; n <= turns; n++ {
			if text := fmt.Sprintf("entry %s%d", name, n); len(said) < n || said[n-1] != text {
				t.Errorf("session %s: message %d is not %q", name, n, text)
				break
			}
			if kept[noteOf(name, n)] != 1 {
				t.Errorf("%q is kept %d times", noteOf(name, n), kept[noteOf(name, n)])
			}
		}
		if len(said) != turns {
			t.Errorf("session %s has %d messages of the user, want %d", name, len(said), turns)
		}
	}
	if want := 2 * ((turns + 19) / 20); len(records) != 2*turns || len(affairs) != want {
		t.Errorf("%d records and %d affairs, want %d and %d", len(records), len(affairs), 2*turns, want)
	}
}
