package transfer_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
	"github.com/mneme-graph/mneme/state/store/transfer"
)

// digest computes what a report's SHA256 is documented to be.
func digest(docs []store.Doc) string {
	var b []byte
	for _, d := range docs {
		for _, part := range []string{string(d.Collection), d.ID, string(d.Body)} {
			b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
		}
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

var errCut = errors.New("the cable was cut")

// cutting fails call number at, counted from 1, of all stores that share the counter: before it reaches the
// store, or, with late, after it had its effect. A late cut of a store without transactions takes effect by half.
func cutting(s store.Store, calls *int, at int, late bool) *storetest.Faulty {
	return storetest.Wrap(s, func(ctx context.Context, c *storetest.Call, do func(context.Context) error) error {
		*calls++
		switch {
		case *calls != at:
			return do(ctx)
		case late && !s.Features().Atomic:
			c.Docs = c.Docs[:(len(c.Docs)+1)/2]
			fallthrough
		case late:
			_ = do(ctx)
		}
		return errCut
	})
}

// TestResumeAfterEveryCut cuts a copy off at every call of either store, before and after its effect, and
// lets a second one finish: the result is that of a copy that was never cut, each document written once.
func TestResumeAfterEveryCut(t *testing.T) {
	t.Parallel()
	from := ram.New()
	sample(t, from, 12)
	plain := copied(t, transfer.Config{From: from, To: ram.New()})
	for name, empty := range map[string]func() *ram.Store{"atomic": ram.New, "loose": ram.NewLoose} {
		for _, late := range []bool{false, true} {
			for _, page := range []int{1, 5, 100} {
				t.Run(fmt.Sprint(name, " late ", late, " page ", page), func(t *testing.T) {
					t.Parallel()
					for at := 1; ; at++ {
						to := empty()
						calls := 0
						cut := func(s store.Store) store.Store { return cutting(s, &calls, at, late) }
						_, err := transfer.Copy(t.Context(), transfer.Config{From: cut(from), To: cut(to), Page: page})
						if err == nil {
							t.Logf("%d cuts", at-1)
							return
						}
						if !errors.Is(err, errCut) {
							t.Fatalf("call %d: Copy = %v, want the cut", at, err)
						}
						report := copied(t, transfer.Config{From: from, To: to, Page: page})
						wantCopy(t, from, to)
						if report.From != plain.From {
							t.Fatalf("call %d: report %+v, uncut %+v", at, report, plain)
						}
					}
				})
			}
		}
	}
}

// TestResumeGoesOn cuts a copy off in its middle and counts what the second one writes.
func TestResumeGoesOn(t *testing.T) {
	t.Parallel()
	from, to, calls := ram.New(), ram.New(), 0
	sample(t, from, 100)
	total := int64(len(all(t, from)))
	_, err := transfer.Copy(t.Context(), transfer.Config{From: from, To: cutting(to, &calls, 100, true), Page: 10})
	if !errors.Is(err, errCut) {
		t.Fatalf("Copy = %v, want the cut", err)
	}
	there := int64(len(all(t, to)) - 1) // the cursor
	if there < total/4 || there == total {
		t.Fatalf("%d of %d documents are there", there, total)
	}
	if _, err := transfer.Copy(t.Context(), transfer.Config{From: to, To: ram.New()}); !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), "unfinished copy itself") {
		t.Errorf("copy of an unfinished copy = %v, want a conflict", err)
	}
	var first transfer.Progress
	report := copied(t, transfer.Config{From: from, To: to, Page: 10, Progress: func(p transfer.Progress) {
		if first.Phase == "" {
			first = p
		}
	}})
	if !report.Resumed || report.Written != total-there || report.Skipped != there || first.Documents < there {
		t.Errorf("report %+v, first progress %+v, want to go on behind %d of %d", report, first, there, total)
	}
	wantCopy(t, from, to)
}

