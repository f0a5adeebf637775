package vectors_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/embedding"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// childWord, as the only argument, makes the test binary a child process.
const childWord = "child-of-a-vector-test"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == childWord {
		if err := child(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		return
	}
	// Two goroutines of a pool that the client's library opens when it is linked.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).purgeStaleWorkers"),
		goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).ticktock"))
}

// job is what a child has to do.
type job struct {
	Do   string // "write" or "live"
	Dir  string // of the store
	From int    // write: the first record's number
	To   int    // and the first that is not written
	Die  int    // live: number of the place at which the process dies, from 1; 0 = it lives on
}

func child(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	var j job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: j.Dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch j.Do {
	case "write":
		return j.write(ctx, s, out)
	case "live":
		return j.live(ctx, s, out)
	}
	return errors.New("unknown job " + j.Do)
}

func scope() state.Scope { return state.Scope{}.Default() }

// clock is the real one: deadlines of vectors are.
func clock() time.Time { return time.Now().UTC() }

const dim = 128

// moody is an embedder that can be away.
type moody struct {
	*hashed.Model
	texts   atomic.Int64                                    // how many it has embedded
	refuses string                                          // a text with this in it; "" = none
	mood    atomic.Pointer[func(ctx context.Context) error] // asked before each answer; nil = none
}

func newMoody(dim int) (*moody, error) {
	m, err := hashed.New(hashed.Config{Dim: dim})
	return &moody{Model: m}, err
}

// be sets the mood.
func (m *moody) be(mood func(ctx context.Context) error) { m.mood.Store(&mood) }

func (m *moody) EmbedStrings(ctx context.Context, texts []string, opts ...embedding.Option) ([][]float64, error) {
	if mood := m.mood.Load(); mood != nil && *mood != nil {
		if err := (*mood)(ctx); err != nil {
			return nil, err
		}
	}
	if m.refuses != "" && slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, m.refuses) }) {
		return nil, state.Errorf(state.Invalid, "embedder", "refuses a text")
	}
	m.texts.Add(int64(len(texts)))
	return m.Model.EmbedStrings(ctx, texts, opts...)
}

func away(context.Context) error { return state.Errorf(state.Unavailable, "embedder", "is away") }

// slow does not answer until it is back, or the caller has given up.
func slow(back <-chan struct{}) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-back:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func embedderOf(m *moody) (*embed.Embedder, error) {
	return embed.New(embed.Config{Model: m, Name: m.Name(), Dim: m.Dim(), CacheBytes: -1})
}

// opened is a memory over a store.
type opened struct {
	*memory.Memory
	model *moody
	shelf index.Shelf
}

// open makes one. Ids begin with name. A nil shelf is the local one in the store.
func open(s store.Store, name string, shelf index.Shelf) (*opened, error) {
	o := &opened{shelf: shelf}
	var err error
	if shelf == nil {
		if o.shelf, err = local.New(local.Config{Store: s}); err != nil {
			return nil, err
		}
	}
	if o.model, err = newMoody(dim); err != nil {
		return nil, err
	}
	e, err := embedderOf(o.model)
	if err != nil {
		return nil, err
	}
	var n atomic.Int64
	o.Memory, err = memory.New(memory.Config{
		Store: s, Settings: state.DefaultSettings(), Now: clock,
		NewID:    func() string { return fmt.Sprintf("id-%s-%d", name, n.Add(1)) },
		Embedder: e, Shelf: func(context.Context) (index.Shelf, error) { return o.shelf, nil },
	})
	return o, err
}

// begin opens a memory that the test closes.
func begin(t *testing.T, s store.Store, name string, shelf index.Shelf) *opened {
	t.Helper()
	o, err := open(s, name, shelf)
	must(t, err)
	t.Cleanup(func() { must(t, o.Close()) })
	return o
}

// folder opens the store in a folder.
func folder(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	return s
}

// live are the vectors in use.
func live(ctx context.Context, shelf index.Shelf) (index.Vectors, error) {
	space, ok, err := shelf.Live(ctx)
	if err == nil && !ok {
		err = errors.New("no space is live")
	}
	if err != nil {
		return nil, err
	}
	return shelf.Open(ctx, space)
}

func long() bool { return os.Getenv("MNEME_LONG") != "" }

func seed(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv("MNEME_SEED"), "1"), 10, 64)
	must(t, err)
	return n
}

var must = statetest.Must
