package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// cut is where the log of a store may end: after a turn that was acknowledged.
type cut struct {
	bytes    int64
	messages []string
}

// A process is killed in a turn, and the store's log is cut short at many places besides, as no crash does it but a bad
// disk does. Opening says that acknowledged commits are missing. Where store.mark is older than the cut, as after a
// power cut, the graph opens, holds every turn that was acknowledged before the cut, and goes on.
func TestLogCutShort(t *testing.T) {
	t.Parallel()
	dir, cuts := killed(t)
	whole := written(t, dir)
	places := 64
	if long() {
		places = 1000 // each takes some 40 ms
	}
	opened, told := 0, 0
	for n := range places {
		at := len(whole) - n*len(whole)/places
		t.Run(fmt.Sprintf("after %d of %d bytes", at, len(whole)), func(t *testing.T) {
			to := filepath.Join(t.TempDir(), "store")
			must(t, os.CopyFS(to, os.DirFS(dir)))
			must(t, os.Truncate(filepath.Join(to, "store.db-wal"), int64(at)))
			if !opens(t, to) {
				told++
				must(t, os.Remove(filepath.Join(to, "store.mark")))
			}
			if goesOn(t, to, int64(at), cuts) {
				opened++
			}
		})
	}
	t.Logf("%d of %d cuts were told, %d opened without the mark", told, places, opened)
	if opened < places/2 || told < places/2 {
		t.Errorf("%d of %d cuts were told, %d opened without the mark: want most", told, places, opened)
	}
}

// opens reports whether a store opens; if not, it says what is missing.
func opens(t *testing.T, dir string) bool {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	if err == nil {
		must(t, s.Close())
	} else if !strings.Contains(err.Error(), "were acknowledged") {
		t.Errorf("opening: %v, want an error about acknowledged commits", err)
	}
	return err == nil
}

// written is what is in a store's log.
func written(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "store.db-wal"))
	must(t, err)
	return bytes.TrimRight(b, "\x00")
}

// killed leaves a folder as a process does that is killed in the third turn, and says where its log was after each turn.
func killed(t *testing.T) (dir string, cuts []cut) {
	t.Helper()
	live, dir := t.TempDir(), filepath.Join(t.TempDir(), "store")
	over := openFolder(t, live)
	s, h := newStory(), &gated{}
	s.begin(t, over)
	size := func() int64 { return int64(len(written(t, live))) }
	g := s.open(t, over)
	cuts = append(cuts, cut{size(), said(t, g, scope())})
	_, err := g.Invoke(t.Context(), graph.Request{Text: inscribed})
	must(t, err)
	cuts = append(cuts, cut{size(), said(t, g, scope())})
	s.pass(time.Minute)
	at := h.hold(wanted)
	done := make(chan error)
	go func() {
		_, err := g.Invoke(t.Context(), graph.Request{Text: wanted, Model: chat(h.answer)})
		done <- err
	}()
	<-at.inside
	must(t, os.CopyFS(dir, os.DirFS(live)))
	close(at.leave)
	must(t, <-done)
	return dir, cuts
}

// goesOn opens a store whose log was cut and goes on with what is there; false = that is a typed error.
func goesOn(t *testing.T, dir string, at int64, cuts []cut) bool {
	t.Helper()
	over, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	if err != nil {
		var coded *state.Error
		if !errors.As(err, &coded) {
			t.Errorf("opening: %v, want a typed error", err)
		}
		return false
	}
	defer over.Close()
	s := newStory()
	s.pass(time.Minute * 5)
	s.processes.Add(100) // ids that are new to the store
	g := s.open(t, over)
	list := said(t, g, scope())
	for _, c := range cuts {
		if at >= c.bytes && !cmp.Equal(c.messages, list[:min(len(c.messages), len(list))]) {
			t.Errorf("%d messages were acknowledged before the cut, these are left:\n%s", len(c.messages), strings.Join(list, "\n"))
		}
	}
	if _, err := g.Resume(t.Context(), scope()); err != nil && !errors.Is(err, state.ErrNotFound) {
		t.Errorf("going on: %v", err)
	}
	r, err := g.Invoke(t.Context(), graph.Request{Text: wanted})
	if err != nil || r.Text != "Go on." {
		t.Errorf("the next turn: %q, %v", r.Text, err)
	}
	line(t, g, scope())
	must(t, g.Close())
	return true
}

// The disk is full from one of the turn's store calls on, whichever: the turn fails with a typed error, what was
// acknowledged stays, and when there is room again the end is that of an undisturbed run.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !canFill() {
		t.Skip("files cannot be kept from growing here")
	}
	d := folderDriver()
	want, points := undisturbed(t, d), points(t, d)
	step := 2
	if long() {
		step = 1
	}
	for n := 1; n <= points; n += step {
		t.Run(fmt.Sprintf("from call %d on", n), func(t *testing.T) {
			t.Parallel()
			full(t, want, n)
		})
	}
}

// full tells the story in this process and its second turn in a child, whose disk is full from the n-th call on.
func full(t *testing.T, want []string, n int) {
	t.Helper()
	const at = "full"
	dir := t.TempDir()
	over := openFolder(t, dir)
	s := newStory()
	s.elsewhere = true
	s.begin(t, over)
	must(t, over.Close())
	r := job{Do: "fill", Name: "child", Where: dir, Skew: time.Minute, Stop: n}.start(t).end()
	if r.Code != "" && r.Code != state.Unavailable {
		t.Errorf("%s: the turn ends with %+v, want unavailable", at, r)
	}
	if r.Again != "" {
		t.Errorf("%s: when there is room again: %s", at, r.Again)
	}
	over = openFolder(t, dir)
	g := s.open(t, over)
	s.pass(time.Minute)
	if _, err := g.Invoke(t.Context(), graph.Request{Text: wanted}); err != nil {
		t.Errorf("%s: the next turn: %v", at, err)
	}
	s.ends(t, at, want, over, r.Code == "")
	must(t, errors.Join(g.Close(), over.Close()))
}

// fill runs the story's second turn while the disk is full from a store call on, and goes on when it is not.
func (j job) fill(ctx context.Context) (r result, err error) {
	over, err := sqlite.Open(ctx, sqlite.Config{Dir: j.Where})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, over.Close()) }()
	var limited error
	f := storetest.Wrap(over, nil)
	g, err := j.graph(ctx, f)
	if err != nil {
		return r, err
	}
	before, err := saidIn(ctx, g, scope())
	if err != nil {
		return r, err
	}
	f.Set(storetest.Before(j.Stop, func() { limited = setLimit(1) }))
	_, failed := g.Invoke(ctx, graph.Request{Text: inscribed})
	r = result{Code: state.CodeOf(failed), Error: fmt.Sprint(failed), Calls: f.Calls()}
	after, err := saidIn(ctx, g, scope())
	if !cmp.Equal(before, after[:min(len(before), len(after))]) || err != nil {
		r.Again += fmt.Sprintf("while it was full: %q, %v\n", after, err)
	}
	if err := errors.Join(limited, setLimit(0)); err != nil {
		return r, err
	}
	f.Set(nil)
	if failed != nil {
		if _, err := g.Resume(ctx, scope()); errors.Is(err, state.ErrNotFound) {
			if turns, _ := turnsOf(ctx, g); turns == 1 {
				_, err = g.Invoke(ctx, graph.Request{Text: inscribed})
			} else {
				err = nil
			}
			if err != nil {
				r.Again += err.Error()
			}
		} else if err != nil {
			r.Again += err.Error()
		}
	}
	return r, g.Close()
}