// TestResumeFromAnotherSource cuts a copy off and goes on with another source.
func TestResumeFromAnotherSource(t *testing.T) {
	t.Parallel()
	from, other, to, calls := ram.New(), ram.New(), ram.New(), 0
	sample(t, from, 20)
	write(t, other, doc(state.Affairs, "other", "x"))
	_, err := transfer.Copy(t.Context(), transfer.Config{From: from, To: cutting(to, &calls, 40, false), Page: 5})
	if !errors.Is(err, errCut) {
		t.Fatalf("Copy = %v, want the cut", err)
	}
	before := all(t, to)
	if _, err = transfer.Copy(t.Context(), transfer.Config{From: other, To: to}); !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), "another source") {
		t.Errorf("Copy = %v, want a conflict that names another source", err)
	}
	if diff := cmp.Diff(before, all(t, to)); diff != "" {
		t.Errorf("the target was changed (-before +after):\n%s", diff)
	}
	report := copied(t, transfer.Config{From: other, To: to, Overwrite: true})
	if report.Written != 1 || report.Extra != int64(len(before)-1) {
		t.Errorf("report %+v, want 1 written and %d left alone", report, len(before)-1)
	}
	if _, err := to.Get(t.Context(), state.Affairs, "other"); err != nil {
		t.Errorf("Get: %v", err)
	}
}

// TestChangedMeanwhile changes source or target while a copy is verified: it says so, and the next one
// compares everything.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	changed := doc(state.Steps, "c/u/0001", "changed")
	changed.Rev = 1
	gone := store.Doc{Collection: state.Steps, ID: "c/u/0001", Rev: 1}
	for _, tt := range []struct {
		name       string
		inTarget   bool
		change     store.Doc
		kind       transfer.Kind
		overwrites bool // is needed the next time
	}{
		{"new in the source", false, doc(state.Steps, "c/u/0000+", "new"), transfer.Missing, false},
		{"changed in the source", false, changed, transfer.Differs, true},
		{"deleted in the source", false, gone, transfer.Extra, true},
		{"new in the target", true, doc(state.Steps, "c/u/0000+", "new"), transfer.Extra, true},
		{"changed in the target", true, changed, transfer.Differs, true},
		{"deleted in the target", true, gone, transfer.Missing, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			from, to, once := ram.New(), ram.NewLoose(), false
			sample(t, from, 20)
			cfg := transfer.Config{From: from, To: to, Page: 5, Progress: func(p transfer.Progress) {
				if p.Phase != transfer.Copying || p.Collection != state.Meta || once {
					return
				}
				once = true
				if tt.inTarget {
					write(t, to, tt.change)
				} else {
					write(t, from, tt.change)
				}
			}}
			_, err := transfer.Copy(t.Context(), cfg)
			wantDifference(t, err, transfer.DifferenceError{Collection: state.Steps, ID: tt.change.ID, Kind: tt.kind, Phase: transfer.Verifying})
			if !strings.Contains(err.Error(), "changed during the copy") {
				t.Errorf("Copy = %q, want it to say that something changed", err)
			}
			if _, err = transfer.Copy(t.Context(), cfg); (err != nil) != tt.overwrites || err != nil && !errors.Is(err, state.ErrConflict) {
				t.Errorf("second Copy = %v, want an error: %t", err, tt.overwrites)
			}
			cfg.Overwrite = true
			report := copied(t, cfg)
			if want := len(all(t, to)); int(report.From.Documents+report.Extra) != want || len(all(t, from)) != int(report.From.Documents) {
				t.Errorf("report %+v, %d documents in the target", report, want)
			}
		})
	}
}

// TestTwoCopiesIntoOneTarget begins a second copy in the middle of the first.
func TestTwoCopiesIntoOneTarget(t *testing.T) {
	t.Parallel()
	from, to, begun := ram.New(), ram.New(), false
	sample(t, from, 20)
	_, err := transfer.Copy(t.Context(), transfer.Config{From: from, To: to, Page: 5, Progress: func(p transfer.Progress) {
		if p.Phase == transfer.Copying && p.Documents > 30 && !begun {
			begun = true
			copied(t, transfer.Config{From: from, To: to, Page: 5})
		}
	}})
	var lost *store.ConflictError
	if !errors.As(err, &lost) || state.CodeOf(err) != state.Conflict || !strings.Contains(err.Error(), "somebody else writes into the target") {
		t.Errorf("Copy = %v, want a conflict", err)
	}
	wantCopy(t, from, to)
}

func TestDamagedCursor(t *testing.T) {
	t.Parallel()
	to := ram.New()
	body, err := bson.Marshal(bson.D{{Key: "collection", Value: "unheard of"}})
	must(t, err)
	write(t, to, store.Doc{Collection: state.Meta, ID: "transfer/cursor", Body: body})
	if _, err := transfer.Copy(t.Context(), transfer.Config{From: ram.New(), To: to}); state.CodeOf(err) != state.Internal || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("Copy = %v, want an Internal error", err)
	}
}
