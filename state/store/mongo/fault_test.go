package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

// slack is what a loaded machine may need beyond a deadline; a hang is longer.
const slack = 10 * time.Second

// behindProxy opens a store whose line to the server can break, and one whose line does not.
func behindProxy(t *testing.T, timeout time.Duration) (s, direct *mongo.Store, p *mongotest.Proxy) {
	t.Helper()
	uri := mongotest.Shared(t)
	u, err := url.Parse(uri)
	must(t, err)
	p = mongotest.StartProxy(t, u.Host)
	direct = open(t, mongo.Config{URI: uri, Timeout: time.Minute})
	s = open(t, mongo.Config{URI: p.URI(uri), Timeout: timeout})
	return s, direct, p
}

// What a faulty line may make of a call: nothing, an error, or one that says that the outcome is unknown.
const (
	ok          = ""
	unavailable = "unavailable"
	unknown     = "outcome is unknown"
)

// faultCase is a call that meets a fault. After is what may stand there then: "old@revision new@revision".
type faultCase struct {
	name  string
	fault mongotest.Fault
	call  func(context.Context, store.Store) error
	want  string
	after string
}

func once(m mongotest.Mode, command string) mongotest.Fault {
	return mongotest.Fault{Mode: m, Command: command, Times: 1, Wait: 50 * time.Millisecond}
}

func always(m mongotest.Mode, command string) mongotest.Fault {
	return mongotest.Fault{Mode: m, Command: command}
}

func faultCases() []faultCase {
	insert := func(ctx context.Context, s store.Store) error {
		return s.Write(ctx, doc(state.Affairs, "new", 0, "new"))
	}
	replace := func(ctx context.Context, s store.Store) error {
		return s.Write(ctx, doc(state.Affairs, "old", 1, "new"))
	}
	remove := func(ctx context.Context, s store.Store) error {
		return s.Write(ctx, store.Doc{Collection: state.Affairs, ID: "old", Rev: 1})
	}
	several := func(ctx context.Context, s store.Store) error {
		return s.Write(ctx, doc(state.Affairs, "new", 0, "new"), doc(state.Affairs, "new2", 0, "new"), doc(state.Steps, "new", 0, "new"),
			doc(state.Affairs, "old", 1, "new"), doc(state.Records, "new", 0, "new"))
	}
	get := func(ctx context.Context, s store.Store) error {
		_, err := s.Get(ctx, state.Affairs, "old")
		return err
	}
	scan := func(ctx context.Context, s store.Store) error {
		_, err := s.Scan(ctx, store.Query{Collection: state.Affairs})
		return err
	}
	forget := func(ctx context.Context, s store.Store) error {
		_, err := s.Delete(ctx, state.Affairs, "old")
		return err
	}
	return []faultCase{
		{"insert, reset before it", once(mongotest.Reset, "insert"), insert, ok, "old@1 new@1"},
		{"insert, reply cut", once(mongotest.CutReply, "insert"), insert, ok, "old@1 new@1"},
		{"insert, every reply cut", always(mongotest.CutReply, "insert"), insert, ok, "old@1 new@1"},
		{"insert, always reset", always(mongotest.Reset, "insert"), insert, unknown, "old@1 new@0"},
		{"insert, late", once(mongotest.Delay, "insert"), insert, ok, "old@1 new@1"},
		{"insert, reply swallowed", always(mongotest.HalfOpen, "insert"), insert, unknown, "old@1 new@1"},
		{"insert, black hole", always(mongotest.BlackHole, "insert"), insert, unknown, "old@1 new@0"},
		{"insert, all is black", always(mongotest.BlackHole, ""), insert, unavailable, "old@1 new@0"},
		{"replace, reset before it", once(mongotest.Reset, "update"), replace, ok, "old@2 new@0"},
		{"replace, reply cut", once(mongotest.CutReply, "update"), replace, ok, "old@2 new@0"},
		{"replace, every reply cut", always(mongotest.CutReply, "update"), replace, ok, "old@2 new@0"},
		{"replace, reply swallowed", always(mongotest.HalfOpen, "update"), replace, unknown, "old@2 new@0"},
		{"delete, reset before it", once(mongotest.Reset, "delete"), remove, ok, "old@0 new@0"},
		{"delete, reply cut", once(mongotest.CutReply, "delete"), remove, unknown, "old@0 new@0"},
		{"several, reply to the inserts cut", always(mongotest.CutReply, "insert"), several, ok, "old@2 new@1"},
		{"several, reset once", once(mongotest.Reset, "insert"), several, ok, "old@2 new@1"},
		{"several, all is black", always(mongotest.BlackHole, ""), several, unavailable, "old@1 new@0"},
		{"get, reset", once(mongotest.Reset, "find"), get, ok, "old@1 new@0"},
		{"get, reply cut", once(mongotest.CutReply, "find"), get, ok, "old@1 new@0"},
		{"get, black hole", always(mongotest.BlackHole, "find"), get, unavailable, "old@1 new@0"},
		{"get, every reply swallowed", always(mongotest.HalfOpen, "find"), get, unavailable, "old@1 new@0"},
		{"scan, reset", once(mongotest.Reset, "find"), scan, ok, "old@1 new@0"},
		{"scan, always reset", always(mongotest.Reset, "find"), scan, unavailable, "old@1 new@0"},
		{"delete by prefix, reply cut", once(mongotest.CutReply, "delete"), forget, unknown, "old@0 new@0"},
		{"delete by prefix, reset", once(mongotest.Reset, "find"), forget, ok, "old@0 new@0"},
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range faultCases() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			limit := 2 * time.Second
			if tt.want == ok {
				limit = time.Minute
			}
			s, direct, p := behindProxy(t, 10*time.Second)
			write(t, direct, doc(state.Affairs, "old", 0, "old"))
			p.Set(tt.fault)
			begin := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			err := tt.call(ctx, s)
			if took := time.Since(begin); took > limit+slack {
				t.Errorf("the call took %s, its deadline was %s", took, limit)
			}
			if p.Hits() == 0 {
				t.Error("nothing met the fault")
			}
			p.Set(mongotest.Fault{})
			if tt.want == ok && err != nil {
				t.Errorf("error = %v, want none", err)
			}
			if tt.want != ok && (state.CodeOf(err) != state.Unavailable || tt.want == unknown && !strings.Contains(err.Error(), unknown)) {
				t.Errorf("error = %v, want an Unavailable one (%s)", err, tt.want)
			}
			if got := fmt.Sprintf("old@%d new@%d", revision(t, direct, "old"), revision(t, direct, "new")); got != tt.after {
				t.Errorf("afterwards there is %s, want %s", got, tt.after)
			}
			heals(t, s)
		})
	}
}

