package forget_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/forget/erasures"
	"github.com/mneme-graph/mneme/state"
)

// held is a store with three records, of which one is held.
type held struct {
	w      *world
	place  place
	book   string
	record string
	backup place // from before it was held
}

func newHeld(t *testing.T) held {
	t.Helper()
	h := held{place: places(t, "sqlite"), book: filepath.Join(t.TempDir(), "erasures.jsonl")}
	w, err := openWith(t.Context(), h.place, begins(), "a", false, h.book)
	must(t, err)
	for _, word := range []string{"zx4711q", "qv9902k", "wn5533t"} {
		got, err := w.Memory().Write(t.Context(), in("anna", "s1"), memory.Change{Subject: "code " + word, Content: "the code " + word + " opens the shed"})
		must(t, err)
		if word == "zx4711q" {
			h.record = got[0].ID
		}
	}
	w.close(t)
	h.backup = copyOf(t, h.place)
	if h.w, err = openWith(t.Context(), h.place, begins().Add(time.Hour), "b", false, h.book); err != nil {
		t.Fatal(err)
	}
	_, err = h.w.Memory().Forget().Hold(t.Context(), in("anna", "s1"), h.record, "olga", "court order 12/2026")
	must(t, err)
	return h
}

// said is what the ledger says, line by line.
func (h held) said(t *testing.T) (out []string) {
	t.Helper()
	book, err := erasures.Open(h.book)
	must(t, err)
	lines, err := book.Lines(t.Context())
	must(t, err)
	for _, l := range lines {
		text := string(l.Said)
		for _, x := range l.Held {
			text += ":" + x.By.User
		}
		out = append(out, text)
	}
	return out
}

// An erasure that meets a held record erases the rest and waits for it, whatever it means; released it goes.
func TestHold(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]func(h held) forget.What{
		"record": func(h held) forget.What { return forget.What{Record: h.record, Pinned: true} }, "topic": func(held) forget.What { return forget.What{Topic: "zx4711q"} },
		"user": func(held) forget.What { return forget.What{User: true, Pinned: true} }, "client": func(held) forget.What { return forget.What{Client: true} },
		"clear global": func(held) forget.What { return forget.What{Clear: forget.ClearGlobal} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHeld(t)
			o, err := h.w.Memory().Forget().Erase(t.Context(), in("anna", "s1"), what(h))
			must(t, err)
			if !slices.Equal(o.Held, []string{"records/" + h.record}) || !o.DoneAt.IsZero() {
				t.Errorf("receipt: held %v, done at %v", o.Held, o.DoneAt)
			}
			if got := h.said(t); !slices.Equal(got, []string{"asked:olga", "waits:olga"}) {
				t.Errorf("the ledger says %q", got)
			}
			records, err := h.w.Memory().Records(t.Context(), in("anna", "s1"), h.record)
			if err != nil || len(records) != 1 || !strings.Contains(records[0].Content, "zx4711q") {
				t.Fatalf("the held record: %+v, %v", records, err)
			}
			proof, err := h.w.Memory().Forget().Prove(t.Context(), in("anna", "s1"), o.ID, true)
			if err != nil || proof.Left != 0 || proof.Proves() {
				t.Errorf("proof while it waits: %+v, %v", proof, err)
			}
			released, err := h.w.Memory().Forget().Release(t.Context(), in("anna", "s1"), h.record)
			if err != nil || released.ID != o.ID || released.DoneAt.IsZero() {
				t.Errorf("released: %+v, %v", released, err)
			}
			proof, err = h.w.Memory().Forget().Prove(t.Context(), in("anna", "s1"), o.ID, true)
			if err != nil || !proof.Proves() {
				t.Errorf("proof: %+v, %v", proof, err)
			}
			if got := h.said(t); !slices.Equal(got, []string{"asked:olga", "waits:olga", "asked", "done", "done"}) {
				t.Errorf("the ledger says %q", got)
			}
			h.w.close(t)
			if left := holding(everything(t, h.place), "zx4711q"); len(left) > 0 {
				t.Errorf("left in %q", left)
			}
		})
	}
}

// A backup from before the hold: the record that an erasure waits for is held there again, and goes when it is released there.
func TestHoldIsRestored(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]forget.What{"topic": {Topic: "code"}, "user": {User: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHeld(t)
			_, err := h.w.Memory().Forget().Erase(t.Context(), in("anna", "s1"), what)
			must(t, err)
			h.w.close(t)
			w, err := openWith(t.Context(), h.backup, begins().Add(2*time.Hour), "c", false, h.book)
			must(t, err)
			records, err := w.Memory().Records(t.Context(), in("anna", "s1"))
			if err != nil || len(records) != 1 || records[0].ID != h.record || records[0].Held == nil || records[0].Held.User != "olga" {
				t.Errorf("records: %+v, %v", records, err)
			}
			_, err = w.Memory().Forget().Release(t.Context(), in("anna", "s1"), h.record)
			must(t, err)
			w.close(t)
			for _, word := range []string{"zx4711q", "qv9902k", "wn5533t"} {
				if left := holding(everything(t, h.backup), word); len(left) > 0 {
					t.Errorf("%s is left in %q", word, left)
				}
			}
		})
	}
}

