package vectors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// A process dies at one of the places between a document and its vector. The next one brings them in step, and the one after
// that finds nothing left to do.
func TestDeathBetweenDocumentAndVector(t *testing.T) {
	t.Parallel()
	var undisturbed []string
	killed, err := crash.Run(t.Context(), []string{os.Args[0], childWord}, job{Do: "live", Dir: t.TempDir()}, &undisturbed)
	if err != nil || killed {
		t.Fatalf("the life that nobody disturbs: killed %v, %v", killed, err)
	}
	places := len(undisturbed)
	step := max(1, places/40)
	if long() {
		step = 1
	}
	died, behind := 0, 0
	for n := 1; n <= places; n += step {
		dir := t.TempDir()
		killed, err := crash.Run(t.Context(), []string{os.Args[0], childWord}, job{Do: "live", Dir: dir, Die: n}, new([]string))
		must(t, err)
		if !killed {
			continue // workers are quicker in one run than in another
		}
		died++
		behind += reconciled(t, dir, fmt.Sprintf("place %d, about %q", n, undisturbed[n-1]))
	}
	t.Logf("died at %d of %d places, %d documents and vectors were out of step", died, places, behind)
	if died < 30 || behind == 0 {
		t.Errorf("died at %d places, %d out of step; this shows little", died, behind)
	}
}

// live has a life: records one by one and several at once, a correction, messages, an affair, a turn that is taken back.
func (j job) live(ctx context.Context, s store.Store, out io.Writer) error {
	w := &crash.Walk{Dies: func(n int, _ string) bool { return n == j.Die }}
	watched := &watchedStore{s, w}
	inner, err := local.New(local.Config{Store: watched})
	if err != nil {
		return err
	}
	m, err := open(watched, "l", &watchedShelf{inner, w})
	if err != nil {
		return err
	}
	m.model.be(func(context.Context) error { w.Pass("before embed"); return nil })
	for _, do := range m.life(watched) {
		if err := do(ctx); err != nil {
			return err
		}
		if err := m.Vectors().Settle(ctx, scope()); err != nil {
			return err
		}
	}
	if err := m.Close(); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(w.Passed())
}

// life is what is done, one after the other.
func (o *opened) life(s store.Store) []func(context.Context) error {
	write := func(changes ...memory.Change) func(context.Context) error {
		return func(ctx context.Context) error { _, err := o.Write(ctx, scope(), changes...); return err }
	}
	say := func(turn string, from, count int) func(context.Context) error {
		return func(ctx context.Context) error {
			var said []state.Message
			for n := range count {
				said = append(said, state.Message{Role: state.RoleUser, Turn: turn, Text: fmt.Sprintf("The parcel %d for hall %d has come.", from+n, n%7)})
			}
			return o.Turn().Ingest(ctx, scope(), said...)
		}
	}
	return []func(context.Context) error{
		write(memory.Change{Subject: "dentist", Content: "The dentist is Dr. Novak.", Priority: state.Critical}),
		write(memory.Change{Subject: "gate code", Content: "The gate code is 4471.", Priority: state.High}, memory.Change{Content: "Paula likes tea without sugar."}),
		say("t1", 0, 70),
		o.affair(s, "affair-1", "Brake pads"),
		write(memory.Change{Subject: "gate code", Content: "The gate code is 9902.", Priority: state.Critical}),
		say("t2", 100, 5),
		func(ctx context.Context) error { return o.History().UndoTurn(ctx, scope(), "t2") },
		write(memory.Change{Content: "The spare key hangs in the shed.", Priority: state.Background}),
		say("t3", 200, 3),
	}
}

// affair opens one.
func (o *opened) affair(s store.Store, id, title string) func(context.Context) error {
	return func(ctx context.Context) error {
		a := state.Affair{ID: id, Client: scope().Client, User: scope().User, Title: title, Status: state.Parked, CreatedAt: clock(), UpdatedAt: clock()}
		return checkpointtest.Append(ctx, s, o.Turn().Commits(), state.Effect{Scope: scope(), Affair: &state.AffairEdit{ID: id, Create: &a, At: clock()}})
	}
}

// watchedStore makes the writes of a store places of a walk.
type watchedStore struct {
	store.Store
	walk *crash.Walk
}

func (s *watchedStore) Write(ctx context.Context, docs ...store.Doc) error {
	if len(docs) == 0 {
		return nil
	}
	what := fmt.Sprintf("write of %d, first of %s", len(docs), docs[0].Collection)
	s.walk.Pass("before " + what)
	err := s.Store.Write(ctx, docs...)
	s.walk.Pass("after " + what)
	return err
}

// watchedShelf makes changes of an index places of a walk.
type watchedShelf struct {
	index.Shelf
	walk *crash.Walk
}

