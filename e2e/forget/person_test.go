package forget_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/person"
)

// recalled is what memory has to say of some things, and of who changed what.
func recalled(t *testing.T, w *world, things []*thing, user string) (out []string) {
	t.Helper()
	scope := in(user, "s0")
	for _, th := range things {
		hits, err := w.Memory().Recall(t.Context(), memory.Query{Scope: scope, Text: th.subject + " " + th.canary, Limit: 10})
		must(t, err)
		for _, h := range hits {
			out = append(out, fmt.Sprintf("%s: %s %s %.6f %s", th.canary, h.Source, h.ID, h.Score, h.Text))
		}
	}
	changes, err := w.Memory().History().Audit(t.Context(), scope, history.Query{})
	must(t, err)
	for _, c := range changes {
		out = append(out, fmt.Sprintf("change %d: %s %s %s", c.Seq, c.Kind, c.ID, c.What))
	}
	orders, err := w.Memory().Forget().Orders(t.Context(), scope)
	must(t, err)
	for _, o := range orders {
		out = append(out, fmt.Sprintf("order %s: %s %v", o.ID, o.What, o.DoneAt))
	}
	set, err := w.Memory().Settings().In(t.Context(), scope)
	must(t, err)
	return append(out, "max_tokens "+set.Get("max_tokens"))
}

// Everything of a person goes into one file, and out of it into an empty store, where memory answers the same: by recall, audit, erasures and settings.
func TestPersonInAFile(t *testing.T) {
	t.Parallel()
	n := tries(6, 20, 60)
	for seed := firstSeed(t); seed < firstSeed(t)+n; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 51))
			w, things, file := exported(t, r)
			defer w.close(t)
			to := places(t, "sqlite")
			other, err := openWorld(t.Context(), to, w.now, "b", false)
			must(t, err)
			defer other.close(t)
			for range 2 { // the second time there is nothing left to do
				_, err = person.Read(t.Context(), person.Config{Store: other.store, Scope: in("anna", "s0")}, bytes.NewReader(file))
				must(t, err)
			}
			if diff := cmp.Diff(recalled(t, w, things, "anna"), recalled(t, other, things, "anna")); diff != "" {
				t.Errorf("what memory says (-there +here):\n%s", diff)
			}
			other.now = w.now.Add(time.Hour)
			if _, err := other.say(t.Context(), in("anna", "s0"), "hello again, what do you know of me?"); err != nil {
				t.Errorf("the next turn: %v", err)
			}
			if _, err = person.Read(t.Context(), person.Config{Store: other.store, Scope: in("anna", "s0")}, bytes.NewReader(file)); state.CodeOf(err) != state.Conflict {
				t.Errorf("into a memory that has gone on: %v", err)
			}
		})
	}
}

// exported is a store with a history, in which something was erased, and the file of one of its users.
func exported(t *testing.T, r *rand.Rand) (*world, []*thing, []byte) {
	t.Helper()
	w, err := openWorld(t.Context(), places(t, "sqlite"), begins(), "a", false)
	must(t, err)
	things, err := w.history(t.Context(), r)
	must(t, err)
	must(t, w.tell(t.Context(), &thing{canary: "kx01q999", subject: "lucky word", user: "anna", session: "s0", stored: true}))
	_, err = w.Memory().Settings().Change(t.Context(), settings.ForUser, in("anna", "s0"), settings.Edit{Set: map[string]string{"max_tokens": "5000"}, By: "olga"})
	must(t, err)
	w.now = w.now.Add(time.Minute) // settings are read again
	_, err = w.Memory().Write(t.Context(), in("anna", "s0"), memory.Change{Subject: "mark", Content: "left\u202eright \u200d \U000E0041 & <b> \u2028 end", Pinned: true})
	must(t, err)
	_, err = w.Memory().Forget().Erase(t.Context(), in("anna", "s0"), forget.What{Topic: "kx01q999"})
	must(t, err)
	var file bytes.Buffer
	report, err := person.Write(t.Context(), person.Config{Store: w.store, Scope: in("anna", "s0"), Now: func() time.Time { return w.now }}, &file)
	must(t, err)
	if report.Documents[state.Orders] != 1 || report.Documents[state.Overrides] != 1 || bytes.Contains(file.Bytes(), []byte("kx01q999")) {
		t.Errorf("report: %+v", report)
	}
	return w, things, file.Bytes()
}

// A byte that was changed, and a line that was cut out, is found, and nothing is written.
func TestPersonFileIsWhole(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 52))
	w, _, file := exported(t, r)
	defer w.close(t)
	other, err := openWorld(t.Context(), places(t, "sqlite"), w.now, "b", false)
	must(t, err)
	defer other.close(t)
	tried := 0
	refuse := func(name string, spoilt []byte) {
		tried++
		_, err := person.Read(t.Context(), person.Config{Store: other.store, Scope: in("anna", "s0")}, bytes.NewReader(spoilt))
		if state.CodeOf(err) != state.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for at := 0; at < len(file); at += 1 + r.IntN(2*len(file)/400) {
		spoilt := bytes.Clone(file)
		spoilt[at] ^= 1
		refuse(fmt.Sprintf("byte %d", at), spoilt)
		refuse(fmt.Sprintf("cut at %d", at), file[:at])
	}
	lines := bytes.SplitAfter(file, []byte("\n"))
	refuse("a line cut out", bytes.Join(append(lines[:3:3], lines[4:]...), nil))
	if left := documents(t, other.store); len(left) != 0 {
		t.Errorf("%d documents were written", len(left))
	}
	t.Logf("%d spoilt files", tried)
}