// What else may be asked of a hold.
func TestHoldRefuses(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	defer h.w.close(t)
	room, scope := h.w.Memory().Forget(), in("anna", "s1")
	agent := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: scope, Tool: "memory_update", Call: "1"})
	for name, tt := range map[string]struct {
		do   func() error
		want state.Code
	}{
		"twice":          {func() error { _, err := room.Hold(t.Context(), scope, h.record, "x", ""); return err }, state.Conflict},
		"not there":      {func() error { _, err := room.Hold(t.Context(), scope, "nosuch", "x", ""); return err }, state.NotFound},
		"a stranger":     {func() error { _, err := room.Hold(t.Context(), in("boris", "s1"), h.record, "x", ""); return err }, state.NotFound},
		"not held":       {func() error { _, err := room.Release(t.Context(), scope, "nosuch"); return err }, state.NotFound},
		"no id":          {func() error { _, err := room.Hold(t.Context(), scope, "a/b", "x", ""); return err }, state.Invalid},
		"a model":        {func() error { _, err := room.Hold(agent, scope, h.record, "x", ""); return err }, state.Denied},
		"another proves": {func() error { _, err := room.Prove(t.Context(), in("boris", "s1"), "000000000001.x", true); return err }, state.NotFound},
	} {
		if err := tt.do(); state.CodeOf(err) != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}

	// An edit does not lift it, and no undo takes the record away.
	done, err := h.w.Memory().Amend(t.Context(), scope, memory.Amendment{Action: memory.PinRecord, ID: h.record})
	must(t, err)
	records, err := h.w.Memory().Records(t.Context(), scope, done[0].ID)
	if err != nil || records[0].Held == nil || !records[0].Pinned {
		t.Errorf("after a pin: %+v, %v", records, err)
	}
}

// A proof finds what is there again, in each layer that it looks at, and what was said again is not taken for it.
func TestProveFinds(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	defer h.w.close(t)
	scope := in("anna", "s1")
	_, err := h.w.say(t.Context(), scope, "The shed has the code wn5533t too.")
	must(t, err)
	before := documents(t, h.w.store)
	h.w.now = h.w.now.Add(time.Hour)
	o, err := h.w.Memory().Forget().Erase(t.Context(), scope, forget.What{Topic: "wn5533t"})
	must(t, err)
	h.w.now = h.w.now.Add(time.Hour)
	_, err = h.w.say(t.Context(), scope, "The shed has the code wn5533t again.")
	must(t, err)
	proof, err := h.w.Memory().Forget().Prove(t.Context(), scope, o.ID, true)
	if err != nil || !proof.Proves() || len(proof.Outside) != 2 {
		t.Fatalf("proof: %+v, %v", proof, err)
	}
	put := 0
	for name, doc := range before {
		collection, _, _ := strings.Cut(name, " ")
		if now := documents(t, h.w.store); now[name].Body == nil && slices.Contains([]string{"records", "messages"}, collection) {
			doc.Rev = 0
			must(t, h.w.store.Write(t.Context(), doc))
			put++
		}
	}
	proof, err = h.w.Memory().Forget().Prove(t.Context(), scope, o.ID, true)
	if err != nil || proof.Proves() || proof.Left != put || put == 0 {
		t.Errorf("proof after %d documents came back: %+v, %v", put, proof, err)
	}
	orders, err := h.w.Memory().Forget().Orders(t.Context(), scope)
	if err != nil || len(orders) != 1 || orders[0].ID != o.ID {
		t.Errorf("orders: %+v, %v", orders, err)
	}
}

// A correction of a held record leaves it held, as history; what holds instead is not held, in the answer and in the store, and an erasure takes that alone.
func TestHoldIsNotCopied(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"another content": "the code kd3388v opens the shed", "the same content": "the code zx4711q opens the shed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHeld(t)
			scope := in("anna", "s1")
			done, err := h.w.Memory().Amend(t.Context(), scope, memory.Amendment{Action: memory.CorrectRecord, ID: h.record, Content: content})
			must(t, err)
			answer := done[0].Record
			for _, id := range []string{h.record, answer.ID} {
				records, err := h.w.Memory().Records(t.Context(), scope, id)
				must(t, err)
				if got := records[0].Held != nil; got != (id == h.record) || got == records[0].HeldAt.IsZero() {
					t.Errorf("%s in the store: held %v since %v", id, records[0].Held, records[0].HeldAt)
				}
				if id == answer.ID && ((answer.Held != nil) != (records[0].Held != nil) || !answer.HeldAt.Equal(records[0].HeldAt)) {
					t.Errorf("the answer says %v since %v, the store %v", answer.Held, answer.HeldAt, records[0].Held)
				}
			}
			o, err := h.w.Memory().Forget().Erase(t.Context(), scope, forget.What{User: true, Pinned: true})
			if err != nil || !slices.Equal(o.Held, []string{"records/" + h.record}) {
				t.Errorf("the order waits for %v, %v", o.Held, err)
			}
			records, err := h.w.Memory().Records(t.Context(), scope)
			if err != nil || len(records) != 1 || records[0].ID != h.record || records[0].Held == nil || !strings.Contains(records[0].Content, "zx4711q") {
				t.Errorf("left: %+v, %v", records, err)
			}
			h.w.close(t)
			if left := holding(everything(t, h.place), "kd3388v"); len(left) > 0 {
				t.Errorf("what holds instead is left in %q", left)
			}
		})
	}
}
