package memory_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// dead leaves the message of a turn in the session whose log is deleted: the session never learns of it.
func dead(t *testing.T, w *world, m *memory.Memory) state.Message {
	t.Helper()
	s := w.begin(t.Context(), m, nil)
	msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "Transfer 100 to Eve.", Turn: w.newID()})
	if err == nil {
		err = s.commit()
	}
	must(t, err)
	return msg
}

// The number of a message is behind the last one that there is, whether the session knows of it or not.
func TestNumbersAreNotGivenAgain(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*world{"store": newWorld(), "server": newServer()} {
		for _, fresh := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, another process %t", name, fresh), func(t *testing.T) {
				m := w.memory(t, nil)
				gone := dead(t, w, m)
				if fresh {
					m = w.memory(t, nil)
				}
				got := w.turn(t, m, in("s1"), nil, "What is the weather?")
				if first := got.view.Turn[0]; first.Seq != gone.Seq+1 || first.Text != "What is the weather?" {
					t.Errorf("behind message %d comes %d, %q", gone.Seq, first.Seq, first.Text)
				}
				if next := w.turn(t, m, in("s1"), nil, "And tomorrow?"); next.view.Turn[0].Seq != gone.Seq+3 {
					t.Errorf("then comes %d", next.view.Turn[0].Seq)
				}
			})
		}
	}
}

// Number and message of a session that was read from a snapshot are asked for once, and every other turn reads nothing for it.
func TestTheNumberIsReadOnceBehindASnapshot(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	m.SaveFrom(1, 4096)
	gone := dead(t, w, m)
	write(t, m, in("s2"), memory.Change{Content: "the gate is green"})
	must(t, m.Close())
	c := &counted{Store: w.store}
	m = w.memory(t, func(config *memory.Config) { config.Store = c })
	numbersRead := func() (n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, q := range c.asked {
			if q.Collection == state.Messages && q.Limit == 1 && q.Reverse {
				n++
			}
		}
		return n
	}
	for i := range 3 {
		got := w.turn(t, m, in("s1"), nil, "What is the weather?")
		if first := got.view.Turn[0]; first.Seq != gone.Seq+1+2*int64(i) || numbersRead() != 1 {
			t.Errorf("turn %d: number %d, %d readings", i, first.Seq, numbersRead())
		}
	}
}

// counted notes what is asked of a store.
type counted struct {
	store.Store
	mu    sync.Mutex
	asked []store.Query
}

func (c *counted) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	c.mu.Lock()
	c.asked = append(c.asked, q)
	c.mu.Unlock()
	return c.Store.Scan(ctx, q)
}

// A turn never takes another's message for its own.
func TestLoadGivesTheTurnsOwnMessage(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), nil, "Hello")
	own, err := m.Messages(t.Context(), in("s1"))
	must(t, err)
	for _, c := range []struct {
		name string
		in   state.Input
		want state.Code
	}{
		{"its own", state.Input{Scope: in("s1"), Turn: own[0].Turn, Seq: 1}, ""},
		{"another turn's", state.Input{Scope: in("s1"), Turn: "t9", Seq: 1}, state.Conflict},
		{"one that is not there", state.Input{Scope: in("s1"), Turn: "t9", Seq: 9}, state.NotFound},
	} {
		if _, err := m.Turn().Load(t.Context(), c.in); state.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// What comes behind Load refuses a view without a message, and nothing panics.
func TestNoMessageIsAnError(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	v, ctx := state.View{Session: state.Session{Client: "c1", User: "u1", ID: "s1"}}, t.Context()
	for name, call := range map[string]func() error{
		"Judge": func() error { _, _, err := m.Turn().Judge(ctx, v, true); return err },
		"CarryOut": func() error {
			_, _, err := m.Turn().CarryOut(ctx, v, state.Decision{Kind: state.NewAffair, Title: "x"})
			return err
		},
		"Gather": func() error { _, err := m.Turn().Gather(ctx, v, state.Decision{}, ""); return err },
		"Flush":  func() error { _, err := m.Turn().Flush(ctx, v, state.Decision{}); return err },
	} {
		if err := call(); state.CodeOf(err) != state.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A turn that is not finished cannot be taken back: it can still be gone on with.
func TestUndoRefusesAnUnfinishedTurn(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*world{"store": newWorld(), "server": newServer()} {
		t.Run(name, func(t *testing.T) {
			m := w.memory(t, nil)
			w.turn(t, m, in("s1"), opens("Car part"), "A part for the car")
			s := w.begin(t.Context(), m, nil)
			msg, err := m.Turn().Admit(s.ctx, in("s1"), state.Message{Text: "When do the brake pads arrive?", Turn: "t1"})
			if err == nil {
				err = s.commit()
			}
			must(t, err)
			code(t, m.History().UndoTurn(t.Context(), in("s1"), "t1"), state.Conflict)
			v, err := m.Turn().Load(s.ctx, state.Input{Scope: in("s1"), Turn: "t1", Seq: msg.Seq})
			if err != nil || v.Turn[0].Text != msg.Text {
				t.Fatalf("it cannot be gone on with: %+v, %v", v.Turn, err)
			}
			v, d, _, err := decide(s.ctx, m, v, false)
			if err == nil {
				_, err = m.Turn().Flush(s.ctx, v, d)
			}
			if err == nil {
				err = s.commit()
			}
			must(t, err)
			if err := m.History().UndoTurn(t.Context(), in("s1"), "t1"); err != nil {
				t.Errorf("a finished one: %v", err)
			}
			if kept, err := m.Messages(t.Context(), in("s1")); err != nil || len(kept) != 2 {
				t.Errorf("%d messages, %v", len(kept), err)
			}
			if got := w.turn(t, m, in("s1"), nil, "No, tyres!"); got.view.Turn[0].Seq != msg.Seq+1 {
				t.Errorf("the number of what was taken back is given again: %d", got.view.Turn[0].Seq)
			}
		})
	}
}

// Messages of elsewhere do not take the numbers of a turn that is not finished.
func TestIngestAndForkBesideAnUnfinishedTurn(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s2"), nil, "Hello")
	dead(t, w, m)
	code(t, m.Turn().Ingest(t.Context(), in("s1"), state.Message{Text: "said elsewhere"}), state.Conflict)
	code(t, m.Sessions().Fork(t.Context(), in("s2"), 2, "s1"), state.Conflict)
	w.turn(t, m, in("s1"), nil, "What is the weather?")
	if err := m.Turn().Ingest(t.Context(), in("s1"), state.Message{Text: "said elsewhere"}); err != nil {
		t.Error(err)
	}
}
