package vectors_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// A thousand CRITICAL writes, by processes that are killed again and again: what was acknowledged as durable and indexed is
// found by the next process, each record by recall and by its vector alone.
func TestCriticalWritesAreFound(t *testing.T) {
	t.Parallel()
	const all = 1000
	rounds := 4
	if long() {
		rounds = 40
	}
	random := rand.New(rand.NewPCG(seed(t), 1))
	dir := t.TempDir()
	acknowledged := map[int]string{}
	for round := range rounds {
		from, to := len(acknowledged), all*(round+1)/rounds
		stop := from + 1 + random.IntN(max(1, to-from))
		if round == rounds-1 {
			stop = all
		}
		written(t, job{Do: "write", Dir: dir, From: from, To: 2 * all}, stop, acknowledged)
		found(t, dir, acknowledged)
		t.Logf("killed after %d of %d: all %d found", stop, all, len(acknowledged))
	}
	if len(acknowledged) < all {
		t.Errorf("%d were acknowledged, want %d", len(acknowledged), all)
	}
}

// text of a record: no two are about the same.
func text(n int) string {
	return fmt.Sprintf("Locker %d in hall %c opens with the code %08x.", n, 'A'+n%26, uint32(n+1)*2654435761)
}

// write writes records one by one and tells of each that is durable and has its vector.
func (j job) write(ctx context.Context, s store.Store, out io.Writer) error {
	m, err := open(s, fmt.Sprintf("w%d", j.From), nil)
	if err != nil {
		return err
	}
	for n := j.From; n < j.To; n++ {
		receipts, err := m.Write(ctx, scope(), memory.Change{Subject: fmt.Sprintf("locker %d", n), Content: text(n), Priority: state.Critical})
		if err != nil {
			return err
		}
		if r := receipts[0]; !r.Durable || !r.Indexed || r.Outcome == state.Replaced || r.Outcome == state.Refined {
			return fmt.Errorf("record %d: %+v", n, r)
		}
		if _, err := fmt.Fprintln(out, n, receipts[0].ID); err != nil {
			return err
		}
	}
	return m.Close()
}

// written lets a process write and kills it once so many records are acknowledged in all. What it acknowledged until it was
// dead counts too.
func written(t *testing.T, j job, stop int, acknowledged map[int]string) {
	t.Helper()
	task, err := json.Marshal(j)
	must(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0], childWord)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(task), &errs
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var n int
		var id string
		if _, err := fmt.Sscan(lines.Text(), &n, &id); err != nil {
			break // cut short
		}
		acknowledged[n] = id
		if len(acknowledged) == stop {
			must(t, cmd.Process.Kill())
		}
	}
	err = cmd.Wait()
	if err == nil || !strings.Contains(err.Error(), "killed") || len(acknowledged) < stop {
		t.Fatalf("the writer ended with %v after %d of %d: %s", err, len(acknowledged), stop, errs.String())
	}
}

// found checks that every acknowledged record is there: first by its vector, on the bare store, then by recall.
func found(t *testing.T, dir string, acknowledged map[int]string) {
	t.Helper()
	s := folder(t, dir)
	defer s.Close()
	bare, err := local.New(local.Config{Store: s})
	must(t, err)
	vectors, err := live(t.Context(), bare)
	must(t, err)
	m, err := open(s, "r", nil)
	must(t, err)
	defer m.Close()
	list, err := vectors.List(t.Context(), index.Of(scope()))
	must(t, err)
	lost := 0
	for n, id := range acknowledged {
		raw, err := m.model.EmbedStrings(t.Context(), []string{fmt.Sprintf("locker %d: %s", n, text(n))})
		must(t, err)
		vector := make([]float32, dim)
		for i, x := range raw[0] {
			vector[i] = float32(x)
		}
		hits, err := vectors.Search(t.Context(), index.Of(scope()), index.Query{Vector: vector, Limit: 1})
		if err != nil || len(hits) != 1 || hits[0].ID != "records/"+id || hits[0].Cosine < .999 {
			lost++
			t.Errorf("record %d (%s) by its vector: %+v, %v", n, id, hits, err)
		}
	}
	for n, id := range acknowledged {
		hits, err := m.Recall(t.Context(), memory.Query{Scope: scope(), Text: fmt.Sprintf("code of locker %d", n), Limit: 3})
		if err != nil || !slices.ContainsFunc(hits[:min(1, len(hits))], func(h memory.Hit) bool { return h.ID == id && h.Why.Fields.Near > 0 }) {
			lost++
			t.Errorf("record %d (%s) by recall: %d hits, %v", n, id, len(hits), err)
		}
		if lost > 10 {
			t.FailNow()
		}
	}
	if len(list) < len(acknowledged) || len(list) > len(acknowledged)+1 {
		t.Errorf("%d vectors of %d records that were acknowledged, and one at most that was not", len(list), len(acknowledged))
	}
}
