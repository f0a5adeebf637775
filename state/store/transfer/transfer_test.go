package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
	"github.com/mneme-graph/mneme/state/store/transfer"
)

// open opens a store in a folder and closes it with the test.
func open(t testing.TB, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func doc(c state.Collection, id, text string) store.Doc {
	body, err := bson.Marshal(bson.D{{Key: "text", Value: text}})
	if err != nil {
		panic(err)
	}
	return store.Doc{Collection: c, ID: id, Body: body}
}

func write(t testing.TB, s store.Store, docs ...store.Doc) {
	t.Helper()
	if err := s.Write(context.Background(), docs...); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

// sample fills a store with n documents in every collection, some of them replaced, some deleted again.
func sample(t testing.TB, s store.Store, n int) {
	t.Helper()
	for _, c := range store.Collections() {
		for i := range n {
			id := fmt.Sprintf("c/u/%04d", i)
			write(t, s, doc(c, id, strings.Repeat(id, i%7)))
			if i%3 == 0 {
				d := doc(c, id, "replaced")
				d.Rev = 1
				write(t, s, d)
			}
			if i%5 == 4 {
				write(t, s, store.Doc{Collection: c, ID: id, Rev: 1 + int64(1-min(1, i%3))})
			}
		}
	}
}

// all returns every document of the store, with its revision.
func all(t testing.TB, s store.Store) (docs []store.Doc) {
	t.Helper()
	for _, c := range store.Collections() {
		part, err := s.Scan(context.Background(), store.Query{Collection: c})
		if err != nil {
			t.Fatalf("Scan %s: %v", c, err)
		}
		docs = append(docs, part...)
	}
	return docs
}

// wantCopy fails the test unless to holds what from does, each document written once, and nothing else.
func wantCopy(t testing.TB, from, to store.Store) {
	t.Helper()
	want, got := all(t, from), all(t, to)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i].Collection != got[i].Collection || want[i].ID != got[i].ID || !bytes.Equal(want[i].Body, got[i].Body) {
			t.Fatalf("%d documents, want %d; document %d is not the same", len(got), len(want), i)
		}
		if got[i].Rev != 1 {
			t.Fatalf("%s %s is at revision %d in the copy, want 1: written once", got[i].Collection, got[i].ID, got[i].Rev)
		}
	}
}

func copied(t testing.TB, cfg transfer.Config) transfer.Report {
	t.Helper()
	report, err := transfer.Copy(context.Background(), cfg)
	if err != nil {
		t.Fatalf("Copy: %v", err)
	}
	if report.From != report.To || report.Written+report.Replaced+report.Skipped != report.From.Documents {
		t.Fatalf("report %+v: the sides are not equal or the counts make no sum", report)
	}
	return report
}

func TestCopy(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]store.Store{"ram": ram.New(), "loose": ram.NewLoose(), "sqlite": open(t, t.TempDir())} {
		for _, page := range []int{1, 3, 0} {
			t.Run(fmt.Sprint(name, " page ", page), func(t *testing.T) {
				from := ram.New()
				sample(t, from, 40)
				var phases []transfer.Phase
				var last transfer.Progress
				cfg := transfer.Config{From: from, To: to, Page: page, Progress: func(p transfer.Progress) {
					if p.Phase != last.Phase {
						phases = append(phases, p.Phase)
					}
					last = p
				}}
				report := copied(t, cfg)
				wantCopy(t, from, to)
				if first := page == 1; report.Written > 0 != first || report.Skipped > 0 == first || report.Resumed {
					t.Errorf("report %+v: the first run writes all, the others skip all", report)
				}
				if last != (transfer.Progress{Phase: transfer.Verifying, Collection: state.Meta, Documents: report.From.Documents, Bytes: report.From.Bytes}) {
					t.Errorf("last progress %+v, report %+v", last, report)
				}
				if len(phases) < 2 || phases[len(phases)-2] != transfer.Copying {
					t.Errorf("phases %v", phases)
				}
			})
		}
	}
}