// revision is that of an affair, 0 if there is none.
func revision(t *testing.T, s store.Store, id string) int64 {
	t.Helper()
	d, err := s.Get(t.Context(), state.Affairs, id)
	if err != nil && !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Get %s: %v", id, err)
	}
	return d.Rev
}

// heals fails the test unless the store works again, within few calls, on a line that was mended.
func heals(t *testing.T, s store.Store) {
	t.Helper()
	var err error
	for range 5 {
		if _, err = s.Get(t.Context(), state.Affairs, "nothing"); errors.Is(err, state.ErrNotFound) {
			return
		}
	}
	t.Errorf("the line is mended, but Get = %v", err)
}

// A large document survives lost replies for its pieces and for itself.
func TestLargeFaults(t *testing.T) {
	t.Parallel()
	for _, m := range []mongotest.Mode{mongotest.Reset, mongotest.CutReply} {
		t.Run(fmt.Sprint("mode ", m), func(t *testing.T) {
			t.Parallel()
			s, direct, p := behindProxy(t, time.Minute)
			p.Set(mongotest.Fault{Mode: m, Command: "insert", Times: 2})
			write(t, s, large("a", 0, 6<<20, 1))
			p.Set(mongotest.Fault{Mode: m, Command: "update", Times: 1})
			write(t, s, large("a", 1, 5<<20, 2))
			if d, err := direct.Get(t.Context(), state.Affairs, "a"); err != nil || d.Rev != 2 || !bytes.Equal(d.Body, large("a", 0, 5<<20, 2).Body) {
				t.Errorf("Get = revision %d, %d bytes, %v; want revision 2, whole", d.Rev, len(d.Body), err)
			}
		})
	}
}

