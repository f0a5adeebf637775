package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// TestFaulty has the second of three calls fail in each way: a Write of a, one of b to e, and the deletion of a.
func TestFaulty(t *testing.T) {
	t.Parallel()
	doc := func(id string) store.Doc {
		return store.Doc{Collection: state.Steps, ID: id, Body: []byte("\x05\x00\x00\x00\x00")}
	}
	tests := []struct {
		around  storetest.Around
		at      int // the call that is looked at
		refused bool
		left    string
	}{
		{nil, 2, false, "abcde"},
		{storetest.At(2, storetest.Refused), 2, true, "a"},
		{storetest.At(2, storetest.Lost), 2, true, "abcde"},
		{storetest.At(2, storetest.Front), 2, true, "abc"},
		{storetest.At(2, storetest.Back), 2, true, "ade"},
		{storetest.At(2, storetest.Refused), 3, false, ""},
		{storetest.From(2, storetest.Lost), 3, true, "abcde"},
		{storetest.At(3, storetest.Front), 3, true, "bcde"},
		{storetest.Writes(storetest.Lost), 1, true, "a"},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s, ctx := storetest.Wrap(ram.New(), tt.around), t.Context()
			calls := []func(context.Context) error{
				func(ctx context.Context) error { return s.Write(ctx, doc("a")) },
				func(ctx context.Context) error { return s.Write(ctx, doc("b"), doc("c"), doc("d"), doc("e")) },
				func(ctx context.Context) error { _, err := s.Delete(ctx, state.Steps, "a"); return err },
			}
			var err error
			for _, call := range calls[:tt.at] {
				err = call(ctx)
			}
			if errors.Is(err, state.ErrUnavailable) != tt.refused || s.Calls() != tt.at {
				t.Errorf("call %d = %v, %d calls", tt.at, err, s.Calls())
			}
			left := ""
			docs, err := s.Store.Scan(ctx, store.Query{Collection: state.Steps})
			for _, d := range docs {
				left += d.ID
			}
			if left != tt.left || err != nil {
				t.Errorf("left %q, %v, want %q", left, err, tt.left)
			}
		})
	}
}
