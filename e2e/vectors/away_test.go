package vectors_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/memory"
)

// slack is what a loaded machine may need beyond a deadline; a hang is longer.
const slack = 20 * time.Second

// While the embedder fails, and while it does not answer at all, turns are answered from words, in time, and say so. Receipts
// tell what has no vector yet; when the embedder is back everything gets one.
func TestTurnsGoOnWithoutVectors(t *testing.T) {
	t.Parallel()
	back := make(chan struct{})
	for _, trouble := range []struct {
		name string
		mood func(context.Context) error
		over func()
	}{{"it fails", away, func() {}}, {"it does not answer", slow(back), func() { close(back) }}} {
		t.Run(trouble.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t)
			w.says(t, "Remember that I ordered brake pads, order number 07-14244-53150.", "")
			must(t, w.settled(t, 0))
			w.model.be(trouble.mood)
			var late []string
			for n, turn := range [][2]string{
				{"What is the order number of the brake pads?", "07-14244-53150"},
				{"Remember that the dentist is Dr. Novak, her phone is 602 123 456.", ""},
				{"What is the phone of the dentist?", "602 123 456"},
			} {
				began := clock()
				reply := w.says(t, turn[0], turn[1])
				if took := clock().Sub(began); took > 8*time.Second+slack { // four looks of two seconds: context, tools, likeness
					t.Errorf("turn %d took %s", n+1, took)
				}
				if notes := strings.Join(reply.Trace.Notes, "\n"); !strings.Contains(notes, "by words alone") {
					t.Errorf("turn %d does not say that it went without vectors: %q", n+1, notes)
				}
				for _, r := range reply.Receipts {
					late = append(late, r.ID)
					if r.Indexed || r.Due == nil || !r.Visible {
						t.Errorf("turn %d: receipt %+v; its vector cannot be made", n+1, r)
					}
				}
			}
			if len(late) == 0 {
				t.Fatal("no turn stored anything")
			}
			w.told(t, late, false)
			w.model.be(nil)
			trouble.over()
			must(t, w.settled(t, time.Minute))
			w.told(t, late, true)
			w.inStep(t)
			if reply := w.says(t, "And what was the order number?", "07-14244-53150"); len(reply.Trace.Notes) > 0 {
				t.Errorf("afterwards a turn notes %q", reply.Trace.Notes)
			}
		})
	}
}

// workshop is a graph over a folder, whose embedder has moods.
type workshop struct {
	*embedded.Graph
	model *moody
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	model, err := newMoody(dim)
	must(t, err)
	e, err := embedderOf(model)
	must(t, err)
	g, err := embedded.OpenConfig(t.Context(), t.TempDir(), graph.Config{Embedder: e})
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	return &workshop{g, model}
}

// says has a turn whose reply must hold a text.
func (w *workshop) says(t *testing.T, text, want string) graph.Reply {
	t.Helper()
	reply, err := w.Invoke(t.Context(), graph.Request{Text: text})
	if err != nil || reply.Text == "" || !strings.Contains(reply.Text, want) {
		t.Fatalf("to %q: %q, %v, want %q in it; notes %q", text, reply.Text, err, want, reply.Trace.Notes)
	}
	return reply
}

// settled waits until all vectors are made, trying again for so long: a keeper that was disappointed pauses.
func (w *workshop) settled(t *testing.T, within time.Duration) error {
	t.Helper()
	return settled(t.Context(), w.Memory(), within)
}

func settled(ctx context.Context, m *memory.Memory, within time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, max(within, slack))
	defer cancel()
	for {
		if err = m.Vectors().Settle(ctx, scope()); err == nil || ctx.Err() != nil {
			return err
		}
		pause(ctx)
	}
}

// pause lets a moment pass.
func pause(ctx context.Context) {
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// told checks which records have their vector by now.
func (w *workshop) told(t *testing.T, ids []string, indexed bool) {
	t.Helper()
	has, err := kept(t.Context(), w.Store())
	must(t, err)
	for _, id := range ids {
		if got := slices.Contains(has, "records/"+id); got != indexed {
			t.Errorf("vector of %s: %v, want %v", id, got, indexed)
		}
	}
}

// inStep compares the documents with the vectors.
func (w *workshop) inStep(t *testing.T) {
	t.Helper()
	want, err := wanted(t.Context(), w.Store())
	must(t, err)
	got, err := kept(t.Context(), w.Store())
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-documents +vectors):\n%s", diff)
	}
}
