package main

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/history"
)

// A field that held nothing may come to hold another kind of nothing.
func TestAChangeOfNothing(t *testing.T) {
	t.Parallel()
	null := bson.RawValue{Type: bson.TypeNull}
	c := history.Change{Fields: []history.Field{{Name: "topics", Before: null}, {Name: "summary", After: null}, {Name: "title"}}}
	if got := (teller{}).changes(c); len(got) != 0 {
		t.Errorf("changes: %q, want none", got)
	}
}