// Two who race over a line that loses replies are never both told that they won.
func TestRaceOverBrokenLine(t *testing.T) {
	t.Parallel()
	s, direct, p := behindProxy(t, 30*time.Second)
	p.Set(mongotest.Fault{Mode: mongotest.CutReply, Command: "insert", Times: 8})
	for round := range 8 {
		id := fmt.Sprint("step/", round)
		var won atomic.Int64
		var wg sync.WaitGroup
		for i, who := range []store.Store{s, direct, s} {
			wg.Go(func() {
				switch err := who.Write(t.Context(), doc(state.Steps, id, 0, fmt.Sprint("writer ", i))); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, state.ErrConflict):
					t.Errorf("Write: %v", err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d of 3 won %s", won.Load(), id)
		}
	}
}

// In a storm of faults every acknowledged write stands, and every other one stands or does not, but whole.
func TestStorm(t *testing.T) {
	t.Parallel()
	const rounds = 20
	s, direct, p := behindProxy(t, 30*time.Second)
	rng := rand.New(rand.NewPCG(7, 7))
	modes := []mongotest.Mode{mongotest.Pass, mongotest.Delay, mongotest.Reset, mongotest.CutReply}
	rev, acknowledged := int64(0), 0
	for i := range rounds {
		p.Set(mongotest.Fault{Mode: modes[rng.IntN(len(modes))], Times: 1 + rng.IntN(3), Wait: time.Duration(rng.IntN(20)) * time.Millisecond})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := s.Write(ctx, doc(state.Affairs, "a", rev, fmt.Sprint(i)))
		cancel()
		p.Set(mongotest.Fault{})
		got, now := text(t, direct, "a")
		switch {
		case err == nil && (now != rev+1 || got != fmt.Sprint(i)):
			t.Fatalf("write %d at %d was acknowledged, but %q stands at %d", i, rev, got, now)
		case err == nil:
			acknowledged++
		case state.CodeOf(err) != state.Unavailable:
			t.Fatalf("write %d: %v, want an Unavailable error", i, err)
		case now != rev && (now != rev+1 || got != fmt.Sprint(i)):
			t.Fatalf("write %d at %d is in doubt, and %q stands at %d", i, rev, got, now)
		}
		rev = now
	}
	t.Logf("%d of %d writes acknowledged", acknowledged, rounds)
}

// What a killed server acknowledged is there when it is back, for a store that was open all the time.
func TestKill(t *testing.T) {
	t.Parallel()
	server := mongotest.Start(t, mongotest.Options{File: filepath.Join(t.TempDir(), "store.h2")})
	s := open(t, mongo.Config{URI: server.URI(), Timeout: 20 * time.Second})
	acknowledged := sync.Map{}
	var count atomic.Int64
	for round := range 2 {
		enough := make(chan struct{})
		var stop atomic.Bool
		var wg sync.WaitGroup
		begin := count.Load()
		for g := range 4 {
			wg.Go(func() {
				for i := 0; !stop.Load(); i++ {
					id := fmt.Sprintf("%d/%d/%d", round, g, i)
					switch err := s.Write(t.Context(), doc(state.Steps, id, 0, id), doc(state.Affairs, id, 0, id)); {
					case err == nil:
						acknowledged.Store(id, true)
						if count.Add(1) == begin+200 {
							close(enough)
						}
					case state.CodeOf(err) != state.Unavailable:
						t.Errorf("Write: %v, want an Unavailable error or none", err)
					}
				}
			})
		}
		<-enough
		server.Kill()
		stop.Store(true)
		server.Restart()
		wg.Wait()
	}
	n, missing := 0, 0
	acknowledged.Range(func(id, _ any) bool {
		n++
		for _, c := range []state.Collection{state.Steps, state.Affairs} {
			if d, err := s.Get(t.Context(), c, id.(string)); err != nil || d.Rev != 1 {
				missing++
				t.Errorf("%s %s was acknowledged: revision %d, %v", c, id, d.Rev, err)
			}
		}
		return true
	})
	t.Logf("2 kills, %d writes of 2 documents acknowledged, %d documents missing", n, missing)
}

// The reply to a read comes twice, and the second is taken for that to an insert that the server refuses: it must not count
// as made.
func TestReplyOfAnotherCommand(t *testing.T) {
	t.Parallel()
	s, direct, p := behindProxy(t, 2*time.Second)
	write(t, direct, doc(state.Affairs, "taken", 0, "before"))
	if _, err := s.Get(t.Context(), state.Affairs, "taken"); err != nil { // the line is open
		t.Fatal(err)
	}
	p.Set(once(mongotest.Twice, "find"))
	if _, err := s.Get(t.Context(), state.Affairs, "taken"); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), doc(state.Affairs, "taken", 0, "after")); err == nil {
		t.Error("an insert that the server refused counts as made")
	}
	if got, err := direct.Get(t.Context(), state.Affairs, "taken"); err != nil || got.Rev != 1 {
		t.Errorf("revision %d, %v, want 1", got.Rev, err)
	}
}