func (s *watchedShelf) Open(ctx context.Context, space index.Space) (index.Vectors, error) {
	v, err := s.Shelf.Open(ctx, space)
	return &watchedVectors{v, s.walk}, err
}

func (s *watchedShelf) Promote(ctx context.Context, space index.Space) error {
	s.walk.Pass("before promote")
	return s.Shelf.Promote(ctx, space)
}

type watchedVectors struct {
	index.Vectors
	walk *crash.Walk
}

// Put puts the first half of a batch on its own: an error, or an end, may leave some of it written.
func (v *watchedVectors) Put(ctx context.Context, o index.Owner, entries ...index.Entry) error {
	v.walk.Pass(fmt.Sprintf("before put of %d", len(entries)))
	if half := len(entries) / 2; half > 0 {
		if err := v.Vectors.Put(ctx, o, entries[:half]...); err != nil {
			return err
		}
		v.walk.Pass(fmt.Sprintf("amid put of %d", len(entries)))
		entries = entries[half:]
	}
	err := v.Vectors.Put(ctx, o, entries...)
	v.walk.Pass("after put")
	return err
}

func (v *watchedVectors) Delete(ctx context.Context, o index.Owner, ids ...string) error {
	v.walk.Pass(fmt.Sprintf("before delete of %d", len(ids)))
	err := v.Vectors.Delete(ctx, o, ids[:1]...)
	v.walk.Pass(fmt.Sprintf("amid delete of %d", len(ids)))
	if err == nil {
		err = v.Vectors.Delete(ctx, o, ids...)
	}
	v.walk.Pass("after delete")
	return err
}

// reconciled opens what a dead process left, has it brought in step and compares. It returns how much was out of step before.
func reconciled(t *testing.T, dir, at string) int {
	t.Helper()
	s := folder(t, dir)
	defer s.Close()
	want, err := wanted(t.Context(), s)
	must(t, err)
	before, err := kept(t.Context(), s)
	must(t, err)
	m, err := open(s, "r", nil)
	must(t, err)
	defer m.Close()
	if err := m.Vectors().Settle(t.Context(), scope()); err != nil {
		t.Errorf("%s: %v", at, err)
	}
	vectors, err := live(t.Context(), m.shelf)
	if err != nil {
		t.Errorf("%s: %v", at, err)
		return 0
	}
	list, err := vectors.List(t.Context(), index.Of(scope()))
	must(t, err)
	var got []string
	for _, e := range list {
		got = append(got, e.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: documents and vectors differ (-documents +vectors):\n%s", at, diff)
	}
	after, err := kept(t.Context(), s)
	must(t, err)
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("%s: the store keeps other vectors (-documents +vectors):\n%s", at, diff)
	}
	again, err := open(s, "a", nil)
	must(t, err)
	defer again.Close()
	if err := again.Vectors().Settle(t.Context(), scope()); err != nil || again.model.texts.Load() > 0 {
		t.Errorf("%s: the next process embeds %d texts, %v; want nothing left to do", at, again.model.texts.Load(), err)
	}
	return len(difference(want, before))
}

// difference are those of a that b lacks, and the other way round.
func difference(a, b []string) []string {
	var out []string
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		for _, id := range pair[0] {
			if !slices.Contains(pair[1], id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// wanted are the documents of the owner that must have a vector, by the tests' own rule, sorted.
func wanted(ctx context.Context, s store.Store) ([]string, error) {
	m, err := memory.New(memory.Config{Store: s, Settings: state.DefaultSettings(), Now: clock, NewID: func() string { return "none" }})
	if err != nil {
		return nil, err
	}
	var out []string
	records, err := m.Records(ctx, scope())
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		out = append(out, "records/"+r.ID)
	}
	affairs, err := m.Affairs().List(ctx, scope(), true)
	if err != nil {
		return nil, err
	}
	for _, a := range affairs {
		out = append(out, "affairs/"+a.ID)
	}
	messages, err := m.Messages(ctx, scope())
	if err != nil {
		return nil, err
	}
	for _, msg := range messages { // those taken back are not among them
		if msg.Text != "" && msg.Role != state.RoleTool {
			out = append(out, "messages/"+scope().Session+"/"+state.SeqKey(msg.Seq))
		}
	}
	slices.Sort(out)
	return out, nil
}

// kept are the ids of the vectors in a store, as they stand there, sorted. One space is all there is.
func kept(ctx context.Context, s store.Store) ([]string, error) {
	docs, err := s.Scan(ctx, store.Query{Collection: state.Vectors, Prefix: scope().UserPrefix()})
	var out []string
	for _, doc := range docs {
		_, id, _ := strings.Cut(strings.TrimPrefix(doc.ID, scope().UserPrefix()), "/")
		if id != "" { // that counts the changes, for other processes
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, err
}