// TestReport pins counts and digest, which anybody can compute again.
func TestReport(t *testing.T) {
	t.Parallel()
	from, to := ram.New(), ram.New()
	write(t, from, doc(state.Affairs, "a", "one"), doc(state.Affairs, "b", "two"), doc(state.Steps, "s", "three"))
	first := copied(t, transfer.Config{From: from, To: to})
	counts := []transfer.Count{}
	for _, c := range store.Collections() {
		counts = append(counts, transfer.Count{Collection: c})
	}
	counts[0].Documents, counts[0].Bytes = 1, 21
	counts[5].Documents, counts[5].Bytes = 2, 38
	side := transfer.Side{Documents: 3, Bytes: 59, SHA256: digest(all(t, from))}
	want := transfer.Report{From: side, To: side, Collections: counts, Written: 3}
	same(t, "first report", want, first)
	want.Written, want.Skipped = 0, 3
	same(t, "second report", want, copied(t, transfer.Config{From: from, To: to}))
	changed := doc(state.Affairs, "a", "another")
	changed.Rev = 1
	write(t, to, changed, doc(state.Feed, "f", "its own"))
	want.Replaced, want.Skipped, want.Extra = 1, 2, 1
	same(t, "third report", want, copied(t, transfer.Config{From: from, To: to, Overwrite: true}))
}

func TestEmptySource(t *testing.T) {
	t.Parallel()
	to := ram.NewLoose()
	if report := copied(t, transfer.Config{From: ram.New(), To: to}); report.From.Documents != 0 || len(all(t, to)) != 0 {
		t.Errorf("report %+v, %d documents in the target", report, len(all(t, to)))
	}
}

func TestLargeBodies(t *testing.T) {
	t.Parallel()
	from, to := ram.New(), open(t, t.TempDir())
	rng := rand.NewChaCha8([32]byte{1})
	for i := range 40 {
		size := 100
		if i%4 == 0 {
			size = int(rng.Uint64() % (3 << 20))
		}
		noise := make([]byte, size)
		_, _ = rng.Read(noise) // never fails
		body, err := bson.Marshal(bson.D{{Key: "noise", Value: noise}})
		must(t, err)
		write(t, from, store.Doc{Collection: state.Messages, ID: fmt.Sprintf("%02d", i), Body: body})
	}
	watched := &largest{Store: from}
	copied(t, transfer.Config{From: watched, To: to})
	wantCopy(t, from, to)
	if watched.bytes > 64<<20 {
		t.Errorf("one page held %d bytes", watched.bytes)
	}
}

// largest notes the bytes of the largest page.
type largest struct {
	store.Store
	bytes int
}

func (l *largest) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	docs, err := l.Store.Scan(ctx, q)
	size := 0
	for _, d := range docs {
		size += len(d.Body)
	}
	l.bytes = max(l.bytes, size)
	return docs, err
}

