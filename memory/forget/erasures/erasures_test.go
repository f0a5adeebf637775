package erasures_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

const childWord = "erasures-child"

// TestMain is a child that adds lines, or the tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == childWord {
		book, err := erasures.Open(os.Args[2])
		for n := 0; err == nil && n < each; n++ {
			_, err = book.Append(context.Background(), line(fmt.Sprint(os.Args[3], "-", n)))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// each is how many lines a child adds.
const each = 40

func line(order string) forget.Line {
	return forget.Line{At: time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC), Said: forget.Asked, Client: "c", User: "anna", Order: order, What: "record", Name: "r1", Erase: []string{"records/r1"}}
}

var must = statetest.Must

// ledgers are one of each kind.
func ledgers(t *testing.T) map[string]forget.Ledger {
	file, err := erasures.Open(filepath.Join(t.TempDir(), "book.jsonl"))
	must(t, err)
	return map[string]forget.Ledger{"file": file, "store": erasures.In(ram.New(), "a store")}
}

func TestLinesAreAChain(t *testing.T) {
	t.Parallel()
	for name, book := range ledgers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if lines, err := book.Lines(t.Context()); err != nil || len(lines) != 0 {
				t.Fatalf("at first: %v, %v", lines, err)
			}
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					for n := range 20 {
						if _, err := book.Append(t.Context(), line(fmt.Sprint(i, "-", n))); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			lines, err := book.Lines(t.Context())
			must(t, err)
			if len(lines) != 80 {
				t.Errorf("%d lines, want 80", len(lines))
			}
			must(t, forget.Check(lines))
			lines[7].Name = "r2"
			if err := forget.Check(lines); state.CodeOf(err) != state.Conflict || !strings.Contains(err.Error(), "8") {
				t.Errorf("an edited line: %v", err)
			}
		})
	}
}

// Several processes add lines to one file: none is lost, and they are one chain.
func TestProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "book.jsonl")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if out, err := exec.CommandContext(t.Context(), os.Args[0], childWord, path, fmt.Sprint(i)).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	book, err := erasures.Open(path)
	must(t, err)
	lines, err := book.Lines(t.Context())
	must(t, err)
	if err := forget.Check(lines); err != nil || len(lines) != 4*each {
		t.Errorf("%d lines, want %d; %v", len(lines), 4*each, err)
	}
}

// three is a ledger of three lines in a file, and what that holds.
func three(t *testing.T) (book *erasures.File, path string, whole []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "book.jsonl")
	book, err := erasures.Open(path)
	must(t, err)
	for n := range 3 {
		_, err := book.Append(t.Context(), line(fmt.Sprint(n)))
		must(t, err)
	}
	whole, err = os.ReadFile(path)
	must(t, err)
	return book, path, whole
}

// What was written in part was promised to nobody: it is passed over, and the next line takes its place.
func TestTornLine(t *testing.T) {
	t.Parallel()
	book, path, whole := three(t)
	begins := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for cut := begins; cut < len(whole); cut += 17 {
		must(t, os.WriteFile(path, whole[:cut], 0o600))
		lines, err := book.Lines(t.Context())
		if err != nil || len(lines) != 2 {
			t.Fatalf("cut at %d: %d lines, %v", cut, len(lines), err)
		}
		_, err = book.Append(t.Context(), line("again"))
		must(t, err)
		lines, err = book.Lines(t.Context())
		if err != nil || len(lines) != 3 || lines[2].Order != "again" || forget.Check(lines) != nil {
			t.Fatalf("cut at %d, then a line: %+v, %v", cut, lines, err)
		}
	}
}

// No byte of a file can be changed without being found.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	book, path, whole := three(t)
	for at := range whole {
		changed := bytes.Clone(whole)
		changed[at] ^= 1
		must(t, os.WriteFile(path, changed, 0o600))
		lines, err := book.Lines(t.Context())
		if err == nil {
			err = forget.Check(lines)
		}
		if at == len(whole)-1 { // the last line is none without its end
			continue
		}
		if state.CodeOf(err) != state.Conflict {
			t.Errorf("byte %d of %d changed to %q: %v", at, len(whole), changed[at], err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]state.Code{dir: state.Invalid, filepath.Join(dir, "no", "book"): state.Unavailable} {
		if _, err := erasures.Open(path); state.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// A line holds ids and numbers, and no field that text could come into unseen.
func TestLineHoldsNoText(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(forget.Line{By: &state.By{Who: state.ByUser, Path: "api"}, Held: []forget.Holding{{Record: "r1"}}})
	must(t, err)
	var fields map[string]any
	must(t, json.Unmarshal(text, &fields))
	for _, name := range []string{"text", "content", "topic", "title", "why"} {
		if _, there := fields[name]; there {
			t.Errorf("a line has %s", name)
		}
	}
}
