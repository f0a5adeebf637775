package faults_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// A queue delivers each message until it is answered, and the process that answers it is killed at a moment that comes by
// chance. Each answer books twice; the ledger of the bookings is a file outside. Nothing is lost, what is booked twice is
// booked under one key and had no result in the log, and a message that is delivered again books nothing more.
func TestLedgerUnderKills(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts some hundred processes")
	}
	for _, d := range []driver{folderDriver(), mongoDriver()} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			kills := 30
			if d.name == "mongo" && !long() {
				kills = 6
			}
			l := openLedger(t, d)
			by := rand.New(rand.NewPCG(seed(t), 10))
			places := l.deliver(t, 0, job{}).Places
			for n := 1; l.kills < kills; n++ {
				die := job{Dies: 1 + by.IntN(places)}
				if n%5 == 0 { // between the effect and the commit
					die = job{DiesAt: fmt.Sprintf("booked the hotel of message %d", n)}
				}
				l.deliver(t, n, die)
				l.check(t, n)
			}
			t.Logf("%d kills: 0 of %d bookings lost, %d made twice, each under its own key; 0 made again by a message delivered again", l.kills, l.keys, l.again)
		})
	}
}

// ledger is a store, what is booked beside it, and a bill.
type ledger struct {
	driver driver
	where  string // of the store: a folder, or a URI
	notes  string // the folder of the file
	kills  int
	keys   int // bookings asked for
	again  int // bookings that were made twice
}

func openLedger(t *testing.T, d driver) *ledger {
	t.Helper()
	l := &ledger{driver: d, where: t.TempDir(), notes: t.TempDir()}
	if d.name == "mongo" {
		s := d.fresh(t).(*database)
		l.where = s.uri
		must(t, s.Close())
	}
	return l
}

// booked is what a child that lives on says.
type booked struct {
	Reply  string
	Places int
}

// deliver delivers message n to a process that dies where die says, and again to others until it is answered, and once more.
func (l *ledger) deliver(t *testing.T, n int, die job) (b booked) {
	t.Helper()
	var kept []string // keys of the calls that had a result in the log when the process died
	for life := 1; ; life++ {
		j := job{Do: "book", Name: fmt.Sprintf("n%d-%d", n, life), Where: l.where, Notes: l.notes, Text: fmt.Sprintf("message %d", n), Dies: die.Dies, DiesAt: die.DiesAt}
		killed, err := crash.Run(t.Context(), []string{os.Args[0], childWord, j.text(t)}, nil, &b)
		must(t, err)
		if killed {
			l.kills++
			kept, die = l.results(t, n), job{}
			continue
		}
		if b.Reply != "Both are booked." {
			t.Fatalf("message %d, process %d: reply %q", n, life, b.Reply)
		}
		if life > 1 {
			break
		}
		die = job{} // it lived: the queue was not told, and delivers once more
	}
	for key, times := range l.bookings(t, n) {
		if times > 1 && slices.Contains(kept, key) {
			t.Errorf("message %d: %s had its result in the log and was booked %d times", n, key, times)
		}
	}
	return b
}

// check looks at what message n has booked.
func (l *ledger) check(t *testing.T, n int) {
	t.Helper()
	all := l.bookings(t, n)
	l.keys += len(all)
	if len(all) != 2 {
		t.Errorf("message %d: booked under %d keys, want 2: %v", n, len(all), all)
	}
	for key, times := range all {
		if times > 1 {
			l.again++
		}
		if times > 2 {
			t.Errorf("message %d: %s was booked %d times, a kill costs one more at most", n, key, times)
		}
	}
}

// bookings counts the lines of message n in the ledger, by idempotency key.
func (l *ledger) bookings(t *testing.T, n int) map[string]int {
	t.Helper()
	f, err := os.Open(filepath.Join(l.notes, "ledger"))
	must(t, err)
	defer f.Close()
	out := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, what, _ := strings.Cut(lines.Text(), " "); strings.HasSuffix(what, fmt.Sprintf("of message %d", n)) {
			out[key]++
		}
	}
	return out
}

// results are the idempotency keys of the calls of message n that have a result in the store.
func (l *ledger) results(t *testing.T, n int) (keys []string) {
	t.Helper()
	s, err := openAt(t.Context(), l.where)
	must(t, err)
	defer s.Close()
	w := newWorld()
	g := w.open(t, s, func(c *graph.Config) { c.Model = chat(books) })
	defer g.Close()
	list, err := g.Memory().Messages(t.Context(), scope())
	must(t, err)
	asked := int64(0)
	for _, msg := range list {
		if len(msg.ToolCalls) > 0 {
			asked = msg.Seq
		}
		if msg.Role == state.RoleTool && strings.Contains(msg.Text, fmt.Sprintf("of message %d", n)) {
			keys = append(keys, fmt.Sprintf("%s/%s/%d/%s", scope().Thread().Key(), msg.Turn, asked, msg.ToolCallID))
		}
	}
	return keys
}

// books is the model: it books a train and a hotel for each message.
func books(_ context.Context, question string, n int) (*schema.Message, error) {
	_, number, _ := strings.Cut(question, "message ")
	if n == 0 {
		return calls("book", "the train of message "+number, "book", "the hotel of message "+number), nil
	}
	return says("Both are booked."), nil
}

// openAt opens the store at a URI or in a folder.
func openAt(ctx context.Context, where string) (interface {
	store.Store
	Close() error
}, error) {
	if strings.HasPrefix(where, "mongodb://") {
		return mongo.Open(ctx, mongo.Config{URI: where, Timeout: time.Minute})
	}
	return sqlite.Open(ctx, sqlite.Config{Dir: where})
}

// book answers a message in this process, unless it dies before.
func (j job) book(ctx context.Context) (b booked, err error) {
	s, err := openAt(ctx, j.Where)
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w := &crash.Walk{Dies: func(n int, place string) bool { return n == j.Dies || place == j.DiesAt }}
	now, after := patient()
	g, err := graph.New(ctx, graph.Config{
		Store: w.Store(s), Model: w.Chat(chat(books)), Now: now, After: after, NewID: numbered(j.Name), Tools: []tool.InvokableTool{j.desk(w)},
	})
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	r, err := g.Invoke(w.Context(ctx), graph.Request{Text: j.Text, MessageID: strings.ReplaceAll(j.Text, " ", "-")})
	return booked{r.Text, len(w.Passed())}, err
}

// patient is a clock that moves on only when somebody looks again for a session that another process has: one that was killed between
// its first step and its signpost has it until its lease ends. Longer waits, for a tool, are real.
func patient() (now func() time.Time, after func(time.Duration) <-chan time.Time) {
	var waited atomic.Int64
	now = func() time.Time { return storyTime().Add(time.Duration(waited.Load())) }
	return now, func(d time.Duration) <-chan time.Time {
		if d > time.Second {
			return time.After(d)
		}
		waited.Add(int64(d))
		return time.After(0)
	}
}

// desk is the tool: it writes a line into the ledger, on the disk before it returns. Between the line and the result is a
// place to die.
func (j job) desk(w *crash.Walk) tool.InvokableTool {
	return handmade{"book", func(ctx context.Context, args string) (string, error) {
		f, err := os.OpenFile(filepath.Join(j.Notes, "ledger"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return "", err
		}
		_, err = fmt.Fprintf(f, "%s %s\n", state.IdempotencyKey(ctx), args)
		if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
			w.Pass("booked " + args)
		}
		return "booked " + args, err
	}}
}