// TestRoundTrip copies random documents from RAM to a folder and back.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	ids := rapid.StringMatching(`[a-c/é]{1,4}`)
	rapid.Check(t, func(rt *rapid.T) {
		from, folder, back := ram.New(), open(t, t.TempDir()), store.Store(ram.New())
		if rapid.Bool().Draw(rt, "loose") {
			back = ram.NewLoose()
		}
		documents := rapid.MapOfN(rapid.Custom(func(rt *rapid.T) [2]string {
			return [2]string{string(rapid.SampledFrom(store.Collections()).Draw(rt, "collection")), ids.Draw(rt, "id")}
		}), rapid.SampledFrom([]int{0, 1, 2, 9, 50, 70, 400, 500, 3000, 9000, 300 << 10, 1 << 20}), 0, 12).Draw(rt, "documents")
		for at, size := range documents {
			write(t, from, doc(state.Collection(at[0]), at[1], strings.Repeat(at[1], size/len(at[1]))))
		}
		page := rapid.IntRange(0, 30).Draw(rt, "page")
		there := copied(t, transfer.Config{From: from, To: folder, Page: page})
		again := copied(t, transfer.Config{From: folder, To: back, Page: page})
		if there.From != again.To || there.From.SHA256 != digest(all(t, from)) {
			t.Errorf("there %+v, back %+v", there, again)
		}
		wantCopy(t, from, back)
	})
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	differing, other := ram.New(), ram.New()
	write(t, differing, doc(state.Affairs, "c/u/0001", "mine"))
	write(t, other, doc(state.Affairs, "theirs", "x"), doc(state.Affairs, "c/u/0007", "mine"))
	from := ram.New()
	sample(t, from, 20)
	for _, tt := range []struct {
		name string
		to   *ram.Store
		want transfer.DifferenceError
		says string
	}{
		{"another body", differing, transfer.DifferenceError{Collection: state.Affairs, ID: "c/u/0001", Kind: transfer.Differs, Phase: transfer.Checking}, "another body; name an empty target"},
		{"other data", other, transfer.DifferenceError{Collection: state.Affairs, ID: "c/u/0007", Kind: transfer.Differs, Phase: transfer.Checking}, "overwrite"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := all(t, tt.to)
			report, err := transfer.Copy(t.Context(), transfer.Config{From: from, To: tt.to})
			wantDifference(t, err, tt.want)
			if diff := cmp.Diff(transfer.Report{}, report); diff != "" || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), tt.want.ID) {
				t.Errorf("report %+v, error %q, want none and %q", report, err, tt.says)
			}
			if diff := cmp.Diff(before, all(t, tt.to)); diff != "" {
				t.Errorf("the target was changed (-before +after):\n%s", diff)
			}
			copied(t, transfer.Config{From: from, To: tt.to, Overwrite: true})
		})
	}
}

func wantDifference(t *testing.T, err error, want transfer.DifferenceError) {
	t.Helper()
	var got *transfer.DifferenceError
	if !errors.As(err, &got) || !errors.Is(err, state.ErrConflict) || state.CodeOf(err) != state.Conflict {
		t.Fatalf("Copy = %v, want a *DifferenceError that is ErrConflict", err)
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Fatalf("Copy = %v (-want +got):\n%s", err, diff)
	}
}

func TestBadConfig(t *testing.T) {
	t.Parallel()
	s, extra := ram.New(), ram.New()
	write(t, s, doc(state.Affairs, "a", "x"))
	write(t, extra, doc(state.Affairs, "a", "x"), doc(state.Affairs, "b", "x"))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		cfg  transfer.Config
		code state.Code
		says string
	}{
		{"no source", t.Context(), transfer.Config{To: s}, state.Invalid, "no source"},
		{"no target", t.Context(), transfer.Config{From: s}, state.Invalid, "no target"},
		{"a negative page", t.Context(), transfer.Config{From: s, To: ram.New(), Page: -1}, state.Invalid, "-1 documents"},
		{"the same store", t.Context(), transfer.Config{From: s, To: s}, state.Invalid, "same store"},
		{"the same store twice", t.Context(), transfer.Config{From: &largest{Store: s}, To: s}, state.Invalid, "same store"},
		{"only in the target", t.Context(), transfer.Config{From: s, To: extra}, state.Conflict, "affairs b stands in the target and not in the source"},
		{"cancelled", cancelled, transfer.Config{From: s, To: ram.New()}, state.Unavailable, "context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := transfer.Copy(tt.ctx, tt.cfg)
			if err == nil || state.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Copy = %v (%s), want %s: %q", err, state.CodeOf(err), tt.code, tt.says)
			}
			if n := len(all(t, s)); n != 1 {
				t.Errorf("%d documents in the source, want 1: no cursor stays behind", n)
			}
		})
	}
}
